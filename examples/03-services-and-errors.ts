/** Hooks use Effect services; what they need and how they fail is part of the agent's type. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Context, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

class NoVacancy extends Schema.TaggedError<NoVacancy>()("NoVacancy", { city: Schema.String }) {}

class Rooms extends Context.Tag("Rooms")<Rooms, {
  readonly reserve: (city: string) => Effect.Effect<string, NoVacancy>
}>() {}

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city to stay in" }),
    reference: Schema.String.annotations({ description: "the booking's reference", extract: "asked" })
  })
})

const Hotel = kit.make({
  name: "Hotel",
  flows: [{
    title: "Book a room",
    reentrant: true,
    steps: [
      { id: "city", collect: ["city"] },
      kit.step({
        id: "reserve",
        requires: ["city"],
        auto: true,
        prepare: ({ data }) =>
          Effect.gen(function*() {
            const rooms = yield* Rooms
            return { dataUpdate: { reference: yield* rooms.reserve(data.city) } }
          })
      }),
      { id: "done", reply: ({ data }) => `Reserved in ${data.city} under ${data.reference}.` }
    ]
  }]
})

const program = Effect.gen(function*() {
  const agent = yield* Hotel
  for (const city of ["Lisbon", "Atlantis"]) {
    yield* agent.respond({ sessionId: city, message: `A room in ${city}, please` }).pipe(
      Effect.map(({ message }) => message),
      // `NoVacancy` comes from the hook; the compiler knows it can happen here.
      Effect.catchTag("NoVacancy", (error) => Effect.succeed(`Nothing is free in ${error.city}.`)),
      Effect.flatMap(Console.log)
    )
  }
  // The failed turn left no trace.
  const { data, version } = yield* agent.session("Atlantis").snapshot
  yield* Console.log(`Atlantis: version ${version}, ${Object.keys(data).length} fields`)
})

const RoomsTest = Layer.succeed(Rooms, {
  reserve: (city) => city === "Lisbon" ? Effect.succeed("LIS-1") : Effect.fail(new NoVacancy({ city }))
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory, RoomsTest]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

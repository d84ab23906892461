/** The agent as a service of an Effect application, and the same agent for code that has Promises. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Context, Effect, Layer, Logger, LogLevel, ManagedRuntime, Schema } from "effect"
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

// The Tag and its Layer in one line: `NoVacancy` is in the agent's type, `Rooms` in what its Layer needs.
class Hotel extends kit.Service<Hotel>()("Hotel", {
  name: "Hotel",
  flows: [{
    title: "Book a room",
    optionalFields: ["reference"],
    steps: [
      { id: "city", collect: ["city"] },
      kit.step({
        id: "reserve",
        requires: ["city"],
        auto: true,
        prepare: ({ data }) =>
          Effect.map(
            Effect.flatMap(Rooms, (rooms) => rooms.reserve(data.city)),
            (reference) => ({ dataUpdate: { reference } })
          )
      }),
      { id: "done", reply: ({ data }) => `Reserved in ${data.city} under ${data.reference}.` }
    ]
  }]
}) {}

// A service of the application that talks through the agent, and knows how it may fail.
class Desk extends Context.Tag("Desk")<Desk, {
  readonly answer: (guest: string, text: string) => Effect.Effect<string>
}>() {
  static readonly layer = Layer.effect(
    Desk,
    Effect.map(Hotel, (hotel) => ({
      answer: (guest: string, text: string) =>
        hotel.respond({ sessionId: guest, message: text }).pipe(
          Effect.map(({ message }) => message),
          Effect.catchTag("NoVacancy", ({ city }) => Effect.succeed(`Nothing is free in ${city}.`)),
          Effect.orDie
        )
    }))
  )
}

const RoomsLive = Layer.succeed(Rooms, {
  reserve: (city) => city === "Lisbon" ? Effect.succeed("LIS-1") : Effect.fail(new NoVacancy({ city }))
})
const HotelLive = Hotel.layer.pipe(
  Layer.provide([model(Offline.layer), SessionStore.layerMemory, RoomsLive, Logger.minimumLogLevel(LogLevel.Warning)])
)
const runtime = ManagedRuntime.make(Layer.provideMerge(Desk.layer, HotelLive))

await runtime.runPromise(Effect.gen(function*() {
  const desk = yield* Desk
  yield* Console.log(yield* desk.answer("ann", "A room in Lisbon, please"))
  yield* Console.log(yield* desk.answer("bob", "A room in Atlantis, please"))
}))

// The same agent where there are only Promises: a handler of a web framework, a script.
const hotel = Agent.toPromise(await runtime.runPromise(Hotel))
for await (const event of hotel.stream({ sessionId: "cleo", message: "A room in Lisbon, please" })) {
  if (event._tag === "DataCollected") console.log("collected", Object.keys(event.data).join(", "))
}
const { data } = await hotel.session("cleo").snapshot()
console.log("stored", data.city, data.reference)
try {
  await hotel.respond({ sessionId: "dan", message: "A room in Atlantis, please" }, {
    signal: AbortSignal.timeout(10_000)
  })
} catch (error) {
  if (error instanceof NoVacancy) console.log("rejected with", error._tag, error.city)
  else throw error
}
await runtime.dispose()

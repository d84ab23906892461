/** A definition is checked before anyone talks to it: what is wrong comes with the conversation that shows it. */
import { Agent, SessionStore } from "coxswain"
import * as Check from "coxswain/check"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city to stay in" }),
    guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ description: "number of guests" })
  })
})

// Groups are to be called back, and then nothing more is to be done: but the branch leads back to itself.
const broken = Check.check(kit, {
  name: "Hotel",
  flows: [{
    title: "Book a room",
    requiredFields: ["city", "guests"],
    steps: [
      {
        id: "stay",
        collect: ["city", "guests"],
        branches: [{ if: ({ data }) => (data.guests ?? 0) > 4, then: "group" }]
      },
      {
        id: "confirm",
        reply: ({ data }) => `A room in ${data.city} is yours.`,
        branches: [{ then: { complete: true } }]
      },
      { id: "group", reply: "For groups we call you back.", branches: [{ then: "group" }] }
    ]
  }]
})

const mended = {
  name: "Hotel",
  flows: [kit.flow({
    title: "Book a room",
    requiredFields: ["city", "guests"],
    steps: [
      {
        id: "stay",
        collect: ["city", "guests"],
        branches: [{ if: ({ data }) => (data.guests ?? 0) > 4, then: "group" }]
      },
      {
        id: "confirm",
        reply: ({ data }) => `A room in ${data.city} is yours.`,
        branches: [{ then: { complete: true } }]
      },
      { id: "group", reply: "For groups we call you back." }
    ]
  })]
} as const

const program = Effect.gen(function*() {
  yield* Console.log(Check.render(broken))
  yield* Console.log(Check.render(Check.check(kit, mended)))
  const agent = yield* kit.make(mended)
  const { message } = yield* agent.respond({ sessionId: "u1", message: "A room in Lisbon for 6 guests" })
  yield* Console.log(message)
})

program.pipe(
  Effect.provide([Offline.layer, SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

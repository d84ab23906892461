/** The likely answer is asked for while the message is still being understood, and used only where it turns out to be right. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city to stay in" }),
    checkIn: Schema.Date.annotations({ description: "the day of arrival" }),
    guests: Schema.Int.pipe(Schema.between(1, 8))
  })
})

const hotel = kit.make({
  name: "Hotel",
  speculate: true,
  flows: [
    {
      title: "Booking",
      when: "the guest wants a room",
      steps: [
        { id: "city", prompt: "Ask for the city", collect: ["city"] },
        { id: "day", prompt: "Ask for the day of arrival", collect: ["checkIn"] },
        { id: "guests", prompt: "Ask how many come", collect: ["guests"] },
        { id: "done", prompt: "Say that the room is held" }
      ]
    },
    { title: "Breakfast", when: "the guest asks when breakfast is", steps: [{ reply: "Breakfast is from 7 to 10." }] }
  ]
})

const program = Effect.gen(function*() {
  const agent = yield* hotel
  for (const message of ["I want a room", "Lisbon", "When is breakfast?", "2027-03-15", "Two guests"]) {
    const response = yield* agent.respond({ sessionId: "u1", message })
    const early = response.trace.filter(({ kind }) => kind.startsWith("speculation"))
    yield* Console.log(`> ${message}\n${response.message}`)
    for (const { kind, message } of early) yield* Console.log(`  ${kind}: ${message}`)
  }
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

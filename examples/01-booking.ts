/** One agent, one flow: the model understands and words it, the code decides what is asked and when it is done. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const Booking = Schema.Struct({
  city: Schema.String.annotations({ description: "the city to stay in" }),
  guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ description: "number of guests" })
})

const program = Effect.gen(function*() {
  const agent = yield* Agent.define({ data: Booking }).make({
    name: "BookingBot",
    flows: [{
      title: "Book a room",
      requiredFields: ["city", "guests"],
      steps: [
        { id: "ask", collect: ["city", "guests"], prompt: "Ask for what is missing" },
        { id: "confirm", reply: ({ data }) => `A room in ${data.city} for ${data.guests} is yours.` }
      ]
    }]
  })
  for (const message of ["I need a room in Lisbon", "for 40 people", "for two people"]) {
    const response = yield* agent.respond({ sessionId: "u1", message })
    yield* Console.log(`> ${message}\n${response.message}`)
  }
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

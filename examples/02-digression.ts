/** A question in the middle of a booking is answered, and the booking goes on where it was. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city to stay in" }),
    checkIn: Schema.Date.annotations({ description: "the check-in date" })
  })
})

const booking = kit.flow({
  title: "Booking",
  when: "the guest wants to book a room",
  requiredFields: ["city", "checkIn"],
  steps: [
    { id: "city", collect: ["city"] },
    { id: "date", collect: ["checkIn"] },
    kit.step({
      id: "done",
      requires: ["checkIn"],
      reply: ({ data }) => `Booked: ${data.city}, ${data.checkIn.toISOString().slice(0, 10)}.`
    })
  ]
})

const hours = kit.flow({
  title: "Opening hours",
  when: "the guest asks when the reception is open",
  reentrant: true,
  steps: [{ id: "hours", reply: "The reception is open from 7 to 23." }]
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({ name: "Hotel", flows: [booking, hours] })
  for (
    const message of [
      "I want to book a room in Lisbon",
      "When is the reception open?",
      "2027-03-15, and actually make it Porto"
    ]
  ) {
    const { session, ...response } = yield* agent.respond({ sessionId: "u1", message })
    yield* Console.log(
      `> ${message}\n${response.message}\n  [${response.stoppedReason}, in ${session.currentFlow?.title}]`
    )
  }
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

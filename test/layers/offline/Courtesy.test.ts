/** What an agent without flows for them answers to courtesies, examples and moments of the day. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Layer, Logger, Schema, TestClock } from "effect"

const kit = Agent.define({
  data: Schema.Struct({
    day: Schema.Date.annotations({ description: "the day of the appointment" }),
    time: Schema.String.annotations({ description: "the time of the appointment" })
  })
})

const reception = kit.make({
  name: "Reception",
  idle: { prompt: "Say that you book appointments with your colleagues and say when we are open" },
  branches: [{ when: "the patient says goodbye or gives up", then: { abort: "left" } }],
  flows: [
    {
      title: "Appointment",
      when: "the patient wants an appointment",
      example: "I need a check-up next Tuesday",
      steps: [
        { id: "day", collect: ["day"], prompt: "Ask for the day" },
        { id: "time", collect: ["time"], prompt: "Ask for the time" },
        { id: "note", collect: [], prompt: "Tell the patient that you will call them", until: () => false }
      ]
    },
    {
      title: "Pain",
      when: "the patient has an emergency",
      example: "My tooth hurts badly",
      reentrant: true,
      steps: [{ reply: "Come at once." }]
    },
    {
      title: "Invoice",
      when: "the patient asks about an invoice",
      example: "Where is my bill?",
      reentrant: true,
      steps: [{ reply: "It comes by post." }]
    }
  ]
})

const idle = "I book appointments with my colleagues. I can tell you when we are open."

/** The answers to the messages of one conversation. */
const answers = (...messages: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.UTC(2026, 10, 27, 9))
    const agent = yield* reception
    return yield* Effect.forEach(messages, (message) =>
      Effect.map(agent.respond({ sessionId: "s", message }), (response) => response.message))
  }).pipe(
    Effect.provide([Layer.provide(Offline.layer, Logger.remove(Logger.defaultLogger)), SessionStore.layerMemory])
  )

const said = (message: string, answer: string) =>
  it.effect(`"${message}": ${answer}`, () => Effect.map(answers(message), (all) => expect(all).toEqual([answer])))

describe("an example of a flow", () => {
  said("My tooth hurts badly", "Come at once.")
  said("my tooth hurts", "Come at once.")
  said("My tooth hurts so badly!", "Come at once.")
  said("I need a check-up next Tuesday", "Noted: Tuesday, 1 December. Could you tell me the time of the appointment?")
  said("where is my bill", "It comes by post.")
  said("my tooth is fine", `I am sorry, I did not understand that. ${idle}`)
  said("badly", `I am sorry, I did not understand that. ${idle}`)
  said("See you next Tuesday", `Noted: Tuesday, 1 December. ${idle}`)
})

describe("a courtesy without a flow for it", () => {
  said("what can you do?", idle)
  said("how does this work", idle)
  said("goodbye", `Goodbye! ${idle}`)
  said("bye", `Goodbye! ${idle}`)
  said("forget it", `All right. ${idle}`)
  said("never mind", `All right. ${idle}`)
  said("never mind the rain", `I am sorry, I did not understand that. ${idle}`)
  said("thanks", `You are welcome. ${idle}`)
})

describe("words of the answer", () => {
  it.effect("a time is noted however it was said, and the agent speaks of itself as I", () =>
    Effect.map(
      answers("I want an appointment", "next Tuesday", "3 pm"),
      ([, , last]) => expect(last).toBe("Noted: time 15:00. I will call you.")
    ))
})

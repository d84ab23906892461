/** A wish for a thing of which no flow speaks, and what a number, a name and a form of the message mean. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Logger, Schema, TestClock } from "effect"

const kit = Agent.define({
  data: Schema.Struct({
    day: Schema.Date.annotations({ description: "the day of the appointment" }),
    patient: Schema.String.annotations({ description: "the name of the patient" }),
    people: Schema.Int.annotations({ description: "how many people come" }),
    nights: Schema.Int.annotations({ description: "for how many nights" }),
    born: Schema.String.annotations({ description: "the day of birth, as YYYY-MM-DD" }),
    kind: Schema.Literal("single", "double").annotations({ description: "the kind of room" })
  })
})

const dentist = kit.make({
  name: "Dentist",
  idle: { prompt: "Say that you book appointments" },
  flows: [
    {
      title: "Appointment",
      when: "the patient wants an appointment",
      steps: [
        { collect: ["day", "patient"], prompt: "Ask for the day and the name" },
        { prompt: "Talk about it", until: () => false }
      ]
    },
    { title: "Hours", when: "the patient asks when we are open", reentrant: true, steps: [{ reply: "From 8 to 5." }] },
    { title: "Moving", when: "the patient wants to move an appointment", steps: [{ reply: "Call us." }] }
  ]
})

const asking = (...collect: ReadonlyArray<"patient" | "people" | "nights" | "born">) =>
  kit.make({
    name: "Desk",
    flows: [
      {
        title: "Stay",
        when: "the guest wants a room",
        steps: [{ id: "ask", collect, prompt: "Ask" }, { reply: "Done." }]
      },
      {
        title: "Wi-Fi",
        when: "the guest asks about wifi",
        reentrant: true,
        steps: [{ reply: "It is free. And the rest?" }]
      }
    ]
  })

/** The answers to the messages of one conversation, and what is known at its end. */
const talk = (made: ReturnType<typeof asking>, ...messages: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.UTC(2026, 10, 27, 9))
    const agent = yield* made
    const turns = yield* Effect.forEach(messages, (message) => agent.respond({ sessionId: "s", message }))
    return { said: turns.map(({ message }) => message), session: turns.at(-1)!.session }
  }).pipe(
    Effect.provide([Offline.layer, SessionStore.layerMemory]),
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )

describe("a wish for a thing of which no flow speaks", () => {
  const flowOf = (message: string) => Effect.map(talk(dentist, message), ({ session }) => session.currentFlow?.id)

  for (
    const message of [
      "I need a filling next Tuesday",
      "I'd like to have a check-up on 3 December",
      "we need a cleaning tomorrow",
      "Tuesday, my name is Ada Lovelace"
    ]
  ) {
    it.effect(`"${message}" begins the only flow about getting things`, () =>
      Effect.map(flowOf(message), (flow) => expect(flow).toBe("appointment")))
  }

  for (
    const message of ["I need a filling", "Are you open next Tuesday?", "How is the weather on Tuesday?", "Tuesday"]
  ) {
    it.effect(`"${message}" does not begin it`, () =>
      Effect.map(flowOf(message), (flow) => expect(flow).toBeUndefined()))
  }
})

describe("a wish for another thing than the only flow gets", () => {
  const hotel = asking("people", "nights")
  const reception = kit.make({
    name: "Reception",
    flows: [{
      title: "Booking",
      when: "the guest wants to book a room",
      example: "A bed for tonight",
      steps: [{ id: "stay", collect: ["day", "kind"], prompt: "Ask" }, { prompt: "Talk about it", until: () => false }]
    }]
  })
  const after = (message: string) =>
    Effect.map(talk(reception, message), ({ session: { currentFlow, data } }) => ({
      flow: currentFlow?.id,
      data
    }))

  for (
    const message of [
      "I need a taxi tomorrow",
      "We need a plumber on Friday",
      "I'd like a wake-up call tomorrow at 7",
      "ich brauche ein Taxi morgen",
      "A taxi for tomorrow, please"
    ]
  ) {
    it.effect(`"${message}" neither begins it nor gives it a value`, () =>
      Effect.map(after(message), (found) => expect(found).toEqual({ flow: undefined, data: {} })))
  }

  for (
    const message of [
      "I need a room tomorrow",
      "I need a double on Friday",
      "I need a bed tomorrow",
      "A double tomorrow"
    ]
  ) {
    it.effect(`"${message}" begins it, because the flow or its fields know the thing`, () =>
      Effect.map(after(message), ({ flow }) => expect(flow).toBe("booking")))
  }

  it.effect("several values without a wish begin it", () =>
    Effect.map(talk(hotel, "2 people, 3 nights"), ({ session }) => expect(session.data).toMatchObject({ people: 2 })))
})

describe("a number that counts something else", () => {
  it.effect("is not noted again as the number of people", () =>
    Effect.gen(function*() {
      const { said, session } = yield* talk(asking("people", "patient"), "I want a room for 2 people", "2 nights")
      expect(said[1]).not.toContain("2 people")
      expect(session.data).toMatchObject({ people: 2 })
    }))

  for (const message of ["29 February 2027, please", "on February 30th", "31 April"]) {
    it.effect(`is no number of people, if it is part of a day that does not exist: "${message}"`, () =>
      Effect.gen(function*() {
        const { said, session } = yield* talk(asking("people"), "I want a room", message)
        expect(said[1]).toContain(`There is no ${message.replace(/^on |, please$/g, "")}.`)
        expect(session.data.people).toBeUndefined()
      }))
  }

  it.effect("is noted with its own unit", () =>
    Effect.gen(function*() {
      const { said } = yield* talk(asking("people", "nights"), "I want a room", "2 nights", "2 people")
      expect(said.slice(1)).toEqual([expect.stringContaining("Noted: 2 nights."), "Done."])
    }))
})

describe("a family name before the first names", () => {
  for (
    const [message, name] of [
      ["SMITH, John", "John Smith"],
      ["Smith, John", "John Smith"],
      ["van der Berg, Anna", "Anna van der Berg"],
      ["García López, María José", "María José García López"],
      ["O'NEILL, Sean", "Sean O'Neill"],
      ["LI, Wei", "Wei Li"],
      ["Hello, Ada Lovelace", "Ada Lovelace"],
      ["Yes, Ada Lovelace", "Ada Lovelace"],
      ["Ada Lovelace, please", "Ada Lovelace"]
    ] as const
  ) {
    it.effect(`"${message}" is ${name}`, () =>
      Effect.gen(function*() {
        const { session } = yield* talk(asking("patient"), "I want a room", message)
        expect(session.data.patient).toBe(name)
      }))
  }
})

describe("a question after an answer in between", () => {
  for (const [field, message, value] of [["patient", "Schmidt", "Schmidt"], ["people", "4", 4]] as const) {
    it.effect(`still takes "${message}" for ${field}`, () =>
      Effect.gen(function*() {
        const { session } = yield* talk(asking(field), "I want a room", "is there wifi?", message)
        expect(session.data[field]).toBe(value)
      }))
  }
})

it.effect("a question leaves out the form of a value that a description has for models; a form shows an example", () =>
  Effect.gen(function*() {
    const { said, session } = yield* talk(asking("born"), "I want a room")
    expect(said).toEqual(["Could you tell me the day of birth?"])
    expect(session.expects).toMatchObject({
      properties: { born: { description: "the day of birth, such as 2030-12-24" } }
    })
  }))

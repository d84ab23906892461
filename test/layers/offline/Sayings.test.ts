import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Understanding } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Schema } from "effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"

/** A Monday. */
const now = Date.UTC(2026, 10, 23, 9)

const TestLayer = Layer.provide(Offline.layer, Logger.remove(Logger.defaultLogger))

const code = (pattern: RegExp) => Schema.String.pipe(Schema.pattern(pattern))

/** Two agents that share no field. */
const agents = {
  workshop: {
    ticket: [code(/^R\d+$/), "the number of the repair"],
    slip: [code(/^[a-z]{3,}$/), "the word on the slip"],
    fault: [Schema.String, "what is broken"],
    brought: [Schema.Date, "the date on which the bike is brought"]
  },
  library: {
    volume: [code(/^[A-Z]-\d+$/), "what the label of the book says"],
    card: [code(/^[A-Z]{2}\d{4}$/), "the reader's card"],
    other: [code(/^[A-Z]{2}\d{4}$/), "the card of the reader who pays"],
    topic: [Schema.String, "what the book is about"],
    due: [Schema.Date, "the day of the return"]
  }
} as const

const known = {
  ticket: "R17",
  fault: "the chain is off",
  brought: "2026-12-04T00:00:00.000Z",
  volume: "B-7",
  topic: "the moon",
  due: "2026-12-04"
}

/** Asks about the fields of `names`, where `?` marks one that is asked for and `!` one with a value. */
const ask = (message: string, names: string) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { answer } = yield* Understanding.Understanding
    const given: Record<string, readonly [Schema.Schema.Any, string]> = { ...agents.workshop, ...agents.library }
    return yield* answer({
      message,
      sessionId: "s1",
      history: Prompt.empty,
      flows: [],
      fields: names.split(" ").filter((name) => name !== "").map((marked) => {
        const name = marked.replace(/\W/g, "")
        const [schema, description] = given[name]!
        return { name, schema, description, known: marked.includes("!"), asked: marked.includes("?") }
      }),
      known,
      conditions: [
        { id: "bye", when: ["the visitor says goodbye"] },
        { id: "nothing", when: ["the customer wants nothing more"] },
        { id: "off", when: ["the customer gives up what is under way"] },
        { id: "cancel", when: ["the visitor cancels or wants to stop"] },
        { id: "person", when: ["the customer wants to talk to a person"] },
        { id: "complaint", when: ["the customer complains about the brakes"] },
        { id: "step", when: ["the customer names help"], step: "s" }
      ],
      signals: []
    })
  }).pipe(Effect.provide(TestLayer))

const values = (title: string, rows: ReadonlyArray<readonly [message: string, names: string, expected: object]>) =>
  describe(title, () => {
    for (const [message, names, expected] of rows) {
      it.effect(`"${message}", fields: ${names}`, () =>
        Effect.map(ask(message, names), ({ fields }) => expect(fields).toEqual(expected)))
    }
  })

values("a word that has the form of one field's code is that field's value", [
  ["State of repair R17", "ticket fault", { ticket: "R17" }],
  ["Where is my repair R17?", "ticket", { ticket: "R17" }],
  ["my repair number is R17", "ticket?", { ticket: "R17" }],
  ["R17 please", "ticket?", { ticket: "R17" }],
  ["r17, please", "ticket?", { ticket: "R17" }],
  ["not R17 but R18", "ticket!", { ticket: "R18" }],
  ["I want to send B-12 back", "volume topic", { volume: "B-12" }],
  ["When is B-12 due?", "volume", { volume: "B-12" }],
  ["b-12 please", "volume?", { volume: "B-12" }],
  ["AB1234 is mine", "card? other", { card: "AB1234" }]
])

values("a word that could be the code of two fields, or is one of two codes, is not a value", [
  ["I lost AB1234", "card other", {}],
  ["Where are R17 and R18?", "ticket", {}],
  ["Where are B-1 and B-2?", "volume", {}],
  ["R17X is broken", "ticket", {}],
  ["a lamp of 20W", "volume ticket", {}],
  ["Is it ready at 7pm?", "ticket slip", {}],
  ["where is my bike", "slip", {}]
])

values("a correction with an article replaces the only free text with a value", [
  ["no, the brakes", "fault! brought!", { fault: "the brakes" }],
  ["No, it's the left pedal.", "fault!", { fault: "the left pedal" }],
  ["no, the stars", "topic! due!", { topic: "the stars" }]
])

values("a correction that is about something else leaves the free text", [
  ["no, the fault", "fault! brought!", {}],
  ["no, the day of the return", "topic! due!", {}],
  ["no, the other one", "fault!", {}],
  ["no, the wrong one", "topic!", {}],
  ["no, thanks", "fault!", {}],
  ["no", "topic!", {}],
  ["no, the brakes", "fault! topic!", {}],
  ["no, the price", "topic!", {}]
])

values("a weekday that corrects a day stays in the week of that day", [
  ["no, Thursday", "brought!", { brought: "2026-12-03" }],
  ["not Friday but Wednesday", "brought!?", { brought: "2026-12-02" }],
  ["make it Sunday", "due!", { due: "2026-12-06" }],
  ["no, Thursday", "due!", { due: "2026-12-03" }]
])

values("a day that is no correction, or is named with its week, is counted from today", [
  ["Thursday", "brought?", { brought: "2026-11-26" }],
  ["no, Thursday", "brought?", { brought: "2026-11-26" }],
  ["no, this Thursday", "due!", { due: "2026-11-26" }],
  ["no, 2026-11-26", "due!", { due: "2026-11-26" }],
  ["no, tomorrow", "brought!", { brought: "2026-11-24" }]
])

const conditions = (
  title: string,
  holding: ReadonlyArray<string>,
  messages: ReadonlyArray<string>
) =>
  describe(title, () => {
    for (const message of messages) {
      it.effect(`"${message}"`, () =>
        Effect.map(ask(message, ""), ({ conditions }) =>
          expect(Object.keys(conditions).filter((id) => conditions[id])).toEqual(holding)))
    }
  })

conditions("a message that ends the conversation", ["bye", "nothing"], [
  "that's all, thanks",
  "thanks, that’s it",
  "Ok thanks that is all",
  "no, that's everything.",
  "see you",
  "Thanks, see you tomorrow!",
  "ciao",
  "Bye",
  "I'm done, thank you",
  "have a nice day"
])

conditions("a message that gives up", ["off", "cancel"], [
  "forget it",
  "never mind",
  "stop",
  "please stop it",
  "I give up",
  "quit"
])

conditions("a message with such words that goes on", [], [
  "that's all I know about the brakes",
  "is that all?",
  "that is it?",
  "Can I see you on Friday?",
  "the bus stop is near",
  "can you stop by at 5",
  "we'll take care of the lamp",
  "I'm done with the first book",
  "don't stop"
])

describe("a free text that is asked for", () => {
  for (const field of ["fault", "topic"]) {
    for (const message of ["can I talk to a person", "forget it, please", "I want to speak to a human", "never mind"]) {
      it.effect(`${field} is not the wish "${message}"`, () =>
        Effect.map(ask(message, `${field}?`), ({ fields }) => expect(fields).toEqual({})))
    }
    for (
      const message of [
        "the brakes squeal",
        "people who help others",
        "the price of a person"
      ]
    ) {
      it.effect(`${field} is "${message}", which has more than a wish`, () =>
        Effect.map(ask(message, `${field}?`), ({ fields }) => expect(fields).toEqual({ [field]: message })))
    }
  }
})

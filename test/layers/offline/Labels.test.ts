/** The label of a choice, said in place of the value. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Form, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Logger, Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({
    room: Schema.Literal("single", "double", "twin", "suite").annotations({
      choices: [
        { value: "single", label: { en: "Single room", de: "Einzelzimmer" } },
        {
          value: "double",
          label: { en: "Double room", de: "Doppelzimmer", fr: "Chambre double", es: "Habitación doble" }
        },
        { value: "twin", label: "Double room with two beds" },
        { value: "suite", label: "The Grand Suite" }
      ]
    }),
    branch: Schema.String,
    meals: Schema.Boolean,
    level: Schema.Int
  }),
  context: Schema.Struct({ locale: Schema.optional(Schema.String) })
})

type Choices = { readonly [K in "branch" | "meals" | "level"]?: ReadonlyArray<Form.Choice> }

/** The data after an answer to a step that asks for a field. */
const heard = (field: "room" | keyof Choices, choices: Choices, message: string, locale?: string) =>
  Effect.gen(function*() {
    const agent = yield* kit.make({
      name: "Hotel",
      flows: [
        {
          title: "Booking",
          when: "the guest wants to book a room",
          steps: [{ id: "ask", collect: [field], choices, prompt: "Ask" }, { prompt: "Talk", until: () => false }]
        },
        { title: "Rooms", when: "the guest asks which rooms there are", reentrant: true, steps: [{ reply: "Many." }] }
      ]
    })
    const context = locale === undefined ? {} : { context: { locale } }
    yield* agent.respond({ sessionId: "s", message: "I want to book a room", ...context })
    const { session } = yield* agent.respond({ sessionId: "s", message, ...context })
    return session.data
  }).pipe(
    Effect.provide([Offline.layer, SessionStore.layerMemory]),
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )

const branches: Choices = {
  branch: [
    { value: "harbour", label: { en: "Branch at the harbour", de: "Zweigstelle am Hafen" } },
    { value: "c1", label: "Central library" }
  ]
}
const meals: Choices = { meals: [{ value: true, label: "Full board" }, { value: false, label: "Room only" }] }
const levels: Choices = {
  level: [{ value: 1, label: "Beginner" }, { value: 2, label: "No idea" }, { value: 3, label: "Other" }, {
    value: 4,
    label: "other"
  }]
}

describe("a choice of a literal", () => {
  for (
    const [message, room] of [
      ["Double room", "double"],
      ["double room.", "double"],
      ["the double room, please", "double"],
      ["DOUBLE ROOM", "double"],
      ["I'd like a double room", "double"],
      ["Doppelzimmer", "double"],
      ["ein Doppelzimmer, bitte", "double"],
      ["Ich nehme das Doppelzimmer", "double"],
      ["une chambre double", "double"],
      ["habitacion doble", "double"],
      ["double", "double"],
      ["Double room with two beds", "twin"],
      ["I'd like a double room with two beds", "twin"],
      ["grand suite!", "suite"],
      ["Einzelzimmer", "single"]
    ] as const
  ) {
    it.effect(`"${message}" is ${room}`, () =>
      Effect.map(heard("room", {}, message), (data) => expect(data).toEqual({ room })))
  }

  for (
    const message of ["Not the double room", "Single room or double room", "which rooms are there?", "Triple room"]
  ) {
    it.effect(`"${message}" is none`, () => Effect.map(heard("room", {}, message), (data) => expect(data).toEqual({})))
  }
})

describe("a choice of a step", () => {
  for (
    const [field, choices, message, value, locale] of [
      ["branch", branches, "Central Library", "c1", undefined],
      ["branch", branches, "the central library, please.", "c1", undefined],
      ["branch", branches, "Branch at the harbour", "harbour", undefined],
      ["branch", branches, "die Zweigstelle am Hafen", "harbour", "de"],
      ["meals", meals, "Room only", false, undefined],
      ["meals", meals, "full board", true, undefined],
      ["level", levels, "No idea", 2, undefined]
    ] as const
  ) {
    it.effect(`"${message}" is the value of ${field}`, () =>
      Effect.map(heard(field, choices, message, locale), (data) => expect(data).toEqual({ [field]: value })))
  }

  it.effect("a label of two values is none of them", () =>
    Effect.map(heard("level", levels, "Other"), (data) => expect(data).toEqual({})))
})

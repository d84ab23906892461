/** Which answers of a model are believed, by the words that it quotes. */
import * as Prompt from "@effect/ai/Prompt"
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { believed } from "../../../src/pipeline/understanding/evidence.js"

const questions = (message: string, more: object = {}) => ({
  message,
  history: Prompt.empty,
  flows: [{ id: "claim", title: "Claim", when: [], active: false }, {
    id: "other",
    title: "Other",
    when: [],
    active: true
  }],
  fields: [{ name: "damage", schema: Schema.String, known: false, asked: true }],
  conditions: [{ id: "broken", when: ["it is broken"] }],
  ...more
})

const answers = (words: string) => ({
  flowScores: { claim: 90 },
  flowWords: { claim: words },
  conditions: { broken: true },
  conditionWords: { broken: words },
  fields: { damage: "dent" },
  words: { damage: words },
  signals: {}
})

describe("the words for flows, conditions and values", () => {
  it("must stand in the message", () => {
    const { answers: left, refused } = believed(questions("hello"), answers("a dent"))
    expect([left.flowScores, left.conditions, left.fields, left.flowWords]).toEqual([{}, {}, {}, {}])
    expect(refused.map(({ about }) => about)).toEqual(["value", "flow", "condition"])
  })

  it("need not stand in the message for flows and conditions that an attached file may mean", () => {
    const files = [Prompt.filePart({ mediaType: "image/png", data: "AAAA" })]
    const { answers: left } = believed(questions("", { files }), answers(""))
    expect([left.flowScores, left.conditions, left.fields]).toEqual([{ claim: 90 }, { broken: true }, {}])
  })

  it("for a flow must say more than the answer to what was asked, while another flow is under way", () => {
    expect(believed(questions("a dent"), answers("a dent")).answers.flowScores).toEqual({})
    const more = { ...answers("a dent"), flowWords: { claim: "claim a dent" } }
    expect(believed(questions("I claim a dent"), more).answers.flowScores).toEqual({ claim: 90 })
  })

  describe("that are the same for more than three values", () => {
    const schema = Schema.Any
    const fields = ["city", "nights", "room", "breakfast"].map((name) => ({ name, schema, known: false, asked: false }))
    const stay = { city: "Porto", nights: 3, room: "single", breakfast: false }
    const left = (message: string, given: Partial<typeof stay>, more: object = {}) => {
      const words = Object.fromEntries(Object.keys(given).map((name) => [name, message]))
      const answers = { flowScores: {}, conditions: {}, signals: {}, fields: given, words }
      return believed(questions(message, { fields, ...more }), answers).answers.fields
    }

    it("state only those that stand in them as a part", () => {
      expect(left("room in Porto for us", stay)).toEqual({ city: "Porto" })
      expect(left("Habitación en Oporto, 3 noches", { ...stay, city: "Oporto" })).toEqual({ city: "Oporto", nights: 3 })
    })

    it("state one that was asked for", () => {
      const asking = fields.map((one) => one.name === "room" ? { ...one, asked: true } : one)
      expect(left("alone", { ...stay, city: "alone" }, { fields: asking })).toEqual({ room: "single" })
    })

    it("state those that the conversation says", () => {
      const history = Prompt.make("The last time it was a single room in Porto for 3 nights. The same again?")
      expect(left("the same", stay, { history })).toEqual({ city: "Porto", nights: 3, room: "single" })
    })

    it("state all where they are the same for no more than three", () => {
      const { breakfast: _, ...three } = stay
      expect(left("the usual", three)).toEqual(three)
    })
  })
})

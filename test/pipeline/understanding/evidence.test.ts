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

  describe("of a value that was not asked for", () => {
    const question = (name: string, asked = false, known = false) => ({ name, schema: Schema.Any, known, asked })
    const left = (
      message: string,
      given: Readonly<Record<string, readonly [value: unknown, words: string]>>,
      fields: ReadonlyArray<ReturnType<typeof question>>,
      elsewhere: ReadonlyArray<string> = []
    ) => {
      const of = (at: 0 | 1) => Object.fromEntries(Object.entries(given).map(([name, pair]) => [name, pair[at]]))
      // Safe: the second of each pair is a text.
      const words = of(1) as Record<string, string>
      const answers = { flowScores: {}, conditions: {}, signals: {}, fields: of(0), words }
      return believed(questions(message, { fields }), answers, (name) => elsewhere.includes(name)).answers.fields
    }
    const stay = [question("nights", true), question("guests"), question("city")]

    it("are no evidence if they answer what was asked, with the same value", () => {
      const two = { nights: [2, "two"], guests: [2, "two"] } as const
      expect(left("two", two, stay)).toEqual({ nights: 2 })
      expect(left("for two of us", two, stay)).toEqual({ nights: 2 })
      expect(left("two nights for two", two, stay)).toEqual({ nights: 2, guests: 2 })
      expect(left("two", two, [question("nights", true), question("guests", true)])).toEqual({ nights: 2, guests: 2 })
      expect(left("two", two, [question("nights"), question("guests")])).toEqual({ nights: 2, guests: 2 })
    })

    it("are evidence for a text too, if the message says more than them", () => {
      const home = { home: ["Vienna", "Vienna"], work: ["Vienna", "Vienna"] } as const
      const fields = [question("home", true), question("work")]
      expect(left("Vienna", home, fields)).toEqual({ home: "Vienna" })
      expect(left("Vienna, for both", home, fields)).toEqual({ home: "Vienna", work: "Vienna" })
    })

    it("spell no code, which has its digits in them", () => {
      const line = [question("customer"), question("zip", true)]
      const invented = { customer: ["485512", "my line does not work"], zip: ["10115", "one oh one one five"] } as const
      expect(left("my line does not work, one oh one one five", invented, line)).toEqual({ zip: "10115" })
      expect(left("customer 485 512", { customer: ["485512", "485 512"] }, line)).toEqual({ customer: "485512" })
    })

    it("are their own for a flow that is neither under way nor asked for", () => {
      const fields = [question("gift"), question("reason"), question("size")]
      const paid = "put it on my card"
      const of = (words: string) => ({ reason: ["not wanted", words] }) as const
      expect(left(paid, of(paid), fields, ["reason"])).toEqual({})
      expect(left(`${paid}, the belt is not my taste`, of("not my taste"), fields, ["reason"])).toEqual({
        reason: "not wanted"
      })
      const wrap = { gift: [true, "wrap it"], reason: ["not wanted", "wrap it"], size: ["S", "wrap it"] } as const
      expect(left("wrap it please", wrap, fields, ["reason", "size"])).toEqual({ gift: true })
      expect(left("it is not wanted", of("it is not wanted"), fields, ["reason"])).toEqual({ reason: "not wanted" })
      // A known value of another flow is corrected.
      const known = [question("reason", false, true)]
      expect(left("I changed my mind", of("I changed my mind"), known, ["reason"])).toEqual({ reason: "not wanted" })
    })
  })
})

/** How the answers of an understanding are counted question by question. */
import * as Prompt from "@effect/ai/Prompt"
import { it } from "@effect/vitest"
import * as ByQuestion from "coxswain/cli/evaluation/ByQuestion"
import * as Understanding from "coxswain/services/understanding/Understanding"
import { Schema } from "effect"
import { describe, expect } from "vitest"

const field = (name: string, schema: Schema.Schema.Any, known = false) => ({ name, schema, known, asked: false })

const questions: Understanding.Questions = {
  sessionId: "s1",
  message: "two nights in Lisbon",
  history: Prompt.empty,
  flows: [
    { id: "booking", title: "Book", when: ["wants a room"], active: true },
    { id: "taxi", title: "Taxi", when: ["wants a taxi"], active: false }
  ],
  fields: [
    field("nights", Schema.Int),
    field("day", Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/))),
    field("room", Schema.Literal("single", "double")),
    field("city", Schema.String, true)
  ],
  conditions: [{ id: "booking/view", when: ["wants the sea"] }],
  signals: []
}

const counted = (expected: Partial<Understanding.Answers>, found: Partial<Understanding.Answers>) => {
  const all = ByQuestion.compare(
    questions,
    { ...Understanding.none, ...expected },
    { ...Understanding.none, ...found },
    40
  )
  return Object.fromEntries(
    all.filter(({ outcome }) => outcome !== "silent").map(({ kind, name, outcome }) => [`${kind}: ${name}`, outcome])
  )
}

describe("the count by question", () => {
  it("names what is found, missed, invented, and answered otherwise", () => {
    expect(counted(
      { flowScores: { taxi: 100 }, fields: { nights: 2, city: "Lisbon" }, conditions: { "booking/view": true } },
      {
        flowScores: { taxi: 50 },
        fields: { nights: 3, city: " lisbon", day: "2027-03-12", room: "single" },
        withdrawn: ["city"]
      }
    )).toEqual({
      "flow: flow": "found",
      "field, number: nights": "other",
      "field, text: city": "found",
      "field, date: day": "invented",
      "field, choice: room": "invented",
      "withdrawn: city": "invented",
      "condition: booking/view": "missed"
    })
  })

  it("does not count the flow under way, and scores below the threshold, as flows that are given", () => {
    expect(counted({}, { flowScores: { booking: 90, taxi: 50 } })).toEqual({})
    expect(counted({}, { flowScores: { taxi: 39 } })).toEqual({})
    expect(counted({}, { flowScores: { booking: 50, taxi: 90 } })).toEqual({ "flow: flow": "invented" })
  })

  it("is a table with a row for each kind", () => {
    const table = ByQuestion.tableOf(
      ByQuestion.compare(questions, { ...Understanding.none, fields: { nights: 2 } }, {
        ...Understanding.none,
        fields: { nights: 2, room: "single" }
      }, 40)
    )
    expect(table).toMatch(/^field, number +1\/1 +0 +0\/0$/m)
    expect(table).toMatch(/^field, choice +0\/0 +0 +1\/1$/m)
    expect(table).toMatch(/^all fields +1\/1 +0 +1\/3$/m)
  })
})

import * as Prompt from "@effect/ai/Prompt"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { judge } from "../../../src/layers/offline/OfflineUnderstanding.js"
import { longTexts } from "../../support/LongTexts.js"
import * as ProcessorTime from "../../support/ProcessorTime.js"

describe("the offline model reads a long message and a long reply within the time limit", () => {
  for (const name of ["a", "a ", "1 ", " ", "🙂", "a@a.", "no, ", "forget the ", "half past ", "Dr. ", "2027-02-"]) {
    const input = longTexts[name]!
    it(JSON.stringify(name), () => {
      const known = { known: false, asked: true }
      const questions = {
        sessionId: "s1",
        message: input,
        reply: input,
        history: Prompt.empty,
        flows: [{ id: "book", title: "Booking", when: ["the guest wants to book"], active: true }],
        fields: [
          { name: "city", schema: Schema.String, ...known },
          { name: "guests", schema: Schema.Int, ...known },
          { name: "checkIn", schema: Schema.Date, ...known },
          { name: "room", schema: Schema.Literal("single", "double"), ...known }
        ],
        conditions: [{ id: "yes", when: ["the guest agrees"] }],
        signals: [{ id: "angry", when: ["the guest is angry"] }]
      }
      const took = ProcessorTime.start()
      judge(questions, new Date(Date.UTC(2027, 2, 1, 9)))
      expect(took()).toBeLessThan(3_000)
    })
  }
})

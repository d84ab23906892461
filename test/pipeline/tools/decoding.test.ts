/** The arguments of a call are decoded once, although several checks read them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { toolCall } from "../../support/Script.js"
import * as Stage from "../../support/Stage.js"

const { kit, talk } = Stage

describe("the arguments of a call", () => {
  it.effect("are decoded once", () =>
    Effect.gen(function*() {
      let decoded = 0
      const guests = Schema.transform(Schema.Number, Schema.Number, {
        strict: true,
        decode: (n) => (decoded++, n),
        encode: (n) => n
      })
      const tool = kit.tool({
        id: "book",
        parameters: { guests },
        isConcurrencySafe: ({ guests }) => guests < 3,
        needsApproval: ({ guests }) => guests > 5,
        handler: ({ guests }) => `for ${guests}`
      })
      const stage = yield* Stage.make({ speak: (_, index) => index === 0 ? [toolCall("book", { guests: 2 })] : "Done" })
      const agent = yield* kit.make({ name: "Bot", tools: [tool] }).pipe(Effect.provide(stage.layer))
      const { toolCalls } = yield* talk(agent)("for two")
      expect(toolCalls).toMatchObject([{ outcome: "ok", output: "for 2" }])
      expect(decoded).toBe(1)
    }))
})

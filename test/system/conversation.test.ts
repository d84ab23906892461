/** The cost of a turn does not grow during a very long conversation. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect, Layer, Option } from "effect"
import * as Brief from "../../src/domain/brief/Brief.js"
import * as Stage from "../support/Stage.js"

const bot = Stage.kit.make({
  name: "Bot",
  compaction: { maxTokens: 800 },
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
})

/** Lets background fibers run. */
const settled = Effect.repeatN(Effect.yieldNow(), 40)

describe("a conversation of 2,000 turns", () => {
  it.effect("sends, loads and writes as much per turn at its end as at its beginning", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        speak: (one) => Brief.summarizingOf(one.prompt) !== undefined ? "s".repeat(5_000) : "Yes, of course"
      })
      const loaded: Array<number> = []
      const store = {
        ...stage.store.service,
        load: (id: string, options?: { readonly messages?: number }) =>
          Effect.tap(stage.store.service.load(id, options), (found) =>
            Effect.sync(() =>
              loaded.push(Option.match(found, {
                onNone: () => 0,
                onSome: ({ messages }) => messages.length
              }))
            ))
      }
      const agent = yield* Effect.provide(
        bot,
        [stage.layer, Layer.succeed(SessionStore.SessionStore, store)]
      )
      const cost = { characters: [] as Array<number>, loaded: [] as Array<number>, written: [] as Array<number> }
      for (let turn = 0; turn < 2_000; turn++) {
        const before = { prompts: stage.prompts.length, loads: loaded.length, writes: stage.store.writes.length }
        yield* agent.respond({ sessionId: "s", message: `message ${1_000 + turn} ${"w".repeat(60)}` })
        yield* settled
        cost.characters.push(Math.max(...stage.prompts.slice(before.prompts).map(({ text }) => text.length)))
        cost.loaded.push(Math.max(...loaded.slice(before.loads)))
        cost.written.push(Math.max(...stage.store.writes.slice(before.writes).map((one) => JSON.stringify(one).length)))
      }
      for (const one of Object.values(cost)) {
        const early = Math.max(...one.slice(100, 300))
        const late = Math.max(...one.slice(-200))
        expect(late).toBeLessThanOrEqual(early * 1.02)
      }
      expect(Math.max(...cost.characters)).toBeLessThan(6_000)
      const session = yield* agent.session("s").snapshot
      expect(session.messageCount).toBe(4_000)
      expect(session.summary!.upTo).toBeGreaterThan(3_950)
      expect(session.summary!.text).toHaveLength(800)
    }))
})

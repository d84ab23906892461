/** A conversation of any length with compaction, and the cost of its turns. */
import { Agent, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import * as Brief from "../../src/domain/brief/Brief.js"
import * as Script from "./Script.js"

const kit = Agent.define({ data: Schema.Struct({ mood: Schema.String }) })

/** The sums over some turns. */
export interface Cost {
  /** Characters of the prompts for speaking and understanding. */
  prompt: number
  /** Characters of JSON that the store loaded and committed. */
  loaded: number
  written: number
  summaries: number
}

const sentence = "The guest tells of the walk along the river, of the rain, and of the soup that was not hot enough. "

const settled = Effect.repeatN(Effect.yieldNow(), 40)

export const make = Effect.gen(function*() {
  let cost: Cost = { prompt: 0, loaded: 0, written: 0, summaries: 0 }
  let said = 0
  const model = Script.make((asked) => {
    if (Brief.summarizingOf(asked.prompt) !== undefined) {
      cost.summaries++
      return "It was a walk with rain and soup."
    }
    cost.prompt += Script.chars(asked)
    return asked.json ? { fields: { mood: `mood ${said % 7}` } } : `${sentence}${said}`
  })
  const store = yield* SessionStore.SessionStore
  const counting: SessionStore.Service = {
    ...store,
    load: (id, options) =>
      Effect.tap(
        store.load(id, options),
        (stored) => Effect.sync(() => void (cost.loaded += JSON.stringify(stored).length))
      ),
    commit: (write) => Effect.suspend(() => (cost.written += JSON.stringify(write).length, store.commit(write)))
  }
  const agent = yield* Effect.provide(
    kit.make({
      name: "Diary",
      compaction: { maxTokens: 1_500 },
      flows: [{ title: "Diary", optionalFields: ["mood"], steps: [{ id: "t", prompt: "Talk", until: () => false }] }]
    }),
    [model.layer, Layer.succeed(SessionStore.SessionStore, counting)]
  )
  return {
    /** Runs the given number of turns. */
    turns: (count: number): Effect.Effect<Cost> =>
      Effect.gen(function*() {
        cost = { prompt: 0, loaded: 0, written: 0, summaries: 0 }
        for (let i = 0; i < count; i++) {
          said++
          const message = `${sentence}${String(said).padStart(6, "0")}`
          yield* Effect.orDie(agent.respond({ sessionId: "s", message }))
          // A due summary is made on its own fiber.
          yield* settled
        }
        return cost
      })
  }
})

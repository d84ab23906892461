/** Interrupting a turn at any fiber step leaves nothing running. */
import type { LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Schema } from "effect"
import { comes, interruptedAt } from "../support/InterruptedSteps.js"
import * as ScriptedUnderstanding from "../support/ScriptedUnderstanding.js"
import * as StreamedModel from "../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, day: Schema.String }) })

const lastOf = ({ prompt }: LanguageModel.ProviderOptions): string =>
  JSON.stringify(prompt.content.filter(({ role }) => role === "user").at(-1)?.content)

/** The model answers every message but "Lisbon"; `open` counts its running calls. */
const begin = Effect.fnUntraced(function*(whileBusy: "queue" | "cancel") {
  let open = 0
  const never = Effect.acquireUseRelease(Effect.sync(() => open++), () => Effect.never, () => Effect.sync(() => open--))
  const voice = StreamedModel.make((_, options) => ({ say: lastOf(options).includes("Lisbon") ? [never] : ["Yes."] }))
  const understanding = ScriptedUnderstanding.make(({ message }) =>
    Effect.as(Effect.yieldNow(), message === "Lisbon" ? { fields: { city: "Lisbon" } } : {})
  )
  const agent = yield* kit.make({
    name: "Desk",
    whileBusy,
    speculate: true,
    initialFlow: "Trip",
    flows: [{
      title: "Trip",
      steps: [
        { id: "city", collect: ["city"], prompt: "Ask where" },
        { id: "day", collect: ["day"], prompt: "Ask when" }
      ]
    }]
  }).pipe(Effect.provide([voice.layer, understanding.layer, SessionStore.layerMemory]))
  return { agent, open: () => open }
})

/** Interrupts one turn at each fiber step from `first` to `last`. */
const sweep = Effect.fnUntraced(function*(whileBusy: "queue" | "cancel", first: number, last: number) {
  const { agent, open } = yield* begin(whileBusy)
  let whole = 0
  for (let step = first; step <= last; step++) {
    const sessionId = `s${step}`
    yield* agent.respond({ sessionId, message: "Hello" })
    const { came, ended } = yield* interruptedAt(agent.respond({ sessionId, message: "Lisbon" }), step)
    expect(came).toBe(true)
    if (!ended) continue
    whole++
    if (!(yield* comes(() => open() === 0))) expect.fail(`a model is still asked after step ${step}`)
    const next = yield* Effect.forkDaemon(agent.respond({ sessionId, message: "And now?" }))
    if (!(yield* comes(() => next.unsafePoll() !== null))) expect.fail(`the next message waits after step ${step}`)
  }
  // A few may end first: see `interruptedAt`.
  expect(whole).toBeGreaterThan(last - first - 3)
})

// The ranges are around steps that once left a call running.
describe("a turn whose fiber is interrupted after any of its steps", () => {
  it.effect("leaves no model call running, not even a speculative call", () => sweep("queue", 210, 260), 60_000)

  it.effect(
    "does not make the next message wait with `whileBusy: 'cancel'`",
    () => sweep("cancel", 20, 45)
  )
})

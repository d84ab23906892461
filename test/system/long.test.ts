/** The cost of turns in a long conversation, in counts, not in time. */
import { expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect } from "effect"
import * as LongConversation from "../support/LongConversation.js"

it.live("after 200 turns, a turn loads, writes and sends to the model as much as after 30", () =>
  Effect.gen(function*() {
    const talk = yield* LongConversation.make
    yield* talk.turns(30)
    const early = yield* talk.turns(42)
    yield* talk.turns(120)
    const late = yield* talk.turns(42)
    for (const what of ["prompt", "loaded", "written"] as const) {
      expect([what, late[what] / early[what] < 1.1]).toEqual([what, true])
    }
    // Summaries do not fall on the same turns.
    expect(Math.abs(late.summaries - early.summaries)).toBeLessThanOrEqual(1)
    expect(late.summaries).toBeGreaterThan(0)
  }).pipe(Effect.provide(SessionStore.layerMemory)))

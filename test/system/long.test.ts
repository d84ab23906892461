/** A conversation that does not end: its turns do not grow. Counts, and no times. */
import { expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Effect } from "effect"
import * as Long from "../support/Long.js"

it.live("a turn costs the same after thirty turns and after two hundred", () =>
  Effect.gen(function*() {
    const talk = yield* Long.make
    yield* talk.turns(30)
    const early = yield* talk.turns(42)
    yield* talk.turns(120)
    const late = yield* talk.turns(42)
    for (const what of ["prompt", "loaded", "written"] as const) {
      expect([what, late[what] / early[what] < 1.1]).toEqual([what, true])
    }
    // They do not fall on the same turns.
    expect(Math.abs(late.summaries - early.summaries)).toBeLessThanOrEqual(1)
    expect(late.summaries).toBeGreaterThan(0)
  }).pipe(Effect.provide(SessionStore.layerMemory)))

/** Holds the part of each prompt that a provider's cache need not read again; `npm run bench -- cache` prints it by turn. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as limits from "../setup/limits.js"
import * as SharedPrompt from "../support/SharedPrompt.js"

const turns = 200
const of = (purpose: SharedPrompt.Share["purpose"], shares: ReadonlyArray<SharedPrompt.Share>) =>
  shares.filter((one) => one.purpose === purpose)

describe("the beginning of a prompt, over 200 turns", () => {
  it.effect(
    "is that of the turn before in four fifths of a long talk, whose window moves in blocks",
    () =>
      Effect.gen(function*() {
        const speaking = of("speak", (yield* SharedPrompt.measure("talk", turns)).shares)
        expect(speaking).toHaveLength(turns - 1)
        expect(SharedPrompt.percent(speaking)).toBeGreaterThanOrEqual(85)
        // Half of the 40 messages leave at once: every tenth turn begins anew.
        expect(speaking.filter(({ shared }) => shared < 0.5).length).toBe(18)
      }),
    limits.long
  )

  it.effect("stays with a summary, of which there are no more than beginnings", () =>
    Effect.gen(function*() {
      const { shares, summaries } = yield* SharedPrompt.measure("summary", turns)
      const speaking = of("speak", shares)
      expect(SharedPrompt.percent(speaking)).toBeGreaterThanOrEqual(84)
      expect(summaries).toBe(13)
      expect(speaking.filter(({ shared }) => shared < 0.7).length).toBeLessThanOrEqual(summaries)
    }), limits.long)

  it.effect(
    "stays when flows begin and end: only tools, which templates put first, read everything again",
    () =>
      Effect.gen(function*() {
        const { shares } = yield* SharedPrompt.measure("flows", turns)
        const understanding = of("understand", shares)
        expect(SharedPrompt.percent(understanding)).toBeGreaterThanOrEqual(80)
        for (const { shared, turn } of understanding) expect(shared, `turn ${turn}`).toBeGreaterThan(0.6)
        const speaking = of("speak", shares)
        expect(SharedPrompt.percent(speaking)).toBeGreaterThanOrEqual(65)
        expect(SharedPrompt.percent(speaking.filter(({ shared }) => shared > 0.01))).toBeGreaterThanOrEqual(80)
      }),
    limits.long
  )

  it.effect("stays in four fifths also with tools, where they are offered throughout", () =>
    Effect.gen(function*() {
      const speaking = of("speak", (yield* SharedPrompt.measure("tools", turns)).shares)
      expect(SharedPrompt.percent(speaking)).toBeGreaterThanOrEqual(80)
      for (const { shared, turn } of speaking) expect(shared, `turn ${turn}`).toBeGreaterThan(0.3)
    }), limits.long)
})

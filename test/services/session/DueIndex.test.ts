import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as DueIndex from "../../../src/services/session/DueIndex.js"

const instant = (n: number) => `2026-01-01T00:00:${String(n).padStart(2, "0")}.000Z`
const moment = fc.option(fc.integer({ min: 0, max: 20 }).map(instant), { nil: undefined })
const moves = fc.array(fc.tuple(fc.constantFrom("a", "b", "B", "é", "a b", "c"), moment))

describe("the index of due sessions", () => {
  it("returns the same due sessions in the same order as a search of all sessions, after any changes", () => {
    fc.assert(
      fc.property(moves, fc.integer({ min: 0, max: 21 }), fc.nat(8), (moves, now, limit) => {
        const [index, all] = [DueIndex.make(), new Map<string, string>()]
        for (const [id, to] of moves) {
          index.set(id, to)
          if (to === undefined) all.delete(id)
          else all.set(id, to)
        }
        const before = instant(now)
        const due = Array.from(all, ([sessionId, wakeAt]) => ({ sessionId, wakeAt }))
          .filter(({ wakeAt }) => wakeAt <= before)
          .sort((a, b) => a.wakeAt < b.wakeAt || (a.wakeAt === b.wakeAt && a.sessionId < b.sessionId) ? -1 : 1)
        expect(index.until(before, limit)).toEqual(due.slice(0, limit))
        expect(index.until(before, Infinity)).toEqual(due)
      })
    )
  })
})

import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as RewoundRange from "../../../../src/domain/session/rewind/RewoundRange.js"

/** Stores messages, or rewinds the session to one of its commits. */
type Act = { readonly messages: number } | { readonly back: number }

const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ messages: fc.nat({ max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ back: fc.nat() }) }
)

/** The session, with its readable messages and commits as plain lists. */
const play = (acts: ReadonlyArray<Act>) => {
  let session: { messageCount: number; version: number; hidden?: ReadonlyArray<RewoundRange.Hidden> } = {
    messageCount: 0,
    version: 0
  }
  let readable: ReadonlyArray<number> = []
  let moments = [{ messageCount: 0, version: 0, readable }]
  for (const one of acts) {
    if ("messages" in one) {
      const added = Array.from({ length: one.messages }, (_, i) => session.messageCount + i + 1)
      readable = [...readable, ...added]
      session = { ...session, messageCount: session.messageCount + one.messages, version: session.version + 1 }
    } else {
      const at = one.back % moments.length
      const to = moments[at]!
      moments = moments.slice(0, at + 1)
      readable = to.readable
      session = { ...session, hidden: RewoundRange.from(session, to), version: session.version + 1 }
    }
    moments = [...moments, { messageCount: session.messageCount, version: session.version, readable }]
  }
  return { session, readable, versions: moments.map(({ version }) => version) }
}

describe("RewoundRange (the messages and commits that a rewind hides)", () => {
  it.prop("returns for every message and every commit whether it was rewound", [fc.array(act)], ([acts]) => {
    const { readable, session, versions } = play(acts)
    for (let seq = 1; seq <= session.messageCount; seq++) {
      expect(RewoundRange.isHidden(session, seq)).toBe(!readable.includes(seq))
    }
    for (let version = 1; version <= session.version; version++) {
      expect(RewoundRange.isTakenBack(session, version)).toBe(!versions.includes(version))
    }
  })

  it.prop("counts the remaining messages correctly from both ends", [fc.array(act)], ([acts]) => {
    const { readable, session } = play(acts)
    for (let seq = 0; seq <= session.messageCount; seq++) {
      expect(RewoundRange.countAfter(session, seq)).toBe(readable.filter((one) => one > seq).length)
      expect(RewoundRange.below(session, seq + 1)).toBe(readable.findLast((one) => one <= seq) ?? 0)
    }
    for (let count = 0; count <= readable.length; count++) {
      const before = readable.slice(0, readable.length - count)
      expect(RewoundRange.lastBefore(session, count)).toBe(before.at(-1) ?? 0)
    }
  })
})

/** The stored ids of sessions, derived from the user and the user's name for the session. */
import { expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { perUser, sessionIdOf } from "../../../../src/layers/server/sessions/SessionIds.js"

const name = fc.oneof(
  fc.string({ minLength: 1, maxLength: 200, unit: "binary" }),
  fc.string({ minLength: 1, maxLength: 3, unit: fc.constantFrom("~", "a", "0") }),
  fc.tuple(fc.constantFrom("ann", "bob"), fc.constantFrom("a", "~", "x".repeat(190))).map(([user, of]) =>
    sessionIdOf(user, of)
  ),
  fc.constantFrom("x".repeat(165), "x".repeat(166), "x".repeat(167), "x".repeat(200), "\ud800", "\udfff", "\ufffd")
).filter((one) => one.length <= 200)
const user = fc.oneof(fc.constantFrom("ann", "bob", "~", "an", "n"), fc.string({ minLength: 1, maxLength: 200 }))

it("stored session ids are unique per user and name, differ from the name, and fit the store's limit", () => {
  fc.assert(
    fc.property(user, name, user, name, (userA, nameA, userB, nameB) => {
      const [a, b] = [sessionIdOf(userA, nameA), sessionIdOf(userB, nameB)]
      expect(a === b).toBe(userA === userB && nameA === nameB)
      for (const [id, name] of [[a, nameA], [b, nameB]] as const) {
        expect(id.length).toBeLessThanOrEqual(200)
        expect(id).not.toBe(name)
      }
      if (userA !== userB) expect(perUser.nameOf(userB, a)).toBe(a)
      const known = perUser.nameOf(userA, a)
      expect([nameA, a]).toContain(known)
    }),
    { numRuns: 300 }
  )
})

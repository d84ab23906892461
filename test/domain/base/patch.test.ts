import { assert, it } from "@effect/vitest"
import { patch } from "../../../src/domain/base/patch.js"

it("a changed copy has what a literal would have, in its order, and leaves the object as it was", () => {
  const before: { readonly a: number; readonly b: number } = Object.freeze({ a: 1, b: 2 })
  const copy = patch(before, { b: 3, c: undefined, d: 4 })
  assert.deepStrictEqual(copy, { ...before, b: 3, c: undefined, d: 4 })
  assert.deepStrictEqual(Object.keys(copy), ["a", "b", "c", "d"])
  assert.deepStrictEqual(before, { a: 1, b: 2 })
})

it("a changed copy takes no prototype from a key of its name", () => {
  const hostile = JSON.parse("{\"__proto__\": {\"admin\": true}}") as object
  assert.isFalse("admin" in patch(hostile, {}))
  assert.isFalse("admin" in patch({}, hostile))
})

import { assert, it } from "@effect/vitest"
import { patch } from "../../../src/domain/base/patch.js"

it("a patched copy equals an object spread, in key order, and does not change the original", () => {
  const before: { readonly a: number; readonly b: number } = Object.freeze({ a: 1, b: 2 })
  const copy = patch(before, { b: 3, c: undefined, d: 4 })
  assert.deepStrictEqual(copy, { ...before, b: 3, c: undefined, d: 4 })
  assert.deepStrictEqual(Object.keys(copy), ["a", "b", "c", "d"])
  assert.deepStrictEqual(before, { a: 1, b: 2 })
})

it("a patched copy takes no prototype from a __proto__ key", () => {
  const hostile = JSON.parse("{\"__proto__\": {\"admin\": true}}") as object
  assert.isFalse("admin" in patch(hostile, {}))
  assert.isFalse("admin" in patch({}, hostile))
})

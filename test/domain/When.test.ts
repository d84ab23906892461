/** Conditions in words. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as When from "../../src/domain/When.js"

describe("a condition", () => {
  it("wants any of its entries, and none of those that begin with !", () => {
    expect(When.parse(["is angry", "! jokes", "swears", "!sings"])).toEqual({
      any: ["is angry", "swears"],
      none: ["jokes", "sings"]
    })
    expect(When.parse("is angry")).toEqual({ any: ["is angry"], none: [] })
  })

  it("asks nothing without entries, or with none that says anything", () => {
    for (const entries of [undefined, [], "!", ["! ", ""]]) expect(When.isEmpty(When.parse(entries))).toBe(true)
    expect(When.isEmpty(When.parse("!jokes"))).toBe(false)
  })

  it.prop("is read back as it was written", [fc.array(fc.string())], ([entries]) => {
    const when = When.parse(entries)
    expect(When.parse(When.render(when))).toEqual(when)
  })
})

/** Conditions in words. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as When from "../../../src/domain/definition/When.js"

describe("a condition", () => {
  it("wants any of its entries, and none of those that begin with !", () => {
    expect(When.parse(["is angry", "! jokes", "swears", "!sings"])).toEqual({
      any: ["is angry", "swears"],
      all: [],
      none: ["jokes", "sings"]
    })
    expect(When.parse("is angry")).toEqual({ any: ["is angry"], all: [], none: [] })
  })

  it("wants all of what is written as all, with the code apart", () => {
    const isPaid = () => true
    expect(When.read({ all: ["has a receipt", isPaid, "wants a refund", "! is angry"] })).toEqual({
      words: ["&has a receipt", "&wants a refund", "!is angry"],
      code: [isPaid]
    })
    expect(When.parse(["&has a receipt", "&wants a refund"])).toEqual({
      any: [],
      all: ["has a receipt", "wants a refund"],
      none: []
    })
    expect(When.read({ all: ["wants a refund", isPaid] }).words).toEqual(["wants a refund"])
    expect(When.read(["wants a refund", "!is angry"])).toEqual({ words: ["wants a refund", "!is angry"], code: [] })
    expect(When.read(undefined)).toEqual({ words: [], code: [] })
  })

  it("is told as people would say it", () => {
    expect(When.told(["a", "b", "&c", "&d", "!e"])).toEqual(["a", "b", "c and d", "!e"])
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

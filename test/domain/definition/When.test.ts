/** Conditions in words. */
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as When from "../../../src/domain/definition/When.js"

describe("a `when` condition", () => {
  it("holds if any of its entries holds, unless an entry that begins with ! holds", () => {
    expect(When.parse(["is angry", "! jokes", "swears", "!sings"])).toEqual({
      any: ["is angry", "swears"],
      all: [],
      none: ["jokes", "sings"]
    })
    expect(When.parse("is angry")).toEqual({ any: ["is angry"], all: [], none: [] })
  })

  it("requires every entry of `all` to hold, and is split into text conditions and functions", () => {
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

  it("is rendered as readable text, with \" and \" between the entries of `all`", () => {
    expect(When.told(["a", "b", "&c", "&d", "!e"])).toEqual(["a", "b", "c and d", "!e"])
  })

  it("is empty if it has no entries or only blank ones", () => {
    for (const entries of [undefined, [], "!", ["! ", ""]]) {
      expect(When.parse(entries)).toEqual({ all: [], any: [], none: [] })
    }
    expect(When.parse("!jokes").none).toEqual(["jokes"])
  })

  it.prop("equals the condition parsed from its rendered form", [fc.array(fc.string())], ([entries]) => {
    const when = When.parse(entries)
    expect(When.parse(When.render(when))).toEqual(when)
  })
})

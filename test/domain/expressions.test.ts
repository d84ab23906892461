/**
 * The regular expressions of `src` are found. That none of them takes more than linear time is a test of the system, which
 * measures each and proves it: `test/system/expressions.test.ts`.
 */
import { describe, expect, it } from "vitest"
import { expressions, literalsOf, superlinear } from "../support/Expressions.js"

describe("regular expressions", () => {
  const found = expressions()

  it("are found by their syntax, whatever is around them", () => {
    expect(found.length).toBeGreaterThan(100)
    const text = "const a = /[/]x/giu\n// no /literal/\nconst b = \"/text/\"\nf(/y+/)"
    expect(literalsOf("x.ts", text)).toStrictEqual([
      { file: "x.ts", line: 1, source: "[/]x", flags: "giu" },
      { file: "x.ts", line: 4, source: "y+", flags: "" }
    ])
  })

  it("that are listed as not linear are still there", () => {
    const sources = new Set(found.map(({ source }) => source))
    expect(Array.from(superlinear).filter((source) => !sources.has(source))).toStrictEqual([])
  })
})

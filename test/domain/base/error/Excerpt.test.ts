import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import * as Excerpt from "../../../../src/domain/base/error/Excerpt.js"
import * as Fields from "../../../../src/domain/fields/Fields.js"
import { hostile, hostileText } from "../../../support/Hostile.js"

describe("the excerpt of a value", () => {
  it("shows a short value whole, and marks truncation", () => {
    expect(["Lisbon", 5, null, undefined, { city: "Rome" }].map((u) => Excerpt.of(u))).toStrictEqual(
      ["\"Lisbon\"", "5", "null", "undefined", "{\"city\":\"Rome\"}"]
    )
    expect(Excerpt.of("x".repeat(1_200))).toBe(`"${"x".repeat(80)}"… [80 of 1200 characters]`)
    expect(Excerpt.of(["x".repeat(1_200)])).toBe(`["${"x".repeat(78)}… [the first 80 characters]`)
    expect(Excerpt.of(new Date(0))).toBe("an object")
  })

  it("shows only type and size when values must not be shown", () => {
    expect(["secret", 5, null, [1, 2], { a: 1 }, true].map((u) => Excerpt.of(u, { show: false }))).toStrictEqual(
      ["a string of 6 characters", "a number", "null", "a list of 2", "an object", "a boolean"]
    )
  })

  it.prop("is short for any value", [hostile], ([u]) => {
    // A control character takes six characters to write.
    expect(Excerpt.of(u).length).toBeLessThan(6 * Excerpt.maxLength + 50)
    expect(Excerpt.of(u, { show: false }).length).toBeLessThan(50)
  })

  it.prop("`start`, the truncated beginning of a text, never ends within a surrogate pair", [
    hostileText,
    fc.integer({ min: 1, max: 100 })
  ], ([text, max]) => {
    const start = Excerpt.start(text, max)
    expect(text.startsWith(start)).toBe(true)
    expect(start.length).toBeLessThanOrEqual(max)
    // Well-formed text round-trips through UTF-8.
    const survives = (u: string) => Buffer.from(u, "utf8").toString("utf8") === u
    if (survives(text)) expect(survives(start)).toBe(true)
  })
})

describe("the error message of an invalid field", () => {
  const fields = (show: boolean) =>
    Fields.fromStruct(
      // The struct's type is more specific than the parameter's.
      Schema.Struct({
        city: Schema.String,
        pet: Schema.Literal("cat", "dog"),
        tags: Schema.Array(Schema.Int)
      }) as never,
      { excerpts: { show }, size: 20_000 }
    )
  const told = (name: string, value: unknown, show = true) => {
    const complaint = fields(show).get(name)?.decode(value)
    return complaint?._tag === "Left" ? complaint.left : undefined
  }

  it("shows an excerpt of the value, or its type", () => {
    expect(told("city", 5)).toBe("Expected string, actual 5")
    expect(told("city", 5, false)).toBe("Expected string, actual a number")
    expect(told("city", ["hunter2"], false)).not.toContain("hunter2")
    expect(told("city", ["x".repeat(5_000)])).toContain("… [80 of 5004 characters]")
  })

  it("names the maximum length that a value exceeds", () => {
    expect(told("city", "x".repeat(20_000))).toBe("has more than 20000 characters")
    expect(told("city", "x".repeat(19_998))).toBeUndefined()
  })

  it("lists the first ten of many issues", () => {
    expect(told("tags", Array.from({ length: 500 }, () => "x"))?.length).toBeLessThan(500)
  })

  it.prop("is short, and computed without a defect, for any value", [hostile], ([value]) => {
    for (const name of ["city", "pet", "tags"]) {
      expect((told(name, value) ?? "").length).toBeLessThan(6_000)
      expect(told(name, value, false)?.length ?? 0).toBeLessThan(6_000)
    }
  })
})

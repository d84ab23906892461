/** The description of a Schema in words. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as InWords from "../../../../src/domain/fields/schema/InWords.js"

const words: ReadonlyArray<readonly [schema: Schema.Schema.All, words: string]> = [
  [Schema.String, "text"],
  [Schema.Boolean, "true or false"],
  [Schema.Int.pipe(Schema.between(1, 8)), "whole number, 1 to 8"],
  [Schema.Number.pipe(Schema.greaterThan(0)), "number, more than 0"],
  [Schema.Number.pipe(Schema.multipleOf(5)), "number, a multiple of 5"],
  [Schema.Literal("single", "double"), "one of \"single\", \"double\""],
  [Schema.Enums({ A: "a", B: "b" }), "one of \"a\", \"b\""],
  [Schema.Union(Schema.Literal("x"), Schema.Int), "\"x\", or whole number"],
  [Schema.String.pipe(Schema.pattern(/^\d{4}$/)), "text, of the form ^\\d{4}$"],
  [Schema.String.pipe(Schema.minLength(2), Schema.maxLength(3)), "text, 2 to 3 characters"],
  [Schema.NonEmptyTrimmedString, "text, at least 1 characters"],
  [Schema.String.annotations({ examples: ["AB-12"] }), "text, for example \"AB-12\""],
  [Schema.Date, "date, written as 2027-03-15, or with a time and its offset as 2027-03-15T14:30:00+02:00"],
  [
    Schema.Date.annotations({ description: "the day" }),
    "date, written as 2027-03-15, or with a time and its offset as 2027-03-15T14:30:00+02:00"
  ],
  [Schema.DateTimeUtc, "date with time and offset, written as 2027-03-15T14:30:00+02:00"],
  [Schema.Array(Schema.String).pipe(Schema.minItems(1), Schema.maxItems(3)), "list, each item: text, 1 to 3 items"],
  [
    Schema.Struct({
      zip: Schema.String.pipe(Schema.pattern(/^\d{4}$/)).annotations({ description: "the zip code" }),
      floor: Schema.optional(Schema.Int)
    }),
    "object with zip: the zip code, text, of the form ^\\d{4}$; floor (may be left out): whole number"
  ],
  [Schema.NullOr(Schema.String), "text, or null"],
  [Schema.Int.pipe(Schema.filter((n) => n % 2 === 0, { description: "an even one" })), "whole number, an even one"],
  [Schema.DateFromSelf, "any JSON value"]
]

describe("a Schema described in words", () => {
  for (const [schema, expected] of words) {
    it(expected, () => expect(InWords.of(schema)).toBe(expected))
  }

  it("begins with the author's description; Schema's default description is dropped", () => {
    expect(InWords.described("how many stay", Schema.Int.pipe(Schema.between(1, 8)))).toBe(
      "how many stay; whole number, 1 to 8"
    )
    expect(InWords.described("a number of guests", Schema.Int)).toBe("a number of guests; whole number")
    expect(InWords.described("a number between 1 and 8", Schema.Int.pipe(Schema.between(1, 8)))).toBe(
      "whole number, 1 to 8"
    )
  })
})

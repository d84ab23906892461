import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import * as Arguments from "../../../src/domain/definition/Arguments.js"

const schema = Schema.Struct({
  n: Schema.optional(Schema.Int),
  yes: Schema.optional(Schema.NullOr(Schema.Boolean)),
  text: Schema.optional(Schema.String),
  either: Schema.optional(Schema.Union(Schema.Number, Schema.String)),
  list: Schema.optional(Schema.Array(Schema.Number)),
  inner: Schema.optional(Schema.Struct({ n: Schema.Number })),
  when: Schema.optional(Schema.Date),
  amount: Schema.optional(Schema.NumberFromString)
})

const read = (params: unknown) =>
  Effect.runSync(Effect.either(Arguments.decode(schema as unknown as Schema.Schema<unknown, unknown>)(params)))
const meant = (params: unknown) => Either.getOrThrow(read(params)).params

describe("arguments", () => {
  it("that the Schema takes stay as they are, also where a text looks like a number", () => {
    for (const given of [{ n: 1 }, { text: "1" }, { either: "1" }, { amount: "1" }, {}]) {
      expect(meant(given)).toEqual(given)
    }
  })

  it("are read where only one reading is possible", () => {
    expect(meant({ n: "1" })).toEqual({ n: 1 })
    expect(meant({ n: "-12" })).toEqual({ n: -12 })
    expect(meant({ yes: "true", n: "2" })).toEqual({ yes: true, n: 2 })
    expect(meant({ list: ["1", 2, "3.5"] })).toEqual({ list: [1, 2, 3.5] })
    expect(meant({ inner: { n: "7" } })).toEqual({ inner: { n: 7 } })
    expect(meant({ inner: "{\"n\":\"7\"}", list: "[1,\"2\"]" })).toEqual({ inner: { n: 7 }, list: [1, 2] })
    expect(meant("{\"n\":\"1\",\"text\":\"1\"}")).toEqual({ n: 1, text: "1" })
  })

  it("are refused otherwise, as they were given", () => {
    const given = [
      { n: "one" },
      { n: "1.5" },
      { n: "0x10" },
      { n: "" },
      { n: " 1" },
      { yes: "yes" },
      { text: 1 },
      "1",
      "{",
      [1]
    ]
    for (const params of given) expect(Either.isLeft(read(params))).toBe(true)
    expect(String(Either.getLeft(read({ n: "one" })))).toContain("one")
  })
})

import * as Tool from "@effect/ai/Tool"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { withoutNulls } from "../../../../src/domain/fields/schema/Absent.js"
import * as Arguments from "../../../../src/domain/fields/schema/Arguments.js"

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

const reading = (given: Schema.Schema.Any, params: unknown) =>
  Effect.runSync(
    Effect.either(
      Arguments.decode(given as Schema.Schema<unknown, unknown>, Tool.getJsonSchemaFromSchemaAst(given.ast))(
        params,
        "UTC"
      )
    )
  )
const read = (params: unknown) => reading(schema, params)
const meant = (params: unknown) => Either.getOrThrow(read(params)).params

describe("the arguments of a tool call", () => {
  it("stay unchanged if the Schema accepts them, even text that looks like a number", () => {
    for (const given of [{ n: 1 }, { text: "1" }, { either: "1" }, { amount: "1" }, {}]) {
      expect(meant(given)).toEqual(given)
    }
  })

  it("are converted where only one conversion is possible", () => {
    expect(meant({ n: "1" })).toEqual({ n: 1 })
    expect(meant({ n: "-12" })).toEqual({ n: -12 })
    expect(meant({ yes: "true", n: "2" })).toEqual({ yes: true, n: 2 })
    expect(meant({ list: ["1", 2, "3.5"] })).toEqual({ list: [1, 2, 3.5] })
    expect(meant({ inner: { n: "7" } })).toEqual({ inner: { n: 7 } })
    expect(meant({ inner: "{\"n\":\"7\"}", list: "[1,\"2\"]" })).toEqual({ inner: { n: 7 }, list: [1, 2] })
    expect(meant("{\"n\":\"1\",\"text\":\"1\"}")).toEqual({ n: 1, text: "1" })
  })

  it("are dropped if they are null and optional, unless null is a valid value", () => {
    expect(meant({ n: null, text: "a" })).toEqual({ text: "a" })
    expect(meant({ yes: null, n: null })).toEqual({ yes: null })
    expect(meant({ either: null, list: null, inner: null, when: null, amount: null })).toEqual({})
    expect(meant({ inner: "{\"n\":\"7\"}", text: null })).toEqual({ inner: { n: 7 } })
    expect(Either.isLeft(read({ inner: { n: null } }))).toBe(true)
  })

  it("are dropped if they are null inside lists, unions and recursive Schemas", () => {
    interface Tree {
      readonly name: string
      readonly note?: string | undefined
      readonly children: ReadonlyArray<Tree>
    }
    const Tree: Schema.Schema<Tree> = Schema.Struct({
      name: Schema.String,
      note: Schema.optional(Schema.String),
      children: Schema.Array(Schema.suspend((): Schema.Schema<Tree> => Tree))
    }).annotations({ identifier: "Tree" })
    const deep = Schema.Struct({
      tree: Schema.optional(Tree),
      pay: Schema.Union(
        Schema.Struct({ by: Schema.Literal("card"), last: Schema.optional(Schema.String) }),
        Schema.Struct({ by: Schema.Literal("cash"), change: Schema.optional(Schema.Number) })
      )
    })
    const leaf = { name: "b", note: null, children: [] }
    const given = { tree: { name: "a", note: null, children: [leaf] }, pay: { by: "cash", change: null } }
    expect(Either.getOrThrow(reading(deep, given)).params).toEqual({
      tree: { name: "a", children: [{ name: "b", children: [] }] },
      pay: { by: "cash" }
    })
  })

  it("are dropped if they are null and the tool has only a JSON schema", () => {
    const properties = { q: { type: "string" }, page: { type: "integer" }, tag: { type: ["string", "null"] } }
    const jsonSchema = { type: "object", properties, required: ["q"] }
    const isOne = (u: unknown): u is object => !JSON.stringify(u).includes("\"page\":null")
    const told = Schema.declare(isOne, { jsonSchema })
    expect(Either.getOrThrow(reading(told, { q: "a", page: null, tag: null })).params).toEqual({ q: "a", tag: null })
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)
    expect(withoutNulls(jsonSchema, { q: deep })).toEqual({ q: deep })
  })

  it("are refused if no conversion is possible; the error quotes the given value", () => {
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

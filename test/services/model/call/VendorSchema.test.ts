import { Tool } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { toolSchema, vendorSchema } from "../../../../src/services/model/call/VendorSchema.js"

const of = (schema: Schema.Schema.Any) => vendorSchema(Tool.getJsonSchemaFromSchemaAst(schema.ast))
const property = (schema: Schema.Schema.Any) => {
  const { properties } = of(Schema.Struct({ a: schema as Schema.Schema<unknown> })) as {
    readonly properties: Record<string, object>
  }
  return properties.a
}

describe("VendorSchema (the JSON schema sent to a provider)", () => {
  it("describes a tool without parameters as an empty object", () => {
    const none = { type: "object", properties: {}, additionalProperties: false }
    expect(toolSchema(Tool.getJsonSchemaFromSchemaAst(Schema.Struct({}).ast))).toEqual(none)
    expect(toolSchema({})).toEqual(none)
    expect(toolSchema({ type: "object" })).toEqual({ type: "object", properties: {} })
  })

  it("writes tuples as JSON schema 2020-12 does, and gives every array an `items` schema", () => {
    const string = { type: "string" }
    const number = { type: "number" }
    expect(property(Schema.Tuple(Schema.String, Schema.Number))).toEqual({
      type: "array",
      minItems: 2,
      maxItems: 2,
      prefixItems: [string, number],
      items: { anyOf: [string, number] }
    })
    expect(property(Schema.Tuple(Schema.String, Schema.optionalElement(Schema.Number)))).toMatchObject({
      minItems: 1,
      maxItems: 2
    })
    expect(property(Schema.Tuple([Schema.String], Schema.Number))).toEqual({
      type: "array",
      minItems: 1,
      prefixItems: [string],
      items: number
    })
    expect(property(Schema.Tuple())).toEqual({ type: "array", maxItems: 0, items: {} })
    expect(property(Schema.Array(Schema.Tuple(Schema.String)))).toMatchObject({
      items: { prefixItems: [string], items: string }
    })
  })

  it("contains records, integers and bounds unchanged", () => {
    expect(property(Schema.Record({ key: Schema.String, value: Schema.Int }))).toMatchObject({
      type: "object",
      additionalProperties: { type: "integer" }
    })
    expect(property(Schema.Int.pipe(Schema.between(1, 10)))).toMatchObject({ type: "integer", minimum: 1, maximum: 10 })
  })

  it("does not mistake a property name or an enum value for a keyword", () => {
    const tricky = {
      type: "object",
      properties: {
        items: { type: "array", items: [{ type: "string" }] },
        type: { enum: [{ $id: "/schemas/object" }] },
        $id: { $id: "/schemas/unknown", title: "unknown" }
      }
    }
    expect(vendorSchema(tricky)).toEqual({
      type: "object",
      properties: {
        items: { type: "array", prefixItems: [{ type: "string" }], items: { type: "string" }, maxItems: 1 },
        type: { enum: [{ $id: "/schemas/object" }] },
        $id: { title: "unknown" }
      }
    })
  })

  it("is computed once per schema", () => {
    const schema = { type: "object", properties: {} }
    expect(vendorSchema(schema)).toBe(vendorSchema(schema))
    expect(toolSchema(schema)).toBe(toolSchema(schema))
    expect(toolSchema(toolSchema(schema))).toBe(toolSchema(schema))
  })

  it("writes patterns with classes in brackets and anchors, as servers that make a grammar of them need", () => {
    const patterns: ReadonlyArray<readonly [RegExp, string]> = [
      [/^\d{4}-\d{2}-\d{2}$/, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"],
      [/^[\d.]+$/, "^[0-9.]+$"],
      [/^\w+@\w+\.\w{2,}$/, "^[A-Za-z0-9_]+@[A-Za-z0-9_]+\\.[A-Za-z0-9_]{2,}$"],
      [/^\S+$/, "^[^ \\t\\n\\r]+$"],
      [/^[^\s@]+$/, "^[^ \\t\\n\\r@]+$"],
      [/^\\d$/, "^\\\\d$"],
      [/AB\d/, "^.*AB[0-9].*$"],
      [/^AB/, "^AB.*$"],
      [/\$$/, "^.*\\$$"],
      [/cost\$/, "^.*cost\\$.*$"],
      [/^a$|^b|c/, "^(a|b.*|.*c.*)$"],
      [/^(a|b)$/, "^(a|b)$"],
      [/^[|]$/, "^[|]$"],
      [/^[\s\S]*$/, "^[\\s\\S]*$"]
    ]
    for (const [pattern, expected] of patterns) {
      const { pattern: sent } = vendorSchema({ type: "string", pattern: pattern.source }) as {
        readonly pattern: string
      }
      expect(sent).toBe(expected)
      for (const text of ["2026-01-31", "1.5", "a@b.de", "AB7", "xAB7y", "\\d", "a", "b", "cost$", "|", "x y", "c"]) {
        expect(new RegExp(sent).test(text), `${sent} on ${text}`).toBe(pattern.test(text))
      }
    }
    expect(vendorSchema({ type: "string", pattern: "^\\d{4}-\\d{2}-\\d{2}$" })).toMatchObject({ format: "date" })
    expect(property(Schema.String.pipe(Schema.pattern(/\d/)))).toMatchObject({ pattern: "^.*[0-9].*$" })
    expect(vendorSchema({ type: "object", properties: { pattern: { type: "string" } } })).toMatchObject({
      properties: { pattern: { type: "string" } }
    })
  })
})

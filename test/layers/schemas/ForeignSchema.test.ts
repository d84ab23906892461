/** Untrusted schemas: which values they accept, and that none of them blocks the process. */
import { describe, expect, it } from "@effect/vitest"
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv"
import { Either, FastCheck } from "effect"
import * as ForeignPattern from "../../../src/layers/schemas/ForeignPattern.js"
import * as ForeignSchema from "../../../src/layers/schemas/ForeignSchema.js"

const checkOf = (schema: unknown) => Either.getOrThrowWith(ForeignSchema.make(schema), (why) => new Error(why))
const faultOf = (schema: unknown) => Either.getOrThrow(Either.flip(ForeignSchema.make(schema)))

describe("a regular expression in an untrusted JSON Schema", () => {
  it.each<readonly [string, string, boolean]>([
    ["^(a+)+$", "a".repeat(50_000) + "!", false],
    ["^(a|aa)+$", "a".repeat(50_000) + "!", false],
    ["(x+x+)+y", "x".repeat(50_000), false],
    ["^a$", "a\n", false],
    ["^\\d{4}-\\d{2}$", "2027-03", true],
    ["^.$", "😀", true],
    ["\\p{Lu}\\/", "É/", true],
    ["\\u0041[\\w-]", "A-", true],
    ["(?<year>\\d+)", "in 2027", true]
  ])("%s runs in linear time", (pattern, text, found) => {
    expect(ForeignPattern.make(pattern)?.test(text)).toBe(found)
  })

  it.each([
    ["a lookahead", "^(?=a)b"],
    ["a lookbehind", "(?<=a)b"],
    ["a back reference", "(a)\\1"],
    ["a named back reference", "(?<n>a)\\k<n>"],
    ["no pattern", "("],
    ["syntax of another language", "\\Aa\\z"],
    ["too many characters", "a".repeat(2001)],
    ["too many instructions", "((a{30}){30}b){5}(x|y){900}"]
  ])("is refused: %s", (_, pattern) => {
    expect(ForeignPattern.make(pattern)).toBeUndefined()
  })
})

/** Each definition offers the next one twice, so that a value that fits none is tried 2^n times. */
const chain = (n: number) => ({
  $ref: "#/$defs/n0",
  $defs: Object.fromEntries(Array.from({ length: n + 1 }, (_, i) => [
    `n${i}`,
    i === n ? { type: "string" } : { anyOf: [{ $ref: `#/$defs/n${i + 1}` }, { $ref: `#/$defs/n${i + 1}` }] }
  ]))
})
const many = (n: number, of: (i: number) => unknown) => Array.from({ length: n }, (_, i) => of(i))

describe("the check of a value against an untrusted JSON Schema", () => {
  it.each<readonly [string, unknown, unknown]>([
    ["a chain of choices", chain(30), 1],
    ["a reference to itself", { $ref: "#" }, 1],
    ["a reference around a choice", { anyOf: [{ $ref: "#" }, { $ref: "#" }] }, 1],
    ["many choices for many items", { items: { anyOf: many(2000, (i) => ({ const: i })) } }, many(20_000, () => -1)],
    ["many names for many items", { items: { required: many(5000, (i) => `k${i}`) } }, many(20_000, () => ({}))],
    ["a long list of values", { items: { enum: many(9000, (i) => i) } }, many(20_000, () => -1)],
    ["a large pattern for a long text", { pattern: `${"(x|y)".repeat(300)}$` }, "xy".repeat(30_000)],
    ["many patterns", { allOf: many(900, (i) => ({ pattern: `\\p{L}|${i}` })) }, "x"],
    ["large values in many choices", { anyOf: many(2000, (i) => ({ enum: [i] })) }, many(10_000, (i) => `text ${i}`)]
  ])("stops after a limited number of steps: %s", (_, schema, value) => {
    expect(checkOf(schema)(value)).toContain("too many steps")
  })

  it("has the full step budget again for each checked value", () => {
    const check = checkOf({ items: { anyOf: [{ type: "string" }, { type: "number" }, { pattern: "^(a+)+$" }] } })
    const values = many(10_000, (i) => i)
    expect(many(5, () => check(values))).toEqual(many(5, () => undefined))
  })

  it("reports the path of each mismatch and its reason", () => {
    const check = checkOf({
      type: "object",
      properties: {
        code: { type: "string", pattern: "^(a+)+$" },
        list: { type: "array", items: { enum: ["a", { b: [1], c: 2 }] } },
        day: { type: "string", format: "date" }
      },
      required: ["code"],
      additionalProperties: false
    })
    expect(check({ code: "a".repeat(28) })).toBeUndefined()
    expect(check({ code: "aa", list: ["a", { c: 2, b: [1] }], day: "2028-02-29" })).toBeUndefined()
    expect(check({ code: `${"a".repeat(28)}!`, list: [1] })).toBe(
      "value.code must match ^(a+)+$; value.list[0] must be one of [\"a\",{\"b\":[1],\"c\":2}]"
    )
    expect(check({ more: 1 })).toBe("value must have \"code\"; value.more is not allowed")
    expect(check({ code: "a", day: "2027-02-29" })).toBe("value.day must be a date")
    expect(check({ code: "x".repeat(5), [`${"y".repeat(5000)}`]: 1 })!.length).toBeLessThan(500)
  })

  it("treats `__proto__` and `constructor` like other fields", () => {
    const check = checkOf(JSON.parse(`{"properties":{"__proto__":{"type":"string"}},"required":["constructor"]}`))
    expect(check({})).toBe("value must have \"constructor\"")
    expect(check(JSON.parse(`{"__proto__":1,"constructor":1}`))).toBe("value.__proto__ must be string")
  })
})

describe("an untrusted JSON Schema, for example of an MCP server", () => {
  it("may refer only to its own parts, by pointer, anchor or id", () => {
    const refers = (to: string) =>
      checkOf({
        $defs: { "a/b": { $anchor: "text", type: "string" }, c: { $id: "https://example.com/c", type: "string" } },
        $ref: to
      })(1)
    for (const to of ["#/$defs/a~1b", "#/%24defs/a~1b", "#text", "https://example.com/c"]) {
      expect(refers(to)).toBe("value must be string")
    }
    expect(faultOf({ $ref: "https://json-schema.org/draft/2020-12/schema" })).toContain("which it does not have")
    expect(faultOf({ $ref: "#/$defs/none" })).toContain("which it does not have")
  })

  it.each<readonly [string, unknown]>([
    ["is malformed", { properties: { a: { type: "text" } } }],
    ["has another form of a keyword", { properties: { a: { required: true } } }],
    ["is no object", []],
    ["is too large", { enum: ["x".repeat(64_000)] }],
    ["is too deep", JSON.parse(`${"{\"not\":".repeat(3000)}{}${"}".repeat(3000)}`)]
  ])("is refused if it %s", (_, schema) => {
    expect(Either.isLeft(ForeignSchema.make(schema))).toBe(true)
  })

  it("may have keywords named `toString` and `constructor`", () => {
    expect(checkOf({ toString: 1, constructor: 1, type: "number" })("a")).toBe("value must be number")
  })

  const leaf = FastCheck.constantFrom<unknown>(null, true, 0, 1, 1.5, 7, "", "a", "ab", "b1", "😀")
  const names = FastCheck.constantFrom("a", "b", "ab")
  const object = <A>(part: FastCheck.Arbitrary<A>, keys: FastCheck.Arbitrary<string> = names) =>
    FastCheck.dictionary(keys, part, { maxKeys: 2, noNullPrototype: true })
  const list = <A>(part: FastCheck.Arbitrary<A>) => FastCheck.array(part, { minLength: 1, maxLength: 3 })
  const inside = FastCheck.oneof(leaf, list(leaf), object(leaf))
  const values = FastCheck.oneof(inside, list(inside), object(inside))
  const bound = FastCheck.integer({ min: 0, max: 3 })
  const one = (key: string, part: FastCheck.Arbitrary<unknown>) => part.map((value) => ({ [key]: value }))
  const type = FastCheck.constantFrom("string", "number", "integer", "object", "array", "null", "boolean")
  const plain = FastCheck.oneof(
    one("type", FastCheck.oneof(type, FastCheck.constant(["string", "array"]))),
    one("enum", list(values)),
    one("const", values),
    ...[
      "minimum",
      "exclusiveMaximum",
      "minLength",
      "maxLength",
      "minItems",
      "maxItems",
      "minProperties",
      "maxProperties"
    ]
      .map((key) => one(key, bound)),
    one("multipleOf", FastCheck.constantFrom(1, 0.5)),
    one("pattern", FastCheck.constantFrom("^a", "b$", "^[ab]+\\d?$")),
    one("uniqueItems", FastCheck.boolean()),
    one("required", FastCheck.uniqueArray(names)),
    one("dependentRequired", object(FastCheck.uniqueArray(names))),
    one("$ref", FastCheck.constantFrom("#/$defs/x", "#y"))
  )
  /** A schema of at most three keywords that contains schemas of the given kind. */
  const around = (schema: FastCheck.Arbitrary<unknown>): FastCheck.Arbitrary<object> =>
    list(FastCheck.oneof(
      plain,
      ...["items", "propertyNames", "not", "additionalProperties"].map((key) => one(key, schema)),
      ...["allOf", "anyOf", "oneOf", "prefixItems"].map((key) => one(key, list(schema))),
      ...["properties", "dependentSchemas"].map((key) => one(key, object(schema))),
      one("patternProperties", object(schema, FastCheck.constantFrom("^a", "b$"))),
      FastCheck.record({ contains: schema, minContains: bound, maxContains: bound }, { requiredKeys: ["contains"] }),
      FastCheck.record({ if: schema, then: schema, else: schema }, { requiredKeys: ["if"] })
    )).map((keywords) => Object.assign({}, ...keywords))
  const schemas = around(around(FastCheck.oneof(FastCheck.boolean(), plain)))
  const document = FastCheck.record({ x: schemas, y: schemas, root: schemas }).map(({ root, x, y }) => ({
    // References point only here, and there are none here, so that none is circular.
    $defs: { x: withoutReferences(x), y: { $anchor: "y", allOf: [withoutReferences(y)] } },
    allOf: [root]
  }))
  const withoutReferences = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema, (key, value) => key === "$ref" ? undefined : value))

  it.prop("accepts the same values as Ajv", [document, values], ([schema, value]) => {
    const compiled = new AjvJsonSchemaValidator().getValidator(JSON.parse(JSON.stringify(schema)))
    expect([schema, value, checkOf(schema)(value) === undefined]).toEqual([schema, value, compiled(value).valid])
  })
})

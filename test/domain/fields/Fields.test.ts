import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Schema } from "effect"
import * as Fields from "../../../src/domain/fields/Fields.js"

const struct = Schema.Struct({
  city: Schema.NonEmptyString.annotations({ description: "Where the hotel is" }),
  guests: Schema.Int.pipe(Schema.between(1, 10)),
  when: Schema.Date,
  agreed: Schema.Boolean,
  pets: Schema.optional(Schema.Boolean).annotations({ description: "Whether pets come along" }),
  nights: Schema.optionalWith(Schema.NumberFromString, { default: () => 1 }),
  tier: Schema.propertySignature(Schema.Literal("vip", "std")),
  code: Schema.propertySignature(Schema.NumberFromString).pipe(Schema.withConstructorDefault(() => 1)),
  note: Schema.String.annotations({ extract: "asked" }),
  vegan: Schema.Boolean.annotations({ extract: "always" })
})
const fields = Fields.fromStruct(struct as never)
const get = (name: string) => fields.get(name)!

describe("Fields.fromStruct (the fields of a struct Schema)", () => {
  it("returns every field of the struct, in order", () => {
    expect(Array.from(fields.keys())).toStrictEqual(Object.keys(struct.fields))
  })

  it("takes a field's description from its own annotation only, on the Schema or on the property", () => {
    expect(get("city").description).toBe("Where the hotel is")
    expect(get("pets").description).toBe("Whether pets come along")
    expect([get("agreed").description, get("note").description, get("tier").description]).toStrictEqual([
      undefined,
      undefined,
      undefined
    ])
  })

  it("sets `extract` to \"explicit\" for booleans and \"always\" for other fields, unless annotated", () => {
    const extract = Object.fromEntries(Array.from(fields.values(), (field) => [field.name, field.extract]))
    expect(extract).toStrictEqual({
      city: "always",
      guests: "always",
      when: "always",
      agreed: "explicit",
      pets: "explicit",
      nights: "always",
      tier: "always",
      code: "always",
      note: "asked",
      vegan: "always"
    })
  })

  it("decodes an encoded value by the field's Schema, in whatever way the field is optional", () => {
    expect(get("when").decode("2027-03-15")).toStrictEqual(Either.right(new Date("2027-03-15")))
    expect(get("nights").decode("3")).toStrictEqual(Either.right(3))
    expect(get("code").decode("7")).toStrictEqual(Either.right(7))
    expect(get("pets").decode(true)).toStrictEqual(Either.right(true))
    expect(Either.isLeft(get("tier").decode("gold"))).toBe(true)
    expect(Either.isLeft(get("code").decode(7))).toBe(true)
  })

  it("checks a decoded value by the field's decoded type", () => {
    expect(Either.isRight(get("when").check(new Date(0)))).toBe(true)
    expect(Either.isLeft(get("when").check("2027-03-15"))).toBe(true)
  })

  it("an error contains the author's message, or the field's description together with the constraints", () => {
    const described = Fields.fromStruct(
      Schema.Struct({
        plain: Schema.Number.pipe(Schema.between(1, 10)),
        described: Schema.Number.pipe(Schema.between(1, 10)).annotations({ description: "How many guests" }),
        own: Schema.String.annotations({ description: "The city", message: () => "must be a city" })
      }) as never
    )
    const complaint = (name: string) => Either.getOrThrow(Either.flip(described.get(name)!.decode(40)))
    expect(complaint("plain")).toBe("Expected a number between 1 and 10, actual 40")
    expect(complaint("described")).toBe("Expected How many guests, actual 40; it must be at least 1 and at most 10")
    expect(complaint("own")).toBe("must be a city")
    expect(described.get("described")!.description).toBe("How many guests")
  })
})

it("an error about a value that is none of a few lists these once", () => {
  const { decode } = Fields.fromStruct(
    Schema.Struct({ tier: Schema.Literal("vip", "std") }) as never
  ).get("tier")!
  const listed = Fields.fromStruct(
    Schema.Struct({ floor: Schema.Literal(...Array.from({ length: 20 }, (_, i) => i)) }) as never
  )
  expect(Either.getOrThrow(Either.flip(decode("gold")))).toBe(
    "Expected another value, actual \"gold\"; it must be one of vip, std"
  )
  expect(Either.getOrThrow(Either.flip(decode("a; b")))).toContain("; it must be one of vip, std")
  expect(Either.getOrThrow(Either.flip(listed.get("floor")!.decode(99)))).toMatch(
    /^Expected another value, actual 99; it must be one of 0, 1, .*19$/
  )
})

describe("Fields.partial (a struct Schema with all fields optional)", () => {
  const partial = Fields.partial(struct)

  it.effect("makes every field optional and keeps the field's Schema", () =>
    Effect.gen(function*() {
      expect(yield* Schema.decodeUnknown(partial)({})).toStrictEqual({})
      expect(yield* Schema.decodeUnknown(partial)({ nights: "2", when: "2027-03-15T00:00:00.000Z" })).toStrictEqual({
        nights: 2,
        when: new Date("2027-03-15")
      })
      expect(Either.isLeft(Schema.decodeUnknownEither(partial)({ guests: 0 }))).toBe(true)
    }))
})

describe("Fields.checkAll (validates several values)", () => {
  it("reports every invalid field and every unknown field", () => {
    expect(Fields.checkAll(fields, { city: "", guests: 2, nope: 1, agreed: "yes" })).toStrictEqual([
      { field: "city", message: "Expected Where the hotel is, actual \"\"" },
      { field: "nope", message: "is not a field of the schema" },
      { field: "agreed", message: "Expected boolean, actual \"yes\"" }
    ])
  })

  it("accepts undefined, which removes a field", () => {
    expect(Fields.checkAll(fields, { city: undefined })).toStrictEqual([])
  })

  it("treats an inherited property name as an unknown field", () => {
    const hostile: Record<string, unknown> = JSON.parse("{\"__proto__\":{\"city\":\"x\"},\"constructor\":1}")
    expect(Fields.checkAll(fields, hostile).map(({ field }) => field)).toStrictEqual(["__proto__", "constructor"])
  })
})

const values = fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), fc.option(fc.nat(9), { nil: undefined }))

describe("Fields.write and Fields.forget", () => {
  it.prop("`write` overwrites values; writing undefined removes the field", [values, values], ([before, writes]) => {
    const after = Fields.write(before, writes)
    const expected = new Map([...Object.entries(before), ...Object.entries(writes)])
    for (const [key, value] of expected) if (value === undefined) expected.delete(key)
    expect(new Map(Object.entries(after))).toStrictEqual(expected)
    expect(Object.getPrototypeOf(after)).toBe(Object.prototype)
  })

  it.prop(
    "`forget` removes the named fields and no others",
    [values, fc.array(fc.constantFrom("a", "b", "d"))],
    ([before, names]) => {
      const after = Fields.forget(before, names)
      expect(Object.keys(after)).toStrictEqual(
        Object.keys(before).filter((key) => !(names as Array<string>).includes(key))
      )
    }
  )
})

describe("Fields.jsonSchemaOf (the JSON Schema of a field for the model)", () => {
  it("describes the encoded form of a value, which the model sends", () => {
    expect(Fields.jsonSchemaOf(Schema.NumberFromString)).toMatchObject({ type: "string" })
    expect(Fields.jsonSchemaOf(Schema.Literal("vip", "std"))).toMatchObject({ type: "string", enum: ["vip", "std"] })
    expect(Fields.jsonSchemaOf(Schema.Int)).not.toHaveProperty("$schema")
  })
})

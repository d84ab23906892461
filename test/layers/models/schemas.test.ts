/** The schemas that are sent to vendors, checked by doubles that refuse what the vendors refuse. */
import * as Tool from "@effect/ai/Tool"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc, Schema } from "effect"
import { askedSchemaOf } from "../../../src/domain/fields/schema/AskedSchema.js"
import { strict } from "../../../src/layers/models/OpenAiSchema.js"
import { schemaOf } from "../../../src/services/understanding/AnswerSchema.js"
import type { Questions } from "../../../src/services/understanding/Judgement.js"
import { answer, offer, refusals } from "./SchemaRules.js"

type Any = Schema.Schema<any, any>

const described = (schema: Any) => schema.annotations({ description: "as the user says it" })

const leaf: fc.Arbitrary<Any> = fc.constantFrom<Any>(
  Schema.String,
  Schema.NonEmptyString,
  Schema.String.pipe(Schema.minLength(2), Schema.maxLength(9)),
  described(Schema.String.pipe(Schema.pattern(/^[A-Z]{2}\d+$/), Schema.minLength(3))),
  Schema.String.annotations({ examples: ["a", "b"], jsonSchema: { format: "email" } }),
  Schema.UUID,
  Schema.Trim.pipe(Schema.minLength(2)),
  Schema.Number,
  Schema.Int,
  described(Schema.Int.pipe(Schema.between(1, 8))),
  Schema.Number.pipe(Schema.positive(), Schema.multipleOf(5)),
  Schema.NumberFromString.pipe(Schema.between(1, 5)),
  Schema.Boolean,
  Schema.Date,
  described(Schema.Date),
  Schema.DateTimeUtc,
  Schema.Literal("small", "large"),
  Schema.Literal(1, 2, 3),
  Schema.Literal(true),
  Schema.Literal("one", 2, null),
  Schema.Enums({ A: "a", B: "b" } as const),
  Schema.NullOr(Schema.String),
  Schema.TemplateLiteral("order-", Schema.Number),
  Schema.String.pipe(Schema.filter((text) => text.length > 3)),
  Schema.String.pipe(Schema.brand("Id"))
)

const property = (inner: fc.Arbitrary<Any>): fc.Arbitrary<any> =>
  fc.tuple(inner, fc.constantFrom("required", "optional", "default")).map(([schema, kind]) =>
    kind === "required"
      ? schema
      : kind === "optional"
      ? Schema.optional(schema)
      : Schema.optionalWith(schema, { as: "Option" })
  )

const schemas: fc.Arbitrary<Any> = fc.letrec<{ any: Any }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 4 },
    leaf,
    fc.dictionary(fc.constantFrom("city", "street", "n", "note", "kind"), property(tie("any") as never), { maxKeys: 5 })
      .map((fields) => Schema.Struct(fields) as never),
    (tie("any") as fc.Arbitrary<Any>).map((one) => Schema.Array(one).pipe(Schema.maxItems(3)) as never),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => Schema.Tuple(one as Any, other as Any) as never),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => Schema.Union(one as Any, other as Any) as never),
    (tie("any") as fc.Arbitrary<Any>).map((value) => Schema.Record({ key: Schema.String, value }) as never),
    fc.constant(Schema.Unknown as never)
  )
})).any

const questions = (fields: Readonly<Record<string, Any>>): Questions => ({
  sessionId: "s",
  message: "hello",
  history: undefined as never,
  flows: [{ id: "book-a-room", title: "Book a room", when: [], active: false }],
  fields: Object.entries(fields).map(([name, schema]) => ({ name, schema, known: true, asked: false, mayBeAny: true })),
  conditions: [{ id: "book-a-room/pay/card", when: ["by card"] }],
  signals: []
})

const seed = 7

describe("the schemas that are sent", () => {
  it("meet the rules of every vendor for 500 generated sets of fields", () => {
    fc.assert(
      fc.property(fc.array(schemas, { minLength: 1, maxLength: 3 }), (all) => {
        const fields = Object.fromEntries(all.map((schema, i) => [`field${i}`, schema]))
        expect(refusals(answer(schemaOf(questions(fields))))).toEqual([])
      }),
      { numRuns: 500, seed }
    )
  })

  it("meet the rules of every vendor for generated tools", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "c"), property(schemas)), (parameters) => {
        expect(refusals(offer(Tool.getJsonSchemaFromSchemaAst(Schema.Struct(parameters).ast)))).toEqual([])
      }),
      { numRuns: 100, seed }
    )
  })

  it("meet the rules of every vendor for more fields than Anthropic's structured outputs allow", () => {
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, Schema.Int]))
    const sent = answer(schemaOf(questions(fields)))
    expect(refusals(sent)).toEqual([])
    expect(JSON.stringify(sent.find(({ vendor }) => vendor === "anthropic json_schema")?.body)).toContain("tool_choice")
  })
})

describe("the strict mode of OpenAI", () => {
  it("gets optional properties as nullable, and is off for schemas that strict mode does not support", () => {
    const address = Schema.Struct({ street: Schema.String, unit: Schema.optional(Schema.Literal("a", "b")) })
    const made = strict(askedSchemaOf(address))
    expect(made).toEqual({
      type: "object",
      properties: {
        street: { type: "string" },
        unit: { anyOf: [{ type: "string", enum: ["a", "b"] }, { type: "null" }] }
      },
      required: ["street", "unit"],
      additionalProperties: false
    })
    const [sent] = answer(schemaOf(questions({ address })))
    expect(sent?.body).toMatchObject({ text: { format: { strict: true } } })
    const [open] = answer(schemaOf(questions({ any: Schema.Record({ key: Schema.String, value: Schema.String }) })))
    expect(open?.body).toMatchObject({ text: { format: { strict: false } } })
  })
})

describe("constraints and descriptions of a field", () => {
  const stay = Schema.Struct({
    guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ description: "how many guests" }),
    plate: Schema.String.pipe(Schema.pattern(/^[A-Z]+$/), Schema.minLength(2)).annotations({
      description: "the plate"
    }),
    email: Schema.String.annotations({ jsonSchema: { format: "email" }, examples: ["ann@example.com"] }),
    day: Schema.Date.annotations({ description: "the day of arrival" }),
    size: Schema.Literal("single", "double"),
    floor: Schema.NumberFromString.pipe(Schema.between(1, 5)).annotations({ description: "the floor" })
  })

  it("are in the schema that the model is given", () => {
    expect(askedSchemaOf(stay)).toMatchObject({
      properties: {
        guests: { type: "integer", minimum: 1, maximum: 8, description: "how many guests" },
        plate: { pattern: "^[A-Z]+$", minLength: 2, description: "the plate" },
        email: { format: "email", examples: ["ann@example.com"] },
        day: {
          anyOf: [{ type: "string", format: "date" }, { type: "string", format: "date-time" }],
          description: expect.stringMatching(/^the day of arrival; /)
        },
        size: { enum: ["single", "double"] },
        floor: { type: "string", description: "the floor; at least 1, at most 5" }
      }
    })
  })

  it("are sent to every vendor, as schema keywords or in a description", () => {
    for (const { body, vendor } of answer(askedSchemaOf(stay))) {
      const text = JSON.stringify(body)
      const has = (...either: ReadonlyArray<string>) =>
        expect(either.some((one) => text.includes(one)), `${vendor}: ${either.join(" or ")}`).toBe(true)
      has("\"minimum\":1", "at least 1,")
      has("\"maximum\":8", "at most 8")
      has("\"pattern\":\"^[A-Z]+$\"", "matches the regular expression ^[A-Z]+$")
      has("\"minLength\":2", "at least 2 characters")
      has("\"format\":\"email\"", "in the format email")
      has("\"examples\":[\"ann@example.com\"]", "for example ann@example.com")
      has("\"format\":\"date\"", "in the format date")
      has("[\"single\",\"double\"]")
      has("the day of arrival")
    }
  })
})

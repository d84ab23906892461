/** Generates values of fields, and of tool parameters. */
import * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { arrayOf, isJson, recordOf } from "../../domain/base/Json.js"
import { type AnySchema, type Field, type Fields, jsonSchemaOf } from "../../domain/fields/Fields.js"
import { inlined } from "../../domain/fields/schema/JsonSchema.js"
import * as SeededRandom from "./SeededRandom.js"

/** The encoded values to choose from for one field. */
export interface Pool {
  readonly good: ReadonlyArray<unknown>
  /** Values that the field's Schema refuses. */
  readonly bad: ReadonlyArray<unknown>
}

/** Simple values, tried before random ones, because they make a transcript easier to read. */
const plain: ReadonlyArray<unknown> = [
  ...[
    "Lisbon",
    "Porto",
    "Ada Lovelace",
    "2027-03-15",
    "2027-04-01T10:00:00.000Z",
    "ada@example.org",
    "+351 21 000 0000"
  ],
  ...[2, 3, 1, 40, 0.5, "12", true, false, "yes"],
  ...[["Lisbon"], [2, 3], []]
]

const odd: ReadonlyArray<unknown> = ["", "???", -1, 99_999, "many", {}, [null]]

/** Maximum number of values for each field. */
const enough = 8

const distinct = (values: ReadonlyArray<unknown>): ReadonlyArray<unknown> => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values()
]

/**
 * Number of random draws after which generation is given up, because the Schema's filter refuses nearly every value.
 */
const mostDraws = 200_000

type RandomType = Exclude<FastCheck.Parameters["randomType"], string | undefined>

/** A source of random 32-bit integers that throws after `mostDraws` draws. Copies of it share the count. */
const counted: RandomType = (seed) => {
  let draws = 0
  const from = (state: number): ReturnType<RandomType> => {
    const draw = (): number => {
      if (++draws > mostDraws) throw new Error("no value passes the filter")
      state = (state + 0x6d2b79f5) | 0
      const mixed = Math.imul(state ^ (state >>> 15), state | 1)
      return mixed ^ (mixed >>> 14)
    }
    return {
      clone: () => from(state),
      next: () => {
        const copy = from(state)
        return [copy.unsafeNext(), copy]
      },
      unsafeNext: draw
    }
  }
  return from(seed)
}

/** Generates encoded values from the Schema itself; empty if the Schema cannot generate values. */
const made = (schema: AnySchema, seed: number): ReadonlyArray<unknown> =>
  Either.getOrElse(
    Either.try(() =>
      FastCheck.sample(Arbitrary.make(schema), { seed, numRuns: 12, randomType: counted })
        .flatMap((value) =>
          Either.match(Schema.encodeEither(schema)(value), { onLeft: () => [], onRight: (one) => [one] })
        )
    ),
    () => []
  )

/** Returns the JSON schema of the encoded values, without references. */
const wired = (schema: Schema.Schema.All) => inlined(jsonSchemaOf(schema)).schema

const poolOf = ({ decode, schema }: Field, seed: number): Pool => {
  const wire = wired(schema)
  const shaped = Array.from({ length: 12 }, (_, i) => ofJsonSchema(wire, seed, i))
  const decodes = (value: unknown) => value !== undefined && Either.isRight(decode(value))
  const readable = distinct([...shaped, ...plain].filter(decodes)).slice(0, enough - 2)
  return {
    good: distinct([...readable, ...made(schema, seed).filter(decodes)]).slice(0, enough),
    bad: odd.filter((value) => !decodes(value)).slice(0, 3)
  }
}

/**
 * Returns the values to choose from for every field that a user may state; values in `given` replace the generated
 * ones.
 */
export const pools = (
  fields: Fields,
  given: Readonly<Record<string, ReadonlyArray<unknown>>>,
  seed: number
): ReadonlyMap<string, Pool> =>
  new Map(
    Array.from(fields).filter(([, { extract }]) => extract !== "never").map(([name, field]) => {
      const pool = poolOf(field, seed)
      const own = given[name]
      return [name, own === undefined ? pool : { ...pool, good: own }]
    })
  )

/** Generates a value that a signal extracts, or the payload of an event or a job. */
export const extracted = (schema: Schema.Schema.All, seed: number): unknown => {
  // Safe: the Schema of a signal, an event or a job needs no services, which the compiler cannot see here.
  const values = made(schema as never, seed)
  // Values such as `NaN` are skipped, because they cannot be written as JSON. A Schema whose only value is `undefined`
  // gives `undefined`.
  return values.length > 0 && values.every((value) => value === undefined)
    ? undefined
    : values.find(isJson) ?? ofJsonSchema(wired(schema), seed, "extracted")
}

type About = string | number
type Keywords = Readonly<Record<string, unknown>>

/**
 * Differences between minimum and maximum of a number without a maximum. They are small and large, because code often
 * compares amounts with a hundred or a thousand.
 */
const spans: ReadonlyArray<number> = [9, 99, 9999]

const numberOf = (schema: Keywords, whole: boolean, seed: number, about: About): number => {
  const bound = (key: string, otherwise: number) => typeof schema[key] === "number" ? schema[key] : otherwise
  const low = bound("minimum", bound("exclusiveMinimum", 0) + (schema.exclusiveMinimum === undefined ? 0 : 1))
  const high = Math.max(low, bound("maximum", low + (SeededRandom.pick(spans, seed, about, "span") ?? 9)))
  const value = low + SeededRandom.roll(seed, about) * (high - low)
  return whole ? Math.round(value) : Math.round(value * 100) / 100
}

const listOf = (schema: Keywords, seed: number, about: About): ReadonlyArray<unknown> => {
  const each = [...arrayOf(schema.prefixItems), ...arrayOf(schema.items)]
  if (each.length > 0) return each.map((one, i) => ofJsonSchema(one, seed, `${about}[${i}]`))
  const length = typeof schema.minItems === "number" ? Math.max(1, schema.minItems) : 1
  return schema.maxItems === 0 || schema.items === undefined
    ? []
    : Array.from({ length }, (_, i) => ofJsonSchema(schema.items, seed, `${about}[${i}]`))
}

/** Decides at random whether a property is left out; a required property never is. */
export const isLeftOut = (schema: Keywords, name: string, seed: number, about: About): boolean =>
  !arrayOf(schema.required).includes(name) && SeededRandom.roll(seed, about, "left out", name) < 0.3

const objectOf = (schema: Keywords, seed: number, about: About): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(recordOf(schema.properties))
      .filter(([name]) => !isLeftOut(schema, name, seed, about))
      .map(([name, one]) => [name, ofJsonSchema(one, seed, `${about}.${name}`)])
  )

const formatted: Readonly<Record<string, string>> = {
  "date": "2027-03-15",
  "date-time": "2027-04-01T10:00:00.000Z",
  "email": "ada@example.org",
  "time": "10:00:00Z",
  "uri": "https://example.org/",
  "uuid": "9f1c2a74-5d3e-4b86-8a10-6c7d8e9fa0b1"
}

const textOf = ({ format, maxLength, minLength = 0 }: Keywords, seed: number, about: About): unknown =>
  formatted[String(format)] ??
    SeededRandom.pick(
      plain.filter((one): one is string =>
        Predicate.isString(one) && one.length >= Number(minLength) && one.length <= Number(maxLength ?? one.length)
      ),
      seed,
      about
    ) ?? "x".repeat(Number(minLength))

/** Generates a value of a JSON schema without references. Only the common keywords are used. */
export const ofJsonSchema = (schema: unknown, seed: number, about: About): unknown => {
  if (!Predicate.isRecord(schema)) return undefined
  const options = [...arrayOf(schema.enum), ...("const" in schema ? [schema.const] : [])]
  if (options.length > 0) return SeededRandom.pick(options, seed, about)
  const variants = [...arrayOf(schema.anyOf), ...arrayOf(schema.oneOf)]
  if (variants.length > 0) return ofJsonSchema(SeededRandom.pick(variants, seed, about, "variant"), seed, about)
  return ofType(schema, seed, about)
}

const ofType = (schema: Keywords, seed: number, about: About): unknown => {
  switch (
    SeededRandom.pick(Predicate.isString(schema.type) ? [schema.type] : arrayOf(schema.type), seed, about, "type")
  ) {
    case "object":
      return objectOf(schema, seed, about)
    case "array":
      return listOf(schema, seed, about)
    case "integer":
      return numberOf(schema, true, seed, about)
    case "number":
      return numberOf(schema, false, seed, about)
    case "boolean":
      return SeededRandom.roll(seed, about) < 0.5
    case "null":
      return null
    default:
      return textOf(schema, seed, about)
  }
}

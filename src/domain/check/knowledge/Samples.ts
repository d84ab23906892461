/** Sample values of a field: small and readable, for witnesses and for trying predicates. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { arrayOf, isJson, type Json, recordOf } from "../../base/Json.js"
import { type Field, jsonSchemaOf } from "../../fields/Fields.js"

/** A sample value in two forms: encoded, as a message gives it, and decoded, as code sees it. */
export interface Sample {
  readonly encoded: Json
  readonly value: unknown
}

/**
 * Yields combinations that take one sample from each list (`undefined` from an empty list), at most `tries`
 * combinations. The first list varies fastest.
 */
export const combinations = function*(
  lists: ReadonlyArray<ReadonlyArray<Sample>>,
  tries: number
): Generator<ReadonlyArray<Sample | undefined>> {
  const sizes = lists.map(({ length }) => Math.max(length, 1))
  const total = sizes.reduce((product, size) => product * size, 1)
  for (let n = 0; n < Math.min(total, tries); n++) {
    let rest = n
    yield lists.map((list, i) => {
      const sample = list[rest % sizes[i]!]
      rest = Math.floor(rest / sizes[i]!)
      return sample
    })
  }
}

const words = ["Lisbon", "Ann Lee", "ann@example.com", "AB-1234", "1234", "2027-03-15", "2027-03-15T10:00:00Z"]
const numbers = [2, 1, 0, 5, 10, 50, 100, 1000, -1, 0.5]

/**
 * Returns candidate values for a JSON Schema, the plainest first. They are guesses; the field's Schema accepts or
 * refuses them.
 */
const guesses = (schema: unknown): ReadonlyArray<unknown> => {
  if (!Predicate.isRecord(schema)) return []
  return [
    ...("const" in schema ? [schema.const] : []),
    ...arrayOf(schema.enum),
    ...[...arrayOf(schema.anyOf), ...arrayOf(schema.oneOf)].flatMap(guesses),
    ...ofType(schema)
  ]
}

const ofType = (of: Record<string, unknown>): ReadonlyArray<unknown> => {
  switch (of.type) {
    case "boolean":
      return [true, false]
    case "integer":
    case "number":
      return [
        ...numbers,
        ...[of.minimum, of.maximum, of.exclusiveMinimum, of.exclusiveMaximum].flatMap((bound) =>
          typeof bound === "number" ? [bound, bound + 1, bound - 1] : []
        )
      ]
    case "string":
      return [...words, "x".repeat(typeof of.minLength === "number" ? of.minLength : 1), ""]
    case "array":
      return [[], ...[...guesses(of.items), words[0]].slice(0, 3).map((item) => [item])]
    case "object":
      return objects(of)
    default:
      return []
  }
}

const objects = (of: Record<string, unknown>): ReadonlyArray<unknown> => {
  const properties = Object.entries(recordOf(of.properties))
  return [
    Object.fromEntries(properties.flatMap(([name, schema]) => {
      const [first] = guesses(schema)
      return first === undefined ? [] : [[name, first]]
    }))
  ]
}

/** Returns the samples of a field; `also` contains further candidates. */
export const of = (field: Field, also: ReadonlyArray<unknown> = []): ReadonlyArray<Sample> =>
  accepted([...also, ...resolved(jsonSchema(field.schema)), ...words], field.decode)

/** Returns sample payloads of an event. For an object, each property varies, also over the values in `also`. */
export const ofPayload = (
  schema: Schema.Schema.All,
  decode: Decode,
  also: ReadonlyArray<unknown>
): ReadonlyArray<Sample> => {
  const described = jsonSchema(schema)
  const [first, ...others] = resolved(described)
  const properties = Object.entries(recordOf(recordOf(described).properties))
  const changed = properties.flatMap(([name, property]) =>
    [...also, ...guesses(property)].map((value) => ({ ...recordOf(first), [name]: value }))
  )
  return accepted([first, ...changed, ...others, ...also, ...words, null], decode)
}

type Decode = (u: unknown) => Either.Either<unknown, unknown>

const accepted = (candidates: ReadonlyArray<unknown>, decode: Decode): ReadonlyArray<Sample> => {
  const seen = new Set<string>()
  return candidates.flatMap((encoded) => {
    const key = JSON.stringify(encoded)
    if (!isJson(encoded) || seen.has(key)) return []
    seen.add(key)
    return Either.match(decode(encoded), { onLeft: () => [], onRight: (value) => [{ encoded, value }] })
  })
}

const jsonSchema = (schema: Schema.Schema.All): object =>
  Either.getOrElse(Either.try(() => jsonSchemaOf(schema)), () => ({}))

/** Follows a reference to one of the schema's `$defs`. */
const resolved = (schema: object): ReadonlyArray<unknown> => {
  const { $defs, $ref } = recordOf(schema)
  const name = typeof $ref === "string" ? $ref.slice($ref.lastIndexOf("/") + 1) : undefined
  return guesses(name === undefined ? schema : recordOf($defs)[name])
}

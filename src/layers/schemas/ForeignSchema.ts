/**
 * Checks values against JSON schemas from outside, such as those of a server of the Model Context Protocol or of an
 * imported document.
 *
 * Such a schema is not trusted: it must not run code in this process, or block it for long. It is interpreted, and
 * never compiled to code as in validators that require trusted schemas. Its patterns run in linear time or not at all.
 * A check has a budget of steps; a value that takes more steps is refused.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { isJson, isJsonObject, type Json, type JsonObject, sizeWithin } from "../../domain/base/Json.js"
import * as ForeignPattern from "./ForeignPattern.js"
import { type Checking, type Keyword, keywords, type Problems } from "./Keywords.js"

/** Returns why a value does not fit, in at most 500 characters; `undefined` if it fits. */
export type Check = (value: unknown) => string | undefined

/** Maximum size of a schema, in characters of its JSON text. */
const maxSchema = 64_000

/** Maximum number of steps of one check: a fraction of a second. */
const maxSteps = 250_000

/** Maximum number of nested schemas in a check, because a reference may lead to its own schema. */
const maxDepth = 300

/** Maximum number of reported problems of a value. */
const maxProblems = 5

/** Number of steps for compiling a pattern, at its first use. */
const compiling = 10_000

const outOfSteps = "it takes too many steps to check the value against the schema"

/** Thrown inside a check, and caught at the start of the check. */
class OutOfSteps extends Error {}

/** Keywords whose value is data and contains no schemas. */
const literals = new Set(["enum", "const", "default", "examples", "example"])

/** Keywords whose value maps names to schemas. */
const maps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"])

const isObject = (u: Json | undefined): u is JsonObject => Predicate.isRecord(u)

const parts = (schema: JsonObject): ReadonlyArray<Json> =>
  Object.entries(schema).flatMap(([key, value]) =>
    literals.has(key) ? [] : maps.has(key) && isObject(value) ? Object.values(value) : [value]
  )

/**
 * Returns a schema and all schemas inside it. The recursion ends, because documents that are nested too deep were
 * refused before.
 */
const within = (u: Json): ReadonlyArray<JsonObject> =>
  Array.isArray(u) ? u.flatMap(within) : isObject(u) ? [u, ...parts(u).flatMap(within)] : []

const keywordOf = (name: string): Keyword | undefined => Object.hasOwn(keywords, name) ? keywords[name] : undefined

const unescaped = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")
  } catch {
    return part
  }
}

const step = (part: Json | undefined, key: string): Json | undefined =>
  Array.isArray(part) ? part[Number(key)] : isObject(part) && Object.hasOwn(part, key) ? part[key] : undefined

const isSchema = (u: Json | undefined): u is JsonObject | boolean => typeof u === "boolean" || isObject(u)

/**
 * Makes the function that resolves references in a document: to a part of the document by a JSON pointer, or to a
 * schema by its name.
 */
const resolving = (document: JsonObject, all: ReadonlyArray<JsonObject>): (reference: string) => Json | undefined => {
  const named = new Map<Json, Json>(
    all.flatMap((schema) =>
      [schema["$id"], `#${schema["$anchor"]}`, `#${schema["$dynamicAnchor"]}`]
        .map((name) => [name ?? null, schema] as const)
    )
  )
  return (reference) =>
    reference === "#"
      ? document
      : reference.startsWith("#/")
      ? reference.split("/").slice(1).map(unescaped).reduce<Json | undefined>(step, document)
      : named.get(reference)
}

const faultOf = (
  all: ReadonlyArray<JsonObject>,
  targets: ReadonlyMap<string, Json | undefined>
): string | undefined => {
  const [malformed] = all.flatMap(Object.entries<Json>)
    .find(([name, wanted]) => keywordOf(name)?.isWellFormed(wanted) === false) ?? []
  if (malformed !== undefined) return `its "${malformed}" is of the wrong form`
  const [missing] = Array.from(targets).find(([, target]) => !isSchema(target)) ?? []
  return missing === undefined ? undefined : `it refers to "${Excerpt.start(missing, 100)}", which it does not have`
}

const referencesOf = (schema: JsonObject): ReadonlyArray<string> =>
  ["$ref", "$dynamicRef", "$recursiveRef"].map((name) => schema[name]).filter(Predicate.isString)

/** Begins a check, with a full budget of steps. */
const checking = (
  targets: ReadonlyMap<string, Json | undefined>,
  patterns: Map<string, ForeignPattern.ForeignPattern | undefined>
): Checking => {
  let left = maxSteps
  let depth = 0
  const spend = (steps: number): void => {
    if ((left -= steps) < 0) throw new OutOfSteps()
  }
  const patternOf = (source: string): ForeignPattern.ForeignPattern | undefined => {
    if (!patterns.has(source)) {
      spend(compiling)
      patterns.set(source, ForeignPattern.make(source))
    }
    return patterns.get(source)
  }
  const check: Checking = {
    spend,
    target: (reference) => targets.get(reference) ?? true,
    matches: (source, text) => {
      const pattern = patternOf(source)
      spend(1 + (pattern?.size ?? 0) * text.length / 16)
      return pattern?.test(text) ?? true
    },
    apply: (schema, value, path) => {
      if (!isObject(schema)) return schema === false ? [`${path} is not allowed`] : []
      const entries = Object.entries(schema)
      spend(1 + entries.length)
      if (++depth > maxDepth) throw new OutOfSteps()
      const problems = entries.flatMap(([name, wanted]): Problems =>
        keywordOf(name)?.problems(wanted, value, { schema, path, check }) ?? []
      )
      depth--
      return problems
    }
  }
  return check
}

/**
 * Makes the check of a schema, or returns what is wrong with the schema. The schema must be of 2020-12, or of draft 6
 * or 7, and its references must stay within the document. Unknown keywords, `unevaluatedProperties` among them, and
 * patterns that cannot run in linear time allow everything, because the author of the schema checks the value too.
 */
export const make = (schema: unknown): Either.Either<Check, string> => {
  if (!isJsonObject(schema)) return Either.left("it is no JSON object, or nested too deep")
  if (sizeWithin(schema, maxSchema) > maxSchema) return Either.left(`it has more than ${maxSchema} characters`)
  const all = within(schema)
  const resolve = resolving(schema, all)
  const targets = new Map(all.flatMap(referencesOf).map((reference) => [reference, resolve(reference)]))
  const fault = faultOf(all, targets)
  if (fault !== undefined) return Either.left(fault)
  const patterns = new Map<string, ForeignPattern.ForeignPattern | undefined>()
  return Either.right((value) => {
    if (!isJson(value)) return "it is no JSON value, or nested too deep"
    try {
      const problems = checking(targets, patterns).apply(schema, value, "value")
      return problems.length === 0 ? undefined : Excerpt.start(problems.slice(0, maxProblems).join("; "), 500)
    } catch (cause) {
      if (cause instanceof OutOfSteps) return outOfSteps
      throw cause
    }
  })
}

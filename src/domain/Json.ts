/**
 * JSON values, as a type and as a Schema that checks without copying, so that no key
 * (`__proto__` included) can change the shape of what passes through it.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Any value that `JSON.stringify` writes and `JSON.parse` reads back unchanged.
 *
 * @since 0.1.0
 * @category models
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Deeper than anyone nests on purpose, and shallower than the stack: a circle ends here too. */
const maxDepth = 500

/**
 * Whether a value is JSON. One that is nested deeper than 500 levels is not: reading it would overflow the stack.
 *
 * @since 0.1.0
 * @category guards
 */
export const isJson = (u: unknown): u is Json => isJsonTo(maxDepth, u)

const isJsonTo = (depth: number, u: unknown): boolean => {
  switch (typeof u) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(u)
    case "object": {
      if (u === null) return true
      if (depth === 0) return false
      const within = (part: unknown) => isJsonTo(depth - 1, part)
      if (Array.isArray(u)) return u.every(within)
      const prototype = Object.getPrototypeOf(u)
      return (prototype === Object.prototype || prototype === null) && Object.values(u).every(within)
    }
    default:
      return false
  }
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Json: Schema.Schema<Json> = Schema.declare(isJson, {
  identifier: "Json",
  description: "a JSON value",
  jsonSchema: {},
  arbitrary: () => (fc) => fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)
})

/**
 * A JSON object: the type of `metadata` and of every stored document.
 *
 * @since 0.1.0
 * @category models
 */
export type JsonObject = { readonly [key: string]: Json }

/**
 * @since 0.1.0
 * @category schemas
 */
export const JsonObject: Schema.Schema<JsonObject> = Schema.declare(
  (u): u is JsonObject => typeof u === "object" && u !== null && !Array.isArray(u) && isJson(u),
  {
    identifier: "JsonObject",
    description: "a JSON object",
    jsonSchema: { type: "object" },
    arbitrary: () => (fc) =>
      fc.dictionary(fc.string(), fc.jsonValue()).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
  }
)

/** What opens a tag, breaks a line, turns the direction of writing, or is not seen at all (letters of the tags block). */
const unsafe = /[<\u007f-\u009f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g

const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

/**
 * The JSON text of a value as it may stand inside a prompt: one line, in which no character can close a tag or hide from
 * the eye, so what a user typed stays data wherever it is quoted. It reads back unchanged.
 *
 * @since 0.1.0
 * @category rendering
 */
export const quote = (value: unknown): string => (JSON.stringify(value) ?? "null").replace(unsafe, escaped)

/**
 * JSON values, as a type and as a Schema that checks without copying, so that no key
 * (`__proto__` included) can change the shape of what passes through it.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/**
 * Any value that `JSON.stringify` writes and `JSON.parse` reads back unchanged.
 *
 * @since 0.1.0
 * @category models
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * How many levels of lists and objects a value may have: deeper than anyone nests on purpose, and far shallower than the
 * stack of whoever reads it afterwards. A circle ends here too.
 *
 * @since 0.1.0
 * @category limits
 */
export const maxDepth = 64

/** A stored document may be deeper: it holds values from outside, each of which may already have the full depth. */
const maxDocumentDepth = 2 * maxDepth

/** How many parts a value may have. The same object may stand in it twice, and doubles the text at each level. */
const maxParts = 1_000_000

/**
 * Whether a value is JSON. One that is nested deeper than 64 levels, or has more than a million parts, is not.
 *
 * @since 0.1.0
 * @category guards
 */
export const isJson = (u: unknown): u is Json => walk(u, maxDepth, isJsonPart)

/**
 * Whether a value can be given to a Schema, a serialiser or a printer without overflowing their stack: its lists and
 * plain objects are nested no deeper than 64 levels, and it has no more than a million parts. What is not made of lists
 * and plain objects, such as a `Date`, counts as one part.
 *
 * @since 0.1.0
 * @category guards
 */
export const isShallow = (u: unknown): boolean => walk(u, maxDepth, () => true)

/**
 * Visits a value level by level, without recursion; `false` as soon as a part is refused, or there is too much of it. A
 * value whose own code throws while it is read is refused as well.
 */
const walk = (u: unknown, levels: number, holds: (part: unknown) => boolean): boolean => {
  try {
    let level: ReadonlyArray<unknown> = [u]
    let parts = 1
    for (let depth = 0; level.length > 0; depth++) {
      const below: Array<unknown> = []
      for (const part of level) {
        if (!holds(part)) return false
        const inner = inside(part)
        if (inner === undefined) continue
        if (depth === levels || (parts += inner.length) > maxParts) return false
        for (let i = 0; i < inner.length; i++) below.push(inner[i])
      }
      level = below
    }
    return true
  } catch {
    return false
  }
}

/** What a list or a plain object holds. */
const inside = (u: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(u) ? u : isPlainObject(u) ? Object.values(u) : undefined

const isPlainObject = (u: unknown): u is Record<string, unknown> => {
  if (typeof u !== "object" || u === null) return false
  const prototype = Object.getPrototypeOf(u)
  return prototype === Object.prototype || prototype === null
}

/**
 * An object's own fields as they are now, each read once, without those that are `undefined`; `undefined` for what is no
 * object, is a list, or breaks when it is read.
 *
 * @since 0.1.0
 * @category getters
 */
export const ownFields = (u: unknown): Record<string, unknown> | undefined => {
  if (typeof u !== "object" || u === null || Array.isArray(u)) return undefined
  try {
    return Object.fromEntries(Object.entries(u).filter(([, value]) => value !== undefined))
  } catch {
    return undefined
  }
}

/**
 * What `JSON.stringify` leaves of a value; `null` where it leaves nothing. Throws for a circle and for a `bigint`.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toJson = (u: unknown): Json => JSON.parse(JSON.stringify(u) ?? "null")

/**
 * The fields of an object; none for what is no object, or is a list.
 *
 * @since 0.1.0
 * @category getters
 */
export const recordOf = (u: unknown): Record<string, unknown> => Predicate.isRecord(u) ? u : {}

const isJsonPart = (u: unknown): boolean => {
  switch (typeof u) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(u)
    default:
      return u === null || Array.isArray(u) || isPlainObject(u)
  }
}

/**
 * A name that becomes an own field of the object it is written to: `__proto__` would change what the object is.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OwnKey = Schema.String.pipe(Schema.filter((name) => name !== "__proto__"))

/**
 * @since 0.1.0
 * @category schemas
 */
export const Json: Schema.Schema<Json> = Schema.declare(isJson, {
  identifier: "Json",
  description: "a JSON value",
  // Written out, because an empty schema counts as none, and every document that refers to it then fails.
  jsonSchema: {
    anyOf: [...["null", "boolean", "number", "string", "object"].map((type) => ({ type })), {
      type: "array",
      items: {}
    }]
  },
  arbitrary: () => (fc) => fc.jsonValue().map((value) => toJson(value))
})

/**
 * A JSON object: the type of `metadata` and of every stored document, which may be 128 levels deep.
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
  (u): u is JsonObject => isPlainObject(u) && walk(u, maxDocumentDepth, isJsonPart),
  {
    identifier: "JsonObject",
    description: "a JSON object",
    jsonSchema: { type: "object" },
    arbitrary: () => (fc) =>
      fc.dictionary(fc.string(), fc.jsonValue()).map((value): JsonObject => JSON.parse(JSON.stringify(value)))
  }
)

/**
 * @since 0.1.0
 * @category guards
 */
export const isJsonObject: (u: unknown) => u is JsonObject = Schema.is(JsonObject)

/**
 * Whether no half of a surrogate pair stands alone in a text. Such a half has no place in a URL, and a store writes it as
 * another character.
 *
 * @since 0.2.0
 * @category guards
 */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text)

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

/** A piece of text, or a value that is still to be written. */
type Piece = string | { readonly value: Json }

type Keys = (object: JsonObject) => ReadonlyArray<string>

/** The text of a value, piece by piece: what is open waits in a list, so that no depth and no width fills the stack. */
function* written(value: Json, keysOf: Keys): Generator<string> {
  const open: Array<Iterator<Piece>> = [[{ value }][Symbol.iterator]()]
  while (open.length > 0) {
    const { done, value: piece } = open.at(-1)!.next()
    if (done === true) open.pop()
    else if (typeof piece === "string") yield piece
    else if (typeof piece.value === "object" && piece.value !== null) open.push(pieces(piece.value, keysOf))
    else yield JSON.stringify(piece.value)
  }
}

function* pieces(value: ReadonlyArray<Json> | JsonObject, keysOf: Keys): Generator<Piece> {
  const list = isList(value)
  yield list ? "[" : "{"
  let before = ""
  for (const key of list ? value.keys() : keysOf(value)) {
    yield typeof key === "number" ? before : `${before}${JSON.stringify(key)}:`
    yield { value: (value as Readonly<Record<string | number, Json>>)[key]! }
    before = ","
  }
  yield list ? "]" : "}"
}

const isList = (value: Json): value is ReadonlyArray<Json> => Array.isArray(value)

/**
 * The one text of a value: keys sorted by their UTF-16 code units, no white space. Two values that differ in nothing but
 * the order of their keys have the same text, so it can be compared, hashed or signed.
 *
 * @since 0.1.0
 * @category rendering
 */
export const canonical = (value: Json): string =>
  Array.from(written(value, (object) => Object.keys(object).sort())).join("")

/**
 * The length of a value's JSON text in characters (UTF-16 code units), or `Infinity` as soon as it is known to be longer
 * than `max`: measuring a huge value takes no longer than measuring one of `max`.
 *
 * @since 0.1.0
 * @category getters
 */
export const sizeWithin = (value: Json, max: number): number => {
  let size = 0
  for (const text of written(value, Object.keys)) {
    size += text.length
    if (size > max) return Infinity
  }
  return size
}

/**
 * The first `max` characters of a value's JSON text, made without making the rest.
 *
 * @since 0.1.0
 * @category rendering
 */
export const head = (value: Json, max: number): string => {
  let text = ""
  for (const piece of written(value, Object.keys)) {
    text += piece.length > max ? piece.slice(0, max) : piece
    if (text.length >= max) return text.slice(0, max)
  }
  return text
}

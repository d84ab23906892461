/**
 * JSON values: a type, and a Schema that checks without copying, so that no key (`__proto__` included) can change the
 * shape of a value.
 */
import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** A value that `JSON.stringify` writes and `JSON.parse` reads back unchanged. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * Largest nesting depth of lists and objects in a value. It is enough for every input, and protects recursive readers
 * against a stack overflow. A value with a cycle exceeds it and is refused.
 */
export const maxDepth = 64

/** Stored documents may be deeper, because they contain values from outside, each of which may have the full depth. */
const maxDocumentDepth = 2 * maxDepth

/**
 * Largest number of parts of a value. It excludes small values whose text is huge: an object that is referenced twice
 * at each level doubles the text at each level.
 */
const maxParts = 1_000_000

/** True if a value is JSON, with at most 64 levels of nesting and at most a million parts. */
export const isJson = (u: unknown): u is Json => walk(u, maxDepth, isJsonPart)

/**
 * True if a value can be given to a Schema, a serializer or a printer without overflowing their stack: its lists and
 * plain objects are nested at most 64 levels deep, and it has at most a million parts. Any other object, such as a
 * `Date`, counts as one part.
 */
export const isShallow = (u: unknown): boolean => walk(u, maxDepth, () => true)

/**
 * Visits a value level by level, without recursion. Returns `false` if a part is refused, if the value is too deep or
 * too large, or if reading it throws.
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

/** The elements of a list or the values of a plain object. */
const inside = (u: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(u) ? u : isPlainObject(u) ? Object.values(u) : undefined

const isPlainObject = (u: unknown): u is Record<string, unknown> => {
  if (typeof u !== "object" || u === null) return false
  const prototype = Object.getPrototypeOf(u)
  return prototype === Object.prototype || prototype === null
}

/**
 * Returns an object's own fields, each read once, without those that are `undefined`. Returns `undefined` if the value
 * is not an object, is a list, or throws when it is read.
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
 * Returns the value as `JSON.parse(JSON.stringify(value))`, or `null` if `JSON.stringify` gives no text. Throws on a
 * cycle and on a `bigint`.
 */
export const toJson = (u: unknown): Json => JSON.parse(JSON.stringify(u) ?? "null")

/**
 * Returns a text unchanged, and any other value as JSON.
 *
 * @internal
 */
export const asText = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value ?? null)

/** Returns an object unchanged, and `{}` for a list or any other value. */
export const recordOf = (u: unknown): Record<string, unknown> => Predicate.isRecord(u) ? u : {}

/** @internal Returns a list unchanged, and `[]` for any other value. */
export const arrayOf = (u: unknown): ReadonlyArray<unknown> => Array.isArray(u) ? u : []

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

/** A property name other than `__proto__`, which would change the prototype of the object that it is written to. */
export const OwnKey = Schema.String.pipe(Schema.filter((name) => name !== "__proto__"))

/** A list or an object within a value. */
interface Place {
  readonly value: object
  readonly key?: string
  readonly above?: Place
}

/**
 * Returns the path of the first key `__proto__` in a value; undefined if there is none. Code that copies a value field
 * by field, as Schemas do, would change the prototype of the copy, and read fields from it that nobody saw. An object
 * whose prototype was changed in this way counts too.
 *
 * @internal
 */
export const protoPath = (u: unknown): ReadonlyArray<string> | undefined => {
  const places: Array<Place> = Predicate.isObject(u) ? [{ value: u }] : []
  const seen = new Set<object>()
  for (const place of places) {
    if (seen.has(place.value)) continue
    seen.add(place.value)
    if (isForged(place.value)) return [...pathOf(place), "__proto__"]
    for (const [key, value] of fieldsOf(place.value)) {
      if (typeof value === "object" && value !== null) places.push({ value, key, above: place })
    }
  }
  return undefined
}

const fieldsOf = (u: object): ReadonlyArray<readonly [string, unknown]> =>
  Array.isArray(u) || isPlainObject(u) ? Object.entries(u) : []

const pathOf = ({ above, key }: Place): ReadonlyArray<string> =>
  above === undefined || key === undefined ? [] : [...pathOf(above), key]

/**
 * True if an object has the key `__proto__`, or got its prototype by it: other prototypes have a constructor, functions
 * or symbols, and JSON has none.
 */
const isForged = (u: object): boolean => {
  if (Object.hasOwn(u, "__proto__")) return true
  const prototype: unknown = Object.getPrototypeOf(u)
  return Predicate.isObject(prototype) && !isOwnFunction(prototype, "constructor") &&
    Object.getOwnPropertySymbols(prototype).length === 0 &&
    !Object.getOwnPropertyNames(prototype).some((name) => isOwnFunction(prototype, name))
}

const isOwnFunction = (u: object, name: string): boolean =>
  typeof Object.getOwnPropertyDescriptor(u, name)?.value === "function"

/** @internal Says where a value has the key `__proto__`: `opts.__proto__: this key is refused`; undefined if nowhere. */
export const protoKey = (u: unknown): string | undefined => {
  const path = protoPath(u)
  return path === undefined ? undefined : `${path.join(".")}: ${refusedKey}`
}

/** @internal */
export const refusedKey = "this key is refused"

/**
 * Parses a JSON text from outside. Left: why it is refused, either because it is no JSON, or with the path of a key
 * `__proto__`.
 *
 * @internal
 */
export const read = (text: string): Either.Either<Json, string> => {
  try {
    const value: Json = JSON.parse(text)
    const why = protoKey(value)
    return why === undefined ? Either.right(value) : Either.left(why)
  } catch (error) {
    return Either.left(error instanceof Error ? error.message : String(error))
  }
}

export const Json: Schema.Schema<Json> = Schema.declare(isJson, {
  identifier: "Json",
  description: "a JSON value",
  // The JSON Schema is written out, because Effect treats an empty one as absent, and then fails for every document
  // that refers to it.
  jsonSchema: {
    anyOf: [...["null", "boolean", "number", "string", "object"].map((type) => ({ type })), {
      type: "array",
      items: {}
    }]
  },
  arbitrary: () => (fc) => fc.jsonValue().map((value) => toJson(value))
})

/** A JSON object: the type of `metadata` and of every stored document; nested at most 128 levels deep. */
export type JsonObject = { readonly [key: string]: Json }

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

export const isJsonObject: (u: unknown) => u is JsonObject = Schema.is(JsonObject)

/** True if a text has no lone surrogates. A lone surrogate is invalid in a URL, and stores replace it. */
export const isWellFormed = (text: string): boolean => text.isWellFormed()

/**
 * Returns a value with well-formed texts and keys: U+FFFD replaces each lone surrogate, which no vendor accepts in a
 * request. Returns the same value if nothing changes. Parts below the depth of a stored document stay as they are.
 *
 * @internal
 */
// Safe: only texts change, to other texts.
export const wellFormed = <A>(value: A): A => formed(value, 0) as A

const formed = (value: unknown, depth: number): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (depth > maxDocumentDepth) return value
  if (Array.isArray(value)) {
    const list = value.map((one) => formed(one, depth + 1))
    return list.some((one, i) => one !== value[i]) ? list : value
  }
  if (!isPlainObject(value)) return value
  const fields = Object.entries(value)
  const made = fields.map(([key, one]) => [key.toWellFormed(), formed(one, depth + 1)] as const)
  return made.some(([key, one], i) => key !== fields[i]![0] || one !== fields[i]![1]) ? Object.fromEntries(made) : value
}

/** Characters that open a tag, break a line, change the writing direction or are invisible (such as the tags block). */
const unsafe = /[<\u007f-\u009f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udc7f]/g

const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

/**
 * Writes a value as JSON for use inside a prompt: one line, with characters escaped that could close a tag or are
 * invisible, so that user input stays data. It parses back to the same value.
 */
export const quote = (value: unknown): string => (JSON.stringify(value) ?? "null").replace(unsafe, escaped)

/** A piece of text, or a value that is not written yet. */
type Piece = string | { readonly value: Json }

type Keys = (object: JsonObject) => ReadonlyArray<string>

/**
 * The JSON text of a value, piece by piece. Uses an explicit stack, so that depth and width cannot overflow the call
 * stack.
 */
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
 * Returns the canonical JSON text of a value: keys sorted by UTF-16 code units, no white space. Values that differ only
 * in key order have the same text, so it can be compared, hashed or signed.
 */
export const canonical = (value: Json): string =>
  Array.from(written(value, (object) => Object.keys(object).sort())).join("")

/** Returns the SHA-256 of a value's canonical JSON, in hexadecimal; it does not depend on key order. */
export const digest = (value: Json): string => digestOf(canonical(value))

/** Returns the SHA-256 of a text, in hexadecimal. */
export const digestOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/**
 * Returns the length of a value's JSON text in characters (UTF-16 code units), or `Infinity` if it exceeds `max`. Stops
 * counting at `max`, so that huge values take no longer.
 */
export const sizeWithin = (value: Json, max: number): number => {
  let size = 0
  for (const text of written(value, Object.keys)) {
    size += text.length
    if (size > max) return Infinity
  }
  return size
}

/** Returns the first `max` characters of a value's JSON text, without creating the rest. */
export const head = (value: Json, max: number): string => {
  let text = ""
  for (const piece of written(value, Object.keys)) {
    text += piece.length > max ? piece.slice(0, max) : piece
    if (text.length >= max) return text.slice(0, max)
  }
  return text
}

/**
 * Fields that are structs, and are known part by part: an address whose street is known, and whose zip is not. Parts are
 * kept beside the data until they are a whole that the field's Schema takes, so that data never holds half a value.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { JsonObject, OwnKey } from "../base/Json.js"
import * as Memo from "../base/Memo.js"
import type { AnySchema, Field, Fields } from "./Fields.js"
import { forget, fromStruct, isStruct, optional } from "./Fields.js"

/**
 * What is known of a struct: values in memory, each under the way to it, `zip` or `geo.lat`.
 *
 * @since 0.1.0
 * @category models
 */
export type Parts = Readonly<Record<string, unknown>>

/**
 * A part that is no struct itself.
 *
 * @since 0.1.0
 * @category models
 */
export interface Leaf {
  /** The way to it from the field: `zip`, or `geo.lat`. */
  readonly path: string
  /** Named from the data: `address.zip`. */
  readonly field: Field
}

type Values = Readonly<Record<string, unknown>>

/**
 * Whether a field is filled part by part.
 *
 * @since 0.1.0
 * @category guards
 */
export const isNested = (field: Field): boolean => field.inside().length > 0

/**
 * Those of the fields that are structs.
 *
 * @since 0.1.0
 * @category getters
 */
export const structsOf: (fields: Fields) => ReadonlyArray<Field> = Memo.weak((fields: Fields) =>
  Array.from(fields.values()).filter(isNested)
)

/** The parts that somebody can say something of. */
const open = (field: Field) => field.inside().filter(({ constant }) => Option.isNone(constant))

const leaves = (field: Field, before: string): ReadonlyArray<Leaf> =>
  open(field).flatMap(({ field: inner, part }) =>
    isNested(inner) ? leaves(inner, `${before}${part}.`) : [{ path: `${before}${part}`, field: inner }]
  )

/**
 * The parts of a field, those of its parts included; none of a field that is no struct.
 *
 * @since 0.1.0
 * @category getters
 */
export const leavesOf = (field: Field): ReadonlyArray<Leaf> => leaves(field, "")

const isBegun = (parts: Parts, before: string): boolean => Object.keys(parts).some((path) => path.startsWith(before))

const lacking = (field: Field, parts: Parts, before: string): ReadonlyArray<Leaf> =>
  open(field).flatMap(({ field: inner, part, required }) => {
    const path = `${before}${part}`
    if (!isNested(inner)) return required && !Object.hasOwn(parts, path) ? [{ path, field: inner }] : []
    // A struct that may be absent must be whole once something of it was said.
    return required || isBegun(parts, `${path}.`) ? lacking(inner, parts, `${path}.`) : []
  })

/**
 * The parts that are still to be told until the field is known.
 *
 * @since 0.1.0
 * @category getters
 */
export const missing = (field: Field, parts: Parts): ReadonlyArray<Leaf> => lacking(field, parts, "")

const encodedLeaf = ({ schema }: Field, value: unknown): unknown =>
  Either.getOrElse(Schema.encodeUnknownEither(schema)(value), () => undefined)

/** How parts are put together: what each becomes, and whether other keys that the Schema requires are added. */
interface Laying {
  readonly of: (leaf: Field, value: unknown) => unknown
  readonly isWhole: boolean
}

const laid = (field: Field, parts: Parts, laying: Laying, before = ""): Values => {
  const { isWhole, of } = laying
  return Object.fromEntries(
    field.inside().flatMap(({ constant, field: inner, part, required }) => {
      const path = `${before}${part}`
      const isNeeded = isWhole && required
      if (Option.isSome(constant)) return isNeeded ? [[part, constant.value]] : []
      if (!isNested(inner)) return Object.hasOwn(parts, path) ? [[part, of(inner, parts[path])]] : []
      return isNeeded || isBegun(parts, `${path}.`) ? [[part, laid(inner, parts, laying, `${path}.`)]] : []
    })
  )
}

/**
 * The parts put together, as the field will hold them; this is what a prompt shows.
 *
 * @since 0.1.0
 * @category getters
 */
export const shaped = (field: Field, parts: Parts): Values =>
  laid(field, parts, { of: (_, value) => value, isWhole: false })

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce(
    (inside, part) => Predicate.isRecord(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined,
    value
  )

/**
 * The parts of a whole value in memory.
 *
 * @since 0.1.0
 * @category getters
 */
export const ofWhole = (field: Field, value: unknown): Parts => {
  const encoded = encodedLeaf(field, value)
  return Object.fromEntries(
    leavesOf(field).flatMap(({ field: leaf, path }) => {
      const part = at(encoded, path)
      return part === undefined
        ? []
        : Either.match(leaf.decode(part), { onLeft: () => [], onRight: (one) => [[path, one]] })
    })
  )
}

/**
 * What a message says of a struct.
 *
 * @since 0.1.0
 * @category models
 */
export interface Said {
  /** Parts as they come over the wire, put together; `null` where nothing is said. */
  readonly given: unknown
  /** The ways to those that are taken back. */
  readonly withdrawn: ReadonlyArray<string>
  /** Whether a part may be taken. */
  readonly takes: (leaf: Leaf) => boolean
}

/**
 * What is not taken, and why. The name is that of the part.
 *
 * @since 0.1.0
 * @category models
 */
export interface Refused {
  readonly name: string
  readonly value: unknown
  readonly message: string
}

/**
 * What a message makes of a struct.
 *
 * @since 0.1.0
 * @category models
 */
export interface Change {
  /** What is known of it now. */
  readonly parts: Parts
  /** The whole value, once no part is missing. */
  readonly whole: Option.Option<unknown>
  /** Whether the message states a part. */
  readonly states: boolean
  readonly refused: ReadonlyArray<Refused>
}

interface Reading {
  readonly stated: Record<string, unknown>
  readonly refused: Array<Refused>
}

/** Takes each part by itself: when its Schema refuses one, the others are still taken. */
const read = (field: Field, given: Values, takes: Said["takes"], into: Reading, before = ""): Reading => {
  for (const { field: inner, part } of open(field)) {
    const value = Object.hasOwn(given, part) ? given[part] : undefined
    const path = `${before}${part}`
    if (value === undefined || value === null) continue
    if (isNested(inner) && Predicate.isRecord(value)) read(inner, value, takes, into, `${path}.`)
    else if (isNested(inner) || takes({ path, field: inner })) {
      Either.match(inner.decode(value), {
        onLeft: (message) => void into.refused.push({ name: inner.name, value, message }),
        onRight: (decoded) => void (into.stated[path] = decoded)
      })
    }
  }
  return into
}

/** Whether anything was given that is no part at all. */
const isForeign = (field: Field, given: Values): boolean =>
  Object.entries(given).some(([name, value]) => value !== null && !field.inside().some(({ part }) => part === name))

/**
 * What is known of a struct, changed by what a message says of it. When all parts are there but the Schema of the field
 * refuses them together, nothing changes.
 *
 * @since 0.1.0
 * @category combinators
 */
export const change = (field: Field, known: Parts, { given, takes, withdrawn }: Said): Change => {
  const said = Predicate.isRecord(given) ? given : {}
  const { refused, stated } = read(field, said, takes, { stated: {}, refused: [] })
  const states = Object.keys(stated).length > 0
  if (!states && refused.length === 0 && isForeign(field, said)) refused.push(complaint(field, said))
  if (!states && !withdrawn.some((path) => Object.hasOwn(known, path))) {
    return { parts: known, whole: Option.none(), states, refused }
  }
  // A message that states every required part states a new value: nothing of the old one stays.
  const isAnother = missing(field, {}).length > 0 && missing(field, stated).length === 0
  const parts = { ...(isAnother ? {} : forget(known, withdrawn)), ...stated }
  return Either.match(together(field, parts), {
    onLeft: (why) => ({ parts: known, whole: Option.none(), states: false, refused: [...refused, why] }),
    onRight: (whole) => ({ parts, whole, states, refused })
  })
}

/** The whole value of the parts; nothing as long as one is missing; or why the Schema refuses it. */
const together = (field: Field, parts: Parts): Either.Either<Option.Option<unknown>, Refused> => {
  if (Object.keys(parts).length === 0 || missing(field, parts).length > 0) return Either.right(Option.none())
  const value = laid(field, parts, { of: encodedLeaf, isWhole: true })
  return Either.mapBoth(field.decode(value), {
    onLeft: (message) => ({ name: field.name, value, message }),
    onRight: Option.some
  })
}

const complaint = (field: Field, value: Values): Refused => ({
  name: field.name,
  value,
  message: Either.match(field.decode(value), { onLeft: (message) => message, onRight: () => "it names no part" })
})

/**
 * The Schema of a message's words about a struct: every part of it may be absent.
 *
 * @since 0.1.0
 * @category schemas
 */
export const loosened: (field: Field) => AnySchema = Memo.weak((field: Field) =>
  Schema.Struct(
    Object.fromEntries(
      open(field).map(({ field: inner, part }) => [part, optional(isNested(inner) ? loosened(inner) : inner.schema)])
    )
    // Built from entries, whose types the compiler does not follow.
  ) as unknown as AnySchema
)

/**
 * The Schema of what is known in part of an agent's data, by field.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = (data: Schema.Schema.All): Schema.Schema<Readonly<Record<string, Parts>>, JsonObject> =>
  // Built from entries, whose types the compiler does not follow; data encodes to JSON.
  (isStruct(data)
    ? Schema.Struct(Object.fromEntries(
      Array.from(fromStruct(data).values()).filter(isNested).map((field) => [
        field.name,
        optional(
          Schema.Struct(Object.fromEntries(leavesOf(field).map(({ field, path }) => [path, optional(field.schema)])))
        )
      ])
    ))
    : Schema.Record({ key: OwnKey, value: JsonObject })) as never

/** Where data is kept, and what is known in part. */
interface Known {
  readonly data: Values
  readonly partial?: Readonly<Record<string, Parts>>
}

/**
 * What is known of a struct: of its value, or as long as it has none, in part.
 *
 * @since 0.1.0
 * @category getters
 */
export const known = ({ data, partial }: Known, field: Field): Parts =>
  data[field.name] !== undefined ? ofWhole(field, data[field.name]) : partial?.[field.name] ?? {}

/**
 * What is known in part, without the named fields: to be laid over a session.
 *
 * @since 0.1.0
 * @category combinators
 */
export const forgetting = ({ partial }: Pick<Known, "partial">, names: Iterable<string>): Pick<Known, "partial"> => {
  const gone = new Set(names)
  return partial === undefined
    ? {}
    : { partial: Object.fromEntries(Object.entries(partial).filter(([name]) => !gone.has(name))) }
}

/**
 * What is stored of fields that are known in part. A field that is known as a whole, or not at all, is left out.
 *
 * @since 0.1.0
 * @category combinators
 */
export const stored = ({ data, partial = {} }: Known): Pick<Known, "partial"> => {
  const kept = Object.entries(partial).filter(([name, parts]) =>
    data[name] === undefined && Object.keys(parts).length > 0
  )
  return kept.length === 0 ? {} : { partial: Object.fromEntries(kept) }
}

/**
 * Struct fields that become known part by part, such as an address whose zip code is still unknown. The parts are kept
 * outside the data until they form a value that the field's Schema accepts, so that data never holds incomplete values.
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { JsonObject, OwnKey } from "../base/Json.js"
import * as Memo from "../base/Memo.js"
import { ownValue } from "../base/ownValue.js"
import type { AnySchema, Field } from "./Fields.js"
import { forget, fromStruct, isStruct, optional } from "./Fields.js"

/** The known parts of a struct: decoded values by path, such as `zip` or `geo.lat`. */
export type Parts = Readonly<Record<string, unknown>>

/** A part that is not a struct itself. */
interface Leaf {
  /** Path from the field: `zip` or `geo.lat`. */
  readonly path: string
  /** The part as a field with its full name: `address.zip`. */
  readonly field: Field
}

type Values = Readonly<Record<string, unknown>>

/** True if a field is filled part by part. */
export const isNested = (field: Field): boolean => field.inside().length > 0

/** The parts without a constant value. */
const open = (field: Field) => field.inside().filter(({ constant }) => Option.isNone(constant))

const leaves = (field: Field, before: string): ReadonlyArray<Leaf> =>
  open(field).flatMap(({ field: inner, part }) =>
    isNested(inner) ? leaves(inner, `${before}${part}.`) : [{ path: `${before}${part}`, field: inner }]
  )

/** Returns the parts of a field, including nested ones; empty if it is not a struct. */
export const leavesOf = (field: Field): ReadonlyArray<Leaf> => leaves(field, "")

const isBegun = (parts: Parts, before: string): boolean => Object.keys(parts).some((path) => path.startsWith(before))

const lacking = (field: Field, parts: Parts, before: string): ReadonlyArray<Leaf> =>
  open(field).flatMap(({ field: inner, part, required }) => {
    const path = `${before}${part}`
    if (!isNested(inner)) return required && !Object.hasOwn(parts, path) ? [{ path, field: inner }] : []
    // An optional struct must be completed if one of its parts is stated.
    return required || isBegun(parts, `${path}.`) ? lacking(inner, parts, `${path}.`) : []
  })

/** Returns the required parts that are not known yet. */
export const missing = (field: Field, parts: Parts): ReadonlyArray<Leaf> => lacking(field, parts, "")

const encodedLeaf = ({ schema }: Field, value: unknown): unknown =>
  Either.getOrElse(Schema.encodeUnknownEither(schema)(value), () => undefined)

/** How parts are put together: the conversion of each part, and whether all required keys are added. */
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

/** Assembles the decoded parts into an object, as shown in prompts. */
export const shaped = (field: Field, parts: Parts): Values =>
  laid(field, parts, { of: (_, value) => value, isWhole: false })

const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce(
    (inside, part) => Predicate.isRecord(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined,
    value
  )

/** Returns the parts of a complete decoded value. */
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

/** The values that a message states or withdraws for a struct. */
export interface StatedParts {
  /** The encoded parts as an object; `null` for a part that the message does not state. */
  readonly given: unknown
  /** Paths of the withdrawn parts. */
  readonly withdrawn: ReadonlyArray<string>
  /** True if a part may be taken from the message. */
  readonly takes: (leaf: Leaf) => boolean
}

/** A refused part, with the reason. `name` is the part's name. */
export interface RefusedPart {
  readonly name: string
  readonly value: unknown
  readonly message: string
}

/** The effect of a message on a struct. */
interface Change {
  /** The parts that are known after the message. */
  readonly parts: Parts
  /** The complete value; None while a part is missing. */
  readonly whole: Option.Option<unknown>
  /** True if the message states a part. */
  readonly states: boolean
  readonly refused: ReadonlyArray<RefusedPart>
}

interface DecodedParts {
  readonly stated: Record<string, unknown>
  readonly refused: Array<RefusedPart>
}

/** Decodes each part separately, so that a refused part does not affect the others. */
const read = (
  field: Field,
  given: Values,
  takes: StatedParts["takes"],
  into: DecodedParts,
  before = ""
): DecodedParts => {
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

/** True if a given key is not a part. */
const isForeign = (field: Field, given: Values): boolean =>
  Object.entries(given).some(([name, value]) => value !== null && !field.inside().some(({ part }) => part === name))

/**
 * Applies a message's statements to the known parts of a struct. If all parts are known but the field's Schema refuses
 * them together, the known parts stay unchanged.
 */
export const change = (field: Field, known: Parts, { given, takes, withdrawn }: StatedParts): Change => {
  const said = Predicate.isRecord(given) ? given : {}
  const { refused, stated } = read(field, said, takes, { stated: {}, refused: [] })
  const states = Object.keys(stated).length > 0
  if (!states && refused.length === 0 && isForeign(field, said)) refused.push(complaint(field, said))
  if (!states && !withdrawn.some((path) => Object.hasOwn(known, path))) {
    return { parts: known, whole: Option.none(), states, refused }
  }
  // A message that states every required part gives a new value; the old parts are discarded.
  const isAnother = missing(field, {}).length > 0 && missing(field, stated).length === 0
  const parts = { ...(isAnother ? {} : forget(known, withdrawn)), ...stated }
  return Either.match(together(field, parts), {
    onLeft: (why) => ({ parts: known, whole: Option.none(), states: false, refused: [...refused, why] }),
    onRight: (whole) => ({ parts, whole, states, refused })
  })
}

/** The complete value; `None` while a part is missing; `Left` if the Schema refuses it. */
const together = (field: Field, parts: Parts): Either.Either<Option.Option<unknown>, RefusedPart> => {
  if (Object.keys(parts).length === 0 || missing(field, parts).length > 0) return Either.right(Option.none())
  const value = laid(field, parts, { of: encodedLeaf, isWhole: true })
  return Either.mapBoth(field.decode(value), {
    onLeft: (message) => ({ name: field.name, value, message }),
    onRight: Option.some
  })
}

const complaint = (field: Field, value: Values): RefusedPart => ({
  name: field.name,
  value,
  message: Either.match(field.decode(value), { onLeft: (message) => message, onRight: () => "it names no part" })
})

/** The Schema of a struct with all parts optional, for extraction. */
export const loosened: (field: Field) => AnySchema = Memo.weak((field: Field) =>
  Schema.Struct(
    Object.fromEntries(
      open(field).map(({ field: inner, part }) => [part, optional(isNested(inner) ? loosened(inner) : inner.schema)])
    )
    // The cast is needed, because the compiler cannot follow a struct built from entries.
  ) as unknown as AnySchema
)

/** The Schema of the stored known parts, by field. */
export const schema = (data: Schema.Schema.All): Schema.Schema<Readonly<Record<string, Parts>>, JsonObject> =>
  // The cast is needed, because the compiler cannot follow a struct built from entries. Data encodes to JSON.
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

/** The data and the known parts. */
interface KnownParts {
  readonly data: Values
  readonly partial?: Readonly<Record<string, Parts>>
}

/** Returns the known parts of a struct: those of its value; while it has none, the parts that are stored separately. */
export const known = ({ data, partial }: KnownParts, field: Field): Parts =>
  ownValue(data, field.name) !== undefined
    ? ofWhole(field, data[field.name])
    : ownValue(partial ?? {}, field.name) ?? {}

/** Returns the known parts that a session stores: those of fields that have parts and no complete value yet. */
export const stored = ({ data, partial = {} }: KnownParts): Pick<KnownParts, "partial"> => {
  const kept = Object.entries(partial).filter(([name, parts]) =>
    ownValue(data, name) === undefined && Object.keys(parts).length > 0
  )
  return kept.length === 0 ? {} : { partial: Object.fromEntries(kept) }
}

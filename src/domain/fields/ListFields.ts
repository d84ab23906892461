/** Fields with lists or records that are filled over several messages. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { ownValue } from "../base/ownValue.js"
import type { Field } from "./Fields.js"

/** The key that identifies the items of a list. */
export const keyOf = ({ merge }: Pick<Field, "merge">): string | undefined =>
  merge.startsWith("by:") ? merge.slice(3) : undefined

/** Compares keys, ignoring case and surrounding space. */
const isKey = (a: unknown, b: unknown): boolean =>
  Predicate.isString(a) && Predicate.isString(b) ? a.trim().toLowerCase() === b.trim().toLowerCase() : a === b

const partOf = (item: unknown, key: string): unknown => Predicate.isRecord(item) ? ownValue(item, key) : undefined

/**
 * Merges a message's value into the known value. Then checks the whole result, because the Schema may limit the number
 * of items.
 */
export const merge = (field: Field, known: unknown, given: unknown): Either.Either<unknown, string> => {
  const merged = joined(field, known, given)
  return merged === given ? Either.right(given) : field.check(merged)
}

const joined = (field: Field, known: unknown, given: unknown): unknown => {
  if (field.merge === "replace" || known === undefined) return given
  if (!Array.isArray(known) || !Array.isArray(given)) {
    return Predicate.isRecord(known) && Predicate.isRecord(given) ? { ...known, ...given } : given
  }
  const key = keyOf(field)
  if (key === undefined) return [...known, ...given]
  return given.reduce((items: ReadonlyArray<unknown>, item: unknown) => {
    const at = items.findIndex((one) => isKey(partOf(one, key), partOf(item, key)))
    // The new properties of the item are merged over the known ones; its key keeps its first spelling.
    return at < 0
      ? [...items, item]
      : items.with(at, { ...Object(items[at]), ...Object(item), [key]: partOf(items[at], key) })
  }, known)
}

/** Removes items from a list (by key; if the field has no key, by position, from 1) or from a record (by name). */
export const without = (field: Field, known: unknown, removed: ReadonlyArray<unknown>): unknown => {
  const key = keyOf(field)
  if (Predicate.isRecord(known)) {
    return Object.fromEntries(Object.entries(known).filter(([name]) => !removed.some((one) => isKey(name, one))))
  }
  if (!Array.isArray(known)) return known
  return known.filter((item: unknown, i) =>
    !removed.some((one) => key === undefined ? one === i + 1 : isKey(partOf(item, key), one))
  )
}

/** True if a value is an empty list or record. */
export const isNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : Predicate.isRecord(value) && Object.keys(value).length === 0

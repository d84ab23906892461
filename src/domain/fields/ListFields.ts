/**
 * Fields that hold more than one value, and are filled across messages.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { Field } from "./Fields.js"

/**
 * The key that tells the items of a list apart.
 *
 * @since 0.1.0
 * @category getters
 */
export const keyOf = ({ merge }: Pick<Field, "merge">): string | undefined =>
  merge.startsWith("by:") ? merge.slice(3) : undefined

/** Whether two keys name the same: as people write them, in any case. */
const isKey = (a: unknown, b: unknown): boolean =>
  Predicate.isString(a) && Predicate.isString(b) ? a.trim().toLowerCase() === b.trim().toLowerCase() : a === b

const partOf = (item: unknown, key: string): unknown => Predicate.isRecord(item) ? item[key] : undefined

/**
 * What is known with what a message gives, checked as a whole: the Schema may limit how many there are.
 *
 * @since 0.1.0
 * @category combinators
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
    // What the message says of an item is laid over what is known of it; its key stays as it was written first.
    return at < 0
      ? [...items, item]
      : items.with(at, { ...Object(items[at]), ...Object(item), [key]: partOf(items[at], key) })
  }, known)
}

/**
 * What is left of a list or a record when the user takes items away: by their key or name, else by their place, from 1.
 *
 * @since 0.1.0
 * @category combinators
 */
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

/**
 * Whether a value is a list or a record without anything in it.
 *
 * @since 0.1.0
 * @category guards
 */
export const isNothing = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : Predicate.isRecord(value) && Object.keys(value).length === 0

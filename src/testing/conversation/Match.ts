/** Compares values with the expectations of a test. */
import * as Equal from "effect/Equal"
import * as Predicate from "effect/Predicate"
import * as Utils from "effect/Utils"

const isPlain = (u: unknown): u is Record<string, unknown> =>
  Predicate.isRecord(u) && [Object.prototype, null].includes(Object.getPrototypeOf(u))

/**
 * True if `actual` matches `expected`. Of an object, only the fields in `expected` are compared; a text must match a
 * pattern; any other value must be equal. A field that is expected to be `undefined` must be absent.
 */
export const matches = (actual: unknown, expected: unknown): boolean => {
  if (expected instanceof RegExp) return typeof actual === "string" && new RegExp(expected).test(actual)
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length &&
      expected.every((one, i) => matches(actual[i], one))
  }
  if (isPlain(expected)) {
    return Predicate.isRecord(actual) && Object.entries(expected).every(([key, one]) => matches(actual[key], one))
  }
  return Utils.structuralRegion(() => Equal.equals(actual, expected))
}

/** Formats a value in one line for a reader. */
export const show = (value: unknown): string =>
  value === undefined
    ? "nothing"
    : value instanceof RegExp
    ? String(value)
    : value instanceof Date
    ? value.toISOString()
    : isPlain(value)
    ? `{ ${Object.entries(value).map(([key, one]) => `${key}: ${show(one)}`).join(", ")} }`
    : JSON.stringify(value) ?? String(value)

/** Formats the fields of a record in one line; returns `nothing` if there are none. */
export const showFields = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(values).map(([key, value]) => `${key} ${show(value)}`).join(", ") || "nothing"

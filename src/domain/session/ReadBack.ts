/**
 * What a step has collected, told to the user before the flow goes on.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import { toJson } from "../base/Json.js"
import { digest } from "./Approval.js"

/** The condition in words by which a message agrees to what was read back. */
export const agreement = "confirm.yes"

type Values = Readonly<Record<string, unknown>>

/** `checkIn` and `check_in` are "check in". */
const labelOf = (name: string): string =>
  name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[_-]+/g, " ").toLowerCase()

const valueOf = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (value instanceof Date) return value.toISOString().replace("T00:00:00.000Z", "")
  if (Array.isArray(value)) return value.map(valueOf).join(", ")
  if (Predicate.isRecord(value)) {
    return Object.entries(value).map(([name, part]) => `${labelOf(name)} ${valueOf(part)}`).join(" ")
  }
  return String(value)
}

/** Parts of a value are told apart by commas; in a list, where commas part the items, by spaces. */
const told = (value: unknown): string =>
  Predicate.isRecord(value) && !(value instanceof Date)
    ? Object.entries(value).map(([name, part]) => `${labelOf(name)} ${valueOf(part)}`).join(", ")
    : valueOf(value)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * The values of the named fields, and the question whether they are right.
 *
 * @since 0.1.0
 * @category rendering
 */
export const question = (names: ReadonlyArray<string>, data: Values): string =>
  `${capital(names.map((name) => `${labelOf(name)}: ${told(data[name])}`).join("; "))}. Is that right?`

/**
 * What is asked of a user who has said no.
 *
 * @since 0.1.0
 * @category rendering
 */
export const which = (names: ReadonlyArray<string>): string => {
  const [first = "", ...others] = names.map(labelOf)
  const last = others.pop()
  if (last === undefined) return `What should the ${first} be instead?`
  return `What should I change: ${[first, ...others].join(", ")} or ${last}?`
}

/**
 * A text that is the same for the same values: what was confirmed is confirmed as long as nothing of it changes.
 *
 * @since 0.1.0
 * @category hashing
 */
export const seal = (names: ReadonlyArray<string>, data: Values): string =>
  // What data holds is written as JSON in the session as well.
  digest(toJson(names.map((name) => data[name] ?? null)))

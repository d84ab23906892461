/** Reading the collected values of a step back to the user for confirmation. */
import * as DateTime from "effect/DateTime"
import * as Predicate from "effect/Predicate"
import { toJson } from "../base/Json.js"
import { ownValue } from "../base/ownValue.js"
import { digest } from "./Approval.js"

/** Id of the condition that the user confirms the values that were read back. */
export const agreement = "confirm.yes"

type Values = Readonly<Record<string, unknown>>

/** Turns `checkIn` and `check_in` into "check in". */
const labelOf = (name: string): string =>
  name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[_-]+/g, " ").toLowerCase()

const isInstant = (value: unknown): value is Date | DateTime.DateTime =>
  value instanceof Date || DateTime.isDateTime(value)

const instantOf = (value: Date | DateTime.DateTime): string =>
  DateTime.isDateTime(value) && DateTime.isZoned(value)
    ? DateTime.formatIsoZoned(value)
    : (value instanceof Date ? value : DateTime.toDateUtc(value)).toISOString().replace("T00:00:00.000Z", "")

const valueOf = (value: unknown): string => {
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (isInstant(value)) return instantOf(value)
  if (Array.isArray(value)) return value.map(valueOf).join(", ")
  if (Predicate.isRecord(value)) {
    return Object.entries(value).map(([name, part]) => `${labelOf(name)} ${valueOf(part)}`).join(" ")
  }
  return String(value)
}

/** Formats a value as text: parts of a value are separated by commas, parts of a list element by spaces. */
const told = (value: unknown): string =>
  Predicate.isRecord(value) && !isInstant(value)
    ? Object.entries(value).map(([name, part]) => `${labelOf(name)} ${valueOf(part)}`).join(", ")
    : valueOf(value)

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the values of the named fields, and the question whether they are right. */
export const question = (names: ReadonlyArray<string>, data: Values): string =>
  `${capital(names.map((name) => `${labelOf(name)}: ${told(ownValue(data, name))}`).join("; "))}. Is that right?`

/** Returns the question which of the values is wrong, for a user who has said no. */
export const which = (names: ReadonlyArray<string>): string => {
  const [first = "", ...others] = names.map(labelOf)
  const last = others.pop()
  if (last === undefined) return `What should the ${first} be instead?`
  return `What should I change: ${[first, ...others].join(", ")} or ${last}?`
}

/** Returns a digest of the values. A confirmation is valid as long as the digest stays the same. */
export const seal = (names: ReadonlyArray<string>, data: Values): string =>
  // Converts the values to JSON, because they are stored as JSON.
  digest(toJson(names.map((name) => ownValue(data, name) ?? null)))

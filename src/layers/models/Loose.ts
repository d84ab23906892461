/**
 * Reads the JSON of servers, whose form may change. Checks the type of every value: a value of another type counts as
 * absent, so that reading never fails.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../domain/base/Json.js"
import * as JsonText from "../../domain/fields/schema/JsonText.js"

export type Fields = Readonly<Record<string, unknown>>

const nothing: ReadonlyArray<Fields> = []

export const text = (value: unknown): string | undefined => typeof value === "string" ? value : undefined

export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

export const fields: (value: unknown) => Fields = recordOf

/** Returns the objects in a list. */
export const each = (value: unknown): ReadonlyArray<Fields> =>
  Array.isArray(value) ? value.filter((one): one is Fields => Predicate.isRecord(one)) : nothing

/**
 * Parses the arguments of a call, also in a Markdown fence. Invalid JSON is returned as text; decoding this text fails
 * later and tells the model what is wrong.
 */
export const args = (given: string): unknown =>
  given.trim() === "" ? {} : Either.getOrElse(JsonText.whole(given), () => given)

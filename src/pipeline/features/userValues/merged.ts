/** Merges what two sessions of a user have changed in one list or record at the same time, so that no item is lost. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { canonical, isJson, isJsonObject, type Json, recordOf } from "../../../domain/base/Json.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { Field } from "../../../domain/fields/Fields.js"
import * as ListFields from "../../../domain/fields/ListFields.js"

/** Returns the encoded form of a value; undefined for an unknown value. */
export const encoded = ({ schema }: Field, value: unknown): Json | undefined => {
  if (value === undefined) return undefined
  const found = Either.getOrUndefined(Schema.encodeUnknownEither(schema)(value))
  return isJson(found) ? found : undefined
}

export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  a === undefined || b === undefined ? a === b : canonical(a) === canonical(b)

type Items = Map<string, Json>

/** The items of a list by their key, or by their content; the properties of a record by their name. */
const itemsOf = (field: Field, value: Json | undefined): Items | undefined => {
  const key = ListFields.keyOf(field)
  const idOf = (item: Json): string => {
    const id = key === undefined ? undefined : ownValue(recordOf(item), key)
    return typeof id === "string" ? id.trim().toLowerCase() : canonical(isJson(id) ? id : item)
  }
  if (Array.isArray(value)) return new Map(value.map((item: Json) => [idOf(item), item]))
  if (isJsonObject(value)) return new Map(Object.entries(value))
  return value === undefined ? new Map() : undefined
}

/** Returns the items of `theirs` without those that we have removed, and with those that we have changed or added. */
const together = (before: Items, ours: Items, theirs: Items): Items => {
  const left = Array.from(theirs).filter(([id]) => ours.has(id) || !before.has(id))
  return new Map([...left, ...Array.from(ours).filter(([id, item]) => !isSame(before.get(id), item))])
}

/**
 * Returns the value to store: `ours`, or if the list or record of the user (`theirs`) is not the one from before the
 * turn, the user's with our changes; undefined if it then has no item. So items that another session has cleared, or
 * that only this session had before its user was known, stay out. Other kinds of values are not merged: the later
 * statement replaces the earlier one.
 */
export const merged = (
  field: Field,
  before: Json | undefined,
  ours: Json,
  theirs: Json | undefined
): Json | undefined => {
  if (field.merge === "replace" || isSame(before, theirs)) return ours
  const [was, now, found] = [before, ours, theirs].map((value) => itemsOf(field, value))
  if (was === undefined || now === undefined || found === undefined) return ours
  const items = together(was, now, found)
  if (items.size === 0 && theirs === undefined) return undefined
  const both = Array.isArray(ours) ? Array.from(items.values()) : Object.fromEntries(items)
  return Either.isRight(field.decode(both)) ? both : ours
}

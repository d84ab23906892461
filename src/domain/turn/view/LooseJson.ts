/** Readers of JSON whose type is not known. The page runs them too, so they import no runtime code of Effect. */
import type { Json, JsonObject } from "../../base/Json.js"

export const isRecord = (u: unknown): u is { readonly [key: string]: Json } =>
  typeof u === "object" && u !== null && !Array.isArray(u)

/** Returns an object as it is, and an empty one for every other value. */
export const recordOf = (u: unknown): JsonObject => isRecord(u) ? u : {}

/** Returns the items of a list as objects; an empty list for every other value. */
export const listOf = (u: unknown): ReadonlyArray<JsonObject> => Array.isArray(u) ? u.map(recordOf) : []

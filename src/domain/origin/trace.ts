/**
 * Traces a value to the texts and fields that it can come from. A turn loads this file when it needs it; the file imports
 * nothing of Effect, so that a bundler can keep it apart.
 */
import type { Json } from "../base/Json.js"
import type { Origin } from "./Origin.js"
import { contains, find, isSame, type Span, type Text, textOf } from "./spans.js"

export { find, textOf }

/** A text that was read. A value may come from it if the text contains the value as a whole word, number or address. */
export interface Source {
  readonly text: Text
  readonly at: (span: Span) => Origin
}

/** A value that is known, such as a field: an equal value can come from it. */
export interface KnownValue {
  readonly value: Json
  readonly origins: ReadonlyArray<Origin>
}

/** The texts and fields in which a value is searched, and its origin if none of them contains it. */
export interface Places {
  readonly sources: ReadonlyArray<Source>
  readonly known: ReadonlyArray<KnownValue>
  readonly otherwise: Origin
  /**
   * True if code wrote the value. A text that contains a known value, such as a filled template, then also has the origins
   * of the known value.
   */
  readonly byCode: boolean
  /** Names of properties that the tool's Schema contains; all other names are values. */
  readonly names: Pick<ReadonlySet<string>, "has">
}

/**
 * For each part of a value, the origins that the part may have. A text or a number is one part; a filled template has one
 * part for each value in it.
 */
export type PartOrigins = ReadonlyArray<ReadonlyArray<Origin>>

type Leaf = string | number | boolean

/** Largest number of parts of a value that are traced. */
const mostLeaves = 200

const leavesOf = (value: Json, names: Places["names"]): ReadonlyArray<Leaf> => {
  if (value === null) return []
  if (typeof value === "string") return value.trim() === "" ? [] : [value]
  if (typeof value !== "object") return [value]
  if (Array.isArray(value)) return value.flatMap((one: Json) => leavesOf(one, names))
  return Object.entries(value).flatMap(([name, one]) => [
    ...(names.has(name) ? [] : [name]),
    ...leavesOf(one as Json, names)
  ])
}

/** Smallest length of a known value that is searched in a text that code wrote. */
export const trivial = 3

const anything: ReadonlySet<string> = new Set()

const isEqual = (leaf: Leaf, value: Leaf): boolean =>
  typeof leaf === "boolean" || typeof value === "boolean" ? leaf === value : isSame(leaf, value)

/** A part of a known value. */
interface KnownLeaf {
  readonly leaf: Leaf
  readonly origins: ReadonlyArray<Origin>
}

const traceLeaf = (
  leaf: Leaf,
  leaves: ReadonlyArray<KnownLeaf>,
  { byCode, otherwise, sources }: Places
): PartOrigins => {
  const equal = leaves.filter((one) => isEqual(leaf, one.leaf)).flatMap(({ origins }) => origins)
  // A yes or no of the model is its own, even if an equal value is known.
  if (typeof leaf === "boolean") return [byCode && equal.length > 0 ? equal : [otherwise]]
  const said = sources.flatMap(({ at, text }) => {
    const span = find(text, leaf)
    return span === undefined ? [] : [at(span)]
  })
  const all = [...said, ...equal]
  if (all.length > 0) return [all]
  return byCode && typeof leaf === "string" ? [[otherwise], ...partsIn(leaf, leaves)] : [[otherwise]]
}

/** Returns the origins of the known values within a text that code composed. */
const partsIn = (composed: string, leaves: ReadonlyArray<KnownLeaf>): PartOrigins => {
  const text = textOf(composed)
  return leaves.flatMap(({ leaf, origins }) => {
    const part = String(leaf)
    return typeof leaf !== "boolean" && part.length >= trivial && contains(text, part) ? [origins] : []
  })
}

/** Traces each part of a value. */
export const trace = (value: Json, places: Places): PartOrigins => {
  const leaves = leavesOf(value, places.names)
  const known = places.known.flatMap(({ origins, value }): ReadonlyArray<KnownLeaf> =>
    leavesOf(value, anything).map((leaf) => ({ leaf, origins }))
  )
  const traced = leaves.slice(0, mostLeaves).flatMap((leaf) => traceLeaf(leaf, known, places))
  return leaves.length > mostLeaves ? [...traced, [{ kind: "several" }]] : traced
}

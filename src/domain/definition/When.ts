/** A condition in words, as alternatives, requirements and exclusions. */
import * as Predicate from "effect/Predicate"
import type { OneOrMany, Written } from "../authored/Callback.js"
import { listOf } from "./Definition.js"

/** A condition holds if at least one of `any`, all of `all` and none of `none` hold. An empty `any` is ignored. */
export interface When {
  readonly any: ReadonlyArray<string>
  readonly all: ReadonlyArray<string>
  readonly none: ReadonlyArray<string>
}

/** The prefixes of an entry: `&` for one that must hold, `!` for one that excludes. */
const must = "&"
const not = "!"

/** Parses entries in the form that Understanding gets: `!` excludes, `&` must hold. Empty entries are left out. */
export const parse = (entries: OneOrMany<string> | undefined): When => {
  const any: Array<string> = []
  const all: Array<string> = []
  const none: Array<string> = []
  for (const entry of listOf(entries)) {
    const isMarked = entry.startsWith(must) || entry.startsWith(not)
    const said = isMarked ? entry.slice(1).trim() : entry
    if (said !== "") (!isMarked ? any : entry.startsWith(must) ? all : none).push(said)
  }
  return { any, all, none }
}

/** Renders the entries in the form that Understanding gets; the inverse of `parse`. */
export const render = ({ all, any, none }: When): ReadonlyArray<string> => [
  ...any,
  ...all.map((entry) => `${must}${entry}`),
  ...none.map((entry) => `${not}${entry}`)
]

/** Reads a condition of a definition: its texts in the form that Understanding gets, and its predicates. */
export const read = <P = never>(
  written: Written<P> | undefined
): { readonly words: ReadonlyArray<string>; readonly code: ReadonlyArray<P> } => {
  if (!isAll(written)) return { words: listOf(written), code: [] }
  const words = written.all.filter(Predicate.isString)
  const { all, any, none } = parse(words)
  const wanted = [...any, ...all]
  return {
    // A single required entry is the same as a single alternative.
    words: wanted.length === 1 ? render({ any: wanted, all: [], none }) : render({ any: [], all: wanted, none }),
    code: written.all.filter((entry): entry is Exclude<typeof entry, string> => !Predicate.isString(entry))
  }
}

const isAll = <P>(
  written: Written<P> | undefined
): written is Exclude<Written<P>, string | ReadonlyArray<string>> =>
  Predicate.isRecord(written) && Array.isArray(written.all)

/**
 * Renders the condition for people: one text for each alternative, and one text for all entries that must hold
 * together.
 */
export const told = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { all, any, none } = parse(words)
  return [...any, ...(all.length > 0 ? [all.join(" and ")] : []), ...none.map((entry) => `${not}${entry}`)]
}

/**
 * Conditions in words: what is wanted, what must be so beside it, and what excludes.
 *
 * @since 0.1.0
 */
import * as Predicate from "effect/Predicate"
import type { OneOrMany, Written } from "../authored/Callback.js"
import { listOf } from "./Definition.js"

/**
 * A condition holds when one of `any` does, all of `all` do and none of `none` does. Without `any` it holds unless
 * something of the rest forbids it.
 *
 * @since 0.1.0
 * @category models
 */
export interface When {
  readonly any: ReadonlyArray<string>
  readonly all: ReadonlyArray<string>
  readonly none: ReadonlyArray<string>
}

/** How an entry begins that must hold, and one that excludes. */
const must = "&"
const not = "!"

/**
 * Reads entries as an understanding gets them: one that starts with `!` excludes, one that starts with `&` must hold.
 * Entries that say nothing are left out.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The entries as an understanding gets them. `parse` reads them back.
 *
 * @since 0.1.0
 * @category rendering
 */
export const render = ({ all, any, none }: When): ReadonlyArray<string> => [
  ...any,
  ...all.map((entry) => `${must}${entry}`),
  ...none.map((entry) => `${not}${entry}`)
]

/**
 * Whether it asks nothing, so that it always holds.
 *
 * @since 0.1.0
 * @category getters
 */
export const isEmpty = ({ all, any, none }: When): boolean => any.length + all.length + none.length === 0

/**
 * Reads a condition as it is written in a definition: the words as an understanding gets them, and the code beside them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const read = <P = never>(
  written: Written<P> | undefined
): { readonly words: ReadonlyArray<string>; readonly code: ReadonlyArray<P> } => {
  if (!isAll(written)) return { words: listOf(written), code: [] }
  const words = written.all.filter(Predicate.isString)
  const { all, any, none } = parse(words)
  const wanted = [...any, ...all]
  return {
    // All of one is that one.
    words: wanted.length === 1 ? render({ any: wanted, all: [], none }) : render({ any: [], all: wanted, none }),
    code: written.all.filter((entry): entry is Exclude<typeof entry, string> => !Predicate.isString(entry))
  }
}

const isAll = <P>(
  written: Written<P> | undefined
): written is Exclude<Written<P>, string | ReadonlyArray<string>> =>
  Predicate.isRecord(written) && Array.isArray(written.all)

/**
 * The words for people: each alternative by itself, what must hold together in one.
 *
 * @since 0.1.0
 * @category rendering
 */
export const told = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { all, any, none } = parse(words)
  return [...any, ...(all.length > 0 ? [all.join(" and ")] : []), ...none.map((entry) => `${not}${entry}`)]
}

/**
 * Conditions in words: what is wanted, and what excludes.
 *
 * @since 0.1.0
 */
import type { OneOrMany } from "./Callback.js"
import { listOf } from "./definition/Definition.js"

/**
 * A condition holds when one of `any` does and none of `none` does. Without `any` it holds unless something excludes it.
 *
 * @since 0.1.0
 * @category models
 */
export interface When {
  readonly any: ReadonlyArray<string>
  readonly none: ReadonlyArray<string>
}

/**
 * Reads entries as they are written in a definition: one that starts with `!` excludes. Entries that say nothing are
 * left out.
 *
 * @since 0.1.0
 * @category constructors
 */
export const parse = (entries: OneOrMany<string> | undefined): When => {
  const any: Array<string> = []
  const none: Array<string> = []
  for (const entry of listOf(entries)) {
    const excludes = entry.startsWith("!")
    const said = excludes ? entry.slice(1).trim() : entry
    if (said !== "") (excludes ? none : any).push(said)
  }
  return { any, none }
}

/**
 * The entries as a definition has them. `parse` reads them back.
 *
 * @since 0.1.0
 * @category rendering
 */
export const render = ({ any, none }: When): ReadonlyArray<string> => [...any, ...none.map((entry) => `!${entry}`)]

/**
 * Whether it asks nothing, so that it always holds.
 *
 * @since 0.1.0
 * @category getters
 */
export const isEmpty = ({ any, none }: When): boolean => any.length + none.length === 0

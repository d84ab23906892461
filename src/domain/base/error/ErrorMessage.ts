/**
 * The one way in which all failures speak: `[<Tag>] <what>: <why>. <how to fix>.`
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * What a failure says of itself.
 *
 * @since 0.1.0
 * @category rendering
 */
export const say = (tag: string, said: { readonly what: string; readonly why: string; readonly fix: string }): string =>
  `[${tag}] ${line(said.what)}: ${line(said.why)}. ${line(said.fix)}.`

const line = (text: string): string => withoutStop(text.replace(/\s+/g, " ").trim())

/**
 * The text without full stops and white space at its end: parts may be quoted from Schemas, providers and drivers. Cut by
 * walking back, because a pattern such as `[.]+$` starts again at every dot and takes quadratic time.
 *
 * @since 0.1.0
 * @category rendering
 */
export const withoutStop = (text: string): string => {
  let end = text.length
  while (end > 0 && (text[end - 1] === "." || text[end - 1]!.trim() === "")) end--
  return text.slice(0, end)
}

/**
 * Names as a sentence lists them: quoted, with commas between.
 *
 * @since 0.1.0
 * @category rendering
 */
export const quoted = (names: Iterable<string>): string => Array.from(names, (name) => `"${name}"`).join(", ")

/**
 * The names that there are, after "the flows are" and the like; `none` when there are none.
 *
 * @since 0.1.0
 * @category rendering
 */
export const names = (names: Iterable<string>): string => quoted(names) || "none"

/**
 * What somebody else's failure says.
 *
 * @since 0.1.0
 * @category rendering
 */
export const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/**
 * The fields of a failure that says what is wrong in words of its own.
 *
 * @since 0.1.0
 * @category schemas
 */
export const said = {
  /** What is wrong, in a few words. */
  what: Schema.String,
  /** Why it is wrong, with the offending value where that is safe. */
  why: Schema.String,
  /** What to do about it. */
  fix: Schema.String
}

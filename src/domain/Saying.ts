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

/**
 * On one line, without a full stop of its own: parts may be quoted from Schemas, providers and drivers. The end is cut
 * by walking back, because a pattern such as `[.]+$` starts again at every dot and takes quadratic time.
 */
const line = (text: string): string => {
  const flat = text.replace(/\s+/g, " ").trim()
  let end = flat.length
  while (end > 0 && (flat[end - 1] === "." || flat[end - 1] === " ")) end--
  return flat.slice(0, end)
}

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

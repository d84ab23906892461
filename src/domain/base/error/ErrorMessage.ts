/** The common format of error messages: `[<Tag>] <what>: <why>. <how to fix>.` */
import * as Schema from "effect/Schema"

/** Formats an error message. */
export const say = (tag: string, said: { readonly what: string; readonly why: string; readonly fix: string }): string =>
  `[${tag}] ${line(said.what)}: ${sentence(line(said.why))} ${sentence(line(said.fix))}`

const line = (text: string): string => withoutStop(text.replace(/\s+/g, " ").trim())

/** Returns the text with one mark at its end: its own question or exclamation mark, else a full stop. */
export const sentence = (text: string): string => {
  const bare = withoutStop(text)
  return /[?!]$/.test(bare) ? bare : `${bare}.`
}

/**
 * Returns the text without full stops and white space at its end, because parts may be quoted from Schemas, providers
 * and drivers. It walks backwards, because a pattern such as `[.]+$` takes quadratic time.
 */
export const withoutStop = (text: string): string => {
  let end = text.length
  while (end > 0 && (text[end - 1] === "." || text[end - 1]!.trim() === "")) end--
  return text.slice(0, end)
}

/** Lists names in quotes, separated by commas. */
export const quoted = (names: Iterable<string>): string => Array.from(names, (name) => `"${name}"`).join(", ")

/** Lists the existing names, for a sentence such as "the flows are …"; `none` if there are none. */
export const names = (names: Iterable<string>): string => quoted(names) || "none"

/** The message of any error or thrown value. */
export const reasonOf = (cause: unknown): string => cause instanceof Error ? cause.message : String(cause)

/** The fields of errors that have their own texts. */
export const said = {
  /** The problem, in a few words. */
  what: Schema.String,
  /** The reason, with the invalid value if it is safe to show. */
  why: Schema.String,
  /** How to fix it. */
  fix: Schema.String
}

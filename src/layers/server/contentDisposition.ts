/**
 * Reads the header `content-disposition` of a part of a form (RFC 7578), as browsers, curl and HTTP libraries write it.
 *
 * @since 0.2.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** The name of a part, and the name of its file; `filename` is undefined if the part is no file. */
interface FormPart {
  readonly name: string
  readonly filename: string | undefined
}

/**
 * One parameter: its key, then its value in one of three forms. A quoted value may contain `\"` and `\\`, as curl writes
 * them. Browsers write `\` as it is, so a quoted value may also end with it.
 */
const parameter =
  /;[ \t]*([^\s"=;]{1,50})[ \t]*=[ \t]*(?:"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"|"([^"]*)"|([^";]*))[ \t]*(?=;|$)/gy

/** Decodes the characters that browsers encode in a quoted value (HTML standard, multipart/form-data). */
const unescaped = (quoted: string): string => quoted.replace(/%22/g, "\"").replace(/%0d/gi, "\r").replace(/%0a/gi, "\n")

/** The value of a parameter, which is written in one of three ways. */
const valueOf = ([quoted, verbatim, token = ""]: ReadonlyArray<string | undefined>): string => {
  const text = quoted?.replace(/\\(["\\])/g, "$1") ?? verbatim
  return text === undefined ? token.trim() : unescaped(text)
}

/** Decodes a value of RFC 8187; undefined if it has another charset than UTF-8, or is not well-formed. */
const extended = (value: string | undefined): string | undefined => {
  const encoded = value === undefined ? undefined : /^utf-8'[^']*'(.*)$/i.exec(value)?.[1]
  return encoded === undefined
    ? undefined
    : Option.getOrUndefined(Either.getRight(Either.try(() => decodeURIComponent(encoded))))
}

/** Reads the parameters of a header by their keys in lower case; undefined if it has anything else. */
const parametersOf = (header: string): ReadonlyMap<string, string> | undefined => {
  const [type] = /^form-data[ \t]*(?=;|$)/i.exec(header) ?? []
  if (type === undefined) return undefined
  const found = Array.from(header.slice(type.length).matchAll(parameter))
  const length = found.reduce((sum, [written]) => sum + written.length, type.length)
  return /^[;\s]*$/.test(header.slice(length))
    ? new Map(found.map(([, key = "", ...values]) => [key.toLowerCase(), valueOf(values)]))
    : undefined
}

/**
 * Returns the names in the header; undefined if it is no header of a form's part, or gives no name. A file whose
 * `filename*` cannot be decoded gets its `filename`, or else an empty name.
 */
export const parse = (header = ""): FormPart | undefined => {
  const parameters = parametersOf(header)
  const name = parameters?.get("name") ?? ""
  const encoded = parameters?.get("filename*")
  const filename = extended(encoded) ?? parameters?.get("filename") ?? (encoded === undefined ? undefined : "")
  return name === "" ? undefined : { name, filename }
}

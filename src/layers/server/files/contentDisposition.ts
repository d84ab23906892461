/**
 * Reads the header `content-disposition` of a part of a form (RFC 7578), as browsers, curl and HTTP libraries write it.
 */
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"

/** The name of a part, and the name of its file; `filename` is undefined if the part is no file. */
interface FormPart {
  readonly name: string
  readonly filename: string | undefined
}

/** The beginning of a parameter. */
const key = /;[ \t]*([^\s"=;]{1,50})[ \t]*=[ \t]*/y

/** The end of a parameter. */
const end = /[ \t]*(?=;|$)/y

/** Decodes the characters that browsers encode in a quoted value (HTML standard, multipart/form-data). */
const unescaped = (quoted: string): string => quoted.replace(/%22/g, "\"").replace(/%0d/gi, "\r").replace(/%0a/gi, "\n")

/**
 * The forms of a value. A quoted value may contain `\"` and `\\`, as curl writes them. Browsers write `\` as it is, so a
 * quoted value may also end with it.
 */
const forms: ReadonlyArray<readonly [RegExp, (value: string) => string]> = [
  [/"((?:\\["\\]|[^"\\]|\\(?!["\\]))*)"/y, (quoted) => unescaped(quoted.replace(/\\(["\\])/g, "$1"))],
  [/"([^"]*)"/y, unescaped],
  [/([^";]*)/y, (token) => token.trim()]
]

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** Reads one parameter and the position after it. */
const parameterAt = (header: string, at: number) => {
  const [begins, name = ""] = matchAt(key, header, at) ?? []
  if (begins === undefined) return undefined
  for (const [form, read] of forms) {
    const [written, value = ""] = matchAt(form, header, at + begins.length) ?? []
    const after = written === undefined ? null : matchAt(end, header, at + begins.length + written.length)
    if (after !== null) return { name: name.toLowerCase(), value: read(value), end: end.lastIndex }
  }
  return undefined
}

/** Decodes a value of RFC 8187; undefined if it has another charset than UTF-8, or is not well-formed. */
const extended = (value: string | undefined): string | undefined => {
  const encoded = value === undefined ? undefined : /^utf-8'[^']*'(.*)$/i.exec(value)?.[1]
  return encoded === undefined ? undefined : Either.getOrUndefined(Encoding.decodeUriComponent(encoded))
}

/** Reads the parameters of a header by their keys in lower case; undefined if it has anything else. */
const parametersOf = (header: string): ReadonlyMap<string, string> | undefined => {
  const [type] = /^form-data[ \t]*(?=;|$)/i.exec(header) ?? []
  if (type === undefined) return undefined
  const found = new Map<string, string>()
  let at = type.length
  for (let one = parameterAt(header, at); one !== undefined; one = parameterAt(header, at)) {
    found.set(one.name, one.value)
    at = one.end
  }
  return /^[;\s]*$/.test(header.slice(at)) ? found : undefined
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

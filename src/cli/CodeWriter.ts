/**
 * Writes names and values of strangers into generated TypeScript: whatever they contain, they stay what they are, and
 * never become code.
 */
import type { Json } from "../domain/base/Json.js"

/** Writes a text as a string literal. JSON leaves two line ends unescaped, which some readers of source take for ends. */
export const text = (value: string): string =>
  JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029")

const identifier = /^[A-Za-z_$][\w$]*$/

/** Writes a name as the key of an object literal or of a type. A plain key `__proto__` would set the prototype. */
export const key = (name: string): string =>
  name === "__proto__" ? `["__proto__"]` : identifier.test(name) ? name : text(name)

/** Writes an object literal on one line. The values are source text. */
export const record = (entries: Iterable<readonly [name: string, source: string]>): string => {
  const written = Array.from(entries, ([name, source]) => `${key(name)}: ${source}`)
  return written.length === 0 ? "{}" : `{ ${written.join(", ")} }`
}

/** Writes a value as a literal. */
export const value = (json: Json): string => {
  if (typeof json === "string") return text(json)
  if (json === null || typeof json !== "object") return String(json)
  return Array.isArray(json)
    ? `[${json.map(value).join(", ")}]`
    : record(Object.entries(json).map(([name, one]) => [name, value(one)] as const))
}

/** Writes the access to a property. `of` is source text. */
export const member = (of: string, name: string): string =>
  identifier.test(name) ? `${of}.${name}` : `${of}[${text(name)}]`

/** Writes a regular expression. */
export const regExp = (source: string, flags = ""): string =>
  `new RegExp(${[source, ...(flags === "" ? [] : [flags])].map(text).join(", ")})`

/** Writes a text as a part of a template literal. */
const part = (value: string): string =>
  value.replace(/[`\\]|\$(?=\{|$)|\r/g, (one) => one === "\r" ? "\\r" : `\\${one}`)

/** Writes a template literal of texts and of expressions, which are source text. */
export const template = (parts: ReadonlyArray<string | { readonly source: string }>): string =>
  `\`${parts.map((one) => typeof one === "string" ? part(one) : `\${${one.source}}`).join("")}\``

/** Writes a comment, which ends with its line. `mark` begins it. */
export const comment = (words: string, mark = "//"): string => `${mark} ${words.replace(/\s+/g, " ").trim()}`

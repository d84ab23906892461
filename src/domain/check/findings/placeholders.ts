/** Warns about placeholders in plain texts: only a function or a document fills them. */
import * as Predicate from "effect/Predicate"
import type * as AST from "effect/SchemaAST"
import { AgentOptions } from "../../authored/AgentOptions.js"
import { recordOf } from "../../base/Json.js"
import * as OptionForm from "../../code/OptionForm.js"
import type { ErasedAgent } from "../../definition/Erase.js"
import { warning } from "../Case.js"
import type { Finding } from "../Finding.js"

/** A text and its path in the definition. */
type Found = readonly [path: string, text: string]

/** Returns a plain text, or those of all locales. */
const plain = (given: unknown, path: string): ReadonlyArray<Found> =>
  Predicate.isString(given)
    ? [[path, given]]
    : Object.entries(recordOf(given)).flatMap(([key, one]) => plain(one, OptionForm.at(path, key)))

/** Returns the replies of the directives in a value. */
const replies = (given: unknown, path: string): ReadonlyArray<Found> =>
  Array.isArray(given)
    ? given.flatMap((one, i) => replies(one, `${path}[${i}]`))
    : Object.entries(recordOf(given)).flatMap(([key, one]) =>
      (key === "reply" || key === "replyWith" ? plain : replies)(one, OptionForm.at(path, key))
    )

const byKind: { readonly [K in OptionForm.Kind]?: typeof plain } = {
  after: replies,
  handlers: replies,
  target: replies,
  text: plain,
  texts: plain
}

/** Returns the plain texts of an option that a person or a model reads. */
const textsIn = (ast: AST.AST, given: unknown, path: string): ReadonlyArray<Found> => {
  if (given === undefined) return []
  const { kind, structure } = OptionForm.formOf(ast)
  const found = kind && byKind[kind]
  return found !== undefined
    ? found(given, path)
    : OptionForm.inside(structure, given, path).flatMap((one) => textsIn(one.ast, one.value, one.path))
}

/** Matches the beginning of `${data.city}` and of `{{data.city}}`. */
const placeholder = /(?:\$\{|\{\{)\s{0,9}[A-Za-z_][^{}]{0,200}\}/

/** Warns about texts that look like a template and are said as they are written. */
export const placeholders = (options: ErasedAgent): ReadonlyArray<Finding> =>
  textsIn(AgentOptions.ast, options, "").flatMap(([path, text]) => {
    const [found] = placeholder.exec(text) ?? []
    return found === undefined ? [] : warning(
      "unfilled-placeholder",
      path,
      `the text looks like a template: "${found.startsWith("{{") ? `${found}}` : found}"`,
      "a plain text is said as it is written, with its placeholders",
      "Write a function that returns the text, such as ({ data }) => `Hi ${data.name}`"
    )
  })

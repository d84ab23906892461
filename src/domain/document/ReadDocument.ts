/** Makes the definition of an agent from a document, and collects all faults. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { ConfigurationIssue } from "../base/error/Errors.js"
import { isJson, isJsonObject, type Json, recordOf } from "../base/Json.js"
import { ownValue } from "../base/ownValue.js"
import * as SourceText from "../code/SourceText.js"
import * as Erase from "../definition/Erase.js"
import { structural } from "../definition/validation/CheckParts.js"
import * as Fields from "../fields/Fields.js"
import * as Decode from "../fields/schema/Decode.js"
import * as Locale from "../language/Locale.js"
import * as UnknownValues from "../language/UnknownValues.js"
import * as DocumentPiece from "./DocumentPiece.js"
import type { Compiled, Language, Refusal, View } from "./Expression.js"
import { pieces } from "./Expression.js"
import * as FieldSchema from "./FieldSchema.js"
import { FieldShape } from "./FieldShape.js"
import { FlowDocument } from "./FlowDocument.js"
import type * as Kind from "./Kind.js"
import * as NamedCode from "./NamedCode.js"
import * as PartKinds from "./PartKinds.js"
import type { ErasedRegistry } from "./Registry.js"

type Structs = ReturnType<typeof Erase.structs>

/** The Schemas, events and jobs that a document may use in addition to its own. */
export interface Bound {
  readonly data: Structs["data"]
  readonly context: Structs["data"]
  readonly happening: Erase.Happening
}

/** A definition made from a document. If it has issues, it is only used to find further issues. */
export interface Read {
  readonly options: Erase.ErasedAgent
  readonly bound: Bound
  readonly issues: ReadonlyArray<ConfigurationIssue>
}

const offsets = new WeakMap<ConfigurationIssue, number>()

/** Returns the index in a text at which an issue begins; `undefined` if the issue is about the whole value. */
export const offsetOf = (issue: ConfigurationIssue): number | undefined => offsets.get(issue)

/** Makes the language for the fields of an agent. */
type LanguageFor = (data: Fields.Fields, context: Fields.Fields) => Language

/** Reads a document. */
export const read = (
  document: unknown,
  registry: ErasedRegistry,
  bound: Bound,
  languageFor: LanguageFor
): Read => {
  const issues: Array<ConfigurationIssue> = []
  const report = (path: string, what: string, why: string, fix: string, at?: number): void => {
    const issue = new ConfigurationIssue({ path, what, why, fix })
    if (at !== undefined) offsets.set(issue, at)
    issues.push(issue)
  }
  const { $schema, context, coxswain, data, events, ...written } = recordOf(document)
  const named = NamedCode.finding(registry, "registry", report)
  const lookup: FieldSchema.SchemaLookup = { fault: report, schema: (name, path) => named("schemas", name, path) }
  const field = (shape: unknown, path: string) => fieldOf(shape, path, lookup)
  /** Reads the Schemas that a section declares. `kind` says what they are, `known` are those that the kit has. */
  const declared = (section: string, kind: string, given: unknown, known: object) =>
    Record.map(recordOf(given), (shape, name) => {
      const path = `${section}.${name}`
      if (Object.hasOwn(known, name)) {
        const what = kind === "event" ? "an event" : "a field"
        report(path, `${kind} "${name}"`, `the kit of the registry has ${what} of this name`, "Remove one of them")
      }
      return field(shape, path)
    })
  const made: Bound = {
    data: structOf(bound.data, data, declared("data", "data field", data, bound.data.fields)),
    context: structOf(bound.context, context, declared("context", "context field", context, bound.context.fields)),
    happening: {
      events: { ...bound.happening.events, ...declared("events", "event", events, bound.happening.events) },
      jobs: [...bound.happening.jobs, ...registry.jobs ?? []]
    }
  }
  const language = languageFor(Fields.fromStruct(made.data), Fields.fromStruct(made.context))
  const options = PartKinds.agent.read(written, "", {
    fault: report,
    has: (section, name) => ownValue(registry[section] ?? {}, name) !== undefined,
    named,
    schema: field,
    handled: (_, part) => part,
    ...compiling(language, report)
  })
  const decoded = Decode.either(FlowDocument, { errors: "all", onExcessProperty: "error" })(document)
  const head = { ...(isJson($schema) && { $schema }), ...(isJson(coxswain) && { coxswain }) }
  return {
    options: Erase.agent(DocumentPiece.from(recordOf(options), head)),
    bound: made,
    issues: [...structural(decoded, "document", issues), ...issues]
  }
}

const isShape = Schema.is(FieldShape, { onExcessProperty: "error" })

const fieldOf = (shape: unknown, path: string, reading: FieldSchema.SchemaLookup): Schema.Schema.AnyNoContext => {
  // If the value does not have the form of a field, the check of the document's form reports it.
  const schema = isShape(shape) ? FieldSchema.read(shape, path, reading) : Schema.Unknown
  const own = Schema.make<unknown>(schema.ast)
  return isJsonObject(shape) ? DocumentPiece.from(own, shape) : own
}

const structOf = (
  bound: Structs["data"],
  given: unknown,
  declared: Readonly<Record<string, Schema.Schema.AnyNoContext>>
): Structs["data"] => {
  const own: Schema.Struct.Fields = Record.map(
    declared,
    (schema, name) => recordOf(recordOf(given)[name]).optional === true ? Fields.optional(schema) : schema
  )
  return Schema.Struct({ ...bound.fields, ...own })
}

/** Code that is made from expressions. */
const compiling = (
  language: Language,
  report: NamedCode.Report
): Pick<Kind.ReadOperations, "condition" | "text" | "args"> => {
  const refuse = (path: string, source: string, { at, fix, what, why }: Refusal, from = 0): void =>
    report(path, `${what} in "${source.trim()}"`, why, fix, from + at)
  const value = (source: string, path: string, from?: number): Compiled | undefined => {
    const compiled = language.value(source)
    if (Either.isRight(compiled)) return compiled.right
    refuse(path, source, compiled.left, from)
    return undefined
  }
  return {
    condition: (source, path, result) => {
      const compiled = language.condition(source, result)
      if (Either.isLeft(compiled)) refuse(path, source, compiled.left)
      return Either.isLeft(compiled) ? () => false : predicate(compiled.right, source)
    },
    text: (text, path) => {
      const found = pieces(text)
      if (typeof found === "number") {
        report(
          path,
          "an open placeholder",
          "a {{ has no }} after it",
          "Close it, or write {{ \"{{\" }} for the characters",
          found
        )
        return text
      }
      if (found.every(Predicate.isString)) return text
      return template(
        found.map((piece) => {
          if (typeof piece === "string") return piece
          const compiled = value(piece.source, path, piece.at)
          return compiled === undefined ? "" : { ...compiled, source: piece.source }
        })
      )
    },
    args: (given, path, told) =>
      args(given, path, (source, at) => {
        const compiled = value(source, at)
        if (compiled?.type !== undefined) told(at, compiled.type)
        return compiled
      })
  }
}

/** Returns the text that the checker analyses instead of the code. It shows that the code depends only on the turn. */
const sourceOf = (terms: ReadonlyArray<string>): string => `({ context, data, session }) => [${terms.join(", ")}]`

const predicate = (compiled: Compiled, source: string): object =>
  SourceText.declare(
    (view: View): boolean => compiled.value(view) === true,
    sourceOf(compiled.terms.map((term) => term.startsWith("data.") ? `${term} ?? 0` : term)),
    source
  )

const template = (parts: ReadonlyArray<string | (Compiled & { readonly source: string })>): object =>
  SourceText.declare(
    (view: View): string =>
      parts.map((part) => {
        if (typeof part === "string") return part
        const value = part.value(view)
        return value === undefined || value === null ? UnknownValues.gap(part.source) : shown(value, view)
      }).join(""),
    sourceOf(parts.flatMap((part) => typeof part === "string" ? [] : part.terms))
  )

/** Compiles arguments: each string is an expression; other values stay unchanged. */
const args = (
  given: Json,
  path: string,
  compile: (source: string, path: string) => Compiled | undefined
): unknown => {
  const terms: Array<string> = []
  const made = (value: Json, at: string): (view: View) => unknown => {
    if (typeof value === "string") {
      const compiled = compile(value, at)
      for (const term of compiled?.terms ?? []) terms.push(term)
      return (view) => compiled?.value(view)
    }
    if (Array.isArray(value)) {
      const items = value.map((one, i) => made(one, `${at}[${i}]`))
      return (view) => items.map((item) => item(view))
    }
    if (!isJsonObject(value)) return () => value
    const entries = Object.entries(value).map(([key, one]) => [key, made(one, `${at}.${key}`)] as const)
    return (view) => Object.fromEntries(entries.map(([key, item]) => [key, item(view)]))
  }
  const all = made(given, path)
  return SourceText.declare(all, sourceOf(terms))
}

/** Renders a value in a text: dates in the user's locale, lists with commas. */
const shown = (value: unknown, view: View): string => {
  if (value === undefined || value === null) return ""
  if (value instanceof Date) return Locale.date(view, value)
  if (Array.isArray(value)) return value.map((one) => shown(one, view)).join(", ")
  return Predicate.isRecord(value) ? JSON.stringify(value) : String(value)
}

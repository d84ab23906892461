/** The Schemas of an author's code, and of conditions in words. */
import * as Schema from "effect/Schema"
import * as Excerpt from "../base/error/Excerpt.js"
import { refusedCode } from "./callCode.js"
import * as OptionForm from "./OptionForm.js"

/** The declared Schema of code: a plain function, not `async` and not a generator. */
export const Code: Schema.Schema<(...args: ReadonlyArray<never>) => unknown> = Schema.declare(
  (u): u is (...args: ReadonlyArray<never>) => unknown => typeof u === "function" && refusedCode(u) === undefined,
  {
    identifier: "Code",
    description: "a function",
    message: ({ actual }) => refusedCode(actual) ?? `Expected a function, actual ${Excerpt.of(actual)}`
  }
)

/** Code that a document can only name. */
export const CodeSchema = OptionForm.of("value")(Code)

export const HookSchema = OptionForm.of("hook")(Code)

const Text = Schema.Union(Schema.String, Code)

export const TemplateSchema = OptionForm.of("text")(Text)

const TextsSchema = Schema.Record({ key: Schema.String, value: Text })

/** A text that is said verbatim, or texts by locale. */
export const SaidSchema = OptionForm.of("texts")(Schema.Union(Text, TextsSchema))

/** As `SaidSchema`, without the empty text. */
export const FilledTextsSchema = OptionForm.of("texts")(Schema.Union(Schema.NonEmptyString, Code, TextsSchema))

export const PredicateSchema = OptionForm.of("predicate")(Code)

const Predicates = Schema.Union(Code, Schema.Array(Code))

export const PredicatesSchema = OptionForm.of("predicates")(Predicates)

/** Conditions on the result of a call. */
export const ResultPredicatesSchema = OptionForm.of("resultPredicates")(Predicates)

/**
 * A condition in words: a string, a list of strings (one match is enough), or `{ all }` with strings and predicates
 * that must all hold. A list without `all` cannot contain a function: put it into `if`.
 */
export const WhenSchema = OptionForm.of("when")(Schema.Union(
  Schema.NonEmptyString,
  Schema.Array(Schema.NonEmptyString),
  Schema.Struct({ all: Schema.NonEmptyArray(Schema.Union(Schema.NonEmptyString, Code)) })
))

/** Names of fields of the data. */
export const FieldNames = OptionForm.of("fields")(Schema.Array(Schema.String))

/** Initial values of fields. */
export const InitialData = OptionForm.of("data")(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

// A Schema cannot describe durations and Schemas: the checks of their kinds do.
export const DurationSchema = OptionForm.of("duration")(Schema.Unknown)
export const SchemaSchema = OptionForm.of("schema")(Schema.Unknown)

/** The Schemas of an author's code, and of conditions in words. */
import * as Schema from "effect/Schema"
import * as Excerpt from "../base/error/Excerpt.js"
import { refusedCode } from "./callCode.js"

/** The declared Schema of code: a plain function, not `async` and not a generator. */
export const Code: Schema.Schema<(...args: ReadonlyArray<never>) => unknown> = Schema.declare(
  (u): u is (...args: ReadonlyArray<never>) => unknown => typeof u === "function" && refusedCode(u) === undefined,
  {
    identifier: "Code",
    description: "a function",
    message: ({ actual }) => refusedCode(actual) ?? `Expected a function, actual ${Excerpt.of(actual)}`
  }
)

export const TemplateSchema = Schema.Union(Schema.String, Code)

export const TextsSchema = Schema.Record({ key: Schema.String, value: TemplateSchema })

export const PredicateSchema = Schema.Union(Code, Schema.Array(Code))

/**
 * A condition in words: a string, a list of strings (one match is enough), or `{ all }` with strings and predicates
 * that must all hold. A list without `all` cannot contain a function: put it into `if`.
 */
export const WhenSchema = Schema.Union(
  Schema.NonEmptyString,
  Schema.Array(Schema.NonEmptyString),
  Schema.Struct({ all: Schema.NonEmptyArray(Schema.Union(Schema.NonEmptyString, Code)) })
)

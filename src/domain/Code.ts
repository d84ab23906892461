/**
 * The Schemas of what an author writes as code, and of conditions in words.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The declared Schema of code: any function.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Code: Schema.Schema<(...args: ReadonlyArray<never>) => unknown> = Schema.declare(
  (u): u is (...args: ReadonlyArray<never>) => unknown => typeof u === "function",
  { identifier: "Code", description: "a function" }
)

/**
 * @since 0.1.0
 * @category schemas
 */
export const TemplateSchema = Schema.Union(Schema.String, Code)

/**
 * @since 0.1.0
 * @category schemas
 */
export const PredicateSchema = Schema.Union(Code, Schema.Array(Code))

/**
 * A condition in words. A function cannot be judged by the model: it belongs in `if`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const WhenSchema = Schema.Union(Schema.NonEmptyString, Schema.Array(Schema.NonEmptyString))

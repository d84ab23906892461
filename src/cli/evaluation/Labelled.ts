/**
 * Conversations in a file whose messages are labelled with what they mean.
 *
 * @since 0.2.0
 */
import * as Schema from "effect/Schema"
import { Json, OwnKey } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"

/**
 * The right understanding of a message. What is not named is not there: no flow is wanted, no value is stated, no condition
 * holds.
 *
 * @since 0.2.0
 * @category schemas
 */
export const Meaning = Schema.Struct({
  /** The flow that the message wants, by id or title, or a score from 0 to 100 for each flow. */
  flow: optional(Schema.Union(
    Schema.NonEmptyString,
    Schema.Record({ key: OwnKey, value: Schema.Number.pipe(Schema.between(0, 100)) })
  )),
  /** The values that the message states, by field, as they are stored. */
  fields: optional(Schema.Record({ key: OwnKey, value: Json })),
  /** The known fields whose values the user takes back. */
  withdrawn: optional(Schema.Array(Schema.NonEmptyString)),
  /** The fields that are all the same to the user, of those annotated `dontCare`. */
  dontCare: optional(Schema.Array(Schema.NonEmptyString)),
  /** The conditions that hold, by id or by one of their `when` texts. */
  conditions: optional(Schema.Array(Schema.NonEmptyString)),
  /** The signals that are there, by id. */
  signals: optional(Schema.Array(Schema.NonEmptyString))
})

const Turn = Schema.Struct({
  user: Schema.NonEmptyString,
  /** The kind of difficulty, under which the message is counted. Without it, the message only leads to the next one. */
  kind: optional(Schema.NonEmptyString),
  means: Meaning
})

/**
 * A file of labelled conversations. Each message with a `kind` is measured on its own: what came before it is understood
 * as labelled.
 *
 * @since 0.2.0
 * @category schemas
 */
export const Labelled = Schema.Struct({
  /** When the conversations take place: words like "tomorrow" are read from here. Default: now. */
  now: optional(Schema.DateTimeUtc),
  /** The context of every message. */
  context: optional(Schema.Record({ key: Schema.String, value: Json })),
  conversations: Schema.NonEmptyArray(Schema.Struct({
    /** A language tag, under which the messages are counted. */
    language: optional(Schema.NonEmptyString),
    turns: Schema.NonEmptyArray(Turn)
  }))
})

/**
 * @since 0.2.0
 * @category models
 */
export type Labelled = typeof Labelled.Type

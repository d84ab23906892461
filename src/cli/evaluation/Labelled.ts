/** Conversations in a file whose messages are labelled with their meaning. */
import * as Schema from "effect/Schema"
import { Json, OwnKey } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"

/** The correct understanding of a message. Flows, values and conditions that are left out are not in the message. */
const Meaning = Schema.Struct({
  /** The flow that the message asks for, by id or title, or a score from 0 to 100 for each flow. */
  flow: optional(Schema.Union(
    Schema.NonEmptyString,
    Schema.Record({ key: OwnKey, value: Schema.Number.pipe(Schema.between(0, 100)) })
  )),
  /** The values that the message states, by field, encoded. */
  fields: optional(Schema.Record({ key: OwnKey, value: Json })),
  /** The known fields whose values the user withdraws. */
  withdrawn: optional(Schema.Array(Schema.NonEmptyString)),
  /** The fields with `dontCare` about which the user does not care. */
  dontCare: optional(Schema.Array(Schema.NonEmptyString)),
  /** The conditions that hold, by id or by one of their `when` texts. */
  conditions: optional(Schema.Array(Schema.NonEmptyString)),
  /** The ids of the signals that match. */
  signals: optional(Schema.Array(Schema.NonEmptyString))
})

const Turn = Schema.Struct({
  user: Schema.NonEmptyString,
  /**
   * The kind of difficulty, for grouping results. A message without a kind is not measured; it only leads to the next
   * message.
   */
  kind: optional(Schema.NonEmptyString),
  means: Meaning
})

/**
 * A file of labelled conversations. Each message with a `kind` is measured separately; the messages before it are
 * understood as labelled.
 */
export const Labelled = Schema.Struct({
  /** The time of the conversations: words like "tomorrow" are relative to it. Default: now. */
  now: optional(Schema.DateTimeUtc),
  /** The context of every message. */
  context: optional(Schema.Record({ key: Schema.String, value: Json })),
  conversations: Schema.NonEmptyArray(Schema.Struct({
    /** A language tag, for grouping results. */
    language: optional(Schema.NonEmptyString),
    turns: Schema.NonEmptyArray(Turn)
  }))
})

export type Labelled = typeof Labelled.Type

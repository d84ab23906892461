/** A conversation in a file, with expectations for each turn. */
import * as Schema from "effect/Schema"
import { Json } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import { ToolOutcome } from "../../domain/session/ToolCall.js"
import { Principal } from "../../domain/session/TurnRequest.js"
import { StoppedReason } from "../../domain/turn/TurnResponse.js"

/**
 * An expected text: contained in the reply, ignoring case; or, as `/pattern/flags`, a regular expression that matches.
 */
const Text = Schema.NonEmptyString.pipe(
  Schema.filter((text) => {
    const pattern = patternOf(text)
    if (pattern === undefined) return true
    try {
      return new RegExp(pattern.source, pattern.flags) instanceof RegExp
    } catch (cause) {
      return cause instanceof Error ? cause.message : "no regular expression"
    }
  })
)

const patternOf = (text: string): { readonly source: string; readonly flags: string } | undefined => {
  const found = /^\/(.+)\/([a-z]*)$/s.exec(text)
  return found === null ? undefined : { source: found[1]!, flags: found[2]! }
}

/** True if a text is as expected. */
export const says = (expected: string, text: string): boolean => {
  const pattern = patternOf(expected)
  return pattern === undefined
    ? text.toLowerCase().includes(expected.toLowerCase())
    : new RegExp(pattern.source, pattern.flags).test(text)
}

const ToolCall = Schema.Struct({
  id: Schema.NonEmptyString,
  /** The arguments to compare. */
  params: optional(Schema.Record({ key: Schema.String, value: Json })),
  outcome: optional(ToolOutcome)
})

/** The expectations for a turn; fields that are left out are not compared. */
export const Expected = Schema.Struct({
  /** The step that spoke, as `flow/step`. */
  step: optional(Schema.NonEmptyString),
  /** Id of the current flow after the turn; null if no flow is current. */
  flow: optional(Schema.NullOr(Schema.NonEmptyString)),
  /** Values in the session, encoded; null: the field is not known. */
  data: optional(Schema.Record({ key: Schema.String, value: Json })),
  /** A text or `/pattern/` that the reply contains; for a list, the reply contains all of them. */
  reply: optional(Schema.Union(Text, Schema.Array(Text))),
  /** Texts or patterns that are not in the reply. */
  replyNot: optional(Schema.Union(Text, Schema.Array(Text))),
  /** Tools that were called, in any order. */
  tools: optional(Schema.Array(Schema.Union(Schema.NonEmptyString, ToolCall))),
  /** Expects that no tool was called. */
  noTool: optional(Schema.Literal(true)),
  stopped: optional(StoppedReason),
  /** Fields for which a value was rejected. */
  rejected: optional(Schema.Array(Schema.String))
})

export type Expected = typeof Expected.Type

/** One turn: a message, an event, or a decision about the tool call that waits for approval. */
export const Turn = Schema.Union(
  Schema.Struct({ user: Schema.NonEmptyString, expect: optional(Expected) }),
  Schema.Struct({ event: Schema.NonEmptyString, payload: optional(Json), expect: optional(Expected) }),
  Schema.Struct({
    approve: Schema.Boolean,
    /** The person who decides; some calls require a role. */
    principal: optional(Principal),
    expect: optional(Expected)
  })
)

export type Turn = typeof Turn.Type

/** A file in a folder of conversations. */
export const Case = Schema.Struct({
  /** Default: the file's name. */
  name: optional(Schema.NonEmptyString),
  /** The context of every message. */
  context: optional(Schema.Record({ key: Schema.String, value: Json })),
  turns: Schema.NonEmptyArray(Turn)
})

export type Case = typeof Case.Type

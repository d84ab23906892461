/** The request bodies that begin a turn, or rewind or copy a session. */
import * as Schema from "effect/Schema"
import { JsonObject } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import * as TimeAndLocale from "../../../domain/language/TimeAndLocale.js"
import { SessionId } from "../../../domain/session/Session.js"
import { Understood } from "../../../domain/session/Understood.js"
import { Key } from "./ApiParts.js"
import { PartBody } from "./PartBody.js"

/** The body of a turn. The speaker is not part of it, but comes from `authenticate`. */
export const TurnBody = Schema.Struct({
  /** The text of the message. May be absent if there are `values` or `parts`. */
  message: optional(Schema.String),
  /** The values of a form, by field. */
  values: optional(JsonObject),
  /** Files and further texts; the model gets them after the message. */
  parts: optional(Schema.Array(PartBody).pipe(Schema.maxItems(50))),
  /**
   * The parts of understanding that the client already knows, such as values. Its signals must be among the server's
   * `clientSignals`.
   */
  understood: optional(Understood),
  /** Idempotency key, like the header `Idempotency-Key`. */
  messageId: optional(Key),
  /** Context of the turn; its keys must be among the server's `clientContext`. */
  context: optional(JsonObject),
  /** The `locale` of the context. */
  locale: optional(TimeAndLocale.Locale),
  metadata: optional(JsonObject)
}).annotations({ identifier: "TurnBody", parseOptions: { onExcessProperty: "error" } })

/** The body of a request to open a conversation. */
export const BeginBody = Schema.Struct({
  /** The flow to begin with, by id or title. */
  flow: optional(Schema.NonEmptyString),
  context: TurnBody.fields.context,
  locale: TurnBody.fields.locale,
  metadata: TurnBody.fields.metadata
}).annotations({ identifier: "BeginBody", parseOptions: { onExcessProperty: "error" } })

/**
 * The body of a request to rewind a session: to the end of a turn, given by its number in `turns`; 0 is the state
 * before the first turn.
 */
export const RewindBody = Schema.Struct({ toTurn: Schema.NonNegativeInt })
  .annotations({ identifier: "RewindBody", parseOptions: { onExcessProperty: "error" } })

/**
 * The turn up to which a session is copied, and the id of the copy. Without a turn the current state is copied; without
 * an id the copy gets a new one.
 */
export const ForkBody = Schema.Struct({ toTurn: optional(Schema.NonNegativeInt), as: optional(SessionId) })
  .annotations({ identifier: "ForkBody", parseOptions: { onExcessProperty: "error" } })

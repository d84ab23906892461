/**
 * What a client sends to begin a turn.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { JsonObject } from "../../domain/base/Json.js"
import { optional } from "../../domain/fields/Fields.js"
import { SessionId } from "../../domain/session/Session.js"
import { Understood } from "../../domain/session/Understood.js"

const Key = Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200))

/**
 * The body of a turn. Who speaks is not among it: that is what `authenticate` says.
 *
 * @since 0.1.0
 * @category schemas
 */
export const TurnBody = Schema.Struct({
  message: Schema.String,
  /** What the page has understood already. Of signals only those that the server's `clientSignals` allows. */
  understood: optional(Understood),
  /** Idempotency key, as the header `Idempotency-Key`. */
  messageId: optional(Key),
  /** Only the keys that the server's `clientContext` allows. */
  context: optional(JsonObject),
  metadata: optional(JsonObject)
}).annotations({ identifier: "TurnBody", parseOptions: { onExcessProperty: "error" } })

/**
 * The body of a beginning.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BeginBody = Schema.Struct({
  /** The flow that begins, by id or title. */
  flow: optional(Schema.NonEmptyString),
  context: TurnBody.fields.context,
  metadata: TurnBody.fields.metadata
}).annotations({ identifier: "BeginBody", parseOptions: { onExcessProperty: "error" } })

/**
 * Where a session is to go back to: the end of one of its `turns`; 0 is before the first.
 *
 * @since 0.1.0
 * @category schemas
 */
export const RewindBody = Schema.Struct({ toTurn: Schema.NonNegativeInt })
  .annotations({ identifier: "RewindBody", parseOptions: { onExcessProperty: "error" } })

/**
 * What a copy of a session begins with. Without a turn it is the session as it stands; without an id the copy gets a new
 * one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ForkBody = Schema.Struct({ toTurn: optional(Schema.NonNegativeInt), as: optional(SessionId) })
  .annotations({ identifier: "ForkBody", parseOptions: { onExcessProperty: "error" } })

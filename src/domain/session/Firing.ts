/** Stored state of signals, and the record of their firings in a response. */
import * as Schema from "effect/Schema"
import { optional } from "../fields/Fields.js"

/** A signal's id. It is a key in stored sessions, so names such as `__proto__` are refused. */
export const SignalId = Schema.NonEmptyString.pipe(
  Schema.filter((id) => !(id in Object.prototype) || `"${id}" is the name of something that every object has`)
)

/** The stored state of a signal. Only firings whose handler succeeded count. */
export const FiringState = Schema.Struct({
  firstTriggeredAt: Schema.DateTimeUtc,
  lastTriggeredAt: Schema.DateTimeUtc,
  count: Schema.Int,
  lastReason: Schema.String,
  lastPhase: Schema.Literal("pre", "post")
}).annotations({ identifier: "SignalFiringState" })

export type FiringState = typeof FiringState.Type

/** The result of a signal in a turn. A firing with `handlerError` or `extractionError` had no effect. */
export const SignalFiring = Schema.Struct({
  signalId: Schema.String,
  phase: Schema.Literal("pre", "post"),
  reason: Schema.String,
  handlerError: optional(Schema.String),
  extractionError: optional(Schema.String)
}).annotations({ identifier: "SignalFiring" })

export type SignalFiring = typeof SignalFiring.Type

/**
 * What somebody else has already understood of a message: a form, a speech system, another agent.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { Json, JsonObject, OwnKey } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/**
 * A signal as it was judged: whether it is there, or that with the reason and the value that it extracts.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Judgement = Schema.Union(
  Schema.Boolean,
  Schema.Struct({
    matched: Schema.Boolean,
    reason: optional(Schema.String),
    /** As it comes over the wire, for the signal's `extract`. */
    extracted: optional(Json)
  })
).annotations({ identifier: "SignalJudgement" })

/**
 * @since 0.1.0
 * @category models
 */
export type Judgement = typeof Judgement.Type

/**
 * What is not asked of a model any more. Whatever is not here is asked as always.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Understood = Schema.Struct({
  /** The flow that the message wants, by id or title: it scores 100, every other one 0. */
  flow: optional(Schema.NonEmptyString),
  /** What the message states, by field, as it comes over the wire. */
  values: optional(JsonObject),
  /** Whether conditions in words hold, by `flow/step` of a step, or by `flow/step/branch` of a branch. */
  conditions: optional(Schema.Record({ key: OwnKey, value: Schema.Boolean })),
  /** Whether signals that are judged before the model speaks are there, by id. */
  signals: optional(Schema.Record({ key: OwnKey, value: Judgement }))
}).annotations({ identifier: "Understood", parseOptions: { onExcessProperty: "error" } })

/**
 * @since 0.1.0
 * @category models
 */
export type Understood = typeof Understood.Type

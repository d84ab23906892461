/** Parts of a message that another system has already understood: a form, a speech system, another agent. */
import * as Schema from "effect/Schema"
import { Json, JsonObject, OwnKey } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/** The judgement of a signal: whether it matches, optionally with the reason and the extracted value. */
export const Judgement = Schema.Union(
  Schema.Boolean,
  Schema.Struct({
    matched: Schema.Boolean,
    reason: optional(Schema.String),
    /** The encoded value for the signal's `extract`. */
    extracted: optional(Json)
  })
).annotations({ identifier: "SignalJudgement" })

export type Judgement = typeof Judgement.Type

/** The parts of understanding that are already known. The model is asked only about the rest. */
export const Understood = Schema.Struct({
  /** The flow that the message asks for, by id or title: it scores 100, all others 0. */
  flow: optional(Schema.NonEmptyString),
  /** Encoded values that the message states, by field. */
  values: optional(JsonObject),
  /** True or false for each condition in words, by `flow/step` for a step, or by `flow/step/branch` for a branch. */
  conditions: optional(Schema.Record({ key: OwnKey, value: Schema.Boolean })),
  /** The judgements of signals that run before the model speaks, by id. */
  signals: optional(Schema.Record({ key: OwnKey, value: Judgement }))
}).annotations({ identifier: "Understood", parseOptions: { onExcessProperty: "error" } })

export type Understood = typeof Understood.Type

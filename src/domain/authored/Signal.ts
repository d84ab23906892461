/** Signals: typed detectors that run before or after the model speaks. */
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { DurationSchema, HookSchema, PredicatesSchema, SchemaSchema, WhenSchema } from "../code/Code.js"
import { defaulted, needs, ruled } from "../code/OptionForm.js"
import type { SignalDirective } from "../directive/Directive.js"
import { FiringState, SignalFiring, SignalId } from "../session/Firing.js"
import type { HookContext, OneOrMany, Predicate as Condition, Returned, Written } from "./Callback.js"
import type { Tool } from "./Tool.js"

export { FiringState, SignalFiring, SignalId }

export const TypeId: unique symbol = Symbol.for("coxswain/Signal")

export type TypeId = typeof TypeId

/** The time at which a signal runs: before or after the model speaks. */
export type Phase = "pre" | "post"

/** The view of the turn that a signal's handler gets. `extracted` is decoded by the signal's own Schema. */
export interface SignalContext<D, C, X = unknown> extends HookContext<D, C> {
  /** The phase in which the signal fired; a signal with `phase: "both"` can fire in each. */
  readonly phase: Phase
  /** Why it fired, in the model's words; empty if no model was asked. */
  readonly reason: string
  /** The value decoded by `extract`; `undefined` without `extract`. */
  readonly extracted: X
  /** The user's message in this turn; the same as `message`. */
  readonly lastUserMessage: string
  /** When it fired, by Effect's `Clock`. */
  readonly triggeredAt: DateTime.Utc
}

/** The options of a signal. Without `when` and `if`, it fires in every turn of its phase. */
export interface SignalOptions<D, C, X = unknown, S = Schema.Schema.AnyNoContext> {
  /** Id of the signal in responses, events and the session. */
  readonly id: string
  /** Name for people; the model does not read it. */
  readonly title?: string
  /** Description for the model, in addition to `when`. */
  readonly description?: string
  /**
   * Conditions in words, judged by the model: one match is enough. With `{ all }`, every string and predicate must
   * hold. Entries that begin with `!` exclude.
   */
  readonly when?: Written<Condition<D, C>>
  /** Conditions in code; all must hold. They run before `when`, which is only judged if they hold. */
  readonly if?: OneOrMany<Condition<D, C>>
  /** Schema of the values to extract from the message when it fires. */
  readonly extract?: S
  /** The time at which the signal runs: before the model speaks, after it, or both. */
  readonly phase: Phase | "both"
  /** Runs when the signal fires; may return a directive. Its failure never fails the turn. */
  handler(
    ctx: SignalContext<D, C, X>
  ): Returned<SignalDirective<D, C, Tool<D, C>, SignalContext<D, C, X>> | undefined | void>
  /** How often it may fire: always, once per session, or again after `cooldown`. Default `"always"`. */
  readonly behavior?: "always" | "once" | "cooldown"
  /** With `behavior: "cooldown"`: minimum time between two firings. */
  readonly cooldown?: Duration.DurationInput
  /** True if the signal is active. Default `true`. */
  readonly enabled?: boolean
  /** Higher runs first; ties in declaration order. Default 0. */
  readonly priority?: number
}

/**
 * A signal made by `kit.signal`: an opaque value, bound to the agent's data and context types, and to the services that
 * its code needs.
 */
export interface Signal<in D, in C, out R = never> {
  readonly [TypeId]: { readonly _D: (_: D) => void; readonly _C: (_: C) => void; readonly _R: () => R }
  readonly id: string
}

export const isSignal = (u: unknown): u is Signal<never, never, unknown> => Predicate.hasProperty(u, TypeId)

export const Signal = Schema.Struct({
  id: SignalId,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicatesSchema),
  extract: Schema.optional(SchemaSchema),
  cooldown: Schema.optional(DurationSchema),
  phase: Schema.Literal("pre", "post", "both"),
  handler: HookSchema,
  behavior: defaulted(Schema.Literal("always", "once", "cooldown"), "always"),
  enabled: defaulted(Schema.Boolean, true),
  priority: defaulted(Schema.Number, 0)
}).pipe(ruled({
  ...needs(
    ["cooldown"],
    ["behavior"],
    "without its behavior",
    "a signal keeps quiet for that long only with behavior: \"cooldown\"",
    "Add behavior: \"cooldown\", or remove it"
  ),
  value: "cooldown"
})).annotations({ identifier: "Signal" })

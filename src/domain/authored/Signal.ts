/**
 * Typed detectors that run before and after the model speaks.
 *
 * @since 0.1.0
 */
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Code, PredicateSchema, WhenSchema } from "../code/Code.js"
import type { SignalDirective } from "../directive/Directive.js"
import { FiringState, SignalFiring, SignalId } from "../session/Firing.js"
import type { HookContext, OneOrMany, Predicate as Condition, Returned, Written } from "./Callback.js"
import type { Tool } from "./Tool.js"

export { FiringState, SignalFiring, SignalId }

/**
 * @since 0.1.0
 * @category symbols
 */
export const TypeId: unique symbol = Symbol.for("coxswain/Signal")

/**
 * @since 0.1.0
 * @category symbols
 */
export type TypeId = typeof TypeId

/**
 * Before the model speaks, or after.
 *
 * @since 0.1.0
 * @category models
 */
export type Phase = "pre" | "post"

/**
 * What a handler sees. `extracted` is decoded by the signal's own Schema.
 *
 * @since 0.1.0
 * @category models
 */
export interface SignalContext<D, C, X = unknown> extends HookContext<D, C> {
  /** In which phase it fired: a signal of `"both"` fires in each. */
  readonly phase: Phase
  /** Why it fired, in the model's words; empty when no judgement was asked. */
  readonly reason: string
  /** What `extract` decoded; `undefined` without it. */
  readonly extracted: X
  /** What the user says in this turn; the same as `message`. */
  readonly lastUserMessage: string
  /** When it fired, by Effect's `Clock`. */
  readonly triggeredAt: DateTime.Utc
}

/**
 * A signal as it is written. Neither `when` nor `if`: it fires in each turn of its phase.
 *
 * @since 0.1.0
 * @category models
 */
export interface SignalOptions<D, C, X = unknown, S = Schema.Schema.AnyNoContext> {
  /** Names the signal in responses, events and the session. */
  readonly id: string
  /** What people read; the model does not. */
  readonly title?: string
  /** What the model reads beside `when`. */
  readonly description?: string
  /** In words, judged by the model; any entry is enough, or `{ all }` of words and code; `!` excludes. */
  readonly when?: Written<Condition<D, C>>
  /** In code; all must hold. Runs before `when`, which is not asked when it fails. */
  readonly if?: OneOrMany<Condition<D, C>>
  /** What to read from the message when it fires. */
  readonly extract?: S
  /** Before the model speaks, after it, or both. */
  readonly phase: Phase | "both"
  /** What is done when it fires; may return a directive. A failure of it never fails the turn. */
  handler(
    ctx: SignalContext<D, C, X>
  ): Returned<SignalDirective<D, C, Tool<D, C>, SignalContext<D, C, X>> | undefined | void>
  /** Default `"always"`. */
  readonly behavior?: "always" | "once" | "cooldown"
  /** With `behavior: "cooldown"`: how long it stays quiet after firing. */
  readonly cooldown?: Duration.DurationInput
  /** Default `true`. */
  readonly enabled?: boolean
  /** Higher runs first; ties in declaration order. Default 0. */
  readonly priority?: number
}

/**
 * A signal made by `kit.signal`: opaque, bound to the agent's data and context, with the requirements of its code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Signal<in D, in C, out R = never> {
  readonly [TypeId]: { readonly _D: (_: D) => void; readonly _C: (_: C) => void; readonly _R: () => R }
  readonly id: string
}

/**
 * @since 0.1.0
 * @category guards
 */
export const isSignal = (u: unknown): u is Signal<never, never, unknown> => Predicate.hasProperty(u, TypeId)

/**
 * @since 0.1.0
 * @category schemas
 */
export const Signal = Schema.Struct({
  id: SignalId,
  title: Schema.optional(Schema.String),
  description: Schema.optional(Schema.String),
  when: Schema.optional(WhenSchema),
  if: Schema.optional(PredicateSchema),
  // Checked by hand, as the Schemas and spans of time of tools are.
  extract: Schema.optional(Schema.Unknown),
  cooldown: Schema.optional(Schema.Unknown),
  phase: Schema.Literal("pre", "post", "both"),
  handler: Code,
  behavior: Schema.optional(Schema.Literal("always", "once", "cooldown")),
  enabled: Schema.optional(Schema.Boolean),
  priority: Schema.optional(Schema.Number)
}).annotations({ identifier: "Signal" })

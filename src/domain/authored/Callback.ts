/**
 * What user code is called with, and what it may return: a plain value or an Effect, never a Promise.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Effect from "effect/Effect"
import type { Directive } from "../directive/Directive.js"
import type { Attachment } from "../session/part/Part.js"
import type { Session } from "../session/Session.js"
import type { Principal } from "../session/TurnRequest.js"

/**
 * A value, or an Effect of it. The errors and requirements of the Effect surface in the agent's type.
 *
 * @since 0.1.0
 * @category models
 */
export type Returned<A, E = unknown, R = unknown> = A | Effect.Effect<A, E, R>

/**
 * What every callback sees of the turn. Writes made earlier in the same turn are already in it.
 *
 * @since 0.1.0
 * @category models
 */
export interface TurnContext<D, C> {
  /** What is known so far. */
  readonly data: Partial<D>
  /** The context of this turn: what is stored, and over it the context provider's and the request's. */
  readonly context: C
  /** The session, with what this turn has written so far. */
  readonly session: Session<D, C>
  /** The bounded transcript before this turn. Files stand in it as references, never as bytes. */
  readonly history: ReadonlyArray<Prompt.Message>
  /** Who speaks or decides, when the application said so. */
  readonly principal?: Principal
  /** What the user said in this turn; empty when the turn does not answer a message. */
  readonly message: string
  /**
   * The files of that message, each with a reader of its bytes. None once the turn has waited for an approval.
   *
   * @since 0.2.0
   */
  readonly parts: ReadonlyArray<Attachment>
}

/**
 * What hooks see: the turn, and the bus.
 *
 * @since 0.1.0
 * @category models
 */
export interface HookContext<D, C> extends TurnContext<D, C> {
  /** The fields that this turn's message states, with their values; also those that were known with the same value. */
  readonly stated: Partial<D>
  /** The known fields that this turn's message changes. */
  readonly corrected: { readonly [K in keyof D]?: { readonly from: D[K]; readonly to: D[K] } }
  /**
   * What was said, before this turn, while the flow was suspended that goes on in it; as far as the history reaches. Empty
   * in a turn in which no flow goes on.
   */
  readonly meanwhile: ReadonlyArray<Prompt.Message>
  /** Emits a directive; it is merged and applied at the end of the phase. */
  readonly dispatch: (directive: Directive<D, C>) => Effect.Effect<void>
  /** Writes data, like `dataUpdate`. A function is given what is known then, with what was written since the hook began. */
  readonly updateData: (data: Partial<D> | ((data: Partial<D>) => Partial<D>)) => Effect.Effect<void>
}

/**
 * A condition decided by code. It cannot fail; a defect in it counts as `false` and is logged.
 *
 * @since 0.1.0
 * @category models
 */
export type Predicate<D, C> = (ctx: TurnContext<D, C>) => Returned<boolean, never>

/**
 * Text, or a function of the turn that makes it.
 *
 * @since 0.1.0
 * @category models
 */
export type Template<D, C> = string | ((ctx: TurnContext<D, C>) => Returned<string>)

/**
 * Texts by locale, of which the one for the `locale` of the context is said: for `pt-PT` the one of `pt-PT`, else of `pt`,
 * else the first. Each is written out, or made of the turn without an Effect.
 *
 * @since 0.1.0
 * @category models
 */
export type Texts<D, C> = Readonly<Record<string, string | ((ctx: TurnContext<D, C>) => string)>>

/**
 * A hook: may return a directive.
 *
 * @since 0.1.0
 * @category models
 */
export type Hook<D, C, A = Directive<D, C>> = (ctx: HookContext<D, C>) => Returned<A | undefined | void>

/**
 * One or several.
 *
 * @since 0.1.0
 * @category models
 */
export type OneOrMany<A> = A | ReadonlyArray<A>

/**
 * A condition as it is written. One entry or a list is words that a model judges, and any of them is enough. `{ all }` is
 * words and predicates of which each must hold; its predicates run first, and nothing is asked when one does not hold.
 * Words that begin with `!` exclude, in either form.
 *
 * @since 0.1.0
 * @category models
 */
export type Written<P> = OneOrMany<string> | { readonly all: ReadonlyArray<string | P> }

/** The arguments and results of user code. Callbacks return a plain value or an Effect, never a Promise. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Effect from "effect/Effect"
import type { Directive } from "../directive/Directive.js"
import type { Attachment } from "../session/part/Part.js"
import type { Session } from "../session/Session.js"
import type { Principal } from "../session/TurnRequest.js"

/** A value, or an Effect that produces it. The errors and services of the Effect become part of the agent's type. */
export type Returned<A, E = unknown, R = unknown> = A | Effect.Effect<A, E, R>

/**
 * The data known so far. The fields in `K` are known for certain: a step is not entered without the fields it `requires`.
 */
export type Known<D, K extends keyof D = never> = [K] extends [never] ? Partial<D>
  : Partial<D> & { readonly [P in K]-?: Exclude<D[P], undefined> }

/** The view of the turn that every callback gets. It shows earlier writes of the same turn. */
export interface TurnContext<D, C, K extends keyof D = never> {
  /** The fields collected so far. */
  readonly data: Known<D, K>
  /**
   * The context of this turn: the stored context, overlaid by the result of the context provider and by the context of
   * the request.
   */
  readonly context: C
  /** The session, with the writes of this turn so far. */
  readonly session: Session<D, C>
  /** The transcript before this turn, limited in length. Files appear as references, without bytes. */
  readonly history: ReadonlyArray<Prompt.Message>
  /** The user who sent the request or the decision, if the application passed one. */
  readonly principal?: Principal
  /** The user's message in this turn; empty if the turn does not answer a message. */
  readonly message: string
  /**
   * The files of the user's message, each with a reader of its bytes. Empty after the turn has waited for an approval.
   */
  readonly parts: ReadonlyArray<Attachment>
}

/** The view of the turn that hooks get, with functions to write and to dispatch. */
export interface HookContext<D, C, K extends keyof D = never> extends TurnContext<D, C, K> {
  /** The fields stated in this turn's message, with their values, including values that were already known. */
  readonly stated: Partial<D>
  /** Known fields whose values the user's message changes. */
  readonly corrected: { readonly [K in keyof D]?: { readonly from: D[K]; readonly to: D[K] } }
  /**
   * The messages sent while the flow was suspended that this turn resumes, as far as they are still in the history;
   * without the messages of this turn. Empty if this turn resumes no flow.
   */
  readonly meanwhile: ReadonlyArray<Prompt.Message>
  /** Emits a directive; it is merged and applied at the end of the phase. */
  readonly dispatch: (directive: Directive<D, C>) => Effect.Effect<void>
  /**
   * Writes data, like `dataUpdate`. A function as argument receives the current data, including writes made since the
   * hook began.
   */
  readonly updateData: (data: Partial<D> | ((data: Partial<D>) => Partial<D>)) => Effect.Effect<void>
}

/** A condition in code. It cannot fail; a defect counts as `false` and is logged. */
export type Predicate<D, C> = (ctx: TurnContext<D, C>) => Returned<boolean, never>

/** A text, or a function of the turn that returns one. */
export type Template<D, C, K extends keyof D = never> = string | ((ctx: TurnContext<D, C, K>) => Returned<string>)

/**
 * Texts by locale. The `locale` of the context selects one: `pt-PT` takes `pt-PT`, else `pt`, else the first. Each is a
 * string or a synchronous function of the turn.
 */
export type Texts<D, C, K extends keyof D = never> = Readonly<
  Record<string, string | ((ctx: TurnContext<D, C, K>) => string)>
>

/** A hook: may return a directive. */
export type Hook<D, C, A = Directive<D, C>, K extends keyof D = never> = (
  ctx: HookContext<D, C, K>
) => Returned<A | undefined | void>

/** One value or a list of values. */
export type OneOrMany<A> = A | ReadonlyArray<A>

/**
 * A condition in an author's definition. A string or a list of strings is judged by a model; one match is enough. With
 * `{ all }`, every string and predicate must hold; predicates run first, and the model is asked only if all of them
 * hold. Strings that begin with `!` exclude, in both forms.
 */
export type Written<P> = OneOrMany<string> | { readonly all: ReadonlyArray<string | P> }

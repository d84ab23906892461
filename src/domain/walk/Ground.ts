/**
 * The ground that a walk stands on: what it asks, and what it does.
 *
 * The rules in this folder are written once, over this interface. The turn answers with the session and the author's code;
 * the checker answers with what it knows, and chooses where it does not know.
 *
 * @since 0.2.0
 */
import type * as Effect from "effect/Effect"
import type * as Directive from "../directive/Directive.js"

/** A branch as the rules see it; `T` is a predicate. */
export interface Branch<T> {
  readonly id: string
  readonly if: ReadonlyArray<T>
  /** Conditions in words. */
  readonly when: ReadonlyArray<string>
  readonly then: Directive.PreDirective
}

/** A step as the rules see it. */
export interface Step<T> {
  readonly id: string
  /** `flow/step`. */
  readonly ref: string
  readonly index: number
  readonly kind: "llm" | "reply" | "auto" | "call"
  readonly collect: ReadonlyArray<string>
  readonly requires: ReadonlyArray<string>
  readonly if: ReadonlyArray<T>
  readonly skip: ReadonlyArray<T>
  readonly when: ReadonlyArray<string>
  readonly until: T | undefined
  readonly branches: ReadonlyArray<Branch<T>>
}

/** A flow as the rules see it. */
export interface Flow<T, S extends Step<T>> {
  readonly id: string
  readonly requiredFields: ReadonlyArray<string>
  /** All hold when the flow is done; empty where code has no say. */
  readonly isComplete: ReadonlyArray<T>
  readonly steps: ReadonlyArray<S>
}

/** Where the conversation is within the current flow. */
export interface Standing<S> {
  /** Absent before the first step. */
  readonly step: S | undefined
  /** The conversation was moved to the step, which is still to be looked at. */
  readonly pending: boolean
  /** The step has spoken since it was entered. */
  readonly spoken: boolean
}

/** What is known at one moment. */
export interface Knowledge<S> {
  readonly isKnown: (field: string) => boolean
  /** Whether the user has agreed to the values of the step, or does not have to. */
  readonly isConfirmed: (step: S) => boolean
}

/** What a walk looks at on its way. Only the checker keeps it. */
export type Sight<S> =
  | { readonly _tag: "Considered"; readonly step: S }
  | { readonly _tag: "Asked"; readonly branch: string }
  /** Fields are missing that `by` requires, the flow where it is absent; `to` asks for them, nothing where it is absent. */
  | {
    readonly _tag: "Missing"
    readonly by: S | undefined
    readonly fields: ReadonlyArray<string>
    readonly to: S | undefined
  }

/** What the rules of choosing ask; `E` is what the author's code may fail with. */
export interface Ground<T, S extends Step<T>, E> {
  readonly standing: () => Standing<S>
  readonly knowledge: () => Effect.Effect<Knowledge<S>, E>
  /** Whether a predicate holds; `source` names it. */
  readonly holds: (source: string, test: T) => Effect.Effect<boolean, E>
  /**
   * Whether the message meets a condition in words, of a step: one that decides whether the step is entered, or where it
   * leads. No words are always met.
   */
  readonly isMet: (
    condition: { readonly id: string; readonly when: ReadonlyArray<string> },
    step: S,
    entering: boolean
  ) => boolean
  readonly see: (sight: Sight<S>) => void
}

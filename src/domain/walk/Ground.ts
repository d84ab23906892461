/**
 * The interface between the rules of a walk and their environment.
 *
 * The rules in this folder are written once, over this interface. The turn implements it with the session and the
 * author's code; the checker implements it with what it knows, and tries each answer that it does not know.
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
  /** The flow is complete when all hold; empty if only its steps decide. */
  readonly isComplete: ReadonlyArray<T>
  readonly steps: ReadonlyArray<S>
}

/** The position within the current flow. */
export interface Standing<S> {
  /** Undefined before the first step. */
  readonly step: S | undefined
  /** True if the conversation was moved to the step and has not entered it yet. */
  readonly pending: boolean
  /** True if the step has spoken since it was entered. */
  readonly spoken: boolean
}

/** The known fields at one moment. */
export interface Knowledge<S> {
  readonly isKnown: (field: string) => boolean
  /** True if the user has confirmed the values of the step, or does not have to. */
  readonly isConfirmed: (step: S) => boolean
}

/** An observation of a walk; only the checker records them. */
export type Sight<S> =
  | { readonly _tag: "Considered"; readonly step: S }
  | { readonly _tag: "Asked"; readonly branch: string }
  /** Fields are missing that `by` requires (the flow, if undefined); `to` asks for them (no step, if undefined). */
  | {
    readonly _tag: "Missing"
    readonly by: S | undefined
    readonly fields: ReadonlyArray<string>
    readonly to: S | undefined
  }

/** The questions of the rules; `E` is the error of the author's code. */
export interface Ground<T, S extends Step<T>, E> {
  readonly standing: () => Standing<S>
  readonly knowledge: () => Effect.Effect<Knowledge<S>, E>
  /** Whether a predicate holds; `source` names it. */
  readonly holds: (source: string, test: T) => Effect.Effect<boolean, E>
  /**
   * Whether the message meets a condition in words of a step. `entering`: the condition decides whether the step is
   * entered, instead of where it leads. A condition without words is always met.
   */
  readonly isMet: (
    condition: { readonly id: string; readonly when: ReadonlyArray<string> },
    step: S,
    entering: boolean
  ) => boolean
  readonly see: (sight: Sight<S>) => void
}

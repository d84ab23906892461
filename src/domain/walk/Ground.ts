/**
 * The interface between the rules of a walk and their environment.
 *
 * The rules in this folder are written once, over this interface. The turn implements it with the session and the
 * author's code; the checker implements it with what it knows, and tries each answer that it does not know.
 *
 * @since 0.2.0
 */
import type * as Effect from "effect/Effect"
import type { Interruption } from "../authored/Step.js"
import type * as Directive from "../directive/Directive.js"
import type { DirectivePhase } from "../turn/TurnResponse.js"
import type * as Branching from "./Branching.js"

type Values = Record<string, unknown>

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
  /** How the flow ends when the step is finished, if it ends here. */
  readonly ends: Directive.Directive | undefined
  readonly branches: ReadonlyArray<Branch<T>>
}

/** A flow as the rules see it. */
export interface Flow<T, S extends Step<T>> {
  readonly id: string
  readonly requiredFields: ReadonlyArray<string>
  /** The flow is complete when all hold; empty if only its steps decide. */
  readonly isComplete: ReadonlyArray<T>
  readonly steps: ReadonlyArray<S>
  /** Judged at every step. */
  readonly branches: ReadonlyArray<Branch<T>>
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

/** A fact that a walk passes. The checker keeps all of them, the turn those that its trace tells. */
export type Sight<S> =
  | { readonly _tag: "Considered"; readonly step: S }
  | { readonly _tag: "Asked"; readonly branch: string }
  /** A branch was taken; `step` is absent where it was taken before routing. */
  | { readonly _tag: "Took"; readonly branch: string; readonly step: S | undefined }
  /** Fields are missing that `by` requires, the flow where it is absent; `to` asks for them, nothing where it is absent. */
  | {
    readonly _tag: "Missing"
    readonly by: S | undefined
    readonly fields: ReadonlyArray<string>
    readonly to: S | undefined
  }

/** The questions of the rules. */
export interface Ground<T, S extends Step<T>> {
  readonly standing: () => Standing<S>
  readonly knowledge: () => Effect.Effect<Knowledge<S>>
  /** Whether a predicate holds; `source` names it. */
  readonly holds: (source: string, test: T) => Effect.Effect<boolean>
  /** Whether the message lets the step be entered. */
  readonly isLetIn: (step: S) => boolean
  /** Whether the message meets the words of a branch of a step, or, without one, of the flow or the agent. */
  readonly isMet: (branch: Branch<T>, step: S | undefined) => boolean
  readonly see: (sight: Sight<S>) => void
}

/** A directive, and who emitted it: `flow:Booking.onEnter`, `step:ask.prepare`, `tool:book`, … */
export interface Emission {
  readonly source: string
  readonly directive: Directive.PreDirective
  /** It is of a branch that was matched by its `when`: what the message states is not forgotten by it. */
  readonly matched?: boolean
}

/** Why a turn cannot go on: it is past a limit, or it came to the same position with the same data. */
export type Endless =
  | { readonly limit: "maxDirectiveChain" | "maxAutoStepsPerTurn" }
  | { readonly circle: string }

/** Hooks of a step. */
export type StepHook = "onEnter" | "onResume" | "prepare" | "finalize" | "onExit"
/** Hooks of a flow. */
export type FlowHook = "onEnter" | "onResume" | "onComplete" | "onExit"

/** The end of a walk: a step speaks, no flow is active, or the turn is already answered. */
export type Next<S, F> =
  | { readonly _tag: "Step"; readonly flow: F; readonly step: S }
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Answered" }

/** The questions and the acts of the rules; `E` is what an act may fail with. */
export interface Acts<T, S extends Step<T>, F extends Flow<T, S>, E> extends Ground<T, S> {
  /** The flow that has the floor. */
  readonly flow: () => F | undefined
  /** The flow of this id, or of this title. */
  readonly find: (name: string) => F | undefined
  /** The branches of the agent. */
  readonly branches: ReadonlyArray<Branch<T>>
  /** The step that has spoken and waits for this message, if the conversation is still there. */
  readonly waiting: () => S | undefined
  /** Whether the turn needs no more walking: something was said, or nothing may be said. */
  readonly isAnswered: () => boolean
  /** Whether the user has been told anything in this turn. */
  readonly hasSaid: () => boolean
  readonly isHandedOver: () => boolean
  /** Whether a hook has forbidden an answer. */
  readonly isHalted: () => boolean
  /** Whether the floor, once free, goes to what waits. Before that the message may want another flow. */
  readonly isRouted: () => boolean
  /** Whether the flow was entered, or goes on after it was suspended, and its hooks have not run. */
  readonly arrival: () => "entered" | "resumed" | undefined

  /** How often the turn has moved, and how many steps it has walked by without a word. */
  moves: number
  autoSteps: number
  readonly limits: { readonly maxDirectiveChain: number; readonly maxAutoStepsPerTurn: number }
  /** Whether the walk came by this position before and nothing has changed since. */
  readonly isBack: (position: string) => boolean
  readonly fail: (why: Endless) => Effect.Effect<never, E>

  readonly runStep: (step: S, hook: StepHook) => Effect.Effect<void, E>
  readonly runFlow: (flow: F, hook: FlowHook) => Effect.Effect<void, E>
  readonly emit: (emission: Emission) => Effect.Effect<void, E>
  /** Takes every emission, in order. */
  readonly drain: () => Effect.Effect<ReadonlyArray<Emission>, E>
  /** Whether what waits leads anywhere. */
  readonly isLeading: () => Effect.Effect<boolean, E>

  /** Checks and records emissions; nothing of them counts where it fails. */
  readonly accept: (
    phase: DirectivePhase,
    emissions: ReadonlyArray<Emission>,
    merged: Directive.PreDirective
  ) => Effect.Effect<void, E>
  /** Of these fields, those that the message does not state. */
  readonly unstated: (fields: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Forgets fields; gives those that were known. */
  readonly forget: (fields: ReadonlyArray<string>, reason: string) => Effect.Effect<ReadonlyArray<string>, E>
  /** Writes, and tells nobody. */
  readonly lay: (data: Values, context: Values) => void
  /** Writes, and tells the hooks that wait for it. */
  readonly write: (data: Values, merged: Directive.Directive) => Effect.Effect<void, E>
  /** Changes timers and jobs. */
  readonly schedule: (merged: Directive.Directive) => Effect.Effect<void, E>
  readonly say: (text: string) => Effect.Effect<void, E>

  /** Fails where a target is not there. */
  readonly check: (to: Directive.Position) => Effect.Effect<void, E>
  /** Goes to a flow or a step, or back to the beginning; `matched`: what the message states is kept. */
  readonly place: (to: Directive.Position, matched: boolean) => Effect.Effect<void, E>
  /** The next turn begins with it. */
  readonly postpone: (to: Directive.Position, merged: Directive.PreDirective) => Effect.Effect<void, E>
  readonly handOff: (reason: string | undefined) => Effect.Effect<void, E>
  /** Says that the position is decided: routing has nothing left to do. */
  readonly decide: () => void
  /** Ends the turn because it moved after something was said. */
  readonly endMoved: (by: "reset" | "goto") => void
  /** Makes a step current that is still to be looked at. */
  readonly pend: (step: S) => void
  /** Makes a step current, and tells it. */
  readonly enter: (step: S) => Effect.Effect<void, E>
  /** Records that a step runs. */
  readonly execute: (step: S) => void
  /** Leaves the flow for good. */
  readonly leave: (flow: F, completed: boolean) => Effect.Effect<void, E>
  /** Leaves the flow uncompleted, and what was suspended where the directive says so. */
  readonly abandon: (to: Extract<Directive.Position, { readonly _tag: "Abort" }>) => Effect.Effect<void, E>
  /** Puts the flow on the stack. */
  readonly suspend: () => void
  /** Takes up what was suspended last; whether there was anything. */
  readonly resume: () => Effect.Effect<boolean, E>
  /** Enters what comes next on the agenda. */
  readonly enterNext: () => Effect.Effect<void, E>
  /** Returns how the next flow interrupts the flow. */
  readonly interruption: (flow: F, next: F) => Effect.Effect<Interruption, E>

  /** The message is used up: it is judged by nothing else. */
  readonly spend: () => void
  /** Tells which other branches held as well. */
  readonly outrank: (winner: Branch<T>, others: ReadonlyArray<Branching.Levelled<Branch<T>>>) => Effect.Effect<void, E>
}

/** The acts of a whole turn: those of the rules, and speaking. */
export interface Speaking<T, S extends Step<T>, F extends Flow<T, S>, E> extends Acts<T, S, F, E> {
  /** Takes note that the hooks of an arrival run now. */
  readonly arrive: (flow: F, by: "entered" | "resumed") => Effect.Effect<void, E>
  /** Goes on with what was begun before the walk; whether there was anything. */
  readonly goOn: () => Effect.Effect<boolean, E>
  /** The step that speaks without a walk, if that is decided. */
  readonly speaker: () => Next<S, F> | undefined
  readonly call: (flow: F, step: S) => Effect.Effect<void, E>
  readonly speak: (next: Exclude<Next<S, F>, { readonly _tag: "Answered" }>) => Effect.Effect<void, E>
  /** Whether a call of the step waits for somebody, so that its flow does not go on. */
  readonly isHeldUp: () => boolean
}

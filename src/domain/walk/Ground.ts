/**
 * The interface between the rules of a walk and their environment.
 *
 * The rules in this folder are written once, over this interface. The turn implements it with the session and the
 * author's code. The checker implements it with the definition alone, and tries each possible answer where the
 * definition leaves it open.
 */
import type * as Effect from "effect/Effect"
import type { YieldWrap } from "effect/Utils"
import type { Interruption } from "../authored/Step.js"
import type * as Directive from "../directive/Directive.js"
import type { DirectivePhase } from "../turn/TurnResponse.js"

type Values = Record<string, unknown>

/** A rule: a generator for `Effect.gen`. Rules call each other by `yield*`. */
export type Rule<A, E = never> = Generator<YieldWrap<Effect.Effect<unknown, E>>, A, unknown>

/** The parts of a branch that the rules read; `T` is a predicate. */
export interface Branch<T> {
  readonly id: string
  readonly if: ReadonlyArray<T>
  /** Conditions in words. */
  readonly when: ReadonlyArray<string>
  readonly then: Directive.PreDirective
}

/** The level of a branch: the waiting step, its flow, or the agent. */
export type Level = "step" | "flow" | "agent"

/** A branch with its level. */
export interface Levelled<B> {
  readonly level: Level
  readonly branch: B
}

/** The parts of a step that the rules read. */
export interface Step<T> {
  readonly id: string
  /** `flow/step`. */
  readonly ref: string
  readonly index: number
  readonly kind: "llm" | "reply" | "auto" | "call"
  readonly collect: ReadonlyArray<string>
  /** The fields that the step makes known: those that it collects, and those that its call binds. */
  readonly gives: ReadonlyArray<string>
  readonly requires: ReadonlyArray<string>
  readonly if: ReadonlyArray<T>
  readonly skip: ReadonlyArray<T>
  readonly when: ReadonlyArray<string>
  readonly until: T | undefined
  /** The directive that ends the flow when the step is finished; undefined if the flow continues after the step. */
  readonly ends: Directive.Directive | undefined
  readonly branches: ReadonlyArray<Branch<T>>
}

/** The parts of a flow that the rules read. */
export interface Flow<T, S extends Step<T>> {
  readonly id: string
  readonly requiredFields: ReadonlyArray<string>
  /** Predicates in code: the flow is complete when all of them hold. Empty if only its steps decide. */
  readonly isComplete: ReadonlyArray<T>
  readonly steps: ReadonlyArray<S>
  /** Branches that are checked at every step of the flow. */
  readonly branches: ReadonlyArray<Branch<T>>
}

/** The position within the current flow. */
export interface FlowPosition<S> {
  /** The current step; undefined before the first step of the flow. */
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

/** An observation of a walk. The checker collects them; a turn ignores them. */
export type Observation<S> =
  | { readonly _tag: "Considered"; readonly step: S }
  | { readonly _tag: "Asked"; readonly branch: string }
  /** A call is made although its arguments need unknown fields, because no step is left that gives them. */
  | { readonly _tag: "Calls"; readonly step: S; readonly lacking: ReadonlyArray<string> }
  /** A branch was taken; `step` is absent if it was taken before routing. */
  | { readonly _tag: "Took"; readonly branch: string; readonly step: S | undefined }
  /**
   * Required fields are missing. `by` is the step that requires them; absent if the flow requires them. `to` is the step
   * that asks for them; absent if there is none.
   */
  | {
    readonly _tag: "Missing"
    readonly by: S | undefined
    readonly fields: ReadonlyArray<string>
    readonly to: S | undefined
  }

/** The results `R` of predicates: booleans, or also `undefined` where the checker cannot know the result. */
export interface Tests<T, R = boolean> {
  /** True if a predicate holds; `source` is its name in traces, such as `step:ask.skip`. */
  readonly holds: (source: string, test: T) => Effect.Effect<R>
}

/** The environment that the rules read: position, data, predicates, and judgements of the message. */
export interface Ground<T, S extends Step<T>> extends Tests<T> {
  readonly standing: () => FlowPosition<S>
  readonly knowledge: () => Knowledge<S>
  /** True if the message meets the step's `when`, so that the step may be entered. */
  readonly isAdmittedByWhen: (step: S) => boolean
  /**
   * True if the message meets the branch's `when`. `step` is the step of the branch; undefined for a branch of the flow
   * or the agent.
   */
  readonly isMet: (branch: Branch<T>, step: S | undefined) => boolean
  /** Receives the observations of the walk; absent if they are not kept. */
  readonly observe?: (sight: Observation<S>) => void
}

/** A directive with the name of its emitter: `flow:Booking.onEnter`, `step:ask.prepare`, `tool:book`, … */
export interface Emission {
  readonly source: string
  readonly directive: Directive.PreDirective
  /**
   * True if the directive is of a branch that matched by its `when`: the directive does not clear values that the
   * message states.
   */
  readonly matched?: boolean
}

/**
 * The reason why a turn cannot continue: it exceeded a limit, or reached the same position again with the same data.
 */
export type Endless =
  | { readonly limit: "maxDirectiveChain" | "maxAutoStepsPerTurn" }
  | { readonly circle: string }

/** Hooks of a step. */
export type StepHook = "onEnter" | "onResume" | "prepare" | "finalize" | "onExit"
/** Hooks of a flow. */
export type FlowHook = "onEnter" | "onResume" | "onComplete" | "onExit"

/** The end of a walk: a step speaks, no flow is active, or the turn was already answered. */
export type Next<S, F> =
  | { readonly _tag: "Step"; readonly flow: F; readonly step: S }
  | { readonly _tag: "Idle" }
  | { readonly _tag: "Answered" }

/** Counters of a turn's walk. The rules change them in place. */
export interface Counts {
  /** Number of moves by directives. */
  moves: number
  /** Number of steps that were passed without a reply. */
  autoSteps: number
}

/** The reads and the actions that the rules need; `E` is the error type of the actions. */
export interface Acts<T, S extends Step<T>, F extends Flow<T, S>, E> extends Ground<T, S> {
  /** Returns the active flow; undefined if there is none. */
  readonly flow: () => F | undefined
  /** Returns the flow with this id or title. */
  readonly find: (name: string) => F | undefined
  /** The branches of the agent. */
  readonly branches: ReadonlyArray<Branch<T>>
  /**
   * Returns the step that spoke in an earlier turn and waits for this message; undefined if the session has left it
   * since.
   */
  readonly waiting: () => S | undefined
  /** True if the walk of the turn is over, for example because a reply was sent or is forbidden. */
  readonly isAnswered: () => boolean
  /** True if the turn has given its answer: text before a call is none. */
  readonly hasSaid: () => boolean
  /** True if the step has made a call since the flow was entered that may have changed something. */
  readonly hasCalled: (step: S) => boolean
  /** True if the step has run in this turn. */
  readonly hasRun: (step: S) => boolean
  /** The steps of the active flow that branches have passed over, although they give a field. */
  readonly skipped: () => ReadonlyArray<S>
  readonly skip: (steps: ReadonlyArray<S>) => void
  readonly isHandedOver: () => boolean
  /** True if a directive with `halt` has forbidden a reply. */
  readonly isHalted: () => boolean
  /**
   * True if routing has decided the position: a suspended flow may then resume. Before routing, the message may still
   * start another flow.
   */
  readonly isRouted: () => boolean
  /**
   * `"entered"` or `"resumed"` if the active flow was just entered or resumed and its hooks have not run yet; undefined
   * afterwards.
   */
  readonly arrival: () => "entered" | "resumed" | undefined

  readonly counts: Counts
  readonly limits: { readonly maxDirectiveChain: number; readonly maxAutoStepsPerTurn: number }
  /** True if the walk has already reached this position in this turn with the same data. */
  readonly isRepeatedPosition: (position: string) => boolean
  readonly fail: (why: Endless) => Effect.Effect<never, E>

  readonly runStep: (step: S, hook: StepHook) => Effect.Effect<void, E>
  readonly runFlow: (flow: F, hook: FlowHook) => Effect.Effect<void, E>
  readonly emit: (emission: Emission) => void
  /** Removes and returns all emitted directives, in order. */
  readonly drain: () => ReadonlyArray<Emission>
  /** True if one of the emitted directives moves the conversation. */
  readonly isLeading: () => boolean

  /** Checks, merges and records the emitted directives. If it fails, their effects are discarded. */
  readonly accept: (
    phase: DirectivePhase,
    emissions: ReadonlyArray<Emission>
  ) => Effect.Effect<Directive.PreDirective, E>
  /** Returns the given fields that the message does not state. */
  readonly unstated: (fields: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Clears fields; returns the fields that had a value. */
  readonly forget: (fields: ReadonlyArray<string>, reason: string) => Effect.Effect<ReadonlyArray<string>, E>
  /** Writes to data and context without calling hooks. */
  readonly writeWithoutHooks: (data: Values, context: Values) => void
  /** Writes to the data and runs the hooks that react to writes. */
  readonly write: (data: Values, merged: Directive.Directive) => Effect.Effect<void, E>
  /** Changes timers and jobs as the directive says. */
  readonly schedule: (merged: Directive.Directive) => Effect.Effect<void, E>
  readonly say: (text: string) => Effect.Effect<void, E>

  /** Fails if the target flow or step does not exist. */
  readonly check: (to: Directive.Move) => Effect.Effect<void, E>
  /**
   * Moves to a flow or a step, or to the first step of the flow. The move may clear fields. With `matched` (a branch
   * matched by its `when`), fields that the message states keep their values.
   */
  readonly place: (to: Directive.Move, matched: boolean) => Effect.Effect<void, E>
  /** Stores the move in the session; the next turn begins with it. */
  readonly postpone: (to: Directive.Move, merged: Directive.PreDirective) => Effect.Effect<void, E>
  readonly handOff: (reason: string | undefined) => Effect.Effect<void, E>
  /** Marks the position as decided, so that routing is skipped. */
  readonly decide: () => void
  /** Ends the turn because the conversation moved after a reply. */
  readonly endMoved: (by: "reset" | "goto") => void
  /** Makes a step current without entering it; the walk then checks whether to enter the step. */
  readonly markStepPending: (step: S) => void
  /** Enters a step: makes it current and emits the event `StepEntered`. */
  readonly enter: (step: S) => Effect.Effect<void, E>
  /** Records in the response that a step was executed. */
  readonly execute: (step: S) => void
  /** Ends the flow, completed or not; it cannot be resumed. */
  readonly leave: (flow: F, completed: boolean) => Effect.Effect<void, E>
  /** Ends the flow uncompleted; ends the suspended flows too if the directive has `stack`. */
  readonly abandon: (to: Extract<Directive.Position, { readonly _tag: "Abort" }>) => Effect.Effect<void, E>
  /** Suspends the active flow on the stack. */
  readonly suspend: () => void
  /** Resumes the flow that was suspended last; false if there is none. */
  readonly resume: () => Effect.Effect<boolean, E>
  /** Enters the next flow on the agenda. */
  readonly enterNext: () => Effect.Effect<void, E>
  /** Returns how the active flow is interrupted by the next one, as its `onInterrupt` decides. */
  readonly interruption: (flow: F, next: F) => Effect.Effect<Interruption, E>

  /** Marks the message as used: no later condition is judged on it. */
  readonly consumeMessage: () => void
  /** Records in the trace the branches that hold too, but have lower precedence than the winner. */
  readonly traceOutranked: (
    winner: Branch<T>,
    others: ReadonlyArray<Levelled<Branch<T>>>
  ) => Effect.Effect<void, E>
}

/** The actions of a whole turn: the actions of the rules, and speaking. */
export interface Speaking<T, S extends Step<T>, F extends Flow<T, S>, E> extends Acts<T, S, F, E> {
  /** Records that the hooks of an entered or resumed flow run now. */
  readonly arrive: (flow: F, by: "entered" | "resumed") => Effect.Effect<void, E>
  /** Continues tool calls that were suspended for a person's decision; false if there are none. */
  readonly goOn: () => Effect.Effect<boolean, E>
  /**
   * Returns the end of the walk if it is already certain: a tool call of the step waits for the user, or a round of
   * calls continues.
   */
  readonly speaker: () => Next<S, F> | undefined
  /**
   * Returns the unknown fields that the step needs for what it says or asks next, or for the arguments of its call. Need
   * not name a field that no earlier step gives.
   */
  readonly needs: (flow: F, step: S) => Effect.Effect<ReadonlyArray<string>, E>
  readonly call: (flow: F, step: S) => Effect.Effect<void, E>
  readonly speak: (next: Exclude<Next<S, F>, { readonly _tag: "Answered" }>) => Effect.Effect<void, E>
  /** True if a tool call waits for a decision, so that the flow cannot continue. */
  readonly isHeldUp: () => boolean
}

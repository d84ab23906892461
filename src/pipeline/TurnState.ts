/**
 * What the phases of a turn share: what was opened, what they have done so far, and how user code is called.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import type * as Schema from "effect/Schema"
import type { HookContext, TurnContext } from "../domain/Callback.js"
import type {
  CompiledFlow,
  CompiledStep,
  CompiledTool,
  Definition,
  HookRun,
  Test,
  Values
} from "../domain/definition/Definition.js"
import { HookFailure } from "../domain/definition/Definition.js"
import type { TurnError } from "../domain/Errors.js"
import { FlowConfigurationError } from "../domain/Errors.js"
import { write } from "../domain/Fields.js"
import type { JsonObject } from "../domain/Json.js"
import type { ApprovalRequest, PendingApproval, Session } from "../domain/Session.js"
import type { SignalFiring } from "../domain/Signal.js"
import type { TurnEvent } from "../domain/TurnEvent.js"
import type { TurnResponse } from "../domain/TurnResponse.js"
import type * as Budget from "../services/Budget.js"
import type * as Model from "../services/Model.js"
import type * as SessionLock from "../services/SessionLock.js"
import type * as SessionStore from "../services/SessionStore.js"
import type * as ToolExecutor from "../services/ToolExecutor.js"
import type * as Understanding from "../services/Understanding.js"
import type { DirectiveBus } from "./DirectiveBus.js"

/** What a phase may fail with. */
export type Failure = TurnError | HookFailure

/** An agent ready to answer: its definition, its codecs and the services it captured. */
export interface Runtime {
  readonly definition: Definition
  readonly session: Schema.Schema<Session, JsonObject>
  readonly response: Schema.Schema<TurnResponse, JsonObject>
  readonly context: Schema.Schema<Values, Values>
  readonly model: Model.Service
  readonly budget: Budget.Limits
  readonly understanding: Understanding.Service
  readonly executor: ToolExecutor.Service
  readonly store: SessionStore.Service
  readonly lock: SessionLock.Service
  readonly generateId: Effect.Effect<string>
  /** What the agent's callbacks need, captured when it was made. */
  readonly services: Context.Context<never>
  /** The part of the system prompt that no turn changes. */
  readonly preamble: string
}

/** Where the events of a turn go. */
export interface Sink {
  /** Never waits. */
  readonly emit: (event: TurnEvent) => Effect.Effect<void>
  /** Waits while a reader of the events is too far behind. */
  readonly ready: Effect.Effect<void>
  /** How many milliseconds, up to `now`, the turn has waited for its readers. */
  readonly waited: (now: number) => number
  /** Whether the model's words are to arrive as they come. */
  readonly streaming: boolean
  /** The caller's wish to stop the turn. */
  readonly abort?: Abort
}

export interface Abort {
  readonly requested: () => boolean
  /** Completes when it is requested. */
  readonly signal: Effect.Effect<void>
}

/** What was done so far in this turn. Nothing of it is stored before the commit. */
export interface Draft {
  readonly session: Session
  readonly context: Values
  /** What was said so far. */
  readonly said: string
  /** Messages of an earlier, stopped turn that are stored before this turn's. */
  readonly earlier: ReadonlyArray<Prompt.Message>
  /** The messages of this turn after the user's. */
  readonly transcript: ReadonlyArray<Prompt.Message>
  readonly halted: boolean
  readonly aborted: boolean
  readonly replied: boolean
  /** A directive moved the conversation after something was said. */
  readonly movedAfter: "goto" | "reset" | undefined
  readonly outOfRounds: boolean
  /** The flow and step that spoke last in this turn, or `"idle"`. */
  readonly spoke: { readonly flowId: string; readonly stepId: string; readonly last: boolean } | "idle" | undefined
  readonly collected: Values
  /** The fields the message states, those included that were known with the same value. */
  readonly stated: ReadonlyArray<string>
  readonly rejected: TurnResponse["rejected"]
  readonly executedSteps: TurnResponse["executedSteps"]
  readonly completedFlows: ReadonlyArray<string>
  readonly toolCalls: TurnResponse["toolCalls"]
  readonly appliedInstructions: TurnResponse["appliedInstructions"]
  readonly firings: ReadonlyArray<SignalFiring>
  readonly chain: TurnResponse["directiveChain"]
  readonly approvals: ReadonlyArray<ApprovalRequest>
  readonly pendingApproval: PendingApproval | undefined
  readonly appendPrompt: ReadonlyArray<string>
  readonly injectTools: ReadonlyArray<CompiledTool>
  readonly answers: Understanding.Answers
  readonly usage: TurnResponse["usage"]
  readonly trace: TurnResponse["trace"]
  readonly autoSteps: number
  readonly moves: number
}

/** A turn that has begun. */
export interface Opened {
  readonly runtime: Runtime
  readonly sink: Sink
  readonly sessionId: string
  /** The user's message; empty when the turn answers something else. */
  readonly message: string
  readonly messageId: string | undefined
  /** The session as it was loaded. */
  readonly stored: Session
  readonly history: ReadonlyArray<Prompt.Message>
  readonly now: DateTime.Utc
  readonly bus: DirectiveBus
  readonly draft: Ref.Ref<Draft>
}

/** A stored directive was applied: routing and pre-signals have nothing left to decide. */
export interface Resumed extends Opened {
  readonly directed: boolean
}

export const get = (turn: Opened): Effect.Effect<Draft> => Ref.get(turn.draft)

export const update = (turn: Opened, f: (draft: Draft) => Partial<Draft>): Effect.Effect<void> =>
  Ref.update(turn.draft, (draft) => ({ ...draft, ...f(draft) }))

export const emit = (turn: Opened, event: TurnEvent): Effect.Effect<void> =>
  Effect.zipRight(turn.sink.emit(event), turn.sink.ready)

/** Tells words and keeps them at once: wherever the turn is stopped, what was told is what is kept. */
export const tell = (turn: Opened, event: TurnEvent, said: string): Effect.Effect<void> =>
  Effect.zipRight(
    Effect.uninterruptible(Effect.zipRight(update(turn, () => ({ said })), turn.sink.emit(event))),
    turn.sink.ready
  )

/** The fields this turn's message gave: a flow that is entered again by it keeps them. */
export const given = ({ collected, completedFlows, said, stated }: Draft): ReadonlySet<string> =>
  new Set(said === "" && completedFlows.length === 0 ? [...Object.keys(collected), ...stated] : [])

/** Whether the turn needs no more walking: something was said, or nothing may be said. */
export const isAnswered = (draft: Draft): boolean =>
  draft.said !== "" || draft.halted || draft.aborted || draft.pendingApproval !== undefined

export const trace = (turn: Opened, kind: string, source: string, message: string): Effect.Effect<void> =>
  update(turn, (draft) => ({ trace: [...draft.trace, { kind, source, message }] }))

export const currentFlow = (turn: Opened, session: Session): CompiledFlow | undefined =>
  turn.runtime.definition.flows.find(({ id }) => id === session.currentFlow?.id)

export const currentStep = (turn: Opened, session: Session): CompiledStep | undefined =>
  currentFlow(turn, session)?.steps.find(({ id }) => id === session.currentStep?.id)

/** What user code sees right now: the draft, with the writes that wait on the bus laid over it. */
export const contextOf = (turn: Opened): Effect.Effect<TurnContext<Values, Values>> =>
  Effect.zipWith(get(turn), turn.bus.peek, (draft, waiting) => {
    const data = waiting.dataUpdate === undefined ? draft.session.data : write(draft.session.data, waiting.dataUpdate)
    const context = waiting.contextUpdate === undefined ? draft.context : write(draft.context, waiting.contextUpdate)
    return { data, context, session: draft.session, history: turn.history, message: turn.message }
  })

/** Calls a hook; what it dispatches and returns goes to the bus under the hook's name. */
export const runHook = (turn: Opened, source: string, hook: HookRun | undefined): Effect.Effect<void, HookFailure> =>
  hook === undefined ? Effect.void : Effect.gen(function*() {
    const ctx = yield* contextOf(turn)
    const hookContext: HookContext<Values, Values> = {
      ...ctx,
      dispatch: (directive) => turn.bus.emit(source, directive)
    }
    const directive = yield* hook(hookContext)
    if (directive !== undefined && directive !== null) yield* turn.bus.emit(source, directive)
  })

/** Asks a predicate. A defect in it counts as `false`, is logged and traced. */
export const holds = (turn: Opened, source: string, test: Test): Effect.Effect<boolean> =>
  Effect.flatMap(contextOf(turn), test).pipe(
    Effect.catchAllCause((cause) =>
      Effect.gen(function*() {
        const message = messageOf(cause)
        const known = (yield* get(turn)).trace.some((one) => one.source === source && one.message === message)
        // A predicate may be asked more than once in a turn; it is told of once.
        if (!known) {
          yield* Effect.logError(`A predicate of ${source} died; it counts as false`, cause)
          yield* trace(turn, "predicate_defect", source, message)
        }
        return false
      })
    )
  )

/** The first line of what a cause says, for records. */
export const messageOf = (cause: Cause.Cause<unknown>): string => {
  const squashed = Cause.squash(cause)
  const error = squashed instanceof HookFailure ? squashed.error : squashed
  return error instanceof Error ? error.message : String(error)
}

export const allHold = (turn: Opened, source: string, tests: ReadonlyArray<Test>): Effect.Effect<boolean> =>
  tests.length === 0 ? Effect.succeed(true) : Effect.every(tests, (test) => holds(turn, source, test))

export const anyHolds = (turn: Opened, source: string, tests: ReadonlyArray<Test>): Effect.Effect<boolean> =>
  tests.length === 0 ? Effect.succeed(false) : Effect.exists(tests, (test) => holds(turn, source, test))

/** Says something verbatim: it is the message, and replaces what was said before. */
export const say = (turn: Opened, text: string): Effect.Effect<void> =>
  text === "" ? Effect.void : Effect.flatMap(
    get(turn),
    ({ said }) =>
      tell(turn, said === "" ? { _tag: "TextDelta", text } : { _tag: "MessageReplaced", message: text }, text)
  )

/** Counts a move; fails when the turn has moved too often. */
export const countMove = (turn: Opened): Effect.Effect<void, FlowConfigurationError> =>
  Effect.gen(function*() {
    yield* update(turn, ({ moves }) => ({ moves: moves + 1 }))
    const draft = yield* get(turn)
    const max = turn.runtime.definition.maxDirectiveChain
    if (draft.moves > max) yield* Effect.fail(tooLong("maxDirectiveChain", max, "directives moved this turn", draft))
  })

export const tooLong = (limit: string, max: number, what: string, draft: Draft): FlowConfigurationError =>
  FlowConfigurationError.one({
    path: limit,
    what: `${limit} of ${max}`,
    why: `${what} more often than that, through ${
      draft.executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`).join(" → ") || "no step"
    }`,
    fix: `Break the circle with a condition, or raise ${limit}`
  })

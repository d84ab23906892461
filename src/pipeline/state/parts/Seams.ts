/** The seams of the turn, at which the phases call the features that a definition uses. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { FlowConfigurationError, TurnError } from "../../../domain/base/error/Errors.js"
import type { Json } from "../../../domain/base/Json.js"
import type * as Brief from "../../../domain/brief/Brief.js"
import type {
  CompiledStep,
  CompiledTool,
  Definition,
  HookFailure,
  Values
} from "../../../domain/definition/Definition.js"
import type { Directive } from "../../../domain/directive/Directive.js"
import type { Session } from "../../../domain/session/Session.js"
import type { ToolCallRecord } from "../../../domain/session/ToolCall.js"
import type * as TurnEntry from "../../../domain/turn/TurnEntry.js"
import type * as Model from "../../../services/model/Model.js"
import type { ToolInvocation } from "../../../services/tool/ToolExecutor.js"
import type * as Judgement from "../../../services/understanding/Judgement.js"
import type { Internal } from "../Input.js"
import type { Terms } from "./ReplyState.js"
import type { CallOutcome } from "./SuspendedTurn.js"

/** A model call for a reply. */
export interface ReplyRequest {
  readonly brief: Brief.Speaking
  readonly terms: Terms
}

/**
 * Makes a model call, and passes the parts of the answer on in order; if the turn does not stream, its text as one part.
 * The answer is undefined if a feature did not let it pass.
 */
export type Ask = (
  onPart: (part: Model.ModelPart) => Effect.Effect<void>
) => Effect.Effect<Model.ModelAnswer | undefined, TurnError>

/** The giver of values: code, the message, or the user who confirms known values. */
export type GivenBy = "code" | "message" | "confirmation"

/** A tool call of a round. */
export interface RoundCall {
  readonly id: string
  readonly name: string
  readonly params: Json
  readonly tool: CompiledTool | undefined
  /** Number of earlier equal calls in the turn, or the `callKey` of the flow's call. */
  readonly count: number | string
  /** True if the flow makes the call, not the model. */
  readonly byFlow: boolean
  /** The tools for whose sake a feature makes this call. */
  readonly chain?: ReadonlyArray<string>
}

type Answering = Judgement.Service["answer"]

/** A tool call with its checks. */
export interface PreparedCall {
  readonly invocation: ToolInvocation
  readonly run: (invocation: ToolInvocation) => Effect.Effect<CallOutcome, TurnError | HookFailure>
}

type Preparing = Effect.Effect<PreparedCall, TurnError | HookFailure>

/** Makes other calls before a call, in its round and at its step. */
export interface Making {
  readonly step: CompiledStep | undefined
  readonly prepare: (call: RoundCall) => Effect.Effect<PreparedCall | undefined, TurnError | HookFailure>
  readonly run: (call: RoundCall) => Effect.Effect<unknown, TurnError | HookFailure>
}

type Messages = ReadonlyArray<Prompt.Message>

/** Functions of a turn `T` that the phases call, for a feature or for all features of the turn. */
export interface Seams<T> {
  /** Runs when the turn is opened, before the transcript has its message; returns the turn to go on with. */
  readonly opened?: ((turn: T) => Effect.Effect<T, TurnError | HookFailure>) | undefined
  /** Runs before the first phase of a turn that may speak; returns the turn for the phases, with another history. */
  readonly begun?: ((turn: T) => Effect.Effect<T>) | undefined
  /** Wraps the judging of a message; undefined keeps the message from being understood. */
  readonly judge?:
    | (<A, E>(turn: T, judging: Effect.Effect<A, E>, asksModel: boolean) => Effect.Effect<A | undefined, E>)
    | undefined
  /** Returns the questions that are asked about a message for the feature. */
  readonly questions?: ((turn: T) => Effect.Effect<Judgement.FurtherQuestions>) | undefined
  /** Wraps the answering of questions about a message. */
  readonly answer?:
    | ((turn: T, questions: Judgement.Questions, ask: Answering) => ReturnType<Answering>)
    | undefined
  /** Runs when values were written or confirmed; `before` is the session before. */
  readonly written?: ((turn: T, data: Values, by: GivenBy, before: Session) => void) | undefined
  /** Runs after the values of the message are written. */
  readonly understood?: ((turn: T) => Effect.Effect<void, TurnError | HookFailure>) | undefined
  /** Runs after routing has selected the flow; returns the turn for the phases that follow. */
  readonly routed?: ((turn: T) => Effect.Effect<T, TurnError | HookFailure>) | undefined
  /** Returns the question to the user whether the values of these fields are right. */
  readonly question?: ((turn: T, text: string, fields: ReadonlyArray<string>) => Effect.Effect<string>) | undefined
  /** Wraps a model call for a reply. */
  readonly reply?: ((turn: T, request: ReplyRequest, ask: Ask) => Ask) | undefined
  /**
   * Wraps the preparation of a tool call, to add checks to it or to wrap its run. `making` is given if the call begins now;
   * otherwise the call is only examined.
   */
  readonly prepare?: ((turn: T, call: RoundCall, preparing: Preparing, making?: Making) => Preparing) | undefined
  /** Returns the result of a tool call as the model and the record get it. */
  readonly result?: ((turn: T, call: RoundCall, result: CallOutcome) => Effect.Effect<CallOutcome>) | undefined
  /** Returns the record of a call that has ended. `invocation` is undefined if the call was refused unprepared. */
  readonly recorded?:
    | ((turn: T, call: RoundCall, record: ToolCallRecord, invocation?: ToolInvocation) => Effect.Effect<ToolCallRecord>)
    | undefined
  /** Runs after the model has spoken. */
  readonly spoken?: ((turn: T) => Effect.Effect<void, TurnError | HookFailure>) | undefined
  /** Runs when the phases are over, also if they failed or were interrupted. */
  readonly ended?: ((turn: T) => Effect.Effect<void>) | undefined
  /** Returns the session as the turn stores it. What it stores elsewhere is stored before the session. */
  readonly commit?: ((turn: T, session: Session) => Effect.Effect<Session, TurnError | HookFailure>) | undefined
  /** Returns the change of the session for a turn that is not stored; undefined if there is none. */
  readonly unstored?: ((turn: T) => ((session: Session) => Partial<Session>) | undefined) | undefined
  /** Runs after the turn is stored, with the session as committed and the messages that the turn has added. */
  readonly committed?: ((turn: T, session: Session, messages: Messages) => Effect.Effect<void>) | undefined
}

/** The features of turns `T` of runtimes `R`, at the places where no feature was opened for a turn. */
export interface Features<T, R> {
  /** Opens the features that a turn uses: those of its definition, and those of which the session has a part. */
  readonly open: (definition: Definition, stored: Session) => Effect.Effect<Seams<T>>
  /** Carries out the parts of a directive that belong to features. */
  readonly direct: (turn: T, directive: Directive) => Effect.Effect<void, FlowConfigurationError>
  /** Returns when the next part of a session is due. */
  readonly wakeAt: (session: Session) => DateTime.Utc | undefined
  /** Returns the input that the log has. */
  readonly inputOf: (logged: TurnEntry.Internal, sessionId: string) => Internal
  /** Drops what the features keep in this process of a session that was removed. */
  readonly forget: (runtime: R, sessionId: string) => void
}

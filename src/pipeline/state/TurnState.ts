/**
 * What the phases of a turn share: what was opened, and what they have come to so far.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Exit from "effect/Exit"
import * as MutableRef from "effect/MutableRef"
import type * as Schema from "effect/Schema"
import type { Form } from "../../domain/authored/Form.js"
import type { ModelOptions } from "../../domain/authored/ModelOptions.js"
import type { ToolCallRecord, ToolChoice } from "../../domain/authored/Tool.js"
import type { TurnError } from "../../domain/base/error/Errors.js"
import type { Json, JsonObject } from "../../domain/base/Json.js"
import * as Memo from "../../domain/base/Memo.js"
import { patch } from "../../domain/base/patch.js"
import type * as Brief from "../../domain/brief/Brief.js"
import type {
  CompiledFlow,
  CompiledStep,
  CompiledTool,
  Definition,
  HookFailure,
  Values
} from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { Timer } from "../../domain/directive/Timer.js"
import type { StoredJob } from "../../domain/job/StoredJob.js"
import type { Reason } from "../../domain/language/consent/Consent.js"
import type { PendingApproval, Session, Summary } from "../../domain/session/Session.js"
import * as Ending from "../../domain/turn/Ending.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { Progress, TurnResponse } from "../../domain/turn/TurnResponse.js"
import type * as Budget from "../../services/model/Budget.js"
import type * as Model from "../../services/model/Model.js"
import type { ModelToolCall } from "../../services/model/Model.js"
import type * as SessionFeed from "../../services/session/SessionFeed.js"
import type * as SessionLock from "../../services/session/SessionLock.js"
import type * as SessionStore from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import type * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import type * as TurnLog from "../../services/turn/TurnLog.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { DirectiveBus } from "./DirectiveBus.js"
import type * as Epochs from "./Epochs.js"
import type { Input, Said } from "./Input.js"

/** What a phase may fail with. */
export type Failure = TurnError | HookFailure

/** An agent ready to answer: its definition, its codecs and the services it captured. */
export interface Runtime {
  readonly definition: Definition
  readonly session: Schema.Schema<Session, JsonObject>
  readonly response: Schema.Schema<TurnResponse, JsonObject>
  readonly event: Schema.Schema<TurnEvent, JsonObject>
  readonly context: Schema.Schema<Values, Values>
  readonly directive: Schema.Schema<Directive, JsonObject>
  readonly model: Model.Service
  readonly budget: Budget.Limits
  readonly understanding: Understanding.Service
  readonly executor: ToolExecutor.Service
  readonly store: SessionStore.Service
  /** Where files are kept; undefined where nobody provided a place. */
  readonly blobs: BlobStore.Service | undefined
  readonly lock: SessionLock.Service
  readonly feed: SessionFeed.Service
  readonly generateId: Effect.Effect<string>
  /** Names the life of a session that begins. */
  readonly newEpoch: Epochs.NewEpoch
  /** What the agent's callbacks need, captured when it was made. */
  readonly services: Context.Context<never>
  /** The part of the system prompt that no turn changes. */
  readonly preamble: string
  readonly summaries: Summaries
  /** Of each session the last turn of this process that a later message may stop. */
  readonly runningTurns: Map<string, Stoppable>
  /** Where turns are recorded, if they are. */
  readonly log?: TurnLog.Service | undefined
  /** Set while a turn is recorded: what the agent runs on otherwise, and how to leave the recorded clock and numbers. */
  readonly recording?: {
    readonly runtime: Runtime
    readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
}

/** The summaries that an agent has under way, by the branch of their session, and the sessions whose last one failed, at most a thousand. */
export interface Summaries {
  readonly running: Map<string, Deferred.Deferred<Summary | undefined>>
  readonly failed: Set<string>
  /** Nobody makes summaries after a turn: they come from a record. */
  readonly recorded?: true
}

/** Where the events of a turn go. */
export interface Sink {
  /** Never waits. */
  readonly emit: (event: TurnEvent) => void
  /** Waits while a reader of the events is too far behind. */
  readonly ready: Effect.Effect<void>
  /** How many milliseconds, up to `now`, the turn has waited for its readers. */
  readonly backpressureMillis: (now: number) => number
  /** Whether the model's words are to arrive as they come. */
  readonly streaming: boolean
  /** The caller's wish to stop the turn. */
  readonly abort?: Abort
}

/** A turn without readers. */
export const silent: Sink = { emit: () => {}, ready: Effect.void, backpressureMillis: () => 0, streaming: false }

/** A turn that answers a message, and that a later message may stop. */
export interface Stoppable {
  /** The message it answers, together with those of the turns that it has stopped. */
  said: Said
  /** Its sink, by which it is told to stop. */
  readonly sink: Sink
  /** Tells it to stop; gives what it left unanswered, once it has ended. */
  readonly stop: Effect.Effect<Said | undefined>
  readonly end: (exit: Exit.Exit<TurnResponse, Failure>) => Effect.Effect<void>
}

export interface Abort {
  readonly requested: () => boolean
  /** Completes when it is requested. */
  readonly signal: Effect.Effect<void>
}

/** Calls of the model that are being answered, and what is known of them. */
export interface Round {
  /** From 1, counted over the whole turn. */
  readonly number: number
  readonly calls: ReadonlyArray<ModelToolCall>
  /** Results from before the round was stopped. */
  readonly records: ReadonlyArray<ToolCallRecord>
  /** What people decided about calls that have no result yet. */
  readonly decided: ReadonlyArray<Decided>
  /** The flow made the call, and not the model: it stands in no transcript. */
  readonly byFlow?: true
  /** What tells the call from equal ones in the journal, when the flow made it. */
  readonly callKey?: string
  /** Where the calls were made, when the round goes on later than it began. */
  readonly at?: PendingApproval["at"]
  /** The call whose arguments the user has changed: it is asked about again, whatever its tool needs. */
  readonly changed?: string
}

/** A call that a person was asked about, and what they said. */
export interface Decided {
  readonly request: PendingApproval["requests"][number]
  readonly decision: PendingApproval["decisions"][number]
}

/** Yes and no to what was asked, or other arguments, as JSON, by parameter. */
export type Verdict = "yes" | "no" | { readonly changes: JsonObject }

/** What a model that speaks is asked beside the prompt. */
export interface Terms {
  readonly tools: ReadonlyArray<CompiledTool>
  readonly toolChoice: ToolChoice
  readonly model: { readonly alias: string | undefined; readonly options: ModelOptions | undefined }
}

/** An answer of the model that was asked for while the message was still being understood. */
export interface Speculation {
  readonly flow: CompiledFlow
  readonly step: CompiledStep
  /** The field that the step before waits for. */
  readonly awaits: string | undefined
  readonly brief: Brief.Speaking
  readonly terms: Terms
  /**
   * The answer, its parts handed over in order; `anew` in its place where it failed before anything of it was handed over.
   */
  readonly take: (
    onPart: (part: Model.ModelPart) => Effect.Effect<void>,
    anew: Effect.Effect<Model.ModelAnswer, TurnError>
  ) => Effect.Effect<Model.ModelAnswer, TurnError>
  readonly stop: Effect.Effect<void>
}

/** What was known when the walk came by a position. */
export interface Passage {
  readonly data: Values
  readonly context: Values
}

/** What a turn has come to. Nothing of it is stored before the commit. */
export interface State {
  readonly session: Session
  readonly context: Values
  readonly record: TurnRecord.TurnRecord
  readonly ending: Ending.Ending
  readonly speaker: Ending.Speaker | undefined
  /** A directive put the conversation where it is: routing has nothing left to decide. */
  readonly positionFixed: boolean
  /** Routing is over: the floor, once free, goes to what was suspended. Before that the message may want another flow. */
  readonly routed: boolean
  /** Flows that were asked for by an earlier message and have come to their turn. */
  readonly agendaFlows: ReadonlyArray<string>
  /** What was said while the flow was suspended that goes on in this turn. */
  readonly meanwhile: ReadonlyArray<Prompt.Message>
  /** Flows that are over and whose values are still to be forgotten; with `shared` fields, another flow that had the floor goes on. */
  readonly ended: ReadonlyArray<{ readonly flowId: string; readonly shared: ReadonlyArray<string> }>
  /** Flows that were suspended when they ended: who has the floor goes on as if nothing had happened. */
  readonly aside: ReadonlyArray<string>
  /** The step that had spoken and waits for this message. */
  readonly waiting: { readonly flowId: string; readonly stepId: string } | undefined
  /** The message has answered what it was asked: nothing else is judged by it. */
  readonly messageConsumed: boolean
  /** Messages of an earlier, stopped turn that are stored before this turn's. */
  readonly suspendedTurnMessages: ReadonlyArray<Prompt.Message>
  /** The messages of this turn after the user's. */
  readonly transcript: ReadonlyArray<Prompt.Message>
  readonly round: Round | undefined
  /** What the message says to the question about a call that waits for the user. */
  readonly verdict: Verdict | undefined
  /** Why the message is not taken as the yes that it was judged to be. */
  readonly unclear: Reason | undefined
  /** The session as this turn's claim stored it, and the claim. */
  readonly claimed: { readonly session: Session; readonly id: string } | undefined
  /** What names the turn that goes on with a round about which the user was asked. */
  readonly resumes: string | undefined
  readonly appendPrompt: ReadonlyArray<string>
  readonly injectTools: ReadonlyArray<CompiledTool>
  readonly answers: Understanding.Answers
  /** What is asked for early, while nobody knows whether it is wanted. */
  readonly speculation: Speculation | undefined
  /** What is waited for when the turn is over. */
  readonly expects: Form | undefined
  /** How far the flow is that has the floor when the turn is over. */
  readonly progress: Progress | undefined
  readonly autoSteps: number
  /** What was known at each position that the walk came by without a word. */
  readonly passages: ReadonlyMap<string, ReadonlyArray<Passage>>
  readonly moves: number
}

/** What a turn answers when it is not a message of the user: an event, or the report of a job. */
export interface Occurrence {
  /** The name of the event. */
  readonly name: string
  /** What the model is told of it. */
  readonly payload: Json
  /** What its handler sees of it, or why it is not what its Schema describes. */
  readonly value: Either.Either<unknown, string>
  /** The timer that caused it. */
  readonly timer?: Timer
  /** The job whose report this is. */
  readonly job?: StoredJob
}

/** A file of a message, as the transcript has it and as the model gets it. */
export interface Attached {
  readonly stored: Prompt.FilePart
  readonly shown: Prompt.FilePart
}

/** A turn that has begun. */
export interface Opened {
  readonly runtime: Runtime
  readonly sink: Sink
  readonly input: Input
  readonly sessionId: string
  /** The user's message; empty when the turn answers something else. */
  readonly message: string
  /** The files of the message. */
  readonly files: ReadonlyArray<Attached>
  readonly messageId: string | undefined
  /** What the turn answers when it answers no message. */
  readonly occurrence: Occurrence | undefined
  /** The conversation begins with this turn, and nobody has said anything. */
  readonly begins?: true
  /** The session as it was loaded. */
  readonly stored: Session
  readonly history: ReadonlyArray<Prompt.Message>
  readonly now: DateTime.Utc
  readonly bus: DirectiveBus
  /** Whether somebody traces, so that phases are spans. */
  readonly isTraced: boolean
  /** One cell for all that the phases read and write: plain values inside a phase, no Effect for each field. */
  readonly cell: MutableRef.MutableRef<State>
}

/** What came with the message, as a model gets it. */
export const filesOf = ({ files }: Opened): { readonly files?: ReadonlyArray<Prompt.FilePart> } =>
  files.length === 0 ? {} : { files: files.map(({ shown }) => shown) }

/** What the turn has come to. Read it where the phase runs, not where it is put together. */
export const get = ({ cell }: Opened): State => MutableRef.get(cell)

/** What the turn says next, as a paragraph of its own: apart from what it has said before. */
export const paragraph = (turn: Opened, text: string): string => get(turn).record.said === "" ? text : `\n\n${text}`

export const set = ({ cell }: Opened, change: Partial<State>): void =>
  void MutableRef.update(cell, (state) => ({ ...state, ...change }))

/** The session that the turn's commit replaces: as it was loaded, or as the turn's own claim stored it. */
export const storedOf = (turn: Opened): Session => get(turn).claimed?.session ?? turn.stored

export const setSession = (turn: Opened, change: Partial<Session>): void =>
  set(turn, { session: patch(get(turn).session, change) })

/** Records a fact, and hands it to those who read the turn, without waiting for them. */
export const note = (turn: Opened, fact: TurnRecord.Fact): void => {
  set(turn, { record: TurnRecord.add(get(turn).record, fact) })
  if (TurnRecord.isEvent(fact)) turn.sink.emit(fact)
}

/** Writes down a fact and tells it, at once; who reads the turn is waited for by what this gives. */
export const tell = (turn: Opened, fact: TurnRecord.Fact): Effect.Effect<void> => {
  note(turn, fact)
  return turn.sink.ready
}

export const trace = (turn: Opened, kind: string, source: string, message: string): void =>
  note(turn, { _tag: "Traced", entry: { kind, source, message } })

/** Moves the turn's ending forward. */
export const end = (turn: Opened, ending: Ending.Ending): void =>
  set(turn, { ending: Ending.forward(get(turn).ending, ending) })

/** Whether the turn needs no more walking: something was said, or nothing may be said. */
export const isAnswered = (turn: Opened): boolean => get(turn).ending._tag !== "Open"

/** Whether routing has nothing left to decide. */
export const isDirected = (turn: Opened): boolean => get(turn).positionFixed || isAnswered(turn)

/** The fields this turn's message gave: a flow that is entered again by it keeps them. */
export const given = (turn: Opened): ReadonlySet<string> => {
  const { record: { collected, completedFlows, partly, said, stated }, routed } = get(turn)
  const fresh = said === "" && (!routed || completedFlows.length === 0)
  return new Set(fresh ? [...Object.keys(collected), ...Object.keys(stated), ...partly] : [])
}

/** Whether a person had the floor when the turn began, and nothing is to be said; a wait that is over may speak. */
export const isSilent = ({ occurrence, stored }: Opened): boolean =>
  stored.handOver !== undefined && occurrence?.timer?.waited === undefined

// Each is asked for dozens of times in a turn.
const flowsById = Memo.weak((flows: ReadonlyArray<CompiledFlow>) => new Map(flows.map((flow) => [flow.id, flow])))
const stepsById = Memo.weak((steps: ReadonlyArray<CompiledStep>) => new Map(steps.map((step) => [step.id, step])))

/** The agent's flow of this id. */
export const flowOf = (turn: Opened, id: string | undefined): CompiledFlow | undefined =>
  id === undefined ? undefined : flowsById(turn.runtime.definition.flows).get(id)

export const currentFlow = (turn: Opened, session: Session): CompiledFlow | undefined =>
  flowOf(turn, session.currentFlow?.id)

export const currentStep = (turn: Opened, session: Session): CompiledStep | undefined => {
  const flow = currentFlow(turn, session)
  const { currentStep: at } = session
  return flow === undefined || at === undefined ? undefined : stepsById(flow.steps).get(at.id)
}

/** Says something verbatim: it is the message, and replaces what was said before. */
export const say = (turn: Opened, text: string, ending: Ending.Ending): Effect.Effect<void> => {
  if (text === "") return Effect.void
  end(turn, ending)
  const { said } = get(turn).record
  return tell(turn, said === "" ? { _tag: "TextDelta", text } : { _tag: "MessageReplaced", message: text })
}

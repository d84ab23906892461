/** The state that the phases of a turn share: what was opened, and the results so far. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Schema from "effect/Schema"
import type { Stop } from "../../domain/base/Deadline.js"
import type { TurnError } from "../../domain/base/error/Errors.js"
import { type JsonObject, wellFormed } from "../../domain/base/Json.js"
import type { Definition, HookFailure, Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { Session, Summary } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import * as Ending from "../../domain/turn/Ending.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { Counts } from "../../domain/walk/Ground.js"
import type * as Budget from "../../services/model/Budget.js"
import type * as Model from "../../services/model/Model.js"
import type * as SessionFeed from "../../services/session/SessionFeed.js"
import type * as SessionLock from "../../services/session/SessionLock.js"
import type * as SessionStore from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import type * as ToolExecutor from "../../services/tool/ToolExecutor.js"
import type * as TurnLog from "../../services/turn/TurnLog.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { DirectiveBus } from "./DirectiveBus.js"
import { type Input, isDecision, type Occurrence, type UncheckedMessage } from "./Input.js"
import type { AnswerState } from "./parts/AnswerState.js"
import type { ReplyState } from "./parts/ReplyState.js"
import type { RoutingState } from "./parts/RoutingState.js"
import type { Features, Seams } from "./parts/Seams.js"
import { suspendedKey } from "./parts/SuspendedTurn.js"

/** The errors of a phase. */
export type Failure = TurnError | HookFailure

/** An agent ready to answer: its definition, its codecs and the services it captured. */
export interface Runtime {
  readonly definition: Definition
  /**
   * The earlier definitions of the agent. A session that is in a flow of one of them continues with it until the flow
   * ends.
   */
  readonly earlier: ReadonlyArray<Pick<Runtime, "definition" | "preamble">>
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
  /** The store of files; undefined if none was provided. */
  readonly blobs: BlobStore.Service | undefined
  readonly lock: SessionLock.Service
  readonly feed: SessionFeed.Service
  readonly generateId: Effect.Effect<string>
  /**
   * Returns an epoch for a session that begins now, for the user who begins it, if known. The epoch distinguishes the
   * session from others with the same id. It is computed from the clock and the user id, without randomness, so that a
   * replayed or repeated turn gets the same one.
   */
  readonly newEpoch: (userId?: string) => Effect.Effect<string | undefined>
  /** The services that the agent's callbacks need, captured when the agent was made. */
  readonly services: Context.Context<never>
  /** The part of the system prompt that is the same in every turn. */
  readonly preamble: string
  readonly features: Features<Opened, Runtime>
  readonly summaries: Summaries
  /** For each session, the last turn of this process that a later message may stop. */
  readonly runningTurns: Map<string, Stoppable>
  /** The log in which turns are recorded, if any. */
  readonly log?: TurnLog.Service | undefined
  /**
   * Set while a turn is recorded: the runtime without recording, and a function that runs an effect outside the
   * recorded clock and random numbers.
   */
  readonly recording?: {
    readonly runtime: Runtime
    readonly outside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
}

/**
 * The summaries in progress, by the branch of their session; the branches whose oldest messages are being summarized;
 * and the sessions whose last summary failed (at most 1000).
 */
export interface Summaries {
  readonly running: Map<string, Deferred.Deferred<Summary | undefined>>
  readonly catchingUp: Set<string>
  readonly failed: Set<string>
  /** The summary for which the recorded turn waited. Set in a replay, which makes no summaries after a turn. */
  readonly recorded?: { readonly summary: Summary | undefined }
}

/** The receiver of a turn's events. */
export interface Sink {
  /** Delivers an event without waiting. */
  readonly emit: (event: TurnEvent) => void
  /** Waits while a reader of the events is too far behind. */
  readonly ready: Effect.Effect<void>
  /** Milliseconds, up to `now`, that the turn has waited for its readers. */
  readonly backpressureMillis: (now: number) => number
  /** True if the model's text is delivered as it arrives. */
  readonly streaming: boolean
  /** The signal by which the caller stops the turn. */
  readonly abort?: Abort
}

/** A sink without readers. */
export const silent: Sink = { emit: () => {}, ready: Effect.void, backpressureMillis: () => 0, streaming: false }

/** A turn that answers a message and can be stopped by a later message. */
export interface Stoppable {
  /** The message that the turn answers, merged with the messages of the turns that it has stopped. */
  said: UncheckedMessage
  /** The sink of the turn's events, whose `abort` signal stops the turn. */
  readonly sink: Sink
  /** Asks the turn to stop, waits for its end, and returns the messages that it left unanswered. */
  readonly stop: Effect.Effect<UncheckedMessage | undefined>
  readonly end: (exit: Exit.Exit<TurnResponse, Failure>) => Effect.Effect<void>
}

export interface Abort extends Stop {
  readonly requested: () => boolean
}

/** The data and the context at the time when the walk passed a position. */
interface Passage {
  readonly data: Values
  readonly context: Values
}

/** The result of a turn so far, stored only at the commit. Its values are immutable: a change replaces one. */
export interface State {
  /** The session that the commit replaces: as it was loaded, or as this turn has stored it since. */
  replaced: Session
  session: Session
  context: Values
  record: TurnRecord.TurnRecord
  ending: Ending.Ending
  /** The messages of this turn after the user's message. */
  transcript: ReadonlyArray<Prompt.Message>
  answers: Understanding.Answers
}

/** How far the walk of the turn has come. Only the walk reads and changes it, in place. */
interface Walked extends Counts {
  /** The data and context at each position that the walk passed without speaking. */
  readonly passages: Map<string, ReadonlyArray<Passage>>
}

/** A file of a message, as the transcript stores it and as the model gets it. */
export interface Attached {
  readonly stored: Prompt.FilePart
  readonly shown: Prompt.FilePart
}

/** A value that the call of a step has given. */
export interface Bound {
  readonly value: unknown
  readonly callId: string
  readonly toolId: string
}

/** A turn that has been opened. */
export interface Opened {
  readonly runtime: Runtime
  readonly sink: Sink
  readonly input: Input
  readonly sessionId: string
  /** The user's message; empty if the turn answers another input. */
  readonly message: string
  /** The files of the message. */
  readonly files: ReadonlyArray<Attached>
  readonly messageId: string | undefined
  /** Set if the turn answers an event instead of a message. */
  readonly occurrence: Occurrence | undefined
  /** True if the conversation begins with this turn, before any message. */
  readonly begins?: true
  /** The session as it was loaded. */
  readonly stored: Session
  readonly history: ReadonlyArray<Prompt.Message>
  /** Number of loaded messages in `history`. Does not count an older user message that may precede them. */
  readonly historyCount: number
  readonly now: DateTime.Utc
  readonly bus: DirectiveBus
  /** True if a tracer is installed, so that phases are spans. */
  readonly isTraced: boolean
  /** Changed in place. Read it when the phase runs, not when its effect is built. */
  readonly state: State
  readonly walked: Walked
  readonly routing: RoutingState
  readonly answer: AnswerState
  readonly reply: ReplyState
  /** The features that the definition uses, with their state for this turn. */
  readonly features: Seams<Opened>
  /** The values that calls of steps write into fields, by field. Added to in place. */
  readonly bound: Map<string, Bound>
}

/** The files of the message, as the model gets them. */
export const filesOf = ({ files }: Opened): { readonly files?: ReadonlyArray<Prompt.FilePart> } =>
  files.length === 0 ? {} : { files: files.map(({ shown }) => shown) }

/** The user's message of this turn, for the transcript; empty if the turn answers another input. */
export const messageOf = ({ files, message }: Opened): Opened["history"] =>
  message === "" ? [] : [Transcript.user(message, files.map(({ stored }) => stored))]

/**
 * Returns the key by which the turn is recognised when it is repeated: the key of its message, the request that it
 * decides, or what has happened. Undefined if a repetition could not be recognised.
 */
export const turnKey = (turn: Opened): string | undefined => {
  const { input, messageId, occurrence } = turn
  // A yes that is repeated, by message or by decision, resumes the same round.
  return turn.reply.resumes ?? messageId ??
    (isDecision(input) ? input.request : occurrence?.key)
}

/** True if the session waits for a yes or no: about calls that are suspended, or about values that were read back. */
export const isAsking = ({ currentStep, [suspendedKey]: suspended }: Session): boolean =>
  suspended !== undefined || currentStep?.confirming !== undefined

/** Returns the text as a new paragraph if the turn has said something before. */
export const paragraph = (turn: Opened, text: string): string => turn.state.record.said === "" ? text : `\n\n${text}`

export const setSession = ({ state }: Opened, change: Partial<Session>): void => {
  state.session = { ...state.session, ...change }
}

const texts: ReadonlySet<string> = new Set<TurnRecord.Fact["_tag"]>([
  "TextDelta",
  "ReasoningDelta",
  "MessageReplaced",
  "ToolProgress"
])

/**
 * Adds a fact to the record and delivers it to the readers of the turn, without waiting for them. Texts are made
 * well-formed.
 */
export const note = (turn: Opened, given: TurnRecord.Fact): void => {
  const fact = texts.has(given._tag) ? wellFormed(given) : given
  const event = TurnRecord.isEvent(fact) ? fact : undefined
  turn.state.record = TurnRecord.add(turn.state.record, fact)
  if (event !== undefined) turn.sink.emit(event)
}

/** Records a fact immediately; the returned effect waits while a reader of the events is too far behind. */
export const tell = (turn: Opened, fact: TurnRecord.Fact): Effect.Effect<void> => {
  note(turn, fact)
  return turn.sink.ready
}

export const trace = (turn: Opened, kind: string, source: string, message: string): void =>
  note(turn, { _tag: "Traced", entry: { kind, source, message } })

/** Sets the turn's ending, unless its present ending has a greater weight. */
export const end = ({ state }: Opened, ending: Ending.Ending): void => {
  state.ending = Ending.forward(state.ending, ending)
}

/** True if the walk of the turn is over: the turn has a reply, or must not have one. */
export const isAnswered = (turn: Opened): boolean => turn.state.ending._tag !== "Open"

/**
 * True if the turn has given its answer. Text of the model before a call is not the answer: the model, or the step to
 * which the call moves the conversation, speaks after it.
 */
export const hasSpoken = (turn: Opened): boolean => Ending.isSpoken(turn.state.ending)

/**
 * True if the message can no longer select another flow, because routing is over or a directive has set the position.
 */
export const isRouted = ({ routing }: Opened): boolean => routing.isOver || routing.positionFixed

/** True if routing is skipped: a directive has set the position, or the turn has a reply. */
export const isDirected = (turn: Opened): boolean => turn.routing.positionFixed || isAnswered(turn)

/** Returns the fields that this turn's message states. A flow that the message enters again does not clear them. */
export const given = (turn: Opened): ReadonlySet<string> => {
  const { collected, completedFlows, partly, stated } = turn.state.record
  const fresh = !hasSpoken(turn) && (!turn.routing.isOver || completedFlows.length === 0)
  return new Set(fresh ? [...Object.keys(collected), ...Object.keys(stated), ...partly] : [])
}

/**
 * True if the turn does not speak, because a person had the conversation when it began. A turn that ends the wait for a
 * person may speak.
 */
export const isSilent = ({ occurrence, stored }: Opened): boolean =>
  stored.handOver !== undefined && occurrence?.endsWait !== true

/**
 * Says a directive's reply verbatim. The text becomes the whole message and replaces what the turn has said before. A
 * blank text is ignored.
 */
export const say = (turn: Opened, text: string): Effect.Effect<void> => {
  if (text.trim() === "") return Effect.void
  end(turn, { _tag: "Replied" })
  const { said } = turn.state.record
  return tell(turn, said === "" ? { _tag: "TextDelta", text } : { _tag: "MessageReplaced", message: text })
}

/** Says the reply of a step verbatim, after what the model has said before a call. A blank text is ignored. */
export const sayStep = (turn: Opened, text: string): Effect.Effect<void> => {
  if (text.trim() === "") return Effect.void
  end(turn, { _tag: "Spoken" })
  return tell(turn, { _tag: "TextDelta", text: paragraph(turn, text) })
}

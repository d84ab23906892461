/** The public interface of an agent and its sessions. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type * as Event from "../../domain/authored/Event.js"
import type { InvalidRequest, SessionFeedError, TurnError, TurnUnavailable } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type * as Job from "../../domain/job/Job.js"
import type { LoggedCall } from "../../domain/policy/CallLog.js"
import type { Decision } from "../../domain/session/Approval.js"
import type { Saying, TakeOver } from "../../domain/session/HandOver.js"
import type * as Session from "../../domain/session/Session.js"
import type { TurnRequest } from "../../domain/session/TurnRequest.js"
import type * as TurnEvent from "../../domain/turn/TurnEvent.js"
import type * as TurnResponse from "../../domain/turn/TurnResponse.js"
import type { Page } from "../../services/session/SessionStore.js"
import type * as Waiting from "../features/approvals/waiting.js"
import type { BeginOptions, DecisionOptions } from "../state/Input.js"
import type { ForkOptions, RewindOptions } from "../stored/rewind.js"
import type * as Keeping from "./Keeping.js"

/** A running agent. Its services were captured when it was made, so that its methods have no requirements. */
export interface Agent<D, C, E = never, Ev = {}> {
  readonly name: string
  /** Answers one message: understands it, moves through the flows to a step that speaks, replies, and commits once. */
  readonly respond: (request: TurnRequest<C>) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * Answers a message like `respond`, and emits the events of the turn as they happen. Closing the stream interrupts
   * the turn, which is then not stored.
   */
  readonly stream: (request: TurnRequest<C>) => Stream.Stream<TurnEvent.TurnEvent<D, C>, TurnError | E>
  /**
   * Opens a conversation before the user's first message, with a turn without a message: the agent speaks first. A
   * second call for the same session returns the same greeting; a session that has begun in another way is refused with
   * `InvalidRequest`.
   */
  readonly begin: (
    sessionId: string,
    options?: BeginOptions<C>
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * Delivers an external event to a conversation: one turn, in which the event's handler decides what happens.
   * `stoppedReason` is `handled` if the turn has no reply. A payload that does not decode is `InvalidRequest`.
   */
  readonly notify: (
    notification: Event.Notification<C, Ev>
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * Runs the earliest timer that is due in the session, as a turn; None if none is due. `Scheduler.layer` calls it
   * automatically.
   */
  readonly wake: (
    sessionId: string
  ) => Effect.Effect<Option.Option<TurnResponse.TurnResponse<D, C>>, TurnError | E>
  /** One conversation, by id. */
  readonly session: (id: string) => SessionHandle<D, C, E, Ev>
  /** Stores a directive (or a flow's name) that the session's next turn begins with. */
  readonly dispatch: (
    sessionId: string,
    target: string | Directive<D, C>
  ) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * Rewinds the conversation to the end of a turn, one of `session.turns`, or with 0 to before the first: the session
   * is as it was then, and later messages are hidden. Side effects of tools are not undone. Needs `snapshots`.
   */
  readonly rewind: (
    sessionId: string,
    to: number | RewindOptions
  ) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /**
   * Forks the session: starts another one as a copy, as it was at the end of a turn or as it is now. The copy is an
   * ordinary session: its tools have real effects.
   */
  readonly fork: (
    sessionId: string,
    options?: ForkOptions
  ) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /** Decides a tool call that waits for a person, and resumes its turn. */
  readonly approve: (
    sessionId: string,
    /** The request's `id`, or its `callId`; both are unique in the session. */
    request: string,
    decision: Decision,
    options?: DecisionOptions<C>
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * The calls that wait for a person, in all sessions or in the sessions of one user, last updated first. `principal`
   * decides which arguments, reasons and questions are shown. `limit` is 50 by default, and at most 200.
   */
  readonly approvals: (query?: Waiting.Query) => Effect.Effect<Page<Waiting.WaitingApprovals>, TurnError>
  /** Exports the stored data of a user: their sessions with all messages, and their files. */
  readonly export: (userId: string) => Effect.Effect<Keeping.Exported, TurnError>
  /**
   * Erases all data of a user: sessions with their messages, answers and journals, files, and the entries of turn logs
   * and servers of this process. Returns what was removed, where, and how much. Each session is deleted when no turn of
   * it runs.
   */
  readonly erase: (userId: string) => Effect.Effect<Keeping.Erased, TurnError>
  /**
   * Deletes the sessions in the agent's store that are older than its `retention` and returns their number; 0 without a
   * `retention`. `Scheduler.layer` calls it automatically.
   */
  readonly purge: Effect.Effect<number, TurnError>
  /**
   * Lets a person take the conversation over, on their own initiative or after a `handOff`: from now on the agent does
   * not reply by itself. The user's messages are stored and published on the session's `feed`; their turns end with
   * `handed_over`. Pending approvals are cancelled. `InvalidRequest` if the session has not begun, or another person
   * already has the conversation.
   */
  readonly takeOver: (sessionId: string, how: TakeOver) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * Adds a message of the person who has taken the conversation over: stored as an assistant message with its author,
   * and published on the `feed`. `InvalidRequest` while the agent or another person has the conversation.
   */
  readonly say: (
    sessionId: string,
    text: string,
    saying: Saying
  ) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * Gives the conversation back from a person to the agent. Its next turn begins with the directive, or continues where
   * the conversation was. `InvalidRequest` if no person has taken it over.
   */
  readonly release: (
    sessionId: string,
    directive?: string | Directive<D, C>
  ) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * Drafts the agent's next message, piece by piece, for a person to send or discard. It runs without tools and
   * guardrails and is not stored; its model usage is not added to the session's usage.
   */
  readonly suggest: (sessionId: string) => Stream.Stream<string, TurnError | E>
  /** The jobs that its directives may start; `JobRunner.layer` runs them. */
  readonly jobs: ReadonlyArray<Job.In<Ev>>
  /** The Schemas of the agent's results, for storing or sending them. */
  readonly schemas: {
    readonly session: Schema.Schema<Session.Session<D, C>, JsonObject>
    readonly response: Schema.Schema<TurnResponse.TurnResponse<D, C>, JsonObject>
    readonly event: Schema.Schema<TurnEvent.TurnEvent<D, C>, JsonObject>
    /** The context that a request has: any part of the agent's context. */
    readonly context: Schema.Schema<Partial<C>, JsonObject>
  }
}

/** One conversation. */
export interface SessionHandle<D, C, E = never, Ev = {}> {
  readonly id: string
  /** Starts a turn. It runs whether or not its events are read. */
  readonly send: (
    text: string,
    options?: Omit<TurnRequest<C>, "sessionId" | "message">
  ) => Effect.Effect<Turn<D, C, E>>
  /** Opens the conversation, as a turn whose events can be read: the agent speaks first. */
  readonly begin: (options?: BeginOptions<C>) => Effect.Effect<Turn<D, C, E>>
  /** Delivers an external event to the conversation, as a turn whose events can be read. */
  readonly notify: (told: Event.Told<C, Ev>) => Effect.Effect<Turn<D, C, E>>
  /** Decides a tool call that waits for a person, as a turn whose events can be read. */
  readonly approve: (
    request: string,
    decision: Decision,
    options?: DecisionOptions<C>
  ) => Effect.Effect<Turn<D, C, E>>
  /** Rewinds the conversation to the end of a turn; see `agent.rewind`. */
  readonly rewind: (to: number | RewindOptions) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /** Starts another session as a copy of this one; see `agent.fork`. */
  readonly fork: (options?: ForkOptions) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /** The session as stored; a new one if it is not stored yet. */
  readonly snapshot: Effect.Effect<Session.Session<D, C>, TurnError | E>
  /** The calls that policies count and read, oldest first: each with the arguments and results that they read. */
  readonly calls: Effect.Effect<ReadonlyArray<LoggedCall>, TurnError | E>
  /** The whole transcript, oldest first, without the messages that were rewound. */
  readonly history: Effect.Effect<ReadonlyArray<Prompt.Message>, TurnError | E>
  /**
   * All events of the session from now on: of turns for messages over any connection, for external events and for
   * timers. It includes events of other processes only if `SessionFeed` connects the processes. A reader that falls
   * behind fails with `SessionFeedError`.
   */
  readonly feed: Stream.Stream<TurnEvent.TurnEvent<D, C>, InvalidRequest | SessionFeedError>
  /** Deletes the session and all that belongs to it. */
  readonly clear: Effect.Effect<void, TurnError | E>
}

/** A running turn. */
export interface Turn<D, C, E = never> {
  /** All events from the first on, for any number of readers. A slow reader slows the turn down. */
  readonly events: Stream.Stream<TurnEvent.TurnEvent<D, C>, TurnError | E>
  /** The response, once the turn has ended. */
  readonly response: Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /** Stops the turn and waits until it has stopped. The text generated so far is kept, marked as interrupted. */
  readonly abort: Effect.Effect<void>
}

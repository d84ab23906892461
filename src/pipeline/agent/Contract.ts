/**
 * What an agent offers to those who talk with it.
 *
 * @since 0.1.0
 */
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
import type { Decision } from "../../domain/session/Approval.js"
import type { Saying, TakeOver } from "../../domain/session/HandOver.js"
import type * as Session from "../../domain/session/Session.js"
import type { TurnRequest } from "../../domain/session/TurnRequest.js"
import type * as TurnEvent from "../../domain/turn/TurnEvent.js"
import type * as TurnResponse from "../../domain/turn/TurnResponse.js"
import type { Page } from "../../services/session/SessionStore.js"
import type { ApprovalOptions, BeginOptions } from "../state/Input.js"
import type { ForkOptions, RewindOptions } from "../stored/rewind.js"
import type * as Keeping from "./Keeping.js"

/**
 * A running agent. Its services were captured when it was made: its methods need nothing more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Agent<D, C, E = never, Ev = {}> {
  readonly name: string
  /** Answers one message: understands it, walks the flows, speaks, and commits once. */
  readonly respond: (request: TurnRequest<C>) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /** The same turn, as it happens. Closing the stream interrupts the turn; nothing is stored then. */
  readonly stream: (request: TurnRequest<C>) => Stream.Stream<TurnEvent.TurnEvent<D, C>, TurnError | E>
  /**
   * Opens a conversation in which nobody has said anything yet, with a turn without a message: the agent speaks first. Once
   * more for the same session gives the same greeting; a session that has begun otherwise is refused with `InvalidRequest`.
   */
  readonly begin: (
    sessionId: string,
    options?: BeginOptions<C>
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * Tells a conversation what happened outside: one turn, in which the handler of the event decides what comes of it.
   * `stoppedReason` is `handled` where nothing is said. A payload that does not decode is `InvalidRequest`.
   */
  readonly notify: (
    notification: Event.Notification<C, Ev>
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * Runs the earliest thing that is due in the session, as a turn; none when nothing is due. `Scheduler.layer` does it by
   * itself.
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
   * Takes the conversation back to the end of a turn, one of `session.turns`, or with 0 to before the first: the session is
   * as it was then, and what was said since is hidden. What was done in the world is not undone. Needs `snapshots`.
   */
  readonly rewind: (
    sessionId: string,
    to: number | RewindOptions
  ) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /**
   * Begins another session as a copy of this one, as it stood at the end of a turn or as it stands now. The copy is a
   * session like any other: its tools act.
   */
  readonly fork: (
    sessionId: string,
    options?: ForkOptions
  ) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /** Decides a tool call that waits for a person, and goes on with its turn. */
  readonly approve: (
    sessionId: string,
    /** The request's `id`, or its `callId`: no other request of the session has either. */
    request: string,
    decision: Decision,
    options?: ApprovalOptions<C>
  ) => Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /**
   * What waits for a person, in all sessions or in those of a user, those last updated first: each call with its arguments,
   * the reason and the question, as far as `principal` may decide it. `limit` is 50 unless it is said, and at most 200.
   */
  readonly approvals: (query?: Keeping.Query) => Effect.Effect<Page<Keeping.WaitingApprovals>, TurnError>
  /** What is stored of a user: their sessions with all messages, and their files. */
  readonly export: (userId: string) => Effect.Effect<Keeping.Exported, TurnError>
  /**
   * Removes everything of a user: all sessions with their messages, answers and journals, their files, and what turn logs
   * and servers of this process keep of them. Says what it was, where, and how much. Each session is removed when no turn
   * of it runs.
   */
  readonly erase: (userId: string) => Effect.Effect<Keeping.Erased, TurnError>
  /**
   * Removes the sessions of the agent's store that are older than its `retention`, and says how many: none without one.
   * `Scheduler.layer` does it by itself.
   */
  readonly purge: Effect.Effect<number, TurnError>
  /**
   * A person takes the floor, or comes where one was asked for by `handOff`: from now on the agent says nothing by itself.
   * Messages are stored and told on the session's `feed`; their turns end with `handed_over`. What waits for a decision is
   * over. `InvalidRequest` where nobody has begun the session, or somebody else has the floor.
   */
  readonly takeOver: (sessionId: string, how: TakeOver) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * The person who has the floor says something: stored as the assistant's, with who said it, and told on the `feed`.
   * `InvalidRequest` while the agent has the floor, or somebody else.
   */
  readonly say: (
    sessionId: string,
    text: string,
    saying: Saying
  ) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * Gives the floor back to the agent. Its next turn begins with the directive, or goes on where the conversation was.
   * `InvalidRequest` while the agent has the floor.
   */
  readonly release: (
    sessionId: string,
    directive?: string | Directive<D, C>
  ) => Effect.Effect<Session.Session<D, C>, TurnError | E>
  /**
   * What the agent would say next, piece by piece, for a person to send or not. No tool is offered, no guardrail reads it,
   * nothing is stored; what it uses of models is in no session's usage.
   */
  readonly suggest: (sessionId: string) => Stream.Stream<string, TurnError | E>
  /** The jobs that its directives may ask for; `JobRunner.layer` runs them. */
  readonly jobs: ReadonlyArray<Job.In<Ev>>
  /** The Schemas of what the agent gives, for storing it or sending it on. */
  readonly schemas: {
    readonly session: Schema.Schema<Session.Session<D, C>, JsonObject>
    readonly response: Schema.Schema<TurnResponse.TurnResponse<D, C>, JsonObject>
    readonly event: Schema.Schema<TurnEvent.TurnEvent<D, C>, JsonObject>
    /** Any part of the context, as requests carry it. */
    readonly context: Schema.Schema<Partial<C>, JsonObject>
  }
}

/**
 * One conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface SessionHandle<D, C, E = never, Ev = {}> {
  readonly id: string
  /** Starts a turn. It runs whether or not anyone reads its events. */
  readonly send: (
    text: string,
    options?: Omit<TurnRequest<C>, "sessionId" | "message">
  ) => Effect.Effect<Turn<D, C, E>>
  /** Opens the conversation, as a turn whose events can be read: the agent speaks first. */
  readonly begin: (options?: BeginOptions<C>) => Effect.Effect<Turn<D, C, E>>
  /** Tells the conversation what happened outside, as a turn whose events can be read. */
  readonly notify: (told: Event.Told<C, Ev>) => Effect.Effect<Turn<D, C, E>>
  /** Decides a tool call that waits for a person, as a turn whose events can be read. */
  readonly approve: (
    request: string,
    decision: Decision,
    options?: ApprovalOptions<C>
  ) => Effect.Effect<Turn<D, C, E>>
  /** Takes the conversation back to the end of a turn; see `agent.rewind`. */
  readonly rewind: (to: number | RewindOptions) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /** Begins another session as a copy of this one; see `agent.fork`. */
  readonly fork: (options?: ForkOptions) => Effect.Effect<Session.Session<D, C>, TurnError | TurnUnavailable>
  /** The session as stored; a fresh one when there is none. */
  readonly snapshot: Effect.Effect<Session.Session<D, C>, TurnError | E>
  /** The whole transcript, oldest first, without what the session was taken back from. */
  readonly history: Effect.Effect<ReadonlyArray<Prompt.Message>, TurnError | E>
  /**
   * Everything that happens in the session from now on, whoever caused it: messages of any connection, events, timers,
   * also in other processes when `SessionFeed` reaches them. A reader that falls behind fails with `SessionFeedError`.
   */
  readonly feed: Stream.Stream<TurnEvent.TurnEvent<D, C>, InvalidRequest | SessionFeedError>
  /** Removes everything of the session. */
  readonly clear: Effect.Effect<void, TurnError | E>
}

/**
 * A turn under way.
 *
 * @since 0.1.0
 * @category models
 */
export interface Turn<D, C, E = never> {
  /** Every event from the first on, for any number of readers. A slow reader slows the turn down. */
  readonly events: Stream.Stream<TurnEvent.TurnEvent<D, C>, TurnError | E>
  readonly response: Effect.Effect<TurnResponse.TurnResponse<D, C>, TurnError | E>
  /** Stops the turn and waits until it has stopped. What was said so far is kept, marked as interrupted. */
  readonly abort: Effect.Effect<void>
}

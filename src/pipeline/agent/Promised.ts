/** An agent whose methods return Promises instead of Effects. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Event from "../../domain/authored/Event.js"
import { iterate, reason } from "../../domain/base/iterate.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { LoggedCall } from "../../domain/policy/CallLog.js"
import type { Saying, TakeOver } from "../../domain/session/HandOver.js"
import type { Session } from "../../domain/session/Session.js"
import type { TurnRequest } from "../../domain/session/TurnRequest.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { BeginOptions, DecisionOptions } from "../state/Input.js"
import type { Decision } from "../state/parts/SuspendedTurn.js"
import type { ForkOptions, RewindOptions } from "../stored/rewind.js"
import type { Agent, SessionHandle, Turn } from "./Contract.js"

/**
 * The option of every call: a signal that stops it. A stopped turn is not stored, and its Promise rejects with the
 * signal's reason.
 */
interface Stoppable {
  readonly signal?: AbortSignal
}

/**
 * An agent whose methods return Promises. They reject with the typed errors of the agent (see `Errors`), unchanged; the
 * `_tag` distinguishes them.
 */
export interface Promised<D, C, Ev = {}> {
  readonly name: string
  /** Answers one message. */
  readonly respond: (request: TurnRequest<C>, options?: Stoppable) => Promise<TurnResponse<D, C>>
  /**
   * Runs the same turn and yields its events as they happen. Leaving the loop interrupts the turn, which is then not
   * stored.
   */
  readonly stream: (request: TurnRequest<C>, options?: Stoppable) => AsyncIterable<TurnEvent<D, C>>
  /** Opens a conversation before the user's first message: the agent speaks first. */
  readonly begin: (sessionId: string, options?: BeginOptions<C> & Stoppable) => Promise<TurnResponse<D, C>>
  /** Delivers an external event to a conversation, as a turn. */
  readonly notify: (
    notification: Event.Notification<C, Ev>,
    options?: Stoppable
  ) => Promise<TurnResponse<D, C>>
  /** Runs the earliest timer that is due in the session, as a turn; `undefined` if none is due. */
  readonly wake: (sessionId: string, options?: Stoppable) => Promise<TurnResponse<D, C> | undefined>
  /** Returns the conversation with this id. */
  readonly session: (id: string) => PromisedSession<D, C>
  /** Stores a directive (or a flow's name) that the session's next turn begins with. */
  readonly dispatch: (
    sessionId: string,
    target: string | Directive<D, C>,
    options?: Stoppable
  ) => Promise<Session<D, C>>
  /** Rewinds the conversation to the end of the given turn; 0 rewinds to before the first turn. */
  readonly rewind: (sessionId: string, to: number | RewindOptions, options?: Stoppable) => Promise<Session<D, C>>
  /** Forks the session: starts another one as a copy, as it was at the end of a turn or as it is now. */
  readonly fork: (sessionId: string, options?: ForkOptions & Stoppable) => Promise<Session<D, C>>
  /** Decides a tool call that waits for a person, and resumes its turn. */
  readonly approve: (
    sessionId: string,
    /** The `id` of the request, or its `callId`. */
    request: string,
    decision: Decision,
    options?: DecisionOptions<C> & Stoppable
  ) => Promise<TurnResponse<D, C>>
  /** Lets a person take the conversation over: from now on the agent does not reply by itself. */
  readonly takeOver: (sessionId: string, how: TakeOver, options?: Stoppable) => Promise<Session<D, C>>
  /** Adds a message of the person who has taken the conversation over. */
  readonly say: (sessionId: string, text: string, saying: Saying, options?: Stoppable) => Promise<Session<D, C>>
  /** Gives the conversation back to the agent: from now on the agent replies again. */
  readonly release: (
    sessionId: string,
    directive?: string | Directive<D, C>,
    options?: Stoppable
  ) => Promise<Session<D, C>>
  /** Drafts the agent's next message and yields it piece by piece; it is not stored. */
  readonly suggest: (sessionId: string, options?: Stoppable) => AsyncIterable<string>
}

/** A conversation whose methods return Promises. */
export interface PromisedSession<D, C> {
  readonly id: string
  /** Starts a turn. It runs whether or not its events are read. */
  readonly send: (
    text: string,
    options?: Omit<TurnRequest<C>, "sessionId" | "message">
  ) => Promise<PromisedTurn<D, C>>
  /** Opens the conversation, as a turn whose events can be read. */
  readonly begin: (options?: BeginOptions<C>) => Promise<PromisedTurn<D, C>>
  /** Rewinds the conversation to the end of the given turn; 0 rewinds to before the first turn. */
  readonly rewind: (to: number | RewindOptions, options?: Stoppable) => Promise<Session<D, C>>
  /** Starts another session as a copy of this one. */
  readonly fork: (options?: ForkOptions & Stoppable) => Promise<Session<D, C>>
  /** Returns the stored session; a new session if it is not stored yet. */
  readonly snapshot: (options?: Stoppable) => Promise<Session<D, C>>
  /** Returns the calls that policies count and read, oldest first. */
  readonly calls: (options?: Stoppable) => Promise<ReadonlyArray<LoggedCall>>
  /** Returns the whole transcript, oldest message first. */
  readonly history: (options?: Stoppable) => Promise<ReadonlyArray<Prompt.Message>>
  /** Returns all events of the session from now on, including those of turns that other callers started. */
  readonly feed: (options?: Stoppable) => AsyncIterable<TurnEvent<D, C>>
  /** Deletes the session and all that belongs to it. */
  readonly clear: (options?: Stoppable) => Promise<void>
}

/** A running turn. */
export interface PromisedTurn<D, C> {
  /** The events of the turn from the first on; several readers can read them independently. */
  readonly events: AsyncIterable<TurnEvent<D, C>>
  /** Returns the response once the turn has ended. */
  readonly response: () => Promise<TurnResponse<D, C>>
  /** Stops the turn and waits until it has stopped. The text generated so far is kept. */
  readonly abort: () => Promise<void>
}

/** Converts an agent to one whose methods return Promises. */
export const toPromise = <D, C, E, Ev>(agent: Agent<D, C, E, Ev>): Promised<D, C, Ev> => ({
  name: agent.name,
  respond: (request, options) => run(agent.respond(request), options),
  stream: (request, options) => iterate(agent.stream(request), options?.signal),
  begin: (sessionId, { signal, ...options } = {}) => run(agent.begin(sessionId, options), by(signal)),
  notify: (notification, options) => run(agent.notify(notification), options),
  wake: (sessionId, options) => run(Effect.map(agent.wake(sessionId), Option.getOrUndefined), options),
  session: (id) => session(agent.session(id)),
  dispatch: (sessionId, target, options) => run(agent.dispatch(sessionId, target), options),
  rewind: (sessionId, to, options) => run(agent.rewind(sessionId, to), options),
  fork: (sessionId, { signal, ...options } = {}) => run(agent.fork(sessionId, options), by(signal)),
  approve: (sessionId, request, decision, { signal, ...options } = {}) =>
    run(agent.approve(sessionId, request, decision, options), by(signal)),
  takeOver: (sessionId, how, options) => run(agent.takeOver(sessionId, how), options),
  say: (sessionId, text, saying, options) => run(agent.say(sessionId, text, saying), options),
  release: (sessionId, directive, options) => run(agent.release(sessionId, directive), options),
  suggest: (sessionId, options) => iterate(agent.suggest(sessionId), options?.signal)
})

const session = <D, C, E, Ev>(handle: SessionHandle<D, C, E, Ev>): PromisedSession<D, C> => ({
  id: handle.id,
  send: (text, options) => run(Effect.map(handle.send(text, options), promisedTurn)),
  begin: (options) => run(Effect.map(handle.begin(options), promisedTurn)),
  rewind: (to, options) => run(handle.rewind(to), options),
  fork: ({ signal, ...options } = {}) => run(handle.fork(options), by(signal)),
  snapshot: (options) => run(handle.snapshot, options),
  calls: (options) => run(handle.calls, options),
  history: (options) => run(handle.history, options),
  feed: (options) => iterate(handle.feed, options?.signal),
  clear: (options) => run(handle.clear, options)
})

const promisedTurn = <D, C, E>(turn: Turn<D, C, E>): PromisedTurn<D, C> => ({
  events: iterate(turn.events),
  response: () => run(turn.response),
  abort: () => run(turn.abort)
})

/** Returns call options with the signal, if one is given. */
const by = (signal: AbortSignal | undefined): Stoppable => signal === undefined ? {} : { signal }

/** Runs an effect; the Promise rejects with the error itself instead of Effect's wrapper. */
const run = <A, E>(effect: Effect.Effect<A, E>, options: Stoppable = {}): Promise<A> =>
  Effect.runPromiseExit(effect, options).then(Exit.match({
    onSuccess: (value) => value,
    onFailure: (cause) => {
      throw reason(cause, options.signal)
    }
  }))

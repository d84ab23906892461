/**
 * An agent for code that has Promises instead of Effects.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type * as Event from "../../domain/authored/Event.js"
import { iterate, reason } from "../../domain/base/iterate.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { Decision } from "../../domain/session/Approval.js"
import type { Saying, TakeOver } from "../../domain/session/HandOver.js"
import type { Session } from "../../domain/session/Session.js"
import type { TurnRequest } from "../../domain/session/TurnRequest.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { ApprovalOptions, BeginOptions } from "../state/Input.js"
import type { ForkOptions, RewindOptions } from "../stored/rewind.js"
import type { Agent, SessionHandle, Turn } from "./Contract.js"

/**
 * What every call takes: a signal that stops it. A turn that is stopped stores nothing, and its Promise rejects with the
 * signal's reason.
 *
 * @since 0.1.0
 * @category models
 */
export interface Stoppable {
  readonly signal?: AbortSignal
}

/**
 * An agent whose methods give Promises. They reject with the typed errors of the agent (see `Errors`), as they are: a
 * `_tag` tells them apart.
 *
 * @since 0.1.0
 * @category models
 */
export interface Promised<D, C, Ev = {}> {
  readonly name: string
  readonly respond: (request: TurnRequest<C>, options?: Stoppable) => Promise<TurnResponse<D, C>>
  /** The same turn, as it happens. Leaving the loop interrupts the turn; nothing is stored then. */
  readonly stream: (request: TurnRequest<C>, options?: Stoppable) => AsyncIterable<TurnEvent<D, C>>
  /** Opens a conversation in which nobody has said anything yet: the agent speaks first. */
  readonly begin: (sessionId: string, options?: BeginOptions<C> & Stoppable) => Promise<TurnResponse<D, C>>
  /** Tells a conversation what happened outside. */
  readonly notify: (
    notification: Event.Notification<C, Ev>,
    options?: Stoppable
  ) => Promise<TurnResponse<D, C>>
  /** Runs the earliest thing that is due in the session, as a turn; `undefined` when nothing is due. */
  readonly wake: (sessionId: string, options?: Stoppable) => Promise<TurnResponse<D, C> | undefined>
  readonly session: (id: string) => PromisedSession<D, C>
  readonly dispatch: (
    sessionId: string,
    target: string | Directive<D, C>,
    options?: Stoppable
  ) => Promise<Session<D, C>>
  /** Takes the conversation back to the end of a turn, 0 for before the first. */
  readonly rewind: (sessionId: string, to: number | RewindOptions, options?: Stoppable) => Promise<Session<D, C>>
  /** Begins another session as a copy of this one, as it stood at the end of a turn or as it stands now. */
  readonly fork: (sessionId: string, options?: ForkOptions & Stoppable) => Promise<Session<D, C>>
  readonly approve: (
    sessionId: string,
    /** The request's `id`, or its `callId`. */
    request: string,
    decision: Decision,
    options?: ApprovalOptions<C> & Stoppable
  ) => Promise<TurnResponse<D, C>>
  /** A person takes the floor: from now on the agent says nothing by itself. */
  readonly takeOver: (sessionId: string, how: TakeOver, options?: Stoppable) => Promise<Session<D, C>>
  /** The person who has the floor says something. */
  readonly say: (sessionId: string, text: string, saying: Saying, options?: Stoppable) => Promise<Session<D, C>>
  /** Gives the floor back to the agent. */
  readonly release: (
    sessionId: string,
    directive?: string | Directive<D, C>,
    options?: Stoppable
  ) => Promise<Session<D, C>>
  /** What the agent would say next, piece by piece; nothing of it is stored. */
  readonly suggest: (sessionId: string, options?: Stoppable) => AsyncIterable<string>
}

/**
 * One conversation.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromisedSession<D, C> {
  readonly id: string
  /** Starts a turn. It runs whether or not anyone reads its events. */
  readonly send: (
    text: string,
    options?: Omit<TurnRequest<C>, "sessionId" | "message">
  ) => Promise<PromisedTurn<D, C>>
  /** Opens the conversation, as a turn whose events can be read. */
  readonly begin: (options?: BeginOptions<C>) => Promise<PromisedTurn<D, C>>
  /** Takes the conversation back to the end of a turn, 0 for before the first. */
  readonly rewind: (to: number | RewindOptions, options?: Stoppable) => Promise<Session<D, C>>
  /** Begins another session as a copy of this one. */
  readonly fork: (options?: ForkOptions & Stoppable) => Promise<Session<D, C>>
  /** The session as stored; a fresh one when there is none. */
  readonly snapshot: (options?: Stoppable) => Promise<Session<D, C>>
  /** The whole transcript, oldest first. */
  readonly history: (options?: Stoppable) => Promise<ReadonlyArray<Prompt.Message>>
  /** Everything that happens in the session from now on, whoever caused it. */
  readonly feed: (options?: Stoppable) => AsyncIterable<TurnEvent<D, C>>
  /** Removes everything of the session. */
  readonly clear: (options?: Stoppable) => Promise<void>
}

/**
 * A turn under way.
 *
 * @since 0.1.0
 * @category models
 */
export interface PromisedTurn<D, C> {
  /** Every event from the first on, for any number of readers. */
  readonly events: AsyncIterable<TurnEvent<D, C>>
  readonly response: () => Promise<TurnResponse<D, C>>
  /** Stops the turn and waits until it has stopped. What was said so far is kept. */
  readonly abort: () => Promise<void>
}

/**
 * The agent for code that has Promises.
 *
 * @since 0.1.0
 * @category conversions
 */
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
  history: (options) => run(handle.history, options),
  feed: (options) => iterate(handle.feed, options?.signal),
  clear: (options) => run(handle.clear, options)
})

const promisedTurn = <D, C, E>(turn: Turn<D, C, E>): PromisedTurn<D, C> => ({
  events: iterate(turn.events),
  response: () => run(turn.response),
  abort: () => run(turn.abort)
})

/** The signal as an option, when there is one. */
const by = (signal: AbortSignal | undefined): Stoppable => signal === undefined ? {} : { signal }

/** An error comes out as it is, not wrapped in what tells how its fiber ended. */
const run = <A, E>(effect: Effect.Effect<A, E>, options: Stoppable = {}): Promise<A> =>
  Effect.runPromiseExit(effect, options).then(Exit.match({
    onSuccess: (value) => value,
    onFailure: (cause) => {
      throw reason(cause, options.signal)
    }
  }))

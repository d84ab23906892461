/**
 * Runs the due timers of sessions, in any number of processes.
 *
 * ```ts
 * import { Agent, Scheduler } from "coxswain"
 * import { Effect, Layer, Schema } from "effect"
 *
 * const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
 * class Trips extends kit.Service<Trips>()("Trips", {
 *   name: "Trips",
 *   flows: [{
 *     title: "Plan a trip",
 *     steps: [{ id: "city", prompt: "Ask where to", collect: ["city"], after: { "1 hour": { reply: "Still there?" } } }]
 *   }]
 * }) {}
 *
 * export const AppLive = Scheduler.layer([Trips]).pipe(Layer.provideMerge(Trips.layer))
 * ```
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Timer from "../../../domain/directive/Timer.js"
import type { Service } from "../../../services/session/SessionStore.js"
import { SessionStore } from "../../../services/session/SessionStore.js"
import { runtimeOf } from "../../state/agentInternals.js"
import * as Due from "../due.js"
import { loadTimers } from "./wake.js"

/** The part of an agent that the scheduler needs: it runs the earliest due timer of a session. */
export interface Wakeable {
  readonly wake: (sessionId: string) => Effect.Effect<Option.Option<unknown>, unknown>
  /** Deletes sessions that are older than the agent's `retention`. */
  readonly purge?: Effect.Effect<number, unknown>
}

/** Options of the scheduler. */
export interface Options extends Due.Options {
  /** Maximum number of sessions that run concurrently. Default 16. */
  readonly concurrency?: number
}

/**
 * Runs the due timers of these agents' sessions until the scope closes. A turn that fails is tried again after a
 * second, doubled each time, up to five minutes; its timer remains until the turn is stored.
 */
export const run = (
  agents: ReadonlyArray<Wakeable>,
  store: Service,
  options: Options = {}
): Effect.Effect<never, never, Scope.Scope> => {
  const concurrency = options.concurrency ?? 16
  return Due.watch(store, options, {
    room: (visiting) => concurrency - visiting,
    visit: ({ sessionId }) =>
      Effect.reduce(
        agents,
        Option.none<unknown>(),
        (done, agent) => Option.isSome(done) ? Effect.succeed(done) : agent.wake(sessionId)
      ).pipe(
        // None means that another process was faster, the session belongs to an agent of another process, or only a job
        // is due.
        Effect.flatMap((done): Effect.Effect<Due.Visit> =>
          Option.isSome(done)
            ? Effect.succeed("done")
            : Effect.map(nextTimer(agents, sessionId), (until) => ({ until }))
        )
      )
  })
}

/** The next due time of a session's timers, if one of these agents can load it. */
const nextTimer = (agents: ReadonlyArray<Wakeable>, sessionId: string): Effect.Effect<number | undefined> =>
  Effect.reduce(agents, undefined as number | undefined, (found, agent) => {
    const runtime = runtimeOf(agent)
    if (found !== undefined || runtime === undefined) return Effect.succeed(found)
    return Effect.match(loadTimers(runtime, sessionId), {
      onFailure: () => undefined,
      onSuccess: (loaded) => Option.getOrUndefined(Option.map(loaded, (session) => Timer.wakeAt(session)?.epochMillis))
    })
  })

/** Deletes sessions beyond the agents' retention, immediately and then every hour. */
const retain = (agents: ReadonlyArray<Wakeable>): Effect.Effect<never> =>
  Effect.forEach(
    agents,
    ({ purge = Effect.succeed(0) }) =>
      Effect.catchAllCause(purge, (cause) =>
        Effect.logWarning("Old sessions were not removed; it is tried again in an hour", cause)),
    { discard: true }
  ).pipe(
    Effect.zipRight(Effect.sleep("1 hour")),
    Effect.forever
  )

/** An agent, or its service. */
type AgentOrEffect<E, R> = Wakeable | Effect.Effect<Wakeable, E, R>

/**
 * Runs the due timers in the sessions of these agents for as long as the Layer lives. Each agent is given directly or
 * as a service.
 *
 * It may run in one process or in several: if several take the same timer, one commits and the others discard their
 * turn.
 */
export const layer = <E = never, R = never>(
  agents: ReadonlyArray<AgentOrEffect<E, R>>,
  options: Options = {}
): Layer.Layer<never, E, R | SessionStore> =>
  Layer.scopedDiscard(
    Effect.gen(function*() {
      const store = yield* SessionStore
      const made = yield* Effect.forEach(agents, (agent) => Effect.isEffect(agent) ? agent : Effect.succeed(agent))
      yield* Effect.forkScoped(run(made, store, options))
      yield* Effect.forkScoped(retain(made))
    })
  )

/**
 * Runs what is due: timers of sessions, in time, in any number of processes.
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
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Timer from "../../domain/directive/Timer.js"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import { runtimeOf } from "../state/agentInternals.js"
import { load } from "../stored/loading.js"
import * as Due from "./due.js"

/**
 * What the scheduler asks of an agent: to run the earliest thing that is due in a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Wakeable {
  readonly wake: (sessionId: string) => Effect.Effect<Option.Option<unknown>, unknown>
  /** Removes what is older than the agent's `retention`. */
  readonly purge?: Effect.Effect<number, unknown>
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Options extends Due.Options {
  /** How many sessions are run at once. Default 16. */
  readonly concurrency?: number
}

/**
 * Runs what is due in the store's sessions until the scope closes, those of other agents excepted. A turn that fails is tried again after a second, then
 * after twice as long each time, up to five minutes; its timer stays until a turn of it is stored.
 *
 * @since 0.1.0
 * @category constructors
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
        // None: another process was faster, the session is of an agent that runs elsewhere, or a job is due in it.
        Effect.flatMap((done): Effect.Effect<Due.Visit> =>
          Option.isSome(done)
            ? Effect.succeed("done")
            : Effect.map(nextTimer(agents, sessionId), (until) => ({ until }))
        )
      )
  })
}

/** When the next timer of a session is due, as far as one of these agents knows. */
const nextTimer = (agents: ReadonlyArray<Wakeable>, sessionId: string): Effect.Effect<number | undefined> =>
  Effect.reduce(agents, undefined as number | undefined, (found, agent) => {
    const runtime = runtimeOf(agent)
    if (found !== undefined || runtime === undefined) return Effect.succeed(found)
    return Effect.match(load(runtime, sessionId, 0), {
      onFailure: () => undefined,
      onSuccess: (loaded) =>
        Option.getOrUndefined(Option.map(loaded, ({ session }) => Timer.wakeAt(session)?.epochMillis))
    })
  })

/** Every hour, and at once, what is older than the agents keep it is removed. */
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

/** An agent as it is, or as a service. */
type Given<E, R> = Wakeable | Effect.Effect<Wakeable, E, R>

/**
 * Runs what is due in the sessions of these agents, each given as it is or as a service, for as long as the Layer lives.
 *
 * One process may run it, or several: of those who take the same timer one commits, and the others drop what they did.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <E = never, R = never>(
  agents: ReadonlyArray<Given<E, R>>,
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

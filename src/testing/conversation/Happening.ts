/** Sends external events to the agent on behalf of a test. */
import * as Effect from "effect/Effect"
import type * as Event from "../../domain/authored/Event.js"
import type { Json } from "../../domain/base/Json.js"
import * as Handlers from "../../domain/definition/Handlers.js"
import type { Agent, Turn } from "../../pipeline/agent/Contract.js"
import { send } from "../../pipeline/agent/handle.js"
import { jobOf, tellingOf, waiting } from "../../pipeline/features/jobs/jobEvents.js"
import { runtimeOf } from "../../pipeline/state/agentInternals.js"
import type { Fail } from "./Expectations.js"

/**
 * Starts the turn of an external event. If it is an event of a job that the session has started, starts the turn as if
 * the job had run.
 */
const turnOf = <D, C, E, Ev, K extends keyof Ev & string, F>(
  agent: Agent<D, C, E, Ev>,
  sessionId: string,
  event: K,
  payload: Event.Encoded<Ev[K]>,
  fail: Fail<F>
) =>
  Effect.gen(function*() {
    const session = agent.session(sessionId)
    const runtime = runtimeOf(agent)
    const job = runtime && jobOf(runtime, event)
    if (runtime === undefined || job === undefined) return session.notify({ event, payload })
    const { jobs = [] } = yield* Effect.orDie(session.snapshot)
    const stored = waiting(runtime, jobs, event)
    const input = stored && (yield* Effect.orDie(tellingOf(runtime, sessionId, stored, event, payload as Json)))
    // Safe: the agent's types are those of its runtime, which the compiler cannot see here.
    return input === undefined
      ? yield* fail(
        `a job "${job.jobName}" to tell of itself`,
        `the jobs ${jobs.map(({ name }) => name).join() || "none"}`
      )
      : send(runtime, input) as Effect.Effect<Turn<D, C, never>> as Effect.Effect<Turn<D, C, E>>
  })

/** Returns the handler of an event at the current position. */
const hearing = <D, C, E, Ev>(agent: Agent<D, C, E, Ev>, sessionId: string, name: string) =>
  Effect.map(Effect.orDie(agent.session(sessionId).snapshot), (before) => {
    const definition = runtimeOf(agent)?.definition
    const handler = definition && Handlers.of(definition, before, { name })?.name
    return handler === undefined ? {} : { handler }
  })

/** Starts the turn of an event, and returns the turn with its handler. */
export const told = <D, C, E, Ev, K extends keyof Ev & string, F>(
  agent: Agent<D, C, E, Ev>,
  sessionId: string,
  event: K,
  payload: Event.Encoded<Ev[K]>,
  fail: Fail<F>
) => Effect.all({ turn: turnOf(agent, sessionId, event, payload, fail), heard: hearing(agent, sessionId, event) })

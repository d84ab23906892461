/** The clocks of a demonstration server: each session has one that can be moved ahead. */
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { send } from "../../../pipeline/agent/handle.js"
import { registerAgent, writtenOf } from "../../../pipeline/state/agentInternals.js"
import type { UncheckedMessage } from "../../../pipeline/state/Input.js"
import type { Runtime } from "../../../pipeline/state/TurnState.js"
import type { AnyAgent } from "../turns/Turns.js"

export interface DemoClock {
  /** Runs an effect at the time of a session. */
  readonly at: (sessionId: string) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Returns the milliseconds by which a session's clock is ahead of the server's. */
  readonly ahead: (sessionId: string) => number
  /** Moves the clock of a session ahead. */
  readonly advance: (sessionId: string, millis: number) => void
  /** The agent; each of its turns runs at the time of the session's clock. */
  readonly agent: AnyAgent
}

const nanos = 1_000_000n

/** Makes a clock that is ahead of another one by `millis`. Sleeping takes the same time on both clocks. */
export const later = (clock: Clock.Clock, millis: number): Clock.Clock => ({
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + millis,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + millis),
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() + BigInt(millis) * nanos,
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + BigInt(millis) * nanos),
  sleep: (duration: Duration.Duration) => clock.sleep(duration)
})

const make = (agent: AnyAgent, runtime: Runtime): DemoClock => {
  const moved = new Map<string, number>()
  const ahead = (sessionId: string) => moved.get(sessionId) ?? 0
  const at: DemoClock["at"] = (sessionId) => (effect) =>
    Effect.suspend(() => {
      const millis = ahead(sessionId)
      return millis === 0 ? effect : Effect.clockWith((clock) => Effect.withClock(effect, later(clock, millis)))
    })
  const demonstrated: AnyAgent = {
    ...agent,
    notify: (notification) => at(notification.sessionId)(agent.notify(notification)),
    wake: (id) => at(id)(agent.wake(id)),
    session: (id) => {
      const session = agent.session(id)
      return {
        ...session,
        begin: (options) => at(id)(session.begin(options)),
        approve: (request, decision, options) => at(id)(session.approve(request, decision, options))
      }
    }
  }
  const written = writtenOf(agent)
  return {
    at,
    ahead,
    advance: (sessionId, millis) => void moved.set(sessionId, ahead(sessionId) + millis),
    agent: written === undefined ? demonstrated : registerAgent(demonstrated, runtime, written)
  }
}

/**
 * Returns the server's agent and the function that answers a message. On a demonstration server, both use the clocks of
 * the sessions, which are returned too.
 */
export const demonstrated = (
  isDemo: boolean,
  agent: AnyAgent,
  runtime: Runtime
): {
  readonly agent: AnyAgent
  readonly send: (said: UncheckedMessage) => ReturnType<typeof send>
  readonly demo: DemoClock | undefined
} => {
  const plain = (said: UncheckedMessage) => send(runtime, said)
  if (!isDemo) return { agent, send: plain, demo: undefined }
  const demo = make(agent, runtime)
  return { agent: demo.agent, send: (said) => demo.at(said.sessionId)(plain(said)), demo }
}

/**
 * What an agent is made of, for the library's own tools: those that test, simulate and replay run the same pipeline on
 * other services.
 *
 * @since 0.1.0
 */
import type { Runtime } from "./TurnState.js"

const runtimes = new WeakMap<object, Runtime>()

/** Notes what the agent runs on, and gives the agent back. */
export const remember = <A extends object>(agent: A, runtime: Runtime): A => {
  runtimes.set(agent, runtime)
  return agent
}

/** What the agent runs on; `undefined` for one that no kit has made. */
export const runtimeOf = (agent: object): Runtime | undefined => runtimes.get(agent)

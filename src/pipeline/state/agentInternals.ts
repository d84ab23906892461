/**
 * What an agent is made of, for the library's own tools: those that test, simulate and replay run the same pipeline on
 * other services.
 *
 * @since 0.1.0
 */
import type { ErasedAgent, Happening } from "../../domain/definition/Erase.js"
import type { Runtime } from "./TurnState.js"

/** A definition as it was written, for what reads it without running it. */
export interface Written {
  readonly options: ErasedAgent
  readonly happening: Happening
}

const runtimes = new WeakMap<object, Runtime>()
const definitions = new WeakMap<object, Written>()

/** Notes what the agent runs on and what it was made from, and gives the agent back. */
export const registerAgent = <A extends object>(agent: A, runtime: Runtime, written: Written): A => {
  runtimes.set(agent, runtime)
  definitions.set(agent, written)
  return agent
}

/** What the agent runs on; `undefined` for one that no kit has made. */
export const runtimeOf = (agent: object): Runtime | undefined => runtimes.get(agent)

/** What the agent was made from; `undefined` for one that no kit has made. */
export const writtenOf = (agent: object): Written | undefined => definitions.get(agent)

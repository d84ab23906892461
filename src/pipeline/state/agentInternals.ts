/**
 * The runtime and the definition behind an agent, for the library's own tools: tests, simulation and replay run the
 * same pipeline with other services.
 *
 * @since 0.1.0
 */
import type { ErasedAgent, Happening } from "../../domain/definition/Erase.js"
import type { Runtime } from "./TurnState.js"

/** A definition as the author wrote it, for tools that read it without running it. */
export interface Written {
  readonly options: ErasedAgent
  readonly happening: Happening
}

const runtimes = new WeakMap<object, Runtime>()
const definitions = new WeakMap<object, Written>()

/** Registers the runtime and the definition of an agent, and returns the agent. */
export const registerAgent = <A extends object>(agent: A, runtime: Runtime, written: Written): A => {
  runtimes.set(agent, runtime)
  definitions.set(agent, written)
  return agent
}

/** Returns the runtime of an agent; `undefined` if it was not made by a kit. */
export const runtimeOf = (agent: object): Runtime | undefined => runtimes.get(agent)

/** Returns the definition of an agent; `undefined` if it was not made by a kit. */
export const writtenOf = (agent: object): Written | undefined => definitions.get(agent)

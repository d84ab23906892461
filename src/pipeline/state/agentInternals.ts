/**
 * The runtime and the definition behind an agent, for the library's own tools: tests, simulation and replay run the
 * same pipeline with other services. Also the fiber behind a turn, for the server.
 */
import type * as Fiber from "effect/Fiber"
import type * as Schema from "effect/Schema"
import type { ErasedAgent, Happening } from "../../domain/definition/Erase.js"
import type { Runtime } from "./TurnState.js"

/** The Schemas and events that a kit binds. */
export interface KitBinding {
  readonly data: Schema.Struct<Schema.Struct.Fields>
  readonly context: Schema.Struct<Schema.Struct.Fields>
  readonly happening: Happening
}

/** A definition as the author wrote it, for tools that read it without running it. */
export interface WrittenDefinition extends KitBinding {
  readonly options: ErasedAgent
}

const kits = new WeakMap<object, KitBinding>()
const runtimes = new WeakMap<object, Runtime>()
const definitions = new WeakMap<object, WrittenDefinition>()

/**
 * Registers the Schemas and events of a kit, or of a registry that was made by a kit; returns the kit or the
 * registry.
 */
export const registerKit = <K extends object>(kit: K, bound: KitBinding): K => {
  kits.set(kit, bound)
  return kit
}

/**
 * Returns the Schemas and events of a kit; `undefined` if `Agent.define` of this copy of the package did not make
 * the kit.
 */
export const boundOf = (kit: object): KitBinding | undefined => kits.get(kit)

/** Registers the runtime and the definition of an agent, and returns the agent. */
export const registerAgent = <A extends object>(agent: A, runtime: Runtime, written: WrittenDefinition): A => {
  runtimes.set(agent, runtime)
  definitions.set(agent, written)
  return agent
}

/** Returns the runtime of an agent; `undefined` if it was not made by a kit. */
export const runtimeOf = (agent: object): Runtime | undefined => runtimes.get(agent)

/** Returns the definition of an agent; `undefined` if it was not made by a kit. */
export const writtenOf = (agent: object): WrittenDefinition | undefined => definitions.get(agent)

const turns = new WeakMap<object, Fiber.RuntimeFiber<unknown, unknown>>()

/** Registers the fiber of a turn that was begun, and returns the turn. */
export const registerTurn = <A extends object>(turn: A, fiber: Fiber.RuntimeFiber<unknown, unknown>): A => {
  turns.set(turn, fiber)
  return turn
}

/** Calls `ended` when the turn has ended, before its caller gets the response. Takes no fiber. */
export const onTurnEnd = (turn: object, ended: () => void): void => turns.get(turn)?.addObserver(ended)

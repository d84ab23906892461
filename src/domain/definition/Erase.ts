/**
 * The one place where the types of an agent's parts are erased.
 *
 * A kit types every part by the agent's data and context, and a tool or a signal by Schemas of its own too. None of
 * that can be spelt once the parts of all agents go through one pipeline, and none of it is relied on there: arguments,
 * data and context are decoded by their Schemas before any code sees them. So each part loses its types here, once, and
 * is `unknown` and records of `unknown` from then on.
 *
 * @since 0.1.0
 */
import type * as Schema from "effect/Schema"
import type { AgentOptions } from "../authored/AgentOptions.js"
import * as Signal from "../authored/Signal.js"
import * as Tool from "../authored/Tool.js"
import type * as Job from "../job/Job.js"
import type { Values } from "./Definition.js"

export type ErasedEvents = Readonly<Record<string, Schema.Schema<unknown, unknown>>>
export type ErasedAgent = AgentOptions<Values, Values, ErasedEvents>
export type ErasedTool = Tool.ToolOptions<Values, Values, unknown>
export type ErasedSignal = Signal.SignalOptions<Values, Values>

/** An agent as it was written. Whether it is one is checked next. */
export const agent = (options: object): ErasedAgent => options as ErasedAgent

/** What may happen in a conversation besides messages. */
export interface Happening {
  readonly events: ErasedEvents
  readonly jobs: ReadonlyArray<Job.Any>
  /** What `Agent.define` was given besides, under names that it does not have. */
  readonly unknown?: ReadonlyArray<string>
}

/**
 * The Schemas of an agent's data, context and events, and its jobs. Whether the events are Schemas, and the jobs jobs, is
 * checked with the definition.
 */
export const structs = (
  schemas: {
    readonly data: object
    readonly context?: object
    readonly events?: object
    readonly jobs?: ReadonlyArray<object>
  }
) =>
  schemas as {
    readonly data: Schema.Struct<Schema.Struct.Fields>
    readonly context?: Schema.Struct<Schema.Struct.Fields>
    readonly events?: ErasedEvents
    readonly jobs?: ReadonlyArray<Job.Any>
  }

/** A tool as it was written, by itself or through `kit.tool`. Whether it is one is checked before it is compiled. */
export const tool = (given: object): ErasedTool => written(given, Tool.isTool) as ErasedTool

/** A signal as it was written, by itself or through `kit.signal`. Whether it is one is checked before it is compiled. */
export const signal = (given: object): ErasedSignal => written(given, Signal.isSignal) as ErasedSignal

const written = (given: object, isMade: (u: unknown) => boolean): unknown =>
  isMade(given) && "options" in given ? given.options : given

/** A tool without its types: `kit.tool` says of which agent it is, and what its code needs. */
export const makeTool = (options: { readonly id: string }): Tool.CallableTool<unknown, unknown, unknown> => {
  const made: Tool.CallableTool<unknown, unknown, unknown> & { readonly options: object } = {
    [Tool.TypeId]: variance,
    id: options.id,
    options,
    with: (args) => {
      const called: Tool.ToolCall<unknown, unknown> & WrittenCall = { [Tool.CallTypeId]: variance, tool: made, args }
      return called
    }
  }
  return made
}

/** A call of a step as it was written. */
export interface WrittenCall {
  readonly tool: object
  readonly args: unknown
}

/** What a step calls. Whether it was made by `with` is checked before it is compiled. */
export const toolCall = (given: object): WrittenCall => given as WrittenCall

/** A signal without its types. */
export const makeSignal = (options: { readonly id: string }): Signal.Signal<unknown, unknown> => {
  const made: Signal.Signal<unknown, unknown> & { readonly options: object } = {
    [Signal.TypeId]: variance,
    id: options.id,
    options
  }
  return made
}

/** For the type checker only. */
const variance = {
  _D: () => {},
  _C: () => {},
  _R: (): never => {
    throw new Error("the requirements of a part are a type, not a value")
  }
}

/**
 * The only place that drops the types of an agent's parts.
 *
 * The functions of a kit derive the types of every part from the agent's data and context, and the types of a tool or a
 * signal also from its own Schemas. A pipeline for all agents cannot express these types and does not need them:
 * Schemas decode arguments, data and context before user code sees them. So this module converts them, once, to
 * `unknown` and records of `unknown`.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { AgentOptions } from "../authored/AgentOptions.js"
import * as Signal from "../authored/Signal.js"
import * as Tool from "../authored/Tool.js"
import type * as Job from "../job/Job.js"
import type { Values } from "./Definition.js"

export type ErasedEvents = Readonly<Record<string, Schema.Schema<unknown, unknown>>>
export type ErasedAgent = AgentOptions<Values, Values, ErasedEvents>
export type ErasedTool = Tool.ToolOptions<Values, Values, unknown>
export type ErasedSignal = Signal.SignalOptions<Values, Values>

/** An agent as it was written, not yet checked. */
export const agent = (options: object): ErasedAgent => options as ErasedAgent

/** The events and jobs of an agent. */
export interface Happening {
  readonly events: ErasedEvents
  readonly jobs: ReadonlyArray<Job.Any>
  /** The names of unknown options that were passed to `Agent.define`. */
  readonly unknown?: ReadonlyArray<string>
  /** The options of `Agent.define` that have a wrong value, each with the value to write. */
  readonly mistyped?: Readonly<Record<string, string>>
}

export const nothingHappens: Happening = { events: {}, jobs: [] }

const isStruct = (u: unknown): boolean => Schema.isSchema(u) && Predicate.hasProperty(u, "fields")

/** The options of `Agent.define`: what each takes, and the value to write. */
const defined = {
  data: { fits: isStruct, write: "data: Schema.Struct({ … })" },
  context: { fits: (u: unknown) => u === undefined || isStruct(u), write: "context: Schema.Struct({ … })" },
  events: {
    fits: (u: unknown) => u === undefined || (Predicate.isRecord(u) && !Schema.isSchema(u)),
    write: "events: { \"order.paid\": Schema.Struct({ … }) }"
  },
  jobs: { fits: (u: unknown) => u === undefined || Array.isArray(u), write: "jobs: [MyJob]" }
}

/**
 * Returns the Schemas of an agent's data, context and events, and its jobs. Events and jobs are checked together with
 * the definition, and so are the options that have a wrong value: they count as not given.
 */
export const structs = (schemas: object = {}) => {
  const given: Readonly<Record<string, unknown>> = { ...schemas }
  const wrong = Struct.keys(defined).filter((key) => !defined[key].fits(given[key]))
  const mistyped = Object.fromEntries(wrong.map((key) => [key, defined[key].write]))
  const { context = Schema.Struct({}), data = Schema.Struct({}), events = {}, jobs = [], ...others } = Struct.omit(
    given,
    ...wrong
  )
  // Safe: `fits` has checked the values of these names.
  const typed = { context, data, events, jobs } as {
    readonly data: Schema.Struct<Schema.Struct.Fields>
    readonly context: Schema.Struct<Schema.Struct.Fields>
    readonly events: ErasedEvents
    readonly jobs: ReadonlyArray<Job.Any>
  }
  return { ...typed, unknown: Object.keys(others), mistyped }
}

/** Returns the options of a tool, given as a literal or made by `kit.tool`; they are not checked yet. */
export const tool = (given: object): ErasedTool => written(given, Tool.isTool) as ErasedTool

/** Returns the options of a signal, given as a literal or made by `kit.signal`; they are not checked yet. */
export const signal = (given: object): ErasedSignal => written(given, Signal.isSignal) as ErasedSignal

const written = (given: object, isMade: (u: unknown) => boolean): unknown =>
  isMade(given) && "options" in given ? given.options : given

/** The options of a part that was made without any. The check of the definition reports what is missing. */
const missingOptions = {} as { readonly id: string }

/** Makes a tool without types; `kit.tool` adds the types of its agent, and its services. */
export const makeTool = (
  options: { readonly id: string } = missingOptions
): Tool.CallableTool<unknown, unknown, unknown> => {
  const made: Tool.CallableTool<unknown, unknown, unknown> & { readonly options: object } = {
    [Tool.TypeId]: variance,
    id: options.id,
    options,
    with: (args) => {
      const called: Tool.ToolCall<unknown, unknown, never, never> & WrittenCall = {
        [Tool.CallTypeId]: variance,
        tool: made,
        args
      }
      return called
    }
  }
  return made
}

/** The call of a step, as it was written. */
interface WrittenCall {
  readonly tool: object
  readonly args: unknown
}

/** Returns the call of a step as it was written. A later check makes sure that `with` made the call. */
export const toolCall = (given: object): WrittenCall => given as WrittenCall

/** A signal without its types. */
export const makeSignal = (options: { readonly id: string } = missingOptions): Signal.Signal<unknown, unknown> => {
  const made: Signal.Signal<unknown, unknown> & { readonly options: object } = {
    [Signal.TypeId]: variance,
    id: options.id,
    options
  }
  return made
}

/** Marker values that only the type checker uses. */
const variance = {
  _D: () => {},
  _C: () => {},
  _R: (): never => {
    throw new Error("the requirements of a part are a type, not a value")
  },
  _A: (): never => {
    throw new Error("the names of a tool's arguments are a type, not a value")
  }
}

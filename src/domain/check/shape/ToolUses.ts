/** The tools that the steps of a definition call or offer. */
import type { Flow } from "../../authored/Flow.js"
import type { Step } from "../../authored/Step.js"
import { isJson, type Json } from "../../base/Json.js"
import type { ErasedAgent } from "../../definition/Erase.js"
import * as Erase from "../../definition/Erase.js"
import * as CallWays from "../../definition/shorthand/CallWays.js"
import type { Shape } from "./Shape.js"
import * as ToolPlaces from "./ToolPlaces.js"

type Values = Record<string, unknown>

/** The tools of one step. */
export interface StepTools {
  readonly ref: string
  readonly path: string
  readonly id: string
  /** The id of the step's flow. */
  readonly flow: string
  /** The tool that the step calls. */
  readonly called: string | undefined
  /** The arguments of the step's own call, if they are literals. */
  readonly args: Json | undefined
  /** The fields into which `bind` writes the result of the step's own call. */
  readonly binds: ReadonlyArray<string>
  /** The tools that a model may call in the step. */
  readonly offered: ReadonlyArray<string>
}

export interface ToolUses {
  /** The steps that use tools, by `flow/step`. */
  readonly steps: ReadonlyMap<string, StepTools>
  /** The tools that a model may call while no flow is active. */
  readonly idle: ReadonlyArray<string>
  /**
   * True if a step or the agent may offer more tools than the definition shows: code injects them, or a toolkit does
   * not list them.
   */
  readonly isOpen: boolean
}

/** `isIdle`: true if a model may speak while no flow is active. */
export const of = (options: ErasedAgent, shape: Shape, isIdle = options.idle !== "silent"): ToolUses => {
  const kits: ReadonlyArray<unknown> = options.toolkits ?? []
  const listed = kits.flatMap((one) => Object.keys(toolsOf(one)))
  const within = (ids: ReadonlyArray<string>, only: ReadonlyArray<string> | undefined) =>
    only === undefined ? ids : ids.filter((id) => only.includes(id))
  const stepTools = (flow: Flow<Values, Values>, step: Step<Values, Values>, f: number, s: number): StepTools => {
    const { id, kind, path, ref } = shape.flows[f]!.steps[s]!
    const call = step.call === undefined ? undefined : Erase.toolCall(step.call)
    return {
      ref,
      path,
      id,
      flow: shape.flows[f]!.id,
      called: call && Erase.tool(call.tool).id,
      args: call !== undefined && isJson(call.args) ? call.args : undefined,
      binds: CallWays.boundBy(step),
      offered: kind !== "llm" ? [] : [
        ...ToolPlaces.offered(options, flow, step, `flows[${f}]`, path).map(({ id }) => id),
        ...within(within(listed, flow.onlyTools), step.onlyTools)
      ]
    }
  }
  const steps = (options.flows ?? []).flatMap((flow, f) => flow.steps.map((step, s) => stepTools(flow, step, f, s)))
  return {
    steps: new Map(steps.map((one) => [one.ref, one])),
    idle: isIdle ? [...ToolPlaces.listed(options, options.tools, "tools").map(({ id }) => id), ...listed] : [],
    isOpen: kits.some((one) => Object.keys(toolsOf(one)).length === 0) ||
      shape.code.some(({ source }) => source.code.includes("injectTools"))
  }
}

const toolsOf = (toolkit: unknown): object =>
  (typeof toolkit === "object" || typeof toolkit === "function") &&
    toolkit !== null && "tools" in toolkit && typeof toolkit.tools === "object" && toolkit.tools !== null
    ? toolkit.tools
    : {}

/** Returns the steps that call a tool, or offer one to a model. */
export const stepsOf = (options: ErasedAgent, shape: Shape): ReadonlySet<string> =>
  new Set(
    Array.from(of(options, shape).steps.values()).flatMap(({ called, offered, ref }) =>
      called === undefined && offered.length === 0 ? [] : [ref]
    )
  )

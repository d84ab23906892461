/** The tools of a definition, with their paths. */
import * as Predicate from "effect/Predicate"
import type { Flow } from "../../authored/Flow.js"
import type { Step } from "../../authored/Step.js"
import * as Groups from "../../base/Groups.js"
import { arrayOf } from "../../base/Json.js"
import type { ErasedAgent, ErasedTool } from "../../definition/Erase.js"
import * as Erase from "../../definition/Erase.js"

type Values = Record<string, unknown>

/** A tool of a definition, with its path and options. */
export interface ToolPlace {
  readonly path: string
  readonly id: string
  readonly options: ErasedTool | undefined
}

/** The tools in a list; a name refers to one of the agent's tools. */
export const listed = (options: ErasedAgent, tools: unknown, path: string): ReadonlyArray<ToolPlace> =>
  arrayOf(tools).flatMap((one, i): ReadonlyArray<ToolPlace> => {
    if (typeof one === "object" && one !== null) {
      const written = Erase.tool(one)
      return [{ path: `${path}[${i}]`, id: written.id, options: written }]
    }
    if (typeof one !== "string") return []
    const named = path === "tools" ? [] : listed(options, options.tools, "tools").filter(({ id }) => id === one)
    return named.length > 0 ? named : [{ path: `${path}[${i}]`, id: one, options: undefined }]
  })

/** The tools that a toolkit lists. */
const toolsOf = (toolkit: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(toolkit, "tools") ? Object.keys(toolkit.tools ?? {}) : []

/** Returns the tools of the agent and its toolkits. */
export const ofAgent = (options: ErasedAgent): ReadonlyArray<ToolPlace> => [
  ...listed(options, options.tools, "tools"),
  ...(options.toolkits ?? []).flatMap((kit, i) =>
    toolsOf(kit).map((id) => ({ path: `toolkits[${i}].${id}`, id, options: undefined }))
  )
]

/** True if a toolkit does not list its tools. */
export const hasUnlisted = ({ toolkits = [] }: ErasedAgent): boolean =>
  toolkits.some((kit) => toolsOf(kit).length === 0)

/** Returns the tools that a step offers, filtered by `onlyTools`. */
export const offered = (
  options: ErasedAgent,
  flow: Flow<Values, Values>,
  step: Step<Values, Values>,
  flowPath: string,
  path: string
): ReadonlyArray<ToolPlace> => {
  const only = (names: ReadonlyArray<string> | undefined, tools: ReadonlyArray<ToolPlace>) =>
    names === undefined ? tools : tools.filter(({ id }) => names.includes(id))
  const ofFlow = only(flow.onlyTools, [
    ...ofAgent(options),
    ...listed(options, flow.tools, `${flowPath}.tools`)
  ])
  return only(step.onlyTools, [...ofFlow, ...listed(options, step.tools, `${path}.tools`)])
}

/** Returns all tools of a definition, each path once. */
export const all = (options: ErasedAgent): ReadonlyArray<ToolPlace> => {
  const found = [
    ...listed(options, options.tools, "tools"),
    ...(options.flows ?? []).flatMap((flow, f) => [
      ...listed(options, flow.tools, `flows[${f}].tools`),
      ...flow.steps.flatMap((step, s) => listed(options, step.tools, `flows[${f}].steps[${s}].tools`))
    ])
  ]
  return Array.from(Groups.by(found, ({ path }) => path).values(), ([first]) => first)
}

/** The tools that a model is offered in a step, and the limits on its calls. */
import type { ToolChoice } from "../authored/Tool.js"
import type { CompiledFlow, CompiledStep, CompiledTool, Definition } from "./Definition.js"

/** The scope in which a model speaks: a step of a flow, a flow, or outside all flows. */
export interface Scope {
  readonly flow?: CompiledFlow | undefined
  readonly step?: CompiledStep | undefined
}

/**
 * Returns the tools that are offered in a scope. Scopes add up: the agent's, the flow's, the step's, and those injected
 * for this turn; a narrower scope shadows a wider one by id. A flow's `onlyTools` filters the agent's and its own
 * tools, a step's filters all tools offered there. Injected tools are always offered, because they were added for this
 * turn explicitly.
 */
export const tools = (
  definition: Definition,
  { flow, step }: Scope,
  injected: ReadonlyArray<CompiledTool> = []
): ReadonlyArray<CompiledTool> => {
  const ofFlow = only(flow, [...definition.tools, ...(flow?.tools ?? [])])
  const ofStep = only(step, [...ofFlow, ...(step?.tools ?? [])])
  return Array.from(new Map([...ofStep, ...injected].map((tool) => [tool.id, tool])).values())
}

type Part = CompiledFlow | CompiledStep | undefined

const only = (part: Part, offered: ReadonlyArray<CompiledTool>): ReadonlyArray<CompiledTool> =>
  part?.onlyTools === undefined ? offered : offered.filter(({ id }) => part.onlyTools?.includes(id) === true)

/** The limits on tool calls in a scope. */
export interface Limits {
  readonly toolChoice: ToolChoice
  readonly maxToolCallsPerRound: number
  readonly maxToolRounds: number
}

/** Returns the limits of a scope: each is the step's, else the flow's, else the agent's. */
export const limits = (definition: Definition, { flow, step }: Scope): Limits =>
  limitsOf(step, limitsOf(flow, definition))

const limitsOf = (part: Part, around: Limits): Limits => ({
  toolChoice: part?.toolChoice ?? around.toolChoice,
  maxToolCallsPerRound: part?.maxToolCallsPerRound ?? around.maxToolCallsPerRound,
  maxToolRounds: part?.maxToolRounds ?? around.maxToolRounds
})

/** Builds the model call for a reply: tools, model and options. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import type { CompiledFlow, CompiledStep, CompiledTool } from "../../domain/definition/Definition.js"
import * as ToolScope from "../../domain/definition/ToolScope.js"
import type * as Model from "../../services/model/Model.js"
import type { Terms } from "../state/parts/ReplyState.js"
import type { Opened } from "../state/TurnState.js"
import * as Unrecorded from "../state/unrecorded.js"
import { currentFlow } from "../walk/TurnGround.js"
import { toolsInScope } from "./prompt.js"
import { toolsAskedAbout } from "./question.js"

/**
 * The tools and limits for a reply. A tool with a call that waits for the user is left out until the user has decided.
 */
export const offering = (turn: Opened, flow: CompiledFlow | undefined, step: CompiledStep | undefined) => {
  const { session } = turn.state
  const tools = toolsInScope(turn, { flow: flow ?? currentFlow(turn, session), step })
  const limits = ToolScope.limits(turn.runtime.definition, { flow, step })
  const waiting = new Set(
    turn.reply.round === undefined ? toolsAskedAbout(session) : []
  )
  return waiting.size === 0 ? { tools, limits } : {
    tools: tools.filter(({ id }) => !waiting.has(id)),
    limits: { ...limits, toolChoice: "auto" as const }
  }
}

/** Returns the tools that are still offered: without tools that ran in this turn and whose writes were refused. */
export const stillOpen = (turn: Opened, tools: ReadonlyArray<CompiledTool>): ReadonlyArray<CompiledTool> => {
  if (turn.state.session.unrecorded === undefined) return tools
  const done = Unrecorded.tools(turn)
  return tools.filter(({ id }) => !done.has(id))
}

/** The model and the options of a step; each is taken from the flow if the step sets none. */
export const chosen = (flow: CompiledFlow | undefined, step: CompiledStep | undefined): Terms["model"] => ({
  alias: step?.model ?? flow?.model,
  options: step?.modelOptions ?? flow?.modelOptions
})

/** True if both terms have the same tools, tool choice, model and options. */
export const isSame = (a: Terms, b: Terms): boolean =>
  a.toolChoice === b.toolChoice && a.model.alias === b.model.alias && a.model.options === b.model.options &&
  a.tools.length === b.tools.length && a.tools.every((tool, i) => tool === b.tools[i])

/** Builds a call of the model. */
export const callOf = (
  turn: Opened,
  prompt: Prompt.Prompt,
  { model: { alias, options }, toolChoice, tools }: Terms
): Model.ModelCall => ({
  purpose: "speak",
  prompt,
  limits: turn.runtime.definition.timeouts,
  ...(alias !== undefined && { alias }),
  ...(options !== undefined && { options }),
  ...(tools.length > 0 && { tools: tools.map(offered), toolChoice })
})

const offered = ({ description, hosted, id, jsonSchema }: CompiledTool): Model.OfferedTool => ({
  name: id,
  ...(description !== undefined && { description }),
  ...(hosted !== undefined && { hosted }),
  jsonSchema
})

/** Returns the function that makes a call of the model for a reply. */
export const asking = ({ runtime: { model }, sink: { streaming } }: Opened, call: Model.ModelCall) =>
(
  onPart: (part: Model.ModelPart) => Effect.Effect<void>
) =>
  streaming
    ? model.ask({ ...call, onPart })
    : Effect.tap(model.ask(call), ({ text }) => onPart({ _tag: "Text", text }))

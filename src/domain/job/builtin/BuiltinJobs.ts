/**
 * Built-in jobs: calls of models and of tools. Declare them in `jobs` of `Agent.define`; they need no handler.
 *
 * ```ts
 * import { Agent, Jobs } from "coxswain"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({
 *   data: Schema.Struct({ summary: Schema.String }),
 *   events: { "call.ended": Schema.Struct({ transcript: Schema.String }) },
 *   jobs: [Jobs.LlmGenerate]
 * })
 *
 * export const calls = kit.make({
 *   name: "Calls",
 *   on: {
 *     "call.ended": ({ event }) => ({
 *       run: Jobs.LlmGenerate.of({
 *         systemPrompt: "Summarise the call in one sentence.",
 *         messages: [{ role: "user", content: event.transcript }]
 *       })
 *     }),
 *     [Jobs.LlmGenerate.completed]: ({ event }) => ({ dataUpdate: { summary: event.text } })
 *   }
 * })
 * ```
 */
export { LlmDelta, LlmEmbed, LlmGenerate, LlmMessage, LlmResult, LlmStream, LlmTool } from "./Llm.js"
export { ToolExec, ToolExecError } from "./ToolExec.js"

/**
 * Built-in jobs: calls of models and of tools. Declare them in `jobs` of `Agent.define`; they need no handler.
 *
 * @since 0.1.0
 */
export { LlmDelta, LlmEmbed, LlmGenerate, LlmMessage, LlmResult, LlmStream, LlmTool } from "./Llm.js"
export { ToolExec, ToolExecError } from "./ToolExec.js"

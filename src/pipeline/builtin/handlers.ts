/**
 * The handlers of the jobs that the library has, over what an agent runs on.
 *
 * @since 0.1.0
 */
import type * as Job from "../../domain/Job.js"
import { LlmEmbed, LlmGenerate, LlmStream } from "../../domain/job/Llm.js"
import { ToolExec } from "../../domain/job/ToolExec.js"
import type { Runtime } from "../TurnState.js"
import { embed, generate, stream } from "./llm.js"
import { exec } from "./tool.js"

/** The handler of a job that the library has. What it is given was decoded by the payload Schema of that very job. */
export const handlerOf = (runtime: Runtime, name: string): Job.Handle | undefined => {
  switch (name) {
    case LlmStream.jobName:
      return stream(runtime) as Job.Handle
    case LlmGenerate.jobName:
      return generate(runtime) as Job.Handle
    case LlmEmbed.jobName:
      return embed(runtime) as Job.Handle
    case ToolExec.jobName:
      return exec(runtime) as Job.Handle
    default:
      return undefined
  }
}

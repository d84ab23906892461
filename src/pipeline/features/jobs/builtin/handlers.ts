/** The handlers of the library's own jobs, for an agent's runtime. */
import type * as Effect from "effect/Effect"
import { LlmEmbed, LlmGenerate, LlmStream } from "../../../../domain/job/builtin/Llm.js"
import { ToolExec } from "../../../../domain/job/builtin/ToolExec.js"
import type * as Job from "../../../../domain/job/Job.js"
import type { Runtime } from "../../../state/TurnState.js"
import { embed, generate, stream } from "./llm.js"
import { exec } from "./tool.js"

/** Drops the payload type of a handler. The payload Schema of the job has decoded the payload. */
const erased = <P, Progress, A, E>(
  handle: (runtime: Runtime) => (payload: P, run: Job.Run<Progress>) => Effect.Effect<A, E>
) => handle as (runtime: Runtime) => Job.Handle

const handlers: ReadonlyMap<string, (runtime: Runtime) => Job.Handle> = new Map([
  [LlmStream.jobName, erased(stream)],
  [LlmGenerate.jobName, erased(generate)],
  [LlmEmbed.jobName, erased(embed)],
  [ToolExec.jobName, erased(exec)]
])

/** The handler of one of the library's jobs; undefined for another name. */
export const handlerOf = (runtime: Runtime, name: string): Job.Handle | undefined => handlers.get(name)?.(runtime)

/** The jobs that come with the library. */
export * from "../../domain/job/builtin/BuiltinJobs.js"
export { AgentSession } from "./AgentSession.js"

/**
 * The jobs that come with the library.
 *
 * @since 0.1.0
 */
export * from "../../domain/job/builtin/BuiltinJobs.js"
export { AgentSession } from "./AgentSession.js"

/**
 * The jobs that come with the library.
 *
 * @since 0.1.0
 */
export * from "../domain/Jobs.js"
export { AgentSession } from "./jobs/AgentSession.js"

/** The error of the Model Context Protocol, and the loading of its libraries. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"

/**
 * A problem with a server of the Model Context Protocol: it cannot be reached, violates the protocol, or is set up
 * wrongly.
 */
export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  what: Schema.String,
  why: Schema.String,
  fix: Schema.String,
  /** Set if the server took longer than a limit. */
  timedOut: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {
  override get message(): string {
    return `[${this._tag}] ${this.what}: ${this.why}. ${this.fix}.`
  }
}

/**
 * Imports the package for servers or for clients when it is needed, so that an application installs only the package
 * that it uses.
 */
export const loading = <A>(part: "client" | "server", load: () => Promise<A>): Effect.Effect<A, McpError> =>
  Effect.tryPromise({
    try: load,
    catch: (cause) =>
      new McpError({
        what: `the ${part} of the Model Context Protocol does not load`,
        why: reasonOf(cause),
        fix: `Install it: npm install @modelcontextprotocol/${part}${part === "client" ? " re2js" : ""}`
      })
  })

/**
 * The reason, in one line of at most 500 characters, because the text may come from the server, which is not trusted.
 */
export const reasonOf = (cause: unknown): string =>
  ErrorMessage.withoutStop(Excerpt.start(ErrorMessage.reasonOf(cause).replace(/\s+/g, " "), 500))

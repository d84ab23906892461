/**
 * What goes wrong with a server of the Model Context Protocol.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ErrorMessage from "../../domain/base/error/ErrorMessage.js"

/**
 * A server cannot be reached, or says what the protocol does not allow.
 *
 * @since 0.1.0
 * @category errors
 */
export class McpError extends Schema.TaggedError<McpError>()("McpError", {
  what: Schema.String,
  why: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `[${this._tag}] ${this.what}: ${this.why}. ${this.fix}.`
  }
}

/** The library of servers or of clients, imported when it is needed: who uses one need not have the other installed. */
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

/** Why, in one line of bounded length, because the text may come from the server, which is not trusted. */
export const reasonOf = (cause: unknown): string =>
  ErrorMessage.withoutStop(ErrorMessage.reasonOf(cause).replace(/\s+/g, " ").slice(0, 500))

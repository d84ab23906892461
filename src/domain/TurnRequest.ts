/**
 * One input.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { loose } from "./Fields.js"
import { JsonObject } from "./Json.js"
import { SessionId } from "./Session.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface TurnRequest<C = Record<string, unknown>> {
  /** Which conversation: 1 to 200 characters. */
  readonly sessionId: string
  /** What the user said. */
  readonly message: string
  /** Idempotency key: the same key twice returns the stored response, without a model call or a write. */
  readonly messageId?: string
  /** Laid over the stored context and over what the agent's `contextProvider` gives. */
  readonly context?: Partial<C>
  /** Merged into the session's metadata; `userId`, a string, also becomes the session's `userId`. */
  readonly metadata?: JsonObject
}

/**
 * The Schema of requests to an agent with the given context; a request may carry any part of it.
 *
 * @since 0.1.0
 * @category schemas
 */
export const schema = <C, CI>(context: Schema.Schema<C, CI>) =>
  Schema.Struct({
    sessionId: SessionId,
    message: Schema.String.pipe(Schema.minLength(1)),
    messageId: Schema.optionalWith(Schema.String.pipe(Schema.minLength(1), Schema.maxLength(200)), { exact: true }),
    context: Schema.optionalWith(loose(context), { exact: true }),
    metadata: Schema.optionalWith(JsonObject, { exact: true })
  }).annotations({ identifier: "TurnRequest" })

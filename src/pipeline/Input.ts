/**
 * What a turn answers.
 *
 * @since 0.1.0
 */
import type { Values } from "../domain/definition/Definition.js"
import type { JsonObject } from "../domain/Json.js"
import type { TurnRequest } from "../domain/TurnRequest.js"

/** Something the user said. */
export interface Message extends TurnRequest<Values> {
  readonly _tag: "Message"
}

/** What a person decided about a tool call that waits. */
export interface Approval {
  readonly _tag: "Approval"
  readonly sessionId: string
  readonly callId: string
  readonly decision: Decision
  readonly messageId?: string
  readonly context?: Values
  readonly metadata?: JsonObject
}

/**
 * What a person decided about a call.
 *
 * @since 0.1.0
 * @category models
 */
export interface Decision {
  readonly approved: boolean
  readonly reason?: string
}

/**
 * @since 0.1.0
 * @category models
 */
export type Input = Message | Approval

/**
 * What a turn answers.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { Told } from "../../domain/job/StoredJob.js"
import type { Decision } from "../../domain/session/Approval.js"
import type { Principal, TurnRequest } from "../../domain/session/TurnRequest.js"

/** Something the user said. */
export interface Message extends TurnRequest<Values> {
  readonly _tag: "Message"
  /** What the user said; of a form that was filled in without words, what it says. */
  readonly message: string
  /** Whether there are no words to understand. */
  readonly isForm?: boolean
  /** Where it is answered together with what was left unanswered: what its key stands for, the message by itself. */
  readonly alone?: Message
}

/** The user has opened the conversation, and has said nothing yet. */
export interface Begin extends BeginOptions {
  readonly _tag: "Begin"
  readonly sessionId: string
  readonly messageId: string
}

/** The idempotency key of a beginning that has none of its own. */
export const beginning = "coxswain/begin"

/** What a person decided about a tool call that waits. */
export interface Approval extends ApprovalOptions {
  readonly _tag: "Approval"
  readonly sessionId: string
  /** The request's `id`, or its `callId`. */
  readonly request: string
  readonly decision: Decision
}

/** Something that happened outside. */
export interface Event {
  readonly _tag: "Event"
  readonly sessionId: string
  readonly event: string
  /** As it came. */
  readonly payload: Json
  /** What the payload decodes to, once it has been checked. */
  readonly value?: unknown
  /** The `eventId`. */
  readonly messageId?: string
  readonly context?: Partial<Values>
  readonly metadata?: JsonObject
  readonly principal?: Principal
}

/** The time has come for the earliest thing that is due in the session. */
export interface Timer {
  readonly _tag: "Timer"
  readonly sessionId: string
  readonly messageId?: never
  readonly context?: never
  readonly metadata?: never
  readonly principal?: never
}

/** A job reports how far it is, or how it ended. */
export interface Job {
  readonly _tag: "Job"
  readonly sessionId: string
  readonly jobId: string
  /** Who tells it must still have the job. */
  readonly lease: string
  readonly told: Told
  readonly messageId?: never
  readonly context?: never
  readonly metadata?: never
  readonly principal?: never
}

/**
 * @since 0.1.0
 * @category models
 */
export interface BeginOptions<C = Values> {
  /** The flow that begins, by id or title. Default: the agent's `initialFlow`, else the one that a message would enter. */
  readonly flow?: string
  /** Idempotency key of the beginning. Default: one that is the same for all, since a session begins once. */
  readonly messageId?: string
  readonly context?: Partial<C>
  readonly metadata?: JsonObject
  /** Who opens the conversation, as the application has established it: the session is theirs. */
  readonly principal?: Principal
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ApprovalOptions<C = Values> {
  /** Idempotency key of the decision: the same key twice returns the stored response. */
  readonly messageId?: string
  readonly context?: Partial<C>
  readonly metadata?: JsonObject
  /** Who decides, as the application has established it. */
  readonly principal?: Principal
}

/**
 * @since 0.1.0
 * @category models
 */
export type Input = Message | Begin | Approval | Event | Timer | Job

/** A request before it is checked. */
export interface Said extends TurnRequest<Values> {
  readonly _tag: "Message"
  /** What the user said before it and has no answer to: both are answered as one message. */
  readonly unanswered?: Said | undefined
}

/**
 * An input before it is checked.
 *
 * @since 0.1.0
 * @category models
 */
export type Given = Said | Begin | Approval | Event | Timer | Job

/**
 * Whether the user themselves opens the turn: its beginning, and what waits for them, come first then.
 *
 * @since 0.1.0
 * @category guards
 */
export const isOfUser = (input: Input): input is Message | Begin => input._tag === "Message" || input._tag === "Begin"

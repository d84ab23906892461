/** The inputs that a turn can answer. */
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { EventContext } from "../../domain/authored/Event.js"
import type { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { Json, JsonObject } from "../../domain/base/Json.js"
import type { Definition, Values } from "../../domain/definition/Definition.js"
import type { Happening } from "../../domain/definition/Handlers.js"
import type { Origin } from "../../domain/origin/Origin.js"
import type * as Approval from "../../domain/session/Approval.js"
import type { Session } from "../../domain/session/Session.js"
import type { Principal, TurnRequest } from "../../domain/session/TurnRequest.js"
import type { Internal as Logged } from "../../domain/turn/TurnEntry.js"

/** A message of the user. */
export interface Message extends TurnRequest<Values> {
  readonly _tag: "Message"
  /** The text of the user; for a form that was submitted without text, a text made of its values. */
  readonly message: string
  /** True if the message has values but no text to understand. */
  readonly isForm?: boolean
  /**
   * The message as the client sent it; set only if earlier unanswered messages were merged into this one. The
   * idempotency key belongs to this text.
   */
  readonly alone?: Message
}

/** A request that begins a conversation before the user has written anything. */
export interface Begin extends BeginOptions {
  readonly _tag: "Begin"
  readonly sessionId: string
  readonly messageId: string
}

/** The idempotency key of a request that begins a conversation and has no key. */
export const beginning = "coxswain/begin"

/** A person's decision about a call of the session's suspended turn, which the turn continues. */
export interface Decision extends DecisionOptions {
  readonly _tag: "Approval"
  readonly sessionId: string
  /** The `id` of the request, or its `callId`. */
  readonly request: string
  readonly decision: Approval.Decision
}

/** True if an input, or an input as the log has it, is a decision. */
export const isDecision = <A extends { readonly _tag: string }>(
  input: A
): input is Extract<A, Pick<Decision, "_tag">> => input._tag === "Approval"

/** An event from outside the conversation. */
export interface Event {
  readonly _tag: "Event"
  readonly sessionId: string
  readonly event: string
  /** The payload before it is decoded. */
  readonly payload: Json
  /** The decoded payload, once it has been checked. */
  readonly value?: unknown
  /** The idempotency key of the event: its `eventId`. */
  readonly messageId?: string
  readonly context?: Partial<Values>
  readonly metadata?: JsonObject
  readonly principal?: Principal
}

/** An input from inside the library: a feature reports that something has happened in the session. */
export interface Internal {
  readonly _tag: "Internal"
  readonly sessionId: string
  /** The input as the log of turns has it. */
  readonly logged: Logged
  /** Returns the occurrence that the turn answers. Fails if the session no longer waits for it. */
  readonly occurrence: (
    definition: Definition,
    stored: Session,
    now: DateTime.Utc
  ) => Effect.Effect<Occurrence, InvalidRequest>
  readonly messageId?: never
  readonly context?: never
  readonly metadata?: never
  readonly principal?: never
}

/** Options of a turn that begins a conversation. */
export interface BeginOptions<C = Values> {
  /**
   * The flow that begins, by id or title. Default: the agent's `initialFlow`; without one, the flow that a message
   * would enter.
   */
  readonly flow?: string
  /** Idempotency key of the request. Default: one key for all, because a session begins once. */
  readonly messageId?: string
  /** Merged over the stored context and the result of the agent's `contextProvider`. */
  readonly context?: Partial<C>
  /** Merged into the session's metadata. A string `userId` in it also sets the owner of a session that has none. */
  readonly metadata?: JsonObject
  /**
   * The user who opens the conversation, as the application has authenticated them; they become the session's owner.
   */
  readonly principal?: Principal
}

/** Options of a decision about a call of a suspended turn. */
export interface DecisionOptions<C = Values> {
  /** Idempotency key of the decision: a second decision with the same key returns the stored response. */
  readonly messageId?: string
  /** Merged over the stored context and the result of the agent's `contextProvider`. */
  readonly context?: Partial<C>
  /** Merged into the session's metadata. A string `userId` in it also sets the owner of a session that has none. */
  readonly metadata?: JsonObject
  /** The person who decides, as the application has authenticated them. */
  readonly principal?: Principal
}

/** Any input that a turn can answer, after its check. */
export type Input = Message | Begin | Decision | Event | Internal

/** A message before it is checked. */
export interface UncheckedMessage extends TurnRequest<Values> {
  readonly _tag: "Message"
  /** An earlier unanswered message of the user. The turn answers both messages as one. */
  readonly unanswered?: UncheckedMessage | undefined
}

/** An input before it is checked. */
export type UncheckedInput = UncheckedMessage | Begin | Decision | Event | Internal

/**
 * True if the user causes the turn, with a message or by beginning the conversation: `beforeRespond` and the session's
 * pending directive then run first.
 */
export const isOfUser = (input: Input): input is Message | Begin => input._tag === "Message" || input._tag === "Begin"

/** An event, from outside or from inside, that a turn answers instead of a message. */
export interface Occurrence extends Happening {
  /** The payload as the model sees it. */
  readonly payload: Json
  /** The decoded payload that the handler gets, or why the payload does not match its Schema. */
  readonly value: Either.Either<unknown, string>
  /** The further properties of the handler's context. */
  readonly around?: Partial<EventContext<Values, Values, unknown>>
  /** The origin of the payload; absent if the agent itself has made it. */
  readonly origin?: Origin
  /** True if another agent or a model has written the payload. */
  readonly isForeign?: boolean
  /** The call whose files the turn reports. */
  readonly call?: { readonly callId: string; readonly toolId: string }
  /** Identifies the occurrence when its turn is repeated. */
  readonly key?: string
  /** True if nobody came while the conversation waited for a person, so that the agent may speak. */
  readonly endsWait?: boolean
  /** Removes from the session what has ended with the occurrence. */
  readonly end?: (session: Session) => Session
}

/** Returns the occurrence that an input reports; undefined for other inputs. */
export const occurrenceOf = (
  input: Input,
  definition: Definition,
  stored: Session,
  now: DateTime.Utc
): Effect.Effect<Occurrence | undefined, InvalidRequest> => {
  if (input._tag === "Internal") return input.occurrence(definition, stored, now)
  if (input._tag !== "Event") return Effect.succeed(undefined)
  const { event: name, payload, value } = input
  return Effect.succeed({ name, payload, value: Either.right(value), origin: { kind: "document", name } })
}

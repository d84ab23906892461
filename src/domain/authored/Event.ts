/**
 * Events that reach a conversation without a user message, and their handlers.
 *
 * ```ts
 * import { Agent } from "coxswain"
 * import { Schema } from "effect"
 *
 * const kit = Agent.define({
 *   data: Schema.Struct({ paid: Schema.Number }),
 *   events: { "payment.settled": Schema.Struct({ amount: Schema.Number }) }
 * })
 * export const waiting = kit.step({
 *   id: "pay",
 *   prompt: "Ask for the payment",
 *   until: ({ data }) => data.paid !== undefined,
 *   on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.amount } }) }
 * })
 * ```
 */
import * as Schema from "effect/Schema"
import type { Json } from "../base/Json.js"
import { Code } from "../code/Code.js"
import * as OptionForm from "../code/OptionForm.js"
import type { Directive } from "../directive/Directive.js"
import type * as Timer from "../directive/Timer.js"
import type { TypeId as JobTypeId } from "../job/Job.js"
import type { StoredJob } from "../job/StoredJob.js"
import type { Principal } from "../session/TurnRequest.js"
import type { Hook, HookContext, Returned } from "./Callback.js"

/** The events of an agent by name, each with the Schema of its payload. */
export type Schemas = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/** The decoded type of an event's payload. */
export type Payload<S> = S extends { readonly Type: infer A } ? A : unknown

/** The encoded type of an event's payload: JSON. */
export type Encoded<S> = S extends { readonly Encoded: infer I } ? I : unknown

/** The view of the turn that an event handler gets. */
export interface EventContext<D, C, A> extends HookContext<D, C> {
  /** The decoded payload; for an event of a job, its result, failure or progress. */
  readonly event: A
  /** The job that raised the event. */
  readonly job?: Pick<StoredJob, "id" | "name" | "payload">
}

/** An event handler: a step of this flow, a flow, a directive, or a function of the turn that returns a directive. */
export type Handler<D, C, A> =
  | string
  | Directive<D, C>
  | ((ctx: EventContext<D, C, A>) => Returned<Directive<D, C> | undefined | void>)

/** Handlers by event name. The innermost scope with a handler takes the event: step, then active flow, then agent. */
export type Handlers<D, C, Ev> = { readonly [K in keyof Ev]?: Handler<D, C, Payload<Ev[K]>> }

/** An event sent to a conversation by name. Excludes events of jobs, which only the library raises. */
export type Notification<C, Ev> = {
  readonly [K in keyof Ev & string]: Ev[K] extends { readonly [JobTypeId]: unknown } ? never
    : NotificationOf<C, K, Encoded<Ev[K]>>
}[keyof Ev & string]

/** An event without the session id, for callers that already have the session, as in `session.notify`. */
export type Told<C, Ev> = {
  readonly [K in keyof Ev & string]: Omit<NotificationOf<C, K, Encoded<Ev[K]>>, "sessionId">
}[keyof Ev & string]

/** An event sent to a conversation. */
export interface NotificationOf<C, Name extends string, Payload> {
  /** Session id, 1 to 200 characters. An unknown session is started by the event. */
  readonly sessionId: string
  /** Event name, as declared by the agent. */
  readonly event: Name
  /** Encoded payload (JSON), as the event's Schema decodes it. */
  readonly payload: Payload
  /**
   * Idempotency key: a repeated key returns the stored response without running the event again. It shares its
   * namespace with the `messageId` of messages.
   */
  readonly eventId?: string
  /** Merged over the stored context for this turn. */
  readonly context?: Partial<C>
  /** Merged into the session's metadata. */
  readonly metadata?: { readonly [key: string]: Json }
  /** The sender of the event, as authenticated by the application. */
  readonly principal?: Principal
}

const Then = Schema.Union(Schema.NonEmptyString, Code, Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** The Schema of event handlers. Names and targets are checked with the whole definition. */
export const Handlers = OptionForm.of("handlers")(Schema.Record({ key: Schema.String, value: Then }))

/**
 * Timers: the keys are time spans, each value is a step of this flow, a flow, a directive, or a function of the turn
 * that returns one. They start when the flow is entered, when the step has spoken, or when the wait for a person
 * begins.
 */
export type After<D, C> = { readonly [S in Timer.Span]?: string | Directive<D, C> | Hook<D, C> }

/** The Schema of `after`. */
export const After = OptionForm.of("after")(Schema.Record({ key: Schema.String, value: Then }))

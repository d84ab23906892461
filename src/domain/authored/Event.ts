/**
 * What happens to a conversation without the user saying anything, and who takes it.
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
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import type { Json } from "../base/Json.js"
import { Code } from "../code/Code.js"
import type { Directive } from "../directive/Directive.js"
import type * as Timer from "../directive/Timer.js"
import type { TypeId as JobTypeId } from "../job/Job.js"
import type { StoredJob } from "../job/StoredJob.js"
import type { Principal } from "../session/TurnRequest.js"
import type { Hook, HookContext, Returned } from "./Callback.js"

/**
 * The events of an agent by name, each with the Schema of its payload.
 *
 * @since 0.1.0
 * @category models
 */
export type Schemas = Readonly<Record<string, Schema.Schema.AnyNoContext>>

/**
 * What a payload is once it was decoded.
 *
 * @since 0.1.0
 * @category type extractors
 */
export type Payload<S> = S extends { readonly Type: infer A } ? A : unknown

/**
 * What a payload is on its way: JSON.
 *
 * @since 0.1.0
 * @category type extractors
 */
export type Encoded<S> = S extends { readonly Encoded: infer I } ? I : unknown

/**
 * What a handler sees: the turn, and what happened.
 *
 * @since 0.1.0
 * @category models
 */
export interface EventContext<D, C, A> extends HookContext<D, C> {
  /** The payload, decoded by the event's Schema; of a job's event, its result, its failure or its progress. */
  readonly event: A
  /** The job that the event comes from. */
  readonly job?: Pick<StoredJob, "id" | "name" | "payload">
}

/**
 * What an event does: a step of this flow, a flow, a directive, or a function of the turn that returns a directive.
 *
 * @since 0.1.0
 * @category models
 */
export type Handler<D, C, A> =
  | string
  | Directive<D, C>
  | ((ctx: EventContext<D, C, A>) => Returned<Directive<D, C> | undefined | void>)

/**
 * Handlers by the name of their event. The innermost scope that has one takes the event: the step, the active flow, the
 * agent.
 *
 * @since 0.1.0
 * @category models
 */
export type Handlers<D, C, Ev> = { readonly [K in keyof Ev]?: Handler<D, C, Payload<Ev[K]>> }

/**
 * An event for a conversation, by name. The events of jobs are not among them: the library raises those itself.
 *
 * @since 0.1.0
 * @category models
 */
export type Notification<C, Ev> = {
  readonly [K in keyof Ev & string]: Ev[K] extends { readonly [JobTypeId]: unknown } ? never
    : NotificationOf<C, K, Encoded<Ev[K]>>
}[keyof Ev & string]

/**
 * An event without the session id, for when the session is already known, as in `session.notify`.
 *
 * @since 0.1.0
 * @category models
 */
export type Told<C, Ev> = {
  readonly [K in keyof Ev & string]: Omit<NotificationOf<C, K, Encoded<Ev[K]>>, "sessionId">
}[keyof Ev & string]

/**
 * @since 0.1.0
 * @category models
 */
export interface NotificationOf<C, Name extends string, Payload> {
  /** Which conversation: 1 to 200 characters. One that nobody has begun is begun by the event. */
  readonly sessionId: string
  /** The name of the event, as the agent declares it. */
  readonly event: Name
  /** What the event's Schema decodes: JSON. */
  readonly payload: Payload
  /**
   * Idempotency key: the same key twice returns the stored response, and nothing happens again. It shares its names with
   * the `messageId` of messages.
   */
  readonly eventId?: string
  /** Laid over the stored context for this turn. */
  readonly context?: Partial<C>
  /** Merged into the session's metadata. */
  readonly metadata?: { readonly [key: string]: Json }
  /** Who caused it, as the application has established it. */
  readonly principal?: Principal
}

const Then = Schema.Union(Schema.NonEmptyString, Code, Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/**
 * The Schema of handlers as they are written; their names and targets are checked with the whole definition.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Handlers = Schema.Record({ key: Schema.String, value: Then })

/**
 * What happens when nobody has answered for a while: by the time, a step of this flow, a flow, a directive, or a function
 * of the turn that returns one.
 *
 * @since 0.1.0
 * @category models
 */
export type After<D, C> = { readonly [S in Timer.Span]?: string | Directive<D, C> | Hook<D, C> }

/**
 * The Schema of `after` as it is written.
 *
 * @since 0.1.0
 * @category schemas
 */
export const After = Schema.Record({ key: Schema.String, value: Then })

/**
 * Background jobs: work that a turn starts without waiting for it.
 *
 * ```ts
 * import { Agent, Job } from "coxswain"
 * import { Effect, Schema } from "effect"
 *
 * class Translate extends Job.make("translate", {
 *   payload: { text: Schema.String },
 *   success: Schema.String
 * }) {}
 *
 * export const TranslateLive = Translate.toLayer(({ text }) => Effect.succeed(text.toUpperCase()))
 *
 * const kit = Agent.define({ data: Schema.Struct({ text: Schema.String }), jobs: [Translate] })
 *
 * export const desk = kit.make({
 *   name: "Desk",
 *   on: { [Translate.completed]: ({ event }) => ({ reply: `Here it is: ${event}` }) },
 *   flows: [{
 *     title: "Translate",
 *     steps: [
 *       { id: "ask", prompt: "Ask for the text", collect: ["text"] },
 *       { id: "wait", reply: "It is being translated.", onEnter: ({ data }) => ({ run: Translate.of({ text: data.text ?? "" }) }) }
 *     ]
 *   }]
 * })
 * ```
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Simplify } from "effect/Types"
import type { Call } from "./JobCall.js"
import { JobError } from "./JobError.js"
import { encode } from "./Value.js"

export { Call } from "./JobCall.js"
export { JobError, Reason } from "./JobError.js"
export { maxJobs, Outcome, StoredJob } from "./StoredJob.js"
export { maxBytes } from "./Value.js"

export const TypeId: unique symbol = Symbol.for("coxswain/Job")

export type TypeId = typeof TypeId

/** The run settings of a job. */
export interface Settings {
  /** Number of failures of the handler after which the job fails. Default 1. A lost run does not count. */
  readonly attempts?: number
  /**
   * Number of lost runs after which the job fails with the reason `lost`. Default 5. A run is lost when its lease
   * expires: the process died, or could not reach the store to renew the lease. The limit stops jobs that crash their
   * process.
   */
  readonly losses?: number
  /**
   * Decides the delay before the next attempt, and whether there is one. Default: 1 second, then twice as long each
   * time.
   */
  readonly schedule?: Schedule.Schedule<unknown, unknown>
  /** Time limit of one attempt. Default 1 hour. */
  readonly timeout?: Duration.DurationInput
}

/** The options of a job. */
export interface Options<P, S, E, G> extends Settings {
  /** The input of the job: the fields of a struct, or a Schema. Default: no input. */
  readonly payload?: P
  /** The result of the job. Default: none. */
  readonly success?: S
  /** The typed error of its handler. Default: the handler cannot fail. */
  readonly error?: E
  /** The progress that its handler may report. Default: none. */
  readonly progress?: G
}

/**
 * A Schema that needs no services. `Schema.Never` is listed, because the compiler does not accept it as a
 * `Schema<any>`.
 */
type AnySchema = Schema.Schema.AnyNoContext | Schema.Schema<never>

/** The common parts of all jobs. */
export interface Any {
  readonly [TypeId]: TypeId
  readonly jobName: string
  /** The names of the three events of the job: keys of `on`, and names of the event that a turn answers. */
  readonly completed: string
  readonly failed: string
  readonly progress: string
  readonly schemas: {
    readonly payload: AnySchema
    readonly success: AnySchema
    /** Schema of the job's own error or a `JobError`. */
    readonly failure: AnySchema
    readonly progress: AnySchema
  }
  readonly settings: {
    readonly attempts: number
    readonly losses: number
    readonly schedule: Schedule.Schedule<unknown, unknown> | undefined
    readonly timeout: Duration.Duration
    /** Unknown option names; `make` of the agent refuses them. */
    readonly unknown: ReadonlyArray<string>
  }
}

/** The current run of a job, as passed to the handler. */
export interface Run<G> {
  /** Unique to this job and the same in all its runs: the handler's idempotency key. */
  readonly jobId: string
  readonly sessionId: string
  /** Number of this run, from 1, including failed and lost runs. */
  readonly attempt: number
  /** Number of earlier runs that failed. */
  readonly failures: number
  /**
   * Reports progress to readers of the session. If `on` of the agent has a handler for it, a turn runs this handler, in
   * the order of the reports. `progress` waits for the turn, but does not fail with it.
   */
  readonly progress: (value: G) => Effect.Effect<void>
}

/** The service that runs the jobs with this name. */
export interface Handler<Name extends string> {
  readonly [TypeId]: Name
}

/** A run of a job whose result is no longer needed. */
export type EndedRun = Omit<Run<never>, "attempt" | "progress">

/** An untyped handler: its payload is decoded, and its result will be encoded. */
export interface Handle {
  (payload: unknown, run: Run<unknown>): Effect.Effect<unknown, unknown>
  /**
   * Stops work that continues after the handler's fiber has ended. Called if a run timed out or was lost too often, or
   * if the job was cancelled. Not called if the runner stops, because another runner then continues the job. Absent if
   * there is no such work.
   */
  readonly stop?: (payload: unknown, run: EndedRun) => Effect.Effect<void>
}

/** The tag of the handler for jobs of a name. */
export const handlerOf = <Name extends string>(name: Name): Context.Tag<Handler<Name>, Handle> =>
  Context.GenericTag<Handler<Name>, Handle>(`coxswain/Job/${name}`)

type Fields = Schema.Struct.Fields

/** The Schema of the payload option. */
export type PayloadSchema<P> = P extends Schema.Schema.AnyNoContext ? P : P extends Fields ? Schema.Struct<P> : never

/** The payload as passed to `of`: fields with a default may be left out. */
export type Input<P> = P extends Schema.Schema.AnyNoContext ? Schema.Schema.Type<P>
  : P extends Fields ? Simplify<Schema.Struct.Constructor<P>>
  : never

/** A job, as a class to extend. */
export interface JobClass<
  Name extends string,
  P,
  S extends AnySchema,
  E extends AnySchema,
  G extends AnySchema
> extends Any {
  new(_: never): {}
  readonly jobName: Name
  readonly completed: `${Name}.completed`
  readonly failed: `${Name}.failed`
  readonly progress: `${Name}.progress`
  readonly schemas: {
    readonly payload: Schema.Schema<Schema.Schema.Type<PayloadSchema<P>>, Schema.Schema.Encoded<PayloadSchema<P>>>
    readonly success: S
    readonly failure: Schema.Schema<
      Schema.Schema.Type<E> | JobError,
      Schema.Schema.Encoded<E> | typeof JobError.Encoded
    >
    readonly progress: G
  }
  /** Makes a call of the job, for `run` of a directive. A payload that cannot be encoded fails the turn. */
  readonly of: {} extends Input<P> ? (payload?: Input<P>) => Call : (payload: Input<P>) => Call
  /** The Layer of the job's handler. A handler may run several times for one job; `jobId` is then the same. */
  readonly toLayer: <R = never>(
    handler: (
      payload: Schema.Schema.Type<PayloadSchema<P>>,
      run: Run<Schema.Schema.Type<G>>
    ) => Effect.Effect<Schema.Schema.Type<S>, Schema.Schema.Type<E>, R>
  ) => Layer.Layer<Handler<Name>, never, Exclude<R, Scope.Scope>>
}

/** Declares a job. Its name has 1 to 80 letters, digits, dots, colons, slashes, hyphens and underscores. */
export const make = <
  const Name extends string,
  P extends Fields | Schema.Schema.AnyNoContext = {},
  S extends AnySchema = typeof Schema.Void,
  E extends AnySchema = typeof Schema.Never,
  G extends AnySchema = typeof Schema.Never
>(
  name: Name,
  options: Options<P, S, E, G> = {}
): JobClass<Name, P, S, E, G> => {
  const { attempts = 1, error = Schema.Never, losses = 5, progress = Schema.Never, success = Schema.Void } = options
  const given: unknown = options.payload ?? {}
  const struct = Schema.isSchema(given) ? undefined : Schema.Struct(given as Fields) as Schema.Struct<{}>
  const payload = (struct ?? given) as Schema.Schema<unknown, unknown>
  const tag = handlerOf(name)
  class Job {
    static readonly [TypeId] = TypeId
    static readonly jobName = name
    static readonly completed = `${name}.completed`
    static readonly failed = `${name}.failed`
    static readonly progress = `${name}.progress`
    static readonly schemas = {
      payload,
      success,
      failure: Schema.Union(JobError, error as typeof Schema.Never),
      progress
    }
    static readonly settings = {
      attempts,
      losses,
      schedule: options.schedule,
      timeout: spanOf(options.timeout ?? "1 hour"),
      unknown: Object.keys(options).filter((name) => !optionNames.includes(name))
    }
    static readonly of = (value: unknown = {}): Call =>
      call(name, payload, struct === undefined ? value : struct.make(value as {}, { disableValidation: true }))
    static readonly toLayer = (handler: (payload: unknown, run: Run<unknown>) => Effect.Effect<unknown, unknown>) =>
      Layer.effect(
        tag,
        Effect.map(
          Effect.context<never>(),
          (context): Handle => (payload, run) => Effect.provide(Effect.scoped(handler(payload, run)), context)
        )
      )
  }
  // The types of payload, result, error and progress exist only in `JobClass`. At run time all jobs are alike.
  return Job as never
}

const known: Readonly<Record<keyof Options<unknown, unknown, unknown, unknown>, true>> = {
  attempts: true,
  losses: true,
  schedule: true,
  timeout: true,
  payload: true,
  success: true,
  error: true,
  progress: true
}

/**
 * The names of a job's options.
 *
 * @internal
 */
export const optionNames: ReadonlyArray<string> = Object.keys(known)

/** An invalid duration is reported when the definition of the agent that declares the job is checked. */
const spanOf = (timeout: Duration.DurationInput): Duration.Duration =>
  Option.getOrElse(Duration.decodeUnknown(timeout), () => Duration.zero)

const call = (job: string, schema: Schema.Schema<unknown, unknown>, value: unknown): Call =>
  Either.match(encode(schema, value), {
    onLeft: ({ why }) => ({ job, refused: why }),
    onRight: ({ value: payload }) => ({ job, ...(payload !== undefined && { payload }) })
  })

/** True if a value is a job. */
export const isJob = (u: unknown): u is Any => Predicate.hasProperty(u, TypeId) && u[TypeId] === TypeId

/**
 * The Schema of an event that a job raises. The type key marks it as such, because applications must not send the event
 * with `notify`.
 */
export interface JobEventSchema<J, A, I> extends Schema.Schema<A, I> {
  readonly [TypeId]: J
}

type ToldBy<J, S> = S extends Schema.Schema<infer A, infer I> ? JobEventSchema<J, A, I> : never

/** The events that jobs raise: their Schemas by event name, as `on` takes them. */
export type Events<J extends Any> =
  & { readonly [K in J as K["completed"]]: ToldBy<K, K["schemas"]["success"]> }
  & { readonly [K in J as K["failed"]]: ToldBy<K, K["schemas"]["failure"]> }
  & { readonly [K in J as K["progress"]]: ToldBy<K, K["schemas"]["progress"]> }

/** Extracts the jobs that raise the events of a record (Schemas by name). */
export type In<Ev> = {} extends Ev ? unknown
  : { [K in keyof Ev]: Ev[K] extends { readonly [TypeId]: infer J } ? J : never }[keyof Ev]

/** The decoded payload of a job. */
export type PayloadOf<J extends Any> = Schema.Schema.Type<J["schemas"]["payload"]>

/** The services that run these jobs. */
export type HandlersOf<J> = J extends { readonly builtIn: true } ? never
  : J extends { readonly jobName: infer Name extends string } ? Handler<Name>
  : never

/** Returns the names of the events that a job raises. */
export const eventNames = ({ completed, failed, progress }: Any): ReadonlyArray<string> => [completed, failed, progress]

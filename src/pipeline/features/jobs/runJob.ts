/** Runs one job, from the lease until its result is part of the conversation. */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as ScheduleDecision from "effect/ScheduleDecision"
import * as Schema from "effect/Schema"
import { finalizeBestEffort } from "../../../domain/base/finalizeBestEffort.js"
import * as Handlers from "../../../domain/definition/Handlers.js"
import { complaints } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import * as Job from "../../../domain/job/Job.js"
import { JobError } from "../../../domain/job/JobError.js"
import type { Outcome, Told } from "../../../domain/job/StoredJob.js"
import { encode } from "../../../domain/job/Value.js"
import { messageOf } from "../../state/callbacks.js"
import { type Failure, type Runtime, silent } from "../../state/TurnState.js"
import { turn } from "../../turn.js"
import { restOf } from "../due.js"
import { handlerOf } from "./builtin/handlers.js"
import { gone, report } from "./jobs.js"
import type { Leased } from "./lease.js"
import * as Lease from "./lease.js"

/** The settings of a job runner. */
interface Runner {
  /** The handlers of jobs, by their tags. */
  readonly handlers: Context.Context<never>
  /** Duration of a lease on a job before it must be renewed. */
  readonly span: Duration.Duration
}

/** The result of an attempt: the job is over, or is tried again after a delay. */
type Attempt =
  | { readonly _tag: "Over"; readonly outcome: Outcome }
  | { readonly _tag: "Again"; readonly after: Duration.Duration }

/**
 * Runs a leased job and stores its result in a turn of its own. Stops when the lease is lost; when interrupted, gives
 * the job back for another runner. `cancelled` completes when the job was cancelled in this process.
 */
export const runJob = (
  runtime: Runtime,
  runner: Runner,
  leased: Leased,
  cancelled: Effect.Effect<void>
): Effect.Effect<void> => {
  let known: Outcome | undefined = leased.job.outcome
  const prepared = prepare(runtime, runner, leased)
  const stop = Either.isRight(prepared) ? prepared.right.stop : Effect.void
  const attempted = known === undefined
    ? Effect.raceFirst(
      Either.match(prepared, { onLeft: Effect.succeed, onRight: (ready) => attempt(ready, leased) }),
      Effect.as(cancelled, undefined)
    ).pipe(Effect.tap((ended) => ended === undefined ? stop : Effect.void))
    : Effect.succeed<Attempt>({ _tag: "Over", outcome: known })
  const work = Effect.flatMap(attempted, (ended) => {
    if (ended === undefined) return Effect.void
    if (ended._tag === "Again") return again(runtime, leased, ended.after)
    known = ended.outcome
    return conclude(runtime, leased, ended.outcome)
  })
  const keeping = Effect.zipRight(
    lost(runtime, leased, runner.span),
    Effect.flatMap(
      Effect.orElseSucceed(Lease.exists(runtime, leased), () => true),
      (exists) => exists ? Effect.void : stop
    )
  )
  return Effect.raceFirst(work, keeping).pipe(
    // Interruptible only from here, so that an interruption before the job's first step gives the job back too.
    Effect.interruptible,
    Effect.onInterrupt(() =>
      finalizeBestEffort(
        Lease.giveBack(runtime, leased, Duration.zero, known === undefined ? {} : { outcome: known }),
        "A job that was stopped waits until its lease has run out"
      )
    ),
    Effect.annotateLogs({ job: leased.job.name, jobId: leased.job.id, sessionId: leased.sessionId }),
    Effect.withSpan("Job", {
      attributes: {
        agent: runtime.definition.name,
        sessionId: leased.sessionId,
        job: leased.job.name,
        jobId: leased.job.id,
        attempt: leased.job.runs
      },
      captureStackTrace: false
    })
  )
}

/** Renews the lease repeatedly; completes when the lease is lost. */
const lost = (runtime: Runtime, leased: Leased, span: Duration.Duration): Effect.Effect<void> => {
  const once: Effect.Effect<boolean> = Effect.catchAllCause(
    Lease.renew(runtime, leased, span),
    (cause) => Effect.as(Effect.logWarning("A job could not be kept; it is tried again", cause), true)
  )
  const keep: Effect.Effect<void> = Effect.flatMap(
    Effect.delay(once, Duration.times(span, 1 / 3)),
    (had) => had ? keep : Effect.void
  )
  return keep
}

/** An error of running the job, as opposed to the errors that the job declares. */
const jobError = ({ job: { id, name } }: Leased, reason: Job.Reason, why: string): JobError =>
  new JobError({ job: name, jobId: id, reason, what: `job "${name}"`, why, fix: hints[reason] })

const failed = (definition: Job.Any | undefined, leased: Leased, failure: unknown): Attempt => {
  const encoded = Either.getOrElse(encode(definition?.schemas.failure ?? JobError, failure), ({ reason, why }) => ({
    value: Schema.encodeSync(JobError)(jobError(leased, reason, `its failure cannot be stored: ${why}`))
  }))
  return { _tag: "Over", outcome: { _tag: "Failed", ...encoded } }
}

const hints: Readonly<Record<Job.Reason, string>> = {
  unknown: "Provide the Layer that its toLayer makes to JobRunner.layer",
  payload: "Ask for it again with what its payload Schema describes",
  result: "Let the handler give what the job's Schemas encode to JSON",
  too_large: "Store it elsewhere and give its key",
  timeout: "Give the job a longer timeout, or let it do less",
  defect: "See the log of the runner",
  lost: "See what ended the processes that ran it: memory, an exit, a runner that was kept from its store"
}

/** A handler bound to its payload. */
interface Ready {
  readonly definition: Job.Any
  readonly run: Effect.Effect<unknown, unknown>
  /** Stops work that may continue after the handler's fiber has ended; best effort, at most 5 seconds. */
  readonly stop: Effect.Effect<void>
}

/** Returns the handler to run, or the failed attempt if there is none. */
const prepare = (runtime: Runtime, runner: Runner, leased: Leased): Either.Either<Ready, Attempt> => {
  const { job, sessionId } = leased
  const definition = runtime.definition.jobs.get(job.name)
  if (definition === undefined) return Either.left(failed(undefined, leased, gone(job)))
  const fail = (reason: Job.Reason, why: string) =>
    Either.left(failed(definition, leased, jobError(leased, reason, why)))
  const handler = Option.orElse(
    Context.getOption(runner.handlers, Job.handlerOf(job.name)),
    () => Option.fromNullable(handlerOf(runtime, job.name))
  )
  if (Option.isNone(handler)) return fail("unknown", "nothing runs it")
  const payload = Decode.either(definition.schemas.payload as Schema.Schema<unknown, unknown>, {
    errors: "all"
  })(job.payload)
  if (Either.isLeft(payload)) return fail("payload", complaints(payload.left))
  const ended: Job.EndedRun = { jobId: job.id, sessionId, failures: job.failures }
  const run: Job.Run<unknown> = {
    ...ended,
    attempt: job.runs,
    progress: progress(runtime, definition, leased)
  }
  const stop = handler.value.stop ?? (() => Effect.void)
  return Either.right({
    definition,
    run: Effect.suspend(() => handler.value(payload.right, run)),
    stop: Effect.suspend(() => stop(payload.right, ended)).pipe(
      Effect.timeout("5 seconds"),
      Effect.catchAllCause((cause) => Effect.logWarning("What a job has left running could not be stopped", cause))
    )
  })
}

const attempt = ({ definition, run, stop }: Ready, leased: Leased): Effect.Effect<Attempt> => {
  const { settings: { losses, timeout } } = definition
  const fail = (reason: Job.Reason, why: string) => failed(definition, leased, jobError(leased, reason, why))
  const { losses: lost = 0 } = leased.job
  if (lost >= losses) return Effect.as(stop, fail("lost", `${lost} runs of it came to no end`))
  const late = Effect.suspend(() =>
    Effect.fail(jobError(leased, "timeout", `it took longer than ${Duration.format(timeout)}`))
  )
  return run.pipe(
    Effect.timeoutOption(timeout),
    Effect.flatMap(Option.match({ onNone: () => Effect.zipRight(stop, late), onSome: Effect.succeed })),
    Effect.exit,
    Effect.flatMap((exit) =>
      Exit.isSuccess(exit)
        ? Effect.succeed(Either.match(encode(definition.schemas.success, exit.value), {
          onLeft: ({ reason, why }) => fail(reason, `its result cannot be stored: ${why}`),
          onRight: (value): Attempt => ({ _tag: "Over", outcome: { _tag: "Completed", ...value } })
        }))
        : failure(definition, leased, exit.cause)
    )
  )
}

/**
 * Returns the outcome of a failed attempt: another attempt after the schedule's delay, or the failure if no attempts
 * remain.
 */
const failure = (definition: Job.Any, leased: Leased, cause: Cause.Cause<unknown>): Effect.Effect<Attempt> =>
  Effect.gen(function*() {
    const { attempts, schedule } = definition.settings
    const failures = leased.job.failures + 1
    const own = Cause.failureOption(cause)
    if (Option.isNone(own)) yield* Effect.logError(`Job "${definition.jobName}" died`, cause)
    const after = failures < attempts ? yield* delayOf(schedule, failures) : undefined
    if (after !== undefined) return { _tag: "Again", after } as const
    return failed(definition, leased, Option.getOrElse(own, () => defectOf(leased, cause)))
  })

/**
 * Converts a defect to an error. If a handler reported progress that cannot be encoded, the defect already is that
 * error.
 */
const defectOf = (leased: Leased, cause: Cause.Cause<unknown>): JobError => {
  const defect = Cause.squash(cause)
  return defect instanceof JobError ? defect : jobError(leased, "defect", messageOf(cause))
}

const byDefault = Schedule.exponential("1 second")

/** The schedule's delay after this number of failures; `undefined` when the schedule has ended. */
const delayOf = (
  schedule: Schedule.Schedule<unknown, unknown> = byDefault,
  failures: number
): Effect.Effect<Duration.Duration | undefined> =>
  Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const delays = Schedule.delays(schedule)
    let state: unknown = delays.initial
    let delay: Duration.Duration | undefined
    // The state of the schedule is not stored, so the schedule is run from its start.
    for (let n = 0; n < failures; n++) {
      const [next, waits, decision] = yield* delays.step(now, undefined, state)
      if (ScheduleDecision.isDone(decision)) return undefined
      state = next
      delay = waits
    }
    return delay
  })

const again = (runtime: Runtime, leased: Leased, after: Duration.Duration): Effect.Effect<void> =>
  stored(Lease.giveBack(runtime, leased, after, { failures: leased.job.failures + 1 }))

/** Retries a store change up to five times; if it still fails, the lease expires and the job runs again. */
const stored = (change: Effect.Effect<boolean, Failure>): Effect.Effect<void> =>
  change.pipe(
    Effect.retry(Schedule.intersect(Schedule.exponential("1 second"), Schedule.recurs(5))),
    Effect.catchAllCause((cause) => Effect.logWarning("What became of a job could not be stored; it runs again", cause))
  )

/** Runs the turn that reports the job's end. If it fails, keeps the outcome and reports it again later. */
const conclude = (runtime: Runtime, leased: Leased, outcome: Outcome): Effect.Effect<void> =>
  Effect.catchAllCause(
    tell(runtime, leased, outcome),
    (cause) =>
      Effect.gen(function*() {
        const had = yield* Effect.orElseSucceed(Lease.isHeld(runtime, leased), () => true)
        if (!had) return
        const refusals = (leased.job.refusals ?? 0) + 1
        yield* Effect.logWarning("The turn of a job's result failed; it is tried again later", cause)
        yield* stored(Lease.giveBack(runtime, leased, Duration.millis(restOf(refusals)), { outcome, refusals }))
      })
  )

const tell = (runtime: Runtime, { job, lease, sessionId }: Leased, told: Told) =>
  turn(runtime, report(sessionId, { _tag: "Job", jobId: job.id, lease, told }), silent)

/**
 * Reports progress to the readers of the session's feed, and to the handler of the progress event, if there is one. A
 * value that cannot be encoded is a defect of the job's handler.
 */
const progress = (runtime: Runtime, definition: Job.Any, leased: Leased) => {
  let seq = 0
  return (value: unknown): Effect.Effect<void> =>
    Effect.suspend(() => {
      const encoded = encode(definition.schemas.progress, value)
      if (Either.isLeft(encoded)) {
        const { reason, why } = encoded.left
        return Effect.die(jobError(leased, reason, `its progress cannot be told: ${why}`))
      }
      seq++
      const { epoch, job: { id: jobId, name: job, runs: run }, sessionId } = leased
      const event = { _tag: "JobProgress", jobId, job, run, seq, value: encoded.right.value ?? null } as const
      runtime.feed.publish(sessionId, () => Schema.encodeSync(runtime.event)(event), epoch)
      if (!Handlers.isHeard(runtime.definition, definition.progress)) return Effect.void
      return Effect.catchAllCause(
        Effect.asVoid(tell(runtime, leased, { _tag: "Progress", run, seq, ...encoded.right })),
        (cause) => Effect.logWarning("The turn of a job's progress failed; the job goes on", cause)
      )
    })
}

/**
 * Handlers of jobs that continue after a crash: each job runs as a workflow of `@effect/workflow`, whose engine stores
 * the results of its activities. When the process dies, the job is run again, and finished activities are not repeated.
 *
 * Code outside of activities, including `progress`, runs again each time the workflow continues. The engine keeps a
 * failure for good, so the next attempt of a job is a workflow of its own, under the `jobId` and the number of
 * failures; `attempt` counts failures only. If a job is cancelled, times out or is lost, its workflow is interrupted
 * when the engine allows it: the engine in memory at the workflow's next pause. If no process has the job then, the
 * workflow ends by itself and its result is dropped.
 *
 * ```ts
 * import { Activity } from "@effect/workflow"
 * import { Job } from "coxswain"
 * import * as Workflow from "coxswain/layers/workflow"
 * import { Effect, Schema } from "effect"
 *
 * class Report extends Job.make("report", { payload: { city: Schema.String }, success: Schema.String }) {}
 *
 * export const ReportLive = Workflow.toLayer(Report, ({ city }) =>
 *   Effect.gen(function*() {
 *     const facts = yield* Activity.make({
 *       name: "facts",
 *       success: Schema.String,
 *       execute: Effect.succeed(`all about ${city}`)
 *     })
 *     return yield* Activity.make({ name: "write", success: Schema.String, execute: Effect.succeed(facts.toUpperCase()) })
 *   })
 * )
 * ```
 */
import * as Workflow from "@effect/workflow/Workflow"
import { WorkflowEngine, type WorkflowInstance } from "@effect/workflow/WorkflowEngine"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Job from "../../domain/job/Job.js"

/** The input of a workflow in addition to the payload of its job. */
const envelope = { jobId: Schema.String, sessionId: Schema.String, failures: Schema.NonNegativeInt }

/** The key of a workflow is its job and attempt, because an engine keeps a failure under its key for good. */
const keyOf = ({ failures, jobId }: { readonly failures: number; readonly jobId: string }): string =>
  failures === 0 ? jobId : `${jobId}/${failures}`

/** The types of a job's success, failure and progress. */
type Success<J extends Job.Any> = Schema.Schema.Type<J["schemas"]["success"]>
type Failure<J extends Job.Any> = Schema.Schema.Type<J["schemas"]["failure"]>
type Progress<J extends Job.Any> = Schema.Schema.Type<J["schemas"]["progress"]>

/**
 * Provides the handler of a job, like the job's own `toLayer`, and runs the job as a workflow under its `jobId`. The
 * engine runs the handler from its beginning each time it continues, so put every effect into an `Activity`: it runs
 * until it has a result, and later only returns this result.
 *
 * `attempts`, `schedule` and `timeout` are those of the job: the next attempt after a failed one is a new workflow. The
 * engine interrupts an attempt that takes too long, or whose job is cancelled. `attempt` counts failures only, so it is
 * the same each time the handler continues. `progress` is reported only while the handler runs in the process that
 * started the attempt.
 */
export const toLayer = <J extends Job.Any, R = never>(
  job: J,
  handler: (
    payload: Job.PayloadOf<J>,
    run: Job.Run<Progress<J>>
  ) => Effect.Effect<Success<J>, Failure<J>, R>
): Layer.Layer<
  Job.Handler<J["jobName"]>,
  never,
  WorkflowEngine | Exclude<R, WorkflowEngine | WorkflowInstance | Workflow.Execution<string> | Scope.Scope>
> => {
  const { failure, payload, success } = job.schemas as Schemas
  const workflow = Workflow.make({
    name: `coxswain/Job/${job.jobName}`,
    payload: { ...envelope, payload },
    success,
    error: failure,
    idempotencyKey: keyOf
  })
  /** The job runs of this process that wait for the end of a workflow, by the key of the workflow. */
  const waiting = new Map<string, Job.Run<unknown>>()
  const tell = (key: string) => (value: unknown) =>
    Effect.suspend(() => waiting.get(key)?.progress(value) ?? Effect.void)
  const registered = workflow.toLayer(({ failures, jobId, payload, sessionId }) =>
    handler(payload as Job.PayloadOf<J>, {
      jobId,
      sessionId,
      failures,
      attempt: failures + 1,
      progress: tell(keyOf({ failures, jobId }))
    })
  )
  const handling = Effect.map(WorkflowEngine, (engine): Job.Handle => {
    const inEngine = Effect.provideService(WorkflowEngine, engine)
    const handle = (payload: unknown, run: Job.Run<unknown>) => {
      const { failures, jobId, sessionId } = run
      const key = keyOf(run)
      return Effect.sync(() => waiting.set(key, run)).pipe(
        Effect.zipRight(workflow.execute({ failures, jobId, payload, sessionId })),
        Effect.ensuring(Effect.sync(() => waiting.delete(key))),
        inEngine
      )
    }
    const stop = (payload: unknown, { failures, jobId, sessionId }: Job.EndedRun) =>
      workflow.executionId({ failures, jobId, payload, sessionId }).pipe(
        Effect.flatMap(workflow.interrupt),
        inEngine
      )
    return Object.assign(handle, { stop })
  })
  const tag = Job.handlerOf<J["jobName"]>(job.jobName)
  // The engine provides these services to the handler; the compiler cannot exclude them from a type parameter.
  return Layer.merge(registered, Layer.effect(tag, handling)) as ReturnType<typeof toLayer<J, R>>
}

/** The Schemas of a job, with the types that an engine expects. */
interface Schemas {
  readonly payload: Schema.Schema<unknown, unknown>
  readonly success: Schema.Schema<unknown, unknown>
  readonly failure: Schema.Schema<unknown, unknown>
}

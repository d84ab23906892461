/** The jobs of a turn: the jobs that the turn starts and cancels, and the job whose report it answers. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as ErrorMessage from "../../../domain/base/error/ErrorMessage.js"
import { FlowConfigurationError, InvalidRequest } from "../../../domain/base/error/Errors.js"
import { digest, recordOf } from "../../../domain/base/Json.js"
import type { Definition } from "../../../domain/definition/Definition.js"
import type { Directive } from "../../../domain/directive/Directive.js"
import { complaints } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import { ToolExec } from "../../../domain/job/builtin/ToolExec.js"
import type * as Job from "../../../domain/job/Job.js"
import type { Call } from "../../../domain/job/JobCall.js"
import { callsOf } from "../../../domain/job/JobCall.js"
import { JobError } from "../../../domain/job/JobError.js"
import * as StoredJob from "../../../domain/job/StoredJob.js"
import { bytesOf, maxBytes } from "../../../domain/job/Value.js"
import type { Session } from "../../../domain/session/Session.js"
import type { Internal as Logged } from "../../../domain/turn/TurnEntry.js"
import type { Internal, Occurrence } from "../../state/Input.js"
import type { Opened } from "../../state/TurnState.js"
import type { Feature } from "../Feature.js"
import { ofLaterCall } from "../origins/callOrigins.js"

/** The progress or the end of a job, as its runner reports it. The runner must still hold the job's lease. */
export const report = (sessionId: string, logged: Report): Internal => ({
  _tag: "Internal",
  sessionId,
  logged,
  occurrence: (definition, stored) => occurrenceOf(definition, logged, stored)
})

type Report = Extract<Logged, { readonly _tag: "Job" }>

/** Jobs of the library whose reports contain text of another agent or of a model. */
const foreign = new Set(["agent-session", "llm.generate", "llm.stream", ToolExec.jobName])

const occurrenceOf = (
  { jobs }: Definition,
  { jobId, lease, told }: Report,
  stored: Session
): Effect.Effect<Occurrence, InvalidRequest> => {
  const job = StoredJob.held(stored, jobId, lease)
  if (job === undefined) {
    return Effect.fail(
      new InvalidRequest({
        what: `job "${jobId}"`,
        why: "it is over, cancelled, or another runner has it",
        fix: "Nothing needs to be done"
      })
    )
  }
  const { id, name } = job
  const definition = jobs.get(name)
  return Effect.succeed({
    name: definition === undefined ? `${name}.failed` : eventOf(definition, told),
    payload: told.value ?? null,
    value: valueOf(definition, job, told),
    around: { job },
    origin: { kind: "agent", job: name, id },
    isForeign: foreign.has(name),
    ...(name === ToolExec.jobName && { call: callOf(job) }),
    key: digest({ job: id, told }),
    end: (session) => told._tag === "Progress" ? session : StoredJob.remove(session, [id])
  })
}

/** The call of the job that calls a tool. */
const callOf = ({ id, payload }: StoredJob.StoredJob): NonNullable<Occurrence["call"]> => {
  const { callId = id, toolId } = recordOf(payload)
  return { callId: String(callId), toolId: String(toolId) }
}

const eventOf = (job: Job.Any, { _tag }: StoredJob.Told): string =>
  _tag === "Completed" ? job.completed : _tag === "Failed" ? job.failed : job.progress

/**
 * Decodes the reported value for the handler. It may have been stored by another version of the agent, whose Schema
 * differs.
 */
const valueOf = (
  definition: Job.Any | undefined,
  job: StoredJob.StoredJob,
  { _tag, value }: StoredJob.Told
): Occurrence["value"] => {
  if (definition === undefined) return Either.right(gone(job))
  const { failure, progress, success } = definition.schemas
  const schema = _tag === "Completed" ? success : _tag === "Failed" ? failure : progress
  return Either.mapLeft(
    Decode.either(schema as Schema.Schema<unknown, unknown>, { errors: "all" })(value),
    complaints
  )
}

/** The error for a job that the agent no longer declares. */
export const gone = ({ id, name }: StoredJob.StoredJob): JobError =>
  new JobError({
    job: name,
    jobId: id,
    reason: "unknown",
    what: `job "${name}"`,
    why: "the agent has no such job any more",
    fix: "Declare it again in Agent.define, for as long as sessions may still have it"
  })

/** Starts and cancels the jobs of a directive. */
const change = (turn: Opened, directive: Directive): Effect.Effect<void, FlowConfigurationError> =>
  Effect.gen(function*() {
    const calls = callsOf(directive)
    const { cancel = [] } = directive
    const { definition, generateId } = turn.runtime
    yield* Effect.forEach(calls, (call) => check(definition.jobs, call), { discard: true })
    const asked = yield* Effect.forEach(
      calls,
      (call) =>
        Effect.map(
          generateId,
          (id) => ({ ...StoredJob.ask(call, id, definition.name, turn.now), ...originsOf(turn, call) })
        )
    )
    const session = StoredJob.remove(turn.state.session, typeof cancel === "string" ? [cancel] : cancel)
    const jobs = [...session.jobs ?? [], ...asked]
    if (jobs.length > StoredJob.maxJobs) {
      return yield* refused(
        "run",
        `a session has at most ${StoredJob.maxJobs} jobs at once`,
        "Cancel some first, or wait for them"
      )
    }
    const { jobs: _, ...rest } = session
    turn.state.session = jobs.length === 0 ? rest : { ...rest, jobs }
  })

const decodeExec = Decode.either(ToolExec.schemas.payload)

/**
 * The origins of the arguments, for the job that calls a tool. They are computed now, because the data may have changed
 * when the job runs.
 */
const originsOf = (turn: Opened, { job, payload }: Call): Pick<StoredJob.StoredJob, "origins"> => {
  if (job !== ToolExec.jobName) return {}
  const asked = Either.getOrUndefined(decodeExec(payload))
  const tool = turn.runtime.definition.tools.find(({ id }) => id === asked?.toolId)
  const origins = asked && tool && ofLaterCall(turn, tool, asked.arguments)
  return origins === undefined ? {} : { origins }
}

/**
 * Fails if a call names an undeclared job or has an invalid payload. Calls are checked because they may come from
 * outside the process.
 */
const check = (
  jobs: ReadonlyMap<string, Job.Any>,
  { job: name, payload, refused: why }: Call
): Effect.Effect<void, FlowConfigurationError> => {
  const what = `payload of job "${name}"`
  if (why !== undefined) return refused(what, why, "Ask for it with what its payload Schema describes")
  const job = jobs.get(name)
  if (job === undefined) {
    return refused(
      `unknown job "${name}"`,
      `the agent's jobs are ${ErrorMessage.names(jobs.keys())}`,
      "Declare it in the jobs of Agent.define"
    )
  }
  if (payload !== undefined && bytesOf(payload) > maxBytes) {
    return refused(what, `it has more than ${maxBytes} bytes as JSON`, "Store it elsewhere and pass its key")
  }
  const schema = job.schemas.payload as Schema.Schema<unknown, unknown>
  return Either.match(Decode.either(schema, { errors: "all" })(payload), {
    onLeft: (error) => refused(what, complaints(error), "Ask for it with what its payload Schema describes"),
    onRight: () => Effect.void
  })
}

const refused = (what: string, why: string, fix: string) =>
  Effect.fail(FlowConfigurationError.one({ path: "run", what, why, fix }))

export const jobs: Feature = {
  name: "jobs",
  isUsed: (definition) => definition.jobs.size > 0,
  part: "jobs",
  wakeAt: StoredJob.wakeAt,
  directive: { parts: ["run", "cancel"], apply: change },
  inputOf: (logged, sessionId) => logged._tag === "Job" ? report(sessionId, logged) : undefined
}

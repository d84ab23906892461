/** Calls a tool of the agent after all its checks. */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ToolContext } from "../../../../domain/authored/Tool.js"
import * as ErrorMessage from "../../../../domain/base/error/ErrorMessage.js"
import type { Json } from "../../../../domain/base/Json.js"
import type { CompiledTool, Values } from "../../../../domain/definition/Definition.js"
import * as Directive from "../../../../domain/directive/Directive.js"
import { write } from "../../../../domain/fields/Fields.js"
import type { ToolExec } from "../../../../domain/job/builtin/ToolExec.js"
import { ToolExecError } from "../../../../domain/job/builtin/ToolExec.js"
import type * as Job from "../../../../domain/job/Job.js"
import { type FileOfCall, listed, ofCalls } from "../../../../domain/session/part/ToolFile.js"
import { failure, type ToolResult } from "../../../../services/tool/ToolExecutor.js"
import * as Writing from "../../../../services/tool/Writing.js"
import { withWrites } from "../../../state/callbacks.js"
import { placeOf } from "../../../state/files.js"
import type { Failure, Runtime } from "../../../state/TurnState.js"
import { change, dispatch } from "../../../stored/dispatch.js"
import { load, runtimeFor, sessionOf } from "../../../stored/loading.js"
import { inTime, put } from "../../../stored/store.js"
import { gatesOf, journalOf, type OutsideCall } from "../../policies/outsideCalls.js"

type Payload = Job.PayloadOf<typeof ToolExec>

const refused = (toolId: string, reason: ToolExecError["reason"], why: string, fix: string): ToolExecError =>
  new ToolExecError({ toolId, reason, what: `tool "${toolId}"`, why, fix })

const fixes = {
  unknown_tool: "Name a tool of the agent itself",
  invalid: "Send what the tool's parameters describe",
  denied: "Ask for it when the tool permits it",
  needs_approval: "Let the model call it in a conversation, where a person can be asked",
  failed: "See what the tool says",
  timed_out: "Give the call a longer timeout",
  interrupted: "Ask for it again"
} as const

/** Calls a tool of the agent, after the tool's checks. */
export const exec = (runtime: Runtime) => (asked: Payload, { jobId, sessionId }: Job.Run<never>) =>
  Effect.gen(function*() {
    const { toolId } = asked
    const emitted: Array<Directive.Directive> = []
    const context = yield* contextOf(runtime, sessionId, asked.callId ?? jobId, emitted)
    const { directive, files = [], output } = yield* called(runtimeFor(runtime, context.session), asked, context, jobId)
    const failing = Effect.mapError((error: unknown) => refused(toolId, "failed", String(error), fixes.failed))
    if (files.length > 0) {
      yield* failing(list(runtime, sessionId, ofCalls([{ callId: context.callId, toolId, files }])))
    }
    const merged = Directive.mergeAll(directive === undefined ? emitted : [...emitted, directive])
    if (Object.keys(merged).length > 0) yield* failing(dispatch(runtime, sessionId, merged))
    return output
  })

/** Returns the tool with this id; fails if the agent has none, or if the provider runs it. */
const toolOf = ({ definition: { tools } }: Runtime, toolId: string): Effect.Effect<CompiledTool, ToolExecError> => {
  const tool = tools.find(({ hosted, id }) => id === toolId && hosted === undefined)
  if (tool !== undefined) return Effect.succeed(tool)
  const known = ErrorMessage.names(tools.map(({ id }) => id))
  return Effect.fail(refused(toolId, "unknown_tool", `the agent's tools are ${known}`, fixes.unknown_tool))
}

/** Runs the call; fails if a check refuses it, or its outcome is not `ok`. */
const called = (
  runtime: Runtime,
  asked: Payload,
  context: ToolContext<Values, Values>,
  jobId: string
): Effect.Effect<ToolResult, ToolExecError> =>
  Effect.gen(function*() {
    const { definition } = runtime
    const { toolId } = asked
    const tool = yield* toolOf(runtime, toolId)
    const { session } = context
    const origins = session.jobs?.find(({ id }) => id === jobId)?.origins
    const call: OutsideCall = { tool, params: asked.arguments, session, origins }
    const gates = yield* gatesOf(definition, call)
    const journal = journalOf(runtime, call, gates, { id: jobId, callId: context.callId })
    const result = yield* runtime.executor.execute({
      ...gates,
      tool: journal.tool,
      params: asked.arguments,
      context,
      place: placeOf({ runtime, sessionId: session.id }, session.userId),
      timeout: Option.getOrElse(Duration.decodeUnknown(asked.timeout), () => tool.timeout ?? definition.timeouts.tool),
      limits: definition.limits
    }).pipe(
      Effect.catchTag("ToolExecutionError", ({ why }) => Effect.succeed(failure("failed", why)))
    )
    if (result._tag === "ApprovalNeeded") {
      const why = `a person would have to approve it${result.reason === undefined ? "" : `: ${result.reason}`}`
      return yield* refused(toolId, "needs_approval", why, fixes.needs_approval)
    }
    yield* journal.end(result)
    if (result.outcome === "ok") return result
    const reason = journal.isRefused() ? "denied" : reasonOf(result.outcome)
    return yield* refused(toolId, reason, wordsOf(result.output), fixes[reason])
  })

const reasonOf = (outcome: string): keyof typeof fixes => outcome in fixes ? outcome as keyof typeof fixes : "failed"

/** The message of a failure result. */
const wordsOf = (output: Json): string =>
  typeof output === "object" && output !== null && "message" in output ? String(output.message) : JSON.stringify(output)

/** Adds the files of a call to the stored session outside a turn; they replace earlier files of the same call. */
const list = (
  runtime: Runtime,
  sessionId: string,
  files: ReadonlyArray<FileOfCall>
): Effect.Effect<unknown, Failure> =>
  change(runtime, sessionId, (session, updatedAt) => {
    const others = session.files?.filter((one) => !files.some((file) => isOfCall(file, one)))
    return put(runtime, session, { files: listed(others, files), updatedAt })
  })

const isOfCall = (a: Pick<FileOfCall, "callId" | "toolId">, b: Pick<FileOfCall, "callId" | "toolId">): boolean =>
  a.callId === b.callId && a.toolId === b.toolId

/** Returns the tool's context: the session as it is stored now, without a turn. */
const contextOf = (
  runtime: Runtime,
  sessionId: string,
  callId: string,
  emitted: Array<Directive.Directive>
): Effect.Effect<ToolContext<Values, Values>, ToolExecError> =>
  Effect.gen(function*() {
    const { contextProvider } = runtime.definition
    const loaded = yield* inTime(runtime, sessionId)(load(runtime, sessionId, 0))
    const stored = sessionOf(runtime, sessionId, loaded, yield* DateTime.now)
    const session = withWrites(stored, stored.pendingDirective)
    const provided = contextProvider === undefined ? {} : yield* contextProvider
    const emit = (directive: Directive.Directive) => Effect.sync(() => void emitted.push(directive))
    const context = write({ ...session.context }, provided)
    return Writing.through({
      data: session.data,
      context,
      latest: Effect.sync(() => {
        const { contextUpdate = {}, dataUpdate = {} } = Directive.mergeAll(emitted)
        return { data: write(session.data, dataUpdate), context: write(context, contextUpdate) }
      }),
      session,
      history: [],
      parts: [],
      message: "",
      callId,
      step: session.currentFlow === undefined || session.currentStep === undefined
        ? undefined
        : { flowId: session.currentFlow.id, stepId: session.currentStep.id },
      progress: () => Effect.void
    }, emit)
  }).pipe(
    Effect.mapError((error) => refused("tool", "failed", String(error), fixes.failed))
  )

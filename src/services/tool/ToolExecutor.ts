/**
 * Runs every tool call after the same checks: decode, `validateInput`, policies, `checkPermissions`, origins, approval.
 * Replace the service to stub, record, dry-run or sandbox the handlers; the checks stay.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type { ToolContext, ToolOutput } from "../../domain/authored/Tool.js"
import { isToolOutput } from "../../domain/authored/Tool.js"
import { ToolExecutionError } from "../../domain/base/error/Errors.js"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { defaults, type Limits } from "../../domain/base/error/Limits.js"
import { type Json, protoKey, sizeWithin, wellFormed } from "../../domain/base/Json.js"
import * as CallCode from "../../domain/code/callCode.js"
import type { CompiledTool, Values } from "../../domain/definition/Definition.js"
import type { Directive } from "../../domain/directive/Directive.js"
import type { ToolFile } from "../../domain/session/part/ToolFile.js"
import type { AdmittedCall, ApprovalNeeded, ToolInvocation, ToolResult } from "./Gates.js"
import { admit, failure, refusal } from "./Gates.js"
import * as ResultFiles from "./ResultFiles.js"
import { died, jsonOf, ofCause, resultOf, words } from "./ResultText.js"
import * as Writing from "./Writing.js"

export type { AdmittedCall, ApprovalNeeded, ToolInvocation, ToolResult } from "./Gates.js"
export { approvalNeeded, failure, refusedBy, tooDeep } from "./Gates.js"

export interface Service {
  readonly execute: (call: ToolInvocation) => Effect.Effect<ToolResult | ApprovalNeeded, ToolExecutionError>
}

/** An agent runs the handlers unless a layer is provided. */
export class ToolExecutor extends Context.Reference<ToolExecutor>()("coxswain/ToolExecutor", {
  defaultValue: (): Service => make(runHandler)
}) {}

/** Makes an executor that runs the calls that passed all checks with `run`. */
export const make = (run: (call: AdmittedCall) => Effect.Effect<ToolResult, ToolExecutionError>): Service => ({
  execute: (call) =>
    // The checks can always be interrupted, even if an abort waits for the handler.
    Effect.matchEffect(Effect.interruptible(admit({ ...call, context: checked(call) })), {
      onFailure: (refused) => Effect.succeed(refused),
      onSuccess: run
    }).pipe(Effect.map((result) => result._tag === "ToolResult" ? finished(call, result) : result))
})

/** Makes the texts of a result well-formed, and adds the results of the policies. */
const finished = ({ policy }: ToolInvocation, { details, meta, output, ...result }: ToolResult): ToolResult => {
  const policies = policy?.checked()
  return {
    ...result,
    output: wellFormed(output),
    ...(details !== undefined && { details: wellFormed(details) }),
    ...(meta !== undefined && { meta: wellFormed(meta) }),
    ...(policies !== undefined && policies.length > 0 && { policies })
  }
}

/**
 * Returns the call's context. Its `dispatch` and write functions refuse directives and writes that could not be applied
 * later.
 */
const checked = ({ context, tool }: ToolInvocation): ToolContext<Values, Values> =>
  Writing.through(context, (directive) =>
    Effect.suspend(() => {
      const refused = tool.refuses(directive)
      return refused === undefined ? context.dispatch(directive) : Effect.fail(refused)
    }))

/**
 * Runs the handler under its timeout, encodes its result and truncates it. A defect of the handler becomes a result
 * like any failure.
 */
export const runHandler = (call: AdmittedCall): Effect.Effect<ToolResult, ToolExecutionError> => {
  const { args, timeout, tool } = call
  /**
   * The errors of this call's refused writes. If the handler fails with one of them, its other effects have already
   * happened.
   */
  const refusals = new Set<unknown>()
  const context = Writing.through(
    call.context,
    (directive) =>
      Effect.tapError(call.context.dispatch(directive), (error) => Effect.sync(() => void refusals.add(error)))
  )
  const limited = Effect.timeoutOption(Effect.interruptible(tool.handler(args, context)), timeout)
  const contained = Effect.exit(tool.interruptBehavior === "block" ? unstoppable(limited) : limited)
  return Effect.flatMap(contained, (exit) =>
    Exit.match(exit, {
      onFailure: (cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.succeed(failure("interrupted", "the call was interrupted"))
        return Effect.flatMap(ofCause(tool.id, context.callId, cause), (error) =>
          refusals.has(error)
            ? Effect.succeed(unrecorded(tool, tool.isReadOnly(args), error))
            : Cause.isTimeoutException(error)
            ? timedOut(tool, words(error))
            : tool.onFailure === "fail"
            ? failed(tool, words(error), error === died ? undefined : error)
            : Effect.succeed(refusal(tool, "failed", error)))
      },
      onSuccess: Option.match({
        onNone: () => {
          const limit = tool.timeout === undefined ? "timeouts.tool" : "its timeout"
          return timedOut(tool, `the call took longer than ${limit} (${Duration.format(timeout)})`)
        },
        onSome: (value) => result(tool, value, { ...call, callId: context.callId, reads: tool.isReadOnly(args) })
      })
    }))
}

/** Ends a call whose time was over: by the limit of the tool, or by a limit inside of its handler. */
const timedOut = (tool: CompiledTool, why: string): Effect.Effect<ToolResult, ToolExecutionError> =>
  tool.onFailure === "fail" ? failed(tool, why) : Effect.succeed(failure("timed_out", why))

/**
 * Waits for the effect even when interrupted. The effect runs in a daemon fiber, because an interrupted fiber
 * interrupts its children too. The effect itself must be interruptible, so that a timeout can end it.
 */
const unstoppable = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Effect.interruptible(effect)), Fiber.join))

/**
 * Makes the result of a call whose handler has run and whose writes were refused. It tells the model not to repeat the
 * call, unless the call only reads.
 */
export const unrecorded = (tool: CompiledTool, reads: boolean, error: unknown): ToolResult =>
  reads
    ? refusal(tool, "failed", error)
    : refusal(tool, "done_unrecorded", `it was done, do not do it again; what it wrote was refused: ${words(error)}`)

const failed = (tool: CompiledTool, why: string, cause?: unknown): Effect.Effect<never, ToolExecutionError> =>
  Effect.fail(
    new ToolExecutionError({
      toolId: tool.id,
      ...(cause !== undefined && { cause }),
      what: `tool "${tool.id}"`,
      why,
      fix: "Handle the failure in the tool, or let the model see it with onFailure: \"result\""
    })
  )

/** The call whose handler returned the value. */
interface SourceCall extends Partial<Pick<ToolInvocation, "limits" | "place" | "timeout">> {
  readonly callId?: string
  /** True if the call only reads; default `true`. */
  readonly reads?: boolean
}

const output = (
  tool: CompiledTool,
  value: ToolOutput,
  { callId, limits = defaults, place, reads = true, timeout = tool.timeout ?? Duration.seconds(30) }: SourceCall
): Effect.Effect<ToolResult> => {
  const wrong = unfit(tool, value)
  if (wrong !== undefined) {
    return Effect.succeed(value.ok ? unrecorded(tool, reads, wrong) : refusal(tool, "failed", wrong))
  }
  const kept = ResultFiles.keep(tool, value.files ?? [], place, timeout)
  return Effect.matchEffect(tool.interruptBehavior === "block" ? unstoppable(kept) : kept, {
    onFailure: (why) => withoutFiles(tool, value, { callId, limits }, why),
    onSuccess: (files) => Effect.succeed(asked(tool, value, limits, files))
  })
}

/** Makes the result of a handler's value: a `ToolOutput`, or a plain value encoded by the tool's `success` Schema. */
export const result = (
  tool: CompiledTool,
  value: unknown,
  given: SourceCall = {}
): Effect.Effect<ToolResult> => {
  if (isToolOutput(value)) return output(tool, value, given)
  // An error that a handler returns, and does not fail with, is no success either.
  if (value instanceof Error) return Effect.succeed(refusal(tool, "failed", value))
  const { callId } = given
  return Effect.sandbox(Effect.suspend(() => tool.encode(value))).pipe(
    Effect.catchAll((cause) => Effect.flip(Effect.map(ofCause(tool.id, callId, cause), words))),
    Effect.flatMap(resultOf),
    Effect.match({
      onFailure: (why) => refusal(tool, "failed", `the result does not encode: ${why}`),
      onSuccess: (encoded): ToolResult => ({
        _tag: "ToolResult",
        outcome: "ok",
        output: Excerpt.capped(encoded, tool.maxResultSizeChars),
        isFailure: false
      })
    })
  )
}

const isRecorded = (json: Json, max: number): boolean => sizeWithin(json, max) <= max && protoKey(json) === undefined

/**
 * Returns `details` or `meta` as a field for events and records; an empty record if the value is not JSON, has a key
 * `__proto__`, or is too large.
 */
const recorded = (key: "details" | "meta", value: unknown, { toolDetails }: Limits) =>
  Option.match(Option.filter(jsonOf(value), (json) => isRecorded(json, toolDetails)), {
    onNone: () => ({}),
    onSome: (json) => value === undefined ? {} : { [key]: json }
  })

/** Returns the directive of a `ToolOutput`, with its writes. */
const emittedOf = ({ contextUpdate, dataUpdate, directive }: ToolOutput): Directive => ({
  ...directive,
  ...(dataUpdate !== undefined && { dataUpdate: { ...directive?.dataUpdate, ...dataUpdate } }),
  ...(contextUpdate !== undefined && { contextUpdate: { ...directive?.contextUpdate, ...contextUpdate } })
})

const outputKeys: Readonly<Record<keyof ToolOutput, true>> = {
  ok: true,
  outputMessage: true,
  details: true,
  meta: true,
  files: true,
  dataUpdate: true,
  contextUpdate: true,
  directive: true
}

/** Returns the keys of an output that are not keys of `ToolOutput`. */
const unknownOutputKeys = (output: ToolOutput): ReadonlyArray<string> =>
  Object.keys(output).filter((key) => !Object.hasOwn(outputKeys, key))

/**
 * Returns the error in a `ToolOutput`: an unknown key, or a directive that is refused. Such a call counts as failed.
 */
const unfit = (tool: CompiledTool, output: ToolOutput): unknown => {
  const unknown = unknownOutputKeys(output)
  return unknown.length > 0
    ? `the result has ${unknown.join(", ")}, which a ToolOutput has not`
    : tool.refuses(emittedOf(output))
}

const asked = (
  tool: CompiledTool,
  output: ToolOutput,
  limits: Limits,
  files: ReadonlyArray<ToolFile>
): ToolResult => {
  const { details, meta, ok, outputMessage } = output
  const emitted = emittedOf(output)
  return {
    _tag: "ToolResult",
    outcome: ok ? "ok" : "failed",
    output: ResultFiles.named(Excerpt.cut(outputMessage, tool.maxResultSizeChars), files),
    isFailure: !ok,
    ...recorded("details", details, limits),
    ...recorded("meta", meta, limits),
    ...(files.length > 0 && { files }),
    ...(Object.keys(emitted).length > 0 && { directive: emitted })
  }
}

/**
 * Makes the failed result of a call whose files could not be stored. The model also gets the tool's message, so that it
 * does not repeat the call. The tool's writes stay; the rest of its directive is dropped.
 */
const withoutFiles = (
  tool: CompiledTool,
  output: ToolOutput,
  { callId, limits }: { readonly callId: string | undefined; readonly limits: Limits },
  why: string
): Effect.Effect<ToolResult> => {
  const { directive, ...rest } = output
  const writes = Struct.pick(directive ?? {}, "dataUpdate", "contextUpdate")
  const told = asked(tool, { ...rest, directive: writes }, limits, [])
  return Effect.as(
    Effect.annotateLogs(Effect.logWarning(`The files of tool "${tool.id}" were not given: ${why}`), {
      toolId: tool.id,
      callId
    }),
    { ...told, ...refusal(tool, "failed", `its files were not given: ${why}. The tool said: ${output.outputMessage}`) }
  )
}

/** Provides the executor that runs the handlers. */
export const layer: Layer.Layer<ToolExecutor> = Layer.succeed(ToolExecutor, make(runHandler))

/**
 * Provides an executor that does not run destructive tools: it tells the model which call would have been made. Other
 * tools run.
 */
export const layerDryRun: Layer.Layer<ToolExecutor> = Layer.succeed(
  ToolExecutor,
  make((call) => {
    const { args, params, tool } = call
    // A call counts as destructive if `isDestructive` throws.
    return Option.getOrElse(Option.liftThrowable(tool.isDestructive)(args), () => true)
      ? Effect.succeed({
        _tag: "ToolResult",
        outcome: "dry_run",
        output: Excerpt.capped(
          { dryRun: true, wouldCall: tool.id, with: Option.getOrElse(jsonOf(params), () => null) },
          tool.maxResultSizeChars
        ),
        isFailure: false
      })
      : runHandler(call)
  })
)

const withoutServices = CallCode.make(Context.empty())

/**
 * Replaces the handlers of the named tools with functions; the checks stay. A stub that fails counts as a failing
 * handler. Tools without a stub run.
 */
export const layerStub = (
  stubs: Readonly<Record<string, (args: unknown, context: ToolContext<Values, Values>) => unknown>>
): Layer.Layer<ToolExecutor> =>
  Layer.succeed(
    ToolExecutor,
    make((call) => {
      const stub = Object.hasOwn(stubs, call.tool.id) ? stubs[call.tool.id] : undefined
      if (stub === undefined) return runHandler(call)
      const handler = (args: unknown, context: ToolContext<Values, Values>) =>
        withoutServices(`stub:${call.tool.id}`, () => stub(args, context))
      return runHandler({ ...call, tool: { ...call.tool, handler } })
    })
  )

/**
 * The one way to a tool's handler. Every call passes the same gates here: decode, `validateInput`,
 * `checkPermissions`, approval. Swap the service to stub, record, dry-run or sandbox what happens behind them.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Call from "../domain/definition/Call.js"
import type { CompiledTool, Values } from "../domain/definition/Definition.js"
import { type Binding, type Decision, holds } from "../domain/Approval.js"
import type { Directive } from "../domain/Directive.js"
import { ToolExecutionError } from "../domain/Errors.js"
import * as Excerpt from "../domain/Excerpt.js"
import { complaints } from "../domain/Fields.js"
import { canonical, isJson, isShallow, type Json, maxDepth, sizeWithin } from "../domain/Json.js"
import { defaults, type Limits } from "../domain/Limits.js"
import type { Refused, ToolContext, ToolOutcome, ToolOutput } from "../domain/Tool.js"
import { isToolOutput, unknownOutputKeys } from "../domain/Tool.js"

/**
 * A call of the model, about to pass the gates.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolInvocation {
  readonly tool: CompiledTool
  readonly params: unknown
  readonly context: ToolContext<Values, Values>
  /** The limit of the handler. */
  readonly timeout: Duration.Duration
  /** How large arguments and details may be; the defaults of `limits` when absent. */
  readonly limits?: Limits
  /** What a person decided, when one was asked. */
  readonly decision?: Decision & { readonly binding: Binding }
}

/**
 * A call that passed every gate.
 *
 * @since 0.1.0
 * @category models
 */
export interface AdmittedCall extends ToolInvocation {
  /** The decoded arguments, as `validateInput` left them. */
  readonly args: unknown
}

/**
 * The one result of a call.
 *
 * @since 0.1.0
 * @category models
 */
export interface ToolResult {
  readonly _tag: "ToolResult"
  readonly outcome: ToolOutcome
  /** What the model is told. */
  readonly output: Json
  readonly isFailure: boolean
  readonly details?: Json
  readonly meta?: Json
  /** What the handler's `ToolOutput` wants of the turn. */
  readonly directive?: Directive<Values, Values>
}

/**
 * The call waits for a person.
 *
 * @since 0.1.0
 * @category models
 */
export interface ApprovalNeeded {
  readonly _tag: "ApprovalNeeded"
  readonly reason?: string
  /** What the person decides about: the arguments as the handler will see them, as JSON. */
  readonly args: Json
  /** The tool as it is now: a decision holds for no other. */
  readonly fingerprint: string
  /** Whether the person may change the arguments. */
  readonly editable: boolean
  readonly expiresAfter?: Duration.Duration
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly execute: (call: ToolInvocation) => Effect.Effect<ToolResult | ApprovalNeeded, ToolExecutionError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class ToolExecutor extends Context.Tag("coxswain/ToolExecutor")<ToolExecutor, Service>() {}

/**
 * A failure the model can read and correct.
 *
 * @since 0.1.0
 * @category constructors
 */
export const failure = (outcome: ToolOutcome, message: string): ToolResult => ({
  _tag: "ToolResult",
  outcome,
  output: { error: outcome, message },
  isFailure: true
})

/** A typed error as words for the model: its message, never its stack. */
const words = (error: unknown): string => {
  if (ParseResult.isParseError(error)) return complaints(error)
  if (typeof error === "string") return error
  if (Predicate.hasProperty(error, "message") && typeof error.message === "string" && error.message !== "") {
    return error.message
  }
  // A failure that is data, such as one encoded by a toolkit.
  const data = Option.getOrUndefined(jsonOf(error))
  return Predicate.isRecord(data) && Object.keys(data).length > 0
    ? JSON.stringify(data)
    : Predicate.hasProperty(error, "_tag")
    ? String(error._tag)
    : "it failed without a message"
}

/** A value as JSON; none if it cannot be: a bigint, a circle, one nested too deep. */
const jsonOf = (value: unknown): Option.Option<Json> =>
  Option.filter(
    Option.liftThrowable((u: unknown): unknown =>
      isJson(u) || !isShallow(u) ? u : JSON.parse(JSON.stringify(u) ?? "null")
    )(value),
    isJson
  )

type Gate<A> = Effect.Effect<A, ToolResult | ApprovalNeeded>

/**
 * A gate that fails or dies refuses the call: a broken gate never lets anything through. Only a typed failure is told:
 * it was written for the one who called.
 */
const gate = <A>(call: ToolInvocation, effect: Effect.Effect<A, unknown>, outcome: ToolOutcome): Gate<A> =>
  Effect.catchAllCause(
    effect,
    (cause) =>
      Effect.flatMap(
        told(call.tool, call.context.callId, cause),
        (why) => Effect.fail(refusal(call.tool, outcome, why))
      )
  )

/** What is said of a call that died: nothing of the defect, whose text may hold an address, a key or somebody's data. */
const died = "the call failed"

/** What may be said of a failure. A defect is logged with its cause, and said to be no more than a failure. */
const told = (tool: CompiledTool, callId: string | undefined, cause: Cause.Cause<unknown>): Effect.Effect<unknown> => {
  const failure = Cause.failureOption(cause)
  if (Option.isSome(failure)) return Effect.succeed(failure.value)
  if (Cause.isInterruptedOnly(cause)) return Effect.succeed("the call was interrupted")
  return Effect.as(
    Effect.annotateLogs(Effect.logError(`Tool "${tool.id}" died`, cause), { toolId: tool.id, callId }),
    died
  )
}

/** Why arguments are not even decoded. */
const tooLarge = (params: unknown, { toolArguments }: Limits): string | undefined =>
  !isShallow(params)
    ? `the arguments are nested deeper than ${maxDepth} levels, or have too many parts`
    : isJson(params) && sizeWithin(params, toolArguments) === Infinity
    ? `the arguments have more than ${toolArguments} characters`
    : undefined

/** The arguments as they are shown to a person. */
const shown = (args: unknown): Json => Option.getOrElse(jsonOf(args), () => null)

/**
 * A person said yes to this call, of this tool as it is now, with these arguments: those that were shown, or those that
 * they gave themselves and no gate has changed since.
 */
const isGranted = ({ decision, tool }: ToolInvocation, decoded: unknown, args: unknown): boolean => {
  if (decision?.approved !== true) return false
  const { args: given, binding } = decision
  const fingerprint = tool.fingerprint()
  return given === undefined
    ? holds(binding, { fingerprint, args: shown(args) })
    : binding.fingerprint === fingerprint && canonical(shown(decoded)) === canonical(shown(args))
}

const approvalOf = (tool: CompiledTool, args: unknown, need: unknown): ApprovalNeeded => {
  const { edit, expiresAfter, reason } = Predicate.isRecord(need) ? need : {}
  return {
    _tag: "ApprovalNeeded",
    args: shown(args),
    fingerprint: tool.fingerprint(),
    editable: edit === true,
    ...(typeof reason === "string" && { reason }),
    ...Option.match(Duration.decodeUnknown(expiresAfter), {
      onNone: () => ({}),
      onSome: (expiresAfter) => ({ expiresAfter })
    })
  }
}

const admit = (call: ToolInvocation): Gate<AdmittedCall> =>
  Effect.gen(function*() {
    const { context, decision, tool } = call
    const params = decision?.args ?? call.params
    const excess = tooLarge(params, call.limits ?? defaults)
    if (excess !== undefined) yield* Effect.fail(refusal(tool, "invalid", excess))
    const decoded = yield* gate(call, Effect.suspend(() => tool.decode(params)), "invalid")
    const validated = tool.validateInput === undefined
      ? undefined
      : yield* gate(call, tool.validateInput(decoded, context), "invalid")
    const args = validated ?? decoded
    if (tool.checkPermissions !== undefined) {
      const given: unknown = yield* gate(call, tool.checkPermissions(args, context), "denied")
      const permission = Predicate.isRecord(given) ? given : { allowed: given }
      if (permission.allowed !== true) {
        yield* Effect.fail(refusal(tool, "denied", permission.reason ?? "the call is not permitted"))
      }
    }
    if (decision?.approved === false) {
      yield* Effect.fail(refusal(tool, "denied", decision.reason ?? "a person declined the call"))
    }
    const need: unknown = yield* gate(call, tool.needsApproval(args, context), "denied")
    if (need !== false && !isGranted(call, decoded, args)) yield* Effect.fail(approvalOf(tool, args, need))
    return { ...call, args }
  })

/**
 * Whether the gates would hold a call for a person. Runs no handler, and opens no gate: the call passes them again.
 *
 * @since 0.1.0
 * @category running
 */
export const approvalNeeded = (call: ToolInvocation): Effect.Effect<ApprovalNeeded | undefined> =>
  Effect.match(admit(call), {
    onFailure: (refused) => refused._tag === "ApprovalNeeded" ? refused : undefined,
    onSuccess: () => undefined
  })

/**
 * An executor with the gates in front and `run` behind them.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (run: (call: AdmittedCall) => Effect.Effect<ToolResult, ToolExecutionError>): Service => ({
  execute: (call) =>
    // The gates can always be interrupted, also those of a call whose handler an abort waits for.
    Effect.matchEffect(Effect.interruptible(admit({ ...call, context: checked(call) })), {
      onFailure: (refused) => Effect.succeed(refused),
      onSuccess: run
    })
})

/** The call's context, which takes no directive and no write that could not be applied later. */
const checked = ({ context, tool }: ToolInvocation): ToolContext<Values, Values> => {
  const unless = (directive: Directive<Values, Values>, take: Effect.Effect<void, Refused>) =>
    Effect.suspend(() => {
      const refused = tool.refuses(directive)
      return refused === undefined ? take : Effect.fail(refused)
    })
  return {
    ...context,
    dispatch: (directive) => unless(directive, context.dispatch(directive)),
    updateData: (dataUpdate) => unless({ dataUpdate }, context.updateData(dataUpdate)),
    updateContext: (contextUpdate) => unless({ contextUpdate }, context.updateContext(contextUpdate))
  }
}

/**
 * Runs the handler: under its timeout, contained, its result encoded and cut to size.
 *
 * @since 0.1.0
 * @category running
 */
export const runHandler = (call: AdmittedCall): Effect.Effect<ToolResult, ToolExecutionError> => {
  const { args, context, timeout, tool } = call
  const limited = Effect.timeoutOption(Effect.interruptible(tool.handler(args, context)), timeout)
  const contained = Effect.exit(tool.interruptBehavior === "block" ? unstoppable(limited) : limited)
  return Effect.flatMap(contained, (exit) =>
    Exit.match(exit, {
      onFailure: (cause) => {
        if (Cause.isInterruptedOnly(cause)) return Effect.succeed(failure("interrupted", "the call was interrupted"))
        return Effect.flatMap(told(tool, context.callId, cause), (error) =>
          tool.onFailure === "fail"
            ? failed(tool, words(error), error === died ? undefined : error)
            : Effect.succeed(refusal(tool, "failed", error)))
      },
      onSuccess: Option.match({
        onNone: () => {
          const limit = tool.timeout === undefined ? "timeouts.tool" : "its timeout"
          const why = `the call took longer than ${limit} (${Duration.format(timeout)})`
          return tool.onFailure === "fail" ? failed(tool, why) : Effect.succeed(failure("timed_out", why))
        },
        onSome: (value) => result(tool, value, { callId: context.callId, ...(call.limits && { limits: call.limits }) })
      })
    }))
}

/**
 * Waits for the effect even when interrupted. Its fiber is nobody's child: an interrupted fiber tells its children at
 * once, and those that can be interrupted, so that a timeout can end them, would be.
 */
const unstoppable = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.uninterruptible(Effect.flatMap(Effect.forkDaemon(Effect.interruptible(effect)), Fiber.join))

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

/**
 * What a handler's value means: a `ToolOutput`, or a plain value encoded by the tool's `success` Schema.
 *
 * @since 0.1.0
 * @category running
 */
export const result = (
  tool: CompiledTool,
  value: unknown,
  { callId, limits = defaults }: { readonly callId?: string; readonly limits?: Limits } = {}
): Effect.Effect<ToolResult> => {
  if (isToolOutput(value)) return Effect.succeed(asked(tool, value, limits))
  return Effect.sandbox(Effect.suspend(() => tool.encode(value))).pipe(
    Effect.catchAll((cause) => Effect.flip(Effect.map(told(tool, callId, cause), words))),
    Effect.flatMap((encoded) =>
      Option.match(jsonOf(encoded), {
        onNone: () => Effect.fail("it is not JSON"),
        onSome: Effect.succeed
      })
    ),
    Effect.match({
      onFailure: (why) => refusal(tool, "failed", `the result does not encode: ${why}`),
      onSuccess: (encoded): ToolResult => ({
        _tag: "ToolResult",
        outcome: "ok",
        output: capped(encoded, tool.maxResultSizeChars),
        isFailure: false
      })
    })
  )
}

/** What is not JSON, or larger than it may be, reaches no event and no record. */
const recorded = (key: "details" | "meta", value: unknown, { toolDetails }: Limits) =>
  Option.match(Option.filter(jsonOf(value), (json) => sizeWithin(json, toolDetails) <= toolDetails), {
    onNone: () => ({}),
    onSome: (json) => value === undefined ? {} : { [key]: json }
  })

/** A `ToolOutput`, unless something in it means nothing or could not be written: then the call failed. */
const asked = (tool: CompiledTool, output: ToolOutput, limits: Limits): ToolResult => {
  const { contextUpdate, dataUpdate, details, directive, meta, ok, outputMessage } = output
  const unknown = unknownOutputKeys(output)
  if (unknown.length > 0) {
    return refusal(tool, "failed", `the result has ${unknown.join(", ")}, which a ToolOutput has not`)
  }
  const emitted = {
    ...directive,
    ...(dataUpdate !== undefined && { dataUpdate: { ...directive?.dataUpdate, ...dataUpdate } }),
    ...(contextUpdate !== undefined && { contextUpdate: { ...directive?.contextUpdate, ...contextUpdate } })
  }
  const refused = tool.refuses(emitted)
  if (refused !== undefined) return refusal(tool, "failed", refused)
  return {
    _tag: "ToolResult",
    outcome: ok ? "ok" : "failed",
    output: cut(outputMessage, tool.maxResultSizeChars),
    isFailure: !ok,
    ...recorded("details", details, limits),
    ...recorded("meta", meta, limits),
    ...(Object.keys(emitted).length > 0 && { directive: emitted })
  }
}

const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const shown = Excerpt.start(text, max)
  return `${shown}\n[Truncated: ${text.length} chars total, showing first ${shown.length}]`
}

const capped = (value: Json, max: number): Json => {
  if (typeof value === "string") return cut(value, max)
  const text = JSON.stringify(value)
  return text.length <= max ? value : cut(text, max)
}

/** A failure in the words of its error, cut to the tool's size like any other result. */
const refusal = (tool: CompiledTool, outcome: ToolOutcome, error: unknown): ToolResult =>
  failure(outcome, cut(words(error), tool.maxResultSizeChars))

/**
 * Runs the handlers.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer: Layer.Layer<ToolExecutor> = Layer.succeed(ToolExecutor, make(runHandler))

/**
 * Never runs a destructive tool; tells the model what it would have done. Other tools run.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerDryRun: Layer.Layer<ToolExecutor> = Layer.succeed(
  ToolExecutor,
  make((call) => {
    const { args, params, tool } = call
    // A flag that dies is no promise that the call does no harm.
    return Option.getOrElse(Option.liftThrowable(tool.isDestructive)(args), () => true)
      ? Effect.succeed({
        _tag: "ToolResult",
        outcome: "dry_run",
        output: capped(
          { dryRun: true, wouldCall: tool.id, with: Option.getOrElse(jsonOf(params), () => null) },
          tool.maxResultSizeChars
        ),
        isFailure: false
      })
      : runHandler(call)
  })
)

const withoutServices = Call.make(Context.empty())

/**
 * Answers calls of the named tools with fixed values or functions instead of their handlers; the gates stay.
 * A value that fails is a failing handler. Tools without a stub run.
 *
 * @since 0.1.0
 * @category layers
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

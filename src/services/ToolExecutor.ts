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
import type { CompiledTool, Values } from "../domain/definition/Definition.js"
import type { Directive } from "../domain/Directive.js"
import { ToolExecutionError } from "../domain/Errors.js"
import { isJson, type Json } from "../domain/Json.js"
import { isToolOutput, type ToolContext, type ToolOutcome } from "../domain/Tool.js"

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
  /** What a person decided, when one was asked. */
  readonly decision?: { readonly approved: boolean; readonly reason?: string }
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

/** Any error as words for the model: its message, never its stack. */
const words = (error: unknown): string => {
  if (ParseResult.isParseError(error)) {
    return ParseResult.ArrayFormatter.formatErrorSync(error)
      .map(({ message, path }) => path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`)
      .join("; ")
  }
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

/** A value as JSON; none if it cannot be: a bigint, a circle. */
const jsonOf: (value: unknown) => Option.Option<Json> = Option.liftThrowable((value) =>
  isJson(value) ? value : JSON.parse(JSON.stringify(value) ?? "null") as Json
)

type Gate<A> = Effect.Effect<A, ToolResult | ApprovalNeeded>

/** A gate that fails or dies refuses the call: a broken gate never lets anything through. */
const gate = <A>({ tool }: ToolInvocation, effect: Effect.Effect<A, unknown>, outcome: ToolOutcome): Gate<A> =>
  Effect.catchAllCause(effect, (cause) => Effect.fail(refusal(tool, outcome, Cause.squash(cause))))

const permit = (call: ToolInvocation, args: unknown): Gate<void> =>
  Effect.gen(function*() {
    const { context, tool } = call
    if (tool.checkPermissions === undefined) return
    const given: unknown = yield* gate(call, tool.checkPermissions(args, context), "denied")
    const permission = Predicate.isRecord(given) ? given : { allowed: given }
    if (permission.allowed === true) return
    return yield* Effect.fail(refusal(tool, "denied", permission.reason ?? "the call is not permitted"))
  })

const admit = (call: ToolInvocation): Gate<AdmittedCall> =>
  Effect.gen(function*() {
    const { context, decision, params, tool } = call
    let args = yield* gate(call, tool.decode(params), "invalid")
    if (tool.validateInput !== undefined) {
      args = (yield* gate(call, tool.validateInput(args, context), "invalid")) ?? args
    }
    yield* permit(call, args)
    if (decision?.approved === false) {
      yield* Effect.fail(refusal(tool, "denied", decision.reason ?? "a person declined the call"))
    }
    const need: unknown = yield* gate(call, tool.needsApproval(args, context), "denied")
    if (need !== false && decision === undefined) {
      yield* Effect.fail<ApprovalNeeded>({
        _tag: "ApprovalNeeded",
        ...(Predicate.isRecord(need) && typeof need.reason === "string" && { reason: need.reason })
      })
    }
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
    Effect.matchEffect(Effect.interruptible(admit(call)), {
      onFailure: (refused) => Effect.succeed(refused),
      onSuccess: run
    })
})

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
        const error = Cause.squash(cause)
        return tool.onFailure === "fail"
          ? failed(tool, words(error), error)
          : Effect.succeed(refusal(tool, "failed", error))
      },
      onSuccess: Option.match({
        onNone: () => {
          const limit = tool.timeout === undefined ? "timeouts.tool" : "its timeout"
          const why = `the call took longer than ${limit} (${Duration.format(timeout)})`
          return tool.onFailure === "fail" ? failed(tool, why) : Effect.succeed(failure("timed_out", why))
        },
        onSome: (value) => result(tool, value)
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
export const result = (tool: CompiledTool, value: unknown): Effect.Effect<ToolResult> => {
  if (isToolOutput(value)) {
    const { contextUpdate, dataUpdate, details, directive, meta, ok, outputMessage } = value
    const emitted = {
      ...directive,
      ...(dataUpdate !== undefined && { dataUpdate: { ...directive?.dataUpdate, ...dataUpdate } }),
      ...(contextUpdate !== undefined && { contextUpdate: { ...directive?.contextUpdate, ...contextUpdate } })
    }
    return Effect.succeed({
      _tag: "ToolResult",
      outcome: ok ? "ok" : "failed",
      output: cut(outputMessage, tool.maxResultSizeChars),
      isFailure: !ok,
      ...recorded("details", details),
      ...recorded("meta", meta),
      ...(Object.keys(emitted).length > 0 && { directive: emitted })
    })
  }
  return Effect.sandbox(Effect.suspend(() => tool.encode(value))).pipe(
    Effect.mapError((cause) => words(Cause.squash(cause))),
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

/** What is not JSON reaches no event and no record. */
const recorded = (key: "details" | "meta", value: unknown) =>
  value === undefined ? {} : Option.match(jsonOf(value), { onNone: () => ({}), onSome: (json) => ({ [key]: json }) })

/** Never between the halves of a character: a half is no text that a store would take. */
const cut = (text: string, max: number): string => {
  if (text.length <= max) return text
  const last = text.charCodeAt(max - 1)
  const shown = last >= 0xd800 && last <= 0xdbff ? max - 1 : max
  return `${text.slice(0, shown)}\n[Truncated: ${text.length} chars total, showing first ${shown}]`
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
        Effect.suspend(() => {
          const value = stub(args, context)
          return Effect.isEffect(value) ? value as Effect.Effect<unknown, unknown> : Effect.succeed(value)
        })
      return runHandler({ ...call, tool: { ...call.tool, handler } })
    })
  )

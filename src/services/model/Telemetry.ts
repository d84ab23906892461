/**
 * Telemetry of a turn: spans by OpenTelemetry's conventions for generative AI, and metrics. Without a tracer no span is
 * made.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as Predicate from "effect/Predicate"
import * as Tracer from "effect/Tracer"
import { ResponseGenerationError } from "../../domain/base/error/Errors.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { ApprovalNeeded, ToolResult } from "../tool/ToolExecutor.js"
import type { ModelCall, ModelCallRecord } from "./call/ModelCall.js"
import { metrics, tagged } from "./metrics.js"
import { isAiError } from "./ProviderError.js"

/** Marks a tracer that records content too: messages, and the arguments and results of tools. */
const content: unique symbol = Symbol.for("coxswain/Telemetry/content")

/** Returns the tracer, marked to record content too. */
export const withContent = (tracer: Tracer.Tracer): Tracer.Tracer => Object.assign({ ...tracer }, { [content]: true })

const tellsContent = (tracer: Tracer.Tracer): boolean => content in tracer

/** Effect's default tracer, which is used if no tracer is installed. */
const untraced = Context.get(DefaultServices.liveServices, Tracer.Tracer)

const conversationId = "gen_ai.conversation.id"
const providerName = "gen_ai.provider.name"

/**
 * Marks a tracer that removes messages of providers from the failures that end spans. The value is true if the tracer
 * removes the message of every failure.
 */
const wordless: unique symbol = Symbol.for("coxswain/Telemetry/wordless")

/** A failure without its message: it keeps the tag, and the reason if a model failed. */
class Unquoted extends Data.TaggedError("Unquoted")<{ readonly message: string }> {
  constructor(error: unknown) {
    super({ message: error instanceof ResponseGenerationError ? error.reason : "its words are not shown" })
    this.name = tagOf(error)
    this.stack = ""
  }
}

/**
 * Removes the message of a model's failure, because providers quote requests in their errors. With `all`, removes the
 * message of every failure.
 */
const unquoted = (exit: Exit.Exit<unknown, unknown>, all: boolean): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return exit
  const error = Cause.squash(exit.cause)
  return all || error instanceof ResponseGenerationError || isAiError(error)
    ? Exit.fail(new Unquoted(error))
    : exit
}

/** Returns a tracer that removes messages from failures: those of providers, or all with `all`. */
const withoutWords = (tracer: Tracer.Tracer, all: boolean): Tracer.Tracer =>
  tellsContent(tracer) || (wordless in tracer && (!all || tracer[wordless] === true)) ? tracer : Object.assign(
    Tracer.make({
      span: (...given) => {
        const span = tracer.span(...given)
        const end = span.end.bind(span)
        span.end = (time, exit) => end(time, unquoted(exit, all))
        return span
      },
      context: tracer.context
    }),
    { [wordless]: all }
  )

/**
 * Runs a call of a provider's client. The client's own spans fail with the provider's message, which is removed unless
 * the tracer records content.
 */
export const asked = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  traced(effect, (effect, { currentTracer }) => Effect.withTracer(effect, withoutWords(currentTracer, true)))

type Attributes = Readonly<Record<string, unknown>>

/** True if a tracer is installed for this fiber. */
export const isTraced = ({ currentTracer }: Fiber.RuntimeFiber<unknown, unknown>): boolean => currentTracer !== untraced

/** Returns the effect itself, or its traced version if there is a tracer. */
export const traced = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  made: (effect: Effect.Effect<A, E, R>, fiber: Fiber.RuntimeFiber<unknown, unknown>) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.withFiberRuntime<A, E, R>((fiber) =>
    isTraced(fiber)
      ? Effect.withTracer(made(effect, fiber), withoutWords(fiber.currentTracer, false))
      : effect
  )

/** Wraps an effect in a span, and updates metrics when it ends. */
const spanned = <A, E, R>(
  name: string,
  attributes: (content: boolean, around: Tracer.AnySpan | undefined) => Attributes,
  ended: (exit: Exit.Exit<A, E>, content: boolean) => Attributes,
  kind: Tracer.SpanKind,
  measured: (exit: Exit.Exit<A, E>, seconds: number) => Effect.Effect<void> = () => Effect.void
) =>
(
  effect: Effect.Effect<A, E, R>,
  { currentSpan, currentTracer }: Fiber.RuntimeFiber<unknown, unknown>
): Effect.Effect<A, E, R> => {
  const content = tellsContent(currentTracer)
  return Effect.clockWith((clock) => {
    const begin = clock.unsafeCurrentTimeMillis()
    return effect.pipe(
      Effect.onExit((exit) =>
        Effect.zipRight(
          Effect.annotateCurrentSpan(ended(exit, content)),
          measured(exit, (clock.unsafeCurrentTimeMillis() - begin) / 1000)
        )
      ),
      Effect.withSpan(name, { kind, attributes: attributes(content, currentSpan), captureStackTrace: false })
    )
  })
}

const tagOf = (error: unknown): string =>
  Predicate.hasProperty(error, "_tag") && Predicate.isString(error._tag) ? error._tag : "_OTHER"

const errorOf = (exit: Exit.Exit<unknown, unknown>): string =>
  Exit.isSuccess(exit) ? "" : Cause.isInterruptedOnly(exit.cause) ? "interrupted" : tagOf(Cause.squash(exit.cause))

const failed = (exit: Exit.Exit<unknown, unknown>): Attributes =>
  Exit.isSuccess(exit) ? {} : { "error.type": errorOf(exit) }

const turnMetrics =
  (agent: string) => (exit: Exit.Exit<TurnResponse, unknown>, seconds: number): Effect.Effect<void> => {
    const tags = { "gen_ai.agent.name": agent }
    const how = Exit.isSuccess(exit)
      ? { "coxswain.stopped_reason": exit.value.stoppedReason }
      : { "error.type": errorOf(exit) }
    const rejected = Exit.isSuccess(exit) ? exit.value.rejected : []
    return Effect.all([
      Metric.incrementBy(tagged(metrics.turns, { ...tags, ...how }), 1),
      Metric.update(tagged(metrics.turnDuration, tags), seconds),
      Effect.forEach(
        rejected,
        ({ field }) => Metric.incrementBy(tagged(metrics.rejections, { ...tags, "coxswain.field": field }), 1),
        { discard: true }
      ),
      errorOf(exit) === "SessionConflict" ? Metric.incrementBy(tagged(metrics.conflicts, tags), 1) : Effect.void
    ], { discard: true })
  }

const usageOf = ({ usage }: TurnResponse): Attributes => ({
  "gen_ai.usage.input_tokens": usage.inputTokens,
  "gen_ai.usage.output_tokens": usage.outputTokens,
  "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens
})

/** Encodes a message as JSON, in the form of the conventions. */
const messages = (role: "user" | "assistant", text: string): string =>
  JSON.stringify([{ role, parts: [{ type: "text", content: text }] }])

/** Traces a turn. */
export const turn =
  (agent: string, sessionId: string, message: string | undefined) =>
  <E>(effect: Effect.Effect<TurnResponse, E>): Effect.Effect<TurnResponse, E> =>
    traced(effect, spannedTurn<E>(agent, sessionId, message))

const spannedTurn =
  <E>(agent: string, sessionId: string, message: string | undefined) =>
  (effect: Effect.Effect<TurnResponse, E>, fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
    spanned<TurnResponse, E, never>(
      `invoke_agent ${agent}`,
      (content) => ({
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": agent,
        [conversationId]: sessionId,
        ...(content && message !== undefined && { "gen_ai.input.messages": messages("user", message) })
      }),
      (exit, content) =>
        Exit.isSuccess(exit)
          ? {
            ...usageOf(exit.value),
            "coxswain.stopped_reason": exit.value.stoppedReason,
            ...(content && { "gen_ai.output.messages": messages("assistant", exit.value.message) })
          }
          : failed(exit),
      "internal",
      turnMetrics(agent)
    )(effect, fiber)

/** Traces a phase of a turn. */
export const phase = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  traced(effect, spanned<A, E, R>(name, () => ({ "coxswain.phase": name }), failed, "internal"))

/** The record of an attempt at a model call; set when the attempt is reported. */
interface Attempted {
  record: ModelCallRecord | undefined
}

const attempted = ({ record }: Attempted): Attributes =>
  record === undefined ? {} : {
    "gen_ai.response.finish_reasons": [record.finishReason],
    "gen_ai.usage.input_tokens": record.usage.inputTokens,
    "gen_ai.usage.output_tokens": record.usage.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": record.usage.cachedInputTokens,
    ...(record.cacheWriteTokens !== undefined &&
      { "gen_ai.usage.cache_creation.input_tokens": record.cacheWriteTokens }),
    ...(record.responseId !== undefined && { "gen_ai.response.id": record.responseId }),
    ...(record.failure !== undefined && { "error.type": record.failure.reason })
  }

/** Traces an attempt at a model call, which is reported when it ends. */
export const attempt = <A, E>(
  model: string,
  call: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>,
  run: (report: (record: ModelCallRecord) => Effect.Effect<void>) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiberRuntime((fiber) =>
    isTraced(fiber)
      ? Effect.withTracer(spannedAttempt(model, call, report, run, fiber), withoutWords(fiber.currentTracer, false))
      : run(report)
  )

const spannedAttempt = <A, E>(
  model: string,
  { purpose }: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>,
  run: (report: (record: ModelCallRecord) => Effect.Effect<void>) => Effect.Effect<A, E>,
  fiber: Fiber.RuntimeFiber<unknown, unknown>
): Effect.Effect<A, E> => {
  const ended: Attempted = { record: undefined }
  const tags = { "gen_ai.operation.name": "chat", "gen_ai.request.model": model }
  const effect = run((record) => {
    ended.record = record
    return report(record)
  })
  return spanned<A, E, never>(
    `chat ${model}`,
    (_, around) => ({ ...tags, "coxswain.purpose": purpose, ...conversationOf(around) }),
    () => attempted(ended),
    "client",
    (_, seconds) => Effect.flatMap(providerTag, (provider) => measureCall({ ...tags, ...provider }, ended, seconds))
  )(effect, fiber)
}

const measureCall = (
  tags: Readonly<Record<string, string>>,
  { record }: Attempted,
  seconds: number
): Effect.Effect<void> => {
  const how = record?.failure === undefined ? tags : { ...tags, "error.type": record.failure.reason }
  const counted = (type: "input" | "output", tokens: number | undefined) =>
    tokens === undefined
      ? Effect.void
      : Metric.update(tagged(metrics.tokens, { ...tags, "gen_ai.token.type": type }), tokens)
  return Effect.all([
    Metric.update(tagged(metrics.operations, how), seconds),
    counted("input", record?.usage.inputTokens),
    counted("output", record?.usage.outputTokens)
  ], { discard: true })
}

/** The provider's name, as recorded on the current span. */
const providerTag: Effect.Effect<Readonly<Record<string, string>>> = Effect.currentSpan.pipe(
  Effect.map((span) => span.attributes.get(providerName)),
  Effect.map((name): Record<string, string> => Predicate.isString(name) ? { [providerName]: name } : {}),
  Effect.orElseSucceed(() => ({}))
)

/**
 * Returns the id of the turn's conversation as attributes. The span of a model call has them too, so that a search can
 * find it without the turn's span.
 */
const conversationOf = (around: Tracer.AnySpan | undefined): Attributes => {
  for (const at of outwards(around)) {
    const id = at.attributes.get(conversationId)
    if (id !== undefined) return { [conversationId]: id }
  }
  return {}
}

/** Traces a tool call. */
export const tool = <E>(
  call: { readonly id: string; readonly name: string; readonly params: unknown },
  run: Effect.Effect<ToolResult | ApprovalNeeded, E>
): Effect.Effect<ToolResult | ApprovalNeeded, E> => {
  const outcomeOf = (exit: Exit.Exit<ToolResult | ApprovalNeeded, E>): string =>
    Exit.isFailure(exit) ? errorOf(exit) : exit.value._tag === "ApprovalNeeded" ? "needs_approval" : exit.value.outcome
  const made = spanned<ToolResult | ApprovalNeeded, E, never>(
    `execute_tool ${call.name}`,
    (content) => ({
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": call.name,
      "gen_ai.tool.call.id": call.id,
      "gen_ai.tool.type": "function",
      ...(content && { "gen_ai.tool.call.arguments": JSON.stringify(call.params) })
    }),
    (exit, content) => ({
      "coxswain.outcome": outcomeOf(exit),
      ...(Exit.isSuccess(exit) && exit.value._tag === "ToolResult" && {
        ...(exit.value.isFailure && { "error.type": exit.value.outcome }),
        ...(content && { "gen_ai.tool.call.result": JSON.stringify(exit.value.output) })
      }),
      ...failed(exit)
    }),
    "internal",
    (exit) =>
      Metric.incrementBy(
        tagged(metrics.toolCalls, { "gen_ai.tool.name": call.name, "coxswain.outcome": outcomeOf(exit) }),
        1
      )
  )
  return traced(run, made)
}

/** Records the provider's name on the span and on the spans around it, up to the span of the model call. */
export const provider = (span: Tracer.AnySpan, name: string): void => {
  for (const at of outwards(span)) {
    at.attribute(providerName, name)
    if (at.name.startsWith("chat ")) return
  }
}

/** Yields the span and its ancestors, the innermost first. */
const outwards = function*(span: Tracer.AnySpan | undefined): Generator<Tracer.Span> {
  for (let at = span; at?._tag === "Span";) {
    yield at
    at = at.parent._tag === "Some" ? at.parent.value : undefined
  }
}

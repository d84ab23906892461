/**
 * Calls a `LanguageModel` and passes every part of its answer to the reducer: through the model's `Wire` if it has one,
 * otherwise through its methods.
 */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import { CurrentSpanTransformer } from "@effect/ai/Telemetry"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Chunk from "effect/Chunk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import { isParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { Span } from "effect/Tracer"
import { locallyFast } from "../../../domain/base/FiberRefs.js"
import * as Memo from "../../../domain/base/Memo.js"
import * as PullStream from "../../../domain/base/PullStream.js"
import * as ProviderError from "../ProviderError.js"
import * as Telemetry from "../Telemetry.js"
import type { AnyPart, Reducer } from "./Answer.js"
import type { ModelCall, OfferedTool } from "./ModelCall.js"
import { toolSchema, vendorSchema } from "./VendorSchema.js"
import * as Wire from "./Wire.js"

export interface ProviderCall {
  readonly service: LanguageModel.Service
  readonly call: ModelCall
  readonly reducer: Reducer
  /** Adds the parts to the reducer, and passes the pieces of a streamed answer to its consumer. */
  hand(parts: Iterable<AnyPart>): Effect.Effect<void>
}

/**
 * Converts a defect of the provider to a failure of the call. A defect of the code that consumes the answer stays a
 * defect.
 */
const alive = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Error, R> =>
  Effect.catchAllDefect(effect, (defect) => Effect.fail(ProviderError.ofDefect(defect)))

const made = new WeakMap<object, { readonly offered: OfferedTool; readonly tool: Tool.Any }>()

/**
 * Makes a tool that is known only at run time. Caches the tool by its schema, because an agent offers the same tools
 * with every call.
 */
const toolOf = (offered: OfferedTool): Tool.Any => {
  if (offered.hosted !== undefined) return offered.hosted
  const { description, jsonSchema, name } = offered
  const known = made.get(jsonSchema)
  if (known !== undefined && known.offered.name === name && known.offered.description === description) return known.tool
  const parameters = Schema.Unknown.annotations({ jsonSchema: toolSchema(jsonSchema) })
  const tool = Tool.make(name, { description, success: Schema.Unknown, failure: Schema.Unknown })
    // Accepts any arguments, because the caller decodes them. The type requires a struct, but the library uses this
    // Schema only to decode.
    .setParameters(parameters as never)
  made.set(jsonSchema, { offered, tool })
  return tool
}

/** Makes a toolkit that only offers tools to the model: the caller runs them. */
const toolkitOf = (offered: ReadonlyArray<OfferedTool>): Toolkit.WithHandler<Record<string, Tool.Any>> => ({
  tools: Object.fromEntries(offered.map((tool) => [tool.name, toolOf(tool)])),
  handle: (name) => Effect.dieMessage(`tool "${name}" is not run by the model`)
})

/**
 * Returns a Schema for an object of this JSON schema; the reducer reads the object itself. Made and compiled once per
 * JSON schema, because an agent asks the same questions again and again.
 */
const objectOf = Memo.weak((schema: object) =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ jsonSchema: vendorSchema(schema) })
)

/**
 * If the model calls an unknown tool, `LanguageModel` fails with an error that contains the parts of the answer.
 * Returns these parts, so that the caller can answer the call with a failure.
 */
const madeUpCall = (error: unknown, offered: ReadonlyArray<OfferedTool>): ReadonlyArray<AnyPart> | undefined => {
  if (!ProviderError.isAiError(error) || error._tag !== "MalformedOutput" || !isParseError(error.cause)) {
    return undefined
  }
  const actual = "actual" in error.cause.issue ? error.cause.issue.actual : undefined
  const parts: ReadonlyArray<AnyPart> = Chunk.isChunk(actual)
    ? Chunk.toReadonlyArray(actual as Chunk.Chunk<AnyPart>)
    : Array.isArray(actual)
    ? actual
    : []
  return parts.some((part) => part.type === "tool-call" && !offered.some((tool) => tool.name === part.name))
    ? parts
    : undefined
}

/** True if the answer is streamed. */
export const isStreamed = ({ json, onPart }: ModelCall): boolean => onPart !== undefined && json === undefined

type Parts = PullStream.Pull<AnyPart, unknown>

/**
 * Lets readers of the stream handle its last piece, and possibly disconnect, before the answer is used: the first yield
 * wakes them, the second lets them run. The turn does not wait longer, because a slow reader would delay it. If a
 * reader disconnects later, the turn is stored.
 */
const readersFirst = Effect.zipRight(Effect.yieldNow(), Effect.yieldNow())

const streaming = (
  asking: ProviderCall,
  begun: Effect.Effect<Parts, unknown, Scope.Scope>
): Effect.Effect<void, unknown> => {
  const { reducer } = asking
  const read = (pull: Parts): Effect.Effect<void, unknown> => {
    const next: Parts = Effect.catchAllDefect(
      pull,
      (defect) => Effect.fail(Option.some(ProviderError.ofDefect(defect)))
    )
    const on: Effect.Effect<void, unknown> = Effect.matchEffect(next, {
      onFailure: Option.match({ onNone: () => readersFirst, onSome: Effect.fail }),
      onSuccess: (parts) => {
        const handed = asking.hand(parts)
        const { error } = reducer
        return Effect.zipRight(handed, error === undefined ? on : Effect.fail(error.error))
      }
    })
    return on
  }
  return Effect.acquireUseRelease(
    Scope.make(),
    (scope) => Scope.extend(Effect.flatMap(alive(begun), read), scope),
    // The consumer already has the whole answer, so a failure to close the stream is only logged.
    (scope, exit) =>
      Effect.catchAllCause(
        Scope.close(scope, exit),
        (cause) => Effect.logWarning("A provider's client died while its stream was closed", cause)
      )
  )
}

const byService = (asking: ProviderCall): Effect.Effect<void, unknown> => {
  const { call, reducer, service } = asking
  const offered = call.tools ?? []
  const options = {
    prompt: call.prompt,
    ...(offered.length > 0 && { toolkit: toolkitOf(offered), toolChoice: call.toolChoice ?? "auto" }),
    disableToolCallResolution: true as const
  }
  const add = (parts: Iterable<AnyPart>) => {
    for (const part of parts) reducer.add(part)
  }
  const recover = (error: unknown): Effect.Effect<void, unknown> => {
    const parts = madeUpCall(error, offered)
    if (parts === undefined) return Effect.fail(error)
    return Effect.map(asking.hand(parts), () => {
      // A stream ends at the refused part. The parts after it are lost, including the finish part, so its reason is set
      // here.
      reducer.finishReason ??= "tool-calls"
    })
  }
  const { json } = call
  if (json !== undefined) {
    // If the object does not parse, `generateObject` drops the parts, and with them the usage and any JSON inside a
    // Markdown fence. The span transformer gets the parts before that.
    const seeing = locallyFast(FiberRef.currentContext, (context) => {
      const outer = Context.getOption(context, CurrentSpanTransformer)
      return Context.add(context, CurrentSpanTransformer, (seen) => {
        add(seen.response)
        if (Option.isSome(outer)) {
          outer.value(seen)
        }
      })
    })
    return Effect.catchAll(
      alive(
        seeing(
          Effect.suspend(() =>
            service.generateObject({ ...options, objectName: json.name, schema: objectOf(json.schema) })
          )
        )
      ),
      (error) => reducer.started || reducer.finishReason !== undefined ? Effect.void : recover(error)
    )
  }
  return isStreamed(call)
    ? Effect.catchAll(streaming(asking, Effect.suspend(() => PullStream.open(service.streamText(options)))), recover)
    : alive(Effect.suspend(() => service.generateText(options))).pipe(
      Effect.map((response) => add(response.content)),
      Effect.catchAll(recover)
    )
}

const offeredOn = (tool: OfferedTool): OfferedTool => {
  const jsonSchema = toolSchema(tool.jsonSchema)
  return jsonSchema === tool.jsonSchema ? tool : { ...tool, jsonSchema }
}

/** Calls the provider through its `Wire`. Makes a span only if there is a tracer. */
const byWire = (wire: Wire.Wire, asking: ProviderCall, isTraced: boolean): Effect.Effect<void, unknown> => {
  const { call, reducer } = asking
  const { json, options, prompt } = call
  const tools = (call.tools ?? []).map(offeredOn)
  const streamed = isStreamed(call)
  const ask = (span: Span | undefined) => {
    const question: Wire.Question = {
      purpose: call.purpose,
      prompt,
      tools,
      span,
      ...(options !== undefined && { options }),
      toolChoice: tools.length === 0 ? "none" : call.toolChoice ?? "auto",
      ...(json !== undefined && { json: { name: json.name, schema: vendorSchema(json.schema) } })
    }
    return streamed
      ? streaming(asking, Effect.suspend(() => wire.stream(question)))
      : Effect.map(alive(wire.whole(question)), (parts) => {
        for (const part of parts) reducer.add(part)
      })
  }
  if (!isTraced) return ask(undefined)
  const method = json !== undefined ? "generateObject" : streamed ? "streamText" : "generateText"
  return Effect.useSpan(
    `LanguageModel.${method}`,
    { captureStackTrace: false },
    (span) => Effect.withParentSpan(ask(span), span)
  )
}

const untraced = locallyFast(FiberRef.currentTracerEnabled, () => false)

/** Runs the call until all parts of the answer are in the reducer. */
export const execute = (given: ProviderCall): Effect.Effect<void, unknown> => {
  const wire = Wire.of(given.service)
  const { options } = given.call
  return Effect.withFiberRuntime((fiber) => {
    const isTraced = Telemetry.isTraced(fiber)
    // `LanguageModel` makes a span for each call, even without a tracer.
    if (wire === undefined) return isTraced ? byService(given) : untraced(byService(given))
    // Span transformers need the options of `LanguageModel`, which exist only when its methods are called.
    return Option.isSome(Context.getOption(fiber.currentContext, CurrentSpanTransformer))
      ? Effect.provideService(byService(given), Wire.WireOptions, options === undefined ? {} : { options })
      : byWire(wire, given, isTraced)
  })
}

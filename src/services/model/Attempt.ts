/**
 * One attempt at a model call: asks a `LanguageModel`, reduces what comes, keeps the limits, and turns whatever goes
 * wrong into the one typed failure.
 *
 * @since 0.1.0
 */
import * as AiError from "@effect/ai/AiError"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import { CurrentSpanTransformer } from "@effect/ai/Telemetry"
import * as Tool from "@effect/ai/Tool"
import type * as Toolkit from "@effect/ai/Toolkit"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { isParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { ResponseGenerationError } from "../../domain/Errors.js"
import type { ModelAnswer, ModelCall, ModelCallRecord, OfferedTool } from "../Model.js"
import type { AnyPart } from "./Answer.js"
import { Reducer } from "./Answer.js"
import { classify, make as failure } from "./Failure.js"

/** A toolkit of tools that are known only at run time. They are offered, never run: the caller runs them. */
const toolkitOf = (offered: ReadonlyArray<OfferedTool>): Toolkit.WithHandler<Record<string, Tool.Any>> => {
  const tools: Record<string, Tool.Any> = {}
  for (const { description, jsonSchema, name } of offered) {
    const parameters = Schema.Unknown.annotations({ jsonSchema })
    tools[name] = Tool.make(name, { description, success: Schema.Unknown, failure: Schema.Unknown })
      // Any arguments are let through. The types ask for a struct; what reads them only ever decodes with them.
      .setParameters(parameters as unknown as Schema.Struct<{}>)
  }
  return { tools, handle: (name) => Effect.dieMessage(`tool "${name}" is not run by the model`) }
}

const objectOf = (schema: object) =>
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({ jsonSchema: schema })

/**
 * `LanguageModel` refuses an answer that calls a tool nobody offered. The raw parts are in the refusal: they are
 * taken out, so that the caller can answer such a call like any other that fails.
 */
const madeUpCall = (error: unknown, offered: ReadonlyArray<OfferedTool>): ReadonlyArray<AnyPart> | undefined => {
  if (!AiError.isAiError(error) || error._tag !== "MalformedOutput" || !isParseError(error.cause)) return undefined
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

const nothing = Effect.void

type Failing = Effect.Effect<void, AiError.AiError | ResponseGenerationError>

/**
 * Asks `service` once. Fails with what the call must not be repeated for, or may: see `retryable`.
 *
 * @since 0.1.0
 * @category combinators
 */
export const attempt = (
  service: LanguageModel.Service,
  model: string,
  call: ModelCall,
  report: (record: ModelCallRecord) => Effect.Effect<void>
): Effect.Effect<ModelAnswer, ResponseGenerationError> =>
  Effect.flatMap(Clock.currentTimeMillis, (begin) => {
    const reducer = new Reducer()
    const { json, limits, onPart, prompt, purpose } = call
    const offered = call.tools ?? []
    const streams = onPart !== undefined && json === undefined
    /** Time the consumer took: the model is not to blame for it. */
    let held = 0
    let holding: number | undefined

    const options = {
      prompt,
      ...(offered.length > 0 && { toolkit: toolkitOf(offered) }),
      disableToolCallResolution: true as const
    }
    const fail = (error: unknown) => Effect.flip(classify(error, purpose, model))
    const add = (parts: Iterable<AnyPart>) => {
      for (const part of parts) reducer.add(part)
    }
    const hand = (parts: Iterable<AnyPart>): Effect.Effect<void> => {
      let handed = nothing
      for (const part of parts) {
        const shown = reducer.add(part)
        if (shown !== undefined && onPart !== undefined) {
          handed = handed === nothing ? onPart(shown) : Effect.zipRight(handed, onPart(shown))
        }
      }
      if (handed === nothing) return nothing
      return Effect.flatMap(Clock.currentTimeMillis, (from) => {
        holding = from
        return Effect.zipRight(
          handed,
          Effect.map(Clock.currentTimeMillis, (to) => {
            holding = undefined
            held += to - from
          })
        )
      })
    }
    const recover = (error: AiError.AiError): Effect.Effect<void, AiError.AiError> => {
      const parts = madeUpCall(error, offered)
      if (parts === undefined) return Effect.fail(error)
      return Effect.map(hand(parts), () => {
        // A stream ends at the refused part: what came after it, the finish part too, is lost.
        reducer.finishReason ??= "tool-calls"
      })
    }

    const whole = Effect.suspend(() => service.generateText(options)).pipe(
      Effect.map((response) => add(response.content)),
      Effect.catchAll(recover)
    )
    const streamed = Stream.runForEachChunk(Stream.suspend(() => service.streamText(options)), (chunk): Failing => {
      const handed = hand(chunk)
      const { error } = reducer
      return error === undefined ? handed : Effect.zipRight(handed, fail(error.error))
    }).pipe(
      Effect.catchAll((error): Failing => AiError.isAiError(error) ? recover(error) : Effect.fail(error))
    )
    // `generateObject` drops the parts when the object does not parse, and with them the usage and fenced JSON. The
    // span transformer sees the parts before that.
    const object = (json: NonNullable<ModelCall["json"]>) =>
      Effect.flatMap(Effect.serviceOption(CurrentSpanTransformer), (outer) =>
        Effect.suspend(() =>
          service.generateObject({ ...options, objectName: json.name, schema: objectOf(json.schema) })
        ).pipe(
          Effect.provideService(CurrentSpanTransformer, (seen) => {
            add(seen.response)
            if (Option.isSome(outer)) {
              outer.value(seen)
            }
          }),
          Effect.catchAll((error) =>
            reducer.started || reducer.finishReason !== undefined ? nothing : recover(error)
          )
        ))

    const expire = (limit: keyof ModelCall["limits"], what: string) =>
      Effect.fail(failure({
        purpose,
        model,
        reason: "timeout",
        why: `${what} within timeouts.${limit} (${Duration.format(limits[limit])})`
      }))
    const limit = Duration.toMillis(limits.model)
    const whileUnfinished: Effect.Effect<never, ResponseGenerationError> = Effect.flatMap(
      Clock.currentTimeMillis,
      (now) => {
        const left = limit - (now - begin - held - (holding === undefined ? 0 : now - holding))
        return left > 0
          ? Effect.zipRight(Effect.sleep(Duration.millis(left)), whileUnfinished)
          : expire("model", "no complete answer came")
      }
    )
    const deadline = streams && Duration.lessThan(limits.firstToken, limits.model)
      ? Effect.zipRight(
        Effect.sleep(limits.firstToken),
        Effect.suspend(() => reducer.started ? whileUnfinished : expire("firstToken", "no first token came"))
      )
      : whileUnfinished

    const asked: Effect.Effect<void, unknown> = json !== undefined ? object(json) : streams ? streamed : whole
    // As values: a fiber that fails is logged as unhandled, whoever waits for it.
    const answered = Effect.either(asked)
    const bounded = streams
      ? Effect.raceFirst(answered, Effect.either(deadline))
      // Nobody can hold a whole answer up: the plain limit will do, and is the cheaper race.
      : Effect.flatten(
        Effect.timeoutTo(answered, {
          duration: limits.model,
          onSuccess: (result): Effect.Effect<Either.Either<void, unknown>> => Effect.succeed(result),
          onTimeout: () => Effect.either(deadline)
        })
      )
    return bounded.pipe(
      Effect.flatten,
      Effect.catchAll(fail),
      Effect.flatMap(() =>
        Either.mapLeft(reducer.answer(json !== undefined), (no) => failure({ purpose, model, ...no }))
      ),
      Effect.tapBoth({
        onSuccess: ({ finishReason, usage }) => report({ purpose, model, finishReason, usage }),
        onFailure: ({ reason, why }) =>
          report({ purpose, model, finishReason: "error", failure: { reason, message: why }, usage: reducer.usage })
      }),
      Effect.onInterrupt(() => report({ purpose, model, finishReason: "interrupted", usage: reducer.usage }))
    )
  })

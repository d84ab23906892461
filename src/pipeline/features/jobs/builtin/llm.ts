/** The handlers of the jobs that call models. */
import * as Prompt from "@effect/ai/Prompt"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ModelOptions } from "../../../../domain/authored/ModelOptions.js"
import type { ResponseGenerationError } from "../../../../domain/base/error/Errors.js"
import { isJson } from "../../../../domain/base/Json.js"
import type { LlmDelta, LlmEmbed, LlmGenerate, LlmResult } from "../../../../domain/job/builtin/Llm.js"
import type * as Job from "../../../../domain/job/Job.js"
import { classify, make as failure } from "../../../../services/model/call/CallFailure.js"
import type { ModelAnswer, ModelCall } from "../../../../services/model/call/ModelCall.js"
import { Embedding } from "../../../../services/model/Embedding.js"
import { ModelAliases } from "../../../../services/model/Model.js"
import type { Runtime } from "../../../state/TurnState.js"

type Payload = Job.PayloadOf<typeof LlmGenerate>
type Result = typeof LlmResult.Type

/**
 * Returns the token limit and the temperature under the option names of every provider. Each model reads only its own
 * options.
 */
const optionsOf = ({ maxTokens, temperature }: Payload): ModelOptions =>
  ({
    openai: { max_output_tokens: maxTokens, temperature },
    openaiCompatible: { max_tokens: maxTokens, temperature },
    anthropic: { max_tokens: maxTokens, temperature },
    google: { generationConfig: { maxOutputTokens: maxTokens, temperature } }
    // Provider layers add their options to this type by declaration merging. All options are set here, whichever layers
    // are imported.
  }) as ModelOptions

const promptOf = ({ messages, systemPrompt }: Payload): Prompt.Prompt =>
  Prompt.make([
    ...(systemPrompt === undefined ? [] : [{ role: "system" as const, content: systemPrompt }]),
    ...messages
  ])

const callOf = ({ definition }: Runtime, asked: Payload): ModelCall => {
  const { model, timeout, toolChoice, tools } = asked
  const given = Duration.decodeUnknown(timeout)
  const limits = Option.match(given, {
    onNone: () => ({ firstToken: definition.timeouts.firstToken, model: definition.timeouts.model }),
    onSome: (limit) => ({ firstToken: limit, model: limit })
  })
  return {
    purpose: "speak",
    ...(model !== undefined && { alias: model }),
    prompt: promptOf(asked),
    ...(tools !== undefined && {
      tools: tools.map(({ description, name, parameters }) => ({
        name,
        ...(description !== undefined && { description }),
        jsonSchema: parameters ?? { type: "object", properties: {} }
      }))
    }),
    toolChoice,
    options: optionsOf(asked),
    limits
  }
}

const resultOf = ({ finishReason, text, toolCalls, usage }: ModelAnswer): Result => ({
  text,
  toolCalls: toolCalls.map(({ id, name, params }) => ({ id, name, params: isJson(params) ? params : null })),
  usage,
  finishReason
})

const refused = (why: string): ResponseGenerationError =>
  failure({ purpose: "speak", model: "job", reason: "invalid_request", why })

const ask = (runtime: Runtime, call: ModelCall): Effect.Effect<Result, ResponseGenerationError> =>
  runtime.model.ask(call).pipe(
    Effect.provideService(ModelAliases, runtime.definition.models),
    Effect.catchTag("BudgetExceeded", ({ message }) => Effect.fail(refused(message))),
    Effect.map(resultOf)
  )

/** Generates a whole answer. */
export const generate = (runtime: Runtime) => (asked: Payload): Effect.Effect<Result, ResponseGenerationError> =>
  ask(runtime, callOf(runtime, asked))

/** Generates an answer and reports its parts as progress. */
export const stream = (runtime: Runtime) => (asked: Payload, { progress }: Job.Run<typeof LlmDelta.Type>) =>
  ask(runtime, {
    ...callOf(runtime, asked),
    onPart: (part) => part._tag === "Retracted" ? Effect.void : progress(part)
  })

/** Makes vectors with the `EmbeddingModel` that was provided when the agent was made. */
export const embed = (runtime: Runtime) => ({ dimensions, model, texts, timeout }: Job.PayloadOf<typeof LlmEmbed>) =>
  Effect.gen(function*() {
    const service = Context.getOption(runtime.services, Embedding)
    if (Option.isNone(service)) return yield* refused("no EmbeddingModel was provided where the agent was made")
    if (model !== undefined) return yield* refused(`the EmbeddingModel has no other model, and so no "${model}"`)
    const embeddings = yield* service.value.embedMany(typeof texts === "string" ? [texts] : texts).pipe(
      Effect.catchAll((error) =>
        Effect.flatMap(classify(error, "understand", "embedding"), (failure) => Effect.fail(failure))
      ),
      Effect.timeoutFail({
        duration: Option.getOrElse(Duration.decodeUnknown(timeout), () => runtime.definition.timeouts.model),
        onTimeout: () =>
          failure({ purpose: "understand", model: "embedding", reason: "timeout", why: "it took too long" })
      })
    )
    const other = embeddings.find(({ length }) => dimensions !== undefined && length !== dimensions)
    return other === undefined
      ? { embeddings, count: embeddings.length }
      : yield* refused(`its vectors have ${other.length} dimensions, and not ${dimensions}`)
  })

/**
 * The interface through which the pipeline calls a language model: one call returns one whole answer. Providers,
 * retries and fallbacks are hidden behind it.
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { BudgetExceeded, Purpose, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import { ask, backoff } from "./call/Candidates.js"
import type { ModelAnswer, ModelCall, ModelCallRecord } from "./call/ModelCall.js"

export * from "./call/ModelCall.js"
export * from "./Settings.js"

export interface Service {
  readonly ask: (call: ModelCall) => Effect.Effect<ModelAnswer, ResponseGenerationError | BudgetExceeded>
  /** The model aliases that `ModelCall.alias` may name. */
  readonly aliases: ReadonlySet<string>
}

export class Model extends Context.Tag("coxswain/Model")<Model, Service>() {}

/**
 * Called with the record of each attempt at a model call. A turn sets it to count its calls. A custom `Understanding`
 * that calls a model itself must call `ModelObserver` too, so that `usage` stays correct.
 */
export class ModelObserver extends Context.Reference<ModelObserver>()("coxswain/ModelObserver", {
  defaultValue: (): (record: ModelCallRecord) => Effect.Effect<void> => () => Effect.void
}) {}

/**
 * The model aliases of an agent, one for each purpose; the turn sets them. A call without an alias of its own takes, in
 * this order: the agent's alias for its purpose, the alias of `Models.layer` for its purpose, `default`. A signal takes
 * the alias of `understand`.
 */
export class ModelAliases extends Context.Reference<ModelAliases>()("coxswain/ModelAliases", {
  defaultValue: (): { readonly [P in Purpose | "default"]?: string } => ({})
}) {}

/**
 * True if providers are asked to cache the first system message of a prompt, which is the same in every turn; default
 * true.
 */
export class PromptCache extends Context.Reference<PromptCache>()("coxswain/PromptCache", {
  defaultValue: (): boolean => true
}) {}

/**
 * Makes a `Model` from one `LanguageModel`. Transient failures are retried twice with growing delays, unless text was
 * already passed to `onPart`, because a reader would see the first part of the answer twice. Each attempt is reported
 * to `ModelObserver`.
 */
export const fromLanguageModel = (
  service: LanguageModel.Service,
  options?: {
    /** Name of the model in errors, records and metrics; default `default`. */
    readonly name?: string
  }
): Service => {
  const candidates = [{ name: options?.name ?? "default", service, attempts: 3, schedule: backoff }]
  return {
    aliases: new Set(),
    ask: (call) => Effect.flatMap(ModelObserver, (observe) => ask(candidates, call, observe))
  }
}

/** Returns the `Model` of the context; if there is none, makes one from the `LanguageModel` of the context. */
export const current: Effect.Effect<Service, never, LanguageModel.LanguageModel> = Effect.flatMap(
  LanguageModel.LanguageModel,
  (service) => Effect.map(Effect.serviceOption(Model), Option.getOrElse(() => fromLanguageModel(service)))
)

/** Makes a `Model` from the `LanguageModel` of the context. */
export const layer: Layer.Layer<Model, never, LanguageModel.LanguageModel> = Layer.effect(
  Model,
  Effect.map(LanguageModel.LanguageModel, (service) => fromLanguageModel(service))
)

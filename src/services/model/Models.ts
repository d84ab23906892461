/**
 * Named models: each alias is one model or a list of models, asked in order until one answers.
 *
 * @example
 * ```ts
 * import { Models } from "coxswain"
 * import * as OpenAi from "coxswain/layers/openai"
 *
 * const models = Models.layer({
 *   fast: OpenAi.layer({ model: "gpt-4o-mini" }),
 *   capable: [OpenAi.layer({ model: "gpt-4o" }), OpenAi.layer({ model: "gpt-4.1" })]
 * }, { default: "capable", purposes: { understand: "fast" } })
 * ```
 */
import * as LanguageModel from "@effect/ai/LanguageModel"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as ExecutionPlan from "effect/ExecutionPlan"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Purpose, ResponseGenerationError } from "../../domain/base/error/Errors.js"
import * as Breaker from "./Breaker.js"
import type { Price } from "./Budget.js"
import { classify, make as failure } from "./call/CallFailure.js"
import * as ModelCandidates from "./call/Candidates.js"
import { Model, ModelAliases, ModelObserver } from "./Model.js"
import type { ModelCall } from "./Model.js"
import * as Telemetry from "./Telemetry.js"

/** Any layer of a language model. */
export type ModelLayer = Layer.Layer<LanguageModel.LanguageModel, unknown, unknown>

/** A model with its own name, price or number of attempts. */
export interface Candidate {
  readonly layer: ModelLayer
  /** Name in records, metrics and errors; default: the alias, with `#2`, `#3`, … for later ones of a list. */
  readonly name?: string
  readonly price?: Price
  /**
   * The media types of files that the model accepts, with `image/*` for all images; `[]` for no files. Default: all
   * files.
   */
  readonly accepts?: ReadonlyArray<string>
  /** Number of attempts before the next model is asked; default: `Options.attempts`. */
  readonly attempts?: number
}

/** One model, or several in the order in which they are asked. */
export type Entry = ModelLayer | Candidate | NonEmptyReadonlyArray<ModelLayer | Candidate>

export interface Options<Alias extends string> {
  /** The alias asked when neither the call nor its purpose names one; default: the first. */
  readonly default?: Alias
  /** The alias of a purpose. Signals without an alias use that of `understand`. */
  readonly purposes?: { readonly [P in Purpose]?: Alias }
  /** Number of attempts at each model before the next one is asked; default 3. */
  readonly attempts?: number
  /**
   * The delays between attempts at one model, as a schedule whose input is the failure. Default: 500 ms, then doubled
   * each time, with jitter; or the time that the provider asked for, at most 30 seconds.
   */
  readonly schedule?: Schedule.Schedule<unknown, ResponseGenerationError>
  /** The circuit breaker of each model; `false` for none. */
  readonly breaker?: Breaker.Options | false
}

/** The types of the layers in an alias's entry: of one model, or of each model in a list. */
export type LayersOf<E> = E extends ReadonlyArray<infer Each> ? LayersOf<Each>
  : E extends { readonly layer: infer L } ? L
  : E

type ErrorOf<L> = L extends Layer.Layer<LanguageModel.LanguageModel, infer E, unknown> ? E : never
type RequirementsOf<L> = L extends Layer.Layer<LanguageModel.LanguageModel, unknown, infer R> ? R : never

/**
 * Provides `Model` and `LanguageModel` from named models. `LanguageModel` is the default alias, with its fallbacks.
 *
 * Only after transient failures is the call retried, and then made at the next model; a wrong key or a bad request
 * fails immediately.
 */
export const layer = <const A extends Record<string, Entry>>(
  aliases: A,
  options: Options<keyof A & string> = {}
): Layer.Layer<
  Model | LanguageModel.LanguageModel,
  ErrorOf<LayersOf<A[keyof A]>>,
  RequirementsOf<LayersOf<A[keyof A]>>
> =>
  // The type of `build` does not keep the errors and services of the layers in `aliases`, so the cast reads them from
  // the type of `aliases`.
  Layer.scopedContext(build(aliases, options)) as Layer.Layer<
    Model | LanguageModel.LanguageModel,
    ErrorOf<LayersOf<A[keyof A]>>,
    RequirementsOf<LayersOf<A[keyof A]>>
  >

const build = (
  aliases: Record<string, Entry>,
  options: Options<string>
): Effect.Effect<Context.Context<Model | LanguageModel.LanguageModel>, unknown, unknown> =>
  Effect.gen(function*() {
    const names = Object.keys(aliases)
    const fallback = options.default ?? names[0]
    if (fallback === undefined || !names.includes(fallback)) {
      return yield* Effect.dieMessage(`Models.layer: there is no alias "${fallback}" among [${names.join(", ")}]`)
    }
    const candidateOf = yield* candidates(options)
    const routes = new Map<string, ReadonlyArray<ModelCandidates.Candidate>>()
    for (const [alias, entry] of Object.entries(aliases)) {
      const entries: ReadonlyArray<ModelLayer | Candidate> = isList(entry) ? entry : [entry]
      routes.set(
        alias,
        yield* Effect.forEach(
          entries,
          (each, index) => candidateOf(each, index === 0 ? alias : `${alias}#${index + 1}`)
        )
      )
    }
    const { purposes } = options
    type Aliases = { readonly [P in Purpose | "default"]?: string }
    const ofPurpose = (aliases: Aliases | undefined, purpose: Purpose): string | undefined =>
      aliases?.[purpose] ?? (purpose === "signals" ? aliases?.understand : undefined)
    const aliasOf = ({ alias, purpose }: ModelCall, agent: Aliases): string =>
      alias ?? ofPurpose(agent, purpose) ?? ofPurpose(purposes, purpose) ?? agent.default ?? fallback

    return Context.make(Model, {
      aliases: new Set(names),
      ask: (call) =>
        Effect.withFiberRuntime(({ currentContext }) => {
          const agent = Context.get(currentContext, ModelAliases)
          const observe = Context.get(currentContext, ModelObserver)
          const alias = aliasOf(call, agent)
          const route = routes.get(alias)
          if (route === undefined) {
            const why = `there is no such alias; there are [${names.join(", ")}]`
            return Effect.fail(failure({ purpose: call.purpose, model: alias, reason: "invalid_request", why }))
          }
          return Telemetry.traced(
            ModelCandidates.ask(route, call, observe),
            Effect.withSpan("Model.ask", { attributes: { alias, purpose: call.purpose }, captureStackTrace: false })
          )
        })
    }).pipe(Context.add(LanguageModel.LanguageModel, planned(routes.get(fallback)!)))
  })

const isList = (entry: Entry): entry is NonEmptyReadonlyArray<ModelLayer | Candidate> => Array.isArray(entry)

const isLayer = (entry: ModelLayer | Candidate): entry is ModelLayer => Layer.isLayer(entry)

/** Builds each layer once: aliases that name the same layer share its client and its breaker. */
const candidates = (options: Options<string>) =>
  Effect.map(Layer.makeMemoMap, (memo) => {
    const breakers = new Map<ModelLayer, Breaker.Breaker>()
    const breakerOf = (layer: ModelLayer): Effect.Effect<Breaker.Breaker | undefined> => {
      const known = breakers.get(layer)
      if (options.breaker === false || known !== undefined) return Effect.succeed(known)
      return Effect.tap(Breaker.make(options.breaker), (breaker) => breakers.set(layer, breaker))
    }
    return (
      entry: ModelLayer | Candidate,
      name: string
    ): Effect.Effect<ModelCandidates.Candidate, unknown, unknown> => {
      const given: Candidate = isLayer(entry) ? { layer: entry } : entry
      return Effect.gen(function*() {
        const scope: Scope.Scope = yield* Effect.scope
        const context = yield* Layer.buildWithMemoMap(given.layer, memo, scope)
        return {
          name: given.name ?? name,
          service: Context.get(context, LanguageModel.LanguageModel),
          attempts: given.attempts ?? options.attempts ?? 3,
          schedule: options.schedule ?? ModelCandidates.backoff,
          price: given.price,
          accepts: given.accepts,
          breaker: yield* breakerOf(given.layer)
        }
      })
    }
  })

/** Combines the candidates into one `LanguageModel`, for code that asks it directly. */
const planned = (candidates: ReadonlyArray<ModelCandidates.Candidate>): LanguageModel.Service => {
  const steps = candidates.map(({ service }) => ({
    provide: Context.make(LanguageModel.LanguageModel, service),
    while: (error: unknown) => Effect.map(classify(error, "speak"), ({ retryable }) => retryable)
  }))
  if (steps.length === 1) return candidates[0]!.service
  const schedule = Schedule.jittered(Schedule.exponential("500 millis"))
  const plan = planOf(steps.map((step, index) => ({ ...step, schedule, attempts: candidates[index]!.attempts })))
  // Each model streams once, because a second attempt would repeat the parts that were already streamed.
  const streamPlan = planOf(steps.map((step) => ({ ...step, attempts: 1 })))
  // The service's methods infer their tools from each call; only the resulting effect matters here.
  const withPlan = (ask: (service: LanguageModel.Service) => Effect.Effect<unknown, unknown, unknown>) =>
    Effect.withExecutionPlan(Effect.flatMap(LanguageModel.LanguageModel, ask), plan)
  return {
    generateText:
      ((options) => withPlan((model) => model.generateText(options))) as LanguageModel.Service["generateText"],
    generateObject:
      ((options) => withPlan((model) => model.generateObject(options))) as LanguageModel.Service["generateObject"],
    streamText: ((options) =>
      Stream.withExecutionPlan(
        Stream.unwrap(Effect.map(LanguageModel.LanguageModel, (model) => model.streamText(options))),
        streamPlan,
        { preventFallbackOnPartialStream: true }
      )) as LanguageModel.Service["streamText"]
  }
}

const planOf = <Step extends { readonly provide: Context.Context<LanguageModel.LanguageModel> }>(
  steps: ReadonlyArray<Step>
) => {
  const [first, ...rest] = steps
  return ExecutionPlan.make(first!, ...rest)
}

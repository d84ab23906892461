import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import { describe, expect, it } from "@effect/vitest"
import { Budget, Model, Models } from "coxswain"
import type { Context } from "effect"
import { Duration, Effect, Fiber, Layer, Metric, MetricState, Option, Stream, TestClock } from "effect"

const status = (code: number, headers: Record<string, string> = {}) =>
  new AiError.HttpResponseError({
    module: "Test",
    method: "generateText",
    reason: "StatusCode",
    request: { method: "POST", url: "http://localhost", urlParams: [], hash: undefined, headers: {} },
    response: { status: code, headers }
  } as never, { disableValidation: true })

const finish = {
  type: "finish",
  reason: "stop",
  usage: { inputTokens: 100, outputTokens: 50, totalTokens: 150, cachedInputTokens: 40 }
} as const

/** A model whose behaviour a test can change: what it says, what it fails with, or "hang". */
class Fake {
  asked = 0
  constructor(public does: string | AiError.AiError | "hang") {}
  readonly service = LanguageModel.make({
    generateText: () =>
      Effect.suspend(() => {
        this.asked++
        const { does } = this
        if (does === "hang") return Effect.never
        return typeof does === "string"
          ? Effect.succeed<Array<Response.PartEncoded>>([{ type: "text", text: does }, finish])
          : Effect.fail(does)
      }),
    streamText: () =>
      Stream.suspend(() => {
        this.asked++
        const { does } = this
        if (does === "hang") return Stream.never
        const said = Stream.make(
          { type: "text-delta", id: "t", delta: typeof does === "string" ? does : "Hel" } as const
        )
        return typeof does === "string"
          ? Stream.concat(said, Stream.make(finish))
          : Stream.concat(said, Stream.fail(does))
      })
  })
  readonly layer = Layer.effect(LanguageModel.LanguageModel, this.service)
}

const call: Model.ModelCall = {
  purpose: "speak",
  prompt: Prompt.make("hello"),
  limits: { firstToken: Duration.seconds(60), model: Duration.seconds(120) }
}
const ask = (options?: Partial<Model.ModelCall>) =>
  Effect.flatMap(Model.Model, (model) => model.ask({ ...call, ...options }))
const text = (options?: Partial<Model.ModelCall>) => Effect.map(ask(options), (answer) => answer.text)

/** Advances the test clock while the effect runs. */
const within = (time: Duration.DurationInput) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.fork(effect), (fiber) => Effect.zipRight(TestClock.adjust(time), Fiber.join(fiber)))

describe("Models.layer (model aliases with fallback)", () => {
  it.effect("uses the model alias of the call, else that of the call's purpose, else the default", () => {
    const models = Models.layer(
      { fast: new Fake("fast").layer, capable: new Fake("capable").layer, tiny: new Fake("tiny").layer },
      { default: "capable", purposes: { understand: "fast" } }
    )
    return Effect.gen(function*() {
      expect(yield* text()).toBe("capable")
      expect(yield* text({ purpose: "understand" })).toBe("fast")
      expect(yield* text({ purpose: "signals" })).toBe("fast")
      expect(yield* text({ purpose: "understand", alias: "tiny" })).toBe("tiny")
      expect((yield* Model.Model).aliases).toEqual(new Set(["fast", "capable", "tiny"]))
      expect((yield* LanguageModel.generateText({ prompt: "x" })).text).toBe("capable")
      expect(yield* Effect.flip(ask({ alias: "nope" }))).toMatchObject({
        reason: "invalid_request",
        message: "[ResponseGenerationError] model \"nope\" (speak): there is no such alias; " +
          "there are [fast, capable, tiny]. Check the model's name and that it supports what the request uses."
      })
    }).pipe(Effect.provide(models))
  })

  it.effect("has the errors and requirements of the given model layers, also in its own type", () => {
    class Wire extends Effect.Tag("Wire")<Wire, { readonly word: string }>() {}
    const needy = Layer.unwrapEffect(Effect.map(Wire, ({ word }) => new Fake(word).layer))
    const models: Layer.Layer<Model.Model | LanguageModel.LanguageModel, never, Wire> = Models.layer({
      one: [needy, new Fake("other").layer]
    })
    const services: Context.Tag.Service<typeof Wire> = { word: "wired" }
    return Effect.gen(function*() {
      expect(yield* text()).toBe("wired")
    }).pipe(Effect.provide(models), Effect.provideService(Wire, services))
  })

  it.effect("refuses an unknown alias, by type and at run time", () => {
    const { layer } = new Fake("x")
    // @ts-expect-error there is no alias "b"
    Models.layer({ a: layer }, { purposes: { understand: "b" } })
    // @ts-expect-error there is no alias "b"
    const wrong = Models.layer({ a: layer }, { default: "b" })
    return Effect.gen(function*() {
      const defect = yield* Effect.flip(Effect.sandbox(Layer.launch(wrong)))
      expect(String(defect)).toContain("there is no alias \"b\" among [a]")
    })
  })

  describe("fallback to the next model of an alias", () => {
    it.effect("answers from the second model while the first is down, and records both, with metrics", () => {
      const first = new Fake(status(503))
      const second = new Fake("second")
      const records: Array<Model.ModelCallRecord> = []
      const counter = (name: string, tags: Record<string, string>) =>
        Effect.map(Metric.snapshot, (pairs) =>
          pairs.flatMap(({ metricKey, metricState }) => {
            const has = new Map(metricKey.tags.map(({ key, value }) => [key, value]))
            const wanted = metricKey.name === name &&
              Object.entries(tags).every(([key, value]) => has.get(key) === value)
            return wanted && MetricState.isCounterState(metricState) ? [Number(metricState.count)] : []
          })[0])
      return Effect.gen(function*() {
        expect(yield* within("10 seconds")(text())).toBe("second")
        expect(first.asked).toBe(2)
        expect(records.map(({ failure, model }) => [model, failure?.reason])).toEqual([
          ["down", "overloaded"],
          ["down", "overloaded"],
          ["up", undefined]
        ])
        expect(records[2]!.cost).toBeCloseTo((60 * 2 + 40 * 1 + 50 * 10) / 1_000_000)
        expect(yield* counter("coxswain_model_fallbacks", { model: "down", purpose: "speak" })).toBe(1)
        expect(yield* counter("coxswain_model_failures", { model: "down", purpose: "speak", reason: "overloaded" }))
          .toBe(2)
        expect(yield* counter("coxswain_model_tokens", { model: "up", purpose: "speak", direction: "output" })).toBe(50)
      }).pipe(
        Effect.provide(Models.layer({
          main: [
            { layer: first.layer, name: "down", attempts: 2 },
            { layer: second.layer, name: "up", price: { input: 2, output: 10, cachedInput: 1 } }
          ]
        })),
        Effect.provideService(Model.ModelObserver, (record) => Effect.sync(() => void records.push(record)))
      )
    })

    it.effect("is not used on a failure that is not retryable", () => {
      const second = new Fake("second")
      return Effect.gen(function*() {
        expect(yield* Effect.flip(ask())).toMatchObject({ reason: "auth" })
        expect(second.asked).toBe(0)
      }).pipe(Effect.provide(Models.layer({ main: [new Fake(status(401)).layer, second.layer] })))
    })

    it.effect("is not used after text was passed to the consumer", () => {
      const second = new Fake("second")
      const shown: Array<string> = []
      return Effect.gen(function*() {
        const onPart = (part: Model.ModelPart) =>
          Effect.sync(() => void shown.push(part._tag === "Retracted" ? "" : part.text))
        expect(yield* Effect.flip(ask({ onPart }))).toMatchObject({ reason: "overloaded" })
        expect(shown).toEqual(["Hel"])
        expect(second.asked).toBe(0)
      }).pipe(Effect.provide(Models.layer({ main: [new Fake(status(503)).layer, second.layer] })))
    })

    it.effect("is used after one timeout, and immediately after a long retry-after", () => {
      const hanging = new Fake("hang")
      const limited = new Fake(status(429, { "retry-after": "20" }))
      return Effect.gen(function*() {
        expect(yield* within("121 seconds")(text())).toBe("third")
        expect([hanging.asked, limited.asked]).toEqual([1, 1])
      }).pipe(Effect.provide(Models.layer({ main: [hanging.layer, limited.layer, new Fake("third").layer] })))
    })

    it.effect("is used when a stream does not begin in time", () => {
      const hanging = new Fake("hang")
      const shown: Array<string> = []
      return Effect.gen(function*() {
        const onPart = (part: Model.ModelPart) =>
          Effect.sync(() => void shown.push(part._tag === "Retracted" ? "" : part.text))
        expect(yield* within("61 seconds")(text({ onPart }))).toBe("second")
        expect(shown).toEqual(["second"])
        expect(hanging.asked).toBe(1)
      }).pipe(Effect.provide(Models.layer({ main: [hanging.layer, new Fake("second").layer] })))
    })

    it.effect("is also used by direct calls of LanguageModel.generateText", () => {
      const first = new Fake(status(503))
      return Effect.gen(function*() {
        const answer = yield* within("30 seconds")(LanguageModel.generateText({ prompt: "x" }))
        expect(answer.text).toBe("second")
        const error = yield* Effect.flip(Stream.runDrain(LanguageModel.streamText({ prompt: "x" })))
        expect(error._tag).toBe("HttpResponseError")
      }).pipe(Effect.provide(Models.layer({ main: [first.layer, new Fake("second").layer] })))
    })
  })

  describe("the circuit breaker of a model", () => {
    it.effect("opens after failures in a row, allows one probe after the cool-down, and closes", () => {
      const first = new Fake(status(503))
      const turn = within("20 seconds")(text())
      return Effect.gen(function*() {
        expect(yield* turn).toBe("second")
        expect(first.asked).toBe(3)
        expect(yield* turn).toBe("second")
        expect(first.asked).toBe(4)
        expect(yield* turn).toBe("second")
        expect(first.asked).toBe(4)
        yield* TestClock.adjust("60 seconds")
        expect(yield* turn).toBe("second")
        expect(first.asked).toBe(5)
        expect(yield* turn).toBe("second")
        expect(first.asked).toBe(5)
        first.does = "back"
        yield* TestClock.adjust("60 seconds")
        expect(yield* turn).toBe("back")
        expect(yield* turn).toBe("back")
        expect(first.asked).toBe(7)
      }).pipe(
        Effect.provide(Models.layer(
          { main: [first.layer, new Fake("second").layer] },
          { breaker: { failures: 4, coolDown: "60 seconds" } }
        ))
      )
    })

    it.effect("fails immediately with `retryAfter` when no model is left", () => {
      const only = new Fake(status(503))
      return Effect.gen(function*() {
        yield* within("10 seconds")(Effect.flip(ask()))
        const error = yield* Effect.flip(ask())
        expect(error).toMatchObject({ reason: "overloaded", retryable: true })
        expect(error._tag === "ResponseGenerationError" && Duration.toSeconds(error.retryAfter!)).toBeGreaterThan(15)
        expect(only.asked).toBe(3)
      }).pipe(Effect.provide(Models.layer({ main: only.layer }, { breaker: { failures: 3 } })))
    })

    it.effect("allows only one probe at a time, and another one when that probe is interrupted", () => {
      const only = new Fake(status(503))
      return Effect.gen(function*() {
        yield* Effect.flip(ask())
        yield* TestClock.adjust("30 seconds")
        only.does = "hang"
        const probe = yield* Effect.fork(ask())
        yield* TestClock.adjust("1 second")
        yield* Effect.flip(ask())
        expect(only.asked).toBe(2)
        yield* Fiber.interrupt(probe)
        only.does = "back"
        expect(yield* text()).toBe("back")
      }).pipe(Effect.provide(Models.layer({ main: only.layer }, { attempts: 1, breaker: { failures: 1 } })))
    })

    it.effect("is shared by the aliases of one model, and does not count invalid requests", () => {
      const shared = new Fake(status(503))
      const picky = new Fake(status(400))
      return Effect.gen(function*() {
        yield* Effect.flip(ask({ alias: "a" }))
        yield* Effect.flip(ask({ alias: "b" }))
        expect(shared.asked).toBe(1)
        yield* Effect.flip(ask({ alias: "c" }))
        yield* Effect.flip(ask({ alias: "c" }))
        expect(picky.asked).toBe(2)
      }).pipe(
        Effect.provide(Models.layer(
          { a: shared.layer, b: shared.layer, c: picky.layer },
          { attempts: 1, breaker: { failures: 1 } }
        ))
      )
    })
  })

  describe("the budget of tokens and cost", () => {
    const models = Models.layer({
      main: { layer: new Fake("fine").layer, price: { input: 1_000_000, output: 0 } }
    })
    const withBudget = (limits: Budget.Limits, session?: { readonly tokens: number; readonly cost: number }) =>
      Effect.map(Budget.make(limits, session), (budget) => ({
        budget,
        ask: Effect.provideService(ask(), Budget.Budget, budget)
      }))

    it.effect("refuses the next call when the turn's tokens exceed `maxTokensPerTurn`", () =>
      Effect.gen(function*() {
        const { ask, budget } = yield* withBudget({ maxTokensPerTurn: 200 })
        yield* ask
        expect(yield* budget.used).toEqual({ turnTokens: 150, sessionTokens: 150, sessionCost: 100 })
        yield* ask
        expect(yield* Effect.flip(ask)).toMatchObject({
          _tag: "BudgetExceeded",
          budget: "maxTokensPerTurn",
          limit: 200,
          used: 300
        })
      }).pipe(Effect.provide(models)))

    it.effect("includes the earlier usage of the session", () =>
      Effect.gen(function*() {
        const tokens = yield* withBudget({ maxTokensPerSession: 1000 }, { tokens: 999, cost: 0 })
        expect(yield* Effect.flip(tokens.ask)).toMatchObject({ budget: "maxTokensPerSession", used: 999 })
        const cost = yield* withBudget({ maxCostPerSession: 5 }, { tokens: 0, cost: 4 })
        expect(yield* Effect.flip(cost.ask)).toMatchObject({ budget: "maxCostPerSession", used: 4 })
        const enough = yield* withBudget({ maxTokensPerSession: 1000, maxCostPerSession: 5 }, { tokens: 9, cost: 1 })
        expect((yield* enough.ask).text).toBe("fine")
      }).pipe(Effect.provide(models)))

    it.effect("reserves an estimate, so that concurrent calls do not spend the same remainder", () => {
      const hanging = new Fake("hang")
      return Effect.gen(function*() {
        // A prompt of "hello" is estimated at 2 tokens.
        const budget = yield* Budget.make({ maxTokensPerTurn: 3 })
        const limited = Effect.provideService(ask(), Budget.Budget, budget)
        const first = yield* Effect.fork(limited)
        yield* TestClock.adjust("1 second")
        expect(yield* Effect.flip(limited)).toMatchObject({ budget: "maxTokensPerTurn", used: 2 })
        expect(hanging.asked).toBe(1)
        yield* Fiber.interrupt(first)
        // The reservation of an interrupted call is released, except for the usage it reported.
        expect(yield* budget.guard({ tokens: 1, cost: 0 })(Effect.succeed("fits"))).toBe("fits")
      }).pipe(Effect.provide(Models.layer({ main: hanging.layer })))
    })

    it.effect("has no limits unless a layer sets them", () =>
      Effect.gen(function*() {
        expect(yield* Budget.BudgetLimits).toEqual({})
        const limits = yield* Effect.provide(Budget.BudgetLimits, Budget.layer({ maxTokensPerTurn: 1 }))
        expect(limits).toEqual({ maxTokensPerTurn: 1 })
        expect(Option.isNone(yield* Effect.option(Effect.flip(ask())))).toBe(true)
      }).pipe(Effect.provide(models)))
  })
})

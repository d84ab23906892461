/** Models of an agent: budgets, aliases, fallbacks, usage, structured output, prompt caching. */
import { describe, expect, it } from "@effect/vitest"
import type { Agent } from "coxswain"
import { Budget, type Errors, Model, Models, Session, TurnResponse, Understanding } from "coxswain"
import { Chunk, DateTime, Effect, Fiber, Layer, Logger, LogLevel, Schema, Stream, TestClock } from "effect"
import * as CountingStore from "../support/CountingStore.js"
import { booking } from "../support/Hotel.js"
import * as Script from "../support/Script.js"
import { instructions, kit, talk, task } from "../support/Stage.js"

const chat = kit.flow({ title: "Chat", reentrant: true, steps: [{ id: "a", prompt: "Chat", until: () => false }] })

const judged = (fields: object = {}) => ({ flowScores: {}, fields, conditions: {}, signals: {} })

/** Extracts nothing and answers with its own name. */
const named = (name: string) => Script.make(({ json }) => json ? judged() : name)

const quietly = Logger.withMinimumLogLevel(LogLevel.None)

/** Advances the TestClock while an effect runs. */
const passing = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust("20 seconds")
    return yield* Fiber.join(fiber)
  })

type Ask = <D, C, E>(
  agent: Pick<Agent.Agent<D, C, E>, "respond" | "stream">,
  sessionId: string,
  message: string
) => Effect.Effect<TurnResponse.TurnResponse<D, C>, Errors.TurnError | E>

const modes: Record<"respond" | "stream", Ask> = {
  respond: (agent, sessionId, message) => agent.respond({ sessionId, message }),
  stream: (agent, sessionId, message) =>
    Effect.flatMap(
      Stream.runLast(agent.stream({ sessionId, message })),
      (last) =>
        last._tag === "Some" && last.value._tag === "TurnCompleted"
          ? Effect.succeed(last.value.response)
          : Effect.dieMessage("the turn did not complete")
    )
}

describe("budgets of sessions and turns", () => {
  for (const [mode, ask] of Object.entries(modes)) {
    it.effect(`${mode}: a turn fails before the model call that would exceed the session's token budget`, () =>
      Effect.gen(function*() {
        const store = yield* CountingStore.make
        const model = Script.make(() => "fine")
        const agent = yield* kit.make({ name: "A", flows: [chat] }).pipe(
          Effect.provide([model.layer, store.layer, Budget.layer({ maxTokensPerSession: 400 })])
        )
        let turns = 0
        const error = yield* Effect.flip(Effect.forever(Effect.tap(ask(agent, "s1", "hello"), () => turns++)))
        expect(error).toMatchObject({ _tag: "BudgetExceeded", budget: "maxTokensPerSession", used: turns * 15 })
        expect(turns).toBeGreaterThan(2)
        expect(turns).toBeLessThan(400 / 15)
        expect(model.asked).toHaveLength(turns)
        expect(store.writes).toHaveLength(turns)
        expect((yield* agent.session("s1").snapshot).usage).toEqual({
          inputTokens: turns * 10,
          outputTokens: turns * 5,
          cachedInputTokens: 0,
          cost: 0
        })
        yield* ask(agent, "s2", "hello")
      }))

    it.effect(`${mode}: a turn fails before the model call that would exceed the turn's token budget`, () =>
      Effect.gen(function*() {
        const store = yield* CountingStore.make
        const model = Script.make((_, i) => [Script.toolCall("look", {}, `c${i}`)])
        const agent = yield* kit.make({
          name: "A",
          flows: [chat],
          tools: [{ id: "look", handler: () => "word ".repeat(200) }]
        }).pipe(Effect.provide([model.layer, store.layer, Budget.layer({ maxTokensPerTurn: 500 })]))
        expect(yield* Effect.flip(ask(agent, "s1", "hello"))).toMatchObject({
          _tag: "BudgetExceeded",
          budget: "maxTokensPerTurn",
          used: model.asked.length * 15
        })
        expect(model.asked.length).toBeGreaterThan(0)
        expect(model.asked.length).toBeLessThan(4)
        expect(store.writes).toEqual([])
      }))
  }

  it.effect("costs are computed from the prices of the models, and summed over the turns of a session", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const models = Models.layer({
        main: { layer: Script.make(() => "fine").layer, price: { input: 10_000, output: 20_000 } }
      })
      // A call costs 0.1 + 0.1; its estimate, for a prompt of at most 300 tokens, is below 3.
      const agent = yield* kit.make({ name: "A", flows: [chat] }).pipe(
        Effect.provide([models, store.layer, Budget.layer({ maxCostPerSession: 3.5 })])
      )
      const { session, usage } = yield* talk(agent)("hello")
      expect(usage.cost).toBeCloseTo(0.2)
      expect(session.usage?.cost).toBeCloseTo(0.2)
      expect((yield* talk(agent)("hello")).session.usage?.cost).toBeCloseTo(0.4)
      const error = yield* Effect.flip(Effect.forever(talk(agent)("hello")))
      expect(error).toMatchObject({ _tag: "BudgetExceeded", budget: "maxCostPerSession", limit: 3.5 })
    }))

  it.effect("tokens are estimated from the prompts when the provider reports none", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const silent = Script.make(() => "fine", { inputTokens: 0, outputTokens: 0, totalTokens: 0 })
      const models = Models.layer({ main: { layer: silent.layer, price: { input: 1, output: 1 } } })
      const agent = yield* kit.make({ name: "A", flows: [chat] }).pipe(
        Effect.provide([models, store.layer, Budget.layer({ maxTokensPerSession: 400 })])
      )
      const { session, usage } = yield* talk(agent)("hello")
      expect(usage.inputTokens).toBeGreaterThan(30)
      expect(session.usage?.cost).toBeGreaterThan(0)
      expect(yield* Effect.flip(Effect.forever(talk(agent)("hello")))).toMatchObject({ _tag: "BudgetExceeded" })
    }))

  it.effect("a turn resumed by an approval fails if it would exceed the session's budget", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const model = Script.make((_, i) => i === 0 ? [Script.toolCall("pay", {})] : "Paid.")
      const agent = (maxTokensPerSession: number) =>
        kit.make({
          name: "A",
          flows: [chat],
          tools: [{ id: "pay", needsApproval: true, handler: () => "ok" }]
        }).pipe(Effect.provide([model.layer, store.layer, Budget.layer({ maxTokensPerSession })]))
      const { approvals, session } = yield* talk(yield* agent(10_000))("pay")
      expect(session.usage?.inputTokens).toBe(10)
      const approve = (limit: number) =>
        Effect.flatMap(agent(limit), (one) => one.approve("s1", approvals[0]!.callId, { approved: true }))
      expect(yield* Effect.flip(approve(20))).toMatchObject({ _tag: "BudgetExceeded", used: 15 })
      // Stopped, claimed, released: the call still waits.
      expect(store.writes).toHaveLength(3)
      const response = yield* approve(10_000)
      expect(response.message).toBe("Paid.")
      expect(response.usage.modelCalls).toBe(1)
      expect(response.session.usage).toMatchObject({ inputTokens: 20, outputTokens: 10 })
    }))

  it.effect("a signal whose model call would exceed the budget does not fire; the reply is sent", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const model = Script.make(() => "fine")
      let fired = 0
      const agent = yield* kit.make({
        name: "A",
        flows: [chat],
        signals: [{
          id: "promise",
          phase: "post",
          when: "the reply promises something, and so on: ".repeat(50),
          handler: () => void fired++
        }]
      }).pipe(Effect.provide([model.layer, store.layer, Budget.layer({ maxTokensPerTurn: 400 })]))
      const response = yield* talk(agent)("hello")
      expect(response.message).toBe("fine")
      expect(response.trace).toMatchObject([{ kind: "signal_judgement" }])
      expect(response.trace[0]!.message).toContain("maxTokensPerTurn")
      expect([fired, model.asked.length]).toEqual([0, 1])
    }))

  it("sessions and responses stored without usage still decode", () => {
    const json = Schema.partial(Schema.Struct({ city: Schema.String }))
    const none = Schema.Struct({})
    const session = Schema.encodeSync(Session.schema<object, object, object, object>(json, none))(
      Session.make({ id: "s1", now: DateTime.unsafeMake(0) })
    )
    expect(session).not.toHaveProperty("usage")
    expect(
      Schema.decodeSync(TurnResponse.Usage)({
        modelCalls: 1,
        inputTokens: 2,
        outputTokens: 3,
        cachedInputTokens: 0
      })
    ).toEqual({ modelCalls: 1, inputTokens: 2, outputTokens: 3, cachedInputTokens: 0, calls: [] })
  })
})

describe("model aliases", () => {
  const all = ["one", "two", "three", "four", "five"] as const
  const setup = Effect.gen(function*() {
    const store = yield* CountingStore.make
    const scripts = {
      one: named("one"),
      two: named("two"),
      three: named("three"),
      four: named("four"),
      five: named("five")
    }
    const models = Models.layer({
      one: scripts.one.layer,
      two: scripts.two.layer,
      three: scripts.three.layer,
      four: scripts.four.layer,
      five: scripts.five.layer
    }, { purposes: { signals: "five" } })
    return { scripts, layer: Layer.merge(models, store.layer), models, store }
  })
  const asked = ({ usage }: { readonly usage: TurnResponse.Usage }) =>
    usage.calls.map(({ model, purpose }) => `${purpose} ${model}`)
  const post = { id: "p", phase: "post" as const, when: "always", handler: () => undefined }

  it.effect("the alias of a step has precedence over the flow's alias, and the flow's over the agent's", () =>
    Effect.gen(function*() {
      const { layer } = yield* setup
      const step = (model?: string) => ({ id: "a", prompt: "Say it", ...(model !== undefined && { model }) })
      const speaker = (
        flow: string | undefined,
        inStep: string | undefined,
        agent: string | undefined,
        speak?: string
      ) =>
        kit.make({
          name: "A",
          flows: [{ title: "Chat", ...(flow !== undefined && { model: flow }), steps: [step(inStep)] }],
          ...(agent !== undefined && { model: agent }),
          ...(speak !== undefined && { models: { speak } })
        }).pipe(
          Effect.flatMap((one) => one.respond({ sessionId: `${flow}${inStep}${agent}${speak}`, message: "hello" })),
          Effect.map(({ message }) => message)
        )
      expect(yield* speaker("two", "three", "four").pipe(Effect.provide(layer))).toBe("three")
      expect(yield* speaker("two", undefined, "four", "five").pipe(Effect.provide(layer))).toBe("two")
      expect(yield* speaker(undefined, undefined, "four", "five").pipe(Effect.provide(layer))).toBe("five")
      expect(yield* speaker(undefined, undefined, "four").pipe(Effect.provide(layer))).toBe("four")
      expect(yield* speaker(undefined, undefined, undefined).pipe(Effect.provide(layer))).toBe("one")
    }))

  it.effect("each purpose can have its own alias; the alias of the agent is the default", () =>
    Effect.gen(function*() {
      const { layer } = yield* setup
      const turn = (models?: { readonly understand?: string; readonly signals?: string }, model?: string) =>
        kit.make({
          name: "A",
          flows: [booking],
          signals: [post],
          ...(model !== undefined && { model }),
          ...(models !== undefined && { models })
        }).pipe(
          Effect.flatMap((agent) => agent.respond({ sessionId: `${JSON.stringify(models)}${model}`, message: "hi" })),
          Effect.map(asked),
          Effect.provide(layer)
        )
      expect(yield* turn()).toEqual(["understand one", "speak one", "signals five"])
      expect(yield* turn(undefined, "two")).toEqual(["understand two", "speak two", "signals five"])
      expect(yield* turn({ understand: "three" }, "two")).toEqual(["understand three", "speak two", "signals three"])
      expect(yield* turn({ understand: "three", signals: "four" })).toEqual([
        "understand three",
        "speak one",
        "signals four"
      ])
    }))

  it.effect("a provided `Understanding` service also uses the agent's alias for `understand`", () =>
    Effect.gen(function*() {
      const { layer } = yield* setup
      const agent = yield* kit.make({ name: "A", flows: [booking], models: { understand: "three" } }).pipe(
        Effect.provide(Layer.provideMerge(Understanding.layerSplit(), layer))
      )
      expect(asked(yield* talk(agent)("hi"))).toEqual(["understand three", "understand three", "speak one"])
    }))

  it.effect("`make` reports all unknown aliases", () =>
    Effect.gen(function*() {
      const { layer } = yield* setup
      const error = yield* kit.make({
        name: "A",
        model: "a",
        models: { understand: "b", speak: "two", signals: "c" },
        flows: [{ title: "Chat", model: "d", steps: [{ id: "x", prompt: "X" }, { id: "y", prompt: "Y", model: "e" }] }]
      }).pipe(Effect.flip, Effect.provide(layer))
      expect(error.issues.map(({ path, what }) => `${path}: ${what}`)).toEqual([
        "model: unknown model alias \"a\"",
        "models.understand: unknown model alias \"b\"",
        "models.signals: unknown model alias \"c\"",
        "flows[0].model: unknown model alias \"d\"",
        "flows[0].steps[1].model: unknown model alias \"e\""
      ])
      for (const alias of all) expect(error.message).toContain(`"${alias}"`)
    }))
})

describe("an outage of a model provider", () => {
  const refusing = Effect.fail(Script.refusal(503))
  const setup = (options: { readonly attempts: number; readonly failures: number }) =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const state = { down: true }
      const first = Script.make(({ json }) => state.down ? refusing : json ? judged() : "first")
      const second = named("second")
      const models = Models.layer({
        main: [{ layer: first.layer, name: "first" }, { layer: second.layer, name: "second" }]
      }, { attempts: options.attempts, breaker: { failures: options.failures, coolDown: "1 minute" } })
      const agent = yield* kit.make({ name: "A", flows: [chat] }).pipe(Effect.provide([models, store.layer]))
      return { agent, first, second, state, store }
    })
  const kinds = ({ trace }: { readonly trace: TurnResponse.TurnResponse["trace"] }) =>
    trace.map(({ kind, source }) => `${kind} ${source}`)

  for (const [mode, ask] of Object.entries(modes)) {
    it.effect(`${mode}: the second provider answers, and the trace contains the retry and the fallback`, () =>
      Effect.gen(function*() {
        const { agent, first, second, store } = yield* setup({ attempts: 2, failures: 9 })
        const response = yield* passing(ask(agent, "s1", "hello"))
        expect(response.message).toBe("second")
        expect(first.asked).toHaveLength(2)
        expect(second.asked).toHaveLength(1)
        expect(store.writes).toHaveLength(1)
        expect(kinds(response)).toEqual(["model_retry model:first", "model_fallback model:first"])
        expect(response.trace.map(({ message }) => message)).toEqual([
          "speak: attempt 2 of 2 after overloaded",
          "speak: overloaded, asking \"second\""
        ])
        expect(response.usage).toMatchObject({
          modelCalls: 3,
          inputTokens: 10,
          calls: [
            { model: "first", purpose: "speak", failure: { reason: "overloaded" } },
            { model: "first", purpose: "speak", failure: { reason: "overloaded" } },
            { model: "second", purpose: "speak", inputTokens: 10 }
          ]
        })
      }).pipe(quietly))

    it.effect(`${mode}: the circuit breaker skips the provider, tries it after the cool-down, and closes`, () =>
      Effect.gen(function*() {
        const { agent, first, state } = yield* setup({ attempts: 1, failures: 2 })
        const turn = ask(agent, "s1", "hello")
        expect(kinds(yield* turn)).toEqual(["model_fallback model:first"])
        expect(kinds(yield* turn)).toEqual(["breaker_opened model:first", "model_fallback model:first"])
        expect(first.asked).toHaveLength(2)
        const spared = yield* turn
        expect(kinds(spared)).toEqual(["model_skipped model:first", "model_fallback model:first"])
        expect(spared).toMatchObject({ message: "second", usage: { modelCalls: 1 } })
        yield* TestClock.adjust("61 seconds")
        expect(kinds(yield* turn)).toEqual(["breaker_opened model:first", "model_fallback model:first"])
        expect(first.asked).toHaveLength(3)
        expect(kinds(yield* turn)).toEqual(["model_skipped model:first", "model_fallback model:first"])
        state.down = false
        yield* TestClock.adjust("61 seconds")
        const back = yield* turn
        expect(back.message).toBe("first")
        expect(kinds(back)).toEqual(["breaker_closed model:first"])
        expect((yield* turn).trace).toEqual([])
        expect(first.asked).toHaveLength(5)
      }).pipe(quietly))

    it.effect(`${mode}: without another provider the turn fails and stores nothing`, () =>
      Effect.gen(function*() {
        const store = yield* CountingStore.make
        const models = Models.layer({ main: Script.make(() => refusing).layer }, { attempts: 1 })
        const agent = yield* kit.make({ name: "A", flows: [chat] }).pipe(Effect.provide([models, store.layer]))
        expect(yield* Effect.flip(ask(agent, "s1", "hello"))).toMatchObject({
          _tag: "ResponseGenerationError",
          phase: "speak",
          reason: "overloaded",
          retryable: true
        })
        expect(store.writes).toEqual([])
      }))
  }
})

describe("token usage", () => {
  it.effect("is reported by purpose and model in response and events, and summed in the session", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const fast = Script.make(() => judged())
      const capable = named("capable")
      const models = Models.layer({
        fast: { layer: fast.layer, price: { input: 1_000, output: 2_000 } },
        capable: { layer: capable.layer }
      }, { default: "capable", purposes: { understand: "fast" } })
      const agent = yield* kit.make({ name: "A", flows: [booking] }).pipe(Effect.provide([models, store.layer]))
      const events = Chunk.toReadonlyArray(
        yield* Stream.runCollect(agent.stream({ sessionId: "s1", message: "hello", messageId: "m1" }))
      )
      const response = yield* agent.respond({ sessionId: "s1", message: "hello", messageId: "m1" })
      const tokens = { inputTokens: 10, outputTokens: 5, cachedInputTokens: 0 }
      expect(response.usage).toEqual({
        modelCalls: 2,
        inputTokens: 20,
        outputTokens: 10,
        cachedInputTokens: 0,
        cost: 0.02,
        calls: [
          { purpose: "understand", model: "fast", finishReason: "stop", ...tokens, cost: 0.02 },
          { purpose: "speak", model: "capable", finishReason: "stop", ...tokens }
        ]
      })
      expect(response.session.usage).toEqual({ inputTokens: 20, outputTokens: 10, cachedInputTokens: 0, cost: 0.02 })
      expect(events.filter(({ _tag }) => _tag === "ModelCallFinished")).toMatchObject([
        { purpose: "understand", model: "fast", usage: tokens, cost: 0.02 },
        { purpose: "speak", model: "capable", usage: tokens }
      ])
      const encoded = yield* Effect.forEach(events, (event) => Schema.encode(agent.schemas.event)(event))
      expect(yield* Effect.forEach(encoded, (event) => Schema.decode(agent.schemas.event)(event))).toEqual(events)
      const next = yield* talk(agent)("hello")
      expect(next.session.usage).toMatchObject({ inputTokens: 40, outputTokens: 20, cost: 0.04 })
      expect(next.usage.inputTokens).toBe(20)
    }))
})

describe("the structured output of an understanding call", () => {
  const make = (answers: ReadonlyArray<Script.Answer>) =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const left = [...answers]
      const model = Script.make((asked) => asked.json ? left.shift() ?? judged() : task(asked))
      const agent = yield* kit.make({ name: "A", flows: [booking] }).pipe(Effect.provide([model.layer, store.layer]))
      return { agent, model, store }
    })

  for (const [mode, ask] of Object.entries(modes)) {
    it.effect(`${mode}: is requested once more after a malformed answer, with the error`, () =>
      Effect.gen(function*() {
        const { agent, model } = yield* make(["{\"fields\": oops", judged({ city: "Lisbon" })])
        const response = yield* ask(agent, "s1", "Lisbon")
        expect(response.collected).toEqual({ city: "Lisbon" })
        expect(model.asked.map(({ json }) => json)).toEqual([true, true, false])
        expect(model.asked[0]!.text).not.toContain("was not accepted")
        expect(model.asked[1]!.text).toContain("Your last answer was not accepted")
        expect(response.usage.calls.map(({ failure }) => failure?.reason)).toEqual([
          "malformed_output",
          undefined,
          undefined
        ])
      }))

    it.effect(`${mode}: fails the turn after two malformed answers`, () =>
      Effect.gen(function*() {
        const { agent, model, store } = yield* make(["oops", "oops", judged()])
        expect(yield* Effect.flip(ask(agent, "s1", "Lisbon"))).toMatchObject({
          _tag: "ResponseGenerationError",
          phase: "understand",
          reason: "malformed_output"
        })
        expect(model.asked).toHaveLength(2)
        expect(store.writes).toEqual([])
      }))
  }
})

describe("prompt caching", () => {
  it.effect("is requested unless `promptCache` is false", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const seen: Array<boolean> = []
      const model = Script.make(() =>
        Effect.map(Model.PromptCache, (cache): Script.Answer => {
          seen.push(cache)
          return "fine"
        })
      )
      const turn = (options: { readonly promptCache?: boolean }) =>
        kit.make({ name: "A", flows: [chat], ...options }).pipe(
          Effect.flatMap((agent) => agent.respond({ sessionId: "s1", message: "hello" })),
          Effect.provide([model.layer, store.layer])
        )
      yield* turn({})
      yield* turn({ promptCache: false })
      yield* turn({ promptCache: true })
      expect(seen).toEqual([true, false, true])
    }))

  it.effect("the first system message is the same in every turn of every session", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const model = Script.make(task)
      const agent = yield* kit.make({
        name: "A",
        goal: "Help",
        persona: ({ message }) => `Persona for ${message}`,
        instructions: ["Be brief", { text: "Use first names", if: ({ data }) => data.name !== undefined }],
        terms: [{ name: "PMS", description: "property management system" }],
        flows: [chat]
      }).pipe(Effect.provide([model.layer, store.layer]))
      const first = (asked: Script.Asked) => asked.prompt.content[0]!.content
      const one = yield* talk(agent)("one")
      yield* agent.dispatch("s2", { dataUpdate: { name: "Ada" }, goTo: "Chat" })
      const two = yield* talk(agent, "s2")("two")
      expect(model.asked.map(first)).toEqual([first(model.asked[0]!), first(model.asked[0]!)])
      expect(first(model.asked[0]!)).toContain("- must: Be brief")
      expect(first(model.asked[0]!)).toContain("PMS")
      expect(first(model.asked[0]!)).not.toContain("Persona")
      expect(instructions(model.asked[0]!)).toContain("Persona for \"one\"")
      expect(instructions(model.asked[0]!)).not.toContain("first names")
      expect(instructions(model.asked[1]!)).toContain("Persona for \"two\"")
      expect(instructions(model.asked[1]!)).toContain("Use first names")
      expect(one.appliedInstructions.map(({ id }) => id)).toEqual(["agent#1"])
      expect(two.appliedInstructions.map(({ id }) => id)).toEqual(["agent#1", "agent#2"])
    }))

  it.effect("a constant persona is part of the first system message", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const model = Script.make(task)
      const agent = yield* kit.make({ name: "A", persona: "You are a pirate.", flows: [chat] }).pipe(
        Effect.provide([model.layer, store.layer])
      )
      yield* talk(agent)("hello")
      const [preamble, ...others] = model.asked[0]!.prompt.content
      expect(preamble!.content).toContain("You are a pirate.")
      expect(JSON.stringify(others)).not.toContain("pirate")
    }))
})

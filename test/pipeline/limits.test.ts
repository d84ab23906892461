import { AiError, LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, SessionLock, SessionStore } from "coxswain"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Schema, Stream, TestClock } from "effect"
import * as StreamedModel from "../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const request = { sessionId: "u1", message: "hi" }
const flows = [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]

/** Runs a turn either way; with `stream`, collects the text in `heard`. */
const ways = ["respond", "stream"] as const

const run = <E>(
  agent: Agent.Agent<{ readonly city: string }, {}, E>,
  way: typeof ways[number],
  heard: Array<string> = []
) =>
  way === "respond" ?
    Effect.asVoid(agent.respond(request)) :
    Stream.runForEach(agent.stream(request), (event) =>
      Effect.sync(() => {
        if (event._tag === "TextDelta") heard.push(event.text)
      }))

const talker = (voice: ReturnType<typeof StreamedModel.make>, more: { readonly timeouts?: object } = {}) =>
  Effect.gen(function*() {
    const memory = yield* SessionStore.makeMemory
    const agent = yield* kit.make({ name: "Talker", flows, ...more }).pipe(
      Effect.provide([voice.layer, Layer.succeed(SessionStore.SessionStore, memory)])
    )
    return { agent, nothingStored: Effect.map(memory.load("u1"), (loaded) => expect(Option.isNone(loaded)).toBe(true)) }
  })

/** Runs an effect, and asserts that it ends after exactly `time`. */
const endsAfter = <A, E>(effect: Effect.Effect<A, E>, time: Duration.DurationInput) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust(Duration.subtract(Duration.decode(time), "1 millis"))
    expect(fiber.unsafePoll() === null).toBe(true)
    yield* TestClock.adjust("1 millis")
    expect(fiber.unsafePoll() === null).toBe(false)
    return yield* Fiber.await(fiber)
  })

/** Longer than all retries. In steps, so that the limits of each attempt start with the attempt. */
const longAfter = Effect.repeatN(TestClock.adjust("20 seconds"), 9)

const failureOf = <A, E>(exit: Exit.Exit<A, E>): E =>
  Option.getOrThrow(
    Exit.causeOption(exit).pipe(
      Option.flatMap((cause) => cause._tag === "Fail" ? Option.some(cause.error) : Option.none())
    )
  )

describe("the option `timeouts`", () => {
  it.effect("`timeouts.firstToken`: a model stream that does not begin fails after its retries", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make(() => [Effect.never])
      const { agent, nothingStored } = yield* talker(voice, { timeouts: { firstToken: "5 seconds" } })
      const fiber = yield* Effect.fork(Effect.flip(run(agent, "stream")))
      yield* TestClock.adjust("4999 millis")
      expect(voice.calls()).toBe(1)
      yield* longAfter
      const error = yield* Fiber.join(fiber)
      expect(error).toBeInstanceOf(Errors.ResponseGenerationError)
      expect(error).toMatchObject({ reason: "timeout", phase: "speak", retryable: true })
      expect(error.message).toContain("timeouts.firstToken (5s)")
      expect(voice.calls()).toBe(3)
      yield* nothingStored
    }))

  it.effect("`timeouts.firstToken` does not end a model stream that has begun", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make(() => ["One ", Effect.sleep("1 minute"), "two"])
      const { agent } = yield* talker(voice, { timeouts: { firstToken: "5 seconds" } })
      expect(Exit.isSuccess(yield* endsAfter(run(agent, "stream"), "1 minute"))).toBe(true)
    }))

  for (const way of ways) {
    it.effect(`timeouts.model: a model answer that does not end fails with an error that names the limit (${way})`, () =>
      Effect.gen(function*() {
        const voice = StreamedModel.make(() => ["One ", Effect.never])
        const heard: Array<string> = []
        const { agent, nothingStored } = yield* talker(voice, { timeouts: { model: "20 seconds" } })
        const fiber = yield* Effect.fork(Effect.flip(run(agent, way, heard)))
        yield* TestClock.adjust("19999 millis")
        expect(fiber.unsafePoll() === null).toBe(true)
        yield* longAfter
        const error = yield* Fiber.join(fiber)
        expect(error).toBeInstanceOf(Errors.ResponseGenerationError)
        expect(error).toMatchObject({ reason: "timeout" })
        expect(error.message).toContain("timeouts.model (20s)")
        // A retry would repeat the words that were streamed.
        expect(voice.calls()).toBe(way === "stream" ? 1 : 3)
        expect(heard).toEqual(way === "stream" ? ["One "] : [])
        yield* nothingStored
      }))
  }

  it.effect("`timeouts.tool`: the model gets a tool result that names the timeout, and the turn continues", () =>
    Effect.gen(function*() {
      const agentOf = (timeout?: Duration.DurationInput) =>
        kit.make({
          name: "Slow",
          timeouts: { tool: "7 seconds" },
          tools: [kit.tool({ id: "slow", ...(timeout !== undefined && { timeout }), handler: () => Effect.never })],
          flows
        }).pipe(Effect.provide([
          StreamedModel.make((n) => n === 0 ? [{ call: "slow" }] : ["Sorry"]).layer,
          SessionStore.layerMemory
        ]))
      for (
        const [own, after, says] of [[undefined, "7 seconds", "timeouts.tool (7s)"], [
          "2 seconds",
          "2 seconds",
          "its timeout (2s)"
        ]] as const
      ) {
        const agent = yield* agentOf(own)
        const exit = yield* endsAfter(agent.respond(request), after)
        const response = yield* exit
        expect(response.message).toBe("Sorry")
        expect(response.toolCalls).toMatchObject([{ outcome: "timed_out", isFailure: true }])
        expect(JSON.stringify(response.toolCalls[0]!.output)).toContain(says)
      }
    }))

  it.effect("`timeouts.tool`: the turn fails with `ToolExecutionError` if the tool has `onFailure: 'fail'`", () =>
    Effect.gen(function*() {
      const memory = yield* SessionStore.makeMemory
      const agent = yield* kit.make({
        name: "Slow",
        timeouts: { tool: "7 seconds" },
        tools: [kit.tool({ id: "slow", onFailure: "fail", handler: () => Effect.never })],
        flows
      }).pipe(Effect.provide([
        StreamedModel.make(() => [{ call: "slow" }]).layer,
        Layer.succeed(SessionStore.SessionStore, memory)
      ]))
      const error = failureOf(yield* endsAfter(agent.respond(request), "7 seconds"))
      expect(error).toBeInstanceOf(Errors.ToolExecutionError)
      expect(error).toMatchObject({ toolId: "slow" })
      expect(error.message).toContain("timeouts.tool (7s)")
      expect(Option.isNone(yield* memory.load("u1"))).toBe(true)
    }))

  for (const way of ways) {
    it.effect(`timeouts.turn: a turn that lasts too long fails and releases the session (${way})`, () =>
      Effect.gen(function*() {
        let stuck = true
        const memory = yield* SessionStore.makeMemory
        const agent = yield* kit.make({
          name: "Stuck",
          timeouts: { turn: "90 seconds" },
          hooks: { beforeRespond: () => stuck ? Effect.never : Effect.void },
          flows
        }).pipe(
          Effect.provide([StreamedModel.make(() => ["Hi"]).layer, Layer.succeed(SessionStore.SessionStore, memory)])
        )
        const error = failureOf(yield* endsAfter(run(agent, way), "90 seconds"))
        expect(error).toBeInstanceOf(Errors.TurnTimeout)
        expect(error).toMatchObject({ limit: "turn", sessionId: "u1", after: Duration.seconds(90) })
        expect(error.message).toContain("timeouts.turn")
        expect(Option.isNone(yield* memory.load("u1"))).toBe(true)
        stuck = false
        expect((yield* agent.respond(request)).message).toBe("Hi")
      }))
  }

  it.effect("`timeouts.turn` is 5 minutes by default", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make({ name: "Stuck", hooks: { beforeRespond: () => Effect.never }, flows }).pipe(
        Effect.provide([StreamedModel.make(() => ["Hi"]).layer, SessionStore.layerMemory])
      )
      expect(failureOf(yield* endsAfter(run(agent, "respond"), "5 minutes"))).toBeInstanceOf(Errors.TurnTimeout)
    }))

  it.effect("`timeouts.turn` is measured from the moment when the turn has the lock of the session", () =>
    Effect.gen(function*() {
      const lock = yield* SessionLock.make
      const gate = yield* Deferred.make<void>()
      yield* Effect.fork(lock.withLock("u1")(Deferred.await(gate)))
      yield* Effect.yieldNow()
      const { agent } = yield* talker(StreamedModel.make(() => [Effect.sleep("80 seconds"), "Hi"]), {
        timeouts: { turn: "90 seconds" }
      })
        .pipe(Effect.provideService(SessionLock.SessionLock, lock))
      const fiber = yield* Effect.fork(agent.respond(request))
      yield* TestClock.adjust("50 seconds")
      expect(fiber.unsafePoll() === null).toBe(true)
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("80 seconds")
      expect((yield* Fiber.join(fiber)).message).toBe("Hi")
    }))
})

describe("an answer of the model that is empty or breaks off", () => {
  const broken = new AiError.UnknownError({
    module: "Voice",
    method: "ask",
    description: "connection reset, try again"
  })
  const cases: ReadonlyArray<{
    readonly name: string
    readonly line: StreamedModel.Line
    readonly reason: string
    readonly leaves?: ReadonlyArray<typeof ways[number]>
    readonly heard?: ReadonlyArray<string>
  }> = [
    { name: "no parts", line: { say: [], finish: "none" }, reason: "empty" },
    { name: "only the finish part", line: { say: [] }, reason: "empty" },
    { name: "only white space", line: { say: [" ", "\n"] }, reason: "empty" },
    { name: "text without the finish part", line: { say: ["Hel"], finish: "none" }, reason: "network", heard: ["Hel"] },
    { name: "reasoning without the finish part", line: { say: [{ think: "hm" }], finish: "none" }, reason: "network" },
    {
      name: "an error part",
      line: { say: ["Hel", { error: { type: "overloaded_error", message: "Overloaded" } }, "lo"] },
      reason: "overloaded",
      leaves: ["stream"],
      heard: ["Hel"]
    },
    {
      name: "a finish part with the reason `error`",
      line: { say: ["Hel"], finish: "error" },
      reason: "unknown",
      heard: ["Hel"]
    }
  ]
  for (const { heard = [], leaves = ways, line, name, reason } of cases) {
    for (const way of leaves) {
      it.effect(`fails the model call: ${name} (${way})`, () =>
        Effect.gen(function*() {
          const voice = StreamedModel.make(() => line)
          const { agent, nothingStored } = yield* talker(voice)
          const told: Array<string> = []
          const fiber = yield* Effect.fork(Effect.flip(run(agent, way, told)))
          yield* longAfter
          const error = yield* Fiber.join(fiber)
          expect(error).toBeInstanceOf(Errors.ResponseGenerationError)
          expect(error).toMatchObject({ reason, phase: "speak" })
          // Retried, unless words were streamed already.
          expect(voice.calls()).toBe(way === "stream" && heard.length > 0 ? 1 : 3)
          expect(told).toEqual(way === "stream" ? heard : [])
          yield* nothingStored
        }))
    }
  }

  for (const way of ways) {
    it.effect(`is requested again after a transient failure before the first word (${way})`, () =>
      Effect.gen(function*() {
        const voice = StreamedModel.make((n) => n < 2 ? [{ think: "hm" }, Effect.fail(broken)] : ["Hel", "lo"])
        const { agent } = yield* talker(voice)
        const heard: Array<string> = []
        const fiber = yield* Effect.fork(run(agent, way, heard))
        yield* longAfter
        yield* Fiber.join(fiber)
        expect(voice.calls()).toBe(3)
        if (way === "stream") expect(heard).toEqual(["Hel", "lo"])
        const history = yield* agent.session("u1").history
        expect(history.at(-1)!.content).toMatchObject([{ text: "Hello" }])
      }))
  }

  it.effect("is not requested again after a failure that follows the first word", () =>
    Effect.gen(function*() {
      const voice = StreamedModel.make((n) => n === 0 ? ["Hel", Effect.fail(broken)] : ["Hello"])
      const { agent, nothingStored } = yield* talker(voice)
      const heard: Array<string> = []
      const fiber = yield* Effect.fork(Effect.exit(run(agent, "stream", heard)))
      yield* longAfter
      expect(Exit.isFailure(yield* Fiber.join(fiber))).toBe(true)
      expect(heard).toEqual(["Hel"])
      expect(voice.calls()).toBe(1)
      yield* nothingStored
    }))

  it.effect("an answer that breaks off in a later round does not repeat the words and tool calls of the first round", () =>
    Effect.gen(function*() {
      const layer = Layer.effect(
        LanguageModel.LanguageModel,
        LanguageModel.make({
          generateText: () => Effect.die("only streamed"),
          streamText: (options) =>
            options.prompt.content.at(-1)!.role === "tool"
              ? Stream.fail(broken)
              : Stream.make(
                { type: "text-delta" as const, id: "t", delta: "One moment" },
                { type: "tool-call" as const, id: "c1", name: "look", params: {} },
                {
                  type: "finish" as const,
                  reason: "tool-calls" as const,
                  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
                }
              )
        })
      )
      const runs: Array<string> = []
      const agent = yield* kit.make({
        name: "Looker",
        tools: [kit.tool({ id: "look", handler: () => Effect.sync(() => void runs.push("look")) })],
        flows
      }).pipe(Effect.provide([layer, SessionStore.layerMemory]))
      const heard: Array<string> = []
      const fiber = yield* Effect.fork(Effect.exit(run(agent, "stream", heard)))
      yield* longAfter
      expect(Exit.isFailure(yield* Fiber.join(fiber))).toBe(true)
      expect(heard).toEqual(["One moment"])
      expect(runs).toEqual(["look"])
    }))
})

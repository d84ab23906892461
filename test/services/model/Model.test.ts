import * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import { getJsonSchema, getJsonSchemaFromSchemaAst } from "@effect/ai/Tool"
import { describe, expect, it } from "@effect/vitest"
import { Model } from "coxswain"
import { Deferred, Duration, Effect, Exit, Fiber, Option, Stream, TestClock, Tracer } from "effect"
import * as Wire from "../../../src/services/model/call/Wire.js"

type Step<A> = ReadonlyArray<A> | AiError.AiError | "hang"

const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, cachedInputTokens: 4 }
const finish = (reason: Response.FinishReason = "stop") => ({ type: "finish", reason, usage }) as const
const text = (words: string): ReadonlyArray<Response.PartEncoded> => [{ type: "text", text: words }, finish()]
const deltas = (...words: ReadonlyArray<string>): ReadonlyArray<Response.StreamPartEncoded> => [
  { type: "text-start", id: "t" },
  ...words.map((delta) => ({ type: "text-delta", id: "t", delta }) as const),
  { type: "text-end", id: "t" }
]
const limits = { firstToken: Duration.seconds(60), model: Duration.seconds(120) }

const status = (code: number, options?: { body?: string; headers?: Record<string, string> }) =>
  new AiError.HttpResponseError({
    module: "Test",
    method: "generateText",
    reason: "StatusCode",
    request: { method: "POST", url: "http://localhost", urlParams: [], hash: undefined, headers: {} },
    response: { status: code, headers: options?.headers ?? {} },
    body: options?.body
  } as never, { disableValidation: true })

/** Answers from two scripts, one for whole and one for streamed requests, and records the requests. */
const scripted = (script: {
  readonly whole?: ReadonlyArray<Step<Response.PartEncoded>>
  readonly streamed?: ReadonlyArray<Step<Response.StreamPartEncoded>>
}) =>
  Effect.gen(function*() {
    const asked: Array<LanguageModel.ProviderOptions> = []
    const records: Array<Model.ModelCallRecord> = []
    const shown: Array<Model.ModelPart> = []
    const interrupted = yield* Deferred.make<void>()
    let whole = 0
    let streamed = 0
    const hang = Effect.never.pipe(Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)))
    const service = yield* LanguageModel.make({
      generateText: (options) =>
        Effect.suspend(() => {
          asked.push(options)
          const step = script.whole![whole++]!
          return step === "hang" ? hang : AiError.isAiError(step) ? Effect.fail(step) : Effect.succeed([...step])
        }),
      streamText: (options) =>
        Stream.suspend((): Stream.Stream<Response.StreamPartEncoded, AiError.AiError> => {
          asked.push(options)
          const step = script.streamed![streamed++]!
          return step === "hang"
            ? Stream.fromEffect(hang)
            : AiError.isAiError(step)
            ? Stream.fail(step)
            : Stream.fromIterable(step).pipe(
              Stream.rechunk(1),
              Stream.mapEffect((part) =>
                part.type === "error" && part.error === "hang"
                  ? hang
                  : part.type === "error" && AiError.isAiError(part.error)
                  ? Effect.fail(part.error)
                  : Effect.succeed(part)
              )
            )
        })
    })
    const model = Model.fromLanguageModel(service, { name: "scripted" })
    const call: Model.ModelCall = { purpose: "speak", prompt: Prompt.make("hello"), limits }
    const streaming = { ...call, onPart: (part: Model.ModelPart) => Effect.sync(() => void shown.push(part)) }
    const observe = Effect.provideService(Model.ModelObserver, (record) => Effect.sync(() => void records.push(record)))
    return {
      asked,
      records,
      shown,
      interrupted,
      ask: (options?: Partial<Model.ModelCall>) => observe(model.ask({ ...call, ...options })),
      stream: (options?: Partial<Model.ModelCall>) => observe(model.ask({ ...streaming, ...options }))
    }
  })

const lookup: Model.OfferedTool = {
  name: "lookup",
  description: "Looks up",
  jsonSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] }
}

describe("Model.fromLanguageModel (a model from Effect's LanguageModel)", () => {
  it.effect("returns the same answer for a whole response and for a streamed one", () =>
    Effect.gen(function*() {
      const metadata = { anthropic: { type: "thinking", signature: "s1" } } as const
      const test = yield* scripted({
        whole: [[
          { type: "reasoning", text: "hm", metadata },
          { type: "text", text: "Hello world", metadata: { openai: { itemId: "m1" } } },
          { type: "tool-call", id: "c1", name: "lookup", params: { q: "x" }, metadata: { openai: { itemId: "f1" } } },
          finish("tool-calls")
        ]],
        streamed: [[
          { type: "reasoning-start", id: "t" },
          { type: "reasoning-delta", id: "t", delta: "hm" },
          { type: "reasoning-delta", id: "t", delta: "", metadata },
          { type: "reasoning-end", id: "t" },
          { type: "text-start", id: "t", metadata: { openai: { itemId: "m1" } } },
          { type: "text-delta", id: "t", delta: "Hello " },
          { type: "text-delta", id: "t", delta: "world" },
          { type: "text-end", id: "t" },
          { type: "tool-params-start", id: "c1", name: "lookup" },
          { type: "tool-params-delta", id: "c1", delta: "{\"q\":\"x\"}" },
          { type: "tool-params-end", id: "c1" },
          { type: "tool-call", id: "c1", name: "lookup", params: { q: "x" }, metadata: { openai: { itemId: "f1" } } },
          finish("tool-calls")
        ]]
      })
      const whole = yield* test.ask({ tools: [lookup] })
      const streamed = yield* test.stream({ tools: [lookup] })
      expect(streamed).toEqual(whole)
      expect(whole.text).toBe("Hello world")
      expect(whole.toolCalls).toEqual([{ id: "c1", name: "lookup", params: { q: "x" } }])
      expect(whole.content.map((part) => [part.type, part.options])).toEqual([
        ["reasoning", metadata],
        ["text", { openai: { itemId: "m1" } }],
        ["tool-call", { openai: { itemId: "f1" } }]
      ])
      expect(whole.usage).toEqual({ inputTokens: 10, outputTokens: 5, cachedInputTokens: 4 })
      expect(test.shown).toEqual([
        { _tag: "Reasoning", text: "hm" },
        { _tag: "Text", text: "Hello " },
        { _tag: "Text", text: "world" }
      ])
      expect(test.records).toHaveLength(2)
      expect(test.records[1]).toMatchObject({ model: "scripted", purpose: "speak", finishReason: "tool-calls" })
    }))

  it.effect("sends tools with their JSON schema and does not check the arguments of a tool call", () =>
    Effect.gen(function*() {
      const test = yield* scripted({
        whole: [[{ type: "tool-call", id: "c1", name: "lookup", params: { wrong: [1] } }, finish("tool-calls")]]
      })
      const answer = yield* test.ask({ tools: [lookup] })
      expect(answer.toolCalls).toEqual([{ id: "c1", name: "lookup", params: { wrong: [1] } }])
      expect(test.asked[0]!.tools.map((tool) => [tool.name, getJsonSchema(tool as never)])).toEqual([
        ["lookup", lookup.jsonSchema]
      ])
    }))

  it.effect("returns a call of an unknown tool like any other tool call", () =>
    Effect.gen(function*() {
      const call = { type: "tool-call", id: "c1", name: "made_up", params: { a: 1 } } as const
      const test = yield* scripted({
        whole: [[{ type: "text", text: "Let me see" }, call, finish("tool-calls")], [call, finish("tool-calls")]],
        streamed: [[...deltas("Let me see"), call, finish("tool-calls")]]
      })
      for (const ask of [test.ask, test.stream]) {
        const answer = yield* ask({ tools: [lookup] })
        expect(answer.text).toBe("Let me see")
        expect(answer.toolCalls).toEqual([{ id: "c1", name: "made_up", params: { a: 1 } }])
        expect(answer.finishReason).toBe("tool-calls")
      }
      expect((yield* test.ask()).toolCalls.map((call) => call.name)).toEqual(["made_up"])
      expect(test.asked).toHaveLength(3)
    }))

  it.effect("makes no span where no tracer is installed", () =>
    Effect.gen(function*() {
      const test = yield* scripted({
        whole: [text("Hello"), text("Hello")],
        streamed: [[...deltas("Hello"), finish()]]
      })
      yield* test.ask()
      yield* test.stream()
      expect(test.asked.map(({ span }) => span.spanId)).toEqual(["noop", "noop"])
      const { context, span } = yield* Effect.tracer
      yield* Effect.withTracer(test.ask(), Tracer.make({ context, span }))
      expect(test.asked[2]!.span.spanId).not.toBe("noop")
    }))

  describe("a request for a JSON object", () => {
    const json = { name: "answer", schema: { type: "object", properties: { x: { type: "number" } } } }

    it.effect("drops an optional property that is null from the answer", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [text("{\"x\":null,\"y\":null}")] })
        expect((yield* test.ask({ json })).value).toEqual({ y: null })
      }))

    it.effect("sends the schema unchanged, parses the object with or without a code fence, and records the usage", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [text("{\"x\":1}"), text("```json\n{\"x\":2}\n```")] })
        const bare = yield* test.ask({ json })
        expect(bare.value).toEqual({ x: 1 })
        const fenced = yield* test.stream({ json })
        expect(fenced.value).toEqual({ x: 2 })
        expect(fenced.usage.inputTokens).toBe(10)
        expect(test.shown).toEqual([])
        const format = test.asked[0]!.responseFormat
        expect(format.type === "json" && [format.objectName, getJsonSchemaFromSchemaAst(format.schema.ast)]).toEqual([
          "answer",
          json.schema
        ])
      }))

    it.effect("reuses one Schema for the same JSON schema object; a copy with equal content gets its own", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [text("{\"x\":1}"), text("{\"x\":1}"), text("{\"x\":1}")] })
        yield* test.ask({ json })
        yield* test.ask({ json: { ...json, name: "again" } })
        yield* test.ask({ json: { ...json, schema: { ...json.schema } } })
        const [first, again, other] = test.asked.map(({ responseFormat }) =>
          responseFormat.type === "json" ? responseFormat.schema : undefined
        )
        expect(again).toBe(first)
        expect(other).not.toBe(first)
      }))

    it.effect("fails without a retry on an answer that is no JSON object, and records the usage", () =>
      Effect.gen(function*() {
        for (const words of ["[1]", "null", "3", "so {\"x\":1", "{\"x\":"]) {
          const test = yield* scripted({ whole: [text(words)] })
          const error = yield* Effect.flip(test.ask({ json, purpose: "understand" }))
          expect(error).toMatchObject({
            _tag: "ResponseGenerationError",
            phase: "understand",
            reason: "malformed_output",
            retryable: false
          })
          expect(test.records).toMatchObject([{ finishReason: "error", usage: { inputTokens: 10 } }])
        }
      }))
  })

  describe("answers that count as failures", () => {
    const fails = (
      name: string,
      parts: ReadonlyArray<Response.StreamPartEncoded>,
      expected: { readonly reason: string; readonly retryable: boolean }
    ) =>
      it.effect(name, () =>
        Effect.gen(function*() {
          const test = yield* scripted({ streamed: [parts, parts, parts] })
          const fiber = yield* Effect.fork(Effect.flip(test.stream()))
          yield* TestClock.adjust("1 minute")
          expect(yield* Fiber.join(fiber)).toMatchObject(expected)
        }))

    fails("a stream with nothing in it", [], { reason: "empty", retryable: true })
    fails("a stream without a finish part", deltas("Hel"), { reason: "network", retryable: true })
    fails("neither text nor calls", [finish()], { reason: "empty", retryable: true })
    fails("white space", [...deltas(" \n"), finish()], { reason: "empty", retryable: true })
    fails("filtered", [finish("content-filter")], { reason: "content_filter", retryable: false })
    fails("cut off before any text", [finish("length")], { reason: "empty", retryable: false })
    fails("stopped with an error", [...deltas("Hel"), finish("error")], { reason: "unknown", retryable: true })
    fails(
      "an error part",
      [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, finish()],
      { reason: "overloaded", retryable: true }
    )
    fails(
      "an error part with a status",
      [{ type: "error", error: { code: 429, message: "slow down" } }, finish()],
      { reason: "rate_limited", retryable: true }
    )

    it.effect("exclude a text that was cut off by the length limit", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [[{ type: "text", text: "Once upon" }, finish("length")]] })
        expect(yield* test.ask()).toMatchObject({ text: "Once upon", finishReason: "length" })
      }))
  })

  describe("the retries of a failed call", () => {
    it.effect("retries are at most two; each attempt is recorded", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [status(503), status(500), text("at last")] })
        const fiber = yield* Effect.fork(test.ask())
        yield* TestClock.adjust("3 seconds")
        expect((yield* Fiber.join(fiber)).text).toBe("at last")
        expect(test.records.map((record) => record.failure?.reason)).toEqual(["overloaded", "overloaded", undefined])
      }))

    it.effect("retries end after the third attempt, with the failure", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [status(503), status(503), status(503), text("never")] })
        const fiber = yield* Effect.fork(Effect.flip(test.ask()))
        yield* TestClock.adjust("10 seconds")
        expect((yield* Fiber.join(fiber)).message).toMatch(
          /^\[ResponseGenerationError\] model "scripted" \(speak\): 503/
        )
        expect(test.records).toHaveLength(3)
      }))

    it.effect("retries are not made for a failure that is not retryable", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: [status(401)] })
        expect(yield* Effect.flip(test.ask())).toMatchObject({ reason: "auth", retryable: false })
        expect(test.records).toHaveLength(1)
      }))

    it.effect("retries wait as long as the provider asks, at most 30 seconds", () =>
      Effect.gen(function*() {
        const test = yield* scripted({
          whole: [
            status(429, { headers: { "retry-after": "7" } }),
            status(429, { headers: { "retry-after": "3600" } }),
            text("ok")
          ]
        })
        const fiber = yield* Effect.fork(test.ask())
        yield* TestClock.adjust("6900 millis")
        expect(test.records).toHaveLength(1)
        yield* TestClock.adjust("100 millis")
        expect(test.records).toHaveLength(2)
        yield* TestClock.adjust("29 seconds")
        expect(test.records).toHaveLength(2)
        yield* TestClock.adjust("1 second")
        expect((yield* Fiber.join(fiber)).text).toBe("ok")
      }))

    it.effect("retries are not made after text was passed to the consumer", () =>
      Effect.gen(function*() {
        const broken: Response.StreamPartEncoded = { type: "error", error: status(503) }
        const test = yield* scripted({ streamed: [[...deltas("Hel"), broken], [...deltas("Hello"), finish()]] })
        expect(yield* Effect.flip(test.stream())).toMatchObject({ reason: "overloaded" })
        expect(test.shown).toEqual([{ _tag: "Text", text: "Hel" }])
        expect(test.asked).toHaveLength(1)
      }))
  })

  describe("the timeouts of a call", () => {
    it.effect("cause a retry when an answer exceeds `timeouts.model`", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ whole: ["hang", text("late")] })
        const fiber = yield* Effect.fork(test.ask())
        yield* TestClock.adjust("119 seconds")
        expect(test.records).toHaveLength(0)
        yield* TestClock.adjust("2 seconds")
        yield* Deferred.await(test.interrupted)
        expect((yield* Fiber.join(fiber)).text).toBe("late")
        expect(test.records[0]!.failure).toMatchObject({ reason: "timeout" })
        expect(test.records[0]!.failure!.message).toContain("timeouts.model (2m)")
      }))

    it.effect("cause a retry when a stream's first token exceeds `timeouts.firstToken`", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ streamed: ["hang", [...deltas("late"), finish()]] })
        const fiber = yield* Effect.fork(test.stream())
        yield* TestClock.adjust("61 seconds")
        expect((yield* Fiber.join(fiber)).text).toBe("late")
        expect(test.records[0]!.failure!.message).toContain("timeouts.firstToken (1m)")
      }))

    it.effect("fail a stream that stalls after its first token", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ streamed: [[...deltas("Hel"), { type: "error", error: "hang" }]] })
        const fiber = yield* Effect.fork(Effect.flip(test.stream()))
        yield* TestClock.adjust("119 seconds")
        expect(test.records).toHaveLength(0)
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toMatchObject({ reason: "timeout", retryable: true })
      }))

    it.effect("do not include the time of the consumer", () =>
      Effect.gen(function*() {
        const test = yield* scripted({ streamed: [[...deltas("a", "b"), finish()]] })
        const fiber = yield* Effect.fork(test.stream({ onPart: () => Effect.sleep("5 minutes") }))
        yield* TestClock.adjust("11 minutes")
        expect((yield* Fiber.join(fiber)).text).toBe("ab")
      }))
  })

  it.effect("returns the answer even when closing the stream fails", () =>
    Effect.gen(function*() {
      const service = yield* Wire.make({
        whole: () => Effect.dieMessage("nothing is asked whole here"),
        stream: () =>
          Effect.gen(function*() {
            yield* Effect.addFinalizer(() => Effect.dieMessage("the socket had gone"))
            const pieces = [[...deltas("Hello"), finish()]]
            return Effect.suspend(() => Effect.mapError(Effect.fromNullable(pieces.pop()), () => Option.none()))
          })
      })
      const model = Model.fromLanguageModel(service, { name: "loose" })
      let shown = ""
      const answer = yield* model.ask({
        purpose: "speak",
        prompt: Prompt.make("hello"),
        limits,
        onPart: (part) => Effect.sync(() => void (shown += part._tag === "Text" ? part.text : ""))
      })
      expect([answer.text, shown]).toEqual(["Hello", "Hello"])
    }))

  it.effect("interrupts the provider's request when the caller is interrupted", () =>
    Effect.gen(function*() {
      const test = yield* scripted({ streamed: [[...deltas("Hel"), { type: "error", error: "hang" }]] })
      const fiber = yield* Effect.fork(test.stream())
      yield* TestClock.adjust("1 second")
      expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      yield* Deferred.await(test.interrupted)
    }))
})

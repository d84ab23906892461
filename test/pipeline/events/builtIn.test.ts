import { OpenAiClient, OpenAiEmbeddingModel } from "@effect/ai-openai"
import * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Agent, BlobStore, JobRunner, Jobs, SessionStore, type TurnResponse } from "coxswain"
import { Chunk, Effect, Fiber, Layer, Logger, LogLevel, Option, Redacted, Schema, Stream, TestClock } from "effect"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ said: Schema.String, rooms: Schema.Number }),
  events: { do: Schema.Unknown },
  jobs: [Jobs.LlmStream, Jobs.LlmGenerate, Jobs.LlmEmbed, Jobs.ToolExec]
})

const book = kit.tool({
  id: "book",
  parameters: { rooms: Schema.Number.pipe(Schema.greaterThan(0)), late: Schema.optional(Schema.Boolean) },
  checkPermissions: ({ rooms }, { data }) =>
    rooms + (data.rooms ?? 0) < 5 ? true : { allowed: false, reason: "too many" },
  needsApproval: ({ rooms }) => rooms === 4 && { reason: "it is expensive" },
  handler: ({ late, rooms }, { callId }) => ({
    ok: true,
    outputMessage: `${rooms} ${String(late)} ${typeof callId}`,
    dataUpdate: { rooms }
  })
})

const told = (event: unknown) => ({ reply: JSON.stringify(event) })

const counted = Layer.succeed(EmbeddingModel.EmbeddingModel, {
  embed: () => Effect.succeed([1, 0]),
  embedMany: (texts) => Effect.succeed(texts.map((_, i) => [i, 1]))
})

const make = (
  speak: Parameters<typeof Stage.make>[0] = {},
  vectors: Layer.Layer<EmbeddingModel.EmbeddingModel> = counted
) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make(speak)
    const agent = yield* kit.make({
      name: "Desk",
      tools: [book],
      on: {
        do: ({ event }) => event as object,
        [Jobs.LlmStream.completed]: ({ event }) => told(event),
        [Jobs.LlmGenerate.completed]: ({ event }) => told(event),
        [Jobs.LlmGenerate.failed]: ({ event }) => told([event._tag, event.reason]),
        [Jobs.LlmEmbed.completed]: ({ event }) => told(event),
        [Jobs.LlmEmbed.failed]: ({ event }) => told([event._tag, event.reason]),
        [Jobs.ToolExec.completed]: ({ event }) => told(event),
        [Jobs.ToolExec.failed]: ({ event }) => told([event._tag, event.reason, event.why])
      }
    }).pipe(Effect.provide(Layer.merge(stage.layer, vectors)))
    yield* Layer.build(
      JobRunner.layer([agent]).pipe(
        Layer.provide(Layer.succeed(SessionStore.SessionStore, stage.store.service))
      )
    )
    yield* TestClock.adjust(0)
    const ran = (run: object) =>
      Effect.gen(function*() {
        yield* agent.notify({ sessionId: "s1", event: "do", payload: { run } })
        yield* TestClock.adjust("30 seconds")
        const { content } = (yield* agent.session("s1").history).at(-1)!
        const text = typeof content === "string"
          ? content
          : content.map((part) => "text" in part ? part.text : "").join("")
        return JSON.parse(text) as unknown
      })
    return { agent, ran, stage }
  })

const hello = [{ role: "user", content: "hello" }] as const

describe("the built-in jobs that call models", () => {
  it("have default values for their options", () => {
    expect(Jobs.LlmGenerate.of({ messages: hello })).toEqual({
      job: "llm.generate",
      payload: { messages: hello, toolChoice: "auto", maxTokens: 1024, temperature: 0.2 }
    })
  })

  it.scoped("generate a whole answer", () =>
    Effect.gen(function*() {
      const { ran, stage } = yield* make({ speak: () => "hi there" })
      expect(yield* ran(Jobs.LlmGenerate.of({ systemPrompt: "Be short", messages: hello }))).toMatchObject({
        text: "hi there",
        toolCalls: [],
        finishReason: "stop"
      })
      expect(JSON.stringify(stage.prompts[0])).toContain("Be short")
    }))

  it.scoped("stream an answer in parts, which are put on the session's feed", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* make({ speak: () => "hi there" })
      const feed = yield* agent.session("s1").feed.pipe(
        Stream.filterMap((event) => event._tag === "JobProgress" ? Option.some(event.value) : Option.none()),
        Stream.takeUntil((value) => JSON.stringify(value).includes("there")),
        Stream.runCollect,
        Effect.fork
      )
      yield* TestClock.adjust(0)
      expect(yield* ran(Jobs.LlmStream.of({ messages: hello }))).toMatchObject({ text: "hi there" })
      const pieces = Chunk.toReadonlyArray(yield* Fiber.join(feed)) as ReadonlyArray<{ readonly text: string }>
      expect(pieces.map(({ text }) => text).join("")).toBe("hi there")
    }))

  it.scoped("fail with the model's error", () =>
    Effect.gen(function*() {
      const { ran } = yield* make({ speak: () => "" })
      expect(yield* ran(Jobs.LlmGenerate.of({ messages: hello }))).toEqual(["ResponseGenerationError", "empty"])
    }))

  it.scoped("compute embeddings of one text or of several texts", () =>
    Effect.gen(function*() {
      const { ran } = yield* make()
      expect(yield* ran(Jobs.LlmEmbed.of({ texts: ["a", "b"] }))).toEqual({ embeddings: [[0, 1], [1, 1]], count: 2 })
      expect(yield* ran(Jobs.LlmEmbed.of({ texts: "a" }))).toEqual({ embeddings: [[0, 1]], count: 1 })
      expect(yield* ran(Jobs.LlmEmbed.of({ texts: "a", dimensions: 3 }))).toEqual([
        "ResponseGenerationError",
        "invalid_request"
      ])
    }))
})

/** OpenAI's embeddings as in its reference, in another order than requested; or, unless 200, its error body. */
const openAi = (status: number) =>
  OpenAiEmbeddingModel.layerBatched({ model: "text-embedding-3-small" }).pipe(
    Layer.provide(OpenAiClient.layer({ apiKey: Redacted.make("my-own-key-for-tests") })),
    Layer.provide(Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) => {
        const body = {
          object: "list",
          data: [{ object: "embedding", index: 1, embedding: [0.5, -1] }, {
            object: "embedding",
            index: 0,
            embedding: [0.25, 1]
          }],
          model: "text-embedding-3-small",
          usage: { prompt_tokens: 2, total_tokens: 2 }
        }
        const refusal = { error: { message: "no", type: "x", param: null, code: null } }
        const answer = new Response(JSON.stringify(status === 200 ? body : refusal), {
          status,
          headers: { "content-type": "application/json" }
        })
        return Effect.succeed(HttpClientResponse.fromWeb(request, answer))
      })
    ))
  )

describe("embeddings of OpenAI, computed by a job", () => {
  it.scoped("are in the order of the texts", () =>
    Effect.gen(function*() {
      const { ran } = yield* make({}, openAi(200))
      expect(yield* ran(Jobs.LlmEmbed.of({ texts: ["a", "b"], dimensions: 2 }))).toEqual({
        embeddings: [[0.25, 1], [0.5, -1]],
        count: 2
      })
    }))

  it.scoped("fail with a reason derived from the HTTP status", () =>
    Effect.forEach(
      [[401, "auth"], [429, "rate_limited"], [503, "overloaded"]] as const,
      ([status, reason]) =>
        Effect.gen(function*() {
          const { ran } = yield* make({}, openAi(status))
          expect(yield* ran(Jobs.LlmEmbed.of({ texts: "a" }))).toEqual(["ResponseGenerationError", reason])
        })
    ))
})

describe("the built-in job that runs a tool", () => {
  it.scoped("accepts arguments as an object or as JSON text, and decodes numbers and booleans from strings", () =>
    Effect.gen(function*() {
      const { agent, ran } = yield* make()
      const call = (given: unknown) => ran(Jobs.ToolExec.of({ toolId: "book", arguments: given as never }))
      expect(yield* call({ rooms: 1 })).toBe("1 undefined string")
      expect(yield* call("{\"rooms\":\"2\",\"late\":\"true\"}")).toBe("2 true string")
      // Its write is applied with the next message.
      expect((yield* agent.session("s1").snapshot).pendingDirective).toEqual({ dataUpdate: { rooms: 2 } })
      // The tool's checks read it already.
      expect(yield* call({ rooms: 3 })).toEqual(["ToolExecError", "denied", "too many"])
    }))

  it.scoped("fails with the reason if the tool is unknown, refuses the arguments or needs approval", () =>
    Effect.gen(function*() {
      const { ran } = yield* make()
      const call = (toolId: string, given: unknown) => ran(Jobs.ToolExec.of({ toolId, arguments: given as never }))
      expect(yield* call("cancel", {})).toEqual(["ToolExecError", "unknown_tool", "the agent's tools are \"book\""])
      expect(yield* call("book", { rooms: "two" })).toEqual([
        "ToolExecError",
        "invalid",
        expect.stringContaining("rooms")
      ])
      expect(yield* call("book", { rooms: 9 })).toEqual(["ToolExecError", "denied", "too many"])
      expect(yield* call("book", { rooms: 4 })).toEqual([
        "ToolExecError",
        "needs_approval",
        "a person would have to approve it: it is expensive"
      ])
    }))

  it.scoped("stores the files of the tool, and lists the files in the response that reports the result", () =>
    Effect.gen(function*() {
      const bill = kit.tool({
        id: "bill",
        files: { accept: ["text/csv"], maxBytes: 20 },
        handler: (_, { callId }) => ({
          ok: true,
          outputMessage: `billed ${callId}`,
          files: [
            { mediaType: "text/csv", name: "bill.csv", bytes: new TextEncoder().encode("item,price\ntea,3") },
            { mediaType: "text/csv", name: "terms.csv", url: "https://example.com/terms.csv" }
          ]
        })
      })
      const large = kit.tool({
        id: "large",
        handler: () => ({
          ok: true,
          outputMessage: "made",
          files: [{ mediaType: "text/csv", name: "l.csv", bytes: new Uint8Array(9) }]
        })
      })
      const stage = yield* Stage.make()
      const blobs = BlobStore.makeMemory()
      const agent = yield* kit.make({
        name: "Desk",
        tools: [bill, large],
        on: {
          do: ({ event }) => event as object,
          [Jobs.ToolExec.completed]: ({ event, job, session }) => ({
            reply: JSON.stringify({ event, files: session.files?.filter(({ callId }) => callId === job?.id).length })
          }),
          [Jobs.ToolExec.failed]: ({ event }) => told([event._tag, event.reason, event.why])
        }
      }).pipe(Effect.provide(Layer.merge(stage.layer, Layer.succeed(BlobStore.BlobStore, blobs))))
      yield* Layer.build(
        JobRunner.layer([agent]).pipe(
          Layer.provide(Layer.succeed(SessionStore.SessionStore, stage.store.service))
        )
      )
      const responses: Array<TurnResponse.TurnResponse<object, object>> = []
      yield* agent.session("s1").feed.pipe(
        Stream.runForEach((event) =>
          Effect.sync(() => void (event._tag === "TurnCompleted" && responses.push(event.response)))
        ),
        Effect.fork
      )
      yield* TestClock.adjust(0)
      const ask = (toolId: string) =>
        Effect.zipRight(
          agent.notify({ sessionId: "s1", event: "do", payload: { run: Jobs.ToolExec.of({ toolId, arguments: {} }) } }),
          TestClock.adjust("30 seconds")
        )
      yield* ask("bill")
      const [first] = responses.filter(({ message }) => message !== "")
      const [kept, page] = first!.files
      expect(JSON.parse(first!.message)).toEqual({
        event: `billed ${kept!.callId}\n[text/csv: bill.csv] [text/csv: terms.csv]`,
        files: 2
      })
      expect(kept).toMatchObject({ toolId: "bill", name: "bill.csv", size: 16 })
      expect(page).toMatchObject({ toolId: "bill", name: "terms.csv", url: "https://example.com/terms.csv" })
      const { bytes } = Option.getOrThrow(yield* blobs.get("ref" in kept! ? kept.ref : ""))
      expect(new TextDecoder().decode(bytes)).toBe("item,price\ntea,3")
      expect((yield* agent.session("s1").snapshot).files).toEqual(first!.files)
      expect((yield* agent.respond({ sessionId: "s1", message: "thanks" })).files).toEqual([])
      // A job whose files are not accepted fails, and the listed files stay.
      yield* ask("large")
      const last = responses.findLast(({ message }) => message.includes("ToolExecError"))!
      expect(last.message).toContain("its files were not given")
      expect(last.files).toEqual([])
      expect((yield* agent.session("s1").snapshot).files).toHaveLength(2)
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
})

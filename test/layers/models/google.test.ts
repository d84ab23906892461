/** Details that are specific to Gemini in requests and answers. */
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import { describe, expect, it } from "@effect/vitest"
import type { Model } from "coxswain"
import * as Google from "coxswain/layers/google"
import { Duration, Effect, JSONSchema, Schema } from "effect"
import { asking, data, dialect, prompt } from "./asking.js"

const google = (options?: Partial<Google.Options>) => (url: string) =>
  Google.layer({ model: "gemini-3-pro", baseUrl: url, ...options })

const generated = (parts: ReadonlyArray<object>, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0, ...more }],
  usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2, thoughtsTokenCount: 30 },
  modelVersion: "gemini-3-pro-001"
})
const whole = (...args: Parameters<typeof generated>) => JSON.stringify(generated(...args))
const said = whole([{ text: "ok" }])

const lookup: Model.OfferedTool = {
  name: "lookup",
  jsonSchema: JSONSchema.make(Schema.Struct({ q: Schema.optional(Schema.String) }))
}
const result = (...calls: ReadonlyArray<Model.ModelToolCall>) =>
  Prompt.toolMessage({
    content: calls.map(({ id, name }) =>
      Prompt.toolResultPart({ id, name, isFailure: false, result: 42, providerExecuted: false })
    )
  })
const after = ({ content, toolCalls }: Model.ModelAnswer) =>
  Prompt.merge(prompt, Prompt.fromMessages([Prompt.assistantMessage({ content }), result(...toolCalls)]))

interface Sent {
  readonly contents: ReadonlyArray<{ readonly role: string; readonly parts: ReadonlyArray<object> }>
  readonly tools: ReadonlyArray<{ readonly functionDeclarations: ReadonlyArray<Record<string, unknown>> }>
  readonly generationConfig: Record<string, unknown>
}

describe("Google: tool calls", () => {
  it.scopedLive("are sent back with their signature and id, and their results with the same id", () =>
    Effect.gen(function*() {
      const calls = [
        { functionCall: { id: "fc1", name: "lookup", args: { q: "a" } }, thoughtSignature: "sealed" },
        { functionCall: { id: "fc2", name: "lookup", args: {} } }
      ]
      const { ask, server } = yield* asking("google", google(), whole(calls), said)
      const answer = yield* ask({ tools: [lookup] })
      expect(answer.finishReason).toBe("tool-calls")
      yield* ask({ tools: [lookup], prompt: after(answer) })
      const { contents } = server.requests[1]!.body as Sent
      expect(contents.slice(1)).toEqual([{ role: "model", parts: calls }, {
        role: "user",
        parts: ["fc1", "fc2"].map((id) => ({ functionResponse: { id, name: "lookup", response: { result: 42 } } }))
      }])
    }))

  it.scopedLive("without an id get an id in the transcript, which is never sent to Google", () =>
    Effect.gen(function*() {
      const calls = [1, 2].map((q) => ({ functionCall: { name: "lookup", args: { q } }, thoughtSignature: "sealed" }))
      const { ask, server } = yield* asking("google", google(), whole(calls), said)
      const answer = yield* ask({ tools: [lookup] })
      expect(new Set(answer.toolCalls.map(({ id }) => id)).size).toBe(2)
      yield* ask({ tools: [lookup], prompt: after(answer) })
      expect(JSON.stringify((server.requests[1]!.body as Sent).contents)).not.toContain("\"id\"")
    }))

  it.scopedLive("tool calls of another model are sent with a placeholder signature to models that require one", () =>
    Effect.gen(function*() {
      const first = yield* asking(
        "google",
        google({ model: "gemini-2.5-flash" }),
        whole([1, 2].map((q) => ({ functionCall: { name: "lookup", args: { q } }, thoughtSignature: `sealed${q}` })))
      )
      const answer = yield* first.ask({ tools: [lookup] })
      const parts = [1, 2].map((q) => ({ functionCall: { name: "lookup", args: { q } } }))
      const cases = [
        ["gemini-3-pro", [{ ...parts[0], thoughtSignature: "skip_thought_signature_validator" }, parts[1]]],
        ["gemini-flash-latest", [{ ...parts[0], thoughtSignature: "skip_thought_signature_validator" }, parts[1]]],
        ["gemini-2.0-flash", parts]
      ] as const
      for (const [model, expected] of cases) {
        const { ask, server } = yield* asking("google", google({ model }), said)
        yield* ask({ tools: [lookup], prompt: after(answer) })
        expect((server.requests[0]!.body as Sent).contents[1]).toEqual({ role: "model", parts: expected })
      }
    }))

  it.scopedLive("tool calls that are malformed, or that name an unknown tool, are returned as tool calls", () =>
    Effect.gen(function*() {
      const finishMessage = "Malformed function call: print(default_api.lookup(q=)"
      const { ask } = yield* asking(
        "google",
        google(),
        whole([], { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage }),
        whole([{ functionCall: { name: "made_up", args: {} } }], { finishReason: "UNEXPECTED_TOOL_CALL" })
      )
      expect(yield* ask({ tools: [lookup] })).toMatchObject({
        finishReason: "tool-calls",
        toolCalls: [{ name: "lookup", params: finishMessage }]
      })
      expect(yield* ask({ tools: [lookup] })).toMatchObject({
        finishReason: "tool-calls",
        toolCalls: [{ name: "made_up", params: {} }]
      })
    }))

  it.scopedLive("are assembled if the stream contains partial arguments", () =>
    Effect.gen(function*() {
      const piece = (functionCall: object) =>
        data({ candidates: [{ content: { role: "model", parts: [{ functionCall }] } }] })
      const grows = (jsonPath: string, value: object) =>
        piece({ partialArgs: [{ jsonPath, ...value, willContinue: true }], willContinue: true })
      const { stream } = yield* asking(
        "google",
        google(),
        piece({ name: "lookup", willContinue: true }) + grows("$.q", { stringValue: "Bos" }) +
          grows("$.q", { stringValue: "ton" }) + grows("$.at[0].n", { numberValue: 0 }) +
          grows("$['at'][1]", { boolValue: false }) + grows("$.at[99]", { numberValue: 1 }) +
          grows("$.__proto__.x", { numberValue: 1 }) + piece({}) + data(generated([]))
      )
      const answer = yield* stream({ tools: [lookup] })
      expect(answer.toolCalls.map(({ params }) => params)).toEqual([{ q: "Boston", at: [{ n: 0 }, false] }])
      expect("x" in {}).toBe(false)
    }))
})

describe("Google: schemas", () => {
  const schema = JSONSchema.make(Schema.Struct({
    kind: Schema.Literal("a"),
    n: Schema.NullOr(Schema.Int.pipe(Schema.greaterThan(0))),
    pair: Schema.Tuple(Schema.String, Schema.Number),
    sizes: Schema.Record({ key: Schema.String, value: Schema.Number })
  }))

  it.scopedLive("are sent as the subset of JSON Schema that Gemini supports", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("google", google(), whole([{ text: "{}" }]))
      yield* ask({ json: { name: "answer", schema } })
      const { responseJsonSchema, responseMimeType } = (server.requests[0]!.body as Sent).generationConfig
      expect(responseMimeType).toBe("application/json")
      expect(responseJsonSchema).toMatchObject({
        type: "object",
        properties: {
          kind: { type: "string", enum: ["a"] },
          n: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
          pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
          sizes: { type: "object", additionalProperties: { type: "number" } }
        }
      })
    }))

  it.scopedLive("are sent in OpenAPI format to Gemini 2.0, and not at all for tools without parameters", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking(
        "google",
        google({ model: "gemini-2.0-flash" }),
        whole([{ text: "{}" }]),
        said
      )
      yield* ask({ json: { name: "answer", schema } })
      const { responseSchema } = (server.requests[0]!.body as Sent).generationConfig
      expect(responseSchema).toMatchObject({
        type: "OBJECT",
        properties: {
          kind: { type: "STRING", enum: ["a"] },
          n: { type: "INTEGER", minimum: 1, nullable: true },
          pair: { type: "ARRAY", items: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] } }
        }
      })
      yield* ask({ tools: [{ name: "now", jsonSchema: JSONSchema.make(Schema.Struct({})) }] })
      expect((server.requests[1]!.body as Sent).tools[0]!.functionDeclarations).toEqual([{ name: "now" }])
    }))

  it.scopedLive("schemas of tools without parameters are sent as an object without properties", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("google", google(), said)
      yield* ask({ tools: [{ name: "now", jsonSchema: JSONSchema.make(Schema.Struct({})) }] })
      expect((server.requests[0]!.body as Sent).tools[0]!.functionDeclarations).toEqual([
        { name: "now", parametersJsonSchema: { type: "object", properties: {}, additionalProperties: false } }
      ])
    }))
})

describe("Google: answers", () => {
  it.scopedLive("usage includes the tokens of thoughts and of tool use", () =>
    Effect.gen(function*() {
      const { ask } = yield* asking(
        "google",
        google(),
        JSON.stringify({
          ...generated([{ text: "Hm.", thought: true }, { text: "ok" }]),
          usageMetadata: {
            promptTokenCount: 5,
            toolUsePromptTokenCount: 7,
            candidatesTokenCount: 2,
            thoughtsTokenCount: 30,
            cachedContentTokenCount: 1
          }
        })
      )
      expect(yield* ask()).toMatchObject({
        text: "ok",
        reasoning: "Hm.",
        reasoningTokens: 30,
        usage: { inputTokens: 12, outputTokens: 32, cachedInputTokens: 1 }
      })
    }))

  it.scopedLive("a signature that arrives after the text is sent back with the text", () =>
    Effect.gen(function*() {
      const { server, stream } = yield* asking(
        "google",
        google(),
        data({ candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] } }] }) +
          data({ candidates: [{ content: { role: "model", parts: [{ text: "lo" }] } }] }) +
          data(generated([{ text: "", thoughtSignature: "sealed" }])),
        data(generated([{ text: "ok" }]))
      )
      const answer = yield* stream()
      expect(answer.text).toBe("Hello")
      yield* stream({
        prompt: Prompt.merge(
          prompt,
          Prompt.fromMessages([
            Prompt.assistantMessage({ content: answer.content }),
            Prompt.userMessage({ content: [Prompt.textPart({ text: "and?" })] })
          ])
        )
      })
      expect((server.requests[1]!.body as Sent).contents[1]).toEqual({
        role: "model",
        parts: [{ text: "Hello", thoughtSignature: "sealed" }]
      })
    }))

  it.scopedLive("every finish reason that means filtered content fails with `content_filter`", () =>
    Effect.gen(function*() {
      for (const finishReason of ["SAFETY", "PROHIBITED_CONTENT", "RECITATION", "SPII", "IMAGE_SAFETY"]) {
        const answer = { candidates: [{ finishReason }], usageMetadata: { promptTokenCount: 5 } }
        const { ask, stream } = yield* asking("google", google(), JSON.stringify(answer), data(answer))
        for (const each of [ask(), stream()]) {
          expect(yield* Effect.flip(each)).toMatchObject({ reason: "content_filter", retryable: false })
        }
      }
    }))

  it.scopedLive("a stream that breaks off fails; a complete answer is returned, whatever follows in the stream", () =>
    Effect.gen(function*() {
      const begin = data({ candidates: [{ content: { role: "model", parts: [{ text: "Hel" }] } }] })
      const { stream } = yield* asking(
        "google",
        google(),
        begin,
        begin + data(generated([{ text: "lo" }])) + "data: {\"candidates\": nonsense\n\n",
        begin + data(generated([{ text: "lo" }])).trimEnd()
      )
      expect(yield* Effect.flip(stream())).toMatchObject({ reason: "network", retryable: true })
      expect((yield* stream()).text).toBe("Hello")
      expect((yield* stream()).text).toBe("Hello")
    }))

  it.scopedLive("an error response sets the failure's reason and `retryAfter`", () =>
    Effect.gen(function*() {
      const error = (code: number, status: string, details: ReadonlyArray<object>, message = "no") => ({
        error: { code, status, message, details }
      })
      const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }
      const cases = [
        [429, error(429, "RESOURCE_EXHAUSTED", [{ "@type": "Help" }, info]), "rate_limited", Duration.seconds(1.5)],
        [429, error(429, "RESOURCE_EXHAUSTED", []), "rate_limited", undefined],
        [503, error(503, "UNAVAILABLE", []), "overloaded", undefined],
        [400, error(400, "INVALID_ARGUMENT", [], "API key not valid. Please pass one."), "auth", undefined]
      ] as const
      for (const [status, body, reason, retryAfter] of cases) {
        const { ask, server } = yield* asking("google", google())
        server.does = [{ _tag: "Send", text: JSON.stringify(body), status }]
        const failure = yield* Effect.flip(ask())
        expect(failure).toMatchObject({ reason })
        expect("retryAfter" in failure ? failure.retryAfter : undefined).toEqual(retryAfter)
      }
    }))

  it.scopedLive("an error inside a stream fails with the reason of that error", () =>
    Effect.gen(function*() {
      const { stream } = yield* asking(
        "google",
        google(),
        data({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } })
      )
      expect(yield* Effect.flip(stream())).toMatchObject({ reason: "overloaded", retryable: true })
    }))
})

describe("tools that Google's servers run", () => {
  const provided = (name: string) =>
    Tool.providerDefined({
      id: `google.${name}`,
      toolkitName: name,
      providerName: name,
      args: {},
      success: Schema.Unknown,
      failure: Schema.Unknown
    })({})
  const hosted = ["google_search", "code_execution"].map((name) => ({ name, jsonSchema: {}, hosted: provided(name) }))

  it.scopedLive("have their results and sources in the answer, and are sent back unchanged in the next request", () =>
    Effect.gen(function*() {
      const parts = [
        { executableCode: { language: "PYTHON", code: "print(1)" }, thoughtSignature: "sealed" },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } }
      ]
      const groundingMetadata = { groundingChunks: [{ web: { uri: "https://example.com/a", title: "A" } }] }
      const { ask, server } = yield* asking(
        "google",
        google(),
        whole([...parts, { text: "One." }], { groundingMetadata }),
        said
      )
      const answer = yield* ask({ tools: hosted })
      expect(answer.toolCalls).toEqual([])
      expect(answer.sources).toEqual([{ title: "A", url: "https://example.com/a" }])
      expect(answer.content.map(({ type }) => type)).toEqual([
        "tool-call",
        "tool-result",
        "text",
        "tool-call",
        "tool-result"
      ])
      expect(answer.content.at(-1)).toMatchObject({ name: "google_search", providerExecuted: true })
      yield* ask({
        tools: hosted,
        prompt: Prompt.merge(
          prompt,
          Prompt.fromMessages([
            Prompt.assistantMessage({ content: answer.content }),
            Prompt.userMessage({ content: [Prompt.textPart({ text: "and?" })] })
          ])
        )
      })
      const [first, second] = server.requests.map(({ body }) => body as Sent)
      expect(first!.tools).toEqual([{ googleSearch: {} }, { codeExecution: {} }])
      expect(second!.contents[1]!.parts).toEqual([...parts, { text: "One." }])
    }))
})

it("the test server for Google refuses invalid requests with Google's error messages", () => {
  const refused = (body: object) =>
    dialect("google").breach({ contents: [], ...body }, "/v1beta/models/gemini-3-pro:generateContent")
  const user = { role: "user", parts: [{ text: "hi" }] }
  const model = { role: "model", parts: [{ functionCall: { name: "a", args: {} }, thoughtSignature: "s" }] }
  const response = (more: object) => ({
    role: "user",
    parts: [{ functionResponse: { name: "a", response: {}, ...more } }]
  })
  expect(refused({ contents: [user, model, response({})] })).toBeUndefined()
  expect(refused({ contents: [model, response({})] })).toContain("begin with a user turn")
  expect(refused({ contents: [user, model] })).toContain("number of function response parts")
  expect(refused({ contents: [user, response({})] })).toContain("immediately after a function call")
  expect(refused({ contents: [user, model, response({ id: "1" })] })).toContain("does not match")
  expect(refused({ contents: [user, model, response({ response: "x" })] })).toContain("google.protobuf.Struct")
  const unsigned = { role: "model", parts: [{ functionCall: { name: "a", args: {} } }] }
  expect(refused({ contents: [user, unsigned, response({})] })).toContain("thought_signature")
  expect(refused({ contents: [user], generationConfig: { responseSchema: { $ref: "#" } } })).toContain("Unknown name")
  const parametersJsonSchema = { anyOf: [{ type: "object" }] }
  expect(refused({ contents: [user], tools: [{ functionDeclarations: [{ name: "a", parametersJsonSchema }] }] }))
    .toContain("OBJECT")
})

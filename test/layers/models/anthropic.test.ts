/** Details that are specific to Anthropic in requests and answers. */
import * as Prompt from "@effect/ai/Prompt"
import * as Tool from "@effect/ai/Tool"
import { describe, expect, it } from "@effect/vitest"
import type { Model } from "coxswain"
import * as Anthropic from "coxswain/layers/anthropic"
import { Effect, JSONSchema, Schema } from "effect"
import { asking, data, dialect, prompt } from "./asking.js"

const anthropic = (options?: Partial<Anthropic.Options>) => (url: string) =>
  Anthropic.layer({ model: "claude-sonnet-4-5", baseUrl: url, ...options })

const whole = (content: ReadonlyArray<object>, more: object = {}) =>
  JSON.stringify({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content,
    stop_reason: "end_turn",
    usage: { input_tokens: 5, output_tokens: 2 },
    ...more
  })

const said = whole([{ type: "text", text: "ok" }])
const thinking = { type: "enabled", budget_tokens: 2000 } as const
const thought = { type: "thinking", thinking: "Hm.", signature: "sealed" }
const call = { type: "tool_use", id: "toolu_1", name: "lookup", input: { q: "x" } }
const lookup: Model.OfferedTool = { name: "lookup", jsonSchema: { type: "object", properties: {} } }
const answerSchema = JSONSchema.make(Schema.Struct({ city: Schema.String, n: Schema.optional(Schema.Int) }))

const result = (id: string) =>
  Prompt.toolMessage({
    content: [Prompt.toolResultPart({ id, name: "lookup", isFailure: false, result: 42, providerExecuted: false })]
  })

const after = (answer: Model.ModelAnswer, ...more: ReadonlyArray<Prompt.Message>) =>
  Prompt.merge(prompt, Prompt.fromMessages([Prompt.assistantMessage({ content: answer.content }), ...more]))

describe("the thinking of Anthropic's models", () => {
  it.scopedLive("thinking is sent back with its signature when the results of its tool calls are sent", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking(
        "anthropic",
        anthropic({ config: { thinking } }),
        whole([thought, { type: "redacted_thinking", data: "dark" }, call], { stop_reason: "tool_use" }),
        said
      )
      const answer = yield* ask({ tools: [lookup] })
      yield* ask({ tools: [lookup], prompt: after(answer, result("toolu_1")) })
      expect(server.requests[1]!.body).toMatchObject({
        max_tokens: 6096,
        thinking,
        messages: [{}, { role: "assistant", content: [thought, { type: "redacted_thinking", data: "dark" }, call] }, {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "42" }]
        }]
      })
    }))

  it.scopedLive("another model's thinking is not sent; right after that model's tool calls, thinking is disabled", () =>
    Effect.gen(function*() {
      const first = yield* asking("anthropic", anthropic({ config: { thinking } }), whole([thought, call]))
      const answer = yield* first.ask({ tools: [lookup] })
      const second = yield* asking("anthropic", anthropic({ model: "claude-opus-4-5", config: { thinking } }), said)
      yield* second.ask({ tools: [lookup], prompt: after(answer, result("toolu_1")) })
      const sent = second.server.requests[0]!.body as { thinking?: unknown }
      expect(JSON.stringify(sent)).not.toContain("sealed")
      expect(sent.thinking).toBeUndefined()
    }))

  it.scopedLive("thinking stays enabled for a JSON answer if the model supports structured outputs", () =>
    Effect.gen(function*() {
      const config: Anthropic.Config = { thinking: { type: "adaptive" }, output_config: { effort: "low" } }
      const { ask, server } = yield* asking(
        "anthropic",
        anthropic({ config }),
        whole([thought, { type: "text", text: "{\"city\":\"Rome\"}" }])
      )
      const answer = yield* ask({ json: { name: "answer", schema: answerSchema } })
      expect(answer.value).toEqual({ city: "Rome" })
      const sent = server.requests[0]!.body
      expect(sent).toMatchObject({
        thinking: { type: "adaptive" },
        output_config: {
          effort: "low",
          format: {
            type: "json_schema",
            schema: { type: "object", properties: { city: { type: "string" } }, additionalProperties: false }
          }
        }
      })
      expect(sent).not.toHaveProperty("tools")
    }))

  it.scopedLive("thinking is disabled if a JSON answer needs a forced tool instead of structured outputs", () =>
    Effect.gen(function*() {
      const given = whole([{ type: "text", text: "Here: " }, { ...call, name: "answer", input: { city: "Rome" } }], {
        stop_reason: "tool_use"
      })
      const open = JSONSchema.make(Schema.Struct({ city: Schema.Record({ key: Schema.String, value: Schema.String }) }))
      const cases = [["claude-sonnet-4-20250514", answerSchema], ["claude-sonnet-4-5", open]] as const
      for (const [model, schema] of cases) {
        const { ask, server } = yield* asking("anthropic", anthropic({ model, config: { thinking } }), given)
        const answer = yield* ask({ json: { name: "answer", schema } })
        expect(answer.value).toEqual({ city: "Rome" })
        expect(answer.finishReason).toBe("stop")
        expect(server.requests[0]!.body).toMatchObject({
          tool_choice: { type: "tool", name: "answer" },
          max_tokens: 4096
        })
        expect(server.requests[0]!.body).not.toHaveProperty("thinking")
      }
    }))

  it.scopedLive("numeric bounds of a schema are sent as text, because structured outputs refuse them", () =>
    Effect.gen(function*() {
      const schema = JSONSchema.make(Schema.Struct({ n: Schema.Int.pipe(Schema.between(1, 9)) }))
      const { ask, server } = yield* asking(
        "anthropic",
        anthropic({ structuredOutput: "json_schema" }),
        whole([{ type: "text", text: "{\"n\":3}" }])
      )
      expect((yield* ask({ json: { name: "answer", schema } })).value).toEqual({ n: 3 })
      expect(JSON.stringify(server.requests[0]!.body)).toContain("at least 1, at most 9")
    }))
})

describe("Anthropic: requests", () => {
  it.scopedLive("a tool without parameters is sent with an object schema without properties", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("anthropic", anthropic(), said)
      yield* ask({ tools: [{ name: "now", jsonSchema: JSONSchema.make(Schema.Struct({})) }] })
      expect(server.requests[0]!.body).toMatchObject({
        tools: [{ name: "now", input_schema: { type: "object", properties: {}, additionalProperties: false } }]
      })
    }))

  it.scopedLive("a tool schema that is a union of objects is sent as one object schema", () =>
    Effect.gen(function*() {
      const jsonSchema = {
        anyOf: [
          { type: "object", properties: { a: { type: "string" }, k: { type: "string" } }, required: ["a", "k"] },
          { type: "object", properties: { b: { type: "string" }, k: { type: "string" } }, required: ["k"] }
        ]
      }
      const { ask, server } = yield* asking("anthropic", anthropic(), said)
      yield* ask({ tools: [{ name: "either", jsonSchema }] })
      const [tool] = (server.requests[0]!.body as { tools: ReadonlyArray<{ input_schema: object }> }).tools
      expect(tool!.input_schema).toMatchObject({ type: "object", properties: { a: {}, b: {}, k: {} }, required: ["k"] })
    }))

  it.scopedLive("tool parameters may have the names of JSON Schema keywords", () =>
    Effect.gen(function*() {
      const properties = { definitions: { type: "string" }, $defs: { type: "string" }, items: { type: "string" } }
      const top = { type: "object", properties, anyOf: [{ required: ["items"] }, { required: ["$defs"] }] }
      const { ask, server } = yield* asking("anthropic", anthropic(), said)
      yield* ask({ tools: [{ name: "any", jsonSchema: top }] })
      const [tool] = (server.requests[0]!.body as { tools: ReadonlyArray<{ input_schema: object }> }).tools
      expect(tool!.input_schema).toMatchObject({ type: "object", properties })
    }))

  it.scopedLive("in every request, roles alternate, the user begins, and no message is empty", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("anthropic", anthropic(), said)
      yield* ask({
        prompt: Prompt.make([
          { role: "system", content: "" },
          { role: "assistant", content: [{ type: "text", text: "Welcome." }] },
          { role: "user", content: "one" },
          { role: "user", content: [{ type: "text", text: " " }] },
          { role: "user", content: "two" }
        ])
      })
      expect(server.requests[0]!.body).toMatchObject({
        messages: [{ role: "user" }, { role: "assistant" }, {
          role: "user",
          content: [{ text: "one" }, { text: "two" }]
        }]
      })
    }))

  it.scopedLive("images, PDFs and texts become image and document blocks", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("anthropic", anthropic(), said)
      const file = (mediaType: string, data: string | Uint8Array | URL) =>
        Prompt.filePart({ mediaType, data, fileName: "f" })
      yield* ask({
        prompt: Prompt.fromMessages([Prompt.userMessage({
          content: [
            file("image/png", new Uint8Array([1, 2])),
            file("image/*", new URL("https://example.com/a.jpg")),
            file("application/pdf", "data:application/pdf;base64,AQI="),
            file("text/plain", new TextEncoder().encode("hellö"))
          ]
        })])
      })
      const { content } = (server.requests[0]!.body as { messages: [{ content: unknown }] }).messages[0]
      expect(content).toEqual([
        { type: "image", source: { type: "base64", media_type: "image/png", data: "AQI=" } },
        { type: "image", source: { type: "url", url: "https://example.com/a.jpg" } },
        { type: "document", title: "f", source: { type: "base64", media_type: "application/pdf", data: "AQI=" } },
        { type: "document", title: "f", source: { type: "text", media_type: "text/plain", data: "hellö" } }
      ])
    }))
})

const event = (type: string, more: object) => data({ type, ...more })
const begun = event("message_start", { message: { id: "m", model: "c", usage: { input_tokens: 1, output_tokens: 1 } } })
const text = [
  event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Hello" } }),
  event("content_block_stop", { index: 0 })
].join("")
const stopped = event("message_delta", {
  delta: { stop_reason: "end_turn" },
  usage: { input_tokens: 40, cache_read_input_tokens: 2, output_tokens: 9 }
})

describe("Anthropic: streams", () => {
  it.scopedLive("tokens that are reported only at the end are counted", () =>
    Effect.gen(function*() {
      const { stream } = yield* asking("anthropic", anthropic(), begun + text + stopped + event("message_stop", {}))
      expect(yield* stream()).toMatchObject({
        text: "Hello",
        usage: { inputTokens: 42, cachedInputTokens: 2, outputTokens: 9 }
      })
    }))

  it.scopedLive("a complete answer is returned, whatever the stream contains after the answer", () =>
    Effect.gen(function*() {
      const last = ["", "data: {\"type\": nonsense\n\n", event("error", { error: { type: "overloaded_error" } })]
      const { stream } = yield* asking("anthropic", anthropic(), ...last.map((each) => begun + text + stopped + each))
      for (const _ of last) expect((yield* stream()).text).toBe("Hello")
    }))

  it.scopedLive("a stream that breaks off fails with a retryable network error", () =>
    Effect.gen(function*() {
      const { stream } = yield* asking("anthropic", anthropic(), begun + text)
      expect(yield* Effect.flip(stream())).toMatchObject({ reason: "network", retryable: true })
    }))

  it.scopedLive("tool arguments that are not JSON are returned to the caller as a string", () =>
    Effect.gen(function*() {
      const { stream } = yield* asking(
        "anthropic",
        anthropic(),
        begun + event("content_block_start", { index: 0, content_block: { ...call, input: {} } }) +
          event("content_block_delta", {
            index: 0,
            delta: { type: "input_json_delta", partial_json: "{\"q\": oops" }
          }) +
          event("content_block_stop", { index: 0 }) + event("message_delta", { delta: { stop_reason: "tool_use" } })
      )
      expect((yield* stream({ tools: [lookup] })).toolCalls).toEqual([{
        id: "toolu_1",
        name: "lookup",
        params: "{\"q\": oops"
      }])
    }))
})

describe("tools that Anthropic's servers run", () => {
  const search = Tool.providerDefined({
    id: "anthropic.web_search_20250305",
    toolkitName: "search",
    providerName: "web_search",
    args: { max_uses: Schema.Number },
    success: Schema.Unknown,
    failure: Schema.Unknown
  })({ max_uses: 2 })
  const docs = Tool.providerDefined({
    id: "anthropic.mcp",
    toolkitName: "docs",
    providerName: "docs-server",
    args: { url: Schema.String },
    success: Schema.Unknown,
    failure: Schema.Unknown
  })({ url: "https://mcp.example.com" })
  const hosted = [search, docs].map((tool) => ({ name: tool.name, jsonSchema: {}, hosted: tool }))

  it.scopedLive("have their results and sources in the answer, and are sent back unchanged in the next request", () =>
    Effect.gen(function*() {
      const page = { type: "web_search_result", url: "https://example.com/a", title: "A", encrypted_content: "x" }
      const content = [
        { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
        { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [page] },
        { type: "mcp_tool_use", id: "mcptoolu_1", name: "read", server_name: "docs-server", input: {} },
        {
          type: "mcp_tool_result",
          tool_use_id: "mcptoolu_1",
          is_error: true,
          content: [{ type: "text", text: "gone" }]
        },
        {
          type: "text",
          text: "Found.",
          citations: [{ type: "web_search_result_location", url: "https://example.com/b", title: "B" }]
        }
      ]
      const { ask, server } = yield* asking("anthropic", anthropic(), whole(content), said)
      const answer = yield* ask({ tools: hosted })
      expect(answer.toolCalls).toEqual([])
      expect(answer.content.map((part) => [part.type, "name" in part && part.name])).toEqual([
        ["tool-call", "search"],
        ["tool-result", "search"],
        ["tool-call", "docs"],
        ["tool-result", "docs"],
        ["text", false]
      ])
      expect(answer.sources?.map(({ url }) => url)).toEqual(["https://example.com/a", "https://example.com/b"])
      yield* ask({
        tools: hosted,
        prompt: after(answer, Prompt.userMessage({ content: [Prompt.textPart({ text: "and?" })] }))
      })
      expect(server.requests[0]!.headers["anthropic-beta"]).toBe("mcp-client-2025-11-20")
      expect(server.requests[0]!.body).toMatchObject({
        mcp_servers: [{ type: "url", url: "https://mcp.example.com", name: "docs-server" }],
        tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 2 }, {
          type: "mcp_toolset",
          mcp_server_name: "docs-server"
        }]
      })
      const [, again] = (server.requests[1]!.body as { messages: ReadonlyArray<{ content: ReadonlyArray<object> }> })
        .messages
      expect(again!.content.slice(0, 4)).toEqual(content.slice(0, 4))
    }))

  it.scopedLive("are refused without a request if the tool belongs to another vendor", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("anthropic", anthropic(), said)
      const tool = Tool.providerDefined({ id: "openai.web_search", toolkitName: "w", providerName: "w", args: {} })({})
      const failure = yield* Effect.flip(ask({ tools: [{ name: "w", jsonSchema: {}, hosted: tool }] }))
      expect(failure).toMatchObject({ reason: "invalid_request" })
      expect(failure.message).toContain("offer it to models of openai only")
      expect(server.requests).toHaveLength(0)
    }))
})

it.scopedLive("Anthropic: an error inside a response with status 200 fails with the reason of that error", () =>
  Effect.gen(function*() {
    const error = { type: "error", error: { type: "rate_limit_error", message: "slow down" } }
    const { ask, stream } = yield* asking("anthropic", anthropic(), JSON.stringify(error), begun + data(error))
    for (const each of [ask(), stream()]) expect(yield* Effect.flip(each)).toMatchObject({ reason: "rate_limited" })
  }))

it("the test server for Anthropic refuses invalid requests with Anthropic's error messages", () => {
  const refused = (body: object) =>
    dialect("anthropic").breach({ max_tokens: 1, messages: [], ...body }, "/v1/messages")
  const user = { role: "user", content: [{ type: "text", text: "hi" }] }
  const assistant = { role: "assistant", content: [call] }
  const tools = [{ name: "lookup", input_schema: { type: "object" } }]
  const answered = { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "x" }] }
  expect(refused({ messages: [user] })).toBeUndefined()
  expect(refused({ messages: [user, assistant, answered], tools })).toBeUndefined()
  expect(refused({ messages: [user, user] })).toContain("roles must alternate")
  expect(refused({ messages: [assistant] })).toContain("first message")
  expect(refused({ messages: [user, assistant, user], tools })).toContain("without `tool_result`")
  expect(refused({ messages: [user, assistant, answered] })).toContain("must define tools")
  expect(refused({ messages: [answered], tools })).toContain("unexpected `tool_use_id`")
  expect(refused({ messages: [user], tools: [{ name: "a", input_schema: { anyOf: [] } }] })).toContain(
    "schema must be a JSON Schema"
  )
  expect(refused({ messages: [user], tools, tool_choice: { type: "any" }, thinking })).toContain("forces tool use")
})

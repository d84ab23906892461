/** Behaviour of particular servers. */
import * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Model } from "coxswain"
import * as Anthropic from "coxswain/layers/anthropic"
import * as Google from "coxswain/layers/google"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import * as OpenRouter from "coxswain/layers/openrouter"
import { Config, ConfigProvider, Context, Duration, Effect, JSONSchema, Layer, Redacted, Schema } from "effect"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { asking, data, dialect, prompt } from "../../layers/models/asking.js"
import type { dialects } from "../../layers/models/dialects.js"
import { serve } from "../../layers/models/server.js"

const compatible = (options?: Partial<OpenAiCompatible.Options>) => (url: string) =>
  OpenAiCompatible.layer({ model: "m", baseUrl: url, ...options })
const completion = (message: object, finish_reason = "stop") =>
  JSON.stringify({ choices: [{ index: 0, message, finish_reason }] })
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta, finish_reason }] })

const results = (...ids: ReadonlyArray<string>) =>
  Prompt.toolMessage({
    content: ids.map((id) =>
      Prompt.toolResultPart({ id, name: "a", isFailure: false, result: "done", providerExecuted: false })
    )
  })

describe("openai-compatible, differences between servers", () => {
  it.scopedLive("reads a stream without [DONE] or call ids, and with all arguments in one chunk", () =>
    Effect.gen(function*() {
      const call = (name: string, args: unknown) => chunk({ tool_calls: [{ function: { name, arguments: args } }] })
      const { stream } = yield* asking(
        "openai-compatible",
        compatible(),
        chunk({ tool_calls: [{ index: 0, function: { name: "a", arguments: { x: 1 } } }] }) +
          chunk({ tool_calls: [{ index: 1, function: { name: "b", arguments: "" } }] }) + chunk({}, "stop"),
        call("a", "{\"x\":") + chunk({ tool_calls: [{ function: { arguments: "1}" } }] }, "tool_calls")
      )
      const answer = yield* stream()
      expect(answer.toolCalls.map(({ name, params }) => [name, params])).toEqual([["a", { x: 1 }], ["b", {}]])
      expect(new Set(answer.toolCalls.map(({ id }) => id)).size).toBe(2)
      expect(answer.toolCalls.every(({ id }) => id.length > 0)).toBe(true)
      expect(answer.finishReason).toBe("tool-calls")
      expect((yield* stream()).toolCalls.map(({ params }) => params)).toEqual([{ x: 1 }])
    }))

  it.scopedLive("returns arguments that are not JSON to the caller as a string", () =>
    Effect.gen(function*() {
      const { ask } = yield* asking(
        "openai-compatible",
        compatible(),
        completion({ tool_calls: [{ id: "c1", function: { name: "a", arguments: "{oops" } }] })
      )
      expect((yield* ask()).toolCalls).toEqual([{ id: "c1", name: "a", params: "{oops" }])
    }))

  it.scopedLive("reads `reasoning`, content in parts, and a refusal", () =>
    Effect.gen(function*() {
      const { ask } = yield* asking(
        "openai-compatible",
        compatible(),
        completion({ reasoning: "hm", content: [{ type: "text", text: "Hello " }, { type: "text", text: "you" }] }),
        completion({ content: null, refusal: "I cannot do that." })
      )
      const answer = yield* ask()
      expect(answer.text).toBe("Hello you")
      expect(answer.content.map(({ type }) => type)).toEqual(["reasoning", "text"])
      expect((yield* ask()).text).toBe("I cannot do that.")
    }))

  it.scopedLive("fails for an error with status 200", () =>
    Effect.gen(function*() {
      const { ask } = yield* asking(
        "openai-compatible",
        compatible(),
        JSON.stringify({ error: { code: 402, message: "Insufficient credits" } })
      )
      expect(yield* Effect.flip(ask())).toMatchObject({ reason: "auth", why: "402 Insufficient credits" })
    }))

  it.scopedLive("sends Gemini's extra_content back with its calls", () =>
    Effect.gen(function*() {
      const extra_content = { google: { thought_signature: "s1" } }
      const call = { id: "c1", type: "function", function: { name: "a", arguments: "{}" }, extra_content }
      const { ask, server } = yield* asking(
        "openai-compatible",
        compatible(),
        completion({ tool_calls: [call] }),
        completion({ content: "ok" })
      )
      const { content } = yield* ask()
      yield* ask({
        prompt: Prompt.merge(prompt, Prompt.fromMessages([Prompt.assistantMessage({ content }), results("c1")]))
      })
      expect(server.requests[1]!.body).toMatchObject({ messages: [{}, {}, { tool_calls: [{ extra_content }] }, {}] })
    }))

  it.scopedLive("puts later system messages in `<system-note>` tags, and adds configured body fields and headers", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking(
        "openai-compatible",
        compatible({ body: { temperature: 0 }, headers: { "x-team": "blue" } }),
        completion({ content: "ok" })
      )
      yield* ask({
        prompt: Prompt.make([
          { role: "system", content: "A" },
          { role: "user", content: "one" },
          { role: "system", content: "B" },
          { role: "user", content: "two" }
        ])
      })
      expect(server.requests[0]!.body).toEqual({
        model: "m",
        temperature: 0,
        messages: [
          { role: "system", content: expect.stringMatching(/^A\nLater system messages stand in the user's turns/) },
          { role: "user", content: "one\n\n<system-note>\nB\n</system-note>\ntwo" }
        ]
      })
      expect(server.requests[0]!.headers["x-team"]).toBe("blue")
      expect(server.requests[0]!.headers.authorization).toBeUndefined()
    }))

  it.scopedLive("leaves out a field that is configured as undefined", () =>
    Effect.gen(function*() {
      const { server, stream } = yield* asking(
        "openai-compatible",
        compatible({ body: { stream_options: undefined } }),
        chunk({ content: "ok" }, "stop")
      )
      expect((yield* stream()).text).toBe("ok")
      expect(server.requests[0]!.body).not.toHaveProperty("stream_options")
    }))

  for (const structuredOutput of ["json_object", "prompt"] as const) {
    it.scopedLive(`gets structured output by ${structuredOutput}`, () =>
      Effect.gen(function*() {
        const { ask, server } = yield* asking(
          "openai-compatible",
          compatible({ structuredOutput }),
          completion({ content: "```json\n{\"x\":1}\n```" })
        )
        const schema = { type: "object", properties: { x: { type: "number" } } }
        expect((yield* ask({ json: { name: "answer", schema } })).value).toEqual({ x: 1 })
        const body = server.requests[0]!.body as { readonly messages: ReadonlyArray<{ readonly content: string }> }
        expect(body.messages[0]!.content).toContain(`It must match this JSON schema:\n${JSON.stringify(schema)}`)
        expect(body).toMatchObject(structuredOutput === "prompt" ? {} : { response_format: { type: "json_object" } })
        expect("response_format" in body).toBe(structuredOutput === "json_object")
      }))
  }
})

describe("OpenAI models", () => {
  const openai = (url: string) => OpenAi.layer({ model: "gpt-x", baseUrl: url })
  const response = (said: Parameters<typeof dialects[number]["whole"]>[0], more: object) => ({
    ...dialect("openai").whole(said),
    ...more
  })
  const failed = response({}, { status: "failed", error: { code: "server_error", message: "it broke" } })
  const refusal = { type: "refusal", refusal: "I cannot do that." }
  const message = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [refusal] }

  it.scopedLive("reports a response with the status \"failed\" as a retryable failure", () =>
    Effect.gen(function*() {
      const event = data({ type: "response.failed", sequence_number: 1, response: failed })
      const { ask, stream } = yield* asking("openai", openai, JSON.stringify(failed), event)
      for (const each of [ask(), stream()]) {
        expect(yield* Effect.flip(each)).toMatchObject({ reason: "overloaded", why: "it broke", retryable: true })
      }
    }))

  it.scopedLive("returns a refusal as the answer's text", () =>
    Effect.gen(function*() {
      const at = { sequence_number: 1, output_index: 0 }
      const { ask, stream } = yield* asking(
        "openai",
        openai,
        JSON.stringify(response({}, { output: [message] })),
        data({ ...at, type: "response.output_item.added", item: { ...message, content: [], status: "in_progress" } }) +
          data({ ...at, type: "response.refusal.delta", item_id: "msg_1", content_index: 0, delta: refusal.refusal }) +
          data({ ...at, type: "response.output_item.done", item: message }) +
          data({ type: "response.completed", sequence_number: 2, response: response({}, { output: [message] }) })
      )
      expect((yield* ask()).text).toBe("I cannot do that.")
      expect((yield* stream()).text).toBe("I cannot do that.")
    }))

  it.scopedLive("sets prompt_cache_key according to the stable prefix, unless `PromptCache` is false", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("openai", openai, JSON.stringify(dialect("openai").whole({ text: "ok" })))
      yield* ask()
      yield* ask({ prompt: Prompt.merge(prompt, Prompt.make("more")) })
      yield* Effect.provideService(ask(), Model.PromptCache, false)
      const keys = server.requests.map(({ body }) => (body as { prompt_cache_key?: string }).prompt_cache_key)
      expect(keys[0]).toMatch(/^coxswain-/)
      expect(keys).toEqual([keys[0], keys[0], undefined])
    }))
})

describe("Anthropic models", () => {
  const anthropic = (url: string) => Anthropic.layer({ model: "claude-x", baseUrl: `${url}/v1` })
  const said = JSON.stringify(dialect("anthropic").whole({ text: "ok" }))

  it.scopedLive("marks the first system message for caching, unless `PromptCache` is false", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("anthropic", anthropic, said)
      const two = Prompt.make([
        { role: "system", content: "A" },
        { role: "user", content: "one" },
        { role: "assistant", content: [] },
        { role: "system", content: "B" }
      ])
      yield* ask({ prompt: two })
      yield* Effect.provideService(ask({ prompt: two }), Model.PromptCache, false)
      expect(server.requests[0]!.body).toMatchObject({
        system: [{ text: expect.stringMatching(/^A\n/), cache_control: { type: "ephemeral" } }],
        messages: [{ role: "user", content: [{ text: "one" }, { text: "<system-note>\nB\n</system-note>" }] }]
      })
      expect(JSON.stringify(server.requests[1]!.body)).not.toContain("cache_control")
    }))

  it.scopedLive("accepts another provider's transcript, and declares the called tools if no tools are offered", () =>
    Effect.gen(function*() {
      const { ask, server } = yield* asking("anthropic", anthropic, said)
      const history = Prompt.fromMessages([
        Prompt.assistantMessage({
          content: [Prompt.toolCallPart({ id: "functions.a:0", name: "a", params: "{oops", providerExecuted: false })]
        }),
        Prompt.toolMessage({
          content: [Prompt.toolResultPart({
            id: "functions.a:0",
            name: "a",
            isFailure: true,
            result: "no JSON",
            providerExecuted: false
          })]
        })
      ])
      yield* ask({ prompt: Prompt.merge(prompt, history) })
      yield* ask({ prompt: Prompt.merge(prompt, history), tools: [{ name: "b", jsonSchema: { type: "object" } }] })
      const tool_use = { type: "tool_use", id: "functions_a_0", name: "a", input: { arguments: "{oops" } }
      expect(server.requests[0]!.body).toMatchObject({
        tools: [{ name: "a", input_schema: { type: "object" } }],
        tool_choice: { type: "none" },
        messages: [{}, { content: [tool_use] }, { content: [{ type: "tool_result", tool_use_id: "functions_a_0" }] }]
      })
      expect(server.requests[1]!.body).toMatchObject({ tools: [{ name: "b" }], tool_choice: { type: "auto" } })
    }))

  it.scopedLive("classifies an error response with an unknown body by the HTTP status", () =>
    Effect.gen(function*() {
      const server = yield* serve({ ...dialect("anthropic"), refusal: () => ({ proxy: "says no" }) })
      server.does = [{ _tag: "Refuse", status: 403 }]
      const model = Context.get(yield* Layer.build(Layer.provide(Model.layer, anthropic(server.url))), Model.Model)
      const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
      expect(yield* Effect.flip(model.ask({ purpose: "speak", prompt, limits }))).toMatchObject({ reason: "auth" })
    }))
})

describe("Google models", () => {
  const google = (url: string) => Google.layer({ model: "gemini-x", baseUrl: `${url}/v1beta` })

  it.scopedLive("fails with `content_filter` if the prompt was blocked", () =>
    Effect.gen(function*() {
      const blocked = { promptFeedback: { blockReason: "SAFETY" } }
      const { ask, stream } = yield* asking("google", google, JSON.stringify(blocked), data(blocked))
      for (const each of [ask(), stream()]) {
        expect(yield* Effect.flip(each)).toMatchObject({ reason: "content_filter", retryable: false })
      }
    }))

  it.scopedLive("inlines references in schemas, and wraps results that are not objects", () =>
    Effect.gen(function*() {
      interface Tree {
        readonly kids: ReadonlyArray<Tree>
      }
      const Tree: Schema.Schema<Tree> = Schema.Struct({ kids: Schema.Array(Schema.suspend(() => Tree)) })
        .annotations({ identifier: "Tree" })
      const jsonSchema = JSONSchema.make(Schema.Struct({ n: Schema.Int, tree: Tree }))
      const { ask, server } = yield* asking(
        "google",
        google,
        JSON.stringify(dialect("google").whole({ text: "ok" })),
        JSON.stringify(dialect("google").whole({ json: { n: 1 } }))
      )
      const result = { name: "a", providerExecuted: false }
      const call = { ...result, params: "oops" }
      yield* ask({
        prompt: Prompt.merge(
          prompt,
          Prompt.fromMessages([
            Prompt.assistantMessage({
              content: [Prompt.toolCallPart({ ...call, id: "c1" }), Prompt.toolCallPart({ ...call, id: "c2" })]
            }),
            Prompt.toolMessage({
              content: [
                Prompt.toolResultPart({ ...result, id: "c1", isFailure: false, result: "fine" }),
                Prompt.toolResultPart({ ...result, id: "c2", isFailure: true, result: "bad" })
              ]
            })
          ])
        ),
        tools: [{ name: "a", jsonSchema }]
      })
      const sent = JSON.stringify(server.requests[0]!.body)
      expect(sent).toContain("{\"result\":\"fine\"}")
      expect(sent).toContain("{\"error\":\"bad\"}")
      expect(sent).toContain("\"args\":{\"arguments\":\"oops\"}")
      expect(sent).not.toContain("$ref")
      expect(sent).toContain("\"n\":{\"type\":\"integer\"")
      expect((yield* ask({ json: { name: "a", schema: jsonSchema } })).value).toEqual({ n: 1 })
    }))
})

describe("the settings of a model layer", () => {
  const build = (layer: Layer.Layer<LanguageModel.LanguageModel, unknown>, variables: Record<string, string>) =>
    Effect.exit(Layer.build(layer)).pipe(
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))),
      Effect.map(({ _tag }) => _tag)
    )

  it.scoped("need the provider's key if the provider's default address is used", () =>
    Effect.gen(function*() {
      const layers = [
        [OpenAi.layer({ model: "m" }), "OPENAI"],
        [Anthropic.layer({ model: "m" }), "ANTHROPIC"],
        [Google.layer({ model: "m" }), "GOOGLE"],
        [OpenRouter.layer({ model: "m" }), "OPENROUTER"]
      ] as const
      for (const [layer, name] of layers) {
        expect(yield* build(layer, {})).toBe("Failure")
        expect(yield* build(layer, { [`${name}_API_KEY`]: "k" })).toBe("Success")
        if (name !== "OPENROUTER") expect(yield* build(layer, { [`${name}_BASE_URL`]: "http://x" })).toBe("Success")
      }
      expect(yield* build(OpenAi.layer({ model: "m", apiKey: Config.redacted("MINE") }), { MINE: "k" })).toBe("Success")
      expect(yield* build(OpenAi.layer({ model: "m", apiKey: Redacted.make("k") }), {})).toBe("Success")
      expect(yield* build(OpenAiCompatible.layer({ model: "m", baseUrl: Config.string("URL") }), { URL: "http://x" }))
        .toBe("Success")
    }))
})

describe("embedding models", () => {
  const server = Effect.acquireRelease(
    Effect.async<{ readonly url: string; readonly bodies: Array<unknown>; readonly close: () => void }>((resume) => {
      const bodies: Array<unknown> = []
      const server = http.createServer((request, response) => {
        let text = ""
        request.on("data", (chunk) => text += String(chunk))
        request.on("end", () => {
          const body = JSON.parse(text) as { readonly input: ReadonlyArray<string> }
          bodies.push({ url: request.url, ...body })
          response.writeHead(200, { "content-type": "application/json" })
          response.end(JSON.stringify({
            object: "list",
            model: "e",
            usage: { prompt_tokens: 1, total_tokens: 1 },
            data: body.input.map((input, index) => ({ object: "embedding", index, embedding: [input.length, 1] }))
          }))
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({
          url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
          bodies,
          close: () => server.close()
        })))
    }),
    ({ close }) => Effect.sync(close)
  )
  const layers = {
    openai: (url: string) => OpenAi.layerEmbedding({ model: "e", baseUrl: url }),
    "openai-compatible": (url: string) => OpenAiCompatible.layerEmbedding({ model: "e", baseUrl: url }),
    openrouter: (url: string) => OpenRouter.layerEmbedding({ model: "e", baseUrl: url, apiKey: Redacted.make("k") })
  }
  for (const [name, layer] of Object.entries(layers)) {
    it.scopedLive(`${name} sends many texts in one request`, () =>
      Effect.gen(function*() {
        const { bodies, url } = yield* server
        const context = yield* Layer.build(layer(url))
        const model = Context.get(context, EmbeddingModel.EmbeddingModel)
        expect(yield* model.embedMany(["a", "bbb"])).toEqual([[1, 1], [3, 1]])
        expect(bodies).toEqual([{ url: "/v1/embeddings", model: "e", input: ["a", "bbb"] }])
      }))
  }
})

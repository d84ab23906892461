/** One client of `@effect/ai-openai` shared by several models, and reasoning items of another server. */
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiConfig from "@effect/ai-openai/OpenAiConfig"
import * as OpenAiEmbeddingModel from "@effect/ai-openai/OpenAiEmbeddingModel"
import * as EmbeddingModel from "@effect/ai/EmbeddingModel"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import { Model, Models } from "coxswain"
import * as OpenAi from "coxswain/layers/openai"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import * as esbuild from "esbuild"
import { dialect } from "./asking.js"
import type { Behaviour } from "./server.js"
import { serve } from "./server.js"

const key = "sk-of-this-application-0123456789"
const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
const openai = dialect("openai")
const say: Behaviour = { _tag: "Say", said: { text: "Yes." } }

const tagged = (name: string, value: string) => HttpClient.mapRequest(HttpClientRequest.setHeader(name, value))

/** A client as an application makes it without this library. */
const clientOf = (url: string) =>
  OpenAiClient.layer({ apiKey: Redacted.make(key), apiUrl: `${url}/v1`, transformClient: tagged("x-by", "app") }).pipe(
    Layer.provide(FetchHttpClient.layer)
  )

/** The imports of `@effect/ai-openai` in a module, with their kind. */
const importsOf = (module: string) =>
  Effect.map(
    Effect.promise(() =>
      esbuild.build({
        ...{ entryPoints: [module], bundle: true, write: false, metafile: true, format: "esm", logLevel: "silent" },
        ...{ packages: "external", outdir: "out" }
      })
    ),
    ({ metafile }) =>
      Object.values(metafile.outputs).flatMap(({ imports }) =>
        imports.flatMap(({ kind, path }) => path.startsWith("@effect/ai-openai") ? [[kind, path]] : [])
      )
  )

it.effect("the package @effect/ai-openai is loaded only when a client is built", () =>
  Effect.gen(function*() {
    const dynamic = ["dynamic-import", "@effect/ai-openai/OpenAiClient"]
    expect(yield* importsOf("src/layers/models/OpenAi.ts")).toEqual([dynamic])
    for (const module of ["src/index.ts", "src/layers/models/OpenAiCompatible.ts", "src/layers/models/OpenRouter.ts"]) {
      expect([module, yield* importsOf(module)]).toEqual([module, []])
    }
  }))

describe("an `OpenAiClient` that the application provides", () => {
  it.scopedLive("serves two models and an embedding model with one client, key and address", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      const embedding = { object: "list", model: "e", usage: { prompt_tokens: 1, total_tokens: 1 } }
      const data = [{ object: "embedding", index: 0, embedding: [1, 2] }]
      server.does = [say, say, { _tag: "Send", text: JSON.stringify({ ...embedding, data }) }]
      const uses = Layer.merge(
        Models.layer({ small: OpenAi.model({ model: "small" }), large: OpenAi.model({ model: "large" }) }),
        OpenAiEmbeddingModel.layerBatched({ model: "text-embedding-3-small" })
      )
      const context = yield* Layer.build(Layer.provide(uses, clientOf(server.url)))
      const model = Context.get(context, Model.Model)
      for (const alias of ["small", "large"]) {
        const answer = yield* model.ask({ purpose: "speak", alias, prompt: Prompt.make("hello"), limits })
        expect(answer.text).toBe("Yes.")
      }
      expect(yield* Context.get(context, EmbeddingModel.EmbeddingModel).embed("hello")).toEqual([1, 2])
      expect(server.requests.map(({ headers, url }) => [url, headers["x-by"], headers.authorization])).toEqual([
        ["/v1/responses", "app", `Bearer ${key}`],
        ["/v1/responses", "app", `Bearer ${key}`],
        ["/v1/embeddings", "app", `Bearer ${key}`]
      ])
      expect(server.requests.map(({ body }) => (body as { readonly model: string }).model)).toEqual([
        "small",
        "large",
        "text-embedding-3-small"
      ])
    }))

  it.scopedLive("`withClientTransform` changes the client only for the calls inside the wrapped effect", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      server.does = [say]
      const layer = Layer.provide(OpenAi.model({ model: "gpt-x" }), clientOf(server.url))
      const model = Context.get(yield* Layer.build(layer), LanguageModel.LanguageModel)
      yield* model.generateText({ prompt: "hello" }).pipe(OpenAiConfig.withClientTransform(tagged("x-call", "one")))
      yield* model.generateText({ prompt: "hello" })
      expect(server.requests.map(({ headers }) => [headers["x-by"], headers["x-call"]])).toEqual([
        ["app", "one"],
        ["app", undefined]
      ])
    }))

  it.scopedLive("a failure does not contain the API key, even if the server repeats the key", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      const layer = Layer.provide(OpenAi.model({ model: "gpt-x" }), clientOf(server.url))
      const model = Context.get(yield* Layer.build(layer), LanguageModel.LanguageModel)
      const told: ReadonlyArray<Behaviour> = [
        { _tag: "Refuse", status: 401, message: `Incorrect API key provided: ${key}` },
        { _tag: "Raw", body: `no JSON, ${key}` }
      ]
      for (const does of told) {
        server.does = [does]
        const error = yield* Effect.flip(model.generateText({ prompt: "hello" }))
        expect(`${error} ${JSON.stringify(error)}`).not.toContain(key)
      }
    }))

  it.scopedLive("`OpenAi.layer` also provides an `OpenAiClient`, with `transformClient` applied", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      server.does = [say]
      const layer = OpenAi.layer({
        model: "gpt-x",
        baseUrl: `${server.url}/v1`,
        apiKey: Redacted.make(key),
        projectId: Redacted.make("p1"),
        transformClient: tagged("x-by", "ours")
      })
      const context = yield* Layer.build(Layer.provideMerge(Layer.fresh(OpenAi.model({ model: "other" })), layer))
      yield* Context.get(context, LanguageModel.LanguageModel).generateText({ prompt: "hello" })
      expect(server.requests[0]).toMatchObject({
        body: { model: "other" },
        headers: { "x-by": "ours", "openai-project": "p1" }
      })
    }))

  it.scopedLive("`layerEmbedding` builds an embedding model with the given address and key", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      server.does = [{ _tag: "Send", text: JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }) }]
      const layer = OpenAi.layerEmbedding({ model: "e", baseUrl: `${server.url}/v1`, apiKey: Redacted.make(key) })
      const model = Context.get(yield* Layer.build(layer), EmbeddingModel.EmbeddingModel)
      expect(yield* model.embed("hello")).toEqual([3, 4])
      expect(server.requests[0]!.headers.authorization).toBe(`Bearer ${key}`)
    }))
})

type Item = Readonly<Record<string, unknown>>

/** A server that refuses, by id, reasoning items that it does not know. */
const remembering = (known: Set<unknown>) => ({
  ...openai,
  breach: (body: unknown, url: string) => {
    const { input = [] } = body as { readonly input?: ReadonlyArray<Item> }
    const foreign = input.find(({ encrypted_content, id }) => id !== undefined && !known.has(encrypted_content))
    if (foreign === undefined) return openai.breach(body, url)
    return foreign.encrypted_content === undefined
      ? `Item with id '${foreign.id}' not found. Items are not persisted when \`store\` is set to false.`
      : `The encrypted content for item ${foreign.id} could not be verified.`
  }
})

const thought = (n: number, more: Item = { encrypted_content: `gAAAA${n}` }) => ({
  type: "reasoning",
  id: `rs_${n}`,
  summary: [{ type: "summary_text", text: "Let me see." }],
  ...more
})

const whole = (...output: ReadonlyArray<Item>) => JSON.stringify({ id: "r", status: "completed", output })
const text = { type: "message", id: "msg_1", content: [{ type: "output_text", text: "Yes." }] }

/** Two servers with a model of the same name. Each knows the reasoning items in its set. */
const two = (known: readonly [Set<unknown>, Set<unknown>]) =>
  Effect.gen(function*() {
    const first = yield* serve(remembering(known[0]))
    const second = yield* serve(remembering(known[1]))
    const of = (url: string) => OpenAi.layer({ model: "gpt-5", baseUrl: `${url}/v1` })
    const models = Models.layer({ first: of(first.url), second: of(second.url) }, { attempts: 1 })
    const model = Context.get(yield* Layer.build(models), Model.Model)
    let prompt = Prompt.make("hello")
    const turn = (alias: "first" | "second", streamed = false) =>
      Effect.gen(function*() {
        const onPart = () => Effect.void
        const answer = yield* model.ask({ purpose: "speak", alias, prompt, limits, ...(streamed && { onPart }) })
        const said = Prompt.fromMessages([Prompt.assistantMessage({ content: answer.content })])
        prompt = Prompt.merge(Prompt.merge(prompt, said), Prompt.make("and?"))
        return answer
      })
    return { first, second, turn }
  })

const items = (body: unknown) =>
  (body as { readonly input: ReadonlyArray<Item> }).input.filter(({ id }) => id !== undefined)

describe("a reasoning item of OpenAI", () => {
  it.scopedLive("is requested with its encrypted content and sent back to the same deployment only", () =>
    Effect.gen(function*() {
      const { first, second, turn } = yield* two([new Set(["gAAAA1"]), new Set()])
      first.does = [{ _tag: "Send", text: whole(thought(1), text) }]
      second.does = [{ _tag: "Send", text: whole(text) }]
      yield* turn("first")
      yield* turn("second")
      yield* turn("first")
      expect(first.requests[0]!.body).toMatchObject({ include: ["reasoning.encrypted_content"] })
      expect(second.requests.map(({ body }) => items(body))).toEqual([[]])
      expect(items(first.requests[1]!.body)).toEqual([thought(1)])
    }))

  it.scopedLive("without encrypted content is not sent back", () =>
    Effect.gen(function*() {
      const { first, turn } = yield* two([new Set(), new Set()])
      first.does = [{ _tag: "Send", text: whole(thought(1, {}), text) }]
      yield* turn("first")
      yield* turn("first")
      expect(items(first.requests[1]!.body)).toEqual([])
    }))

  for (const streamed of [false, true]) {
    it.scopedLive(`is dropped if the server refuses the item, and the request is repeated${streamed ? ", streamed" : ""}`, () =>
      Effect.gen(function*() {
        const known = new Set<unknown>(["gAAAA1"])
        const { first, turn } = yield* two([known, new Set()])
        first.does = [{ _tag: "Send", text: whole(thought(1), text) }, say]
        yield* turn("first")
        // The server has forgotten it.
        known.clear()
        expect((yield* turn("first", streamed)).text).toBe("Yes.")
        expect(first.requests.slice(1).map(({ body }) => items(body).length)).toEqual([1, 0])
        // It is never sent again; newer items are.
        first.does = [{ _tag: "Send", text: whole(thought(2), text) }, say]
        known.add("gAAAA2")
        yield* turn("first")
        yield* turn("first", streamed)
        expect(first.requests.slice(3).map(({ body }) => items(body))).toEqual([[], [thought(2)]])
      }))
  }

  it.scopedLive("a reasoning item that the server cannot find is dropped, and the request repeated once; other refusals are final", () =>
    Effect.gen(function*() {
      const { first, turn } = yield* two([new Set(["gAAAA1"]), new Set()])
      const refuse = (message: string): Behaviour => ({ _tag: "Refuse", status: 400, message })
      first.does = [{ _tag: "Send", text: whole(thought(1), text) }, refuse("Unknown parameter: 'x'")]
      yield* turn("first")
      yield* Effect.flip(turn("first"))
      expect(first.requests).toHaveLength(2)
      first.does = [refuse("Item with id 'rs_1' not found.")]
      yield* Effect.flip(turn("first"))
      expect(first.requests).toHaveLength(4)
      // No item is left to drop.
      yield* Effect.flip(turn("first"))
      expect(first.requests).toHaveLength(5)
    }))
})

/** Provider-executed tools: offered unchanged, never run here, kept in the transcript with their sources. */
import * as OpenAiTool from "@effect/ai-openai/OpenAiTool"
import * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import * as Toolkit from "@effect/ai/Toolkit"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Model, Models } from "coxswain"
import * as OpenAi from "coxswain/layers/openai"
import { Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import * as CountingStore from "../../support/CountingStore.js"
import { dialects } from "./dialects.js"
import { serve } from "./server.js"

const openai = dialects.find(({ name }) => name === "openai")!
const toolkit = Toolkit.make(OpenAiTool.WebSearch({ search_context_size: "low" }))
const kit = Agent.define({ data: Schema.Struct({}) })

const action = { type: "search", query: "effect" }
const search = { type: "web_search_call", id: "ws_1", status: "completed", action }
const sources = [{ title: "A page", url: "https://example.com/" }]
const message = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{
    type: "output_text",
    text: "Found.",
    annotations: [{ type: "url_citation", title: "A page", url: "https://example.com/", start_index: 0, end_index: 1 }]
  }]
}
const answer = {
  id: "resp_1",
  status: "completed",
  model: "gpt-x",
  output: [search, message],
  usage: { input_tokens: 11, output_tokens: 7 }
}
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const events = [
  event({ type: "response.output_item.done", output_index: 0, item: search }),
  event({ type: "response.output_text.delta", item_id: "msg_1", content_index: 0, delta: "Found." }),
  event({ type: "response.output_item.done", output_index: 1, item: message }),
  event({ type: "response.completed", response: answer })
].join("")

describe("a tool that the provider executes", () => {
  for (const mode of ["respond", "stream"] as const) {
    it.scopedLive(`is offered; the transcript contains the tool's call, result and sources: ${mode}`, () =>
      Effect.gen(function*() {
        const server = yield* serve(openai)
        const text = mode === "respond" ? JSON.stringify(answer) : events
        server.does = [{ _tag: "Send", text }]
        const store = yield* CountingStore.make
        const agent = yield* kit.make({
          name: "Test",
          toolkits: [toolkit],
          flows: [{ title: "Chat", steps: [{ id: "a", prompt: "Chat", until: () => false }] }]
        }).pipe(
          Effect.provide([OpenAi.layer({ model: "gpt-x", baseUrl: `${server.url}/v1` }), store.layer])
        )
        const turn = (message: string) => {
          const request = { sessionId: "s1", message }
          return mode === "respond" ? agent.respond(request) : Stream.runDrain(agent.stream(request))
        }
        yield* turn("hello")
        expect(server.requests[0]!.body).toMatchObject({ tools: [{ type: "web_search", search_context_size: "low" }] })
        const [, said] = yield* agent.session("s1").history
        expect(said).toMatchObject({
          role: "assistant",
          content: [
            { type: "tool-call", name: "OpenAiWebSearch", params: { action }, providerExecuted: true },
            { type: "tool-result", result: { status: "completed" }, providerExecuted: true },
            { type: "text", text: "Found.", options: { coxswain: { sources } } }
          ]
        })
        // The same model gets its earlier search back.
        yield* turn("and?")
        const { input } = server.requests[1]!.body as { readonly input: ReadonlyArray<unknown> }
        expect(input).toContainEqual(search)
      }))
  }

  it.scopedLive("adds its sources to the model's answer", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      server.does = [{ _tag: "Send", text: JSON.stringify(answer) }]
      const layer = Models.layer({ main: OpenAi.layer({ model: "gpt-x", baseUrl: `${server.url}/v1` }) })
      const context = yield* Layer.build(layer)
      const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
      const prompt = Prompt.make("hello")
      const asked = yield* Context.get(context, Model.Model).ask({ purpose: "speak", prompt, limits })
      expect(asked).toMatchObject({ text: "Found.", sources, responseId: "resp_1", toolCalls: [] })
    }))

  it.scopedLive("can be used with `LanguageModel` without an agent", () =>
    Effect.gen(function*() {
      const server = yield* serve(openai)
      server.does = [{ _tag: "Send", text: JSON.stringify(answer) }]
      const context = yield* Layer.build(OpenAi.layer({ model: "gpt-x", baseUrl: `${server.url}/v1` }))
      const model = Context.get(context, LanguageModel.LanguageModel)
      // Calls of tools that were not offered are left out, because `LanguageModel` refuses them.
      expect((yield* model.generateText({ prompt: "hello" })).text).toBe("Found.")
      const offered = yield* model.generateText({ prompt: "hello", toolkit })
      expect(offered.toolCalls.map(({ name }) => name)).toEqual(["OpenAiWebSearch"])
    }))
})

/** Reasoning is sent back with the results of its calls, to the same model only. */
import type * as LanguageModel from "@effect/ai/LanguageModel"
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Model, Models } from "coxswain"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Context, Duration, Effect, Layer } from "effect"
import { dialects } from "./dialects.js"
import { serve } from "./server.js"

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const prompt = Prompt.make([{ role: "user", content: "hello" }])
const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
const call = { id: "c1", type: "function", function: { name: "a", arguments: "{}" } }

const result = Prompt.toolMessage({
  content: [Prompt.toolResultPart({ id: "c1", name: "a", isFailure: false, result: "done", providerExecuted: false })]
})

/** The requests after the answer `first`: to the same model, to another one, and after the user's next message. */
const sentBack = (
  dialectName: string,
  layer: (model: string, url: string) => Layer.Layer<LanguageModel.LanguageModel, unknown>,
  first: string,
  done: string,
  stream = false
) =>
  Effect.gen(function*() {
    const server = yield* serve(dialects.find(({ name }) => name === dialectName)!)
    server.does = [first, done, done, done].map((text, i) =>
      i === 0 ? { _tag: "Send", text } : { _tag: "Send", text: done }
    )
    const models = Models.layer({ same: layer("thinker", server.url), other: layer("other", server.url) })
    const model = Context.get(yield* Layer.build(models), Model.Model)
    const answer = yield* model.ask({
      purpose: "speak",
      prompt,
      limits,
      ...(stream && { onPart: () => Effect.void })
    })
    const after = Prompt.merge(
      prompt,
      Prompt.fromMessages([Prompt.assistantMessage({ content: answer.content }), result])
    )
    const later = Prompt.merge(after, Prompt.make([{ role: "user", content: "and?" }]))
    const ask = (alias: string, prompt: Prompt.Prompt) => model.ask({ purpose: "speak", alias, prompt, limits })
    yield* ask("same", after)
    yield* ask("other", after)
    yield* ask("same", later)
    const bodies = server.requests.map(({ body }) =>
      body as { readonly messages?: Array<any>; readonly input?: Array<any> }
    )
    return { answer, same: bodies[1]!, other: bodies[2]!, later: bodies[3]! }
  })

describe("reasoning in chat completions", () => {
  const layer = (model: string, url: string) => OpenAiCompatible.layer({ model, baseUrl: url })
  const completion = (message: object) => JSON.stringify({ choices: [{ index: 0, message, finish_reason: "stop" }] })
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ choices: [{ index: 0, delta, finish_reason }] })
  const done = completion({ content: "ok" })

  for (const field of ["reasoning_content", "reasoning"]) {
    it.scopedLive(`${field} is sent back to the same model until the user's next message`, () =>
      Effect.gen(function*() {
        const first = completion({ [field]: "Let me see.", tool_calls: [call] })
        const { answer, later, other, same } = yield* sentBack("openai-compatible", layer, first, done)
        expect(answer.reasoning).toBe("Let me see.")
        expect(same.messages![1]).toMatchObject({ role: "assistant", [field]: "Let me see." })
        expect(JSON.stringify(other)).not.toContain("Let me see.")
        expect(JSON.stringify(later)).not.toContain("Let me see.")
      }))
  }

  it.scopedLive("OpenRouter's reasoning_details are assembled from their chunks and sent back", () =>
    Effect.gen(function*() {
      const detail = (more: object) => chunk({ reasoning_details: [{ type: "reasoning.text", index: 0, ...more }] })
      const first = detail({ text: "Let me " }) + detail({ text: "see." }) + detail({ signature: "sig" }) +
        chunk({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "abc" }] }) +
        chunk({ tool_calls: [{ index: 0, ...call }] }) + chunk({}, "tool_calls")
      const layerOf = (model: string, url: string) => layer(model, url)
      const { answer, other, same } = yield* sentBack("openai-compatible", layerOf, first, done, true)
      expect(answer.reasoning).toBe("Let me see.")
      expect(same.messages![1].reasoning_details).toEqual([
        { type: "reasoning.text", index: 0, text: "Let me see.", signature: "sig" },
        { type: "reasoning.encrypted", index: 1, data: "abc" }
      ])
      expect(other.messages![1]).not.toHaveProperty("reasoning_details")
    }))

  it.scopedLive("Mistral's thinking is returned as reasoning and not as text", () =>
    Effect.gen(function*() {
      const first = completion({
        content: [{ type: "thinking", thinking: [{ type: "text", text: "Let me see." }] }, {
          type: "text",
          text: "Yes."
        }],
        tool_calls: [call]
      })
      const { answer } = yield* sentBack("openai-compatible", layer, first, done)
      expect(answer).toMatchObject({ text: "Yes.", reasoning: "Let me see." })
    }))
})

describe("reasoning in the Responses API", () => {
  const layer = (model: string, url: string) =>
    OpenAi.layer({ model, baseUrl: `${url}/v1`, config: { include: ["reasoning.encrypted_content"] } })
  const whole = (output: ReadonlyArray<object>) =>
    JSON.stringify({ id: "resp_1", status: "completed", output, usage: { input_tokens: 1, output_tokens: 1 } })
  const called = { type: "function_call", id: "fc_1", call_id: "c1", name: "a", arguments: "{}" }
  const { id: _, ...withoutId } = called
  const done = whole([{ type: "message", id: "m", content: [{ type: "output_text", text: "ok" }] }])

  it.scopedLive("reasoning is sent back with its encrypted content, to the same model only", () =>
    Effect.gen(function*() {
      const thought = {
        type: "reasoning",
        id: "rs_1",
        summary: [{ type: "summary_text", text: "Let me see." }],
        encrypted_content: "gAAAA"
      }
      const { answer, other, same } = yield* sentBack("openai", layer, whole([thought, called]), done)
      expect(answer).toMatchObject({ reasoning: "Let me see.", responseId: "resp_1" })
      expect(same.input!.slice(1, 3)).toEqual([thought, withoutId])
      expect(JSON.stringify(other)).not.toMatch(/rs_1|fc_1|gAAAA|Let me see/)
      expect(other.input!.map(({ type }) => type)).toEqual([undefined, "function_call", "function_call_output"])
    }))

  it.scopedLive("reasoning is sent back even if it has no summary", () =>
    Effect.gen(function*() {
      const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAA" }
      const { answer, same } = yield* sentBack("openai", layer, whole([thought, called]), done)
      expect(answer).not.toHaveProperty("reasoning")
      expect(same.input![1]).toEqual(thought)
    }))

  it.scopedLive("reasoning is read from `reasoning_text` and sent back", () =>
    Effect.gen(function*() {
      const thought = {
        type: "reasoning",
        id: "rs_1",
        summary: [],
        content: [{ type: "reasoning_text", text: "Let me see." }]
      }
      const { answer, same } = yield* sentBack("openai", layer, whole([thought, called]), done)
      expect(answer.reasoning).toBe("Let me see.")
      expect(same.input![1]).toEqual(thought)
    }))

  it.scopedLive("reasoning is not sent back if no item follows the reasoning item", () =>
    Effect.gen(function*() {
      const thought = { type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm." }] }
      const { same } = yield* sentBack("openai", layer, whole([called, thought]), done)
      expect(JSON.stringify(same)).not.toContain("rs_1")
    }))
})

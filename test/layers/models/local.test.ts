/** What a server on one's own machine is asked with. */
import { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Model, Models } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Context, Duration, Effect, Layer } from "effect"
import { recordOf } from "../../../src/domain/base/Json.js"
import { dialect } from "./asking.js"
import { serve } from "./server.js"

const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
const json = { name: "answer", schema: { type: "object", properties: { x: { type: "number" } } } }
const prompt = Prompt.make("hello")
const modelOf = (layer: ReturnType<typeof OpenAiCompatible.layer>) =>
  Effect.map(
    Layer.build(Models.layer({ main: layer }, { attempts: 1 })),
    (context) => Context.get(context, Model.Model)
  )

describe("a server for chat completions", () => {
  const sent = (options: Partial<OpenAiCompatible.Options> = {}) =>
    Effect.gen(function*() {
      const server = yield* serve(dialect("openai-compatible"))
      const model = yield* modelOf(OpenAiCompatible.layer({ model: "qwen", baseUrl: server.url, ...options }))
      server.does = [{ _tag: "Say", said: { json: { x: 1 } } }, { _tag: "Say", said: { text: "Hello" } }]
      yield* model.ask({ purpose: "understand", prompt, limits, json })
      yield* model.ask({ purpose: "speak", prompt, limits })
      return server.requests.map(({ body }) => {
        const { max_tokens, temperature } = recordOf(body)
        return [temperature, max_tokens]
      })
    })

  it.scopedLive("is asked to understand with temperature 0, and to speak with its own", () =>
    Effect.gen(function*() {
      expect(yield* sent()).toEqual([[0, undefined], [undefined, undefined]])
      expect(yield* sent({ body: { temperature: 0.7 } })).toEqual([[0.7, undefined], [0.7, undefined]])
      expect(yield* sent({ model: "openai/gpt-5-mini" })).toEqual([[undefined, undefined], [undefined, undefined]])
    }))

  it.scopedLive("is asked with the fields of the purpose", () =>
    Effect.gen(function*() {
      const purposes = { understand: { max_tokens: 400 }, speak: { max_tokens: 600, temperature: 0.5 } }
      expect(yield* sent({ purposes })).toEqual([[0, 400], [0.5, 600]])
      expect(yield* sent({ purposes: { understand: { temperature: undefined } } })).toEqual([
        [undefined, undefined],
        [undefined, undefined]
      ])
    }))

  it.scopedLive("is named by its address when it is not there", () =>
    Effect.gen(function*() {
      const model = yield* modelOf(OpenAiCompatible.layer({ model: "qwen", baseUrl: "http://127.0.0.1:1/v1" }))
      const error = yield* Effect.flip(model.ask({ purpose: "speak", prompt, limits }))
      expect(error.message).toContain("http://127.0.0.1:1: ")
    }))
})

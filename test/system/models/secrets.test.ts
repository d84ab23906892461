/** A provider's key appears in no log, span, error, event, response or stored session, even if a server repeats it. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Models, Understanding } from "coxswain"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import * as OpenRouter from "coxswain/layers/openrouter"
import { Effect, Either, Layer, Redacted, Schema, Stream } from "effect"
import { dialects } from "../../layers/models/dialects.js"
import type { Behaviour } from "../../layers/models/server.js"
import { serve } from "../../layers/models/server.js"
import * as CountingStore from "../../support/CountingStore.js"
import * as LogRecorder from "../../support/LogRecorder.js"
import * as Script from "../../support/Script.js"

// Not recognised by patterns of well-known keys.
const key = "correct-horse-battery-staple"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const repeats = `Incorrect API key provided: ${key}. You sent Authorization: Bearer ${key}, x-api-key=${key}`
const refusals: ReadonlyArray<Behaviour> = [401, 400, 404, 429, 503].map((status) => ({
  _tag: "Refuse",
  status,
  message: repeats,
  headers: { "www-authenticate": `Bearer ${key}`, "x-request-headers": `authorization: Bearer ${key}` }
}))

/** The lines that contain the key. */
const linesWith = (seen: ReadonlyArray<string>) =>
  seen.flatMap((text) => text.split("\n")).filter((line) => line.includes(key))

for (const dialect of dialects) {
  for (const mode of ["respond", "stream"] as const) {
    it.scopedLive(`${dialect.name}, ${mode}: the API key is in no log, span, event, error or stored data`, () =>
      Effect.gen(function*() {
        const { recorded, seen, write } = LogRecorder.make()
        const server = yield* serve(dialect)
        const store = yield* CountingStore.make
        let turns = 0
        yield* Effect.gen(function*() {
          const models = Models.layer({
            main: [
              { layer: dialect.layer(server.url, key), name: "main" },
              { layer: Script.make(() => "the second").layer, name: "second" }
            ],
            alone: dialect.layer(server.url, key)
          }, { attempts: 1, breaker: false })
          const make = (model: string) =>
            kit.make({
              name: "Test",
              model,
              tools: [{ id: "lookup", handler: () => "found" }],
              flows: [{ title: "Chat", steps: [{ id: "a", prompt: "Chat", until: () => false }] }]
            }).pipe(Effect.provide([models, store.layer]))
          const agents = { main: yield* make("main"), alone: yield* make("alone") }
          const turn = (alias: keyof typeof agents, ...does: ReadonlyArray<Behaviour>) =>
            Effect.gen(function*() {
              server.does = does
              const request = { sessionId: alias, message: "hello", messageId: `m${++turns}` }
              const outcome = yield* Effect.either<unknown, unknown, never>(
                mode === "respond"
                  ? agents[alias].respond(request)
                  : Stream.runForEach(agents[alias].stream(request), (event) => Effect.sync(() => write(event)))
              )
              write(Either.isLeft(outcome) ? outcome.left : outcome.right)
              if (Either.isLeft(outcome)) yield* Effect.logError("the turn failed", outcome.left)
              return outcome
            })
          for (const refusal of refusals) expect(Either.isLeft(yield* turn("alone", refusal))).toBe(true)
          yield* turn("alone", { _tag: "Reset" })
          yield* turn("alone", { _tag: "Raw", body: `{"key": "${key}" nonsense` })
          if (mode === "stream" && dialect.errorEvent !== undefined) {
            yield* turn("alone", { _tag: "ErrorEvent", said: { text: "Hello" }, events: 2, message: repeats })
          }
          const calls = [{ id: "c1", name: "lookup", params: {} }]
          const said = yield* turn("alone", { _tag: "Say", said: { calls } }, { _tag: "Say", said: { text: "Done." } })
          expect(Either.isRight(said)).toBe(true)
          // The first model's error is in the trace and usage of the turn that the second one answers.
          expect(Either.isRight(yield* turn("main", refusals[4]!))).toBe(true)
        }).pipe(recorded)
        const sent = server.requests.map(({ headers, url }) => JSON.stringify(headers) + url).join()
        expect(sent).toContain(key)
        expect(store.writes).toHaveLength(2)
        const stored = JSON.stringify(store.writes)
        expect(stored).toContain("model_fallback")
        expect(stored).not.toContain(key)
        const all = seen.join("\n")
        expect(all).toContain("invoke_agent ")
        expect(all).toContain("Model.ask")
        expect(all).toContain("the turn failed")
        expect(all).toContain("<redacted>")
        expect(linesWith(seen)).toEqual([])
      }))
  }
}

describe("the API key of an embedding model is in no log, span, error or stored data", () => {
  const layers = {
    openai: (url: string) => OpenAi.layerEmbedding({ model: "e", baseUrl: url, apiKey: Redacted.make(key) }),
    "openai-compatible": (url: string) =>
      OpenAiCompatible.layerEmbedding({ model: "e", baseUrl: url, apiKey: Redacted.make(key) }),
    openrouter: (url: string) => OpenRouter.layerEmbedding({ model: "e", baseUrl: url, apiKey: Redacted.make(key) })
  }
  for (const [name, layer] of Object.entries(layers)) {
    it.scopedLive(name, () =>
      Effect.gen(function*() {
        const { recorded, seen, write } = LogRecorder.make()
        const server = yield* serve(dialects.find((dialect) => dialect.name === name)!)
        const store = yield* CountingStore.make
        server.does = [refusals[4]!]
        yield* Effect.gen(function*() {
          const model = Script.make(({ json }) => json ? { flowScores: { a: 90 } } : "fine")
          const understanding = Layer.provideMerge(
            Understanding.layerEmbedding(),
            Layer.mergeAll(layer(server.url), model.layer, store.layer)
          )
          const flow = (title: string) => ({ title, when: title, steps: [{ id: "a", prompt: "Chat" }] })
          const agent = yield* kit.make({ name: "Test", flows: [flow("a"), flow("b")] }).pipe(
            Effect.provide(understanding)
          )
          const response = yield* agent.respond({ sessionId: "s1", message: "hello", messageId: "m1" })
          expect(response.trace).toMatchObject([{ kind: "understanding_fallback" }])
          write(response)
        }).pipe(recorded)
        expect(server.requests[0]!.headers.authorization).toContain(key)
        expect(JSON.stringify(store.writes)).not.toContain(key)
        expect(seen.join("\n")).toContain("The embedding model failed")
        expect(linesWith(seen)).toEqual([])
      }))
  }
})

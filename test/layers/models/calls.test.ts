/** Tool calls as real chat-completions servers send them, and tool names that models invent. */
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import * as Anthropic from "coxswain/layers/anthropic"
import * as Google from "coxswain/layers/google"
import * as OpenAi from "coxswain/layers/openai"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Effect, Redacted } from "effect"
import { asking, data, dialect, prompt } from "./asking.js"

const compatible = (url: string) => OpenAiCompatible.layer({ model: "m", baseUrl: url })
const chunk = (delta: object, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta, finish_reason }] })
const calls = (...tool_calls: ReadonlyArray<object>) => chunk({ tool_calls })
const done = chunk({}, "tool_calls")

/** The calls of a stream, by name and arguments; asserts that their ids are present and unique. */
const read = (...stream: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const { stream: ask } = yield* asking("openai-compatible", compatible, stream.join("") + done)
    const { toolCalls } = yield* ask()
    expect(new Set(toolCalls.map(({ id }) => id).filter((id) => id !== "")).size).toBe(toolCalls.length)
    return toolCalls.map(({ name, params }) => [name, params])
  })

describe("tool calls in irregular chat-completions answers", () => {
  it.scopedLive("two complete calls without ids are read as two calls", () =>
    Effect.gen(function*() {
      const a = { function: { name: "book", arguments: "{\"city\":\"Porto\"}" } }
      const b = { function: { name: "weather", arguments: "{\"city\":\"Faro\"}" } }
      const both = [["book", { city: "Porto" }], ["weather", { city: "Faro" }]]
      expect(yield* read(calls(a, b))).toEqual(both)
      expect(yield* read(calls(a), calls(b))).toEqual(both)
      expect(yield* read(calls({ index: 0, ...a }), calls({ index: 0, ...b }))).toEqual(both)
      expect(yield* read(calls(a), calls({ function: { ...a.function, arguments: "{\"city\":\"Faro\"}" } }))).toEqual([
        both[0],
        ["book", { city: "Faro" }]
      ])
      const whole = JSON.stringify({ choices: [{ index: 0, message: { tool_calls: [a, b] }, finish_reason: "stop" }] })
      const { ask } = yield* asking("openai-compatible", compatible, whole)
      expect((yield* ask()).toolCalls.map(({ name, params }) => [name, params])).toEqual(both)
    }))

  it.scopedLive("two ids at the same index are read as two calls", () =>
    Effect.gen(function*() {
      const piece = (id: string, name: string, args: string) =>
        calls({ index: 0, id, function: { name, arguments: args } })
      expect(yield* read(piece("c1", "book", "{\"n\":1}"), piece("c2", "book", "{\"n\":2}"))).toEqual([
        ["book", { n: 1 }],
        ["book", { n: 2 }]
      ])
      const more = (args: string) => calls({ index: 0, function: { arguments: args } })
      expect(yield* read(piece("c1", "book", ""), more("{\"n\":"), more("1}"), piece("c2", "list", ""), more("{}")))
        .toEqual([["book", { n: 1 }], ["list", {}]])
      expect(yield* read(piece("c1", "list", ""), piece("c2", "list", ""))).toEqual([["list", {}], ["list", {}]])
    }))

  it.scopedLive("a name, an id or a whole call that is repeated in later chunks is read as one call", () =>
    Effect.gen(function*() {
      const piece = (args: string, id?: string) => calls({ index: 0, id, function: { name: "book", arguments: args } })
      const one = [["book", { n: 12 }]]
      expect(yield* read(piece("", "c1"), piece("{\"n\":"), piece("12"), piece("}"))).toEqual(one)
      expect(yield* read(piece("", "c1"), piece("{\"n\":", "c1"), piece("12}", "c1"), piece("{\"n\":12}", "c1")))
        .toEqual(one)
    }))

  it.scopedLive("two calls with the same id are read as two calls", () =>
    Effect.gen(function*() {
      const call = (index: number, name: string) => ({ index, id: "call", function: { name, arguments: "{}" } })
      expect(yield* read(calls(call(0, "a"), call(1, "b")))).toEqual([["a", {}], ["b", {}]])
    }))

  it.scopedLive("empty data lines are ignored", () =>
    Effect.gen(function*() {
      const answer = [
        "",
        "data:\n\n",
        chunk({ content: "Hel" }),
        "data: \n\n",
        chunk({ content: "lo" }, "stop"),
        "data:\n\n"
      ]
      const { stream } = yield* asking("openai-compatible", compatible, answer.join(""))
      expect((yield* stream()).text).toBe("Hello")
    }))
})

describe("a tool name that the model invented is sent back in a form that the vendor accepts", () => {
  const made = "multi_tool_use.parallel"
  const key = Redacted.make("my-own-secret-key")
  const layers = {
    "openai": (baseUrl: string) => OpenAi.layer({ model: "gpt-x", baseUrl, apiKey: key }),
    "openai-compatible": compatible,
    "anthropic": (baseUrl: string) => Anthropic.layer({ model: "claude-x", baseUrl, apiKey: key }),
    "google": (baseUrl: string) => Google.layer({ model: "gemini-2.5-flash", baseUrl, apiKey: key })
  }
  for (const [name, layer] of Object.entries(layers)) {
    it.scopedLive(name, () =>
      Effect.gen(function*() {
        const { ask, server } = yield* asking(name, layer, JSON.stringify(dialect(name).whole({ text: "Done." })))
        for (const called of [made, "ein Werkzeug", "", "x".repeat(100)]) {
          const call = Prompt.toolCallPart({ id: "c1", name: called, params: {}, providerExecuted: false })
          const result = { id: "c1", name: called, isFailure: true, result: "no such tool", providerExecuted: false }
          const history = Prompt.fromMessages([
            Prompt.assistantMessage({ content: [call] }),
            Prompt.toolMessage({ content: [Prompt.toolResultPart(result)] })
          ])
          expect((yield* ask({ prompt: Prompt.merge(prompt, history) })).text).toBe("Done.")
        }
        expect(JSON.stringify(server.requests[0]!.body)).toContain("multi_tool_use")
      }))
  }
})

/** Fallback to another vendor's model in the middle of a call: each model gets only the content that it can read. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Models } from "coxswain"
import * as Anthropic from "coxswain/layers/anthropic"
import * as Google from "coxswain/layers/google"
import { Effect, Logger, LogLevel, Schema } from "effect"
import * as CountingStore from "../../support/CountingStore.js"
import { dialect } from "./asking.js"
import type { Behaviour } from "./server.js"
import { serve } from "./server.js"

const kit = Agent.define({ data: Schema.Struct({}) })
const refuse: Behaviour = { _tag: "Refuse", status: 503 }
const call: Behaviour = {
  _tag: "Say",
  said: { reasoning: "Hm.", text: "One moment.", calls: [{ id: "call.1", name: "lookup", params: {} }] }
}
const done: Behaviour = { _tag: "Say", said: { text: "Done." } }

/** The first model calls a tool and then fails; the second one continues; then the first answers again. */
const passed = (first: string, second: string) =>
  Effect.gen(function*() {
    const servers = { [first]: yield* serve(dialect(first)), [second]: yield* serve(dialect(second)) }
    const thinking = { type: "enabled", budget_tokens: 1024 } as const
    const layers = {
      anthropic: (baseUrl: string) => Anthropic.layer({ model: "claude-x", baseUrl, config: { thinking } }),
      google: (baseUrl: string) => Google.layer({ model: "gemini-3-pro", baseUrl })
    }
    const layerOf = (name: string) => layers[name as keyof typeof layers](servers[name]!.url)
    const store = yield* CountingStore.make
    const agent = yield* kit.make({
      name: "Test",
      flows: [{ title: "Chat", steps: [{ id: "a", prompt: "Chat", until: () => false }] }],
      tools: [{ id: "lookup", handler: () => "found" }]
    }).pipe(
      Effect.provide([
        Models.layer({ main: [layerOf(first), layerOf(second)] }, { attempts: 1, breaker: false }),
        store.layer
      ])
    )
    servers[first]!.does = [call, refuse, done]
    servers[second]!.does = [done]
    const once = yield* agent.respond({ sessionId: "s", message: "hello" })
    const again = yield* agent.respond({ sessionId: "s", message: "and?" })
    return {
      messages: [once.message, again.message],
      sent: (name: string) => servers[name]!.requests.map(({ body }) => JSON.stringify(body))
    }
  }).pipe(Logger.withMinimumLogLevel(LogLevel.None))

describe("fallback to another model after a tool call", () => {
  it.scopedLive("sends Gemini none of Anthropic's reasoning; the next turn sends Anthropic its own", () =>
    Effect.gen(function*() {
      const { messages, sent } = yield* passed("anthropic", "google")
      expect(messages[0]).toContain("Done.")
      expect(messages[1]).toBe("Done.")
      expect(sent("google")[0]).toContain("skip_thought_signature_validator")
      expect(sent("google")[0]).not.toContain("Hm.")
      // Anthropic gets its own thinking back.
      expect(sent("anthropic")[1]).toContain("\"signature\":\"sig\"")
    }))

  it.scopedLive("sends Anthropic no `thinking` after a failure of Gemini", () =>
    Effect.gen(function*() {
      const { messages, sent } = yield* passed("google", "anthropic")
      expect(messages[0]).toContain("Done.")
      expect(messages[1]).toBe("Done.")
      expect(sent("anthropic")[0]).not.toContain("Hm.")
      // Thinking cannot be enabled after a call that has no thinking block of Anthropic.
      expect(sent("anthropic")[0]).not.toContain("\"thinking\"")
    }))
})

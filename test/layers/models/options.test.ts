/** `modelOptions` reach the request of their own provider and no other. */
import { CurrentSpanTransformer } from "@effect/ai/Telemetry"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type ModelOptions, Models, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Either, Layer, Schema } from "effect"
import { dialects } from "./dialects.js"
import { serve } from "./server.js"

const kit = Agent.define({ data: Schema.Struct({}) })

/** For each provider, options whose fields the library does not send itself. */
const cases: Record<string, { readonly options: ModelOptions.ModelOptions; readonly sent: object }> = {
  openai: {
    options: { openai: { service_tier: "flex", reasoning: { effort: "low" }, headers: { "x-trace": "t" } } },
    sent: { service_tier: "flex", reasoning: { effort: "low" } }
  },
  "openai-compatible": {
    options: { openaiCompatible: { temperature: 0.25, seed: 7, headers: { "x-trace": "t" } } },
    sent: { temperature: 0.25, seed: 7 }
  },
  openrouter: {
    options: { openaiCompatible: { provider: { order: ["x"] }, headers: { "x-trace": "t" } } },
    sent: { provider: { order: ["x"] } }
  },
  anthropic: {
    options: { anthropic: { temperature: 0.5, service_tier: "standard_only", headers: { "x-trace": "t" } } },
    sent: { temperature: 0.5, service_tier: "standard_only" }
  },
  google: {
    options: {
      google: {
        generationConfig: { temperature: 0.5 },
        safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
        headers: { "x-trace": "t" }
      }
    },
    sent: {
      generationConfig: { temperature: 0.5 },
      safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }]
    }
  }
}

interface Written {
  readonly modelOptions?: ModelOptions.ByPurpose
  readonly flows: ReadonlyArray<{
    readonly title: string
    readonly modelOptions?: ModelOptions.ModelOptions
    readonly steps: ReadonlyArray<{ readonly prompt: string; readonly modelOptions?: ModelOptions.ModelOptions }>
  }>
}

const flow = (options: ModelOptions.ModelOptions | undefined) => [{
  title: "Trip",
  steps: [{ prompt: "Say hello", ...(options !== undefined && { modelOptions: options }) }]
}]

/** The requests of one turn. */
const asked = (name: string, options: Written) =>
  Effect.gen(function*() {
    const dialect = dialects.find((each) => each.name === name)!
    const server = yield* serve(dialect)
    server.does = [{ _tag: "Say", said: { text: "Hello." } }]
    const agent = yield* kit.make({ name: "Test", ...options }).pipe(
      Effect.provide([
        Models.layer({ main: dialect.layer(server.url, "my-own-key-for-tests") }, { attempts: 1 }),
        SessionStore.layerMemory
      ])
    )
    const response = yield* agent.respond({ sessionId: "s1", message: "hello" })
    return { response, requests: server.requests as ReadonlyArray<{ readonly headers: object; readonly body: object }> }
  })

describe("`modelOptions`, the provider options of a model call", () => {
  for (const { name } of dialects) {
    const given = cases[name]!
    it.scopedLive(`modelOptions of a step are sent to ${name}, with their headers`, () =>
      Effect.gen(function*() {
        const { requests, response } = yield* asked(name, { flows: flow(given.options) })
        expect(response.message).toBe("Hello.")
        expect(requests.at(-1)!.body).toMatchObject(given.sent)
        expect(requests.at(-1)!.headers).toMatchObject({ "x-trace": "t" })
        expect(requests.at(-1)!.body).not.toHaveProperty("headers")
      }))
    it.scopedLive(`modelOptions of other providers are not in the request of ${name}`, () =>
      Effect.gen(function*() {
        const others = Object.assign({}, ...Object.values(cases).map(({ options }) => options)) as object
        const own = Object.keys(given.options)[0]!
        const rest = Object.fromEntries(Object.entries(others).filter(([vendor]) => vendor !== own))
        const plain = yield* asked(name, { flows: flow(undefined) })
        const { requests } = yield* asked(name, { flows: flow(rest) })
        expect(requests.at(-1)!.body).toEqual(plain.requests.at(-1)!.body)
        expect(requests.at(-1)!.headers).not.toHaveProperty("x-trace")
      }))
  }

  it.scopedLive("are merged; the order of precedence is step, flow, purpose of the call, default", () =>
    Effect.gen(function*() {
      const { requests } = yield* asked("openai", {
        modelOptions: {
          default: { openai: { a: "default", b: "default", c: "default", d: "default", reasoning: { effort: "low" } } },
          speak: { openai: { b: "speak", c: "speak", d: "speak" } },
          understand: { openai: { a: "understand" } }
        },
        flows: [{
          title: "Trip",
          modelOptions: { openai: { c: "flow", d: "flow" } },
          steps: [{ prompt: "Hello", modelOptions: { openai: { d: "step", reasoning: { summary: "auto" } } } }]
        }]
      })
      expect(requests.at(-1)!.body).toMatchObject({
        a: "default",
        b: "speak",
        c: "flow",
        d: "step",
        reasoning: { effort: "low", summary: "auto" }
      })
    }))

  it.scopedLive("are also sent if a `CurrentSpanTransformer` is set", () =>
    Effect.gen(function*() {
      const { requests } = yield* Effect.provideService(
        asked("openai", { flows: flow(cases.openai!.options) }),
        CurrentSpanTransformer,
        () => {}
      )
      expect(requests.at(-1)!.body).toMatchObject({ service_tier: "flex" })
    }))

  it.effect("are ignored by models of other packages; the trace reports the ignored options", () =>
    Effect.gen(function*() {
      const model = ScriptedModel.languageModel(() => "Hello.")
      const agent = yield* kit.make({ name: "Test", flows: flow({ openai: { temperature: 0 } }) }).pipe(
        Effect.provide(Layer.mergeAll(model.layer, SessionStore.layerMemory))
      )
      const { trace } = yield* agent.respond({ sessionId: "s1", message: "hello" })
      expect(trace.map(({ kind }) => kind)).toContain("model_options_ignored")
    }))

  it.effect("`modelOptions` that set a field which the library writes are refused when the agent is made", () =>
    Effect.gen(function*() {
      const made = yield* Effect.either(
        kit.make({
          name: "Test",
          modelOptions: { default: { openai: { stream: false } } },
          flows: flow({ google: { contents: [] } })
        }).pipe(Effect.provide(Layer.mergeAll(ScriptedModel.languageModel(() => "").layer, SessionStore.layerMemory)))
      )
      const issues = Either.isLeft(made) && "issues" in made.left ? made.left.issues : []
      expect(issues.map(({ path, why }) => `${path}: ${why}`)).toEqual([
        "flows[0].steps[0].modelOptions.google: the library writes \"contents\" itself; give another field",
        "modelOptions.default.openai: the library writes \"stream\" itself; give another field"
      ])
    }))

  it("have the types of the provider's request fields", () => {
    // @ts-expect-error a temperature is a number
    const wrong: ModelOptions.ModelOptions = { openai: { temperature: "hot" } }
    // @ts-expect-error there is no such provider
    const unknown: ModelOptions.ModelOptions = { nobody: {} }
    expect([wrong, unknown]).toHaveLength(2)
  })
})

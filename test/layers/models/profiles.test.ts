/** Chat-completions vendors with stricter rules, each as a double that refuses what its vendor refuses. */
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Model, Models } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Context, Duration, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { profileOf } from "../../../src/layers/models/ChatProfile.js"
import * as CountingStore from "../../support/CountingStore.js"
import { dialect } from "./asking.js"
import * as rules from "./rules.js"
import type { Behaviour } from "./server.js"
import { serve } from "./server.js"

const compatible = dialect("openai-compatible")
/** Any server with a chat template such as those of Mistral and Gemma 2, which refuse two messages of one side in a row. */
const vendors = {
  openai: rules.templated(rules.chat),
  mistral: rules.templated(rules.mistral),
  deepseek: rules.deepseek
}

const vendor = (profile: OpenAiCompatible.Profile) =>
  Effect.map(serve({ ...compatible, breach: vendors[profile] }), (server) => ({
    server,
    layer: OpenAiCompatible.layer({ model: profile, baseUrl: server.url, profile })
  }))

const say = (said: Extract<Behaviour, { readonly _tag: "Say" }>["said"]): Behaviour => ({ _tag: "Say", said })
const done = say({ text: "Done." })
const user = (...content: ReadonlyArray<Prompt.UserMessagePart>) => Prompt.userMessage({ content: [...content] })
const text = (words: string) => Prompt.textPart({ text: words })
const calling = (id: string) =>
  Prompt.assistantMessage({
    content: [
      Prompt.toolCallPart({
        id,
        name: "book",
        params: {},
        providerExecuted: false,
        options: { openaiCompatible: { model: "other", extraContent: { google: 1 } } }
      })
    ]
  })
const result = (id: string) =>
  Prompt.toolMessage({
    content: [Prompt.toolResultPart({ id, name: "book", isFailure: false, result: "waits", providerExecuted: false })]
  })

const transcripts: Readonly<Record<string, ReadonlyArray<Prompt.Message>>> = {
  "a call whose approval waits, then another message": [
    user(text("book")),
    calling("call_PTLP8xhu3uwZk4l3nlnrrJha"),
    result("call_PTLP8xhu3uwZk4l3nlnrrJha"),
    user(text("and breakfast?"))
  ],
  "ids of other vendors": [user(text("book")), calling("functions.book:0"), result("functions.book:0")],
  "a word of the model at the end": [user(text("hello")), Prompt.assistantMessage({ content: [text("Hello")] })],
  "nothing from the user": [Prompt.systemMessage({ content: "Greet them." })],
  "two messages of one side": [
    user(text("hello")),
    user(text("is anybody there?")),
    Prompt.assistantMessage({ content: [text("Yes")] }),
    Prompt.assistantMessage({ content: [text("We are")] }),
    user(text("fine"))
  ],
  "files": [
    user(
      text("look"),
      Prompt.filePart({ mediaType: "image/png", data: new Uint8Array([1]) }),
      Prompt.filePart({ mediaType: "application/pdf", fileName: "a.pdf", data: new Uint8Array([1]) })
    ),
    user(text("well?"))
  ]
}

for (const profile of ["openai", "mistral", "deepseek"] as const) {
  describe(profile, () => {
    for (const streamed of [false, true]) {
      it.scopedLive(`a test server with this vendor's rules accepts every transcript, ${streamed ? "streamed" : "not streamed"}`, () =>
        Effect.gen(function*() {
          const { layer, server } = yield* vendor(profile)
          server.does = [done]
          const model = Context.get(yield* Layer.build(Models.layer({ main: layer }, { attempts: 1 })), Model.Model)
          for (const [name, messages] of Object.entries(transcripts)) {
            if (profile === "openai" && name === "nothing from the user") continue
            const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
            const ask = { purpose: "speak", prompt: Prompt.fromMessages(messages), limits } as const
            const { text } = yield* model.ask({ ...ask, ...streamed && { onPart: () => Effect.void } })
            expect(text, name).toBe("Done.")
          }
        }))
    }

    it.scopedLive("a request for JSON is sent in the format that this vendor supports", () =>
      Effect.gen(function*() {
        const { layer, server } = yield* vendor(profile)
        server.does = [say({ json: { x: 1 } })]
        const model = Context.get(yield* Layer.build(Models.layer({ main: layer }, { attempts: 1 })), Model.Model)
        const json = { name: "answer", schema: { type: "object", properties: { x: { type: "number" } } } }
        const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }
        expect((yield* model.ask({ purpose: "understand", prompt: Prompt.make("hello"), limits, json })).value).toEqual(
          { x: 1 }
        )
      }))
  })
}

describe("a conversation in which values are known", () => {
  const booking = Agent.define({ data: Schema.Struct({ city: Schema.String, name: Schema.String }) })

  for (const profile of ["openai", "mistral", "deepseek"] as const) {
    it.scopedLive(`is accepted by a server whose template wants the sides to alternate (${profile})`, () =>
      Effect.gen(function*() {
        const { layer, server } = yield* vendor(profile)
        const agent = yield* booking.make({
          name: "Test",
          flows: [{
            title: "Book",
            when: "wants to book",
            steps: [{ id: "city", collect: ["city"], prompt: "Ask" }, { id: "name", collect: ["name"], prompt: "Ask" }]
          }]
        }).pipe(Effect.provide([
          Models.layer({ main: layer }, { attempts: 1, breaker: false }),
          yield* Effect.map(CountingStore.make, (store) => store.layer)
        ]))
        const said: ReadonlyArray<string> = ["hello", "to Rome", "and breakfast?"]
        for (const [n, message] of said.entries()) {
          server.does = [say({ json: { flows: {}, fields: n === 1 ? { city: "Rome" } : {}, conditions: {} } }), done]
          const { message: answer } = yield* agent.respond({
            sessionId: "s",
            message,
            ...(n === 1 && { values: { city: "Rome" } })
          })
          expect(answer).toContain("Done.")
        }
        const last = server.requests.at(-1)!.body as { readonly messages: ReadonlyArray<{ readonly content: string }> }
        expect(last.messages.at(-1)!.content).toMatch(/<known>.*Rome.*<\/known>[\s\S]*and breakfast\?$/)
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
  }
})

const kit = Agent.define({ data: Schema.Struct({}) })

describe("a message to a session with a pending approval is answered", () => {
  for (const profile of ["mistral", "deepseek"] as const) {
    it.scopedLive(`${profile} answers the message (${profile} is the fallback of the model that made the tool call)`, () =>
      Effect.gen(function*() {
        const one = yield* vendor(profile)
        const other = yield* vendor("openai")
        const store = yield* CountingStore.make
        const agent = yield* kit.make({
          name: "Test",
          flows: [{ title: "Chat", steps: [{ id: "a", prompt: "Chat", until: () => false }] }],
          tools: [{ id: "book", needsApproval: () => true, handler: () => "booked" }]
        }).pipe(
          Effect.provide([
            Models.layer({ main: [other.layer, one.layer] }, { attempts: 1, breaker: false }),
            store.layer
          ])
        )
        const call = say({ calls: [{ id: "call_0fypS1hVXlong", name: "book", params: {} }] })
        other.server.does = [call, { _tag: "Refuse", status: 503 }]
        one.server.does = [done]
        yield* agent.respond({ sessionId: "s", message: "book a room" })
        const { message } = yield* agent.respond({ sessionId: "s", message: "and breakfast?" })
        expect(message).toContain("Done.")
        const sent = one.server.requests.at(-1)!.body as { readonly messages: ReadonlyArray<{ readonly role: string }> }
        expect(sent.messages.map(({ role }) => role)).toContain("tool")
      }).pipe(Logger.withMinimumLogLevel(LogLevel.None)))
  }
})

it("the vendor's profile is derived from the host name of the address", () => {
  expect(profileOf("https://api.mistral.ai/v1")).toBe("mistral")
  expect(profileOf("https://api.deepseek.com")).toBe("deepseek")
  expect(profileOf("http://localhost:11434/v1/mistral.ai")).toBe("openai")
})

/** Every vendor accepts a request with any history: old, imported, or begun by a model of another vendor. */
import * as Prompt from "@effect/ai/Prompt"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Model, Models, SessionStore } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Context, Duration, Effect, FastCheck as fc, Layer, Schema, Stream } from "effect"
import { hostileJson, hostileText } from "../../support/Hostile.js"
import { runs } from "../../support/Runs.js"
import { type Dialect, dialects } from "./dialects.js"
import * as rules from "./rules.js"
import { serve } from "./server.js"

const limits = { firstToken: Duration.seconds(5), model: Duration.seconds(5) }

const compatible = dialects.find(({ name }) => name === "openai-compatible")!

const profile = (name: OpenAiCompatible.Profile, breach: Dialect["breach"]): Dialect => ({
  ...compatible,
  name,
  breach,
  layer: (baseUrl) => OpenAiCompatible.layer({ model: "m", baseUrl, profile: name })
})

const vendors = [...dialects, profile("mistral", rules.mistral), profile("deepseek", rules.deepseek)]

/** Asks a model of the vendor, whose double answers "Done." to a request that the vendor accepts. Returns the body. */
const sent = (vendor: Dialect, prompt: Prompt.Prompt, streamed: boolean) =>
  Effect.gen(function*() {
    let body = ""
    const client = HttpClient.make((request) => {
      body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const given = JSON.parse(body) as { readonly stream?: boolean }
      const breach = vendor.breach(given, request.url)
      const answer = breach !== undefined
        ? new Response(JSON.stringify(vendor.refusal(400, breach)), { status: 400 })
        : vendor.isStream(request.url, given)
        ? new Response(vendor.events({ text: "Done." }).join(""))
        : Response.json(vendor.whole({ text: "Done." }))
      return Effect.succeed(HttpClientResponse.fromWeb(request, answer))
    })
    const models = Models.layer({ main: Layer.orDie(vendor.layer("http://vendor", "key")) }, { attempts: 1 })
    const context = yield* Layer.build(Layer.provide(models, Layer.succeed(HttpClient.HttpClient, client)))
    const call = { purpose: "speak", prompt, limits } as const
    const { text } = yield* Context.get(context, Model.Model).ask(
      streamed ? { ...call, onPart: () => Effect.void } : call
    )
    expect(text).toBe("Done.")
    return body
  }).pipe(Effect.scoped)

const text = (words: string) => Prompt.textPart({ text: words })
const call = (id: string, name: string, params: unknown) =>
  Prompt.toolCallPart({ id, name, params, providerExecuted: false })
const result = (id: string, name: string, value: unknown, isFailure = false) =>
  Prompt.toolResultPart({ id, name, result: value, isFailure, providerExecuted: false })
const user = (...content: ReadonlyArray<Prompt.UserMessagePart>) => Prompt.userMessage({ content: [...content] })
const answer = (...content: ReadonlyArray<Prompt.AssistantMessagePart>) =>
  Prompt.assistantMessage({ content: [...content] })
const results = (...content: ReadonlyArray<Prompt.ToolResultPart>) => Prompt.toolMessage({ content: [...content] })
const hi = user(text("hello"))

const half = "\ud83d"

const histories: Readonly<Record<string, ReadonlyArray<Prompt.Message>>> = {
  "half of a character in every text": [
    Prompt.systemMessage({ content: `Be brief ${half}` }),
    user(
      text(`hello ${half}`),
      Prompt.filePart({ mediaType: "application/pdf", fileName: `a${half}.pdf`, data: "aGk=" })
    ),
    answer(text(`one ${half}`), call(`c${half}`, `n${half}`, { [`k${half}`]: [`v${half}`, { deep: half }] })),
    results(result(`c${half}`, `n${half}`, { [`k${half}`]: half })),
    Prompt.systemMessage({ content: `later ${half}` }),
    answer(text(half)),
    user(text("\udc00"))
  ],
  "two ids that differ only in a lone half": [
    hi,
    answer(call("\ud800", "a", {}), call("\udc00", "b", {})),
    results(result("\ud800", "a", 1), result("\udc00", "b", 2))
  ],
  "reasoning with half of a character": [
    hi,
    answer(
      Prompt.reasoningPart({ text: `so ${half}`, options: { anthropic: { signature: "s", model: "claude-x" } } }),
      call("a", "a", {})
    ),
    results(result("a", "a", 1))
  ],
  "arguments that are no object": [
    hi,
    ...[`{"n": "12`, ["x"], null, undefined, 7, true, "", [{ a: half }]].flatMap((params, i) => [
      answer(call(`c${i}`, "a", params)),
      results(result(`c${i}`, "a", params))
    ])
  ],
  "a call without a result": [hi, answer(text("I look"), call("a", "a", {})), user(text("well?"))],
  "one of two calls without a result": [
    hi,
    answer(call("a", "a", {}), call("b", "b", {})),
    results(result("b", "b", 1)),
    user(text("well?"))
  ],
  "a result without a call": [hi, results(result("a", "a", 1)), answer(text("so")), results(result("b", "b", 1)), hi],
  "a result with other messages in between": [
    hi,
    answer(call("a", "a", {})),
    hi,
    Prompt.systemMessage({ content: "later" }),
    results(result("a", "a", 1))
  ],
  "two results of one call": [hi, answer(call("a", "a", {})), results(result("a", "a", 1), result("a", "a", 2)), hi],
  "results in another order": [
    hi,
    answer(call("a", "a", {}), call("b", "b", {})),
    results(result("b", "b", 1), result("a", "a", 2))
  ],
  "the same id twice in one answer, and again later": [
    hi,
    answer(call("a", "a", {}), call("a", "b", {})),
    results(result("a", "a", 1), result("a", "b", 2)),
    answer(call("a", "a", {})),
    results(result("a", "a", 3))
  ],
  "ids that become the same in the vendor's form": [
    hi,
    answer(
      call("f.a:0", "a", {}),
      call("f_a_0", "a", {}),
      call(`${"x".repeat(200)}1`, "a", {}),
      call(`${"x".repeat(200)}2`, "a", {})
    ),
    results(
      ...["f.a:0", "f_a_0", `${"x".repeat(200)}1`, `${"x".repeat(200)}2`].map((id) => result(id, "a", id))
    )
  ],
  "empty ids and names": [hi, answer(call("", "", {}), call(" ", " ", {})), results(result(" ", " ", 1)), hi],
  "blank texts and empty messages": [
    user(text("")),
    user(),
    answer(text(" ")),
    answer(),
    hi,
    answer(text(""), text("\n")),
    Prompt.systemMessage({ content: " " }),
    user(text(" "), text("again"))
  ],
  "an answer that is only reasoning, and reasoning at the end": [
    hi,
    answer(Prompt.reasoningPart({ text: "so", options: { anthropic: { signature: "s", model: "claude-x" } } })),
    hi,
    answer(
      text("well"),
      Prompt.reasoningPart({ text: "so", options: { anthropic: { signature: "s", model: "claude-x" } } })
    ),
    hi
  ],
  "a file from a model": [hi, answer(Prompt.filePart({ mediaType: "image/png", data: "aGk=" })), hi],
  "the model's words at the end": [hi, answer(text("Hello "))],
  "the key `__proto__` in arguments and results": [
    hi,
    answer(call("a", "a", JSON.parse(`{"__proto__":{"x":1}}`))),
    results(result("a", "a", JSON.parse(`{"__proto__":{"x":1}}`)))
  ]
}

describe.each(vendors)("$name", (vendor) => {
  it.effect.each(Object.entries(histories))(
    "accepts %s",
    ([, history]) => Effect.forEach([false, true], (streamed) => sent(vendor, Prompt.fromMessages(history), streamed))
  )

  const word = fc.oneof(hostileText, fc.string({ unit: fc.constantFrom("a", " ", "\ud83d", "\ude00", "<", "😀") }))
  const id = fc.oneof(fc.constantFrom("a", "b", "a.b", "a_b", "", "\ud800"), fc.string({ unit: "binary" }))
  const part = fc.oneof(
    fc.record({ kind: fc.constant("text" as const), text: word }),
    fc.record({ kind: fc.constant("call" as const), id, name: word, value: hostileJson }),
    fc.record({ kind: fc.constant("reasoning" as const), text: word })
  )
  const message = fc.oneof(
    fc.array(word, { maxLength: 3 }).map((words) => user(...words.map(text))),
    word.map((content) => Prompt.systemMessage({ content })),
    fc.array(part, { maxLength: 4 }).map((parts) =>
      answer(...parts.map((one) =>
        one.kind === "text"
          ? text(one.text)
          : one.kind === "call"
          ? call(one.id, one.name, one.value)
          : Prompt.reasoningPart({ text: one.text, options: { anthropic: { signature: "s", model: "claude-x" } } })
      ))
    ),
    fc.array(fc.record({ id, name: word, value: hostileJson, failed: fc.boolean() }), { maxLength: 4 }).map((all) =>
      results(...all.map((one) => result(one.id, one.name, one.value, one.failed)))
    )
  )

  it.effect("accepts any history, and gets what the user said last", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(message, { maxLength: 8 }), word, fc.boolean(), (history, last, streamed) =>
          Effect.runPromise(Effect.gen(function*() {
            const prompt = Prompt.fromMessages([...history, user(text(`x${last}`))])
            const body = yield* sent(vendor, prompt, streamed)
            // The tags of notes are changed, so a text with a bracket is not compared.
            if (!/[<＜﹤≮‹〈〈⟨❬❮❰˂ᐸ]/.test(last)) {
              expect(body).toContain(JSON.stringify(`x${last}`.toWellFormed()).slice(1, -1))
            }
          }))),
        runs(300, 30).fastCheck
      )
    ))
})

const kit = Agent.define({ data: Schema.Struct({}) })

describe.each(dialects)("a session at $name goes on", (dialect) => {
  const agent = (url: string) =>
    kit.make({
      name: "Desk",
      flows: [{ id: "talk", title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }],
      tools: [
        kit.tool({ id: "look", parameters: { n: Schema.Number }, handler: () => "found" }),
        kit.tool({ id: "pay", needsApproval: () => true, handler: () => "paid" })
      ]
    }).pipe(Effect.provide(Layer.merge(Layer.orDie(dialect.layer(url, "key")), SessionStore.layerMemory)))
  const done = { _tag: "Say", said: { text: "Done." } } as const

  it.scopedLive.each([false, true])(
    "after the model's last words end in half of a character (streamed: %s)",
    (streamed) =>
      Effect.gen(function*() {
        const server = yield* serve(dialect)
        server.does = [{ _tag: "Say", said: { text: `Hello ${half}`, reasoning: `so ${half}` } }, done]
        const desk = yield* agent(server.url)
        const request = { sessionId: "s", message: `hi ${half}` }
        if (streamed) yield* Stream.runDrain(desk.stream(request))
        else yield* desk.respond(request)
        expect((yield* desk.respond({ sessionId: "s", message: "go on" })).message).toBe("Done.")
      })
  )

  it.scopedLive.each([["x"], "12", 7, { [`k${half}`]: half }])(
    "after a call with the arguments %j, beside one that waits for a person",
    (params) =>
      Effect.gen(function*() {
        const server = yield* serve(dialect)
        const calls = [{ id: "c1", name: "look", params: params as object }, { id: "c2", name: "pay", params: {} }]
        server.does = [{ _tag: "Say", said: { calls } }, done]
        const desk = yield* agent(server.url)
        const asked = yield* desk.respond({ sessionId: "s", message: "pay" })
        const [request] = asked.approvals
        expect((yield* desk.approve("s", request!.id, { approved: true })).message).toContain("Done.")
        expect((yield* desk.respond({ sessionId: "s", message: "thanks" })).message).toContain("Done.")
      })
  )
})

import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Model, Models } from "coxswain"
import { Cause, Context, Duration, Effect, Fiber, Layer, Logger, LogLevel } from "effect"
import type { Dialect, Said } from "../../layers/models/dialects.js"
import { dialects } from "../../layers/models/dialects.js"
import { failures } from "../../layers/models/failures.js"
import type { Behaviour, Server } from "../../layers/models/server.js"
import { serve } from "../../layers/models/server.js"
import * as LogRecorder from "../../support/LogRecorder.js"

const key = "my-own-secret-key-4711"

const lookup: Model.OfferedTool = {
  name: "lookup",
  description: "Looks up",
  jsonSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] }
}
const prompt = Prompt.make([
  { role: "system", content: "You are brief." },
  { role: "system", content: "Today is Monday." },
  { role: "user", content: "hello" }
])

interface Test {
  readonly server: Server
  readonly shown: Array<Model.ModelPart>
  readonly ask: (
    call?: Partial<Model.ModelCall>
  ) => Effect.Effect<Model.ModelAnswer, Effect.Effect.Error<ReturnType<Model.Service["ask"]>>>
}

const setup = (dialect: Dialect, streamed: boolean, options: { readonly attempts?: number } = {}) =>
  Effect.gen(function*() {
    const server = yield* serve(dialect)
    const context = yield* Layer.build(
      Models.layer({ main: dialect.layer(server.url, key) }, { attempts: 1, breaker: false, ...options })
    )
    const model = Context.get(context, Model.Model)
    const shown: Array<Model.ModelPart> = []
    const test: Test = {
      server,
      shown,
      ask: (call) =>
        model.ask({
          purpose: "speak",
          prompt,
          limits: { firstToken: Duration.seconds(5), model: Duration.seconds(5) },
          ...(streamed && { onPart: (part: Model.ModelPart) => Effect.sync(() => void shown.push(part)) }),
          ...call
        })
    }
    return test
  })

/** Waits for the condition, at most until the test times out. */
const until = (isSo: () => boolean): Effect.Effect<unknown> =>
  Effect.repeat(Effect.delay(Effect.sync(isSo), "5 millis"), { until: (is) => is })

const say = (said: Said): Behaviour => ({ _tag: "Say", said })

for (const dialect of dialects) {
  for (const streamed of [false, true]) {
    describe(`a model of ${dialect.name}, ${streamed ? "with streaming" : "without streaming"}`, () => {
      const test = (
        name: string,
        body: (test: Test) => Effect.Effect<void, unknown>,
        options?: { readonly attempts?: number }
      ) =>
        it.scopedLive(name, () =>
          Effect.flatMap(setup(dialect, streamed, options), body).pipe(
            Logger.withMinimumLogLevel(LogLevel.None)
          ))

      test("returns text and usage", ({ ask, server, shown }) =>
        Effect.gen(function*() {
          server.does = [say({ text: "Hello, wörld. How are you?" })]
          const answer = yield* ask()
          expect(answer).toMatchObject({
            text: "Hello, wörld. How are you?",
            toolCalls: [],
            finishReason: "stop",
            usage: { inputTokens: 11, outputTokens: 7, cachedInputTokens: 4 }
          })
          expect(answer.content.map(({ type }) => type)).toEqual(["text"])
          if (streamed) {
            expect(shown.length).toBeGreaterThan(2)
            expect(shown.map((part) => "text" in part ? part.text : "").join("")).toBe(answer.text)
          }
          const sent = JSON.stringify(server.requests[0]!.body)
          expect(sent).toContain("You are brief.")
          expect(sent).toContain("Today is Monday.")
        }))

      test("returns reasoning, and sends it back if the provider requires that", ({ ask, server, shown }) =>
        Effect.gen(function*() {
          server.does = [say({ reasoning: "Let me think.", text: "Yes." })]
          const answer = yield* ask()
          expect(answer.text).toBe("Yes.")
          expect(answer.content.map((part) => "text" in part && [part.type, part.text])).toEqual([
            ["reasoning", "Let me think."],
            ["text", "Yes."]
          ])
          if (streamed) {
            const thought = shown.map((part) => part._tag === "Reasoning" ? part.text : "").join("")
            expect(thought).toBe("Let me think.")
          }
          // Reasoning that the provider requires is sent back.
          server.does = [say({ text: "Again." })]
          yield* ask({
            prompt: Prompt.merge(
              prompt,
              Prompt.fromMessages([
                Prompt.assistantMessage({ content: answer.content }),
                Prompt.userMessage({ content: [Prompt.textPart({ text: "and?" })] })
              ])
            )
          })
          const sent = JSON.stringify(server.requests[1]!.body)
          expect(sent).toContain("Yes.")
          if (dialect.name === "anthropic") expect(sent).toContain("\"signature\":\"sig\"")
          if (dialect.name === "openai") expect(sent).toContain("\"rs_1\"")
        }))

      test("returns a tool call, and sends the result of the call", ({ ask, server }) =>
        Effect.gen(function*() {
          server.does = [say({ text: "One moment.", calls: [{ id: "call_1", name: "lookup", params: { q: "x" } }] })]
          const answer = yield* ask({ tools: [lookup] })
          expect(answer.text).toBe("One moment.")
          expect(answer.toolCalls.map(({ name, params }) => [name, params])).toEqual([["lookup", { q: "x" }]])
          expect(answer.finishReason).toBe("tool-calls")
          const sent = JSON.stringify(server.requests[0]!.body)
          expect(sent).toContain("\"lookup\"")
          expect(sent).toContain("Looks up")

          server.does = [say({ text: "Found." })]
          const [call] = answer.toolCalls
          const history = Prompt.merge(
            prompt,
            Prompt.fromMessages([
              Prompt.assistantMessage({ content: answer.content }),
              Prompt.toolMessage({
                content: [Prompt.toolResultPart({
                  id: call!.id,
                  name: "lookup",
                  isFailure: false,
                  result: "the answer is 42",
                  providerExecuted: false
                })]
              })
            ])
          )
          expect((yield* ask({ prompt: history, tools: [lookup] })).text).toBe("Found.")
          expect(JSON.stringify(server.requests[1]!.body)).toContain("the answer is 42")
        }))

      test("returns several tool calls of one answer", ({ ask, server }) =>
        Effect.gen(function*() {
          const calls = [1, 2, 3].map((n) => ({ id: `call_${n}`, name: "lookup", params: { q: `x${n}` } }))
          server.does = [say({ calls })]
          const answer = yield* ask({ tools: [lookup] })
          expect(answer.toolCalls.map(({ params }) => params)).toEqual([{ q: "x1" }, { q: "x2" }, { q: "x3" }])
          expect(new Set(answer.toolCalls.map(({ id }) => id)).size).toBe(3)
        }))

      test("returns a call of an unknown tool", ({ ask, server }) =>
        Effect.gen(function*() {
          server.does = [say({ calls: [{ id: "call_1", name: "made_up", params: {} }] })]
          const answer = yield* ask({ tools: [lookup] })
          expect(answer.toolCalls.map(({ name }) => name)).toEqual(["made_up"])
          expect(server.requests).toHaveLength(1)
        }))

      test("requests and returns structured output", ({ ask, server, shown }) =>
        Effect.gen(function*() {
          server.does = [say({ json: { scores: { booking: 90 } } })]
          const schema = {
            type: "object",
            properties: { scores: { type: "object", properties: { booking: { type: "number" } } } },
            required: ["scores"]
          }
          const answer = yield* ask({ json: { name: "answer", schema } })
          expect(answer.value).toEqual({ scores: { booking: 90 } })
          expect(answer.usage.inputTokens).toBe(11)
          expect(shown).toEqual([])
          const asked = dialect.schemaOf(server.requests[0]!.body)
          expect(JSON.stringify(asked).toLowerCase()).toBe(JSON.stringify(schema).toLowerCase())
        }))

      test("returns text that was cut off at the token limit", ({ ask, server }) =>
        Effect.gen(function*() {
          server.does = [say({ text: "Once upon", stop: "length" })]
          expect(yield* ask()).toMatchObject({ text: "Once upon", finishReason: "length" })
        }))

      for (const { does, expected, limits, name } of failures(dialect, streamed)) {
        test(name, ({ ask, server }) =>
          Effect.gen(function*() {
            server.does = [does]
            const error = yield* Effect.flip(ask(limits === undefined ? {} : { limits }))
            expect(error).toMatchObject({ _tag: "ResponseGenerationError", ...expected })
          }))
      }

      test("fails with the exceeded time limit, and aborts the request, if the server does not answer", ({ ask, server }) =>
        Effect.gen(function*() {
          server.does = [{ _tag: "Hang" }]
          const limits = { firstToken: Duration.millis(150), model: Duration.millis(250) }
          const error = yield* Effect.flip(ask({ limits }))
          expect(error).toMatchObject({ reason: "timeout", retryable: true })
          expect(error.message).toContain(streamed ? "timeouts.firstToken (150ms)" : "timeouts.model (250ms)")
          yield* until(() => server.requests[0]?.aborted === true)
        }))

      test("retries a transient failure", ({ ask, server }) =>
        Effect.gen(function*() {
          server.does = [
            { _tag: "Refuse", status: 429, headers: { "retry-after-ms": "20" } },
            say({ text: "at last" })
          ]
          expect((yield* ask()).text).toBe("at last")
          expect(server.requests).toHaveLength(2)
        }), { attempts: 2 })

      if (streamed) {
        const said = { text: "Hello, world. How are you?" }
        const some = dialect.events(said).length - 3
        test("aborts the request when the call is interrupted", ({ ask, server, shown }) =>
          Effect.gen(function*() {
            server.does = [{ _tag: "Break", said, events: some, how: "hang" }]
            const asking = yield* Effect.fork(ask())
            yield* until(() => shown.length > 0)
            yield* Fiber.interrupt(asking)
            yield* until(() => server.requests[0]?.aborted === true)
          }))
      }

      it.scopedLive("keeps the key out of logs, spans and errors", () =>
        Effect.gen(function*() {
          const { recorded, seen, write } = LogRecorder.make()
          yield* Effect.gen(function*() {
            const test = yield* setup(dialect, streamed, { attempts: 2 })
            test.server.does = [
              { _tag: "Refuse", status: 503, message: `no ${key}` },
              {
                _tag: "Refuse",
                status: 401,
                message: `Incorrect API key provided: ${key}. Authorization: Bearer ${key}`
              }
            ]
            const error = yield* Effect.flip(test.ask())
            expect(error).toMatchObject({ reason: "auth" })
            yield* Effect.logError("failed", Cause.fail(error))
            write(error)
            write(String(error.stack))
            write(JSON.stringify(error))
            if (streamed && dialect.errorEvent !== undefined) {
              test.server.does = [{ _tag: "ErrorEvent", said: {}, events: 0, message: `no ${key}` }]
              write(yield* Effect.flip(test.ask()))
            }
            test.server.does = [{ _tag: "Reset" }]
            write(yield* Effect.flip(test.ask()))
            expect(Object.values(test.server.requests[0]!.headers).join()).toContain(key)
          }).pipe(recorded)
          expect(seen.length).toBeGreaterThan(5)
          const all = seen.join("\n")
          expect(all).toContain("<redacted>")
          expect(all).not.toContain(key)
        }))
    })
  }
}

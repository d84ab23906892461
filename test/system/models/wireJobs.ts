/** Model jobs over a server that plays recorded answers. */
import { Agent, JobRunner, Jobs, Models, SessionStore } from "coxswain"
import { Effect, Layer, Queue, Schema, Stream } from "effect"
import { expect } from "vitest"
import type { Dialect } from "../../layers/models/dialects.js"
import { serve } from "../../layers/models/server.js"
import type { Recording } from "./wire.js"

const kit = Agent.define({
  data: Schema.Struct({}),
  events: { do: Schema.Unknown },
  jobs: [Jobs.LlmStream, Jobs.LlmGenerate]
})

type Result = Schema.Schema.Type<typeof Jobs.LlmGenerate.schemas.success>
type Failure = Schema.Schema.Type<typeof Jobs.LlmGenerate.schemas.failure>

/** The result of a model job, in the format of the turn tests. */
const readOf = (event: Result | Failure) =>
  "text" in event
    ? {
      text: event.text,
      toolCalls: event.toolCalls.map(({ name, params }) => ({ name, args: params })),
      usage: {
        input: event.usage.inputTokens,
        output: event.usage.outputTokens,
        cached: event.usage.cachedInputTokens
      },
      finish: event.finishReason
    }
    : { failed: event.reason, why: event.why }

/** An agent, its job runner and its server. Plays an answer to a job, and returns the job's result. */
export const asking = (dialect: Dialect) =>
  Effect.gen(function*() {
    const server = yield* serve(dialect)
    const told: Array<ReturnType<typeof readOf>> = []
    const tell = ({ event }: { readonly event: Result | Failure }) => Effect.sync(() => void told.push(readOf(event)))
    const models = Models.layer({ main: dialect.layer(server.url, "my-own-key-for-tests") }, {
      attempts: 1,
      breaker: false
    })
    const store = yield* SessionStore.makeMemory
    const agent = yield* kit.make({
      name: "Test",
      on: {
        do: ({ event }) => event as object,
        [Jobs.LlmStream.completed]: tell,
        [Jobs.LlmStream.failed]: tell,
        [Jobs.LlmGenerate.completed]: tell,
        [Jobs.LlmGenerate.failed]: tell
      }
    }).pipe(Effect.provide(models), Effect.provideService(SessionStore.SessionStore, store))
    yield* Layer.build(JobRunner.layer([agent]).pipe(Layer.provide(Layer.succeed(SessionStore.SessionStore, store))))
    /** The streamed text before each result. */
    const pieces = yield* Queue.unbounded<string>()
    let heard = ""
    let isEnd = false
    const listening = agent.session("s1").feed.pipe(
      Stream.runForEach((event) => {
        if (event._tag === "JobProgress") {
          const { _tag, text } = event.value as { readonly _tag: string; readonly text: string }
          if (_tag === "Text") heard += text
        }
        if (event._tag === "TurnStarted") isEnd = event.event !== "do"
        if (event._tag !== "TurnCompleted" || !isEnd) return Effect.void
        const said = heard
        heard = ""
        return Queue.offer(pieces, said)
      })
    )
    yield* Effect.forkScoped(listening)
    yield* Effect.yieldNow()
    return ({ body, status, stream }: Recording, tools: ReadonlyArray<string>) =>
      Effect.gen(function*() {
        server.does = [{ _tag: "Send", text: body, status }]
        const job = stream ? Jobs.LlmStream : Jobs.LlmGenerate
        const run = job.of({
          messages: [{ role: "user", content: "hello" }],
          tools: [...new Set(tools)].map((name) => ({ name }))
        })
        yield* agent.notify({ sessionId: "s1", event: "do", payload: { run } })
        const streamed = yield* Queue.take(pieces)
        const read = told.at(-1)!
        if (stream && "text" in read) expect(streamed).toBe(read.text)
        return read
      })
  }).pipe(Effect.orDie)

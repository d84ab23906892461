/**
 * What is tried with a real server for chat completions: a dialogue, a streamed answer, a tool call, a call that waits for a
 * person, an answer that is stopped. The exchanges of one run are recorded, and played again without the server.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { Agent, Models, SessionStore } from "coxswain"
import * as OpenAiCompatible from "coxswain/layers/openai-compatible"
import { Effect, Layer, Schema, Stream } from "effect"

/** An answer of the server to a request. */
export const Exchange = Schema.Struct({
  status: Schema.Number,
  type: Schema.String,
  body: Schema.String,
  /** True if the client stopped reading before the end. */
  isCut: Schema.Boolean
})

type Exchange = typeof Exchange.Type

/** One part of a run: what came of it, and the answers of the server, in order. */
export const Recorded = Schema.Struct({
  part: Schema.String,
  isRight: Schema.Boolean,
  what: Schema.String,
  exchanges: Schema.Array(Exchange)
})

export const Recording = Schema.Struct({ model: Schema.String, parts: Schema.Array(Recorded) })

type Fetch = typeof globalThis.fetch

export interface Server {
  readonly baseUrl: string
  readonly model: string
  /** `system` for a model whose template takes system messages at any position. */
  readonly laterSystem?: OpenAiCompatible.LaterSystem
}

/** A fetch that asks the server, and keeps what the client reads of its answers. */
export const recording = (into: Array<Exchange>): Fetch => async (...request) => {
  const response = await globalThis.fetch(...request)
  const kept = { status: response.status, type: response.headers.get("content-type") ?? "", body: "", isCut: true }
  into.push(kept)
  const decoder = new TextDecoder()
  const read = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      kept.body += decoder.decode(chunk, { stream: true })
      controller.enqueue(chunk)
    },
    flush: () => void (kept.isCut = false)
  })
  return new Response(response.body?.pipeThrough(read) ?? null, { status: response.status, headers: response.headers })
}

/** A fetch that gives the recorded answers in their order, event by event. An answer that was cut never ends. */
export const replaying = (exchanges: ReadonlyArray<Exchange>): Fetch => {
  const left = [...exchanges]
  return () => {
    const next = left.shift()
    if (next === undefined) {
      return Promise.reject(new Error("no answer is left: record anew by npm run real -- --record"))
    }
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const piece of next.body.split(/(?<=\n\n)/)) controller.enqueue(encoder.encode(piece))
        if (!next.isCut) controller.close()
      }
    })
    return Promise.resolve(new Response(body, { status: next.status, headers: { "content-type": next.type } }))
  }
}

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, guests: Schema.Int }) })

const weather = kit.tool({
  id: "weather",
  description: "Tells the weather of a city",
  isReadOnly: true,
  parameters: { city: Schema.String },
  handler: ({ city }) => `It rains in ${city}`
})

const refund = kit.tool({
  id: "refund",
  description: "Pays an amount back to the guest",
  needsApproval: () => true,
  parameters: { euros: Schema.Number },
  handler: ({ euros }) => `${euros} euros were paid back`
})

const hotel = kit.make({
  name: "Hotel",
  goal: "Help guests of a hotel",
  tools: [weather, refund],
  timeouts: { firstToken: "9 minutes", model: "9 minutes", turn: "20 minutes", lock: "20 minutes" },
  flows: [{
    title: "Book a room",
    when: "wants to book a room",
    example: "I need a room for the night",
    steps: [
      { id: "city", prompt: "Ask for the city", collect: ["city"] },
      { id: "guests", prompt: "Ask how many guests come", collect: ["guests"] },
      { id: "done", prompt: "Say that the room is reserved" }
    ]
  }]
})

/** The agent, which asks the server by this fetch. */
const agentBy = (fetch: Fetch, { baseUrl, laterSystem, model }: Server) =>
  Effect.provide(hotel, [
    Layer.provide(
      Models.layer({
        main: OpenAiCompatible.layer({
          baseUrl,
          model,
          purposes: { understand: { max_tokens: 400 }, speak: { max_tokens: 200, temperature: 0 } },
          ...(laterSystem !== undefined && { laterSystem })
        })
      }, { attempts: 1 }),
      Layer.provide(FetchHttpClient.layer, Layer.succeed(FetchHttpClient.Fetch, fetch))
    ),
    SessionStore.layerMemory
  ])

type Hotel = Effect.Effect.Success<ReturnType<typeof agentBy>>

/** The parts: what is done with the agent, and what should come of it. */
const parts: Readonly<
  Record<string, (agent: Hotel) => Effect.Effect<readonly [isRight: boolean, what: string], unknown>>
> = {
  "a dialogue that fills two fields": ({ respond }) =>
    Effect.gen(function*() {
      yield* respond({ sessionId: "dialogue", message: "I would like to book a room" })
      yield* respond({ sessionId: "dialogue", message: "In Lisbon, please" })
      const { message, session: { data } } = yield* respond({ sessionId: "dialogue", message: "We are two guests" })
      return [data.city !== undefined && data.guests === 2, `${JSON.stringify(data)} ${message}`]
    }),
  "a streamed answer": ({ stream }) =>
    Effect.gen(function*() {
      const events = yield* Stream.runCollect(stream({ sessionId: "stream", message: "Tell me of the breakfast" }))
      const texts = Array.from(events).flatMap((event) => event._tag === "TextDelta" ? [event.text] : [])
      return [texts.length > 1, `${texts.length} pieces: ${texts.join("")}`]
    }),
  "a tool call": ({ respond }) =>
    Effect.gen(function*() {
      const { message, toolCalls } = yield* respond({ sessionId: "tool", message: "How is the weather in Porto?" })
      return [toolCalls.some(({ toolId }) => toolId === "weather"), message]
    }),
  "a call that waits for a person": ({ approve, respond }) =>
    Effect.gen(function*() {
      const { approvals: [request] } = yield* respond({ sessionId: "wait", message: "Please pay me back 20 euros" })
      if (request === undefined) return [false, "no call waits"]
      const { message, toolCalls } = yield* approve("wait", request.id, { approved: true })
      return [toolCalls.some(({ outcome }) => outcome === "ok"), `${JSON.stringify(request.args)} ${message}`]
    }),
  "an answer that is stopped, and the next one": ({ respond, session, stream }) =>
    Effect.gen(function*() {
      const began = stream({ sessionId: "stop", message: "Tell me a long story of the river" })
      yield* Stream.runDrain(Stream.takeUntil(began, ({ _tag }) => _tag === "TextDelta"))
      const { message } = yield* respond({ sessionId: "stop", message: "Hello?" })
      const { version } = yield* session("stop").snapshot
      return [message !== "", `version ${version}: ${message}`]
    })
}

export const names = Object.keys(parts)

/** Runs a part with the answers that the fetch gives. */
export const run = (
  name: string,
  fetch: Fetch,
  server: Server
): Effect.Effect<{ readonly isRight: boolean; readonly what: string }, unknown> =>
  Effect.flatMap(
    agentBy(fetch, server),
    (agent) => Effect.map(parts[name]!(agent), ([isRight, what]) => ({ isRight, what }))
  )

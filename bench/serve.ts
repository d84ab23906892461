/**
 * 200 streams at once over HTTP, each begun again when it ends, against a model that takes 20 ms before it speaks and says
 * ten words: how long the first one takes to arrive, whether a stream is torn, what lives in the heap, and what a server
 * that is told to stop does with those that run. Beside it the same chat served by the AI SDK alone.
 * `serve.ts [--seconds=60] [load | stop]`.
 *
 * With 200 clients that never wait, the processor is the limit, and the first word takes as long as those before it in the
 * queue: 200 streams by how many are served in a second. So each side is asked again at half of the rate that it has
 * reached, where a stream waits for nobody but the model.
 *
 * A session has ten turns and is removed, so that what lives is not what is stored. Turns are kept for ten seconds after
 * their end and not for a minute, so that memory reaches its height within a run of a minute, and is seen to stay there.
 */
import { type LanguageModel, LanguageModel as Models, type Response } from "@effect/ai"
import { HttpServer } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { simulateReadableStream, streamText } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { Agent, SessionStore, TurnFeed } from "coxswain"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Schema, Stream } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import * as http from "node:http"
import { fileURLToPath } from "node:url"
import * as Given from "./support/Given.js"

const words = Array.from({ length: 10 }, (_, i) => `word${i} `)
const streams = 200
const pause = 20

const ready = (port: number) => process.send?.({ port })

/** A collection stops the server for a moment, so nothing is measured while the tail of what it does in time is. */
const sample = () =>
  setInterval(() => {
    globalThis.gc?.()
    process.send?.({ heap: process.memoryUsage().heapUsed })
  }, 5000).unref()

/** The agent: one flow that talks, so that a turn asks the model once. */
const serveAgent = () => {
  const kit = Agent.define({ data: Schema.Struct({}) })
  class Desk extends kit.Service<Desk>()("Desk", {
    name: "Desk",
    flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
  }) {}
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const finish = { type: "finish", reason: "stop", usage } as const
  const said: ReadonlyArray<Response.StreamPartEncoded> = [
    { type: "text-start", id: "t" },
    ...words.map((delta): Response.StreamPartEncoded => ({ type: "text-delta", id: "t", delta })),
    { type: "text-end", id: "t" },
    finish
  ]
  const model: Layer.Layer<LanguageModel.LanguageModel> = Layer.effect(
    Models.LanguageModel,
    Models.make({
      generateText: () => Effect.delay(Effect.succeed([{ type: "text", text: words.join("") }, finish]), pause),
      streamText: () =>
        Stream.concat(
          Stream.execute(Effect.sleep(pause)),
          Stream.rechunk(Stream.fromIterable(said), 1)
        )
    })
  )
  const app = Server.layer(Desk, {
    authenticate: ({ headers }) => Effect.succeed({ userId: headers.authorization ?? "nobody" }),
    rateLimit: false,
    docs: false
  })
  const live = Server.serve(app).pipe(
    Layer.tap(() =>
      Effect.map(HttpServer.HttpServer, ({ address }) => ready(address._tag === "TcpAddress" ? address.port : 0))
    ),
    Layer.provide(Desk.layer),
    Layer.provide([model, SessionStore.layerMemory, TurnFeed.layerMemoryWith({ keptFor: "10 seconds" })]),
    Layer.provide(NodeServer.layer({ port: 0, host: "127.0.0.1" }))
  )
  NodeRuntime.runMain(Layer.launch(live))
}

/** The same words by the AI SDK, in the handler that its documentation shows. */
const serveSdk = () => {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 }
  }
  const server = http.createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      const model = new MockLanguageModelV4({
        doStream: async () => {
          await new Promise((resolve) => setTimeout(resolve, pause))
          return {
            stream: simulateReadableStream({
              initialDelayInMs: null,
              chunkDelayInMs: null,
              chunks: [
                { type: "stream-start" as const, warnings: [] },
                { type: "text-start" as const, id: "t" },
                ...words.map((delta) => ({ type: "text-delta" as const, id: "t", delta })),
                { type: "text-end" as const, id: "t" },
                { type: "finish" as const, usage, finishReason: { unified: "stop" as const, raw: "stop" } }
              ]
            })
          }
        }
      })
      void streamText({ model, prompt: "Hi" }).pipeUIMessageStreamToResponse(response)
    })
  })
  server.listen(0, "127.0.0.1", () => ready((server.address() as { readonly port: number }).port))
}

interface Serving {
  readonly child: ChildProcess
  readonly port: number
  /** The memory in use after a collection, every 5 seconds. */
  readonly heap: ReadonlyArray<number>
}

const start = (kind: string, ...options: ReadonlyArray<string>): Promise<Serving> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [kind, ...options], {
      execArgv: ["--expose-gc", "--import", "tsx"]
    })
    const heap: Array<number> = []
    child.once("error", reject)
    child.on("message", (message: { readonly port?: number; readonly heap?: number }) => {
      if (message.heap !== undefined) heap.push(message.heap)
      if (message.port !== undefined) resolve({ child, port: message.port, heap })
    })
  })

const agent = new http.Agent({ keepAlive: true, maxSockets: streams })

const turnsOfSession = 10

const sessionOf = (n: number, turn: number) => `/sessions/s${n}-${Math.floor(turn / turnsOfSession)}`

const remove = (port: number, n: number, turn: number) =>
  fetch(`http://127.0.0.1:${port}${sessionOf(n, turn)}`, { method: "DELETE", headers: { authorization: `u${n}` } })

interface Streamed {
  /** After how many milliseconds the first word came; 0 when none did. */
  readonly first: number
  /** The fate of a stream that did not come to its end. */
  readonly torn?: string
}

/** The whole of a stream: its last word, and the event that ends it. */
const isWhole = (text: string) => text.includes(words.at(-1)!.trim()) && /TurnCompleted|"finish"/.test(text)

/** One stream, from its request to its end. */
const one = (port: number, kind: string, n: number, turn: number): Promise<Streamed> =>
  new Promise((resolve) => {
    const begin = performance.now()
    let [first, text, status] = [0, "", 0]
    const done = (how: string) =>
      resolve(
        isWhole(text) ? { first } : {
          first,
          torn: `stream ${n}/${turn}, ${how} after ${Math.round(performance.now() - begin)} ms, on a ${
            request.reusedSocket ? "used" : "new"
          } connection, status ${status}, last: ${JSON.stringify(text.slice(-400))}`
        }
      )
    const request = http.request({
      port,
      agent,
      host: "127.0.0.1",
      method: "POST",
      path: kind === "agent" ? `${sessionOf(n, turn)}/turns/stream` : "/chat",
      headers: { "content-type": "application/json", authorization: `u${n}` }
    }, (response) => {
      status = response.statusCode ?? 0
      response.setEncoding("utf8").on("data", (chunk: string) => {
        if (first === 0 && chunk.includes("word0")) first = performance.now() - begin
        text += chunk
      })
      response.on("end", () => done("ended")).on("error", ({ message }) => done(message))
    })
    request.on("error", ({ message }) => done(message))
    request.end(JSON.stringify({ message: "Hi" }))
  })

const percentile = (sorted: ReadonlyArray<number>, p: number) => sorted[Math.floor((sorted.length - 1) * p)] ?? 0
const mb = (bytes: number) => Math.round(bytes / 1_048_576)

/** What came of streams: when each had its first word, in order, and what became of those that did not come to their end. */
interface Loaded {
  readonly firsts: ReadonlyArray<number>
  readonly lost: ReadonlyArray<string>
  readonly heap: ReadonlyArray<number>
}

/** Begins streams as `play` says, on a server of its own. */
const loaded = async (
  kind: string,
  options: ReadonlyArray<string>,
  play: (stream: (n: number, turn: number) => Promise<void>) => Promise<unknown>
): Promise<Loaded> => {
  const { child, heap, port } = await start(kind, ...options)
  const firsts: Array<number> = []
  const lost: Array<string> = []
  await play(async (n, turn) => {
    const { first, torn } = await one(port, kind, n, turn)
    if (torn === undefined) firsts.push(first)
    else lost.push(torn)
    if (kind === "agent" && turn % turnsOfSession === turnsOfSession - 1) await remove(port, n, turn)
  })
  child.kill("SIGKILL")
  return { firsts: firsts.sort((a, b) => a - b), lost, heap }
}

const report = (what: string, { firsts, heap, lost }: Loaded, seconds: number) => {
  const at = (p: number) => Math.round(percentile(firsts, p))
  console.log(
    [
      `${what}: ${firsts.length} streams (${Math.round(firsts.length / seconds)}/s), first word p50 ${
        at(0.5)
      } ms, p99 ${at(0.99)} ms, torn ${lost.length}`,
      ...(heap.length === 0
        ? []
        : [`heap after a collection every 5 s, turns kept for 10 s: ${heap.map(mb).join(", ")} MB`])
    ].join(", ")
  )
  for (const torn of lost.slice(0, 10)) console.log(`  torn: ${torn}`)
}

/** As many as are served: 200 clients, each of which begins again at once. */
const full = async (kind: string, seconds: number): Promise<number> => {
  const until = performance.now() + seconds * 1000
  const found = await loaded(
    kind,
    ["sampled"],
    (stream) =>
      Promise.all(Array.from({ length: streams }, async (_, n) => {
        for (let turn = 0; performance.now() < until; turn++) await stream(n, turn)
      }))
  )
  report(kind, found, seconds)
  return found.firsts.length / seconds
}

/** Streams that are begun at a rate, whether or not those before them have ended. */
const paced = async (kind: string, seconds: number, rate: number) => {
  const found = await loaded(kind, [], async (stream) => {
    const began = performance.now()
    const running: Array<Promise<void>> = []
    for (let i = 0; i < seconds * rate; i++) {
      await new Promise((resolve) => setTimeout(resolve, began + i * 1000 / rate - performance.now()))
      running.push(stream(i % streams, Math.floor(i / streams)))
    }
    return Promise.all(running)
  })
  report(`${kind}, at half of that rate`, found, seconds)
}

const load = async (kind: string, seconds: number) => paced(kind, seconds / 3, await full(kind, seconds) / 2)

/** Streams that run when the server is told to stop. */
const stop = async () => {
  const { child, port } = await start("agent")
  const running = Array.from({ length: streams }, (_, n) => one(port, "agent", n, 0))
  await Promise.race(running)
  child.kill("SIGTERM")
  const ended = await Promise.all(running)
  const begun = ended.filter(({ first }) => first > 0)
  console.log(
    `stop: told in the middle of ${streams} streams: ${
      begun.filter(({ torn }) => torn === undefined).length
    } of the ${begun.length} that had begun came to their end`
  )
}

const [, , role, option] = process.argv
if (option === "sampled") sample()
if (role === "agent") serveAgent()
else if (role === "sdk") serveSdk()
else {
  const [only] = Given.names()
  const seconds = Given.number("seconds", 60)
  if (only !== "stop") await load("agent", seconds)
  if (only === undefined) await load("sdk", seconds)
  if (only !== "load") await stop()
  process.exit()
}

/**
 * Streams over HTTP, against a model that takes 20 ms before it speaks and says ten words: ours, the AI SDK behind a plain server
 * of Node, and a bare echo of the same words as server-sent events. Each is a process of its own, and their rounds alternate.
 * `serve.ts [--streams=1000] [--only=load,stop]`.
 *
 * In the rounds 200 clients never wait, so that the processor is the limit, and a stream takes as long as those before it in the
 * queue: 200 streams by how many are served in a second. So each side is asked again at half of the rate that the slower one of
 * ours and the AI SDK reaches, where a stream waits for nobody but the model. At the end our server is told to stop while
 * streams run.
 *
 * A session has ten turns and is removed, so that what lives is not what is stored. Turns are kept for ten seconds after
 * their end and not for a minute, so that memory reaches its height within a run of a minute, and is seen to stay there.
 */
import { LanguageModel, type Response } from "@effect/ai"
import { HttpServer } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import { simulateReadableStream, streamText } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { Agent, SessionStore, TurnFeed } from "coxswain"
import * as NodeServer from "coxswain/layers/node-server"
import * as Server from "coxswain/layers/server"
import { Effect, Layer, Option, Schema } from "effect"
import { type ChildProcess, fork } from "node:child_process"
import * as http from "node:http"
import { fileURLToPath } from "node:url"
import * as Wire from "../src/services/model/call/Wire.js"
import * as Given from "./support/Given.js"

const words = Array.from({ length: 10 }, (_, i) => `word${i} `)
/** Number of clients. */
const clients = 200
const pause = 20

type Asked = "cpu" | "heap"

/** Tells the port; later the milliseconds of the processor since the start, or the bytes in use after a collection, when asked. */
const ready = (port: number) => {
  process.on("message", (asked: Asked) => {
    const { system, user } = process.cpuUsage()
    if (asked === "heap") globalThis.gc?.()
    process.send?.(asked === "cpu" ? (system + user) / 1000 : process.memoryUsage().heapUsed)
  })
  process.send?.({ port })
}

const listen = (handler: http.RequestListener) => {
  const server = http.createServer((request, response) => {
    request.resume()
    request.on("end", () => handler(request, response))
  })
  server.listen(0, "127.0.0.1", () => ready((server.address() as { readonly port: number }).port))
}

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
  const pulled = Effect.sync(() => {
    let n = 0
    const next = Effect.suspend(() => n < said.length ? Effect.succeed([said[n++]!]) : Effect.fail(Option.none()))
    return Effect.suspend(() => n === 0 ? Effect.delay(next, pause) : next)
  })
  // A provider whose wire the library reads itself, as it does with all that come with it.
  const model = Layer.effect(
    LanguageModel.LanguageModel,
    Wire.make({ whole: () => Effect.dieMessage("every turn is streamed here"), stream: () => pulled })
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
  listen((_, response) => {
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
}

/** The same words with nothing around them. */
const serveEcho = () =>
  listen((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    setTimeout(() => {
      for (const text of words) response.write(`data: ${JSON.stringify({ type: "text-delta", text })}\n\n`)
      response.end(`data: ${JSON.stringify({ type: "finish" })}\n\n`)
    }, pause)
  })

const kinds = { agent: serveAgent, sdk: serveSdk, echo: serveEcho }
type Kind = keyof typeof kinds

interface Serving {
  readonly kind: Kind
  readonly child: ChildProcess
  readonly port: number
  /** The turns that each client has had. */
  readonly turns: Array<number>
}

const start = (kind: Kind): Promise<Serving> =>
  new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [kind], { execArgv: [...process.execArgv, "--expose-gc"] })
    child.once("error", reject)
    child.once("message", ({ port }: { readonly port: number }) =>
      resolve({
        kind,
        child,
        port,
        turns: Array.from({ length: clients }, () => 0)
      }))
  })

const ask = ({ child }: Serving, asked: Asked): Promise<number> =>
  new Promise((resolve) => {
    child.once("message", resolve)
    child.send(asked)
  })

const agent = new http.Agent({ keepAlive: true, maxSockets: clients })

const turnsOfSession = 10

const sessionOf = (n: number, turn: number) => `/sessions/s${n}-${Math.floor(turn / turnsOfSession)}`

const remove = (port: number, n: number, turn: number) =>
  fetch(`http://127.0.0.1:${port}${sessionOf(n, turn)}`, { method: "DELETE", headers: { authorization: `u${n}` } })

interface Streamed {
  /** After how many milliseconds the first word came; 0 when none did. */
  readonly first: number
  /** After how many milliseconds it ended. */
  readonly whole: number
  /** The fate of a stream that did not come to its end. */
  readonly torn?: string
}

/** The whole of a stream: its last word, and the event that ends it. */
const isWhole = (text: string) => text.includes(words.at(-1)!.trim()) && /TurnCompleted|"finish"/.test(text)

/** One stream, from its request to its end. */
const one = ({ kind, port }: Serving, n: number, turn: number): Promise<Streamed> =>
  new Promise((resolve) => {
    const begin = performance.now()
    let [first, text, status] = [0, "", 0]
    const done = (how: string) => {
      const whole = performance.now() - begin
      resolve(
        isWhole(text) ? { first, whole } : {
          first,
          whole,
          torn: `stream ${n}/${turn}, ${how} after ${Math.round(whole)} ms, on a ${
            request.reusedSocket ? "used" : "new"
          } connection, status ${status}, last: ${JSON.stringify(text.slice(-400))}`
        }
      )
    }
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

/** The next stream of a client, whose session is removed after ten turns. */
const next = async (serving: Serving, n: number): Promise<Streamed> => {
  const turn = serving.turns[n]!++
  const streamed = await one(serving, n, turn)
  if (serving.kind === "agent" && turn % turnsOfSession === turnsOfSession - 1) await remove(serving.port, n, turn)
  return streamed
}

/** The results of some streams of one server. */
interface Round {
  readonly streamed: ReadonlyArray<Streamed>
  readonly seconds: number
  readonly cpu: number
}

const measured = async (
  serving: Serving,
  play: (stream: (n: number) => Promise<unknown>) => Promise<unknown>
): Promise<Round> => {
  const streamed: Array<Streamed> = []
  const before = await ask(serving, "cpu")
  const began = performance.now()
  await play(async (n) => streamed.push(await next(serving, n)))
  const seconds = (performance.now() - began) / 1000
  return { streamed, seconds, cpu: await ask(serving, "cpu") - before }
}

/** As many as are served: 200 clients, each of which begins again at once. */
const full = (serving: Serving, count: number): Promise<Round> =>
  measured(serving, (stream) => {
    let left = count
    return Promise.all(Array.from({ length: clients }, async (_, n) => {
      while (left-- > 0) await stream(n)
    }))
  })

/** Streams that are begun at a rate, whether or not those before them have ended. */
const paced = (serving: Serving, count: number, rate: number): Promise<Round> =>
  measured(serving, async (stream) => {
    const began = performance.now()
    const running: Array<Promise<unknown>> = []
    for (let i = 0; i < count; i++) {
      await new Promise((resolve) => setTimeout(resolve, began + i * 1000 / rate - performance.now()))
      running.push(stream(i % clients))
    }
    return Promise.all(running)
  })

const median = (values: ReadonlyArray<number>) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const rateOf = ({ seconds, streamed }: Round) => streamed.length / seconds
const mb = (bytes: number) => Math.round(bytes / 1_048_576)

const report = (what: string, rounds: ReadonlyArray<Round>) => {
  const streamed = rounds.flatMap(({ streamed }) => streamed)
  const whole = streamed.filter(({ torn }) => torn === undefined)
  const at = (p: number, of: (streamed: Streamed) => number) =>
    Math.round(whole.map(of).sort((a, b) => a - b)[Math.floor((whole.length - 1) * p)] ?? 0)
  const times = (of: (streamed: Streamed) => number) => `p50 ${at(0.5, of)} ms, p99 ${at(0.99, of)} ms`
  console.log(
    [
      `${what}: ${
        median(rounds.map(({ cpu, streamed }) => cpu / streamed.length)).toFixed(2)
      } ms of the processor each`,
      `${Math.round(median(rounds.map(rateOf)))} streams/s`,
      `first word ${times(({ first }) => first)}`,
      `whole ${times(({ whole }) => whole)}`,
      `torn ${streamed.length - whole.length}`
    ].join("; ")
  )
  for (const { torn } of streamed.filter(({ torn }) => torn !== undefined).slice(0, 10)) console.log(`  torn: ${torn}`)
}

const rounds = 7

/** `count`: number of streams of each server in a round. */
const load = async (count: number) => {
  const all = await Promise.all([start("agent"), start("sdk"), start("echo")])
  const loads = new Map(all.map((serving): [Serving, Array<Round>] => [serving, []]))
  // The engine has compiled what a stream goes through after some thousand of them.
  for (const serving of all) await full(serving, 3 * count)
  for (let i = 0; i < rounds; i++) {
    for (const [serving, found] of loads) found.push(await full(serving, count))
  }
  for (const [{ kind }, found] of loads) report(`${kind}, ${clients} at a time`, found)
  const rate = Math.floor(Math.min(...all.slice(0, 2).map((one) => median(loads.get(one)!.map(rateOf)))) / 2)
  for (const serving of all) report(`${serving.kind}, ${rate} begun in a second`, [await paced(serving, count, rate)])
  // In rounds of their own: a collection that is asked for makes the rounds after it slower.
  const heaps: Array<number> = []
  for (let i = 0; i < rounds; i++) {
    await full(all[0], count)
    heaps.push(await ask(all[0], "heap"))
  }
  console.log(`agent, heap after each of more rounds, turns kept for 10 s: ${heaps.map(mb).join(", ")} MB`)
  for (const { child } of all) child.kill("SIGKILL")
}

/** Streams that run when the server is told to stop. */
const stop = async () => {
  const serving = await start("agent")
  const running = Array.from({ length: clients }, (_, n) => one(serving, n, 0))
  await Promise.race(running)
  serving.child.kill("SIGTERM")
  const ended = await Promise.all(running)
  const begun = ended.filter(({ first }) => first > 0)
  console.log(
    `stop: told in the middle of ${clients} streams: ${
      begun.filter(({ torn }) => torn === undefined).length
    } of the ${begun.length} that had begun came to their end`
  )
}

const isKind = (role: string | undefined): role is Kind => role !== undefined && Object.hasOwn(kinds, role)

const [, , role] = process.argv
if (isKind(role)) kinds[role]()
else {
  const only = Given.names()
  if (only.length === 0 || only.includes("load")) await load(Given.number("streams", 1000))
  if (only.length === 0 || only.includes("stop")) await stop()
  process.exit()
}

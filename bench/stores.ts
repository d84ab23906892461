/**
 * The cost of a turn with each store: a turn of one model call, with a double that answers at once, in a conversation of
 * 10, 100 or 1,000 messages. It takes the session's lock, loads the session with its last messages, looks whether the message
 * was answered before, commits, and gives the lock back. The line of the store in memory is what the turn itself costs. What
 * is written and worked should not depend on the length of the conversation.
 *
 *   tsx bench/stores.ts [--turns=100] [engine…]
 */
import { LanguageModel } from "@effect/ai"
import { Agent } from "coxswain"
import { Effect, Layer, Logger, LogLevel, Schema } from "effect"
import * as Wire from "../src/services/model/call/Wire.js"
import * as Proxy from "../test/support/Proxy.js"
import { type Engine, engines } from "./support/Engines.js"
import * as Given from "./support/Given.js"

const turns = Given.number("turns", 100)
const lengths = [10, 100, 1000]

const model = Layer.effect(
  LanguageModel.LanguageModel,
  Wire.make({
    whole: () =>
      Effect.succeed([
        { type: "text", text: "a line of talk, as people write. ".repeat(6) },
        { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
      ]),
    stream: () => Effect.dieMessage("nothing is streamed here")
  })
)

const quiet = Logger.minimumLogLevel(LogLevel.None)

/** Its data makes a session of more than 2 kB, which it stays however long the conversation is. No flow asks for them. */
const kit = Agent.define({ data: Schema.Struct({ notes: Schema.String }) })
const make = kit.make({
  name: "Desk",
  initialData: { notes: "x".repeat(1800) },
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Answer", until: () => false }] }]
})

/** Takes turns in a session. */
const talking = Effect.gen(function*() {
  const agent = yield* make
  let count = 0
  const said = "a line of talk, as people write. ".repeat(6)
  return (sessionId: string, times: number) =>
    Effect.gen(function*() {
      for (let i = 0; i < times; i++) {
        yield* agent.respond({
          sessionId,
          message: said,
          messageId: `m${count++}`
        })
      }
    })
})

const measure = (engine: Engine) =>
  Effect.gen(function*() {
    const talk = yield* talking
    const results = []
    // The first turns compile the code, prepare statements and fill caches.
    yield* talk("warm", 500)
    for (const length of lengths) {
      const id = `bench-${length}`
      yield* talk(id, length / 2)
      const before = yield* Effect.promise(engine.written)
      const [started, from] = [performance.now(), process.cpuUsage()]
      yield* talk(id, turns)
      const seconds = (performance.now() - started) / 1000
      const { system, user } = process.cpuUsage(from)
      const bytes = (yield* Effect.promise(engine.written)) - before
      results.push({ length, perSecond: turns / seconds, cpu: (system + user) / 1000 / turns, bytes: bytes / turns })
    }
    return results
  }).pipe(Effect.provide([engine.layer, model, quiet]))

/** How often a turn waits for the server; none where there is none. */
const roundTrips = async ({ server }: Engine): Promise<number | undefined> => {
  if (server === undefined) return undefined
  const proxy = await Proxy.to(server.url)
  try {
    return await Effect.runPromise(
      Effect.gen(function*() {
        const talk = yield* talking
        yield* talk("counted", 10)
        const before = proxy.count()
        yield* talk("counted", 20)
        return (proxy.count() - before) / 20
      }).pipe(Effect.provide([server.at(proxy.url), model, quiet]))
    )
  } finally {
    await proxy.close()
  }
}

const columns = ["messages", "turns/s", "CPU ms", "bytes/turn", "round trips"]
const line = (name: string, cells: ReadonlyArray<string>) =>
  console.log(name.padEnd(24) + cells.map((cell, i) => cell.padStart(columns[i]!.length + 2)).join(""))

/** A line per engine and length; fails when a long conversation costs much more to write than a short one. */
const run = async (names: ReadonlyArray<string>): Promise<boolean> => {
  let flat = true
  line("store", columns)
  for (const name of names) {
    const engine = await engines[name]?.()
    if (engine === undefined) continue
    try {
      const results = await Effect.runPromise(measure(engine))
      const trips = await roundTrips(engine)
      for (const { bytes, cpu, length, perSecond } of results) {
        line(engine.name, [
          String(length),
          perSecond.toFixed(0),
          cpu.toFixed(2),
          Number.isNaN(bytes) ? "?" : bytes.toFixed(0),
          trips === undefined ? "" : trips.toFixed(1)
        ])
      }
      const [short, long] = [results[0]!.bytes, results.at(-1)!.bytes]
      if (long > 2 * short && long > 0) flat = false
    } finally {
      await engine.close()
    }
  }
  console.log(flat ? "flat" : "NOT FLAT: a long conversation costs more to write than a short one")
  return flat
}

const names = Given.names()
process.exitCode = (await run(names.length > 0 ? names : Object.keys(engines))) ? 0 : 1

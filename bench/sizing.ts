/**
 * What a session takes in a cluster: of the processor of its node, of that node's memory, and of PostgreSQL's disk.
 * `docs/cluster.md` works out a large installation from these numbers.
 *
 *   tsx bench/sizing.ts [--sessions=500] [--turns=10]
 */
import { LanguageModel } from "@effect/ai"
import { SingleRunner } from "@effect/cluster"
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Agent } from "coxswain"
import * as Cluster from "coxswain/layers/cluster"
import * as Postgres from "coxswain/layers/postgres"
import { Context, Effect, Layer, Logger, LogLevel, Redacted, Schedule, Schema } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Wire from "../src/services/model/call/Wire.js"
import * as Servers from "../test/setup/servers.js"
import * as Given from "./support/Given.js"

const count = Given.number("sessions", 500)
const turns = Given.number("turns", 10)

setFlagsFromString("--expose-gc")
const collect: () => void = runInNewContext("gc")

const line = "a line of talk, as people write. ".repeat(6)

const model = Layer.effect(
  LanguageModel.LanguageModel,
  Wire.make({
    whole: () =>
      Effect.succeed([
        { type: "text", text: line },
        { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
      ]),
    stream: () => Effect.dieMessage("nothing is streamed here")
  })
)

const Data = Schema.Struct({ city: Schema.String, day: Schema.String, guests: Schema.Int })
const kit = Agent.define({ data: Data })
const options = kit.agent({
  name: "Desk",
  initialData: { city: "Lisbon", day: "2026-03-15", guests: 2 },
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Answer", until: () => false }] }]
})
class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<typeof Data.Type, {}>>() {}

/** The bytes of the tables whose names begin with the prefix, with their indexes. */
const bytesOf = (isEngine: boolean) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ bytes: string }>`SELECT coalesce(sum(pg_total_relation_size(relid)), 0) AS bytes FROM pg_stat_user_tables
        WHERE (relname LIKE 'cluster\\_%') = ${isEngine}`,
      ([row]) => Number(row?.bytes)
    ))

const heap = Effect.sync(() => (collect(), collect(), process.memoryUsage().heapUsed))

const measured = Effect.gen(function*() {
  const desk = yield* Desk
  const talk = (prefix: string, sessions: number) =>
    Effect.forEach(
      Array.from({ length: sessions }, (_, i) => i),
      (i) =>
        Effect.forEach(Array.from({ length: turns }, (_, n) => n), (n) =>
          desk.respond({ sessionId: `${prefix}-${i}`, message: line, messageId: `m${n}` })),
      { concurrency: 8, discard: true }
    )
  yield* talk("warm-up", 50)
  const [stored, engine, held] = [yield* bytesOf(false), yield* bytesOf(true), yield* heap]
  const from = process.cpuUsage()
  yield* talk("session", count)
  const { system, user } = process.cpuUsage(from)
  const per = (bytes: number, of: number) => `${(bytes / of / 1000).toFixed(1)} kB`
  console.log(`a turn, of the processor of its node: ${((system + user) / 1000 / count / turns).toFixed(1)} ms`)
  console.log(`a session of ${turns} turns, on disk: ${per((yield* bytesOf(false)) - stored, count)}`)
  console.log(`an answered message, in the engine's tables: ${per((yield* bytesOf(true)) - engine, count * turns)}`)
  console.log(`a session of ${turns} turns in the memory of its node: ${per((yield* heap) - held, count)}`)
})

const server = await Servers.postgres()
if (server === undefined) console.log("no PostgreSQL here: nothing is measured")
else {
  const url = Redacted.make(server.url)
  const started = Layer.retry(Schedule.intersect(Schedule.spaced("200 millis"), Schedule.recurs(50)))
  const client = started(PgClient.layer({ url }))
  try {
    await Effect.runPromise(measured.pipe(
      Effect.provide(
        Cluster.layer(Desk, kit, options, { maxIdleTime: "1 hour" }).pipe(
          Layer.provideMerge(SingleRunner.layer()),
          Layer.provideMerge(client),
          Layer.provide([model, started(Postgres.layer({ url }))])
        )
      ),
      Logger.withMinimumLogLevel(LogLevel.Warning)
    ))
  } finally {
    await server.close()
  }
}

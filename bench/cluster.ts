/**
 * A cluster of processes over a PostgreSQL server: how long the sessions of a node that dies, leaves or stands still go without an
 * answer, what becomes of their messages, how many answers one, two and three nodes give, and what the database has to do.
 * `cluster.ts [--kills=20] [--rolls=20] [--sessions=60] [--seconds=10]`.
 *
 * The parts with "clients" and "fronts" do the same over HTTP, where a client goes to another process when its own is gone.
 *
 * Each session sends its next message when the one before is answered; every fourth reads a stream. The model waits 100 ms, and
 * calls a tool for each message. For the throughput, a node's model gives eight answers at a time, as a provider's limit does,
 * so that processors are not the limit and nodes are.
 */
import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import * as Postgres from "coxswain/layers/postgres"
import { Clock, Effect, Layer, Redacted, Schedule, type Scope } from "effect"
import * as Servers from "../test/setup/servers.js"
import * as ClusterClients from "../test/support/ClusterClients.js"
import { kit, model, options } from "../test/support/ClusterDesk.js"
import * as ClusterLoad from "../test/support/ClusterLoad.js"
import * as Given from "./support/Given.js"

const kills = Given.number("kills", 20)
const rolls = Given.number("rolls", 20)
const seconds = Given.number("seconds", 10)
const sessions = Array.from({ length: Given.number("sessions", 60) }, (_, i) => `s-${i}`)

const seconds1 = (millis: number): string => (millis / 1000).toFixed(1)
const sorted = (numbers: ReadonlyArray<number>) => [...numbers].sort((a, b) => a - b)
const told = (numbers: ReadonlyArray<number>): string => {
  const all = sorted(numbers)
  return `median ${seconds1(all[Math.floor(all.length / 2)] ?? 0)} s, longest ${seconds1(all.at(-1) ?? 0)} s`
}

/** The transactions of the database so far. */
const transactions = (url: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<
        { readonly n: string }
      >`SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()`,
      ([row]) => Number(row?.n)
    )).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
      Effect.retry(Schedule.spaced("200 millis"))
    )

/** How many transactions a second the database has, over a while. */
const perSecond = (url: string) =>
  Effect.gen(function*() {
    const before = yield* transactions(url)
    yield* Effect.sleep(`${seconds} seconds`)
    return ((yield* transactions(url)) - before) / seconds
  })

interface Cluster {
  readonly url: string
  readonly nodes: Array<ClusterLoad.Node>
  /** All nodes that ever ran. */
  readonly all: Array<ClusterLoad.Node>
  readonly start: Effect.Effect<void, never, Scope.Scope>
  readonly desk: ClusterLoad.Front
}

/** Nodes on tables of their own. */
const cluster = (url: string, count: number, given: { readonly defaults?: boolean; readonly places?: number } = {}) =>
  Effect.gen(function*() {
    const nodes: Array<ClusterLoad.Node> = []
    const all: Array<ClusterLoad.Node> = []
    const start = Effect.map(ClusterLoad.node({ url, delay: 100, ...given }), (node) => {
      nodes.push(node)
      all.push(node)
    })
    yield* Effect.all(Array.from({ length: count }, () => start), { concurrency: "unbounded" })
    const desk = yield* ClusterLoad.front(url, given.defaults)
    const one: Cluster = { url, nodes, all, start, desk }
    return one
  })

const take = (nodes: Array<ClusterLoad.Node>): ClusterLoad.Node => {
  const node = nodes.shift()
  if (node === undefined) throw new Error("there is no node")
  return node
}

/** The messages that are lost or doubled after a run. */
const outcome = ({ all, desk }: Cluster, answered: ReadonlyArray<ClusterLoad.Answered>) =>
  Effect.map(ClusterLoad.faults(desk, sessions, answered), (faults) => {
    const { again, doubled } = ClusterLoad.toolRuns(all)
    const loads = all.flatMap(({ did }) => did.filter(({ did }) => did === "load")).length
    return `${answered.length} answers, ${faults.length} sessions with a message lost, doubled or out of order; tool calls run ` +
      `twice: ${doubled}, after their result was stored: ${again.length}; turns that loaded the session: ` +
      `${(100 * loads / answered.length).toFixed(1)} %`
  })

const dying = (url: string, times: number, defaults = false) =>
  Effect.gen(function*() {
    const made = yield* cluster(url, 3, { defaults })
    const { allAnswered, answered, stop } = yield* ClusterLoad.load(made.desk, sessions)
    yield* allAnswered
    const orphans: Array<number> = []
    for (let n = 0; n < times; n++) {
      const victim = take(made.nodes)
      const moment = yield* Clock.currentTimeMillis
      victim.signal("SIGKILL")
      yield* allAnswered
      orphans.push(ClusterLoad.lastOrphan(answered, moment, victim.pid) ?? 0)
      console.error(`kill ${n + 1}: ${orphans.at(-1)} ms`)
      yield* made.start
      yield* allAnswered
      yield* allAnswered
    }
    yield* stop
    console.log(
      `kill -9, ${times} times: the last orphan answers after ${told(orphans)}; ${yield* outcome(made, answered)}`
    )
  })

const rolling = (url: string) =>
  Effect.gen(function*() {
    const made = yield* cluster(url, 3)
    const { allAnswered, answered, stop } = yield* ClusterLoad.load(made.desk, sessions)
    yield* allAnswered
    const silent: Array<number> = []
    for (let n = 0; n < rolls; n++) {
      yield* made.start
      const moment = yield* Clock.currentTimeMillis
      const leaving = take(made.nodes)
      leaving.signal("SIGTERM")
      yield* leaving.ended
      const left = (yield* Clock.currentTimeMillis) - moment
      yield* allAnswered
      silent.push(ClusterLoad.longest(answered, moment))
      console.error(`roll ${n + 1}: silent ${silent.at(-1)} ms, the node ended after ${left} ms`)
    }
    yield* stop
    console.log(
      `a node is added and one leaves, ${rolls} times: no session is answered for ${told(silent)}; ${yield* outcome(
        made,
        answered
      )}`
    )
  })

const standing = (url: string) =>
  Effect.gen(function*() {
    const made = yield* cluster(url, 3)
    const { allAnswered, answered, stop } = yield* ClusterLoad.load(made.desk, sessions)
    yield* allAnswered
    const still = take(made.nodes)
    const moment = yield* Clock.currentTimeMillis
    still.signal("SIGSTOP")
    yield* allAnswered
    const orphan = ClusterLoad.lastOrphan(answered, moment, still.pid) ?? 0
    still.signal("SIGCONT")
    yield* allAnswered
    yield* allAnswered
    yield* stop
    console.log(
      `SIGSTOP, then SIGCONT: the last orphan answers after ${seconds1(orphan)} s; ${yield* outcome(made, answered)}`
    )
  })

/** Processes that serve clients over HTTP, of which one after another is killed or stands still for a while. */
const clients = (url: string, are: "nodes" | "fronts", signal: "SIGKILL" | "SIGSTOP", times: number) =>
  Effect.gen(function*() {
    const made = yield* cluster(url, are === "fronts" ? 3 : 0)
    const open: Array<ClusterLoad.Node & { readonly at: string }> = []
    const start = Effect.gen(function*() {
      const http = yield* Effect.promise(ClusterLoad.freePort)
      const node = yield* ClusterLoad.node({ url, delay: 100, http, isFront: are === "fronts" })
      open.push({ ...node, at: `http://127.0.0.1:${http}` })
      made.all.push(node)
    })
    yield* Effect.all([start, start, start], { concurrency: "unbounded" })
    const http = ClusterClients.make(() => open.map(({ at }) => at))
    const { allAnswered, answered, stop } = yield* ClusterLoad.load(http.desk, sessions)
    yield* allAnswered
    const waits: Array<number> = []
    for (let n = 0; n < times; n++) {
      const victim = open[0]!
      const orphans = http.at(victim.at)
      const moment = yield* Clock.currentTimeMillis
      victim.signal(signal)
      // Clients learn only by their own patience that a process stands still.
      if (signal === "SIGKILL") open.shift()
      yield* allAnswered
      waits.push(ClusterClients.lastAnswer(answered, orphans, moment))
      console.error(`${signal} ${n + 1} of ${are}: ${orphans.length} clients, the last after ${waits.at(-1)} ms`)
      if (signal === "SIGKILL") yield* start
      else {
        victim.signal("SIGCONT")
        open.shift()
        open.push(victim)
      }
      yield* allAnswered
      yield* allAnswered
    }
    yield* stop
    const failures = http.statuses.filter((status) => status >= 500).length
    console.log(
      `${signal} of ${are} with clients, ${times} times: the last of its clients is answered after ${
        told(waits)
      }; ${failures} ` +
        `answers with a status of 500 or more; ${yield* outcome(made, answered)}`
    )
  })

const idle = (url: string, defaults: boolean) =>
  Effect.gen(function*() {
    yield* cluster(url, 3, { defaults })
    // Until the shards are spread.
    yield* Effect.sleep("30 seconds")
    const n = yield* perSecond(url)
    console.log(
      `three idle nodes, ${defaults ? "settings of the engine" : "Cluster.settings"}: ${
        n.toFixed(0)
      } transactions a second`
    )
  })

/** Answers a second, and transactions for each. */
const throughput = (url: string, desk: Pick<ClusterLoad.Front, "respond" | "stream">) =>
  Effect.gen(function*() {
    const { allAnswered, answered, stop } = yield* ClusterLoad.load(desk, sessions)
    yield* allAnswered
    const before = answered.length
    const queries = yield* perSecond(url)
    const rate = (answered.length - before) / seconds
    yield* stop
    return { rate, text: `${rate.toFixed(0)} answers a second, ${(queries / rate).toFixed(1)} transactions each` }
  })

const spread = (url: string) =>
  Effect.gen(function*() {
    const alone = yield* Effect.scoped(Effect.gen(function*() {
      const services = yield* Layer.build(
        Layer.merge(model({ delay: 100, places: 8 }), Postgres.layer({ url: Redacted.make(url), tablePrefix: "alone" }))
      )
      return yield* throughput(url, yield* Effect.provide(kit.make(options), services))
    }))
    console.log(`one process without a cluster: ${alone.text}`)
    let one = 0
    for (const count of [1, 2, 3]) {
      const { rate, text } = yield* Effect.scoped(
        Effect.flatMap(cluster(url, count, { places: 8 }), ({ desk }) => throughput(url, desk))
      )
      one ||= rate
      console.log(`${count} node${count === 1 ? "" : "s"}: ${text}, ${(rate / one).toFixed(2)} ×`)
    }
  })

/** Runs a part on a PostgreSQL server of its own. */
const on = async (part: (url: string) => Effect.Effect<void, unknown, Scope.Scope>) => {
  const server = await Servers.postgres()
  if (server === undefined) throw new Error("PostgreSQL does not start")
  try {
    // PostgreSQL listens a moment before it serves.
    await Effect.runPromise(Effect.zipRight(transactions(server.url), Effect.scoped(part(server.url))))
  } finally {
    await server.close()
  }
}

const parts: Readonly<Record<string, (url: string) => Effect.Effect<void, unknown, Scope.Scope>>> = {
  kill: (url) => dying(url, kills),
  roll: rolling,
  stop: standing,
  "kill-clients": (url) => clients(url, "nodes", "SIGKILL", kills),
  "kill-fronts": (url) => clients(url, "fronts", "SIGKILL", kills),
  "stop-clients": (url) => clients(url, "nodes", "SIGSTOP", Math.min(kills, 5)),
  defaults: (url) => dying(url, Math.min(kills, 2), true),
  idle: (url) => idle(url, false),
  "idle-defaults": (url) => idle(url, true),
  throughput: spread
}
const wanted = Given.names()
for (const [name, part] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await on(part)
process.exit(0)

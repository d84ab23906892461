/** A cluster of processes over a PostgreSQL server, under load, while nodes die and leave. */
import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import * as NodeCluster from "coxswain/layers/node-cluster"
import { Clock, Context, Deferred, Effect, Layer, Redacted, type Scope } from "effect"
import { afterAll, describe } from "vitest"
import * as limits from "../setup/limits.js"
import * as Servers from "../setup/servers.js"
import * as ClusterLoad from "../support/ClusterLoad.js"

const server = await Servers.postgres()
afterAll(() => server?.close())

const sessions = Array.from({ length: 12 }, (_, i) => `s-${i}`)

describe.skipIf(server === undefined)("a cluster of processes", () => {
  // A runner that acquires its shards for ever, and never runs an entity: Effect-TS/effect#6155.
  it.scopedLive(
    "a single node on an empty database takes its shards and answers (Effect-TS/effect#6155)",
    () =>
      Effect.gen(function*() {
        const url = server?.url ?? ""
        yield* ClusterLoad.node({ url, delay: 0 })
        const desk = yield* ClusterLoad.front(url)
        const answer = yield* desk.respond({ sessionId: "lone", message: "message 1", messageId: "m-1" })
        expect(answer.session.version).toBe(1)
      })
  )

  it.scopedLive(
    "a process that is suspended in a transaction does not keep its locks",
    () =>
      Effect.gen(function*() {
        const client = Effect.map(
          Layer.build(PgClient.layer({
            url: NodeCluster.databaseUrl(Redacted.make(server?.url ?? "")),
            maxConnections: 1
          })),
          Context.get(PgClient.PgClient)
        )
        const [still, other] = yield* Effect.all([client, client])
        yield* other`CREATE TABLE held (id INT PRIMARY KEY)`
        const held = yield* Deferred.make<void>()
        yield* still`INSERT INTO held VALUES (1)`.pipe(
          Effect.zipRight(Deferred.succeed(held, undefined)),
          Effect.zipRight(Effect.never),
          still.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(held)
        yield* other`INSERT INTO held VALUES (1)`
        expect(yield* other`SELECT id FROM held`).toEqual([{ id: 1 }])
      })
  )

  // Messages that nobody takes any more after a runner has come or gone, while all runners seem well:
  // Effect-TS/effect#6248. After each change all sessions must be answered twice.
  it.scopedLive(
    "answers every message exactly once when nodes die, join, leave and hang (Effect-TS/effect#6248)",
    () =>
      Effect.gen(function*() {
        const url = server?.url ?? ""
        const start = ClusterLoad.node({ url, delay: 50 })
        const [a, b, c] = yield* Effect.all([start, start, start], { concurrency: 3 })
        const desk = yield* ClusterLoad.front(url)
        const { allAnswered, answered, broken, stop } = yield* ClusterLoad.load(desk, sessions)
        const during = <A>(name: string, event: Effect.Effect<A, never, Scope.Scope>) =>
          Effect.gen(function*() {
            yield* allAnswered
            const moment = yield* Clock.currentTimeMillis
            const happened = yield* event
            yield* allAnswered
            yield* allAnswered
            console.log(`${name}: the last session was answered after ${ClusterLoad.longest(answered, moment)} ms`)
            return happened
          })
        /** Waits until a node answers sessions, from now on. */
        const answers = ({ pid }: ClusterLoad.Node) =>
          Effect.flatMap(Effect.sync(() => answered.length), (before) =>
            Effect.raceFirst(
              broken,
              Effect.repeat(Effect.delay(Effect.sync(() => answered.slice(before)), "20 millis"), {
                until: (since) => since.some(({ by }) => by === pid)
              })
            ))
        yield* during("kill -9", Effect.sync(() => a.signal("SIGKILL")))
        const d = yield* during("a node joins", Effect.orDie(start))
        yield* answers(d)
        yield* during("SIGTERM", Effect.zipRight(Effect.sync(() => b.signal("SIGTERM")), b.ended))
        // All its sessions are answered elsewhere before it goes on: its locks have expired.
        yield* during("SIGSTOP", Effect.sync(() => c.signal("SIGSTOP")))
        yield* during("SIGCONT", Effect.sync(() => c.signal("SIGCONT")))
        yield* answers(c)
        yield* stop
        expect(yield* ClusterLoad.faults(desk, sessions, answered)).toEqual([])

        // A call whose result is stored does not run again; only a node that stood still may run one before it knows.
        const nodes = [a, b, c, d]
        const runs = ClusterLoad.toolRuns(nodes)
        expect(runs.messages).toBe(answered.length)
        expect(runs.again.filter((one) => !c.did.includes(one))).toEqual([])
        // What is doubled was under way in one of the sessions when its node died or stood still.
        expect(runs.doubled).toBeLessThanOrEqual(3 * sessions.length)
        // A session is loaded when it comes to a node, and not for each turn.
        const loads = nodes.flatMap(({ did }) => did.filter(({ did }) => did === "load")).length
        console.log(`${answered.length} answers, ${loads} loads of a session, ${runs.doubled} tool calls run twice`)
        expect(loads).toBeLessThan(answered.length / 2)
      }),
    limits.long
  )
})

/** What every SQL engine must show beyond the conformance suite. */
import { SqlClient } from "@effect/sql"
import { afterAll, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import type { Errors } from "coxswain"
import type { Options } from "coxswain/layers/SessionStoreSql"
import { sessionStoreConformance } from "coxswain/testing"
import { Effect, Exit, Layer, Option, Redacted, Scope, TestClock } from "effect"
import { randomBytes } from "node:crypto"
import { inspect } from "node:util"
import type { Server } from "../setup/servers.js"

type StoreLayer = Layer.Layer<SessionStore.SessionStore, Errors.FlowConfigurationError | Errors.SessionStoreError>

export interface Engine {
  readonly name: string
  readonly client: Layer.Layer<SqlClient.SqlClient, unknown>
  readonly layer: (options?: Options) => StoreLayer
  /** Takes the database away and brings it back, with the tables of this prefix. */
  readonly outage?: (prefix: string) => {
    readonly begin: Effect.Effect<unknown, unknown>
    readonly end: Effect.Effect<unknown, unknown>
  }
  readonly close: () => void | Promise<void>
}

/** The outage of a server that the tests started. */
export const serverOutage = ({ process }: Server): Pick<Engine, "outage"> =>
  process === undefined ? {} : {
    outage: () => ({ begin: Effect.promise(process.stop), end: Effect.promise(process.start) })
  }

export const write = (id: string, expectedVersion: number, rest: Partial<SessionStore.SessionWrite> = {}) => ({
  id,
  expectedVersion,
  session: { id },
  updatedAt: "2026-01-01T00:00:00.000Z",
  messages: [],
  ...rest
})

const prefix = () => `t${randomBytes(4).toString("hex")}_`

export const sqlSuite = ({ client, close, layer, name, outage }: Engine): void => {
  const prefixes: Array<string> = []
  const fresh = () => {
    prefixes.push(prefix())
    return prefixes.at(-1)!
  }
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(client))

  afterAll(async () => {
    const tables = prefixes.flatMap((prefix) =>
      ["sessions", "messages", "answers", "migrations"].map((table) => `DROP TABLE IF EXISTS ${prefix}${table}`)
    )
    await Effect.runPromise(Effect.forEach(tables, run))
    await close()
  })

  const conformance = fresh()
  const away = outage?.(conformance)
  sessionStoreConformance(name, layer({ tablePrefix: conformance }), {
    corrupt: (id) => run(`UPDATE ${conformance}sessions SET session = '{"broken":' WHERE id = '${id}'`),
    ...(away !== undefined && {
      breakAndRestore: (during) =>
        Effect.acquireUseRelease(Effect.orDie(away.begin), () => during, () => Effect.orDie(away.end))
    })
  })

  it.live(
    `${name}: keeps what it has when it starts again, and starts many times at once`,
    () =>
      Effect.gen(function*() {
        const store = layer({ tablePrefix: fresh() })
        const scope = yield* Scope.make()
        const started = yield* Effect.all(Array.from({ length: 4 }, () => Layer.buildWithScope(store, scope)), {
          concurrency: "unbounded"
        })
        for (const [n, services] of started.entries()) {
          yield* Effect.flatMap(SessionStore.SessionStore, (_) => _.commit(write("s", n))).pipe(
            Effect.provide(services)
          )
        }
        yield* Scope.close(scope, Exit.void)
        const again = yield* Effect.flatMap(SessionStore.SessionStore, (_) => _.load("s")).pipe(Effect.provide(store))
        expect(Option.getOrThrow(again).version).toBe(4)
      }),
    60_000
  )

  it.scoped(`${name}: forgets an answer after its time, and deletes it`, () =>
    Effect.gen(function*() {
      const tablePrefix = fresh()
      const services = yield* Layer.build(layer({ tablePrefix, answersTimeToLive: "2 days" }))
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      const answer = (n: number, response: string) => ({ answered: { messageId: `m${n}`, response } })
      yield* store.commit(write("s", 0, answer(1, "old")))
      yield* TestClock.adjust("1 day")
      yield* store.commit(write("s", 1, answer(2, "newer")))
      yield* TestClock.adjust("1 day")
      expect(yield* store.response("s", "m1")).toEqual(Option.none())
      expect(yield* store.response("s", "m2")).toEqual(Option.some("newer"))
      // The same messageId may come again, whether or not the old row is gone.
      yield* store.commit(write("s", 2, answer(1, "again")))
      expect(yield* store.response("s", "m1")).toEqual(Option.some("again"))
      yield* TestClock.adjust("25 hours")
      const left = run(`SELECT message_id FROM ${tablePrefix}answers`).pipe(
        Effect.repeat({ until: (rows) => rows.length === 1 })
      )
      expect(yield* left).toEqual([{ message_id: "m1" }])
    }), 60_000)

  for (const tablePrefix of ["a-b", "A", "1a", "a b", "x; DROP TABLE y", "a\"", "a`", "é", "x".repeat(31)]) {
    it.effect(`${name}: refuses the table prefix ${tablePrefix}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Layer.launch(layer({ tablePrefix })))
        expect(error).toMatchObject({ _tag: "FlowConfigurationError", issues: [{ path: "tablePrefix" }] })
      }))
  }
}

/** Everything of an error that a logger, a span or a wire may show. */
const shown = (error: unknown): string =>
  [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error), (error as Error).stack].join()

export const secretsSuite = (name: string, layer: (url: Redacted.Redacted) => StoreLayer, good: string): void => {
  const url = new URL(good)
  url.password = "hunter2%2Fhunter3"
  const cases = {
    "wrong password": url.href,
    "no server": url.href.replace(/:\d+\//, ":1/"),
    "not a URL": `${url.protocol}//bot:hunter2%2Fhunter3@[::1/x`,
    "no database of that name": good.replace(/\/\w*$/, "/hunter2")
  }
  for (const [what, connection] of Object.entries(cases)) {
    it.live(`${name}: tells no secret when it cannot connect: ${what}`, () =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(layer(Redacted.make(connection)))))
        const error = yield* Effect.flip(exit)
        expect(error).toMatchObject({ _tag: "SessionStoreError", operation: "connect" })
        expect(shown(error) + shown(exit) + inspect(exit, { depth: 20 })).not.toMatch(/hunter3|s3cret/)
        if (what !== "no database of that name") expect(shown(error)).not.toContain("hunter2")
      }), 60_000)
  }
}

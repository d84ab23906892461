import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Postgres from "coxswain/layers/postgres"
import { Deferred, Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import * as Servers from "../../setup/servers.js"
import * as Proxy from "../../support/Proxy.js"
import { lostAnswerSuite, secretsSuite, serverOutage, sqlSuite, write } from "./sqlSuite.js"

const server = await Servers.postgres()

describe("the PostgreSQL store", () => {
  if (server === undefined) return it.skip("passes the conformance checks on a real server", () => {})
  const url = Redacted.make(server.url)
  sqlSuite({
    name: "PostgreSQL",
    client: PgClient.layer({ url }),
    layer: (options) => Postgres.layer({ url, connectTimeout: "1 minute", timeout: "1 minute", ...options }),
    turnLog: (options) => Postgres.layerTurnLog({ url, ...options }),
    ...serverOutage(server),
    close: server.close,
    address: ["postgres", server.url]
  })

  it.scopedLive(
    "needs one round trip for a load, one for a commit, and one to take the lock",
    () =>
      Effect.gen(function*() {
        const proxy = yield* Effect.acquireRelease(
          Effect.promise(() => Proxy.to(server.url)),
          ({ close }) => Effect.promise(close)
        )
        const services = yield* Layer.build(
          Postgres.layer({ url: Redacted.make(proxy.url), tablePrefix: "counted_", maxConnections: 1 })
        )
        const store = yield* Effect.provide(SessionStore.SessionStore, services)
        const waits = (operation: Effect.Effect<unknown, unknown>) =>
          Effect.suspend(() => {
            const before = proxy.count()
            return Effect.as(Effect.exit(operation), () => proxy.count() - before).pipe(Effect.map((count) => count()))
          })
        const message = { seq: 1, message: { role: "user", content: "hello" }, createdAt: "2026-01-01T00:00:00.000Z" }
        const whole = { messages: [message], answered: { messageId: "m1", response: { message: "Hi." } } }
        // At the start the store deletes expired rows, on the same connection.
        yield* Effect.repeatN(store.load("nobody"), 10)
        expect(yield* waits(store.commit(write("a", 0, whole)))).toBe(1)
        expect(yield* waits(store.commit(write("a", 1, { messages: [{ ...message, seq: 2 }] })))).toBe(1)
        expect(yield* waits(store.load("a", { messages: 20 }))).toBe(1)
        const [first] = yield* Effect.map(store.messages("a", { limit: 5 }), ({ items }) => items)
        expect([first, yield* store.response("a", "m1")]).toEqual([message, Option.some({ message: "Hi." })])
        // The commit of a turn gives the lock back, too.
        const turn = store.lock!.withLock("a")(store.commit(write("a", 2, { endsTurn: true })))
        expect(yield* waits(turn)).toBe(2)
        // On a conflict nothing is written, and the actual version is read.
        expect(yield* waits(store.commit(write("a", 1, { messages: [{ ...message, seq: 3 }] })))).toBe(2)
        expect((yield* store.messages("a", { limit: 5 })).items.map(({ seq }) => seq)).toEqual([1, 2])
      })
  )

  it.scopedLive("runs other turns undisturbed while 2,000 turns are interrupted", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(Postgres.layer({ url, tablePrefix: "interrupted_", maxConnections: 10 }))
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      const message = (seq: number) => ({ seq, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" })
      const turn = (id: string) =>
        Effect.gen(function*() {
          const found = yield* store.load(id, { messages: 2 })
          const version = Option.match(found, { onNone: () => 0, onSome: ({ version }) => version })
          yield* store.commit(write(id, version, { messages: [message(version + 1)] }))
          return version + 1
        })
      const interrupted = Effect.forEach(
        Array.from({ length: 2000 }, (_, n) => n),
        (n) =>
          Effect.gen(function*() {
            const fiber = yield* Effect.fork(turn(`gone-${n % 10}-${n}`))
            yield* Effect.sleep(n % 11)
            yield* Fiber.interrupt(fiber)
          }),
        { concurrency: 20, discard: true }
      )
      const others = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, n) => `stays-${n}`),
        (id) => Effect.forever(turn(id)).pipe(Effect.fork)
      )
      yield* interrupted
      // None has failed.
      for (const fiber of others) expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      // An interrupted turn is stored completely or not at all.
      for (let n = 0; n < 2000; n += 40) {
        const found = yield* store.load(`gone-${n % 10}-${n}`, { messages: 5 })
        if (Option.isSome(found)) expect([found.value.version, found.value.messages]).toEqual([1, [message(1)]])
      }
    }))

  it.scopedLive(
    "does not remove messages of a session that begins while its id is being removed",
    () =>
      Effect.gen(function*() {
        const storeAt = (url: string) =>
          Effect.flatMap(
            Layer.build(Postgres.layer({ url: Redacted.make(url), tablePrefix: "removed_" })),
            (services) => Effect.provide(SessionStore.SessionStore, services)
          )
        const near = yield* storeAt(server.url)
        const message = { seq: 1, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" }
        const begin = near.commit(write("s", 0, { messages: [message], answered: { messageId: "m", response: "Hi." } }))
        let begun: Promise<unknown> | undefined
        const proxy = yield* Effect.acquireRelease(
          Effect.promise(() =>
            Proxy.to(server.url, {
              // After the lookup of the session's row, and before the deletes.
              sent: async (text) => {
                if (/DELETE FROM removed_(messages|journal) WHERE session_id/.test(text)) {
                  await (begun ??= Effect.runPromise(begin))
                }
                return undefined
              }
            })
          ),
          ({ close }) => Effect.promise(close)
        )
        const far = yield* storeAt(proxy.url)
        yield* far.remove("s")
        expect(begun).toBeDefined()
        expect(Option.getOrThrow(yield* near.load("s", { messages: 5 })).messages).toEqual([message])
        expect(yield* near.response("s", "m")).toEqual(Option.some("Hi."))
        yield* far.remove("s")
        expect((yield* near.messages("s", { limit: 5 })).items).toEqual([])
      })
  )

  /** Runs while another transaction locks the row of session "s". */
  const whileHeld = <A, E>(prefix: string, work: Effect.Effect<A, E>) =>
    Effect.gen(function*() {
      const [held, release] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // On another fiber, because `work` must not be part of the transaction.
      const holder = yield* Effect.forkDaemon(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql.withTransaction(
            sql.unsafe(`SELECT 1 FROM ${prefix}sessions WHERE id = 's' FOR UPDATE`).pipe(
              Effect.zipRight(Deferred.succeed(held, undefined)),
              Effect.zipRight(Deferred.await(release))
            )
          )).pipe(Effect.provide(PgClient.layer({ url })))
      )
      yield* Deferred.await(held)
      return yield* Effect.ensuring(work, Effect.zipRight(Deferred.succeed(release, undefined), Fiber.await(holder)))
    })
  const waiting = Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql.unsafe("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND application_name = 'coxswain'")
  ).pipe(
    Effect.map((rows) => rows.length > 0),
    Effect.provide(PgClient.layer({ url }))
  )

  it.scopedLive(
    "does not cancel the statement of an interrupted turn, but waits for the statement's end",
    () =>
      Effect.gen(function*() {
        const services = yield* Layer.build(Postgres.layer({ url, tablePrefix: "held_" }))
        const store = yield* Effect.provide(SessionStore.SessionStore, services)
        yield* store.commit(write("s", 0))
        const interruption = yield* whileHeld(
          "held_",
          Effect.gen(function*() {
            const turn = yield* Effect.forkDaemon(store.commit(write("s", 1)))
            yield* Effect.repeat(waiting, { until: (waits) => waits })
            const interruption = yield* Effect.forkDaemon(Fiber.interrupt(turn))
            // A cancellation would reach the server before these questions.
            for (let i = 0; i < 20; i++) expect(yield* waiting).toBe(true)
            return interruption
          })
        )
        yield* Fiber.join(interruption)
        expect(Option.getOrThrow(yield* store.load("s")).version).toBe(2)
      })
  )

  it.scopedLive("fails if the database does not answer within `timeout`", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(Postgres.layer({ url, tablePrefix: "limit_", timeout: "300 millis" }))
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      yield* store.commit(write("s", 0))
      const error = yield* whileHeld("limit_", Effect.flip(store.commit(write("s", 1))))
      expect(error).toMatchObject({ operation: "commit", why: expect.stringContaining("no answer within 300ms") })
    }))

  lostAnswerSuite("PostgreSQL", (url) => Postgres.layer({ url, tablePrefix: "lost_" }), server.url, /WITH changed AS/)
  secretsSuite("PostgreSQL", (url) => Postgres.layer({ url }), server.url)
})

import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Postgres from "coxswain/layers/postgres"
import { Effect, Exit, Fiber, Layer, Option, Redacted } from "effect"
import * as Servers from "../../setup/servers.js"
import { secretsSuite, serverOutage, sqlSuite, write } from "./sqlSuite.js"

const server = await Servers.postgres()

describe("PostgreSQL", () => {
  if (server === undefined) return it.skip("conformance, on a real server", () => {})
  const url = Redacted.make(server.url)
  sqlSuite({
    name: "PostgreSQL",
    client: PgClient.layer({ url }),
    layer: (options) => Postgres.layer({ url, ...options }),
    ...serverOutage(server),
    close: server.close,
    address: ["postgres", server.url]
  })

  it.scopedLive("2,000 turns that are interrupted at any moment disturb no other turn", () =>
    Effect.gen(function*() {
      const services = yield* Layer.build(Postgres.layer({ url, tablePrefix: "interrupted_", maxConnections: 5 }))
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
            yield* Effect.sleep(n % 7)
            yield* Fiber.interrupt(fiber)
          }),
        { concurrency: 10, discard: true }
      )
      const others = yield* Effect.forEach(
        Array.from({ length: 5 }, (_, n) => `stays-${n}`),
        (id) => Effect.forever(turn(id)).pipe(Effect.fork)
      )
      yield* interrupted
      // None of them has failed.
      for (const fiber of others) expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      // What was interrupted is there whole, or not at all.
      for (let n = 0; n < 2000; n += 40) {
        const found = yield* store.load(`gone-${n % 10}-${n}`, { messages: 5 })
        if (Option.isSome(found)) expect([found.value.version, found.value.messages]).toEqual([1, [message(1)]])
      }
    }), 120_000)

  secretsSuite("PostgreSQL", (url) => Postgres.layer({ url }), server.url)
})

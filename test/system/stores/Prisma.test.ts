import { afterAll, describe, expect, it } from "@effect/vitest"
import { PrismaBetterSqlite3 } from "@prisma/adapter-better-sqlite3"
import { SessionStore } from "coxswain"
import * as PrismaStore from "coxswain/layers/prisma"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Option, TestClock } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { setImmediate } from "node:timers/promises"
import { PrismaClient } from "../../fixtures/prisma/client/client.js"
import * as limits from "../../setup/limits.js"
import * as Servers from "../../setup/servers.js"
import { write } from "./sqlSuite.js"

const tables = {
  CoxswainSession: `id TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, "userId" TEXT, session TEXT NOT NULL,
    "messageCount" INTEGER NOT NULL, "createdAt" TEXT NOT NULL, "updatedAt" TEXT NOT NULL, "wakeAt" TEXT,
    waits BOOLEAN NOT NULL DEFAULT false, waiting TEXT`,
  CoxswainMessage: `"sessionId" TEXT NOT NULL, seq INTEGER NOT NULL, message TEXT NOT NULL, "createdAt" TEXT NOT NULL,
    PRIMARY KEY ("sessionId", seq)`,
  CoxswainAnswer: `"sessionId" TEXT NOT NULL, "messageId" TEXT NOT NULL, response TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL, PRIMARY KEY ("sessionId", "messageId")`,
  CoxswainJournal: `entry TEXT NOT NULL PRIMARY KEY, "sessionId" TEXT NOT NULL, "turnKey" TEXT NOT NULL,
    fingerprint TEXT NOT NULL, outcome TEXT NOT NULL, "createdAt" TEXT NOT NULL, "expiresAt" DATETIME NOT NULL`,
  CoxswainLock: `"sessionId" TEXT NOT NULL PRIMARY KEY, queue TEXT NOT NULL, "expiresAt" DATETIME NOT NULL`
}

const folder = Servers.folder("Prisma on SQLite")
const message = (seq: number) => ({ seq, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" })

const connect = async (name: string) => {
  const url = `file:${path.join(folder.path, name)}`
  const client = new PrismaClient({ adapter: new PrismaBetterSqlite3({ url }) })
  for (const [table, columns] of Object.entries(tables)) {
    await client.$executeRawUnsafe(`CREATE TABLE IF NOT EXISTS "${table}" (${columns})`)
  }
  return client
}

const client = await connect("conformance.db")

const models = (client: PrismaStore.Models): PrismaStore.Models => ({
  coxswainSession: client.coxswainSession,
  coxswainMessage: client.coxswainMessage,
  coxswainAnswer: client.coxswainAnswer,
  coxswainJournal: client.coxswainJournal,
  coxswainLock: client.coxswainLock
})

describe("the Prisma store, with a generated client", () => {
  afterAll(async () => {
    await client.$disconnect()
    folder.close()
  })

  const rename = (from: string, to: string) =>
    Effect.promise(async () => {
      for (const table of Object.keys(tables)) {
        await client.$executeRawUnsafe(`ALTER TABLE "${from}${table}" RENAME TO "${to}${table}"`)
      }
    })
  // The engine runs in this process, and would hold its event loop for as long as there are writers.
  const unhurried: PrismaStore.Client = {
    ...models(client),
    $transaction: (run, options) => setImmediate().then(() => client.$transaction(run, options))
  }
  sessionStoreConformance("Prisma", PrismaStore.layer({ client: unhurried }), {
    timeout: limits.long,
    corrupt: (id) =>
      Effect.promise(() => client.coxswainSession.update({ where: { id }, data: { session: "{\"broken\":" } })),
    // Renaming the tables simulates an outage.
    breakAndRestore: (during) => Effect.acquireUseRelease(rename("", "Away"), () => during, () => rename("Away", ""))
  })

  it.scoped("ignores and deletes an answer after `answersTimeToLive`", () =>
    Effect.gen(function*() {
      const client = yield* Effect.acquireRelease(
        Effect.promise(() => connect("answers.db")),
        (client) => Effect.promise(() => client.$disconnect())
      )
      const store = yield* PrismaStore.make({ client, answersTimeToLive: "2 hours" })
      yield* store.commit(write("s", 0, { answered: { messageId: "m", response: "old" } }))
      yield* TestClock.adjust("1 hour")
      expect(yield* store.response("s", "m")).toEqual(Option.some("old"))
      yield* TestClock.adjust("1 hour")
      expect(yield* store.response("s", "m")).toEqual(Option.none())
      yield* store.commit(write("s", 1, { answered: { messageId: "m", response: "again" } }))
      expect(yield* store.response("s", "m")).toEqual(Option.some("again"))
      yield* TestClock.adjust("3 hours")
      yield* Effect.promise(() => client.coxswainAnswer.count()).pipe(Effect.repeat({ until: (count) => count === 0 }))
    }))

  it.scoped("does not remove messages of a session that begins while its id is being removed", () =>
    Effect.gen(function*() {
      const row = { sessionId: "meanwhile", seq: 1, message: "{}", createdAt: "2026-01-01T00:00:00.000Z" }
      // As with read-committed isolation: the message appears after the lookup of the session.
      const store = yield* PrismaStore.make({
        client: {
          ...models(client),
          $transaction: (run, options) =>
            client.$transaction(async (transaction) =>
              run({
                ...models(transaction),
                coxswainSession: new Proxy(transaction.coxswainSession, {
                  get: (sessions, method) =>
                    method !== "deleteMany" ? Reflect.get(sessions, method) : async (
                      args: Parameters<typeof sessions.deleteMany>[0]
                    ) => {
                      const removed = await sessions.deleteMany(args)
                      await transaction.coxswainMessage.create({ data: row })
                      return removed
                    }
                })
              }), options)
        }
      })
      yield* store.remove(row.sessionId)
      expect(yield* Effect.promise(() => client.coxswainMessage.findMany({ where: { sessionId: row.sessionId } })))
        .toEqual([row])
    }))

  it.effect("rolls back the whole commit if one of its messages cannot be written", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore.SessionStore
      yield* store.commit(write("undo", 0, { messages: [message(1)] }))
      const twice = write("undo", 1, { messages: [message(2), message(1)], answered: { messageId: "m", response: 1 } })
      expect(yield* Effect.flip(store.commit(twice))).toMatchObject({ _tag: "SessionStoreError", operation: "commit" })
      expect(Option.getOrThrow(yield* store.load("undo", { messages: 5 }))).toMatchObject({
        version: 1,
        messages: [message(1)]
      })
      expect(yield* store.response("undo", "m")).toEqual(Option.none())
    }).pipe(Effect.provide(PrismaStore.layer({ client }))))

  it("uses the models that docs/persistence.md shows", () => {
    const models = (text: string) => text.match(/^model \w+ \{\n(?:.*\n)*?\}$/gm)
    const schema = fs.readFileSync(path.join(import.meta.dirname, "../../fixtures/prisma/schema.prisma"), "utf8")
    const page = fs.readFileSync(path.join(import.meta.dirname, "../../../docs/persistence.md"), "utf8")
    expect(models(page)).toEqual(models(schema))
    expect(models(schema)).toHaveLength(5)
  })
})

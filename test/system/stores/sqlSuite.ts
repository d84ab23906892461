/** Tests of every SQL engine beyond the conformance suite. */
import { SqlClient } from "@effect/sql"
import { afterAll, expect, it } from "@effect/vitest"
import { SessionStore, TurnLog } from "coxswain"
import type { Errors } from "coxswain"
import type { Options } from "coxswain/layers/stores/Sql"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Chunk, Context, Effect, Exit, Layer, Option, Redacted, Scope, Stream, TestClock } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import * as path from "node:path"
import { inspect } from "node:util"
import * as limits from "../../setup/limits.js"
import type { Server } from "../../setup/servers.js"
import * as Proxy from "../../support/Proxy.js"
import { turnEntry } from "../../support/turnEntry.js"

type StoreLayer = Layer.Layer<SessionStore.SessionStore, Errors.LayerConfigurationError | Errors.SessionStoreError>

export interface Engine {
  readonly name: string
  readonly client: Layer.Layer<SqlClient.SqlClient, unknown>
  readonly layer: (options?: Options) => StoreLayer
  readonly turnLog: (options: { readonly tablePrefix: string }) => Layer.Layer<TurnLog.TurnLog, TurnLog.TurnLogError>
  /** Makes the database, or the tables of this prefix, unavailable and available again. */
  readonly outage?: (prefix: string) => {
    readonly begin: Effect.Effect<unknown, unknown>
    readonly end: Effect.Effect<unknown, unknown>
  }
  readonly close: () => void | Promise<void>
  /** The first arguments of `fixtures/storeWriter.ts`. */
  readonly address: readonly [engine: "sqlite" | "postgres" | "mysql", address: string]
}

/** An outage of a server that the tests started. */
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

/** The lines of a writing process that is killed after `lines` lines. */
const writeUntil = (lines: number, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const script = path.join(import.meta.dirname, "../fixtures/storeWriter.ts")
    const child = spawn(process.execPath, ["--import", "tsx", script, ...args], { stdio: ["ignore", "pipe", "pipe"] })
    let [output, complaint, killed] = ["", "", false]
    child.stderr.on("data", (chunk) => complaint += chunk)
    child.stdout.on("data", (chunk) => {
      output += chunk
      if (!killed && output.split("\n").length > lines) killed = child.kill("SIGKILL")
    })
    child.once(
      "close",
      () => killed ? resolve(output.slice(0, output.lastIndexOf("\n")).split("\n")) : reject(new Error(complaint))
    )
  })

const prefix = () => `t${randomBytes(4).toString("hex")}_`

export const sqlSuite = ({ address, client, close, layer, name, outage, turnLog }: Engine): void => {
  const prefixes: Array<string> = []
  const fresh = () => {
    prefixes.push(prefix())
    return prefixes.at(-1)!
  }
  const run = (statement: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(client))

  afterAll(async () => {
    const tables = prefixes.flatMap((prefix) =>
      ["sessions", "messages", "answers", "journal", "locks", "migrations", "turns"].map((table) =>
        `DROP TABLE IF EXISTS ${prefix}${table}`
      )
    )
    await Effect.runPromise(Effect.forEach(tables, run))
    await close()
  })

  const conformance = fresh()
  const away = outage?.(conformance)
  sessionStoreConformance(name, layer({ tablePrefix: conformance }), {
    timeout: limits.long,
    corrupt: (id) => run(`UPDATE ${conformance}sessions SET session = '{"broken":' WHERE id = '${id}'`),
    ...(away !== undefined && {
      breakAndRestore: (during) =>
        Effect.acquireUseRelease(Effect.orDie(away.begin), () => during, () => Effect.orDie(away.end))
    })
  })

  it.live(`${name}: stores a turn log in order and by session, also with concurrent starts`, () =>
    Effect.gen(function*() {
      const tablePrefix = fresh()
      const entries = Array.from(
        { length: 450 },
        (_, n) => turnEntry(n % 3 === 0 ? "é" : `s\0${n % 3}`, `turn ${n} 👍 \0`)
      )
      const scope = yield* Scope.make()
      const [first, second] = yield* Effect.all(
        [0, 1].map(() => Layer.buildWithScope(turnLog({ tablePrefix }), scope)),
        { concurrency: "unbounded" }
      )
      const log = Context.get(first!, TurnLog.TurnLog)
      yield* Effect.forEach(entries, log.append, { discard: true })
      const read = (query?: { readonly sessionId: string }) =>
        Effect.map(
          Stream.runCollect(Context.get(second!, TurnLog.TurnLog).read(query)),
          (all) => Chunk.toReadonlyArray(all).map(({ reply }) => reply)
        )
      expect(yield* read()).toEqual(entries.map(({ reply }) => reply))
      expect(yield* read({ sessionId: "é" })).toEqual(
        entries.flatMap(({ reply, sessionId }) => sessionId === "é" ? [reply] : [])
      )
      expect(yield* read({ sessionId: "e" })).toEqual([])
      yield* Scope.close(scope, Exit.void)
    }))

  it.live(
    `${name}: four stores can start at the same time, and sessions are loaded after a restart`,
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
      })
  )

  it.scoped(`${name}: ignores and deletes an answer after answersTimeToLive`, () =>
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
      // The same messageId may be used again, whether or not the old row is deleted.
      yield* store.commit(write("s", 2, answer(1, "again")))
      expect(yield* store.response("s", "m1")).toEqual(Option.some("again"))
      yield* TestClock.adjust("25 hours")
      const left = run(`SELECT message_id FROM ${tablePrefix}answers`).pipe(
        Effect.repeat({ until: (rows) => rows.length === 1 })
      )
      expect(yield* left).toEqual([{ message_id: "m1" }])
    }))

  it.scoped(
    `${name}: the commit that ends a turn releases the session's lock; other and refused commits do not`,
    () =>
      Effect.gen(function*() {
        const tablePrefix = fresh()
        const open = Effect.map(Layer.build(layer({ tablePrefix })), Context.get(SessionStore.SessionStore))
        const [here, there] = [yield* open, yield* open]
        const isFree = Effect.isSuccess(there.lock!.withLock("s", { wait: 0 })(Effect.void))
        const free = yield* here.lock!.withLock("s")(Effect.gen(function*() {
          yield* here.commit(write("s", 0))
          const afterOther = yield* isFree
          yield* Effect.flip(here.commit(write("s", 0, { endsTurn: true })))
          const afterRefused = yield* isFree
          yield* here.commit(write("s", 1, { endsTurn: true }))
          return [afterOther, afterRefused, yield* isFree]
        }))
        expect(free).toEqual([false, false, true])
        // A new session's first turn.
        yield* here.lock!.withLock("t")(here.commit(write("t", 0, { endsTurn: true })))
        expect(yield* run(`SELECT session_id FROM ${tablePrefix}locks`)).toEqual([])
      })
  )

  it.live(
    `${name}: loses no confirmed commit if writing processes are killed`,
    () =>
      Effect.gen(function*() {
        const tablePrefix = fresh()
        const store = layer({ tablePrefix })
        yield* Effect.scoped(Layer.build(store))
        const confirmed = yield* Effect.promise(() =>
          Promise.all([writeUntil(300, ...address, tablePrefix, "a"), writeUntil(150, ...address, tablePrefix, "b")])
        )
        yield* Effect.gen(function*() {
          const sessions = yield* SessionStore.SessionStore
          const { items } = yield* sessions.list({ limit: 100 })
          expect(items).toHaveLength(20)
          const said = new Set<string>()
          for (const { id } of items) {
            const { messages, session, version } = Option.getOrThrow(yield* sessions.load(id, { messages: 1e6 }))
            expect(session).toEqual({ turns: version })
            expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * version }, (_, i) => i + 1))
            for (let turn = 0; turn < version; turn++) {
              const messageId = String(messages[2 * turn]!.message.content)
              expect(messages[2 * turn + 1]!.message.content).toBe(`answer to ${messageId}`)
              expect(yield* sessions.response(id, messageId)).toEqual(Option.some({ version: turn + 1 }))
              said.add(`${id} ${messageId}`)
            }
          }
          // No confirmed commit is missing; some commits may be stored without a confirmation.
          expect(confirmed.flat().filter((line) => !said.has(line))).toEqual([])
        }).pipe(Effect.provide(store))
      }),
    limits.long
  )

  for (const tablePrefix of ["a-b", "A", "1a", "a b", "x; DROP TABLE y", "a\"", "a`", "é", "x".repeat(31)]) {
    it.effect(`${name}: refuses the invalid table prefix ${tablePrefix}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(Layer.launch(layer({ tablePrefix })))
        expect(error).toMatchObject({ _tag: "LayerConfigurationError", path: "tablePrefix" })
      }))
  }
}

/** All of an error that a logger, a span or a response may show. */
const shown = (error: unknown): string =>
  [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), String(error), (error as Error).stack].join()

/** `commits`: matches the request that carries out a commit. */
export const lostAnswerSuite = (
  name: string,
  layerAt: (url: Redacted.Redacted) => StoreLayer,
  url: string,
  commits: RegExp
) =>
  it.scopedLive(
    `${name}: if the server's answer to a commit is lost, the commit fails but is stored once`,
    () =>
      Effect.gen(function*() {
        let isToLose = false
        const proxy = yield* Effect.acquireRelease(
          Effect.promise(() =>
            Proxy.to(url, {
              sent: (text) => {
                if (!isToLose || !commits.test(text)) return undefined
                isToLose = false
                return "unanswered"
              }
            })
          ),
          ({ close }) => Effect.promise(close)
        )
        const storeAt = (url: string) =>
          Effect.flatMap(
            Layer.build(layerAt(Redacted.make(url))),
            (services) => Effect.provide(SessionStore.SessionStore, services)
          )
        const [far, near] = [yield* storeAt(proxy.url), yield* storeAt(url)]
        const id = `lost ${randomBytes(4).toString("hex")}`
        // Redis gets a script's text only on its first use.
        yield* near.commit(write(`${id} before`, 0))
        for (const version of [0, 1]) {
          const message = { seq: version + 1, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" }
          const commit = far.commit(write(id, version, {
            messages: [message],
            answered: { messageId: `m${version}`, response: version }
          }))
          isToLose = true
          expect(yield* Effect.flip(commit)).toMatchObject({ _tag: "SessionStoreError" })
          expect(isToLose).toBe(false)
          expect(yield* near.response(id, `m${version}`)).toEqual(Option.some(version))
          expect(yield* Effect.flip(commit)).toMatchObject({ _tag: "SessionConflict", actual: version + 1 })
          expect((yield* near.messages(id, { limit: 5 })).items.map(({ seq }) => seq)).toEqual(
            [1, 2].slice(0, version + 1)
          )
        }
        yield* Effect.forEach([id, `${id} before`], near.remove)
      })
  )

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
    it.live(`${name}: reveals no secret if it cannot connect: ${what}`, () =>
      Effect.gen(function*() {
        const exit = yield* Effect.exit(Effect.scoped(Layer.build(layer(Redacted.make(connection)))))
        const error = yield* Effect.flip(exit)
        expect(error).toMatchObject({ _tag: "SessionStoreError", operation: "connect" })
        expect(shown(error) + shown(exit) + inspect(exit, { depth: 20 })).not.toMatch(/hunter3|s3cret/)
        if (what !== "no database of that name") expect(shown(error)).not.toContain("hunter2")
      }))
  }
}

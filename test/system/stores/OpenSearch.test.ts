import { FetchHttpClient, HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import * as OpenSearch from "coxswain/layers/opensearch"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Layer, Option, Redacted, TestClock } from "effect"
import { createHash } from "node:crypto"
import { inspect } from "node:util"
import * as limits from "../../setup/limits.js"
import { OpenSearchDouble } from "./OpenSearchDouble.js"
import { write } from "./sqlSuite.js"

const url = "http://search.test:9200"
const message = (seq: number) => ({ seq, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" })
const on = (server: OpenSearchDouble) => Layer.succeed(HttpClient.HttpClient, server.client)
const make = (server: OpenSearchDouble, options: Partial<OpenSearch.Options> = {}) =>
  Effect.provide(OpenSearch.make({ url, ...options }), on(server))

describe("the OpenSearch store, with a test double of the server", () => {
  const server = new OpenSearchDouble()
  sessionStoreConformance("OpenSearch (double)", Layer.provide(OpenSearch.layer({ url }), on(server)), {
    timeout: limits.long,
    corrupt: (id) =>
      Effect.sync(() => {
        const { documents } = server.indices.get("coxswain_sessions")!
        const key = createHash("sha256").update(id).digest("hex")
        const document = documents.get(key)!
        documents.set(key, { ...document, _source: { ...document._source, session: "{\"broken\":" } })
      }),
    breakAndRestore: (during) =>
      Effect.acquireUseRelease(
        Effect.sync(() => server.down = true),
        () => during,
        () => Effect.sync(() => server.down = false)
      )
  })

  it.scopedLive("commits with one read, one write of the records and one write of the session", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server)
      yield* store.commit(write("s", 0, { messages: [message(1), message(2)] }))
      server.requests.length = 0
      yield* store.commit(write("s", 1, { messages: [message(3)] }))
      // The store deletes what has expired in the background, which may begin later.
      const sweep = /_mapping|_refresh|_delete_by_query/
      const requests = server.requests.filter((request) => !sweep.test(request))
      expect(requests.map((request) => request.replace(/\/[0-9a-f]{64}/, "/…"))).toEqual([
        "GET /coxswain_sessions/_doc/…",
        "POST /coxswain_records_written/_bulk",
        "PUT /coxswain_sessions_written/_doc/…"
      ])
      server.requests.length = 0
      yield* store.load("s", { messages: 3 })
      expect(server.requests).toHaveLength(2)
    }))

  it.scopedLive("leaves no documents behind when a session is removed during writes to it", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server)
      for (let round = 0; round < 30; round++) {
        yield* store.commit(write("s", 0, { messages: [message(1)], answered: { messageId: "m", response: 1 } }))
        const writers = Effect.forEach([1, 2, 3], () => Effect.either(store.commit(write("s", 1))), { concurrency: 3 })
        yield* Effect.all([writers, store.remove("s")], { concurrency: 2 })
        yield* store.remove("s")
        for (const { documents } of server.indices.values()) expect([...documents.keys()]).toEqual([])
      }
    }))

  it.scoped("ignores and deletes an answer after `answersTimeToLive`", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server, { answersTimeToLive: "2 hours", requestTimeout: "1 day" })
      yield* store.commit(write("s", 0, { answered: { messageId: "m", response: "old" }, messages: [message(1)] }))
      yield* store.commit(write("s", 1))
      const { documents } = server.indices.get("coxswain_records")!
      expect(documents.size).toBe(2)
      yield* TestClock.adjust("1 hour")
      expect(yield* store.response("s", "m")).toEqual(Option.some("old"))
      yield* TestClock.adjust("1 hour")
      expect(yield* store.response("s", "m")).toEqual(Option.none())
      yield* TestClock.adjust("1 hour")
      yield* Effect.sync(() => documents.size).pipe(
        Effect.tap(() => Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
        Effect.repeat({ until: (size) => size === 1 })
      )
      expect((yield* store.messages("s", { limit: 1 })).items).toHaveLength(1)
    }))

  it.scopedLive("sends its credentials, which no error contains", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const [password, apiKey] = [Redacted.make("hunter2"), Redacted.make("hunter3")]
      server.authorization = `Basic ${btoa("bot:hunter2")}`
      yield* Effect.scoped(make(server, { auth: { username: "bot", password } }))
      server.authorization = "ApiKey hunter3"
      yield* Effect.scoped(make(server, { auth: { apiKey } }))
      server.authorization = "other"
      for (const auth of [{ username: "bot", password }, { apiKey }]) {
        const exit = yield* Effect.exit(make(server, { auth }))
        expect(yield* Effect.flip(exit)).toMatchObject({
          _tag: "SessionStoreError",
          operation: "connect",
          why: "PUT /coxswain_sessions: 401 security_exception"
        })
        expect(inspect(exit, { depth: 20 })).not.toMatch(/hunter|Ym90/)
      }
      const unreachable = OpenSearch.make({ url: "http://127.0.0.1:1", auth: { apiKey } }).pipe(
        Effect.provide(FetchHttpClient.layer)
      )
      const exit = yield* Effect.exit(unreachable)
      expect(yield* Effect.flip(exit)).toMatchObject({ _tag: "SessionStoreError", operation: "connect" })
      expect(inspect(exit, { depth: 20 })).not.toMatch(/hunter/)
    }))

  it.scopedLive("refuses an index prefix that could reach other indices", () =>
    Effect.gen(function*() {
      for (const indexPrefix of ["*", "../", "A", "a,b"]) {
        expect(yield* Effect.flip(make(new OpenSearchDouble(), { indexPrefix }))).toMatchObject({
          _tag: "LayerConfigurationError",
          path: "indexPrefix"
        })
      }
    }))

  it.scopedLive("refuses to write to, and to erase from, an index that was deleted meanwhile", () =>
    Effect.gen(function*() {
      for (const index of ["coxswain_records", "coxswain_sessions"]) {
        const server = new OpenSearchDouble()
        const store = yield* make(server)
        yield* store.commit(write("s", 0, { messages: [message(1)] }))
        server.drop(index)
        const entry = { sessionId: "s", turnKey: "m", fingerprint: "f", outcome: 1, at: "2026-01-01T00:00:00.000Z" }
        if (index === "coxswain_records") yield* Effect.flip(store.journal(entry))
        const commit = yield* Effect.flip(store.commit(write("s", 1, { messages: [message(2)] })))
        expect(commit).toMatchObject({ _tag: "SessionStoreError", operation: "commit" })
        expect(
          yield* Effect.flip(
            store.commit(write("t", 0, { messages: [message(1)] })).pipe(Effect.zipRight(store.commit(write("t", 1))))
          )
        )
          .toBeDefined()
        expect(yield* Effect.flip(store.remove("s"))).toMatchObject({ _tag: "SessionStoreError", operation: "remove" })
        expect(server.indices.has(index)).toBe(false)
      }
    }))

  it.scopedLive("erases nothing with an index without its mapping, and does not start on one", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server)
      yield* store.commit(write("s", 0, { messages: [message(1)] }))
      yield* store.commit(write("s", 1))
      const records = server.indices.get("coxswain_records")!
      records.dynamic = true
      const why = "the index coxswain_records does not have the mapping of this store (\"dynamic\" is not false)"
      const refused = yield* Effect.flip(store.remove("s"))
      expect(refused).toMatchObject({ _tag: "SessionStoreError", operation: "remove" })
      expect(refused.message).toContain(why)
      expect((yield* Effect.flip(make(server))).message).toContain(why)
      expect(records.documents.size).toBe(1)
    }))

  it.scopedLive("takes the indices of an earlier version, without the aliases", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      yield* (yield* make(server)).commit(write("s", 0))
      server.aliases.clear()
      delete server.indices.get("coxswain_records")!.mappings.expiresAt
      yield* (yield* make(server)).commit(write("s", 1))
      expect(server.aliases.size).toBe(2)
    }))

  it.scopedLive("tells why the server does not write, and that it does not answer", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server, { requestTimeout: "50 millis" })
      yield* store.commit(write("s", 0, { messages: [message(1)] }))
      server.blocked = { type: "cluster_block_exception", reason: "index [x] blocked by: [read-only]" }
      expect(yield* Effect.flip(store.commit(write("s", 1)))).toMatchObject({
        why:
          "POST /coxswain_records: 1 of 1 documents were not written: cluster_block_exception (index [x] blocked by: [read-only])"
      })
      server.blocked = { type: "mapper_parsing_exception", reason: "failed to parse 'secret'" }
      const error = yield* Effect.flip(store.commit(write("s", 1)))
      expect(error.message).toContain("mapper_parsing_exception")
      expect(error.message).not.toContain("secret")
      server.hangs = true
      expect(yield* Effect.flip(store.load("s"))).toMatchObject({
        why: `GET /coxswain_sessions: ${url} did not answer within 50ms`
      })
    }))

  it.scopedLive("purges in batches: 250 sessions take fewer than 40 requests", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server)
      for (let n = 0; n < 250; n++) {
        yield* store.commit(write(`s${n}`, 0, { messages: [message(1)], answered: { messageId: "m", response: n } }))
        yield* store.commit(write(`s${n}`, 1))
      }
      server.requests.length = 0
      expect(yield* store.purge({ olderThan: "2027-01-01T00:00:00.000Z" })).toEqual({ removed: 250 })
      expect(server.requests.length).toBeLessThan(40)
      for (const { documents } of server.indices.values()) expect(documents.size).toBe(0)
    }))

  it.scopedLive("keeps more outcomes of a turn than one request reads, and each of them once", () =>
    Effect.gen(function*() {
      const server = new OpenSearchDouble()
      const store = yield* make(server)
      const at = "2026-01-01T00:00:00.000Z"
      const journal = (n: number, outcome: number) =>
        store.journal({ sessionId: "s", turnKey: "m", fingerprint: `f${n}`, outcome, at })
      for (let n = 0; n < 130; n++) yield* journal(n, n)
      const race = yield* Effect.all([1, 2, 3, 4].map((outcome) => journal(200, outcome)), { concurrency: "unbounded" })
      expect(new Set(race).size).toBe(1)
      expect(yield* journal(7, 700)).toBe(7)
      expect(yield* store.journaled("s", "m")).toHaveLength(131)
      yield* store.commit(write("s", 0, { turnKey: "m" }))
      expect(server.indices.get("coxswain_records")!.documents.size).toBe(0)
    }))
})

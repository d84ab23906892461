import { FetchHttpClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as OpenSearch from "coxswain/layers/opensearch"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Layer, Option } from "effect"
import { createHash } from "node:crypto"
import * as limits from "../../setup/limits.js"
import * as servers from "../../setup/servers.js"
import { write } from "./sqlSuite.js"

const server = await servers.openSearch()
afterAll(() => server?.close(), limits.test)

const url = server?.url ?? "http://127.0.0.1:1"
const message = (seq: number) => ({ seq, message: { role: "user" }, createdAt: "2026-01-01T00:00:00.000Z" })
const make = (indexPrefix: string) =>
  Effect.provide(OpenSearch.make({ url, indexPrefix, requestTimeout: "30 seconds" }), FetchHttpClient.layer)
const send = (method: "DELETE" | "GET" | "POST" | "PUT", path: string, body: object = {}) =>
  HttpClientRequest.make(method)(`${url}/${path}`).pipe(
    method === "GET" || method === "DELETE" ? (request) => request : HttpClientRequest.bodyUnsafeJson(body),
    HttpClient.execute,
    Effect.flatMap((response) => response.json),
    Effect.provide(FetchHttpClient.layer)
  )

describe.skipIf(server === undefined)("the OpenSearch store on a server", () => {
  // Most of the time goes to syncing each write to disk, which a test without power failures does not need.
  beforeAll(() =>
    Effect.runPromise(send("PUT", "_index_template/fast", {
      index_patterns: ["*"],
      template: { settings: { index: { number_of_replicas: 0, translog: { durability: "async" } } } }
    })), limits.test)

  sessionStoreConformance(
    "OpenSearch",
    Layer.provide(OpenSearch.layer({ url, requestTimeout: "30 seconds" }), FetchHttpClient.layer),
    {
      timeout: limits.long,
      corrupt: (id) => {
        const key = createHash("sha256").update(id).digest("hex")
        return send("POST", `coxswain_sessions/_update/${key}`, { doc: { session: "{\"broken\":" } })
      }
    }
  )

  it.scopedLive(
    "refuses to write to, and to erase from, an index that was deleted meanwhile",
    () =>
      Effect.gen(function*() {
        const store = yield* make("gone_")
        yield* store.commit(write("s", 0, { messages: [message(1)] }))
        yield* send("DELETE", "gone_records")
        const refused = yield* Effect.flip(store.commit(write("s", 1)))
        expect(refused).toMatchObject({ _tag: "SessionStoreError", operation: "commit" })
        expect(refused.message).toContain("index_not_found_exception")
        expect(yield* send("GET", "gone_records")).toMatchObject({ status: 404 })
        expect((yield* Effect.flip(store.remove("s"))).message).toContain("index_not_found_exception")
      }),
    limits.long
  )

  it.scopedLive("refuses an index that the server has made without the store's mapping", () =>
    Effect.gen(function*() {
      const store = yield* make("made_")
      yield* store.commit(write("s", 0, { messages: [message(1)] }))
      yield* send("DELETE", "made_records")
      yield* send("PUT", "made_records/_doc/1", { epoch: "8c0a1b2e-0000-4000-8000-000000000000", seq: 1 })
      expect((yield* Effect.flip(store.remove("s"))).message).toContain(
        "the index made_records does not have the mapping"
      )
      const error = yield* Effect.flip(make("made_"))
      expect(error.message).toContain("the index made_records does not have the mapping")
    }), limits.long)

  it.scopedLive("tells why the server does not write", () =>
    Effect.gen(function*() {
      const store = yield* make("blocked_")
      yield* store.commit(write("s", 0, { messages: [message(1)] }))
      yield* send("PUT", "blocked_records/_settings", { "index.blocks.write": true })
      const error = yield* Effect.flip(store.commit(write("s", 1)))
      expect(error.message).toContain("cluster_block_exception (index [blocked_records] blocked by")
      yield* send("PUT", "blocked_records/_settings", { "index.blocks.write": false })
      yield* store.commit(write("s", 1))
    }), limits.long)

  it.scopedLive("purges 250 sessions with all their records in three batches", () =>
    Effect.gen(function*() {
      const store = yield* make("old_")
      yield* Effect.forEach(Array.from({ length: 250 }, (_, n) => `s${n}`), (id) =>
        Effect.gen(function*() {
          yield* store.commit(write(id, 0, { messages: [message(1)], answered: { messageId: "m", response: 1 } }))
          yield* store.commit(write(id, 1, { messages: [message(2)] }))
        }), { concurrency: 16, discard: true })
      expect(yield* store.purge({ olderThan: "2027-01-01T00:00:00.000Z" })).toEqual({ removed: 250 })
      yield* send("POST", "old_records,old_sessions/_refresh")
      expect(yield* send("GET", "old_records,old_sessions/_count")).toMatchObject({ count: 0 })
    }), limits.long)

  it.scopedLive("keeps a turn with 40 outcomes of half a megabyte", () =>
    Effect.gen(function*() {
      const store = yield* make("large_")
      const at = "2026-01-01T00:00:00.000Z"
      for (let n = 0; n < 40; n++) {
        const entry = { sessionId: "s", turnKey: "m", fingerprint: `f${n}`, outcome: "x".repeat(500_000), at }
        yield* store.journal(entry)
      }
      expect(yield* store.journaled("s", "m")).toHaveLength(40)
      yield* store.commit(write("s", 0, { turnKey: "m" }))
      expect(yield* store.journaled("s", "m")).toEqual([])
      expect(yield* store.load("s")).toMatchObject(Option.some({ version: 1 }))
    }), limits.long)
})

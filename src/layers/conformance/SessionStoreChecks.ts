/** Conformance tests of every `SessionStore`, over the port: sessions, messages, responses and lists. */
import { expect } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { SessionConflict } from "../../domain/base/error/Errors.js"
import type { Json } from "../../domain/base/Json.js"
import type { SessionSummary } from "../../services/session/SessionStore.js"
import { type Check, check } from "./ConformanceTest.js"
import {
  awkwardValues,
  canonical,
  fresh,
  hostileIds,
  message,
  pages,
  texts,
  time,
  write
} from "./SessionStoreSamples.js"

export const checks: ReadonlyArray<Check> = [
  check("knows nothing of an absent session", function*(store) {
    const id = fresh("absent")
    expect(yield* store.load(id)).toEqual(Option.none())
    expect(yield* store.load(id, { messages: 5 })).toEqual(Option.none())
    expect(yield* store.response(id, "m1")).toEqual(Option.none())
    expect(yield* store.messages(id, { limit: 5 })).toEqual({ items: [] })
    expect(yield* store.list({ userId: id, limit: 5 })).toEqual({ items: [] })
    yield* store.remove(id)
  }),

  check("creates, loads and replaces a session", function*(store) {
    const id = fresh("life")
    const first = write(id, 0, {
      messages: [message(1, "hello"), message(2, "welcome")],
      userId: `user of ${id}`
    })
    expect(yield* store.commit(first)).toEqual({ version: 1 })
    expect(yield* store.load(id, { messages: 10 })).toEqual(
      Option.some({ id, version: 1, session: first.session, messages: first.messages })
    )
    const second = write(id, 1, { session: { other: [1, null] }, messages: [message(3, "bye")] })
    expect(yield* store.commit(second)).toEqual({ version: 2 })
    expect(yield* store.load(id)).toEqual(Option.some({ id, version: 2, session: second.session, messages: [] }))
    expect(texts(Option.getOrThrow(yield* store.load(id, { messages: 2 })).messages)).toEqual(["welcome", "bye"])
    // The second write has no user, so the session no longer belongs to a user.
    expect(yield* store.list({ userId: `user of ${id}`, limit: 5 })).toEqual({ items: [] })
  }),

  check("summarises a session in its list", function*(store) {
    const [id, userId] = [fresh("summary"), fresh("user")]
    yield* store.commit(write(id, 0, { userId, messages: [message(1, "a")] }))
    yield* store.commit(write(id, 1, { userId, messages: [message(2, "b"), message(3, "c")] }))
    expect((yield* store.list({ userId, limit: 5 })).items).toEqual([
      { id, version: 2, userId, messageCount: 3, createdAt: time(0), updatedAt: time(1) }
    ])
  }),

  check("refuses a write that expects another version", function*(store) {
    const id = fresh("conflict")
    const conflict = (expected: number, actual: number) => new SessionConflict({ sessionId: id, expected, actual })
    expect(yield* Effect.flip(store.commit(write(id, 3)))).toEqual(conflict(3, 0))
    expect(yield* store.load(id)).toEqual(Option.none())
    yield* store.commit(write(id, 0))
    expect(yield* Effect.flip(store.commit(write(id, 0)))).toEqual(conflict(0, 1))
    yield* store.commit(write(id, 1))
    expect(yield* Effect.flip(store.commit(write(id, 1)))).toEqual(conflict(1, 2))
    expect(yield* Effect.flip(store.commit(write(id, 7)))).toEqual(conflict(7, 2))
  }),

  check("leaves no trace of a commit that failed", function*(store) {
    const [id, loser] = [fresh("loser"), fresh("user")]
    const winner = write(id, 0, {
      messages: [message(1, "won")],
      answered: { messageId: "m1", response: "kept" }
    })
    yield* store.commit(winner)
    const lost = (expected: number, seq: number) =>
      store.commit(write(id, expected, {
        session: { lost: true },
        userId: loser,
        updatedAt: time(1000),
        messages: [message(seq, "lost"), message(seq + 1, "lost too")],
        answered: { messageId: `lost ${expected}`, response: "lost" }
      })).pipe(Effect.flip)
    for (const [expected, seq] of [[0, 1], [0, 2], [2, 2], [5, 9]] as const) {
      expect(yield* lost(expected, seq)).toBeInstanceOf(SessionConflict)
      expect(yield* store.response(id, `lost ${expected}`)).toEqual(Option.none())
    }
    expect(yield* store.response(id, "m1")).toEqual(Option.some("kept"))
    expect(yield* store.list({ userId: loser, limit: 5 })).toEqual({ items: [] })
    yield* store.commit(write(id, 1, { messages: [message(2, "next")] }))
    const { items } = yield* store.messages(id, { limit: 100 })
    expect(items).toEqual([message(1, "won"), message(2, "next")])
    // The messages of the lost commits stay absent when the session later has messages at their positions.
    yield* store.commit(write(id, 2, { messages: Arr.makeBy(9, (i) => message(3 + i, `more ${i}`)) }))
    yield* store.commit(write(id, 3, { messages: [message(12, "last")] }))
    const all = texts((yield* store.messages(id, { limit: 100 })).items)
    expect(all).toEqual(["won", "next", ...Arr.makeBy(9, (i) => `more ${i}`), "last"])
    for (const expected of [0, 2, 5]) {
      expect(yield* store.response(id, `lost ${expected}`)).toEqual(Option.none())
    }
  }),

  check("lets one of a hundred creators win", function*(store) {
    const id = fresh("creators")
    const results = yield* Effect.forEach(
      Arr.range(1, 100),
      (n) => Effect.either(store.commit(write(id, 0, { session: { n }, messages: [message(1, `by ${n}`)] }))),
      { concurrency: "unbounded" }
    )
    expect(results.filter(Either.isRight)).toEqual([Either.right({ version: 1 })])
    for (const error of Arr.getLefts(results)) {
      expect(error).toEqual(new SessionConflict({ sessionId: id, expected: 0, actual: 1 }))
    }
    const stored = Option.getOrThrow(yield* store.load(id, { messages: 100 }))
    expect(texts(stored.messages)).toEqual([`by ${results.findIndex(Either.isRight) + 1}`])
    expect(stored.session).toEqual({ n: results.findIndex(Either.isRight) + 1 })
  }),

  check("loses nothing of a hundred writers racing on one session", function*(store) {
    const id = fresh("race")
    yield* store.commit(write(id, 0))
    const versions = yield* Effect.forEach(
      Arr.range(1, 100),
      (n) =>
        Effect.gen(function*() {
          const { session, version } = Option.getOrThrow(yield* store.load(id))
          const count = typeof session.count === "number" ? session.count : 0
          const answered = { messageId: `m${n}`, response: { n, version: version + 1 } }
          yield* store.commit(write(id, version, {
            session: { count: count + 1 },
            messages: [message(count + 1, `by ${n}`)],
            answered
          }))
          return answered.response
        }).pipe(Effect.retry({ while: (error) => error instanceof SessionConflict })),
      { concurrency: "unbounded" }
    )
    const winners = [...versions].sort((a, b) => a.version - b.version)
    expect(winners.map(({ version }) => version)).toEqual(Arr.range(2, 101))
    const stored = Option.getOrThrow(yield* store.load(id, { messages: 1000 }))
    expect([stored.version, stored.session]).toEqual([101, { count: 100 }])
    expect(stored.messages.map(({ seq }) => seq)).toEqual(Arr.range(1, 100))
    expect(texts(stored.messages)).toEqual(winners.map(({ n }) => `by ${n}`))
    for (const winner of winners) {
      expect(yield* store.response(id, `m${winner.n}`)).toEqual(Option.some(winner))
    }
  }),

  check("gives the response of an answered messageId, per session", function*(store) {
    const [a, b] = [fresh("answered"), fresh("answered")]
    const responses: ReadonlyArray<Json> = [{ message: "Hi", deep: [1, { x: null }] }, null, false, "", 0, []]
    for (const [index, response] of responses.entries()) {
      yield* store.commit(write(a, index, { answered: { messageId: `m${index}`, response } }))
    }
    yield* store.commit(write(b, 0))
    yield* store.commit(write(a, responses.length))
    for (const [index, response] of responses.entries()) {
      expect(yield* store.response(a, `m${index}`)).toEqual(Option.some(response))
      expect(yield* store.response(b, `m${index}`)).toEqual(Option.none())
    }
    for (
      const messageId of [
        "m",
        "M0",
        "m0 ",
        "*",
        "' OR 1=1 --",
        "{\"$ne\":null}",
        "__proto__",
        "x".repeat(200)
      ]
    ) {
      expect(yield* store.response(a, messageId)).toEqual(Option.none())
    }
    for (const [index, messageId] of ["' OR 1=1 --", "a:b", "__proto__", "M0", "m0 ", "n\u0000"].entries()) {
      yield* store.commit(write(b, 1 + index, { answered: { messageId, response: messageId } }))
      expect(yield* store.response(b, messageId)).toEqual(Option.some(messageId))
    }
    expect(yield* store.response(b, "m0")).toEqual(Option.none())
  }),

  check("keeps messages in order and pages through them from the end", function*(store) {
    const [id, other] = [fresh("order"), fresh("order")]
    let seq = 0
    for (let version = 0; version < 12; version++) {
      yield* store.commit(
        write(id, version, { messages: Arr.makeBy(version % 4, () => message(++seq, `${seq}`)) })
      )
      yield* store.commit(write(other, version, { messages: [message(version + 1, "other")] }))
    }
    const all = Arr.range(1, seq)
    for (const limit of [1, 3, seq - 1, seq, seq + 1, 1000]) {
      const found = yield* pages((before: number | undefined) =>
        store.messages(id, { limit, ...(before !== undefined && { before }) })
      )
      expect(Arr.reverse(found).flat().map(({ seq }) => seq)).toEqual(all)
      expect(found.slice(0, -1).every((page) => page.length === limit)).toBe(true)
      expect(found.at(-1)).not.toEqual([])
      const loaded = Option.getOrThrow(yield* store.load(id, { messages: limit }))
      expect(loaded.messages).toEqual(found[0])
    }
    expect(yield* store.messages(id, { limit: 2, before: 4 })).toEqual({
      items: [message(2, "2"), message(3, "3")],
      next: 2
    })
    expect(yield* store.messages(id, { limit: 5, before: 1 })).toEqual({ items: [] })
    expect(yield* store.messages(id, { limit: 0 })).toEqual({ items: [] })
  }),

  check("lists sessions, last updated first, of everyone and of one user", function*(store) {
    const [mine, theirs] = [fresh("user"), fresh("user")]
    const ids = Arr.makeBy(7, (n) => fresh(`list-${n}`))
    // These sessions are dated far in the future, so that they come before those of all other tests. The last four have
    // the same time.
    for (const [n, id] of ids.entries()) {
      yield* store.commit(
        write(id, 0, { userId: n % 2 === 0 ? mine : theirs, updatedAt: time(1e9 + Math.min(n, 3)) })
      )
    }
    const everyone = yield* store.list({ limit: 7 })
    expect(everyone.items.map(({ id }) => id).sort()).toEqual([...ids].sort())
    expect(everyone.items.slice(4).map(({ id }) => id)).toEqual([ids[2], ids[1], ids[0]])
    expect((yield* store.list({ userId: mine, limit: 10 })).items).toHaveLength(4)
    for (const limit of [1, 2, 3, 4]) {
      const found = yield* pages((cursor: string | undefined) =>
        store.list({ userId: mine, limit, ...(cursor !== undefined && { cursor }) })
      )
      expect(found.flat()).toEqual((yield* store.list({ userId: mine, limit: 10 })).items)
      expect(found.at(-1)).not.toEqual([])
    }
    expect(yield* store.list({ userId: mine, limit: 0 })).toEqual({ items: [] })
    yield* Effect.forEach(ids, store.remove)
  }),

  check("leaves the records of values kept by user out of a list, whose pages still are full", function*(store) {
    const userId = fresh("user")
    const records = Arr.makeBy(4, () => fresh("~user~"))
    const ids = Arr.makeBy(5, (n) => fresh(`beside-${n}`))
    const all = [ids[0]!, ids[1]!, records[0]!, records[1]!, ids[2]!, records[2]!, ids[3]!, ids[4]!, records[3]!]
    for (const [n, id] of all.entries()) yield* store.commit(write(id, 0, { userId, updatedAt: time(n) }))
    for (const limit of [1, 2, 3, 4]) {
      const found = yield* pages((cursor: string | undefined) =>
        store.list({ userId, limit, ...(cursor !== undefined && { cursor }) })
      )
      expect(found.flat().map(({ id }) => id)).toEqual(Arr.reverse(ids))
      expect(found[0]).toHaveLength(limit)
    }
    expect((yield* store.list({ userId, limit: 10, records: true })).items.map(({ id }) => id)).toEqual(
      Arr.reverse(all)
    )
    yield* Effect.forEach(records, store.remove)
    expect((yield* store.list({ userId, limit: 10, records: true })).items.map(({ id }) => id)).toEqual(
      Arr.reverse(ids)
    )
  }),

  check("pages through a list while others write, giving none twice and missing none at rest", function*(store) {
    const userId = fresh("user")
    const ids = Arr.makeBy(30, (n) => fresh(`paging-${n}`))
    for (const [n, id] of ids.entries()) yield* store.commit(write(id, 0, { userId, updatedAt: time(n) }))
    const moved = new Set([ids[1], ids[12], ids[28]])
    let page = 0
    const found: ReadonlyArray<ReadonlyArray<SessionSummary>> = yield* pages((cursor: string | undefined) =>
      Effect.gen(function*() {
        const items = yield* store.list({ userId, limit: 4, ...(cursor !== undefined && { cursor }) })
        // After each page, one session of the list and one new session move to the front of the list.
        const id = [...moved][page++]
        if (id !== undefined) {
          yield* Effect.orDie(store.commit(write(id, 1, { userId, updatedAt: time(100 + page) })))
          yield* Effect.orDie(store.commit(write(fresh("new"), 0, { userId, updatedAt: time(200 + page) })))
        }
        return items
      })
    )
    const seen = found.flat().map(({ id }) => id)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((id) => !moved.has(id))).toEqual(Arr.reverse(ids.filter((id) => !moved.has(id))))
  }),

  ...Object.entries(awkwardValues).map(([what, value]) =>
    check(`gives back what it was given: ${what}`, function*(store) {
      const id = fresh("value")
      const messages = [{ ...message(1, ""), message: { role: "user", value } }]
      yield* store.commit(
        write(id, 0, { session: { value }, messages, answered: { messageId: "m", response: value } })
      )
      const check = Effect.gen(function*() {
        const stored = Option.getOrThrow(yield* store.load(id, { messages: 1 }))
        expect(canonical(stored.session) === canonical({ value })).toBe(true)
        expect(canonical(stored.messages[0]!.message) === canonical({ role: "user", value })).toBe(true)
        const response = Option.getOrThrow(yield* store.response(id, "m"))
        expect(canonical(response) === canonical(value)).toBe(true)
        const { items } = yield* store.messages(id, { before: 2, limit: 1 })
        expect(canonical(items[0]!.message) === canonical({ role: "user", value })).toBe(true)
      })
      yield* check
      // The values must also stay unchanged after a later write.
      yield* store.commit(write(id, 1, { session: { value }, messages: [message(2, "later")] }))
      expect(canonical((yield* store.messages(id, { before: 2, limit: 1 })).items[0]!.message)).toBe(
        canonical({ role: "user", value })
      )
      expect(canonical(Option.getOrThrow(yield* store.response(id, "m")))).toBe(canonical(value))
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
    })
  ),

  check("takes ids as values, whatever they look like", function*(store) {
    yield* Effect.forEach(hostileIds, store.remove)
    for (const [n, id] of hostileIds.entries()) {
      expect(yield* store.load(id)).toEqual(Option.none())
      expect(yield* store.commit(write(id, 0, { session: { n }, userId: id, messages: [message(1, `${n}`)] })))
        .toEqual({
          version: 1
        })
      yield* store.commit(write(id, 1, { session: { n }, userId: id, messages: [message(2, `${n}`)] }))
    }
    for (const [n, id] of hostileIds.entries()) {
      const stored = Option.getOrThrow(yield* store.load(id, { messages: 5 }))
      expect([stored.id, stored.session, texts(stored.messages)]).toEqual([id, { n }, [`${n}`, `${n}`]])
      expect((yield* store.list({ userId: id, limit: 100 })).items).toMatchObject([{ id, userId: id }])
      // Passes the id as a cursor too; a store may refuse this cursor.
      yield* store.list({ userId: id, cursor: id, limit: 5 }).pipe(
        Effect.catchTag("SessionStoreError", () => Effect.void)
      )
    }
    for (const [n, id] of hostileIds.entries()) {
      yield* store.remove(id)
      expect(yield* store.load(id)).toEqual(Option.none())
      const next = hostileIds[n + 1]
      if (next !== undefined) expect(Option.isSome(yield* store.load(next))).toBe(true)
    }
  }),

  check("removes everything of a session, and of no other", function*(store) {
    const [id, other, userId] = [fresh("remove"), fresh("remove"), fresh("user")]
    for (const session of [id, other]) {
      for (const version of [0, 1, 2]) {
        yield* store.commit(write(session, version, {
          userId,
          messages: [message(version + 1, `old ${version}`)],
          answered: { messageId: `m${version}`, response: version }
        }))
      }
    }
    yield* store.remove(id)
    yield* store.remove(id)
    expect(yield* store.load(id, { messages: 5 })).toEqual(Option.none())
    expect(yield* store.messages(id, { limit: 5 })).toEqual({ items: [] })
    expect((yield* store.list({ userId, limit: 5 })).items.map(({ id }) => id)).toEqual([other])
    expect(yield* Effect.flip(store.commit(write(id, 3)))).toBeInstanceOf(SessionConflict)
    // A new session with the same id does not get data of the old one.
    yield* store.commit(write(id, 0, { messages: [message(1, "new")] }))
    yield* store.commit(write(id, 1))
    expect(texts((yield* store.messages(id, { limit: 5 })).items)).toEqual(["new"])
    for (const version of [0, 1, 2]) {
      expect(yield* store.response(id, `m${version}`)).toEqual(Option.none())
      expect(yield* store.response(other, `m${version}`)).toEqual(Option.some(version))
    }
    expect(texts((yield* store.messages(other, { limit: 5 })).items)).toEqual(["old 0", "old 1", "old 2"])
  })
]

/**
 * Further conformance tests of every `SessionStore`, over the port: the journal, due sessions, calls that wait for a
 * person, retention, and refusing malformed requests.
 */
import { expect } from "@effect/vitest"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { Json } from "../../domain/base/Json.js"
import type { Service, SessionWrite, WaitingSession } from "../../services/session/SessionStore.js"
import { type Check, check } from "./ConformanceTest.js"
import { awkwardValues, canonical, fresh, hostileIds, message, pages, time, write } from "./SessionStoreSamples.js"

const entry = (sessionId: string, turnKey: string, fingerprint: string, outcome: Json) => ({
  sessionId,
  turnKey,
  fingerprint,
  outcome,
  at: time(0)
})

/** The journaled outcomes of a turn, by fingerprint. */
const outcomes = (store: Service, id: string, turnKey: string) =>
  Effect.map(
    store.journaled(id, turnKey),
    (entries) => Object.fromEntries(entries.map(({ fingerprint, outcome }) => [fingerprint, outcome]))
  )

/** Returns an instant in a year long before those of all other tests. */
const long = (year: number, n = 0): string => new Date(Date.UTC(year, 0, 1, 0, 0, n)).toISOString()

/** Values of a wrong type, as a caller without types passes them. */
const nonsense: ReadonlyArray<unknown> = [
  undefined,
  null,
  0,
  1,
  true,
  {},
  [],
  ["a"],
  { $ne: null },
  "",
  "x".repeat(201)
]
const strays: ReadonlyArray<unknown> = [null, 0, {}, ["a"], { $ne: null }]
const noInstants: ReadonlyArray<unknown> = [null, 0, new Date(0), "", "yesterday", "2026-01-01", "2026-01-01T00:00:00Z"]

const calls = (n: number): SessionWrite["waiting"] => [
  { id: `call-${n}`, toolId: "refund", requestedAt: time(n), role: "manager" },
  { id: `other-${n}`, toolId: "ünïcode 🛶", requestedAt: time(n + 1) }
]

export const keepingChecks: ReadonlyArray<Check> = [
  check("writes down what came of an effect, before there is a session, and keeps the first outcome", function*(store) {
    const [id, other] = [fresh("journal"), fresh("journal")]
    expect(yield* store.journaled(id, "m1")).toEqual([])
    expect(yield* store.journal(entry(id, "m1", "pay", { paid: 40 }))).toEqual({ paid: 40 })
    expect(yield* store.journal(entry(id, "m1", "pay", { paid: 99 }))).toEqual({ paid: 40 })
    expect(yield* store.journal(entry(id, "m1", "mail", null))).toBe(null)
    expect(yield* store.journal(entry(id, "m1", "mail", "later"))).toBe(null)
    expect(yield* store.journal(entry(id, "m2", "pay", "of another turn"))).toBe("of another turn")
    expect(yield* store.journal(entry(other, "m1", "pay", "of another session"))).toBe("of another session")
    expect(yield* outcomes(store, id, "m1")).toEqual({ pay: { paid: 40 }, mail: null })
    expect(yield* outcomes(store, id, "m2")).toEqual({ pay: "of another turn" })
    expect((yield* store.journaled(id, "m2"))[0]).toEqual(entry(id, "m2", "pay", "of another turn"))
    // Journal entries do not create a session or a stored response.
    expect(yield* store.load(id)).toEqual(Option.none())
    expect(yield* store.response(id, "m1")).toEqual(Option.none())
    yield* Effect.forEach([id, other], store.remove)
  }),

  check("lets one of many writers of an effect win, and tells all of them the same", function*(store) {
    const id = fresh("journal")
    const told = yield* Effect.forEach(
      Arr.range(1, 30),
      (n) => store.journal(entry(id, "m", "pay", { by: n })),
      { concurrency: "unbounded" }
    )
    expect(new Set(told.map((outcome) => JSON.stringify(outcome))).size).toBe(1)
    expect(yield* outcomes(store, id, "m")).toEqual({ pay: told[0] })
    // Different effects of a turn do not conflict.
    yield* Effect.forEach(Arr.range(1, 30), (n) => store.journal(entry(id, "m", `effect ${n}`, n)), {
      concurrency: "unbounded"
    })
    expect(Object.keys(yield* outcomes(store, id, "m"))).toHaveLength(31)
    yield* store.remove(id)
  }),

  check("ends a turn's journal with the commit of that turn, and with nothing else", function*(store) {
    const id = fresh("journal")
    for (const turn of ["m1", "m2", "m3"]) yield* store.journal(entry(id, turn, "pay", turn))
    yield* store.commit(write(id, 0))
    yield* Effect.flip(store.commit(write(id, 5, { answered: { messageId: "m1", response: 1 } })))
    expect(yield* outcomes(store, id, "m1")).toEqual({ pay: "m1" })
    yield* store.commit(write(id, 1, { answered: { messageId: "m1", response: 1 } }))
    yield* store.commit(write(id, 2, { turnKey: "m2" }))
    expect(yield* store.journaled(id, "m1")).toEqual([])
    expect(yield* store.journaled(id, "m2")).toEqual([])
    expect(yield* outcomes(store, id, "m3")).toEqual({ pay: "m3" })
    // The same turn may begin again, with an empty journal.
    expect(yield* store.journal(entry(id, "m1", "pay", "again"))).toBe("again")
    yield* store.remove(id)
    for (const turn of ["m1", "m3"]) expect(yield* store.journaled(id, turn)).toEqual([])
    expect(yield* store.journal(entry(id, "m1", "pay", "of the next"))).toBe("of the next")
    yield* store.remove(id)
  }),

  check("takes the keys and outcomes of a journal as values", function*(store) {
    const ids = hostileIds.filter((id) => id.length < 200)
    const id = fresh("journal")
    for (const [n, key] of ids.entries()) {
      expect(yield* store.journal(entry(id, key, key, n))).toBe(n)
      expect(yield* store.journal(entry(id, key, `${key}!`, `${n}!`))).toBe(`${n}!`)
    }
    for (const [n, key] of ids.entries()) {
      expect(new Map((yield* store.journaled(id, key)).map((one) => [one.fingerprint, one.outcome]))).toEqual(
        new Map<string, Json>([[key, n], [`${key}!`, `${n}!`]])
      )
    }
    for (const [what, value] of Object.entries(awkwardValues)) {
      expect(canonical(yield* store.journal(entry(id, "values", what, value))) === canonical(value)).toBe(true)
    }
    for (const { fingerprint, outcome } of yield* store.journaled(id, "values")) {
      expect(canonical(outcome) === canonical(awkwardValues[fingerprint]!)).toBe(true)
    }
    yield* store.remove(id)
    expect(yield* store.journaled(id, "values")).toEqual([])
  }),

  check("says what is due, the earliest first, and forgets what is not due any more", function*(store) {
    const ids = Arr.makeBy(6, (n) => fresh(`due-${n}`))
    const at = (n: number) => long(1985, n)
    const due = (before: string, limit = 1000) =>
      Effect.map(store.due({ before, limit }), (found) => found.filter(({ sessionId }) => ids.includes(sessionId)))
    for (const n of [3, 0, 4, 1, 2]) yield* store.commit(write(ids[n]!, 0, { wakeAt: at(n) }))
    yield* store.commit(write(ids[5]!, 0))
    expect(yield* due(long(1984))).toEqual([])
    expect(yield* due(at(2))).toEqual([0, 1, 2].map((n) => ({ sessionId: ids[n], wakeAt: at(n) })))
    expect((yield* due(long(2090))).map(({ sessionId }) => sessionId)).toEqual(ids.slice(0, 5))
    expect(yield* store.due({ before: at(4), limit: 2 })).toHaveLength(2)
    expect(yield* store.due({ before: at(4), limit: 0 })).toEqual([])
    // The first session becomes due later, the second is no longer due, the third is removed.
    yield* store.commit(write(ids[0]!, 1, { wakeAt: long(1986) }))
    yield* store.commit(write(ids[1]!, 1))
    yield* store.remove(ids[2]!)
    yield* Effect.flip(store.commit(write(ids[3]!, 7, { wakeAt: long(1980) })))
    expect((yield* due(long(1987))).map(({ sessionId }) => sessionId)).toEqual([ids[3], ids[4], ids[0]])
    yield* Effect.forEach(ids, store.remove)
    expect(yield* due(long(2090))).toEqual([])
  }),

  check("lists the sessions in which something waits for a person, by page", function*(store) {
    const [mine, yours] = [fresh("user"), fresh("user")]
    const ids = Arr.makeBy(9, (n) => fresh(`waiting-${n}`))
    for (const [n, id] of ids.entries()) {
      yield* store.commit(write(id, 0, {
        userId: n % 3 === 0 ? yours : mine,
        updatedAt: time(n),
        ...(n !== 4 && { waiting: calls(n) })
      }))
    }
    yield* store.commit(write(ids[7]!, 1, { userId: mine, updatedAt: time(7), waiting: [] }))
    const item = (n: number, userId: string) => ({ id: ids[n], userId, updatedAt: time(n), waiting: calls(n) })
    const expected = [item(8, mine), item(5, mine), item(2, mine), item(1, mine)]
    for (const limit of [1, 2, 3, 100]) {
      const found: ReadonlyArray<ReadonlyArray<WaitingSession>> = yield* pages((cursor: string | undefined) =>
        store.waiting({ userId: mine, limit, ...(cursor !== undefined && { cursor }) })
      )
      expect(found.flat()).toEqual(expected)
      expect(found.at(-1)).not.toEqual([])
    }
    expect((yield* store.waiting({ userId: yours, limit: 10 })).items).toEqual([6, 3, 0].map((n) => item(n, yours)))
    const all: ReadonlyArray<ReadonlyArray<WaitingSession>> = yield* pages((cursor: string | undefined) =>
      store.waiting({ limit: 50, ...(cursor !== undefined && { cursor }) })
    )
    expect(all.flat().filter(({ id }) => ids.includes(id)).map(({ id }) => ids.indexOf(id))).toEqual([
      8,
      6,
      5,
      3,
      2,
      1,
      0
    ])
    yield* Effect.forEach(ids, store.remove)
    expect(yield* store.waiting({ userId: mine, limit: 10 })).toEqual({ items: [] })
  }),

  check("purges what is older, the oldest first, with everything of it", function*(store) {
    const ids = Arr.makeBy(7, (n) => fresh(`purge-${n}`))
    // A purge is of all sessions: these are older than any other, and than what an earlier run may have left.
    const now = yield* Clock.currentTimeMillis
    const old = (step: number) => DateTime.formatIso(DateTime.unsafeMake(step - now))
    const userId = fresh("user")
    const left = Effect.map(store.list({ userId, limit: 100 }), ({ items }) => items.map(({ id }) => ids.indexOf(id)))
    for (const n of [5, 2, 0, 6, 4, 1, 3]) {
      yield* store.journal(entry(ids[n]!, "open", "pay", n))
      yield* store.commit(write(ids[n]!, 0, {
        userId,
        updatedAt: old(n),
        wakeAt: long(1976),
        waiting: calls(n),
        messages: [message(1, "old")],
        answered: { messageId: "m", response: n }
      }))
      // Each session gets a second commit, because some stores finish a commit only with the session's next one.
      yield* store.commit(write(ids[n]!, 1, { userId, updatedAt: old(n), messages: [message(2, "old")] }))
    }
    expect(yield* store.purge({ olderThan: old(0) })).toEqual({ removed: 0 })
    expect(yield* store.purge({ olderThan: old(6), limit: 2 })).toEqual({ removed: 2 })
    expect(yield* left).toEqual([6, 5, 4, 3, 2])
    expect(yield* store.purge({ olderThan: old(6), limit: 0 })).toEqual({ removed: 0 })
    yield* store.commit(write(ids[3]!, 2, { userId, updatedAt: time(0) }))
    expect(yield* store.purge({ olderThan: old(6) })).toEqual({ removed: 3 })
    expect(yield* left).toEqual([3, 6])
    for (const n of [0, 1, 2, 4, 5]) {
      const id = ids[n]!
      expect(yield* store.load(id)).toEqual(Option.none())
      expect(yield* store.messages(id, { limit: 5 })).toEqual({ items: [] })
      expect(yield* store.journaled(id, "open")).toEqual([])
      yield* store.commit(write(id, 0))
      expect(yield* store.response(id, "m")).toEqual(Option.none())
      expect((yield* store.messages(id, { limit: 5 })).items).toEqual([])
    }
    expect(yield* outcomes(store, ids[6]!, "open")).toEqual({ pay: 6 })
    expect(Option.getOrThrow(yield* store.load(ids[6]!, { messages: 5 })).messages).toHaveLength(2)
    yield* Effect.forEach(ids, store.remove)
  }),

  check("refuses what is no id, no key and no instant, and keeps nothing of it", function*(store) {
    const id = fresh("refused")
    const refused = (call: () => Effect.Effect<unknown, unknown>) =>
      Effect.map(Effect.flip(Effect.suspend(call)), (error) => expect(error).toBeInstanceOf(InvalidRequest))
    for (const wrong of nonsense as ReadonlyArray<string>) {
      yield* refused(() => store.load(wrong))
      yield* refused(() => store.commit(write(wrong, 0)))
      yield* refused(() => store.response(wrong, "m"))
      yield* refused(() => store.response(id, wrong))
      yield* refused(() => store.messages(wrong, { limit: 1 }))
      yield* refused(() => store.remove(wrong))
      yield* refused(() => store.journal(entry(wrong, "m", "f", 1)))
      yield* refused(() => store.journal(entry(id, wrong, "f", 1)))
      yield* refused(() => store.journal(entry(id, "m", wrong, 1)))
      yield* refused(() => store.journaled(wrong, "m"))
      yield* refused(() => store.journaled(id, wrong))
      yield* refused(() => store.commit(write(id, 0, { answered: { messageId: wrong, response: 1 } })))
    }
    for (const wrong of strays as ReadonlyArray<string>) {
      yield* refused(() => store.commit(write(id, 0, { userId: wrong })))
      yield* refused(() => store.commit(write(id, 0, { turnKey: wrong })))
      yield* refused(() => store.list({ userId: wrong, limit: 1 }))
      yield* refused(() => store.list({ cursor: wrong, limit: 1 }))
      yield* refused(() => store.waiting({ userId: wrong, limit: 1 }))
    }
    const userId = "u".repeat(201)
    yield* refused(() => store.commit(write(id, 0, { userId })))
    yield* refused(() => store.list({ userId, limit: 1 }))
    yield* refused(() => store.waiting({ userId, limit: 1 }))
    for (const wrong of noInstants as ReadonlyArray<string>) {
      yield* refused(() => store.commit(write(id, 0, { wakeAt: wrong })))
      yield* refused(() => store.due({ before: wrong, limit: 1 }))
      yield* refused(() => store.purge({ olderThan: wrong }))
      yield* refused(() => store.journal({ ...entry(id, "m", "f", 1), at: wrong }))
    }
    expect(yield* store.load(id)).toEqual(Option.none())
    expect(yield* store.journaled(id, "m")).toEqual([])
  })
]

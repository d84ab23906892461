import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import * as Encrypted from "coxswain/layers/encrypted"
import * as Sqlite from "coxswain/layers/sqlite"
import { sessionStoreConformance } from "coxswain/testing/conformance"
import { Effect, Layer, Option, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { inspect } from "node:util"
import * as Servers from "../../setup/servers.js"
import { write } from "./sqlSuite.js"

const key = (id: string, fill: number): Encrypted.Key => ({
  id,
  key: Redacted.make(Buffer.alloc(32, fill).toString("base64"))
})
const [first, second] = [key("2026-01", 1), key("2026-02", 2)]
const secret = "The PIN of Ada Lovelace is 4711"
const full = write("s", 0, {
  session: { data: secret },
  userId: "ada",
  messages: [{ seq: 1, message: { role: "user", content: secret }, createdAt: "2026-01-01T00:00:00.000Z" }],
  answered: { messageId: "m", response: { message: secret } }
})

const message = (seq: number) => ({
  seq,
  message: { role: "user", content: `number ${seq}` },
  createdAt: "2026-01-01T00:00:00.000Z"
})

const plain = SessionStore.makeMemory
const wrap = (store: SessionStore.Service, current: Encrypted.Key, ...previous: ReadonlyArray<Encrypted.Key>) =>
  Encrypted.make(store, { keys: { current, previous } })

/** A store that alters the sessions, messages and responses that it returns. */
const altered = (store: SessionStore.Service, alter: <A>(json: A) => A): SessionStore.Service => ({
  ...store,
  load: (id, options) =>
    Effect.map(
      store.load(id, options),
      Option.map((stored) => ({ ...stored, session: alter(stored.session) }))
    ),
  messages: (id, page) =>
    Effect.map(store.messages(id, page), ({ items }) => ({
      items: items.map((item) => ({ ...item, message: alter(item.message) }))
    })),
  response: (id, messageId) => Effect.map(store.response(id, messageId), Option.map(alter))
})

describe("the encrypted session store", () => {
  sessionStoreConformance(
    "encrypted memory",
    Layer.provide(Encrypted.layer({ keys: { current: first } }), SessionStore.layerMemory)
  )

  it.effect("writes no plain text to the disk, and decrypts everything", () =>
    Effect.gen(function*() {
      const folder = yield* Effect.acquireRelease(Effect.sync(() => Servers.folder("SQLite")), (folder) =>
        Effect.sync(folder.close))
      const file = path.join(folder.path, "sessions.db")
      const services = yield* Layer.build(
        Encrypted.layer({ keys: { current: first } }).pipe(Layer.provide(Sqlite.layer({ filename: file })))
      )
      const store = yield* Effect.provide(SessionStore.SessionStore, services)
      yield* store.commit(full)
      const disk = fs.readdirSync(folder.path).map((name) =>
        fs.readFileSync(path.join(folder.path, name), "latin1")
      ).join()
      for (const word of ["PIN", "Lovelace", "4711", Buffer.from(secret).toString("base64")]) {
        expect(disk).not.toContain(word)
      }
      expect(disk).toContain("2026-01")
      const stored = Option.getOrThrow(yield* store.load("s", { messages: 1 }))
      expect(stored).toEqual({ id: "s", version: 1, session: full.session, messages: full.messages })
      expect(yield* store.response("s", "m")).toEqual(Option.some({ message: secret }))
      expect((yield* store.list({ userId: "ada", limit: 1 })).items).toHaveLength(1)
    }).pipe(Effect.scoped))

  it.effect("encrypts equal values differently", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      const store = yield* wrap(inner, first)
      yield* store.commit(write("a", 0, { session: { same: 1 } }))
      yield* store.commit(write("b", 0, { session: { same: 1 } }))
      const raw = yield* Effect.forEach(["a", "b"], (id) => Effect.map(inner.load(id), Option.getOrThrow))
      expect(raw[0]!.session).not.toEqual(raw[1]!.session)
    }))

  it.effect("reads with a previous key, and writes with the current key", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      yield* (yield* wrap(inner, first)).commit(full)
      const rotated = yield* wrap(inner, second, first)
      expect(Option.getOrThrow(yield* rotated.load("s", { messages: 1 })).session).toEqual(full.session)
      yield* rotated.commit(write("s", 1, { session: { now: "second" } }))
      // The session no longer needs the first key; its old message does.
      const later = yield* wrap(inner, second)
      expect(Option.getOrThrow(yield* later.load("s")).session).toEqual({ now: "second" })
      expect(yield* Effect.flip(later.load("s", { messages: 1 }))).toMatchObject({
        _tag: "SessionCorrupt",
        why: expect.stringContaining(`"2026-01"`)
      })
    }))

  it.effect("fails with SessionCorrupt for a wrong key, and changes nothing", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      yield* (yield* wrap(inner, first)).commit(full)
      const before = yield* inner.load("s", { messages: 1 })
      for (const wrong of [key("2026-01", 9), second]) {
        const store = yield* wrap(inner, wrong)
        const error = yield* Effect.flip(store.load("s"))
        expect(error).toMatchObject({ _tag: "SessionCorrupt", sessionId: "s" })
        expect(inspect(error, { depth: 20 })).not.toContain(Redacted.value(wrong.key))
        expect(yield* Effect.flip(store.messages("s", { limit: 1 }))).toMatchObject({ _tag: "SessionCorrupt" })
        expect(yield* Effect.flip(store.response("s", "m"))).toMatchObject({ _tag: "SessionCorrupt" })
      }
      expect(yield* inner.load("s", { messages: 1 })).toEqual(before)
    }))

  it.effect("detects values that were altered, or copied to another session or version", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      const store = yield* wrap(inner, first)
      yield* store.commit(full)
      yield* store.commit(write("other", 0))
      const flip = <A>(json: A): A =>
        JSON.parse(
          JSON.stringify(json).replace(/("data":")(.)/, (_, start, char) => start + (char === "A" ? "B" : "A"))
        )
      const bad = yield* wrap(altered(inner, flip), first)
      expect(yield* Effect.flip(bad.load("s"))).toMatchObject({ _tag: "SessionCorrupt" })
      expect(yield* Effect.flip(bad.messages("s", { limit: 1 }))).toMatchObject({ _tag: "SessionCorrupt" })
      expect(yield* Effect.flip(bad.response("s", "m"))).toMatchObject({ _tag: "SessionCorrupt" })
      // The session of "s" does not decrypt as "other", nor as a later version of "s".
      const { session } = Option.getOrThrow(yield* inner.load("s"))
      yield* inner.commit(write("other", 1, { session }))
      yield* inner.commit(write("s", 1, { session }))
      for (const id of ["other", "s"]) {
        expect(yield* Effect.flip(store.load(id))).toMatchObject({ _tag: "SessionCorrupt", sessionId: id })
      }
    }))

  it.effect("reads unencrypted sessions only with `acceptPlain`", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      yield* inner.commit(full)
      expect(yield* Effect.flip((yield* wrap(inner, first)).load("s"))).toMatchObject({
        _tag: "SessionCorrupt",
        why: "it is not encrypted"
      })
      const moving = yield* Encrypted.make(inner, { keys: { current: first }, acceptPlain: true })
      const stored = Option.getOrThrow(yield* moving.load("s", { messages: 1 }))
      expect([stored.session, stored.messages]).toEqual([full.session, full.messages])
      yield* moving.commit(write("s", 1))
      expect(JSON.stringify(yield* inner.load("s"))).toContain("$encrypted")
    }))

  it.effect("detects missing messages", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      const store = yield* wrap(inner, first)
      for (let n = 0; n < 5; n++) {
        yield* store.commit(write("s", n, { messages: [message(2 * n + 1), message(2 * n + 2)] }))
      }
      const all = (yield* inner.messages("s", { limit: 100 })).items
      /** The store without these messages, and the rest renumbered or not. */
      const without = (gone: ReadonlyArray<number>, renumber: boolean) => {
        const left = all.filter(({ seq }) => !gone.includes(seq)).map((one, i) =>
          renumber ? { ...one, seq: i + 1 } : one
        )
        const until = (before: number | undefined) => left.filter(({ seq }) => before === undefined || seq < before)
        return wrap({
          ...inner,
          load: (id, { messages = 0 } = {}) =>
            Effect.map(inner.load(id), Option.map((stored) => ({ ...stored, messages: left.slice(-messages) }))),
          messages: (_, { before, limit }) => Effect.succeed({ items: until(before).slice(-limit) })
        }, first)
      }
      const corrupt = { _tag: "SessionCorrupt", sessionId: "s" }
      for (const renumber of [false, true]) {
        for (const gone of [[10], [9], [9, 10], [1], [4, 5], all.map(({ seq }) => seq)]) {
          const robbed = yield* without(gone, renumber)
          expect(yield* Effect.flip(robbed.load("s", { messages: 10 }))).toMatchObject(corrupt)
          expect(yield* Effect.flip(robbed.messages("s", { limit: 10 }))).toMatchObject(corrupt)
          if (gone.includes(10)) expect(yield* Effect.flip(robbed.load("s"))).toMatchObject(corrupt)
        }
        const robbed = yield* without([4], renumber)
        expect(yield* Effect.flip(robbed.messages("s", { before: 6, limit: 2 }))).toMatchObject(corrupt)
        expect(yield* Effect.flip(robbed.messages("s", { before: 5, limit: 1 }))).toMatchObject(corrupt)
      }
      const whole = yield* without([], false)
      for (const before of [11, 6, 2]) {
        expect((yield* whole.messages("s", { before, limit: 3 })).items.at(-1)).toEqual(message(before - 1))
      }
    }))

  it.effect("detects an older version of a session that is put back, and parts of a removed session in a new one", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      const store = yield* wrap(inner, first)
      yield* store.commit(full)
      const old = yield* inner.load("s", { messages: 5 })
      const oldResponse = yield* inner.response("s", "m")
      yield* store.commit(write("s", 1, { session: { paid: true }, messages: [message(2)] }))
      const corrupt = { _tag: "SessionCorrupt", sessionId: "s" }
      // The first commit's session replaces the second's; the messages stay.
      const putBack = yield* wrap({
        ...inner,
        load: (id, options) =>
          Effect.map(inner.load(id, options), Option.map(({ messages }) => ({ ...Option.getOrThrow(old), messages })))
      }, first)
      for (const messages of [0, 1, 5]) {
        expect(yield* Effect.flip(putBack.load("s", { messages }))).toMatchObject(corrupt)
      }
      expect(yield* Effect.flip(putBack.messages("s", { limit: 5 }))).toMatchObject(corrupt)
      // Removed and re-created: the old session, message and answer are not valid any more.
      yield* store.remove("s")
      yield* store.commit(write("s", 0, { messages: [message(1)] }))
      const replayed = (parts: Partial<SessionStore.Service>) => wrap({ ...inner, ...parts }, first)
      const { messages, session } = Option.getOrThrow(old)
      for (const part of [{ session }, { messages }]) {
        const again = yield* replayed({
          load: (id, options) => Effect.map(inner.load(id, options), Option.map((now) => ({ ...now, ...part })))
        })
        expect(yield* Effect.flip(again.load("s", { messages: 1 }))).toMatchObject(corrupt)
        expect(yield* Effect.flip(again.load("s"))).toMatchObject(corrupt)
      }
      const answering = yield* replayed({ response: () => Effect.succeed(oldResponse) })
      expect(yield* Effect.flip(answering.response("s", "m"))).toMatchObject(corrupt)
      const speaking = yield* replayed({ messages: () => Effect.succeed({ items: messages }) })
      expect(yield* Effect.flip(speaking.messages("s", { limit: 1 }))).toMatchObject(corrupt)
      expect(Option.getOrThrow(yield* store.load("s", { messages: 1 })).messages).toEqual([message(1)])
    }))

  it.effect("works for two processes that alternately remove and begin a session", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      const [a, b] = [yield* wrap(inner, first), yield* wrap(inner, first)]
      for (let round = 0; round < 3; round++) {
        yield* a.commit(write("s", 0, { messages: [message(1)], answered: { messageId: "m", response: round } }))
        expect(yield* b.response("s", "m")).toEqual(Option.some(round))
        yield* b.commit(write("s", 1, { messages: [message(2)] }))
        expect(yield* Effect.flip(a.commit(write("s", 1)))).toMatchObject({ _tag: "SessionConflict" })
        yield* a.commit(write("s", 2, { messages: [message(3)] }))
        expect((yield* b.messages("s", { limit: 5 })).items).toEqual([1, 2, 3].map(message))
        yield* b.remove("s")
        expect(yield* a.load("s")).toEqual(Option.none())
      }
    }))

  it.effect("refuses invalid keys and duplicate key ids", () =>
    Effect.gen(function*() {
      const inner = yield* plain
      for (
        const bad of ["", "short", "%%%", Buffer.alloc(16).toString("base64"), Buffer.alloc(33).toString("base64")]
      ) {
        const error = yield* Effect.flip(wrap(inner, first, { id: "bad", key: Redacted.make(bad) }))
        expect(error).toMatchObject({ _tag: "LayerConfigurationError", path: "keys.previous[0]" })
        if (bad !== "") expect(inspect(error)).not.toContain(bad)
      }
      expect(yield* Effect.flip(wrap(inner, first, key(first.id, 5)))).toMatchObject({ path: "keys" })
      yield* wrap(inner, { id: "new", key: yield* Encrypted.generateKey })
    }))
})

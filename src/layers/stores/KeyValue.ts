/**
 * Sessions in a `KeyValueStore` of `@effect/platform`, such as files or browser storage.
 *
 * For one process only: a commit is atomic because this process runs one operation at a time. If two processes use the
 * same files, each can overwrite the other's writes. `list` reads every session, and every new session rewrites an
 * index of all of them, so this store suits hundreds of sessions, not many thousands.
 *
 * ```ts
 * import { KeyValueStore } from "@effect/platform"
 * import * as KeyValue from "coxswain/layers/keyvalue"
 * import { Layer } from "effect"
 *
 * const SessionsLive = KeyValue.layer().pipe(Layer.provide(KeyValueStore.layerMemory))
 * ```
 */
import * as KeyValueStore from "@effect/platform/KeyValueStore"
import * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Service } from "../../services/session/SessionStore.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import * as DocumentStore from "./DocumentStore.js"
import * as Stored from "./Stored.js"

export interface Options {
  /** Prefix of every key. Default `coxswain/`. */
  readonly keyPrefix?: string | undefined
  /** How long the response to a `messageId` is returned. Default 7 days. It is deleted with its session. */
  readonly answersTimeToLive?: Duration.DurationInput | undefined
}

/** Makes the store on the `KeyValueStore` in the environment. */
export const make = Effect.fnUntraced(function*(
  options: Options = {}
): Effect.fn.Return<Service, never, KeyValueStore.KeyValueStore> {
  const store = KeyValueStore.prefix(yield* KeyValueStore.KeyValueStore, options.keyPrefix ?? "coxswain/")
  const write = (key: string, value: unknown) => store.set(key, JSON.stringify(value))
  const read = <A>(key: string) =>
    Effect.flatMap(store.get(key), (text) => Effect.try(() => Option.map(text, (text): A => JSON.parse(text))))
  // Asks first, because the store over files fails if the key does not exist.
  const erase = (key: string) => Effect.flatMap(store.has(key), (there) => there ? store.remove(key) : Effect.void)

  // Hashed, because ids may be longer than a file name and contain any character.
  const { hash } = Stored
  const headKey = (id: string) => Effect.map(hash(id), (hash) => `s/${hash}`)
  const messageKey = (epoch: string, seq: number) => `m/${epoch}/${seq}`
  const answerKey = (epoch: string, messageId: string) => Effect.map(hash(messageId), (hash) => `a/${epoch}/${hash}`)
  /**
   * Returns a key for the answer that the commit of this version stored. With it, all answers of a session can be
   * removed.
   */
  const versionKey = (epoch: string, version: number) => `v/${epoch}/${version}`

  const journalKey = (id: string, turnKey: string) =>
    Effect.map(Effect.all([hash(id), hash(turnKey)]), ([id, turn]) => `j/${id}/${turn}`)
  const outcomeKey = (outcomes: string, fingerprint: string) =>
    Effect.map(hash(fingerprint), (hash) => `${outcomes}/${hash}`)
  /** Returns the key of the list of a session's turns that have a journal. */
  const turnsKey = (id: string) => Effect.map(hash(id), (hash) => `t/${hash}`)
  /** Reads a list of keys. One without entries is not stored; an earlier version had something else at these keys. */
  const list = (key: string) =>
    Effect.map(
      read<ReadonlyArray<string>>(key),
      Option.match({
        onNone: (): ReadonlyArray<string> => [],
        onSome: (entries) => Array.isArray(entries) ? entries : []
      })
    )
  const setList = (key: string, entries: ReadonlyArray<string>) =>
    entries.length === 0 ? erase(key) : write(key, entries)
  /** Lists an entry before what it refers to is written: readers skip an entry that refers to nothing. */
  const enlist = (key: string, entry: string) =>
    Effect.flatMap(list(key), (entries) => entries.includes(entry) ? Effect.void : setList(key, [...entries, entry]))
  const endJournal = Effect.fnUntraced(function*(id: string, turnKey: string) {
    const turns = yield* turnsKey(id)
    const open = yield* list(turns)
    if (!open.includes(turnKey)) return
    const outcomes = yield* journalKey(id, turnKey)
    yield* Effect.forEach(yield* list(outcomes), erase)
    yield* erase(outcomes)
    yield* setList(turns, open.filter((other) => other !== turnKey))
  })

  const index = list("index")
  const getHead = Effect.fnUntraced(function*(id: string) {
    const text = yield* store.get(yield* headKey(id))
    if (Option.isNone(text)) return Option.none()
    return Option.some(yield* DocumentStore.toHead(id, () => JSON.parse(text.value)))
  })
  const setHead = (head: DocumentStore.Head) => Effect.flatMap(headKey(head.id), (key) => write(key, head))

  const heads = Effect.flatMap(index, (ids) =>
    Effect.forEach(ids, (id) =>
      // A session that does not decode is left out of the list, so that the others are still listed.
      Effect.catchTag(
        getHead(id),
        "SessionCorrupt",
        () => Effect.as(Effect.logWarning("A stored session does not decode", id), Option.none())
      ))).pipe(Effect.map(Arr.getSomes))

  const service = DocumentStore.make<void>({
    head: (id) => Effect.map(getHead(id), Option.map((head) => [head, undefined] as const)),
    create: (head) =>
      Effect.gen(function*() {
        // The index is written first: readers skip an entry without a session, but a session without an entry would
        // never be listed.
        yield* enlist("index", head.id)
        yield* setHead(head)
        return true
      }),
    replace: (head) => Effect.as(setHead(head), true),
    settle: ({ answer, epoch, messages, version }) =>
      Effect.gen(function*() {
        for (const { body, seq } of messages) yield* store.set(messageKey(epoch, seq), body)
        if (answer === undefined) return
        const key = yield* answerKey(epoch, answer.messageId)
        yield* write(versionKey(epoch, version), key)
        yield* write(key, answer)
      }),
    messages: (epoch, first, last) =>
      Effect.map(Effect.forEach(Arr.range(first, last), (seq) => store.get(messageKey(epoch, seq))), Arr.getSomes),
    answer: (epoch, messageId) => Effect.flatMap(answerKey(epoch, messageId), (key) => read<DocumentStore.Answer>(key)),
    list: ({ after, limit, userId, waiting }) =>
      Effect.map(
        heads,
        (all) =>
          all.filter((head) =>
            (userId === undefined || head.userId === userId) && (after === undefined || order(after, head) < 0) &&
            (waiting !== true || head.waiting !== undefined)
          ).sort(order).slice(0, limit)
      ),
    due: (before, limit) =>
      Effect.map(heads, (all) =>
        all.filter(({ wakeAt }) => wakeAt !== undefined && wakeAt <= before)
          .sort((a, b) => String(a.wakeAt) < String(b.wakeAt) ? -1 : 1).slice(0, limit)),
    old: (olderThan, limit) =>
      Effect.map(
        heads,
        (all) => all.filter(({ updatedAt }) => updatedAt < olderThan).sort((a, b) => order(b, a)).slice(0, limit)
      ),
    remove: (sessions) =>
      Effect.gen(function*() {
        const ids = sessions.map(({ id }) => id)
        for (const id of ids) yield* erase(yield* headKey(id))
        yield* write("index", (yield* index).filter((other) => !ids.includes(other)))
        return ids
      }),
    forget: (sessions) =>
      Effect.gen(function*() {
        for (const { epoch, messageCount, version: last } of sessions) {
          for (let seq = 1; seq <= messageCount; seq++) yield* erase(messageKey(epoch, seq))
          for (let version = 1; version <= last; version++) {
            const key = yield* read<string>(versionKey(epoch, version))
            if (Option.isSome(key)) yield* erase(key.value)
            yield* erase(versionKey(epoch, version))
          }
        }
      }),
    journals: {
      read: Effect.fnUntraced(function*(id, turnKey) {
        const keys = yield* list(yield* journalKey(id, turnKey))
        return Arr.getSomes(yield* Effect.forEach(keys, read<DocumentStore.Outcome>))
      }),
      write: Effect.fnUntraced(function*(outcome, now) {
        const { fingerprint, sessionId, turnKey } = outcome
        const outcomes = yield* journalKey(sessionId, turnKey)
        const key = yield* outcomeKey(outcomes, fingerprint)
        const found = yield* read<DocumentStore.Outcome>(key)
        if (Option.exists(found, ({ expiresAt }) => expiresAt > now)) return false
        yield* enlist(yield* turnsKey(sessionId), turnKey)
        yield* enlist(outcomes, key)
        yield* write(key, outcome)
        return true
      }),
      end: endJournal,
      forget: (ids) =>
        Effect.forEach(
          ids,
          (id) =>
            Effect.flatMap(Effect.flatMap(turnsKey(id), list), (open) =>
              Effect.forEach(open, (turnKey) => endJournal(id, turnKey)))
        )
    }
  }, options)

  const semaphore = yield* Effect.makeSemaphore(1)
  const alone = semaphore.withPermits(1)
  return SessionStore.of({
    ...service,
    load: (id, options) => alone(service.load(id, options)),
    // Uninterruptible, because an interrupted write could leave a file with half a session.
    commit: (write) => alone(Effect.uninterruptible(service.commit(write))),
    response: (id, messageId) => alone(service.response(id, messageId)),
    messages: (id, page) => alone(service.messages(id, page)),
    list: (query) => alone(service.list(query)),
    remove: (id) => alone(Effect.uninterruptible(service.remove(id))),
    journal: (entry) => alone(Effect.uninterruptible(service.journal(entry))),
    journaled: (id, turnKey) => alone(service.journaled(id, turnKey)),
    due: (query) => alone(service.due(query)),
    waiting: (query) => alone(service.waiting(query)),
    purge: (query) => alone(Effect.uninterruptible(service.purge(query)))
  })
})

/** Last updated first, ties by id descending. */
const order = (a: Stored.Position, b: Stored.Position): number =>
  a.updatedAt !== b.updatedAt ? (a.updatedAt < b.updatedAt ? 1 : -1) : a.id === b.id ? 0 : a.id < b.id ? 1 : -1

/** The store on the `KeyValueStore` in the environment. */
export const layer = (options?: Options): Layer.Layer<SessionStore, never, KeyValueStore.KeyValueStore> =>
  Layer.effect(SessionStore, make(options))

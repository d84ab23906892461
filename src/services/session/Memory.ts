/**
 * A session store in this process's memory: for tests, demos and single-process apps that may lose their sessions at
 * exit.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SessionConflict } from "../../domain/base/error/Errors.js"
import type { Json } from "../../domain/base/Json.js"
import type { SessionId } from "../../domain/session/Session.js"
import { checked } from "./CheckedStore.js"
import * as DueIndex from "./DueIndex.js"
import type { JournalEntry, Page, Service, SessionWrite, StoredMessage } from "./Port.js"
import { SessionStore } from "./Port.js"

interface Entry {
  write: SessionWrite
  readonly createdAt: string
  readonly messages: Array<StoredMessage>
  readonly answers: Map<string, Json>
}

type Query = Parameters<Service["list"]>[0]

const version = (entry: Entry | undefined): number => entry === undefined ? 0 : entry.write.expectedVersion + 1

const lastOf = <A>(items: ReadonlyArray<A>, n: number): ReadonlyArray<A> => n <= 0 ? [] : items.slice(-n)

const summarize = ({ createdAt, messages, write }: Entry) => ({
  id: write.id,
  version: write.expectedVersion + 1,
  ...(write.userId !== undefined && { userId: write.userId }),
  messageCount: messages.length,
  createdAt,
  updatedAt: write.updatedAt
})

export const makeMemory: Effect.Effect<Service> = Effect.sync(() => {
  const sessions = new Map<SessionId, Entry>()
  const due = DueIndex.make()
  /** The journal entries by session, then by turn and fingerprint. */
  const journals = new Map<SessionId, Map<string, JournalEntry>>()

  const keyOf = (turnKey: string, fingerprint: string) => JSON.stringify([turnKey, fingerprint])
  const endTurn = (id: SessionId, turnKey: string | undefined) => {
    const journal = journals.get(id)
    if (journal === undefined || turnKey === undefined) return
    for (const [key, entry] of journal) if (entry.turnKey === turnKey) journal.delete(key)
    if (journal.size === 0) journals.delete(id)
  }
  const forget = (id: SessionId) => {
    due.set(id, undefined)
    sessions.delete(id)
    journals.delete(id)
  }
  /** Returns a page of the entries that match, last updated first. */
  const page = ({ cursor, limit, userId }: Query, wanted: (entry: Entry) => boolean): Page<Entry> => {
    const all = Array.from(sessions, ([id, entry]) => ({ key: `${entry.write.updatedAt} ${id}`, entry }))
      .filter(({ entry, key }) =>
        wanted(entry) && (userId === undefined || entry.write.userId === userId) &&
        (cursor === undefined || key < cursor)
      )
      .sort((a, b) => a.key < b.key ? 1 : -1)
    const found = all.slice(0, Math.max(0, limit))
    const last = found.at(-1)
    const items = found.map(({ entry }) => entry)
    return all.length > limit && last !== undefined ? { items, next: last.key } : { items }
  }

  return checked(SessionStore.of({
    place: "memory",
    load: (id, options) =>
      Effect.sync(() =>
        Option.map(Option.fromNullable(sessions.get(id)), (entry) => ({
          id,
          version: version(entry),
          session: entry.write.session,
          messages: lastOf(entry.messages, options?.messages ?? 0)
        }))
      ),
    commit: (write) =>
      Effect.suspend(() => {
        const entry: Entry = sessions.get(write.id) ??
          { write, createdAt: write.updatedAt, messages: [], answers: new Map() }
        const actual = version(sessions.get(write.id))
        if (actual !== write.expectedVersion) {
          return Effect.fail(new SessionConflict({ sessionId: write.id, expected: write.expectedVersion, actual }))
        }
        if (sessions.get(write.id)?.write.wakeAt !== write.wakeAt) due.set(write.id, write.wakeAt)
        entry.write = write
        for (const message of write.messages) entry.messages.push(message)
        if (write.answered !== undefined) entry.answers.set(write.answered.messageId, write.answered.response)
        sessions.set(write.id, entry)
        endTurn(write.id, write.turnKey ?? write.answered?.messageId)
        return Effect.succeed({ version: actual + 1 })
      }),
    response: (id, messageId) =>
      Effect.sync(() => {
        // A stored response may be `null`.
        const response = sessions.get(id)?.answers.get(messageId)
        return response === undefined ? Option.none() : Option.some(response)
      }),
    messages: (id, { before, limit }) =>
      Effect.sync(() => {
        const all = (sessions.get(id)?.messages ?? []).filter(({ seq }) => before === undefined || seq < before)
        const items = lastOf(all, limit)
        return items.length < all.length && items[0] !== undefined ? { items, next: items[0].seq } : { items }
      }),
    list: (query) =>
      Effect.sync(() => {
        const found = page(query, () => true)
        return { ...found, items: found.items.map(summarize) }
      }),
    remove: (id) => Effect.sync(() => forget(id)),
    journal: (entry) =>
      Effect.sync(() => {
        const journal = journals.get(entry.sessionId) ?? new Map<string, JournalEntry>()
        const key = keyOf(entry.turnKey, entry.fingerprint)
        const recorded = journal.get(key) ?? entry
        journals.set(entry.sessionId, journal.set(key, recorded))
        return recorded.outcome
      }),
    journaled: (id, turnKey) =>
      Effect.sync(() => Array.from(journals.get(id)?.values() ?? []).filter((entry) => entry.turnKey === turnKey)),
    due: ({ before, limit }) => Effect.sync(() => due.until(before, limit)),
    waiting: (query) =>
      Effect.sync(() => {
        const found = page(query, ({ write }) => (write.waiting?.length ?? 0) > 0)
        return {
          ...found,
          items: found.items.map(({ write: { id, updatedAt, userId, waiting = [] } }) => ({
            id,
            ...(userId !== undefined && { userId }),
            updatedAt,
            waiting
          }))
        }
      }),
    purge: ({ limit = Infinity, olderThan }) =>
      Effect.sync(() => {
        const old = Array.from(sessions.values(), ({ write }) => write)
          .filter(({ updatedAt }) => updatedAt < olderThan)
          .sort((a, b) => a.updatedAt < b.updatedAt ? -1 : 1)
          .slice(0, Math.max(0, limit))
        for (const { id } of old) forget(id)
        return { removed: old.length }
      })
  }))
})

export const layerMemory: Layer.Layer<SessionStore> = Layer.effect(SessionStore, makeMemory)

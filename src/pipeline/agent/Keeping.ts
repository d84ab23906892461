/** Exports and deletes the stored data of an agent: data of a user, retention. */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import { type BlobStoreError, SessionStoreError, type TurnError } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import * as TurnRequest from "../../domain/session/TurnRequest.js"
import type { SessionSummary, StoredMessage } from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import * as Keeper from "../../services/storage/Keeper.js"
import type * as TurnFeed from "../../services/turn/TurnFeed.js"
import * as Files from "../state/files.js"
import type { Runtime } from "../state/TurnState.js"
import * as Visible from "../stored/visible.js"

/** All data that is stored for a user, in its stored form. */
export interface Exported {
  readonly userId: string
  readonly sessions: ReadonlyArray<{
    readonly session: JsonObject
    readonly messages: ReadonlyArray<StoredMessage>
  }>
  /** The user's files, and the files of tools in the user's sessions, including sessions that were deleted. */
  readonly files: ReadonlyArray<{
    readonly id: string
    readonly mediaType: string
    /** The bytes as Base64. */
    readonly bytes: string
  }>
}

/** The report of an erasure. */
export interface Erased {
  readonly userId: string
  /** ISO 8601, UTC. */
  readonly erasedAt: string
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly messageCount: number }>
  /** The removed data: for each kind, the place and the count. */
  readonly removed: ReadonlyArray<{ readonly kind: Keeper.Kind; readonly place: string; readonly count: number }>
}

const pageSize = 200

const checkUser = (userId: string) =>
  Effect.suspend(() => Either.map(TurnRequest.checkKey("userId", userId, "Pass the id of the user"), () => userId))

/** The sessions and records of a user that are stored now. */
const sessionsOf = ({ store }: Runtime, userId: string): Effect.Effect<ReadonlyArray<SessionSummary>, TurnError> =>
  Effect.gen(function*() {
    const all: Array<SessionSummary> = []
    let cursor: string | undefined
    do {
      const page = yield* store.list({
        userId,
        records: true,
        limit: pageSize,
        ...(cursor !== undefined && { cursor })
      })
      for (const summary of page.items) all.push(summary)
      cursor = page.next
    } while (cursor !== undefined)
    return all
  })

/** Loads a session with all its messages, including hidden ones. */
const storedOf = (runtime: Runtime, id: string) =>
  Effect.gen(function*() {
    const stored = yield* runtime.store.load(id)
    const messages = yield* Visible.all(runtime.store, id, {})
    return Option.map(stored, ({ session }) => ({ session, messages }))
  })

/**
 * The existing files of a user: files that are stored under the user's id, and other files that the user's sessions
 * refer to.
 */
const filesOf = (
  blobs: BlobStore.Service,
  userId: string,
  sessions: ReadonlyArray<{ readonly id: string; readonly refers: ReadonlyArray<string> }>
): Effect.Effect<ReadonlyArray<string>, BlobStoreError> =>
  Effect.gen(function*() {
    const beginnings = [Files.beginnings.ofUser(userId), ...sessions.map(({ id }) => Files.beginnings.ofSession(id))]
    const listed = new Set((yield* Effect.forEach(beginnings, blobs.list)).flat())
    const others = sessions.flatMap(({ refers }) => refers.filter((id) => !listed.has(id)))
    const there = yield* Effect.filter(others, (id) => Effect.map(blobs.get(id), Option.isSome))
    return Array.from(new Set([...listed, ...there]))
  })

/** Exports all stored data of a user. A session that is deleted meanwhile is left out. */
export const exportOf = (runtime: Runtime, userId: string): Effect.Effect<Exported, TurnError> =>
  Effect.gen(function*() {
    const summaries = yield* sessionsOf(runtime, yield* checkUser(userId))
    const found = yield* Effect.forEach(
      summaries,
      ({ id }) => Effect.map(storedOf(runtime, id), Option.map((stored) => ({ id, ...stored })))
    )
    const sessions = Arr.getSomes(found)
    const { blobs } = runtime
    if (blobs === undefined) return { userId, sessions: sessions.map(({ id: _, ...session }) => session), files: [] }
    const ids = yield* filesOf(
      blobs,
      userId,
      sessions.map(({ id, messages, session }) => ({ id, refers: Files.refersTo(session, messages) }))
    )
    const files = yield* Effect.forEach(ids, (id) =>
      Effect.map(
        blobs.get(id),
        Option.map(({ bytes, mediaType }) => ({
          id,
          mediaType,
          bytes: Encoding.encodeBase64(bytes)
        }))
      ))
    return { userId, sessions: sessions.map(({ id: _, ...session }) => session), files: Arr.getSomes(files) }
  })

/** Registers the blob store and the turn log, so that an erasure by any agent with the same store includes them. */
export const register = ({ blobs, log, store }: Runtime): void => {
  if (blobs !== undefined) {
    const removed = (ids: ReadonlyArray<string>) =>
      Effect.as(Effect.forEach(ids, blobs.remove, { concurrency: 8, discard: true }), ids.length)
    Keeper.register(store, blobs, {
      kind: "files",
      place: blobs.place,
      ofSession: ({ files, sessionId, userId }) =>
        Effect.flatMap(filesOf(blobs, userId, [{ id: sessionId, refers: files }]), removed),
      ofUser: (userId) => Effect.flatMap(filesOf(blobs, userId, []), removed)
    })
  }
  if (log !== undefined) {
    Keeper.register(store, log, {
      kind: "turn log",
      place: log.place,
      ofUser: (userId, sessionIds) => log.remove({ userId, sessionIds })
    })
  }
}

/** Registers the turn records of a server's turn feed for erasure. */
export const registerTurns = ({ store }: Pick<Runtime, "store">, feed: TurnFeed.Service): void =>
  Keeper.register(store, feed, {
    kind: "turn records",
    place: feed.place,
    ofSession: ({ sessionId }) => feed.remove(sessionId)
  })

const failed = ({ kind, place }: Keeper.Keeper) => ({ message }: Keeper.KeeperFailure) =>
  new SessionStoreError({ operation: "erase", why: `what is kept as ${kind} (${place}) was not erased: ${message}` })

/**
 * Erases all data of a user. The sessions are deleted last, so that after a failure the rest can still be found. Waits
 * for running turns and deletes what they store, too. Repeats until it finds no session, because the user may begin
 * another meanwhile.
 */
export const erase = (runtime: Runtime, userId: string): Effect.Effect<Erased, TurnError> =>
  Effect.gen(function*() {
    yield* checkUser(userId)
    const { store } = runtime
    const keepers = Keeper.beside(store)
    const removed = new Map<string, number>()
    const counts = new Map(keepers.map((keeper) => [keeper, 0]))
    const counted = (keeper: Keeper.Keeper, erasing: Effect.Effect<number, Keeper.KeeperFailure> | undefined) =>
      erasing === undefined ? Effect.void : Effect.mapBoth(erasing, {
        onFailure: failed(keeper),
        onSuccess: (count) => void counts.set(keeper, (counts.get(keeper) ?? 0) + count)
      })
    const ofUser = (sessionIds: ReadonlyArray<string>) =>
      Effect.forEach(keepers, (keeper) => counted(keeper, keeper.ofUser?.(userId, sessionIds)), { discard: true })
    const remove = ({ id, messageCount }: SessionSummary) =>
      Effect.gen(function*() {
        const stored = yield* storedOf(runtime, id)
        const files = Option.match(stored, {
          onNone: () => [],
          onSome: ({ messages, session }) => Files.refersTo(session, messages)
        })
        yield* Effect.forEach(
          keepers,
          (keeper) => counted(keeper, keeper.ofSession?.({ userId, sessionId: id, files })),
          { discard: true }
        )
        yield* store.remove(id)
        runtime.features.forget(runtime, id)
        removed.set(id, messageCount)
      }).pipe(runtime.lock.withLock(id, { wait: runtime.definition.timeouts.lock }))
    for (let found = yield* sessionsOf(runtime, userId); found.length > 0; found = yield* sessionsOf(runtime, userId)) {
      yield* ofUser(found.map(({ id }) => id))
      yield* Effect.forEach(found, remove, { concurrency: 8, discard: true })
    }
    // Erases the remaining data outside the store: data of turns that ran meanwhile, and of sessions that were deleted
    // before.
    yield* ofUser(Array.from(removed.keys()))
    yield* store.scrub ?? Effect.void
    return {
      userId,
      erasedAt: DateTime.formatIso(yield* DateTime.now),
      sessions: Array.from(removed, ([id, messageCount]) => ({ id, messageCount })),
      removed: [
        { kind: "sessions", place: store.place ?? "the agent's store", count: removed.size },
        ...Array.from(counts, ([{ kind, place }, count]) => ({ kind, place, count }))
      ]
    }
  })

/** Deletes the sessions that were not used for longer than the agent's `retention`; returns their number. */
export const purge = ({ definition: { retention }, store }: Runtime): Effect.Effect<number, TurnError> =>
  retention === undefined ? Effect.succeed(0) : Effect.flatMap(DateTime.now, (now) =>
    Effect.map(
      store.purge({ olderThan: DateTime.formatIso(DateTime.subtractDuration(now, retention)) }),
      ({ removed }) => removed
    ))

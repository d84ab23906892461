/**
 * What an agent has stored: what waits in it, whose it is, and how long it is kept.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Encoding from "effect/Encoding"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type BlobStoreError, SessionStoreError, type TurnError } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import { ApprovalRequest, mayDecide } from "../../domain/session/PendingApproval.js"
import type { Principal } from "../../domain/session/TurnRequest.js"
import * as TurnRequest from "../../domain/session/TurnRequest.js"
import type {
  Page,
  SessionSummary,
  StoredMessage,
  WaitingCall,
  WaitingSession
} from "../../services/session/SessionStore.js"
import type * as BlobStore from "../../services/storage/BlobStore.js"
import * as Keeper from "../../services/storage/Keeper.js"
import type * as TurnFeed from "../../services/turn/TurnFeed.js"
import * as Files from "../state/files.js"
import type { Runtime } from "../state/TurnState.js"
import * as Journal from "../tools/journal.js"

/**
 * A page of what waits.
 *
 * @since 0.1.0
 * @category models
 */
export interface Query {
  readonly userId?: string
  /** The `next` of the page before. */
  readonly cursor?: string
  /** At most 200. Default 50. */
  readonly limit?: number
  /**
   * Who asks, as the application has established it: calls that wait for a role tell their arguments only to who has it.
   * Without it, only calls that wait for no role tell theirs.
   *
   * @since 0.2.0
   */
  readonly principal?: Principal
}

/**
 * A call that waits for a person, with what is to be decided. What only a role may decide is told to that role alone.
 *
 * @since 0.2.0
 * @category models
 */
export interface WaitingApproval extends WaitingCall, Partial<Pick<ApprovalRequest, "args" | "reason" | "question">> {}

/**
 * A session in which something waits for a person.
 *
 * @since 0.2.0
 * @category models
 */
export interface WaitingApprovals extends WaitingSession {
  readonly waiting: ReadonlyArray<WaitingApproval>
}

/**
 * Everything that is stored of a user, as it is stored.
 *
 * @since 0.1.0
 * @category models
 */
export interface Exported {
  readonly userId: string
  readonly sessions: ReadonlyArray<{
    readonly session: JsonObject
    readonly messages: ReadonlyArray<StoredMessage>
  }>
  /** Their files, and those of tools in their sessions, also of sessions that are gone. */
  readonly files: ReadonlyArray<{
    readonly id: string
    readonly mediaType: string
    /** The bytes as Base64. */
    readonly bytes: string
  }>
}

/**
 * What was removed of a user.
 *
 * @since 0.1.0
 * @category models
 */
export interface Erased {
  readonly userId: string
  /** ISO 8601, UTC. */
  readonly erasedAt: string
  readonly sessions: ReadonlyArray<{ readonly id: string; readonly messageCount: number }>
  /** What was removed: of each kind, where it was kept and how much of it there was. */
  readonly removed: ReadonlyArray<{ readonly kind: Keeper.Kind; readonly place: string; readonly count: number }>
}

const pageSize = 200

/**
 * What waits for a person. What is to be decided is read from the sessions, where a store may have encrypted it: no index of
 * a store has it.
 */
export const approvals = (
  { store }: Runtime,
  { limit = 50, principal, ...query }: Query = {}
): Effect.Effect<Page<WaitingApprovals>, TurnError> =>
  Effect.flatMap(store.waiting({ ...query, limit: Math.min(pageSize, limit) }), ({ items, ...page }) =>
    Effect.map(
      Effect.forEach(items, (one) => Effect.map(requestsOf(store, one), detailed(one, principal)), { concurrency: 8 }),
      (items) => ({ ...page, items })
    ))

const pendingOf = Decode.either(
  Schema.Struct({ pendingApproval: Schema.Struct({ requests: Schema.Array(ApprovalRequest) }) })
)

/** The requests of a session; none where only a person is waited for, or the session is gone meanwhile. */
const requestsOf = (store: Runtime["store"], { id }: WaitingSession) =>
  Effect.map(
    store.load(id),
    (stored) =>
      Option.match(Option.flatMap(stored, ({ session }) => Option.getRight(pendingOf(session))), {
        onNone: () => [],
        onSome: ({ pendingApproval: { requests } }) => requests
      })
  )

const detailed =
  (session: WaitingSession, principal: Principal | undefined) =>
  (requests: ReadonlyArray<ApprovalRequest>): WaitingApprovals => ({
    ...session,
    waiting: session.waiting.map((call) => {
      const request = requests.find(({ id }) => id === call.id)
      // The session says which role it takes, in case that it has changed since the page was read.
      if (request === undefined || !mayDecide(request, principal?.roles)) return call
      const { args, question, reason } = request
      return { ...call, args, ...(reason !== undefined && { reason }), ...(question !== undefined && { question }) }
    })
  })

const checkUser = (userId: string) =>
  Effect.suspend(() => Either.map(TurnRequest.checkKey("userId", userId, "Pass the id of the user"), () => userId))

/** The sessions of a user that are stored now. */
const sessionsOf = ({ store }: Runtime, userId: string): Effect.Effect<ReadonlyArray<SessionSummary>, TurnError> =>
  Effect.gen(function*() {
    const all: Array<SessionSummary> = []
    let cursor: string | undefined
    do {
      const page = yield* store.list({ userId, limit: pageSize, ...(cursor !== undefined && { cursor }) })
      for (const summary of page.items) all.push(summary)
      cursor = page.next
    } while (cursor !== undefined)
    return all
  })

const messagesOf = ({ store }: Runtime, id: string): Effect.Effect<ReadonlyArray<StoredMessage>, TurnError> =>
  Effect.gen(function*() {
    const pages: Array<ReadonlyArray<StoredMessage>> = []
    let before: number | undefined
    do {
      const page = yield* store.messages(id, { limit: pageSize, ...(before !== undefined && { before }) })
      pages.unshift(page.items)
      before = page.next
    } while (before !== undefined)
    return pages.flat()
  })

/** A session with all its messages. */
const storedOf = (runtime: Runtime, id: string) =>
  Effect.gen(function*() {
    const stored = yield* runtime.store.load(id)
    const messages = yield* messagesOf(runtime, id)
    return Option.map(stored, ({ session }) => ({ session, messages }))
  })

/** The files of a user that are there: those that were kept for them, and others that their sessions refer to. */
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

/** Everything that is stored of a user. A session that is removed meanwhile is left out. */
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

/** What the agent's layers keep beside the store is erased with it, by whichever agent over the store. */
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

/** Turn records are those of a server; it tells of them. */
export const registerTurns = ({ store }: Pick<Runtime, "store">, feed: TurnFeed.Service): void =>
  Keeper.register(store, feed, {
    kind: "turn records",
    place: feed.place,
    ofSession: ({ sessionId }) => feed.remove(sessionId)
  })

const failed = ({ kind, place }: Keeper.Keeper) => ({ message }: Keeper.KeeperFailure) =>
  new SessionStoreError({ operation: "erase", why: `what is kept as ${kind} (${place}) was not erased: ${message}` })

/**
 * Removes everything of a user, and last the sessions: where something fails, what is left is found again. A turn that
 * runs is waited for, and what it stores is removed with the rest; it looks again until nothing is found, because a
 * session may be begun meanwhile.
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
        Journal.forget(runtime, id)
        removed.set(id, messageCount)
      }).pipe(runtime.lock.withLock(id, { wait: runtime.definition.timeouts.lock }))
    for (let found = yield* sessionsOf(runtime, userId); found.length > 0; found = yield* sessionsOf(runtime, userId)) {
      yield* ofUser(found.map(({ id }) => id))
      yield* Effect.forEach(found, remove, { concurrency: 8, discard: true })
    }
    // Once more, for what turns have left that ran meanwhile, and for sessions that were gone before.
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

/** Removes what nobody has used for as long as the agent keeps it; how many sessions those were. */
export const purge = ({ definition: { retention }, store }: Runtime): Effect.Effect<number, TurnError> =>
  retention === undefined ? Effect.succeed(0) : Effect.flatMap(DateTime.now, (now) =>
    Effect.map(
      store.purge({ olderThan: DateTime.formatIso(DateTime.subtractDuration(now, retention)) }),
      ({ removed }) => removed
    ))

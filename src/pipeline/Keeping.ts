/**
 * What an agent has stored: what waits in it, whose it is, and how long it is kept.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Decode from "../domain/Decode.js"
import type { TurnError } from "../domain/Errors.js"
import type { JsonObject } from "../domain/Json.js"
import { ApprovalRequest, mayDecide } from "../domain/PendingApproval.js"
import type { Principal } from "../domain/TurnRequest.js"
import * as TurnRequest from "../domain/TurnRequest.js"
import type { Page, SessionSummary, StoredMessage, WaitingCall, WaitingSession } from "../services/SessionStore.js"
import * as Journal from "./journal.js"
import type { Runtime } from "./TurnState.js"

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

/** Everything that is stored of a user. A session that is removed meanwhile is left out. */
export const exportOf = (runtime: Runtime, userId: string): Effect.Effect<Exported, TurnError> =>
  Effect.gen(function*() {
    const summaries = yield* sessionsOf(runtime, yield* checkUser(userId))
    const sessions = yield* Effect.forEach(summaries, ({ id }) =>
      Effect.gen(function*() {
        const stored = yield* runtime.store.load(id)
        const messages = yield* messagesOf(runtime, id)
        return stored._tag === "None" ? [] : [{ session: stored.value.session, messages }]
      }))
    return { userId, sessions: sessions.flat() }
  })

/**
 * Removes everything of a user. A turn that runs is waited for, and what it stores is removed with the rest; it looks
 * again until nothing is found, because a session may be begun meanwhile.
 */
export const erase = (runtime: Runtime, userId: string): Effect.Effect<Erased, TurnError> =>
  Effect.gen(function*() {
    yield* checkUser(userId)
    const removed = new Map<string, number>()
    const remove = ({ id, messageCount }: SessionSummary) =>
      runtime.lock.withLock(id, { wait: runtime.definition.timeouts.lock })(runtime.store.remove(id)).pipe(
        Effect.zipRight(Effect.sync(() => {
          Journal.forget(runtime, id)
          removed.set(id, messageCount)
        }))
      )
    for (let found = yield* sessionsOf(runtime, userId); found.length > 0; found = yield* sessionsOf(runtime, userId)) {
      yield* Effect.forEach(found, remove, { concurrency: 8, discard: true })
    }
    return {
      userId,
      erasedAt: DateTime.formatIso(yield* DateTime.now),
      sessions: Array.from(removed, ([id, messageCount]) => ({ id, messageCount }))
    }
  })

/** Removes what nobody has used for as long as the agent keeps it; how many sessions those were. */
export const purge = ({ definition: { retention }, store }: Runtime): Effect.Effect<number, TurnError> =>
  retention === undefined ? Effect.succeed(0) : Effect.flatMap(DateTime.now, (now) =>
    Effect.map(
      store.purge({ olderThan: DateTime.formatIso(DateTime.subtractDuration(now, retention)) }),
      ({ removed }) => removed
    ))

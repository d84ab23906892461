/** Lists sessions, and the calls and conversations that wait for a person. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Excerpt from "../../../domain/base/error/Excerpt.js"
import type { Session } from "../../../domain/session/Session.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import type { Principal } from "../../../domain/session/TurnRequest.js"
import type { WaitingApprovals } from "../../../pipeline/features/approvals/waiting.js"
import { waitingIn } from "../../../pipeline/stored/store.js"
import * as Visible from "../../../pipeline/stored/visible.js"
import type { Page, SessionSummary, StoredMessage } from "../../../services/session/SessionStore.js"
import type { listQuery, Summary, Waiting } from "../api/Listed.js"
import { CurrentPrincipal } from "../requests/Access.js"
import * as Problem from "../requests/Problem.js"
import type { Serving } from "../Serving.js"

/** A page of a list; `limit` is at least 1. */
interface PageRequest {
  readonly limit: number
  readonly cursor?: string
  readonly userId?: string
}

type ListRequest = PageRequest & Omit<typeof listQuery.Type, "limit">
/** A page of a list, or the problem if reading it failed. */
export type PageEffect<A> = Effect.Effect<Page<A>, Problem.Problem>

/** Limits of a search in one request: numbers of sessions and of store pages. */
const reach = { sessions: 1_000, pages: 50 }

/**
 * Reads pages of the store until `limit` matching items are found or the search has reached its limits. A page of the
 * result may therefore have fewer items than `limit`, and still have a `next`.
 */
const search = <A, B>(
  read: (asked: PageRequest) => Effect.Effect<Page<A>, unknown>,
  { limit, ...asked }: PageRequest,
  wanted: (item: A) => ReadonlyArray<B>
): PageEffect<B> =>
  Effect.gen(function*() {
    const found: Array<B> = []
    let cursor = asked.cursor
    let looked = 0
    for (let pages = 0; found.length < limit && looked < reach.sessions && pages < reach.pages; pages++) {
      const page: Page<A> = yield* Effect.mapError(
        read({ ...asked, limit: limit - found.length, ...(cursor !== undefined && { cursor }) }),
        Problem.ofError
      )
      looked += page.items.length
      for (const item of page.items) for (const one of wanted(item)) found.push(one)
      cursor = page.next
      if (cursor === undefined) return { items: found }
    }
    return { items: found, ...(cursor !== undefined && { next: cursor }) }
  })

/** Number of the latest messages in which a text is searched. */
const near = 4
const longest = 200

const lastIn = (messages: ReadonlyArray<StoredMessage>) => {
  for (const { createdAt, message } of messages.toReversed()) {
    const text = Either.match(Transcript.decode(message), { onLeft: () => "", onRight: Transcript.textOf })
    if (text !== "") return { role: String(message.role), text: Excerpt.start(text, longest), at: createdAt }
  }
  return undefined
}

/** Returns the last message of a session; the message of a turn that waits for a person is stored with what waits. */
const lastOf = (store: Serving["store"], session: Session) =>
  Effect.gen(function*() {
    const { id, pendingApproval } = session
    if (pendingApproval !== undefined && pendingApproval.message !== "") {
      const { message, requestedAt } = pendingApproval
      return { role: "user", text: Excerpt.start(message, longest), at: DateTime.formatIso(requestedAt) }
    }
    return lastIn((yield* Visible.page(store, id, session, { limit: near })).items)
  })

const stateOf = ({ handOver }: Session, waits: ReadonlyArray<unknown>) =>
  waits.length > 0 ? "waiting" : handOver === undefined ? "agent" : "person"

/** A session in the list. `loading` loads the whole session. */
interface Item {
  readonly summary: SessionSummary
  readonly loading: Effect.Effect<Session, unknown>
}

/** Adds the details to a session of the list, unless it cannot be read. */
const detailed = ({ access, store }: Serving) => ({ loading, summary }: Item): Effect.Effect<Summary> =>
  Effect.gen(function*() {
    const session = yield* loading
    const waits = waitingIn(session)
    const last = yield* lastOf(store, session)
    const { currentFlow, currentStep, forkedFrom, handOver } = session
    return {
      ...summary,
      details: {
        name: access.nameOf(summary.userId ?? "", summary.id),
        state: stateOf(session, waits),
        waits: waits.map((call) =>
          call.handOff === true && handOver?.reason !== undefined
            ? { ...call, reason: handOver.reason }
            : call
        ),
        ...(currentFlow !== undefined && { flow: { id: currentFlow.id, title: currentFlow.title } }),
        ...(currentStep !== undefined && { step: currentStep.id }),
        ...(handOver?.by !== undefined && { person: handOver.by }),
        ...(forkedFrom !== undefined && { forkedFrom: forkedFrom.sessionId }),
        ...(last !== undefined && { last })
      }
    } as const
  }).pipe(
    Effect.catchAll((error) => Effect.as(Effect.logWarning("A session in a list cannot be read", error), summary))
  )

/** A page of the sessions that match. */
export const list = (
  serving: Serving,
  { details, search: text, state, ...asked }: ListRequest
): PageEffect<Summary> => {
  const part = text?.toLowerCase() ?? ""
  const matches = ({ id, userId = "" }: SessionSummary) =>
    id.toLowerCase().includes(part) || userId.toLowerCase().includes(part)
  const read = state === "waiting" ? waitingSessions : allSessions
  return Effect.flatMap(
    search(read(serving), asked, (item) => matches(item.summary) ? [item] : []),
    ({ items, ...page }) =>
      details === true
        ? Effect.map(Effect.forEach(items, detailed(serving), { concurrency: 8 }), (items) => ({ ...page, items }))
        : Effect.succeed({ ...page, items: items.map(({ summary }) => summary) })
  )
}

type Read = (serving: Serving) => (asked: PageRequest) => Effect.Effect<Page<Item>, unknown>

const allSessions: Read = ({ agent, store }) => (asked) =>
  Effect.map(store.list(asked), ({ items, ...page }) => ({
    ...page,
    items: items.map((summary) => ({ summary, loading: agent.session(summary.id).snapshot }))
  }))

/** Reads the sessions with a call or a conversation that waits for a person. */
const waitingSessions: Read = ({ agent, store }) => (asked) =>
  Effect.flatMap(
    store.waiting(asked),
    ({ items, ...page }) =>
      Effect.map(Effect.forEach(items, ({ id }) => agent.session(id).snapshot, { concurrency: 8 }), (sessions) => ({
        ...page,
        items: sessions.filter(({ version }) => version > 0)
          .map((session) => ({ summary: summaryOf(session), loading: Effect.succeed(session) }))
      }))
  )

const summaryOf = ({ createdAt, id, messageCount, updatedAt, userId, version }: Session): SessionSummary => ({
  id,
  version,
  messageCount,
  ...(userId !== undefined && { userId }),
  createdAt: DateTime.formatIso(createdAt),
  updatedAt: DateTime.formatIso(updatedAt)
})

/** Returns the session with the waiting calls that this person may see; an empty list if there are none. */
const waitingFor = (
  { access, newest }: { readonly access: Serving["access"]; readonly newest: number },
  principal: Principal
) =>
({ id, waiting, ...session }: WaitingApprovals): ReadonlyArray<typeof Waiting.Type> => {
  const operator = access.isOperator(principal)
  const seen = waiting.filter(({ role }) =>
    operator || (role !== undefined && principal.roles?.includes(role) === true)
  )
  return seen.length === 0 ? [] : [{
    ...session,
    sessionId: id,
    waiting: seen.map(({ sealed: _, ...call }) => ({
      ...call,
      age: Math.max(0, newest - Date.parse(call.requestedAt)),
      mayDecide: call.handOff === true ? operator : call.args !== undefined
    }))
  }]
}

/**
 * Reads a page of the calls and conversations that wait for a person. An operator sees all of them; another user sees
 * only the entries that one of the user's roles may decide.
 */
export const approvals = (serving: Serving, asked: PageRequest) =>
  Effect.gen(function*() {
    const { access, agent } = serving
    const principal = yield* CurrentPrincipal
    if ((principal.roles ?? []).length === 0) yield* access.operator
    const newest = yield* Clock.currentTimeMillis
    const { items, ...page } = yield* search(
      (page) => agent.approvals({ ...page, principal }),
      asked,
      waitingFor({ access, newest }, principal)
    )
    // Whoever may only decide a call does not read the conversation.
    if (!access.isOperator(principal)) return { ...page, items }
    return { ...page, items: yield* Effect.forEach(items, withLast(serving), { concurrency: 8 }) }
  })

/** Adds the last message to a session that waits, unless the session cannot be read. */
const withLast = ({ agent, store }: Serving) => (waiting: typeof Waiting.Type): Effect.Effect<typeof Waiting.Type> =>
  Effect.gen(function*() {
    const session = yield* agent.session(waiting.sessionId).snapshot
    const last = yield* lastOf(store, session)
    return { ...waiting, ...(last !== undefined && { last }) }
  }).pipe(
    Effect.catchAll((error) => Effect.as(Effect.logWarning("A session that waits cannot be read", error), waiting))
  )

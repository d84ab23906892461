/** Checks the arguments of a store before it asks its database, and leaves user records out of its lists. */
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../domain/base/error/Errors.js"
import * as UserRecord from "../../domain/fields/UserRecord.js"
import type { Page, Service, SessionSummary } from "./Port.js"
import * as SessionLock from "./SessionLock.js"

type Check = Effect.Effect<void, InvalidRequest>

const lengthOf = (value: unknown): string =>
  typeof value === "string" ? String(value.length) : `type ${value === null ? "null" : typeof value}`

/** Maximum number of characters of an id or a key. */
const maxId = 200

const short = (value: unknown): value is string =>
  typeof value === "string" && value.length >= 1 && value.length <= maxId

const refuse = (what: string, why: string, fix: string): Check => Effect.fail(new InvalidRequest({ what, why, fix }))

const idFix = "Pass the id of the conversation, for example the user's id"

/** Refuses an id that is not a string, is empty, or is longer than 200 characters. */
const checkStoredId = (id: unknown): Check =>
  short(id)
    ? Effect.void
    : refuse("sessionId", `a session id has 1 to 200 characters, this has ${lengthOf(id)}`, idFix)

/** Refuses an id that no conversation can have. */
export const checkId = (id: unknown): Check =>
  short(id) && UserRecord.isRecord(id) ? refuse("sessionId", UserRecord.reserved, idFix) : checkStoredId(id)

/** Refuses a key of a message, a turn or an effect that is not a string, is empty, or is longer than 200 characters. */
export const checkKey = (what: string, key: unknown): Check =>
  short(key)
    ? Effect.void
    : refuse(what, `it has 1 to 200 characters, this has ${lengthOf(key)}`, `Pass a short unique text as ${what}`)

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/

const checkInstant = (what: string, value: unknown): Check =>
  typeof value === "string" && instant.test(value)
    ? Effect.void
    : refuse(
      what,
      "it is no instant such as 2026-01-31T09:30:00.000Z",
      "Pass what toISOString or DateTime.formatIso gives"
    )

const checkText = (what: string, value: unknown): Check =>
  typeof value === "string"
    ? Effect.void
    : refuse(what, `it is a text, this has ${lengthOf(value)}`, `Pass ${what} as a string, or leave it out`)

const checkUser = (what: string, value: unknown): Check =>
  typeof value === "string" && value.length > maxId
    ? refuse(
      what,
      `a user id has at most ${maxId} characters, this has ${lengthOf(value)}`,
      "Pass a shorter id of the user"
    )
    : checkText(what, value)

const optional = (check: (what: string, value: unknown) => Check) => (what: string, value: unknown): Check =>
  value === undefined ? Effect.void : check(what, value)

/** Runs the checks in order, then the work. The work reads the arguments only after all checks have passed. */
const after = (
  checks: () => ReadonlyArray<Check>
): <A, E>(work: () => Effect.Effect<A, E>) => Effect.Effect<A, E | InvalidRequest> =>
(work) =>
  Effect.suspend(() => {
    const refused = checks().find((check) => check !== Effect.void)
    return refused === undefined ? work() : Effect.zipRight(refused, Effect.suspend(work))
  })

const listed = ({ cursor, userId }: { readonly cursor?: unknown; readonly userId?: unknown }) => () => [
  optional(checkUser)("userId", userId),
  optional(checkText)("cursor", cursor)
]

/** Leaves user records out of a list. Reads on until the page has as many sessions as were asked for. */
const withoutRecords = (list: Service["list"]): Service["list"] => ({ limit, ...query }) => {
  const most = Math.floor(limit)
  const read = (
    found: ReadonlyArray<SessionSummary>,
    cursor: string | undefined
  ): Effect.Effect<Page<SessionSummary>, Effect.Effect.Error<ReturnType<Service["list"]>>> =>
    Effect.flatMap(
      list({ ...query, limit: most - found.length, ...(cursor !== undefined && { cursor }) }),
      ({ items, next }) => {
        const all = [...found, ...items.filter(({ id }) => !UserRecord.isRecord(id))]
        if (next === undefined) return Effect.succeed({ items: all })
        return all.length < most ? read(all, next) : Effect.succeed({ items: all, next })
      }
    )
  return read([], query.cursor)
}

/**
 * Wraps a store: the wrapper refuses malformed ids, keys and instants, and leaves user records out of lists. If the store
 * has no lock, adds one that is valid in this process.
 */
export const checked = (store: Service): Service => ({
  ...store,
  lock: SessionLock.ofStore(store),
  load: (id, options) => after(() => [checkStoredId(id)])(() => store.load(id, options)),
  commit: (write) =>
    after(() => [
      checkStoredId(write.id),
      optional(checkUser)("userId", write.userId),
      optional(checkKey)("turnKey", write.turnKey),
      optional(checkInstant)("wakeAt", write.wakeAt),
      ...(write.answered === undefined ? [] : [checkKey("messageId", write.answered.messageId)])
    ])(() => store.commit(write)),
  response: (id, messageId) =>
    after(() => [checkStoredId(id), checkKey("messageId", messageId)])(() => store.response(id, messageId)),
  messages: (id, page) => after(() => [checkStoredId(id)])(() => store.messages(id, page)),
  list: (query) =>
    after(listed(query))(() => query.records === true ? store.list(query) : withoutRecords(store.list)(query)),
  remove: (id) => after(() => [checkStoredId(id)])(() => store.remove(id)),
  journal: (entry) =>
    after(() => [
      checkStoredId(entry.sessionId),
      checkKey("turnKey", entry.turnKey),
      checkKey("fingerprint", entry.fingerprint),
      checkInstant("at", entry.at)
    ])(() => store.journal(entry)),
  journaled: (id, turnKey) =>
    after(() => [checkStoredId(id), checkKey("turnKey", turnKey)])(() => store.journaled(id, turnKey)),
  due: (query) => after(() => [checkInstant("before", query.before)])(() => store.due(query)),
  waiting: (query) => after(listed(query))(() => store.waiting(query)),
  purge: (query) => after(() => [checkInstant("olderThan", query.olderThan)])(() => store.purge(query))
})

/**
 * A `SessionStore` on any database that can compare-and-set one document: MongoDB, OpenSearch, a key-value store.
 *
 * Such a database writes one document atomically, but a commit writes several things. So the session's main document,
 * its head, contains the whole last commit: the session, and the messages and the answer of the commit. The next commit
 * first writes these messages and this answer as separate records (`settle`), and then replaces the head. Between the
 * two writes they are in both places. All writers write equal records, so a record that is written twice, or by a
 * writer whose commit then conflicts, does no harm. The head stays small however long the conversation is.
 *
 * Records are keyed by the head's `epoch`, a random id that each session gets when it begins. So a session that was
 * removed and re-created with the same id never reads records that a slow writer has left of the old session.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  InvalidRequest,
  SessionConflict,
  SessionCorrupt,
  type SessionStoreError
} from "../../domain/base/error/Errors.js"
import type { Json } from "../../domain/base/Json.js"
import type { JournalEntry, Service, SessionWrite, StoredMessage } from "../../services/session/SessionStore.js"
import { checked, SessionStore } from "../../services/session/SessionStore.js"
import type { Documents, Head, Outcome, Records, Summary } from "./DocumentShapes.js"
import * as Stored from "./Stored.js"

export * from "./DocumentShapes.js"

const toMessage = (body: string): StoredMessage => Stored.toMessage(Stored.parseObject(body))

const unsettled = (head: Head): Records => ({
  epoch: head.epoch,
  version: head.version,
  messages: head.tail.map((body, i) => ({ seq: head.messageCount - head.tail.length + 1 + i, body })),
  answer: head.answered
})

/** Makes the store on these documents. */
export const make = <Revision>(documents: Documents<Revision>, options: {
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** The limit of the size of one document. Default: no limit. */
  readonly limit?: Stored.SizeLimit | undefined
  /** Maximum number of summaries in one answer of the database. Default: no maximum. */
  readonly maxPage?: number | undefined
} = {}): Service => {
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const storeError = (operation: string) => (error: unknown) =>
    error instanceof InvalidRequest ? error : Stored.failure(operation)(error)
  const storeErrors = (operation: string) => Effect.mapError(storeError(operation))
  const fits = Stored.fitting(options.limit)
  const headOf = (id: string) => Effect.map(documents.head(Stored.toText(id)), Option.map(([head]) => head))

  /** Reads messages `first` to `last` of a session, from their separate records and from the main document. */
  const range = (head: Head, first: number, last: number): Effect.Effect<ReadonlyArray<string>, unknown> => {
    const settled = head.messageCount - head.tail.length
    const kept = head.tail.slice(Math.max(0, first - settled - 1), Math.max(0, last - settled))
    const upTo = Math.min(last, settled)
    if (upTo < first) return Effect.succeed(kept)
    return Effect.flatMap(documents.messages(head.epoch, first, upTo), (found) =>
      found.length === upTo - first + 1
        ? Effect.succeed([...found, ...kept])
        : Effect.fail(
          new SessionCorrupt({
            sessionId: Stored.fromText(head.id),
            why: `${upTo - first + 1 - found.length} of its messages are missing`
          })
        ))
  }

  /**
   * Reads a second time if records are missing: if the session was removed between the queries of the first read, the
   * second finds no session.
   */
  const looking = <A, E>(look: Effect.Effect<A, E>) => Effect.retry(look, { times: 1, while: isCorrupt })

  const next = (write: SessionWrite, now: number, previous: Head | undefined): Head => ({
    id: Stored.toText(write.id),
    userId: write.userId === undefined ? undefined : Stored.toText(write.userId),
    version: write.expectedVersion + 1,
    epoch: previous?.epoch ?? globalThis.crypto.randomUUID(),
    createdAt: previous?.createdAt ?? write.updatedAt,
    updatedAt: write.updatedAt,
    messageCount: (previous?.messageCount ?? 0) + write.messages.length,
    session: JSON.stringify(write.session),
    tail: write.messages.map((message) => JSON.stringify(message)),
    wakeAt: write.wakeAt,
    waiting: Stored.fromWaiting(write) ?? undefined,
    answered: write.answered === undefined ? undefined : {
      messageId: Stored.toText(write.answered.messageId),
      response: JSON.stringify(write.answered.response),
      expiresAt: now + timeToLive
    }
  })

  const commit = Effect.fnUntraced(function*(write: SessionWrite) {
    const found = yield* documents.head(Stored.toText(write.id))
    const conflict = (head: Option.Option<Head>) =>
      new SessionConflict({
        sessionId: write.id,
        expected: write.expectedVersion,
        actual: Option.match(head, { onNone: () => 0, onSome: ({ version }) => version })
      })
    const current = Option.map(found, ([head]) => head)
    if (Option.match(current, { onNone: () => 0, onSome: ({ version }) => version }) !== write.expectedVersion) {
      return yield* conflict(current)
    }
    const after = next(write, yield* Clock.currentTimeMillis, Option.getOrUndefined(current))
    yield* fits([
      ["session", after.session],
      ["response", after.answered?.response],
      ["waiting", after.waiting],
      ...after.tail.map((body, n) => [`message ${after.messageCount - after.tail.length + 1 + n}`, body] as const)
    ])
    if (Option.isNone(found)) {
      if (!(yield* documents.create(after))) return yield* conflict(yield* headOf(write.id))
    } else {
      const [head, revision] = found.value
      const records = unsettled(head)
      if (records.messages.length > 0 || records.answer !== undefined) yield* documents.settle(records)
      if (!(yield* documents.replace(after, revision))) {
        const winner = yield* headOf(write.id)
        // The session was removed meanwhile, so the records that were just written for it must be removed too.
        if (!Option.exists(winner, ({ epoch }) => epoch === head.epoch)) yield* documents.forget([head])
        return yield* conflict(winner)
      }
    }
    const turnKey = Stored.turnOf(write)
    if (turnKey !== undefined) {
      // The commit is already done. If the removal fails, the journal stays in the database, but nobody reads the
      // journal of an answered turn.
      yield* documents.journals.end(Stored.toText(write.id), Stored.toText(turnKey)).pipe(
        Effect.catchAll((error) =>
          Effect.logWarning("A turn's journal was not removed", Stored.failure("commit")(error).message)
        )
      )
    }
    return { version: write.expectedVersion + 1 }
  })

  /** A page of sessions, last updated first, each converted by `read`. */
  const page = <A extends { readonly id: string; readonly updatedAt: string }>(
    { cursor, limit, userId }: Parameters<Service["list"]>[0],
    waiting: boolean,
    read: (summary: Summary) => A
  ) => {
    const size = Math.min(Stored.toLimit(limit), (options.maxPage ?? Number.MAX_SAFE_INTEGER) - 1)
    return documents.list({
      userId: userId === undefined ? undefined : Stored.toText(userId),
      after: cursor === undefined ? undefined : Stored.toPosition(cursor),
      waiting,
      limit: size + 1
    }).pipe(Effect.flatMap((found) => Effect.try(() => Stored.toPage(found, read, size))))
  }

  const remove = Effect.fnUntraced(function*(key: string) {
    // If the head does not decode, its epoch is unknown, and with it the keys of its records.
    const found = yield* Effect.catchIf(
      headOf(Stored.fromText(key)),
      isCorrupt,
      () => Effect.as(documents.remove([{ id: key }]), Option.none())
    )
    if (Option.isSome(found)) {
      yield* documents.remove([{ id: key, epoch: found.value.epoch }])
      yield* documents.forget([found.value])
    }
    yield* documents.journals.forget([key])
  })

  /** Removes the oldest sessions, except those written meanwhile. */
  const purge = Effect.fnUntraced(function*(olderThan: string, size: number) {
    const found = yield* documents.old(olderThan, size)
    if (found.length === 0) return { found: 0, removed: 0 }
    const removed = new Set(yield* documents.remove(found))
    yield* documents.forget(found.filter(({ id }) => removed.has(id)))
    yield* documents.journals.forget([...removed])
    return { found: found.length, removed: removed.size }
  })

  const outcomesOf = (id: string, turnKey: string, now: number) =>
    Effect.map(
      documents.journals.read(Stored.toText(id), Stored.toText(turnKey)),
      (found) => found.filter(({ expiresAt }) => expiresAt > now)
    )

  /** Writes an outcome unless the turn has one with its fingerprint, and returns the stored one. */
  const journal = Effect.fnUntraced(function*(entry: JournalEntry): Effect.fn.Return<Json, unknown> {
    const now = yield* Clock.currentTimeMillis
    const outcome: Outcome = {
      sessionId: Stored.toText(entry.sessionId),
      turnKey: Stored.toText(entry.turnKey),
      fingerprint: Stored.toText(entry.fingerprint),
      outcome: JSON.stringify(entry.outcome),
      at: entry.at,
      expiresAt: now + timeToLive
    }
    yield* fits([["outcome", outcome.outcome]])
    for (;;) {
      if (yield* documents.journals.write(outcome, now)) return entry.outcome
      const found = yield* outcomesOf(entry.sessionId, entry.turnKey, now)
      const recorded = found.find(({ fingerprint }) => fingerprint === outcome.fingerprint)
      if (recorded !== undefined) return yield* Effect.try(() => Stored.parse(recorded.outcome))
    }
  })

  return checked(SessionStore.of({
    load: (id, { messages = 0 } = {}) =>
      looking(Effect.gen(function*() {
        const found = yield* headOf(id)
        if (Option.isNone(found)) return Option.none()
        const head = found.value
        const first = Math.max(1, head.messageCount - Stored.toLimit(messages) + 1)
        const bodies = yield* range(head, first, head.messageCount)
        return Option.some({ head, bodies })
      })).pipe(
        Effect.mapError((error) => isCorrupt(error) ? error : Stored.failure("load")(error)),
        Effect.flatMap((found): Effect.Effect<Effect.Effect.Success<ReturnType<Service["load"]>>, SessionCorrupt> =>
          Option.isNone(found) ? Effect.succeedNone : Effect.asSome(Stored.decode(id, () => ({
            id,
            version: found.value.head.version,
            session: Stored.parseObject(found.value.head.session),
            messages: found.value.bodies.map(toMessage)
          })))
        )
      ),
    commit: (write) =>
      Effect.mapError(
        commit(write),
        (error): SessionConflict | SessionStoreError | InvalidRequest =>
          error instanceof SessionConflict ? error : storeError("commit")(error)
      ),
    response: (id, messageId) =>
      Effect.gen(function*() {
        const found = yield* headOf(id)
        if (Option.isNone(found)) return Option.none()
        const { answered, epoch } = found.value
        const key = Stored.toText(messageId)
        const answer = answered?.messageId === key ? Option.some(answered) : yield* documents.answer(epoch, key)
        const now = yield* Clock.currentTimeMillis
        const alive = Option.filter(answer, ({ expiresAt }) => expiresAt > now)
        return yield* Effect.try(() => Option.map(alive, ({ response }) => Stored.parse(response)))
      }).pipe(storeErrors("response")),
    messages: (id, { before, limit }) =>
      looking(Effect.gen(function*() {
        const found = yield* headOf(id)
        if (Option.isNone(found)) return { items: [] }
        const last = Math.min(found.value.messageCount, (before ?? Number.MAX_SAFE_INTEGER) - 1)
        const first = Math.max(1, last - Stored.toLimit(limit) + 1)
        if (last < first) return { items: [] }
        const bodies = yield* range(found.value, first, last)
        return Stored.toMessagePage(yield* Effect.try(() => bodies.map(toMessage)))
      })).pipe(storeErrors("messages")),
    list: (query) => storeErrors("list")(page(query, false, Stored.toSummary)),
    remove: (id) => storeErrors("remove")(remove(Stored.toText(id))),
    journal: (entry) => storeErrors("journal")(journal(entry)),
    journaled: (sessionId, turnKey) =>
      Effect.gen(function*() {
        const found = yield* outcomesOf(sessionId, turnKey, yield* Clock.currentTimeMillis)
        return yield* Effect.try(() =>
          Stored.toEntries(sessionId, turnKey, found.map(({ at, ...one }) => ({ ...one, createdAt: at })))
        )
      }).pipe(storeErrors("journaled")),
    due: ({ before, limit }) =>
      Effect.map(
        documents.due(before, Math.min(Stored.toLimit(limit), options.maxPage ?? Number.MAX_SAFE_INTEGER)),
        (found) => found.map(({ id, wakeAt = before }) => ({ sessionId: Stored.fromText(id), wakeAt }))
      ).pipe(storeErrors("due")),
    waiting: (query) => storeErrors("waiting")(page(query, true, Stored.toWaitingSession)),
    purge: ({ limit, olderThan }) => Stored.inBatches(limit, (size) => storeErrors("purge")(purge(olderThan, size)))
  }))
}

const isCorrupt = (error: unknown): error is SessionCorrupt => error instanceof SessionCorrupt

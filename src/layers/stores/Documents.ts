/**
 * A `SessionStore` on anything that can compare-and-set one document: MongoDB, OpenSearch, a key-value store.
 *
 * Such a store writes one document atomically, a commit is many things. So the session's document, its head, holds
 * the last commit whole: the session, that commit's messages and its answer. Only the next commit settles those as
 * records of their own, and it does so before it replaces the head. Until then they are where they were; afterwards
 * they are in both places for a moment. Every writer settles the same records, so settling twice does no harm, and
 * a loser has written nothing of its own. The head stays small however long the conversation is.
 *
 * Records are keyed by the head's `epoch`, a random name for this life of the session: a session that was removed and
 * begun again never meets what a slow writer left of the old one.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { SessionConflict, SessionCorrupt, type SessionStoreError } from "../../domain/Errors.js"
import type { Service, SessionWrite, StoredMessage } from "../../services/SessionStore.js"
import { SessionStore } from "../../services/SessionStore.js"
import * as Stored from "./Stored.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Answer extends Schema.Schema.Type<typeof Answer> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Answer = Schema.Struct({
  /** As `Stored.toText` gives it. */
  messageId: Schema.String,
  /** JSON text. */
  response: Schema.String,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Number
})

/**
 * What `list` shows of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Summary extends Schema.Schema.Type<typeof Summary> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Summary = Schema.Struct({
  /** As `Stored.toText` gives it, like `userId`. */
  id: Schema.String,
  userId: Schema.optional(Schema.String),
  version: Schema.Number,
  messageCount: Schema.Number,
  createdAt: Schema.String,
  updatedAt: Schema.String
})

/**
 * The document of a session.
 *
 * @since 0.1.0
 * @category models
 */
export interface Head extends Schema.Schema.Type<typeof Head> {}

/**
 * @since 0.1.0
 * @category models
 */
export const Head = Schema.Struct({
  ...Summary.fields,
  epoch: Schema.String,
  /** JSON text. */
  session: Schema.String,
  /** The messages of the last commit, each as JSON text. The last one is number `messageCount`. */
  tail: Schema.Array(Schema.String),
  answered: Schema.optional(Answer)
})

const decodeHead = Schema.decodeUnknownSync(Head)

/**
 * An answer and a summary as a database gave them back. They throw.
 *
 * @since 0.1.0
 * @category decoding
 */
export const toAnswer = Schema.decodeUnknownSync(Answer)

/**
 * @since 0.1.0
 * @category decoding
 */
export const toSummary = Schema.decodeUnknownSync(Summary)

/**
 * The head that a database gave back.
 *
 * @since 0.1.0
 * @category decoding
 */
export const toHead = (id: string, read: () => unknown): Effect.Effect<Head, SessionCorrupt> =>
  Stored.decode(Stored.fromText(id), () => decodeHead(read()))

/**
 * What a commit left in the head, to be settled by the next.
 *
 * @since 0.1.0
 * @category models
 */
export interface Records {
  readonly epoch: string
  /** The commit they came with. */
  readonly version: number
  readonly messages: ReadonlyArray<{ readonly seq: number; readonly body: string }>
  readonly answer?: Answer | undefined
}

/**
 * What a database must offer. Ids and cursors are values here as well. `Revision` is what a compare compares.
 *
 * @since 0.1.0
 * @category models
 */
export interface Documents<Revision> {
  /** None when there is no such session; `SessionCorrupt` when what is there is no head. */
  readonly head: (id: string) => Effect.Effect<Option.Option<readonly [head: Head, revision: Revision]>, unknown>
  /** `false` when there is one already. */
  readonly create: (head: Head) => Effect.Effect<boolean, unknown>
  /** `false` when the head is no longer the one of this revision. */
  readonly replace: (head: Head, revision: Revision) => Effect.Effect<boolean, unknown>
  /** Writes records, over equal ones if they are there. */
  readonly settle: (records: Records) => Effect.Effect<void, unknown>
  /** The settled messages from `first` to `last`, in order. They must be found as soon as they are settled. */
  readonly messages: (epoch: string, first: number, last: number) => Effect.Effect<ReadonlyArray<string>, unknown>
  readonly answer: (epoch: string, messageId: string) => Effect.Effect<Option.Option<Answer>, unknown>
  /** Last updated first, ties by id downwards. */
  readonly list: (query: {
    readonly userId?: string | undefined
    readonly after?: Stored.Position | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<Summary>, unknown>
  /** Removes the head, of this epoch only when one is given. */
  readonly remove: (id: string, epoch: string | undefined) => Effect.Effect<unknown, unknown>
  /** Removes all records of the head's epoch. */
  readonly forget: (head: Head) => Effect.Effect<unknown, unknown>
}

const toMessage = (body: string): StoredMessage => {
  const { createdAt, message, seq } = Stored.parseObject(body)
  return { seq: Number(seq), message: Stored.parseObject(message), createdAt: String(createdAt) }
}

const unsettled = (head: Head): Records => ({
  epoch: head.epoch,
  version: head.version,
  messages: head.tail.map((body, i) => ({ seq: head.messageCount - head.tail.length + 1 + i, body })),
  answer: head.answered
})

/**
 * The store over these documents.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Revision>(documents: Documents<Revision>, options: {
  readonly answersTimeToLive?: Duration.DurationInput | undefined
  /** How many summaries the database gives at once. Default: any number. */
  readonly maxPage?: number | undefined
} = {}): Service => {
  const timeToLive = Duration.toMillis(options.answersTimeToLive ?? Duration.days(7))
  const storeErrors = (operation: string) => Effect.mapError(Stored.failure(operation))
  const headOf = (id: string) => Effect.map(documents.head(Stored.toText(id)), Option.map(([head]) => head))

  /** Messages `first` to `last` of a session, settled or not. */
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

  /** A session that is removed while it is read loses its messages first; the second look finds it gone. */
  const looking = <A, E>(look: Effect.Effect<A, E>) => Effect.retry(look, { times: 1 })

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
    const now = yield* Clock.currentTimeMillis
    if (Option.isNone(found)) {
      if (!(yield* documents.create(next(write, now, undefined)))) return yield* conflict(yield* headOf(write.id))
    } else {
      const [head, revision] = found.value
      const records = unsettled(head)
      if (records.messages.length > 0 || records.answer !== undefined) yield* documents.settle(records)
      if (!(yield* documents.replace(next(write, now, head), revision))) {
        const winner = yield* headOf(write.id)
        // Removed meanwhile: what was just settled must not stay behind.
        if (!Option.exists(winner, ({ epoch }) => epoch === head.epoch)) yield* documents.forget(head)
        return yield* conflict(winner)
      }
    }
    return { version: write.expectedVersion + 1 }
  })

  return SessionStore.of({
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
        (error): SessionConflict | SessionStoreError =>
          error instanceof SessionConflict ? error : Stored.failure("commit")(error)
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
        const items = yield* Effect.try(() => bodies.map(toMessage))
        return first > 1 ? { items, next: first } : { items }
      })).pipe(storeErrors("messages")),
    list: ({ cursor, limit, userId }) => {
      const size = Math.min(Stored.toLimit(limit), (options.maxPage ?? Number.MAX_SAFE_INTEGER) - 1)
      return documents.list({
        userId: userId === undefined ? undefined : Stored.toText(userId),
        after: cursor === undefined ? undefined : Stored.toPosition(cursor),
        limit: size + 1
      }).pipe(
        Effect.map((found) => Stored.toPage(found.map(summarize), size)),
        storeErrors("list")
      )
    },
    remove: (id) =>
      Effect.gen(function*() {
        const key = Stored.toText(id)
        // Of a head that does not decode the epoch is unknown, and with it where its records are.
        const found = yield* Effect.catchIf(headOf(id), isCorrupt, () =>
          Effect.as(documents.remove(key, undefined), Option.none()))
        if (Option.isNone(found)) {
          return
        }
        yield* documents.remove(key, found.value.epoch)
        yield* documents.forget(found.value)
      }).pipe(storeErrors("remove"))
  })
}

const isCorrupt = (error: unknown): error is SessionCorrupt => error instanceof SessionCorrupt

const summarize = ({ createdAt, id, messageCount, updatedAt, userId, version }: Summary) => ({
  id: Stored.fromText(id),
  version,
  ...(userId !== undefined && { userId: Stored.fromText(userId) }),
  messageCount,
  createdAt,
  updatedAt
})

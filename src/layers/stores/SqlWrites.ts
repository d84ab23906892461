/** The writes of `SessionStoreSql`. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { SessionConflict } from "../../domain/base/error/Errors.js"
import type { JournalEntry, SessionWrite, StoredMessage } from "../../services/session/SessionStore.js"
import * as SqlSchema from "./SqlSchema.js"
import * as SqlStatements from "./SqlStatements.js"
import * as Stored from "./Stored.js"

type StoredAnswer = NonNullable<SessionWrite["answered"]>

/** Number of messages in one INSERT, because databases limit the number of parameters. */
const chunk = 500

/** The tables with data of a session, in addition to the session's row. */
const belongings = ["messages", "answers", "journal"] as const

/** Placeholders of `count` rows: `(?, ?), (?, ?)`. */
const places = (count: number, columns: number): string =>
  Array.from({ length: count }, () => `(${Array.from({ length: columns }, () => "?").join(", ")})`).join(", ")

/**
 * Makes the writes on the tables with this prefix. `timeToLive` is in milliseconds, `now` in milliseconds since 1970.
 */
export const make = (sql: SqlClient.SqlClient, prefix: string, timeToLive: number) => {
  const { changes, rows: select } = SqlStatements.prepare(sql)
  /** The end of an INSERT into the journal that leaves an existing row as it is. */
  const ignoring = sql.onDialectOrElse({
    // `INSERT IGNORE` would hide other errors too.
    mysql: () => "ON DUPLICATE KEY UPDATE entry = entry",
    orElse: () => "ON CONFLICT (entry) DO NOTHING"
  })
  const overwriting = sql.onDialectOrElse({
    mysql: () => "ON DUPLICATE KEY UPDATE response = VALUES(response), expires_at = VALUES(expires_at)",
    orElse: () =>
      "ON CONFLICT (session_id, message_id) DO UPDATE SET response = excluded.response, expires_at = excluded.expires_at"
  })

  const beginning = `INSERT INTO ${prefix}sessions
       (version, user_id, session, updated_at, wake_at, waits, waiting, message_count, id, created_at)
     VALUES ${places(1, 10)}${sql.onDialectOrElse({ mysql: () => "", orElse: () => " ON CONFLICT (id) DO NOTHING" })}`
  const proceeding =
    `UPDATE ${prefix}sessions SET version = ?, user_id = ?, session = ?, updated_at = ?, wake_at = ?, waits = ?,
       waiting = ?, message_count = message_count + ? WHERE id = ? AND version = ?`
  const begin = changes(beginning, "version")
  const proceed = changes(proceeding, "version")
  const appending = new Map<number, SqlStatements.Prepared<unknown>>()
  const answer = select(
    `INSERT INTO ${prefix}answers (session_id, message_id, response, expires_at) VALUES (?, ?, ?, ?) ${overwriting}`
  )
  const version = select<{ readonly version: number }>(`SELECT version FROM ${prefix}sessions WHERE id = ?`)
  const endTurn = select(`DELETE FROM ${prefix}journal WHERE session_id = ? AND turn_key = ?`)
  const unlock = changes(`DELETE FROM ${prefix}locks WHERE session_id = ? AND queue = ?`, "session_id")
  const record = select(
    `INSERT INTO ${prefix}journal (entry, session_id, turn_key, fingerprint, outcome, created_at, expires_at)
     VALUES ${places(1, 7)} ${ignoring}`
  )
  const recorded = select<{ readonly outcome: string }>(`SELECT outcome FROM ${prefix}journal WHERE entry = ?`)
  const entries = select<{ readonly fingerprint: string; readonly outcome: string; readonly createdAt: string }>(
    `SELECT fingerprint, outcome, created_at AS "createdAt" FROM ${prefix}journal
     WHERE session_id = ? AND turn_key = ? AND expires_at > ?`
  )
  const old = select<{ readonly id: string }>(
    `SELECT id FROM ${prefix}sessions WHERE updated_at < ? ORDER BY updated_at, id LIMIT ?${
      sql.onDialectOrElse({ sqlite: () => "", orElse: () => " FOR UPDATE" })
    }`
  )
  const sweeps = ["answers", "journal", "locks"].map((table) =>
    select(`DELETE FROM ${prefix}${table} WHERE expires_at <= ?`)
  )

  /** Returns the values for the statement `beginning` if the session is new, otherwise for `proceeding`. */
  const rowOf = (write: SessionWrite) => {
    const waiting = Stored.fromWaiting(write)
    return [
      write.expectedVersion + 1,
      write.userId === undefined ? null : Stored.toText(write.userId),
      JSON.stringify(write.session),
      write.updatedAt,
      write.wakeAt ?? null,
      waiting === null ? 0 : 1,
      waiting,
      write.messages.length,
      Stored.toText(write.id),
      write.expectedVersion === 0 ? write.updatedAt : write.expectedVersion
    ]
  }

  /**
   * Writes the session's row if its version is the expected one. Returns true if it was written. The row stays locked
   * until the transaction ends.
   */
  const compareAndSet = (write: SessionWrite): Effect.Effect<boolean, SqlError> =>
    (write.expectedVersion === 0 ? begin : proceed)(...rowOf(write)).pipe(
      Effect.map((count) => count === 1),
      Effect.catchIf((error) => SqlSchema.codeOf(error) === "ER_DUP_ENTRY", () => Effect.succeed(false))
    )

  const appended = (id: string, part: ReadonlyArray<StoredMessage>) => {
    const write = appending.get(part.length) ??
      select(
        `INSERT INTO ${prefix}messages (session_id, seq, message, created_at) VALUES ${places(part.length, 4)}`
      )
    appending.set(part.length, write)
    return write(...part.flatMap(({ createdAt, message, seq }) => [id, seq, JSON.stringify(message), createdAt]))
  }

  /**
   * Stores an answer and overwrites an older one: the same `messageId` is stored a second time only if its first answer
   * has expired.
   */
  const answered = (id: string, { messageId, response }: StoredAnswer, now: number) =>
    answer(id, Stored.toText(messageId), JSON.stringify(response), now + timeToLive)

  const conflict = ({ expectedVersion, id }: SessionWrite, stored: string) =>
    Effect.flatMap(
      version(stored),
      ([found]) => new SessionConflict({ sessionId: id, expected: expectedVersion, actual: found?.version ?? 0 })
    )

  const inSteps = (write: SessionWrite, now: number, queue: string | undefined) =>
    Effect.gen(function*() {
      const id = Stored.toText(write.id)
      const turnKey = Stored.turnOf(write)
      const keys = [write.answered?.messageId, turnKey].filter((key) => key !== undefined)
      yield* SqlSchema.checkLengths(sql, {
        id: [id, Stored.toText(write.userId ?? "")],
        messageId: keys.map(Stored.toText)
      })
      if (!(yield* compareAndSet(write))) return yield* conflict(write, id)
      for (const part of Arr.chunksOf(write.messages, chunk)) yield* appended(id, part)
      if (write.answered !== undefined) yield* answered(id, write.answered, now)
      if (turnKey !== undefined) yield* endTurn(id, Stored.toText(turnKey))
      const unlocked = queue !== undefined && (yield* unlock(id, queue)) === 1
      return { version: write.expectedVersion + 1, unlocked }
    }).pipe(sql.withTransaction)

  /** Makes the commit for PostgreSQL: one statement, so that a turn waits for one round trip, not for one per part. */
  const atOnce = () => {
    /** Returns the statement of a whole commit. It writes the other parts only if it changes the row of the session. */
    const whole = (change: string) =>
      select<{ readonly unlocked: number | string }>(
        `WITH changed AS (${change} RETURNING version),
       appended AS (
         INSERT INTO ${prefix}messages (session_id, seq, message, created_at)
         SELECT ?, (one->>'seq')::integer, one->>'message', one->>'createdAt'
         FROM changed, json_array_elements(?::json) AS one),
       answered AS (
         INSERT INTO ${prefix}answers (session_id, message_id, response, expires_at)
         SELECT ?, ?, ?, ?::bigint FROM changed WHERE ?::integer = 1 ${overwriting}),
       ended AS (
         DELETE FROM ${prefix}journal WHERE session_id = ? AND turn_key = ? AND EXISTS (SELECT 1 FROM changed)),
       unlocked AS (
         DELETE FROM ${prefix}locks WHERE session_id = ? AND queue = ? AND EXISTS (SELECT 1 FROM changed)
         RETURNING session_id)
       SELECT (SELECT count(*) FROM unlocked) AS unlocked FROM changed`
      )
    const [create, update] = [whole(beginning), whole(proceeding)]
    return (write: SessionWrite, now: number, queue: string | undefined) => {
      const id = Stored.toText(write.id)
      const { answered } = write
      const turnKey = Stored.turnOf(write)
      const messages = write.messages.map(({ createdAt, message, seq }) => ({
        seq,
        // Stored as text, so that the JSON is read exactly as it was written.
        message: JSON.stringify(message),
        createdAt
      }))
      const [messageId, response] = answered === undefined
        ? [null, null]
        : [Stored.toText(answered.messageId), JSON.stringify(answered.response)]
      return (write.expectedVersion === 0 ? create : update)(
        ...rowOf(write),
        ...[id, JSON.stringify(messages)],
        ...[id, messageId, response, now + timeToLive, answered === undefined ? 0 : 1],
        ...[id, turnKey === undefined ? null : Stored.toText(turnKey)],
        ...[id, queue ?? null]
      ).pipe(
        Effect.flatMap(([changed]) =>
          changed === undefined
            ? conflict(write, id)
            : Effect.succeed({ version: write.expectedVersion + 1, unlocked: Number(changed.unlocked) === 1 })
        )
      )
    }
  }

  const commit = sql.onDialectOrElse({ pg: atOnce, orElse: () => inSteps })

  const removal = (tables: ReadonlyArray<typeof belongings[number]>, ids: ReadonlyArray<string>) =>
    Effect.forEach(
      tables,
      (table) => select(`DELETE FROM ${prefix}${table} WHERE session_id IN ${places(1, ids.length)}`)(...ids),
      { discard: true }
    )
  const removeRows = (ids: ReadonlyArray<string>) =>
    select(`DELETE FROM ${prefix}sessions WHERE id IN ${places(1, ids.length)}`)(...ids)
  const removeRow = changes(`DELETE FROM ${prefix}sessions WHERE id = ?`, "id")

  return {
    /** Writes a commit. Also removes the lock's row if its queue is still `queue`. */
    commit,
    /**
     * Removes a session by its id in stored form. The row is deleted first: its lock keeps a new session with this id
     * from starting until the rest is deleted. If the row does not exist, only the journal is removed: other data
     * belongs to a new session that has just begun.
     */
    remove: (id: string) =>
      Effect.flatMap(removeRow(id), (count) => removal(count === 0 ? ["journal"] : belongings, [id])).pipe(
        sql.withTransaction
      ),
    /**
     * Removes up to `size` sessions that were last updated before `olderThan`. Returns the number of sessions that it
     * found and removed.
     */
    purge: (olderThan: string, size: number) =>
      Effect.gen(function*() {
        const ids = (yield* old(olderThan, size)).map(({ id }) => id)
        if (ids.length > 0) {
          yield* removeRows(ids)
          yield* removal(belongings, ids)
        }
        return { found: ids.length, removed: ids.length }
      }).pipe(sql.withTransaction),
    journal: ({ at, fingerprint, outcome, sessionId, turnKey }: JournalEntry, now: number) =>
      Effect.gen(function*() {
        const place = [sessionId, turnKey, fingerprint].map(Stored.toText)
        yield* SqlSchema.checkLengths(sql, { id: place.slice(0, 1), messageId: place.slice(1) })
        const entry = yield* Stored.hash(JSON.stringify(place))
        yield* record(entry, ...place, JSON.stringify(outcome), at, now + timeToLive)
        const [found] = yield* recorded(entry)
        // The entry does not exist if the turn was committed or the session removed in the meantime.
        return found === undefined ? outcome : yield* Effect.try(() => Stored.parse(found.outcome))
      }),
    journaled: (sessionId: string, turnKey: string, now: number) =>
      Effect.flatMap(
        entries(Stored.toText(sessionId), Stored.toText(turnKey), now),
        (found) => Effect.try(() => Stored.toEntries(sessionId, turnKey, found))
      ),
    sweep: (now: number) => Effect.forEach(sweeps, (expired) => expired(now), { discard: true })
  }
}

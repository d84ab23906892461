/**
 * The record of a user's values. It is read and written outside the commit of a session, so a write loads it again and
 * changes only the fields that the turn has changed: concurrent sessions of the user lose nothing.
 */
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import { SessionConflict, SessionCorrupt } from "../../../domain/base/error/Errors.js"
import { isJsonObject, type JsonObject, toJson } from "../../../domain/base/Json.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { Values } from "../../../domain/definition/Definition.js"
import { forget } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import * as UserRecord from "../../../domain/fields/UserRecord.js"
import { isTrusted, Kept, type Origin, type Origins } from "../../../domain/origin/Origin.js"
import * as Session from "../../../domain/session/Session.js"
import type { Failure, Opened, Runtime } from "../../state/TurnState.js"
import { migrate } from "../../stored/loading.js"
import { encodeSession } from "../../stored/store.js"
import * as Merged from "./merged.js"

/** A record as it is stored, migrated to the agent's version. */
export interface StoredRecord {
  readonly version: number
  readonly session: JsonObject
}

/** The values that a turn has changed, and the fields whose values it has cleared. */
interface Change {
  readonly data: Values
  /** The values before the turn. */
  readonly before: Values
  readonly cleared: ReadonlyArray<string>
  /** The origins of the changed values, if the agent keeps origins. */
  readonly origins: Origins
}

/**
 * A record of a newer version of the agent is used as it is: the Schemas of its fields decide which values fit. Only a
 * session would have to stop.
 */
const migrated = (runtime: Runtime, id: string, stored: JsonObject): Either.Either<JsonObject, Failure> =>
  Either.orElse(
    migrate(runtime, id, stored),
    (error) => error._tag === "SessionUnavailable" ? Either.right(stored) : Either.left(error)
  )

const idOf = ({ definition: { name } }: Runtime, userId: string): string => UserRecord.idOf(name, userId)

/** Returns the values of a record, encoded. */
export const dataOf = ({ session: { data } }: Pick<StoredRecord, "session">): JsonObject =>
  isJsonObject(data) ? data : {}

/** Loads the record of a user; undefined if there is none. */
export const load = (runtime: Runtime, userId: string): Effect.Effect<StoredRecord | undefined, Failure> => {
  const id = idOf(runtime, userId)
  return Effect.flatMap(
    runtime.store.load(id),
    Option.match({
      onNone: () => Effect.succeed(undefined),
      onSome: ({ session, version }) =>
        session.userId === userId
          ? Either.map(migrated(runtime, id, session), (session) => ({ version, session }))
          : Effect.fail(new SessionCorrupt({ sessionId: id, why: "the record of a user's values names another user" }))
    })
  )
}

const decodeKept = Decode.either(Kept)

/** Returns the origins of a record's values. */
export const originsOf = ({ session: { origins } }: StoredRecord): Origins =>
  Either.match(decodeKept(origins), { onLeft: () => ({}), onRight: ({ fields }) => fields })

const byModel: ReadonlyArray<Origin> = [{ kind: "model" }]

/** Returns the origins of these fields. A value of unknown origin counts as written by the model. */
export const originsFor = (names: ReadonlyArray<string>, known: Origins): Origins =>
  Object.fromEntries(names.map((name) => [name, ownValue(known, name) ?? byModel]))

/** The error of a turn that was overtaken: it is repeated on what is stored now. */
const overtaken = (
  { sessionId, state: { replaced } }: Opened,
  actual = replaced.version
): Effect.Effect<never, SessionConflict> =>
  Effect.fail(new SessionConflict({ sessionId, expected: replaced.version, actual }))

/**
 * Fails if the record that the turn has read was removed meanwhile, because its user was erased: the repeated turn then
 * does not know the values, and does not store them again.
 */
const checkSame = (
  turn: Opened,
  read: StoredRecord | undefined,
  found: StoredRecord | undefined
): Effect.Effect<void, SessionConflict> =>
  read === undefined || (found !== undefined && UserRecord.isSame(found.session, read.session))
    ? Effect.void
    : overtaken(turn)

/**
 * Fails if the session was stored or removed meanwhile. The commit of the session would fail, too, but only after the
 * record is written: the repeated turn would then find its own changes in the record, and make them twice.
 */
const checkSession = (turn: Opened): Effect.Effect<void, Failure> =>
  Effect.flatMap(turn.runtime.store.load(turn.sessionId), (found) => {
    const actual = Option.match(found, { onNone: () => 0, onSome: ({ version }) => version })
    return actual === turn.state.replaced.version ? Effect.void : overtaken(turn, actual)
  })

/** Checks that the record that the turn has read is still stored. */
export const check = (turn: Opened, userId: string, read: StoredRecord): Effect.Effect<void, Failure> =>
  Effect.flatMap(load(turn.runtime, userId), (found) => checkSame(turn, read, found))

const day = Duration.toMillis("1 day")

/**
 * True if the record has to be written again, at most once a day, so that nobody who removes old sessions removes it
 * while its user comes back: `retention`, a `purge` of the application, or a store with a time to live.
 */
export const isAging = (
  { now, runtime: { definition: { retention = Duration.infinity } } }: Opened,
  record: StoredRecord | undefined
): boolean =>
  record !== undefined &&
  now.epochMillis - Date.parse(String(record.session.updatedAt)) > Math.min(day, Duration.toMillis(retention) / 2)

/** Number of attempts after the first, for a user whose sessions write at the same moment. */
const retries = 20

/**
 * Writes the changes of a turn into the record as it is stored now. `read` is the record as the turn has read it. Returns
 * the names of the fields that the record then has.
 */
export const write = (
  turn: Opened,
  userId: string,
  read: StoredRecord | undefined,
  { before, cleared, data, origins }: Change
): Effect.Effect<ReadonlyArray<string>, Failure> => {
  const { now, runtime } = turn
  const id = idOf(runtime, userId)
  const gone = [...cleared, ...Object.keys(data)]
  /** The changed values, with what another session has added to their lists and records. */
  const mergedWith = (theirs: JsonObject, ours: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(ours).flatMap(([name, value]) => {
        const field = runtime.definition.fields.get(name)!
        const all = Merged.merged(field, Merged.encoded(field, ownValue(before, name)), value, ownValue(theirs, name))
        return all === undefined ? [] : [[name, all] as const]
      })
    )
  const once = Effect.gen(function*() {
    const found = yield* load(runtime, userId)
    yield* checkSame(turn, read, found)
    const { definition: { migrations } } = runtime
    const epoch = yield* runtime.newEpoch(userId)
    const fresh = yield* encodeSession(runtime, {
      ...Session.make({ id, now, epoch, data, definitionVersion: migrations?.version }),
      userId
    })
    const { origins: _, ...record } = found?.session ?? fresh
    const theirs: JsonObject = found === undefined ? {} : dataOf(found)
    const kept: Origins = found === undefined ? {} : originsOf(found)
    const ours = dataOf({ session: fresh })
    const values = mergedWith(theirs, ours)
    // A list with items of another session is as untrusted as these.
    const merged = originsFor(
      Object.keys(origins).filter((name) => ownValue(theirs, name) !== undefined && values[name] !== ours[name]),
      kept
    )
    const foreign = Object.keys(merged).filter((name) => !merged[name]!.some(isTrusted))
    const fields = { ...forget(kept, gone), ...origins, ...Struct.pick(merged, ...foreign) }
    const expectedVersion = found?.version ?? 0
    const all: JsonObject = { ...forget(theirs, gone), ...values }
    yield* runtime.store.commit({
      id,
      expectedVersion,
      session: {
        ...record,
        data: all,
        ...(Object.keys(fields).length > 0 && { origins: toJson({ fields }) }),
        version: expectedVersion + 1,
        updatedAt: DateTime.formatIso(now)
      },
      userId,
      updatedAt: DateTime.formatIso(now),
      messages: []
    })
    return Object.keys(all)
  })
  const written = Effect.retry(once, {
    times: retries,
    while: (error) => error._tag === "SessionConflict" && error.sessionId === id
  })
  return Effect.zipRight(checkSession(turn), written)
}

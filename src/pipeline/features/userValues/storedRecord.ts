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
import { isTrusted, Kept, type Origins } from "../../../domain/origin/Origin.js"
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

/**
 * Fails if the record that the turn has read was removed meanwhile, because its user was erased: the repeated turn then
 * does not know the values, and does not store them again.
 */
const checkSame = (
  { sessionId, stored: { version } }: Opened,
  read: StoredRecord | undefined,
  found: StoredRecord | undefined
): Effect.Effect<void, SessionConflict> =>
  read === undefined || found?.session.createdAt === read.session.createdAt
    ? Effect.void
    : Effect.fail(new SessionConflict({ sessionId, expected: version, actual: version }))

/** Checks that the record that the turn has read is still stored. */
export const check = (turn: Opened, userId: string, read: StoredRecord): Effect.Effect<void, Failure> =>
  Effect.flatMap(load(turn.runtime, userId), (found) => checkSame(turn, read, found))

/** True if the record has to be written again so that `retention` does not remove it while its user comes back. */
export const isAging = (
  { now, runtime: { definition: { retention } } }: Opened,
  record: StoredRecord | undefined
): boolean =>
  retention !== undefined && record !== undefined &&
  now.epochMillis - Date.parse(String(record.session.updatedAt)) > Duration.toMillis(retention) / 2

/** Number of attempts after the first, for a user whose sessions write at the same moment. */
const retries = 20

/** Writes the changes of a turn into the record as it is stored now. `read` is the record as the turn has read it. */
export const write = (
  turn: Opened,
  userId: string,
  read: StoredRecord | undefined,
  { before, cleared, data, origins }: Change
): Effect.Effect<void, Failure> => {
  const { now, runtime } = turn
  const id = idOf(runtime, userId)
  const gone = [...cleared, ...Object.keys(data)]
  /** The changed values, with what another session has added to their lists and records. */
  const mergedWith = (theirs: JsonObject, ours: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(ours).map(([name, value]) => {
        const field = runtime.definition.fields.get(name)!
        return [
          name,
          Merged.merged(field, Merged.encoded(field, ownValue(before, name)), value, ownValue(theirs, name))
        ]
      })
    )
  const once = Effect.gen(function*() {
    const found = yield* load(runtime, userId)
    yield* checkSame(turn, read, found)
    const { definition: { migrations } } = runtime
    const fresh = yield* encodeSession(runtime, {
      ...Session.make({ id, now, data, definitionVersion: migrations?.version }),
      userId
    })
    const { origins: _, ...record } = found?.session ?? fresh
    const theirs: JsonObject = found === undefined ? {} : dataOf(found)
    const kept: Origins = found === undefined ? {} : originsOf(found)
    const ours = dataOf({ session: fresh })
    const values = mergedWith(theirs, ours)
    // A list with items of another session is as untrusted as these.
    const foreign = Object.keys(origins).filter((name) =>
      values[name] !== ours[name] && ownValue(kept, name)?.some(isTrusted) === false
    )
    const fields = { ...forget(kept, gone), ...origins, ...Struct.pick(kept, ...foreign) }
    const expectedVersion = found?.version ?? 0
    yield* runtime.store.commit({
      id,
      expectedVersion,
      session: {
        ...record,
        data: { ...forget(theirs, gone), ...values },
        ...(Object.keys(fields).length > 0 && { origins: toJson({ fields }) }),
        version: expectedVersion + 1,
        updatedAt: DateTime.formatIso(now)
      },
      userId,
      updatedAt: DateTime.formatIso(now),
      messages: []
    })
  })
  return Effect.retry(once, {
    times: retries,
    while: (error) => error._tag === "SessionConflict" && error.sessionId === id
  })
}

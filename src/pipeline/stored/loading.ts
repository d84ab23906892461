/** Loads a session with the tail of its transcript, migrated to this version of the library and of the agent. */
import type * as Prompt from "@effect/ai/Prompt"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Hash from "effect/Hash"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { SessionCorrupt, SessionUnavailable } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import * as Migrations from "../../domain/code/Migrations.js"
import { complaints, optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as Compaction from "../../domain/language/Compaction.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import * as Session from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { checkId, type StoredMessage, type StoredSession } from "../../services/session/SessionStore.js"
import type { Failure, Runtime } from "../state/TurnState.js"
import { inTime } from "./store.js"
import * as Visible from "./visible.js"

/** A stored session with the tail of its transcript, decoded. */
export interface LoadedSession {
  readonly session: Session.Session
  /** The last visible messages, without messages that a summary covers. */
  readonly messages: ReadonlyArray<Prompt.Message>
  /**
   * The user message before `messages`; set if `messages` begins with tool calls that belong to an earlier user
   * message.
   */
  readonly request?: Prompt.Message
}

/** The error for a stored session that this version of the agent cannot read. */
export type Unreadable = SessionCorrupt | SessionUnavailable

/** Loads and decodes the session, with the tail of its transcript. */
export const load = (
  runtime: Runtime,
  sessionId: string,
  messages: number
): Effect.Effect<Option.Option<LoadedSession>, Failure> =>
  Effect.flatMap(
    runtime.store.load(sessionId, { messages }),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (stored) => Effect.map(decodeStored(runtime, stored, messages), Option.some)
    })
  )

const decodeStored = Effect.fnUntraced(function*(
  runtime: Runtime,
  stored: StoredSession,
  messages: number
) {
  const { id: sessionId } = stored
  const session = yield* decodeSession(runtime, sessionId, stored.session)
  const told = toldBySummary(runtime, session)
  const untold = stored.messages.filter(({ seq }) => seq > told)
  const count = Math.min(messages, RewoundRange.countAfter(session, told))
  const tail = yield* Visible.tail(runtime.store, session, untold, count)
  const decode = (message: StoredMessage) => decodeMessage(runtime, sessionId, message)
  const decoded = yield* Either.all(tail.map(decode))
  const [first] = tail
  const request = first !== undefined && Compaction.lacksRequest(decoded)
    ? yield* Visible.lastOfUser(runtime.store, session, first.seq)
    : undefined
  return {
    session: { ...session, version: stored.version },
    messages: decoded,
    ...(request !== undefined && { request: yield* decode(request) })
  }
})

/** Decodes a stored message. */
export const decodeMessage = (
  { definition }: Runtime,
  sessionId: string,
  { message }: StoredMessage
): Either.Either<Prompt.Message, SessionCorrupt> =>
  Either.mapLeft(Transcript.decode(message, definition.excerpts), (why) => new SessionCorrupt({ sessionId, why }))

/** Decodes a stored session, after migrating it to this version of the agent. */
export const decodeSession = (
  runtime: Runtime,
  sessionId: string,
  stored: JsonObject
): Effect.Effect<Session.Session, Unreadable> =>
  Effect.flatMap(migrate(runtime, sessionId, stored), Decode.effect(runtime.session)).pipe(
    Effect.catchTag("ParseError", (cause) =>
      Effect.fail(
        new SessionCorrupt({
          sessionId,
          why: `the stored session does not decode: ${complaints(cause, runtime.definition.excerpts)}`
        })
      ))
  )

/** The user of a stored session, and its epoch. */
export interface Owned {
  readonly userId: string | undefined
  readonly epoch: string
}

const decodeOwned = Decode.either(
  Schema.Struct({ userId: optional(Schema.String), epoch: optional(Schema.String), createdAt: Schema.DateTimeUtc })
)

/** Loads a session and decodes a part of it. */
export const loadPart = <A>(
  runtime: Runtime,
  sessionId: string,
  decode: (stored: JsonObject) => Either.Either<A, Unreadable>
): Effect.Effect<Option.Option<A>, Failure> =>
  Effect.flatMap(
    Effect.zipRight(checkId(sessionId), inTime(runtime, sessionId)(runtime.store.load(sessionId))),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: ({ session }) => Either.map(decode(session), Option.some)
    })
  )

/** Loads the user and the epoch of a session, of any version of its agent, without decoding the rest of it. */
export const loadOwned = (runtime: Runtime, sessionId: string): Effect.Effect<Option.Option<Owned>, Failure> =>
  loadPart(runtime, sessionId, (stored) =>
    Either.mapBoth(decodeOwned(stored), {
      onLeft: (cause) => new SessionCorrupt({ sessionId, why: "its user and its epoch do not decode", cause }),
      onRight: (owned) => ({ userId: owned.userId, epoch: Session.epochOf(owned) })
    }))

/**
 * Returns the runtime with the definition with which the session continues: while a flow of an earlier version is
 * current or suspended, the earlier definition of that version, if the agent has it.
 */
export const runtimeFor = (
  runtime: Runtime,
  { currentFlow, definitionVersion = 1, suspended }: Readonly<
    Partial<Record<"currentFlow" | "definitionVersion" | "suspended", unknown>>
  >
): Runtime => {
  const isInFlow = currentFlow !== undefined || (Array.isArray(suspended) && suspended.length > 0)
  const earlier = isInFlow
    ? runtime.earlier.find(({ definition }) => Migrations.versionOf(definition.migrations) === definitionVersion)
    : undefined
  return earlier === undefined ? runtime : { ...runtime, ...earlier }
}

/**
 * Migrates a stored session to this version of the library, and to the version of the agent with which it continues.
 */
export const migrate = (
  runtime: Runtime,
  sessionId: string,
  stored: JsonObject
): Either.Either<JsonObject, Unreadable> =>
  Session.migrate(stored, runtimeFor(runtime, stored).definition.migrations).pipe(
    Either.mapLeft(({ cause, newer, why }) =>
      newer === "definitionVersion"
        ? new SessionUnavailable({ sessionId, reason: "newer_version" })
        : new SessionCorrupt({ sessionId, why, cause })
    )
  )

/** Returns the loaded session, or a new one with the given epoch. */
export const sessionOf = (
  runtime: Runtime,
  id: string,
  loaded: Option.Option<{ readonly session: Session.Session }>,
  now: DateTime.Utc,
  epoch?: string | undefined
): Session.Session =>
  Option.match(loaded, {
    onNone: () =>
      Session.make({
        id,
        now,
        epoch,
        data: runtime.definition.initialData,
        definitionVersion: runtime.definition.migrations?.version
      }),
    onSome: ({ session }) => session
  })

/**
 * Returns the sequence number of the last message that the summary covers; the prompt omits messages up to it. 0
 * without a summary.
 */
export const toldBySummary = ({ definition }: Runtime, { summary }: Session.Session): number =>
  definition.compaction === undefined ? 0 : summary?.upTo ?? 0

/** The epoch of the loaded session, or a new one for a session that begins. */
export const epochOf = (
  { newEpoch }: Runtime,
  userId: string | undefined,
  loaded: Option.Option<LoadedSession>
): Effect.Effect<string | undefined> =>
  Option.match(loaded, {
    onNone: () => newEpoch(userId),
    onSome: ({ session }) => Effect.succeed(Session.epochOf(session))
  })

/** Generators of epochs, by the store of their sessions. */
const epochs = new WeakMap<object, Runtime["newEpoch"]>()

const makeEpochs = (): Runtime["newEpoch"] => {
  let last = -1
  let count = 0
  return (userId = "") =>
    Effect.clockWith((clock) => {
      // Reads the clock directly, so that a recorded turn does not record this reading.
      const now = clock.unsafeCurrentTimeMillis()
      // The count distinguishes sessions that begin in the same millisecond.
      count = now === last ? count + 1 : 0
      last = now
      // The hash need not be secure, because an epoch gives access to nothing.
      const user = Hash.string(userId) >>> 0
      return Effect.succeed([now, count, user].map((part) => part.toString(36)).join("-"))
    })
}

/** Returns the generator that all agents over the same store in this process share. */
export const epochsOf = (store: object): Runtime["newEpoch"] => {
  const generator = epochs.get(store) ?? makeEpochs()
  epochs.set(store, generator)
  return generator
}

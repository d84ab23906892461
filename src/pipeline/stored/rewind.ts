/** Rewinds a session to the end of an earlier turn, or forks a copy from there. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InvalidRequest, type TurnError, TurnUnavailable } from "../../domain/base/error/Errors.js"
import { isJsonObject } from "../../domain/base/Json.js"
import { complaints, optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as PastTurn from "../../domain/session/rewind/PastTurn.js"
import * as Rewind from "../../domain/session/rewind/Rewind.js"
import * as Session from "../../domain/session/Session.js"
import { Principal } from "../../domain/session/TurnRequest.js"
import type { SessionWrite, StoredMessage } from "../../services/session/SessionStore.js"
import { checkId } from "../../services/session/SessionStore.js"
import { checkClaim } from "../state/admission.js"
import type { Failure, Runtime } from "../state/TurnState.js"
import { decodeSession, load, type Unreadable } from "./loading.js"
import * as Store from "./store.js"
import * as Visible from "./visible.js"

const exact = { parseOptions: { onExcessProperty: "error" as const } }

/** The number of a turn; 0 is before the first. */
const Turn = Schema.NonNegativeInt.annotations({ message: () => "must be the number of a turn: 0, 1, 2, …" })

/** Options of a rewind. */
export interface RewindOptions {
  /** The session is rewound to the end of this turn, one of `session.turns`; 0 is before the first turn. */
  readonly toTurn: number
  /** The user who asks, as the application has authenticated them. A session of another user is refused. */
  readonly principal?: Principal
}

/** Options of a fork. */
export interface ForkOptions {
  /**
   * The copy starts from the end of this turn, one of `session.turns`; 0 is before the first turn. Default: the session
   * as it is now.
   */
  readonly toTurn?: number
  /** The id of the copy; it must not be in use. Default: a new one. */
  readonly as?: string
  /** The user who asks, as the application has authenticated them. A session of another user is refused. */
  readonly principal?: Principal
}

const RewindOptions = Schema.Struct({ toTurn: Turn, principal: optional(Principal) }).annotations(exact)

const ForkOptions = Schema.Struct({
  toTurn: optional(Turn),
  as: optional(Session.SessionId),
  principal: optional(Principal)
}).annotations(exact)

const checked = <A, I>(schema: Schema.Schema<A, I>, what: string) => {
  const decode = Decode.either(schema, { errors: "all" })
  return (given: unknown): Either.Either<A, InvalidRequest> =>
    Either.mapLeft(
      decode(given),
      (cause) => new InvalidRequest({ what, why: complaints(cause), fix: `Pass what ${what} takes` })
    )
}

const checkRewind = checked(RewindOptions, "rewind")
const checkFork = checked(ForkOptions, "fork")

const checkOwner = (
  { userId }: Session.Session,
  principal: Principal | undefined
): Either.Either<void, InvalidRequest> =>
  principal === undefined || userId === undefined || principal.userId === userId ? Either.void : Either.left(
    new InvalidRequest({
      what: "principal.userId",
      why: "the session belongs to another user",
      fix: "Go back in sessions of this user"
    })
  )

const loaded = (runtime: Runtime, sessionId: string): Effect.Effect<Session.Session, Failure> =>
  Effect.flatMap(
    load(runtime, sessionId, 0),
    Option.match({
      onSome: ({ session }) => Effect.succeed(session),
      onNone: () =>
        new InvalidRequest({
          what: `session "${sessionId}"`,
          why: "there is no such session",
          fix: "Pass the id of a session that has begun"
        })
    })
  )

/** The session before its first turn. */
const beginningOf = ({ definition }: Runtime, { createdAt, id }: Session.Session): Session.Session =>
  Session.make({
    id,
    now: createdAt,
    data: definition.initialData,
    definitionVersion: definition.migrations?.version
  })

/** The session as it was at the end of a turn. */
const pointOf = (
  runtime: Runtime,
  current: Session.Session,
  turn: number
): Effect.Effect<Session.Session, Failure | TurnUnavailable> => {
  const unavailable = (reason: TurnUnavailable["reason"]) =>
    new TurnUnavailable({ sessionId: current.id, turn, reason })
  if (turn === 0) return Effect.succeed(beginningOf(runtime, current))
  const { turns = [] } = current
  const past = turns.find((one) => one.turn === turn)
  if (past === undefined) {
    const first = turns[0]?.turn ?? 0
    return unavailable(
      turn < first ? "not_kept" : runtime.definition.snapshots === undefined ? "snapshots_off" : "no_such_turn"
    )
  }
  return Effect.flatMap(
    runtime.store.response(current.id, past.key),
    Option.match({
      onNone: () => unavailable("not_kept"),
      onSome: (stored): Effect.Effect<Session.Session, Unreadable | TurnUnavailable> =>
        isJsonObject(stored) && isJsonObject(stored.session) && stored.session.version === past.version
          ? decodeSession(runtime, current.id, stored.session)
          : unavailable("not_kept")
    })
  )
}

/**
 * Fails while a person has the conversation, because a rewind would hide the person's messages too; the person must
 * release the conversation first.
 */
const checkFloor = ({ handOver, id }: Session.Session): Either.Either<void, InvalidRequest> =>
  handOver?.by === undefined ? Either.void : Either.left(
    new InvalidRequest({
      what: `session "${id}"`,
      why: "a person has the floor in it",
      fix: "Release the session first, or fork it"
    })
  )

const newIds = ({ generateId }: Runtime, then: Session.Session): Effect.Effect<Rewind.Ids> =>
  Effect.map(
    Effect.forEach(Rewind.requestsOf(then), (id) => Effect.map(generateId, (renewed) => [id, renewed] as const)),
    (pairs) => new Map(pairs)
  )

/** Rewinds a session to the end of a turn, in one commit. Messages are not deleted: later ones are hidden. */
export const rewind = (
  runtime: Runtime,
  sessionId: string,
  to: number | RewindOptions
): Effect.Effect<Session.Session, TurnError | TurnUnavailable> => {
  const taken = Effect.gen(function*() {
    yield* checkId(sessionId)
    const { principal, toTurn } = yield* checkRewind(typeof to === "number" ? { toTurn: to } : to)
    const current = yield* loaded(runtime, sessionId)
    yield* checkOwner(current, principal)
    const now = yield* DateTime.now
    yield* checkClaim(current, now)
    yield* checkFloor(current)
    const then = yield* pointOf(runtime, current, toTurn)
    const session = Rewind.rewound(current, then, now, yield* newIds(runtime, then))
    yield* Store.write(runtime, session, { messages: [] })
    Store.replaced(runtime, current, session)
    const event = { _tag: "SessionRewound", turn: toTurn, version: session.version } as const
    runtime.feed.publish(sessionId, () => Schema.encodeSync(runtime.event)(event), Session.epochOf(session))
    return session
  })
  return taken.pipe(
    Effect.retry({ times: 3, while: ({ _tag }) => _tag === "SessionConflict" }),
    Store.inTime(runtime, sessionId),
    runtime.lock.withLock(sessionId, { wait: runtime.definition.timeouts.lock }),
    // Safe: reading and writing a session runs no hook.
    Effect.catchTag("HookFailure", (failure) => Effect.die(failure))
  )
}

const renumbered = (messages: ReadonlyArray<StoredMessage>): ReadonlyArray<StoredMessage> =>
  messages.map((message, i) => ({ ...message, seq: i + 1 }))

/**
 * Adds the state with which the copy starts as a turn to which the copy can be rewound, if the agent has `snapshots`.
 */
const withPoint = (
  runtime: Runtime,
  session: Session.Session,
  past: PastTurn.PastTurn | undefined
): Effect.Effect<
  { readonly session: Session.Session; readonly more: Pick<SessionWrite, "answered"> },
  InvalidRequest
> => {
  if (past === undefined || runtime.definition.snapshots === undefined) return Effect.succeed({ session, more: {} })
  const { messageCount, updatedAt: at, version } = session
  const key = PastTurn.keyOf(session)
  const kept = { ...session, turns: [{ ...past, key, version, messageCount, at }] }
  return Effect.map(Store.encodeSession(runtime, kept), (encoded) => ({
    session: kept,
    more: { answered: { messageId: key, response: { session: encoded } } }
  }))
}

/** Starts another session as a copy of this one, as it was at the end of a turn or as it is now, in one commit. */
export const fork = (
  runtime: Runtime,
  sessionId: string,
  options: ForkOptions = {}
): Effect.Effect<Session.Session, TurnError | TurnUnavailable> =>
  Effect.gen(function*() {
    yield* checkId(sessionId)
    const { as, principal, toTurn } = yield* checkFork(options)
    const current = yield* loaded(runtime, sessionId)
    yield* checkOwner(current, principal)
    const id = as ?? (yield* runtime.generateId)
    yield* checkAbsent(runtime, id)
    const now = yield* DateTime.now
    yield* checkClaim(current, now)
    const then = toTurn === undefined ? current : yield* pointOf(runtime, current, toTurn)
    const past = toTurn === undefined ? current.turns?.at(-1) : current.turns?.find(({ turn }) => turn === toTurn)
    const turn = toTurn ?? past?.turn
    const ids = yield* newIds(runtime, then)
    const copy = Rewind.forked(current, then, {
      id,
      epoch: yield* runtime.newEpoch(current.userId),
      now,
      ids,
      ...(turn !== undefined && { turn })
    })
    const { more, session } = yield* withPoint(runtime, copy, past)
    const messages = yield* Visible.upTo(runtime.store, sessionId, then)
    yield* Store.write(runtime, session, { messages: renumbered(messages), ...more })
    return session
  }).pipe(
    Store.inTime(runtime, sessionId),
    Effect.catchTag("HookFailure", (failure) => Effect.die(failure))
  )

const checkAbsent = ({ store }: Runtime, id: string): Effect.Effect<void, Failure> =>
  Effect.flatMap(
    Effect.zipRight(checkId(id), store.load(id)),
    (found) =>
      Option.isNone(found) ? Effect.void : new InvalidRequest({
        what: "as",
        why: "there is a session with this id already",
        fix: "Leave it out for a new id, or pass one that no session has"
      })
  )

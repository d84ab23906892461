/** Writes a session: always with its owner, the calls that wait for a decision, when it is due, and the version it replaces. */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { runWithin } from "../../domain/base/Deadline.js"
import { InvalidRequest, TurnTimeout } from "../../domain/base/error/Errors.js"
import type { JsonObject } from "../../domain/base/Json.js"
import { complaints } from "../../domain/fields/Fields.js"
import { openRequests, type Session } from "../../domain/session/Session.js"
import * as Transcript from "../../domain/session/Transcript.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import type { SessionWrite, WaitingCall } from "../../services/session/SessionStore.js"
import * as StoreNotifications from "../../services/session/StoreNotifications.js"
import { suspendedKey } from "../state/parts/SuspendedTurn.js"
import type { Failure, Runtime } from "../state/TurnState.js"

/** Returns new messages in their stored form, numbered after the messages that the session has. */
export const added = (
  { messageCount }: Session,
  messages: ReadonlyArray<Prompt.Message>,
  now: DateTime.Utc
): SessionWrite["messages"] => {
  const createdAt = DateTime.formatIso(now)
  return messages.map((message, i) => ({ seq: messageCount + i + 1, message: Transcript.encode(message), createdAt }))
}

/** Notifies this process that a turn or a rewind has replaced a session in which something was due. */
export const replaced = ({ features, store }: Runtime, before: Session, after: Session): void => {
  if (features.wakeAt(before) !== undefined) StoreNotifications.publish(store, { _tag: "Replaced", before, after })
}

/** Returns the request for a person to take the conversation over, if there is one. */
const wantedIn = ({ handOver }: Session): ReadonlyArray<WaitingCall> =>
  handOver === undefined || handOver.by !== undefined
    ? []
    : [{ id: "handOff", toolId: "", handOff: true, requestedAt: DateTime.formatIso(handOver.since) }]

const callsIn = ({ [suspendedKey]: suspended }: Session): ReadonlyArray<WaitingCall> =>
  suspended === undefined || suspended.claim !== undefined
    ? []
    : openRequests(suspended).filter(({ by }) => by !== "user").map(({ id, requestedAt, role, toolId }) => ({
      id,
      toolId,
      ...(role !== undefined && { role }),
      requestedAt: DateTime.formatIso(requestedAt)
    }))

/** The calls and requests of a session that wait for a person. */
export const waitingIn = (session: Session): ReadonlyArray<WaitingCall> => [...wantedIn(session), ...callsIn(session)]

const unencodable = ({ definition }: Runtime, what: string) => (cause: ParseError) =>
  new InvalidRequest({
    what,
    why: `it does not encode to JSON: ${complaints(cause, definition.excerpts)}`,
    fix:
      "Use Schemas for data and context whose encoded side is JSON, for example Schema.Date instead of Schema.DateFromSelf"
  })

/** Encodes the session for the store. */
export const encodeSession = (runtime: Runtime, session: Session): Effect.Effect<JsonObject, InvalidRequest> =>
  Effect.mapError(Schema.encode(runtime.session)(session), unencodable(runtime, "session"))

/** Encodes the response for the store. */
export const encodeResponse = (runtime: Runtime, response: TurnResponse): Effect.Effect<JsonObject, InvalidRequest> =>
  Effect.mapError(Schema.encode(runtime.response)(response), unencodable(runtime, "response"))

/** Replaces a session, together with the other parts of the same commit. */
export const write = (
  runtime: Runtime,
  session: Session,
  more: Pick<SessionWrite, "messages" | "answered" | "turnKey" | "endsTurn">
): Effect.Effect<void, Failure> =>
  Effect.flatMap(encodeSession(runtime, session), (encoded) => {
    const wakeAt = runtime.features.wakeAt(session)
    const waiting = waitingIn(session)
    const committed = runtime.store.commit({
      id: session.id,
      expectedVersion: session.version - 1,
      session: encoded,
      updatedAt: DateTime.formatIso(session.updatedAt),
      ...(waiting.length > 0 && { waiting }),
      ...more,
      ...(session.userId !== undefined && { userId: session.userId }),
      ...(wakeAt !== undefined && { wakeAt: DateTime.formatIso(wakeAt) })
    })
    return wakeAt === undefined
      ? Effect.asVoid(committed)
      : Effect.map(committed, () =>
        StoreNotifications.publish(runtime.store, { _tag: "Due", sessionId: session.id, at: wakeAt.epochMillis }))
  })

/** Writes a change of a stored session, without messages; returns the changed session. */
export const put = (runtime: Runtime, stored: Session, change: Partial<Session>): Effect.Effect<Session, Failure> => {
  const session = { ...stored, ...change, version: stored.version + 1 }
  return Effect.as(write(runtime, session, { messages: [] }), session)
}

/** Applies the store timeout to an operation outside a turn. */
export const inTime =
  (runtime: Runtime, sessionId: string) => <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<A, E | TurnTimeout> => {
    const after = runtime.definition.timeouts.store
    if (Duration.toMillis(after) === Infinity) return asked
    const passed = Effect.suspend(() => Effect.fail(new TurnTimeout({ sessionId, limit: "store", after })))
    return runWithin(asked, after, passed, Fiber.interruptFork)
  }

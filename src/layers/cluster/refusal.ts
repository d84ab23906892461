/** Typed errors for the messages that a cluster does not deliver, and the form of failures between its nodes. */
import type { AlreadyProcessingMessage, MailboxFull, PersistenceError } from "@effect/cluster/ClusterError"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { SessionBusy, SessionStoreError, SessionUnavailable } from "../../domain/base/error/Errors.js"
import type * as Protocol from "./Protocol.js"

/** The errors with which a cluster refuses a message. */
export type ClusterRefusal = MailboxFull | AlreadyProcessingMessage | PersistenceError | Undelivered

/** A call that has died: the message may have reached a node. */
class Undelivered extends Data.TaggedError("Undelivered") {}

/**
 * True if a message or its answer does not fit its Schema: no owner can answer it. Compares the name of the error,
 * because the defect may come from another process.
 */
const isMalformed = (defect: unknown): boolean =>
  defect instanceof Error && (defect.name === "ParseError" || defect.name === "MalformedMessage")

const undelivered = (defect: unknown): Effect.Effect<never, Undelivered> =>
  isMalformed(defect)
    ? Effect.die(defect)
    : Effect.zipRight(
      Effect.logWarning(`A message to the owner of a session died, and the owner counts as lost: ${reasonOf(defect)}`),
      Effect.fail(new Undelivered())
    )

/**
 * Converts the defect of a call to a failure. In `@effect/cluster` 0.60 a call dies when the socket to its node breaks
 * while the message is written. Defects of the handlers are not converted here: they are returned as `Died`.
 */
export const delivering = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | Undelivered, R> =>
  Effect.catchAllDefect(call, undelivered)

/** Sends a message again if its call has died. Only for messages that may arrive twice. */
export const resending = <A, E, R>(call: Effect.Effect<A, E, R>): Effect.Effect<A, E | Undelivered, R> =>
  Effect.retry(delivering(call), {
    while: (error) => error instanceof Undelivered,
    times: 10,
    schedule: Schedule.spaced("100 millis")
  })

/** Converts the defect of a call with a stream to a failure. */
export const deliveringStream = <A, E, R>(call: Stream.Stream<A, E, R>): Stream.Stream<A, E | Undelivered, R> =>
  Stream.catchAllCause(call, (cause) => Stream.fromEffect(delivering(Effect.failCause(cause))))

/** The error if the session's owner left before it answered. */
export const ownerLost = (sessionId: string): SessionUnavailable =>
  new SessionUnavailable({ sessionId, reason: "owner_lost" })

/** Returns the error of the agent for a message that the cluster refused. */
export const refusal =
  (sessionId: string) => (error: ClusterRefusal): SessionBusy | SessionStoreError | SessionUnavailable => {
    switch (error._tag) {
      case "MailboxFull":
        return new SessionBusy({ sessionId, after: Duration.zero })
      case "AlreadyProcessingMessage":
      case "Undelivered":
        return ownerLost(sessionId)
      case "PersistenceError":
        return new SessionStoreError({
          operation: "the storage of messages",
          why: reasonOf(error.cause),
          cause: error.cause
        })
    }
  }

/** Encodes the failure of an effect. A defect becomes a failure, so that the cluster does not deliver the call again. */
export const told = <A, R>(effect: Effect.Effect<A, unknown, R>): Effect.Effect<A, Protocol.Failure, R> =>
  Effect.catchAllDefect(
    Effect.mapError(effect, (error): Protocol.Failure => ({ _tag: "Failed", error })),
    (defect) => Effect.fail({ _tag: "Died", defect } as const)
  )

/** Like `told`, for a stream. An interruption stays an interruption. */
export const toldStream = <A, R>(stream: Stream.Stream<A, unknown, R>): Stream.Stream<A, Protocol.Failure, R> =>
  Stream.catchAllCause(stream, (cause) => {
    if (Cause.isInterruptedOnly(cause)) return Stream.fromEffect(Effect.interrupt)
    return Stream.fail(
      Option.match(Cause.failureOption(cause), {
        onNone: (): Protocol.Failure => ({ _tag: "Died", defect: Cause.squash(cause) }),
        onSome: (error) => ({ _tag: "Failed", error })
      })
    )
  })

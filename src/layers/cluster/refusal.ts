/** Typed errors for the messages that a cluster does not deliver. */
import type { AlreadyProcessingMessage, MailboxFull, PersistenceError } from "@effect/cluster/ClusterError"
import * as Duration from "effect/Duration"
import { reasonOf } from "../../domain/base/error/ErrorMessage.js"
import { SessionBusy, SessionStoreError, SessionUnavailable } from "../../domain/base/error/Errors.js"

/** The errors with which a cluster refuses a message. */
export type Refused = MailboxFull | AlreadyProcessingMessage | PersistenceError

/** The session's owner left before it answered. */
export const ownerLost = (sessionId: string): SessionUnavailable =>
  new SessionUnavailable({ sessionId, reason: "owner_lost" })

/** Returns the error of the agent for a message that the cluster refused. */
export const refusal =
  (sessionId: string) => (error: Refused): SessionBusy | SessionStoreError | SessionUnavailable => {
    switch (error._tag) {
      case "MailboxFull":
        return new SessionBusy({ sessionId, after: Duration.zero })
      case "AlreadyProcessingMessage":
        return ownerLost(sessionId)
      case "PersistenceError":
        return new SessionStoreError({
          operation: "the storage of messages",
          why: reasonOf(error.cause),
          cause: error.cause
        })
    }
  }

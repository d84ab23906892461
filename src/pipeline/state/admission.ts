/** Checks whether an input may be applied to a session. */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { InvalidRequest, SessionConflict } from "../../domain/base/error/Errors.js"
import type { Session } from "../../domain/session/Session.js"
import { suspendedKey } from "./parts/SuspendedTurn.js"

/**
 * Refuses any input while another turn runs approved calls, because the results of these calls belong to the session as
 * it is.
 */
export const checkClaim = (
  { id, [suspendedKey]: suspended, version }: Session,
  now: DateTime.Utc
): Either.Either<void, SessionConflict> => {
  const claim = suspended?.claim
  return claim !== undefined && DateTime.lessThan(now, claim.until)
    ? Either.left(new SessionConflict({ sessionId: id, expected: version, actual: version }))
    : Either.void
}

/** The error for a session that does not exist yet. */
export const notBegun = (id: string): InvalidRequest =>
  new InvalidRequest({
    what: `session "${id}"`,
    why: "nobody has begun it",
    fix: "Pass the id of a session that is stored"
  })

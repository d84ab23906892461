/** Checks whether an input may be applied to a session. */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { InvalidRequest, SessionConflict } from "../../domain/base/error/Errors.js"
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { Session } from "../../domain/session/Session.js"
import { type Decision, type Input, isOfUser } from "./Input.js"
import { notWaiting, suspendedIn, suspendedKey, type SuspendedTurn } from "./parts/SuspendedTurn.js"

/**
 * Returns the owner of the session. The owner is set when a user first identifies themselves and never changes: a
 * message of another user is refused. The person who decides about a call need not be the owner.
 */
export const ownerOf = (stored: Session, input: Input): Either.Either<string | undefined, InvalidRequest> => {
  const named = input.metadata?.userId
  const claims = [
    typeof named === "string" ? named : undefined,
    isOfUser(input) ? input.principal?.userId : undefined
  ].filter((one) => one !== undefined)
  const owner = stored.userId ?? claims[0]
  return claims.every((claim) => claim === owner)
    ? Either.right(owner)
    : Either.left(
      new InvalidRequest({
        what: claims[0] === owner ? "principal.userId" : "userId",
        why: "the session belongs to another user",
        fix: "Begin a session of their own for each user, with an id that no other user can name"
      })
    )
}

/** Accepts a request to begin a conversation only for a session without messages and without a suspended turn. */
export const beginningOf = (
  session: Session,
  input: Input
): Either.Either<{ readonly begins?: true }, InvalidRequest> => {
  if (input._tag !== "Begin") return Either.right({})
  return RewoundRange.countAfter(session, 0) === 0 && suspendedIn(session) === undefined ?
    Either.right({ begins: true }) :
    Either.left(
      new InvalidRequest({
        what: "begin",
        why: "the session has already begun in another way",
        fix: "Begin a session before its first message, or read what was said from its history"
      })
    )
}

/** Returns the suspended turn that a decision is about. */
export const decidable = (
  session: Session | undefined,
  { request }: Decision
): Either.Either<SuspendedTurn, InvalidRequest> => {
  const suspended = session && suspendedIn(session)
  return suspended?.requests.some(({ callId, id }) => id === request || callId === request) === true
    ? Either.right(suspended)
    : Either.left(notWaiting(request))
}

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

/** Lists the calls and the requests for a hand-over that wait for a person, in all sessions. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import type { TurnError } from "../../../domain/base/error/Errors.js"
import { optional } from "../../../domain/fields/Fields.js"
import * as Decode from "../../../domain/fields/schema/Decode.js"
import { HandOver } from "../../../domain/session/HandOver.js"
import { ApprovalRequest, mayDecide } from "../../../domain/session/PendingApproval.js"
import type { Principal } from "../../../domain/session/TurnRequest.js"
import type { Page, WaitingCall, WaitingSession } from "../../../services/session/SessionStore.js"
import type { Runtime } from "../../state/TurnState.js"

/** A query for one page of pending approvals. */
export interface Query {
  /** Only the sessions of this user. Default: all sessions. */
  readonly userId?: string
  /** The `next` of the page before. */
  readonly cursor?: string
  /** Maximum number of sessions in the page: at most 200. Default 50. */
  readonly limit?: number
  /**
   * The person who asks, as the application has authenticated them. The arguments of a call that requires a role are
   * shown only to principals with that role. Without a principal, only calls that require no role show their arguments.
   */
  readonly principal?: Principal
}

/**
 * A call that waits for a person, with its arguments, reason and question, and whether the arguments may be edited. If
 * the call requires a role, these are shown only to principals with that role. A hand-over that waits for a person has
 * only a reason.
 */
interface WaitingApproval
  extends
    WaitingCall,
    Partial<Pick<ApprovalRequest, "args" | "callId" | "editable" | "origins" | "question" | "reason" | "requestedBy">>
{
  /** The time from which it can no longer be approved, as ISO 8601 in UTC. */
  readonly expiresAt?: string
}

/** A session with calls that wait for a person. */
export interface WaitingApprovals extends WaitingSession {
  /** Id of the session of which this one is a copy. */
  readonly forkedFrom?: string
  readonly waiting: ReadonlyArray<WaitingApproval>
}

/** Maximum number of sessions in a page. */
const pageSize = 200

/**
 * Lists pending approvals. Their details are read from the sessions, which a store may have encrypted; the index of a
 * store does not contain them.
 */
export const approvals = (
  { store }: Runtime,
  { limit = 50, principal, ...query }: Query = {}
): Effect.Effect<Page<WaitingApprovals>, TurnError> =>
  Effect.flatMap(store.waiting({ ...query, limit: Math.min(pageSize, limit) }), ({ items, ...page }) =>
    Effect.map(
      Effect.forEach(items, (one) => Effect.map(requestsOf(store, one), detailed(one, principal)), { concurrency: 8 }),
      (items) => ({ ...page, items })
    ))

/** The calls of a session that wait for a decision, the session that it was copied from, and the reason why a person should take the conversation over. */
const Requested = Schema.Struct({
  pendingApproval: optional(Schema.Struct({ requests: Schema.Array(ApprovalRequest) })),
  handOver: optional(Schema.Struct(Struct.pick(HandOver.fields, "reason"))),
  forkedFrom: optional(Schema.Struct({ sessionId: Schema.String }))
})

const requestedOf = Decode.either(Requested)

/**
 * Returns the calls of a session that wait for a decision, and its hand-over; empty if the session was deleted
 * meanwhile.
 */
const requestsOf = (store: Runtime["store"], { id }: WaitingSession): Effect.Effect<typeof Requested.Type, TurnError> =>
  Effect.map(store.load(id), (stored) =>
    Option.getOrElse(
      Option.flatMap(stored, ({ session }) => Option.getRight(requestedOf(session))),
      () => ({})
    ))

const detailed =
  (session: WaitingSession, principal: Principal | undefined) =>
  ({ forkedFrom, handOver, pendingApproval }: typeof Requested.Type): WaitingApprovals => ({
    ...session,
    ...(forkedFrom !== undefined && { forkedFrom: forkedFrom.sessionId }),
    waiting: session.waiting.map((call) => {
      if (call.handOff === true) return { ...call, ...handOver }
      const request = pendingApproval?.requests.find(({ id }) => id === call.id)
      // Decided by the session as it is now, because it may have changed since the page was read.
      return request === undefined || !mayDecide(request, principal?.roles) ? call : { ...call, ...shown(request) }
    })
  })

/** The details of a request that are shown to a person who may decide it. */
const shown = ({ expiresAt, ...request }: ApprovalRequest): Partial<WaitingApproval> => ({
  ...Struct.pick(request, "args", "callId", "reason", "question", "editable", "origins", "requestedBy"),
  ...(expiresAt !== undefined && { expiresAt: DateTime.formatIso(expiresAt) })
})

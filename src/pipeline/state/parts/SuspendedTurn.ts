/**
 * A turn that is suspended in its session, because calls of its last round wait for a decision. Stored sessions, events, logs
 * and tools call this an approval; the phases use the names of this file.
 */
import type { ToolContext } from "../../../domain/authored/Tool.js"
import { InvalidRequest } from "../../../domain/base/error/Errors.js"
import type { Values } from "../../../domain/definition/Definition.js"
import type { ApprovalRequest, PendingApproval, Session } from "../../../domain/session/Session.js"
import { checkKey } from "../../../domain/session/TurnRequest.js"
import type { Fact } from "../../../domain/turn/TurnRecord.js"
import type { ApprovalNeeded, ToolResult } from "../../../services/tool/ToolExecutor.js"

export { bind, check as checkDecision, type Decision } from "../../../domain/session/Approval.js"
export { approvalNeeded as decisionNeeded } from "../../../services/tool/ToolExecutor.js"

export type SuspendedTurn = PendingApproval

/** A call that waits for a decision. */
export type Request = ApprovalRequest

/** The outcome of a call that somebody must decide before it runs. */
export type SuspendedCall = ApprovalNeeded

/** The outcome of a call: its result, or what must be decided first. */
export type CallOutcome = ToolResult | SuspendedCall

/** The property of a session that has its suspended turn. */
export const suspendedKey = "pendingApproval" satisfies keyof Session

/** Returns the session with another suspended turn, or without one. */
export const withSuspended = ({ pendingApproval: _, ...session }: Session, suspended?: SuspendedTurn): Session =>
  suspended === undefined ? session : { ...session, pendingApproval: suspended }

const fix = "Pass the id of one of the last response's approvals"

/** Checks the id of a request. */
export const checkRequest = (id: string): ReturnType<typeof checkKey> => checkKey("approval", id, fix)

/** The error for a decision about a call that does not wait. */
export const notWaiting = (request: string): InvalidRequest =>
  new InvalidRequest({
    what: `call "${request}"`,
    why: "no call with this id waits for a decision in this session: it was decided, or cancelled by a new message",
    fix
  })

/** The fact that a call waits for a decision. */
export const requested = (request: Request): Fact => ({ _tag: "ApprovalRequested", request })

/** The decision about a call, as a property of the context that the tool's checks and handler get. */
export const decidedBy = (
  { by, id, reason }: SuspendedTurn["decisions"][number]
): Pick<ToolContext<Values, Values>, "approval"> => ({
  approval: {
    id,
    ...(by !== undefined && { by }),
    ...(reason !== undefined && { reason })
  }
})

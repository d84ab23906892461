/** A turn that is suspended in its session, because calls of its last round wait for a decision. */
import type { PendingApproval, Session } from "../../../domain/session/Session.js"

export type SuspendedTurn = PendingApproval

/** Returns the suspended turn of a session, if there is one. */
export const suspendedIn = ({ pendingApproval }: Session): SuspendedTurn | undefined => pendingApproval

/** Returns the session with another suspended turn, or without one. */
export const withSuspended = ({ pendingApproval: _, ...session }: Session, suspended?: SuspendedTurn): Session =>
  suspended === undefined ? session : { ...session, pendingApproval: suspended }

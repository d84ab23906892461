/** Removal of obsolete timers from a session. */
import * as Timer from "../../directive/Timer.js"
import type { Session } from "../Session.js"

/**
 * Returns the session without obsolete timers: timers of positions that the session has left, timers of a wait for a
 * person that is over, and timers refused by `keeps`.
 */
export const timed = (
  { timers, ...session }: Session,
  keeps: (timer: Timer.Timer) => boolean = () => true
): Session => {
  const kept = Timer.kept(timers === undefined ? session : { ...session, timers }).filter(keeps)
  return kept.length === 0 ? session : { ...session, timers: kept }
}

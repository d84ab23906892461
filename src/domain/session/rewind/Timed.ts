/**
 * A session without the timers that have no use any more.
 *
 * @since 0.2.0
 */
import * as Timer from "../../directive/Timer.js"
import type { Session } from "../Session.js"

/**
 * The session without the timers that it has no use for: those of places that were left and of a wait that is over, and
 * those that `keeps` refuses.
 *
 * @since 0.1.0
 * @category transitions
 */
export const timed = (
  { timers, ...session }: Session,
  keeps: (timer: Timer.Timer) => boolean = () => true
): Session => {
  const kept = Timer.kept(timers === undefined ? session : { ...session, timers }).filter(keeps)
  return kept.length === 0 ? session : { ...session, timers: kept }
}

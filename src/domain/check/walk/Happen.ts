/**
 * Walks a turn for an event or timer.
 *
 * @since 0.1.0
 */
import * as Choosing from "../../walk/choose.js"
import { decided, Supposed } from "../Supposed.js"
import type { Heard } from "./Hearing.js"
import { apply } from "./Moves.js"
import type { Choose, Outcome, Path, World } from "./Path.js"
import { hasSpoken, type Place } from "./Position.js"
import { converse, go } from "./Walk.js"
import { Walker } from "./Walker.js"

/**
 * Walks a turn for an event or timer, like `phases/handleEvent`: the conversation continues if the handler moved it, or
 * if the value that its step waited for is now known.
 */
export const happen = (world: World, from: Place, heard: Heard) => (choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  // Without a message, no condition in words can hold.
  walker.spent = true
  const waits = isWaiting(walker)
  const ended = handle(walker, heard)
  if (ended !== undefined) return walker.end(ended)
  const goesOn = walker.moves > 0 || (waits && !wouldHold(walker))
  return walker.flow >= 0 && goesOn ? converse(walker) : walker.end({ _tag: "Waits", place: walker.place() })
}

/** Walks the handler. Returns the outcome if it ends the turn. */
const handle = (walker: Walker, { code, then }: Heard): Outcome | undefined => {
  if (then !== undefined) return apply(walker, then)
  if (code === undefined) return undefined
  const moved = walker.run([code])
  const replies = moved === undefined && walker.mayReply(code)
  if (replies) return { _tag: "Waits", place: walker.place() }
  return moved === undefined ? undefined : go(walker, moved)
}

/** True if the current step has spoken and waits for a value or predicate. */
const isWaiting = (walker: Walker): boolean => {
  const { currentStep: step } = walker
  if (step === undefined || !hasSpoken(walker)) return false
  return step.collect.length > 0 || step.until !== undefined || wouldHold(walker)
}

/** True if the walk would stay. Observations made on the way are discarded. */
const wouldHold = (walker: Walker): boolean => {
  if (walker.flow < 0) return true
  const before = walker.sights.length
  const holds = decided(Choosing.wouldHold(new Supposed(walker), walker.currentFlow))
  walker.sights.length = before
  return holds
}

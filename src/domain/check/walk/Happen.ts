/**
 * What comes of something that happens without a message.
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
 * Something happens without a message, as `phases/notice` takes it: the conversation goes on when the handler has moved it,
 * or when what its step waited for in code has come.
 */
export const happen = (world: World, from: Place, heard: Heard) => (choose: Choose): Path => {
  const walker = new Walker(world, from, choose)
  // No condition in words is judged.
  walker.spent = true
  const waits = isWaiting(walker)
  const ended = handle(walker, heard)
  if (ended !== undefined) return walker.end(ended)
  const goesOn = walker.moves > 0 || (waits && !wouldHold(walker))
  return walker.flow >= 0 && goesOn ? converse(walker) : walker.end({ _tag: "Waits", place: walker.place() })
}

/** What the handler does. Returns the outcome when the turn is over by it. */
const handle = (walker: Walker, { code, then }: Heard): Outcome | undefined => {
  if (then !== undefined) return apply(walker, then)
  if (code === undefined) return undefined
  const moved = walker.run([code])
  const replies = moved === undefined && walker.mayReply(code)
  if (replies) return { _tag: "Waits", place: walker.place() }
  return moved === undefined ? undefined : go(walker, moved)
}

/** Whether the current step has spoken and waits for what code can tell. */
const isWaiting = (walker: Walker): boolean => {
  const { currentStep: step } = walker
  if (step === undefined || !hasSpoken(walker)) return false
  return step.collect.length > 0 || step.until !== undefined || wouldHold(walker)
}

/** Whether the walk would go nowhere. What is seen on the way to the answer was not walked. */
const wouldHold = (walker: Walker): boolean => {
  if (walker.flow < 0) return true
  const before = walker.sights.length
  const holds = decided(Choosing.wouldHold(new Supposed(walker), walker.currentFlow))
  walker.sights.length = before
  return holds
}

/**
 * Applies directives in this order: clears fields, writes, moves, runs the hooks of the writes, changes timers and
 * jobs, and replies.
 */
import * as Directive from "../directive/Directive.js"
import type { DirectivePhase } from "../turn/TurnResponse.js"
import { askAgain, type ForgottenBy, passOver } from "./givers.js"
import type { Acts, Emission, Flow, Rule, Step } from "./Ground.js"
import { abort, complete, leaveFor, walkAnew } from "./leave.js"
import { countMove } from "./limits.js"

/** Merges and applies the directives emitted in a phase; returns true if the conversation moved. */
export function* applyDirectives<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  phase: DirectivePhase
): Rule<boolean, E> {
  const emissions = acts.drain()
  if (emissions.length === 0) return false
  const merged = yield* acts.accept(phase, emissions)
  const to = Directive.position(merged)
  const isLater = isPostponed(phase, to)
  // A move that is postponed to the next turn takes its data with it.
  const writes = isLater ? merged.dataUpdate ?? {} : Directive.dataOf(merged)
  yield* forget(acts, [...clearedBy(acts, emissions), ...emptied(writes)], "cleared by a directive", "code")
  // Written before the move, so that the hooks of the left flow see the values; and again afterwards, because the move
  // may clear them.
  acts.writeWithoutHooks(writes, merged.contextUpdate ?? {})
  if (isLater) yield* acts.postpone(to, merged)
  const moved = !isLater && (yield* move(acts, phase, to, merged, isMatched(emissions, merged)))
  yield* acts.write(writes, merged)
  yield* acts.schedule(merged)
  if (merged.reply !== undefined) yield* acts.say(merged.reply)
  // Hooks on writes may emit further directives, which belong to the same phase.
  return (yield* applyDirectives(acts, phase)) || moved
}

/** True for a move by a signal after the reply: it is postponed to the next turn. */
const isPostponed = (phase: DirectivePhase, to: Directive.Position | undefined): to is Directive.Move =>
  phase === "signal-post" && (to?._tag === "GoTo" || to?._tag === "Reset")

/** True if the position of the merged directive comes from a branch that was matched by its `when`. */
const isMatched = (emissions: ReadonlyArray<Emission>, merged: Directive.Directive): boolean =>
  emissions.some(({ directive, matched }) =>
    matched === true && Directive.position(directive) !== undefined && Directive.wins(directive, merged)
  )

/**
 * Returns the fields to clear. A branch matched by its `when` does not clear values that the message states; code
 * clears all fields that it names.
 */
export const clearedBy = <T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Pick<Acts<T, S, F, E>, "unstated">,
  emissions: ReadonlyArray<Emission>
): ReadonlyArray<string> =>
  Array.from(
    new Set(emissions.flatMap(({ directive, matched = false }) => {
      const anyway = Directive.cleared(directive, () => matched)
      const others = Directive.cleared(directive).filter((name) => !anyway.includes(name))
      return others.length === 0 ? anyway : [...anyway, ...acts.unstated(others)]
    }))
  )

/** Returns the fields to which undefined is written. */
const emptied = (writes: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  Object.keys(writes).filter((name) => writes[name] === undefined)

/** Clears known fields. If a step of the flow gives one of them, the conversation goes back to that step. */
export function* forget<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  names: ReadonlyArray<string>,
  reason: string,
  by: ForgottenBy
): Rule<void, E> {
  if (names.length === 0) return
  const flow = acts.flow()
  const { step: current } = acts.standing()
  const gone = yield* acts.forget(names, reason)
  if (flow !== undefined) yield* askAgain(acts, flow, current, gone, by)
}

/** Moves the conversation, after the hooks of the steps and flows that it leaves; returns true if it moved. */
function* move<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  phase: DirectivePhase,
  to: Directive.Position | undefined,
  { reply = "" }: Directive.Directive,
  matched: boolean
): Rule<boolean, E> {
  if (to === undefined) return false
  // Without an active flow, `reset` has no effect: the turn continues.
  if (to._tag === "Reset" && acts.flow() === undefined) return false
  if (to._tag === "HandOff") {
    yield* acts.handOff(to.reason)
    return false
  }
  yield* countMove(acts)
  if (phase === "pending") acts.decide()
  // `complete` and `abort` name no target: routing, if it still follows, decides the next position.
  if (to._tag === "Complete") return yield* complete(acts, to.next)
  if (to._tag === "Abort") yield* abort(acts, to)
  else yield* goTo(acts, to, reply, matched)
  return true
}

function* goTo<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  to: Directive.Move,
  reply: string,
  matched: boolean
): Rule<void, E> {
  // Checked before any hook runs, so that an invalid target does not lead to half a move.
  yield* acts.check(to)
  yield* leaveFor(acts, to)
  const flow = acts.flow()
  const { step: from } = acts.standing()
  yield* acts.place(to, matched)
  const { step } = acts.standing()
  if (step !== undefined && acts.flow() === flow) {
    if (flow !== undefined && from !== undefined) passOver(acts, flow, from, step)
    walkAnew(acts, step)
  }
  if (acts.hasSaid() || reply.trim() !== "") acts.endMoved(to._tag === "Reset" ? "reset" : "goto")
}

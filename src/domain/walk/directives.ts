/**
 * Applies a directive, in this order: it forgets, writes, moves, tells the hooks of the writes, sets timers and jobs, and
 * replies.
 *
 * @since 0.2.0
 */
import type * as Eager from "../base/Eager.js"
import * as Directive from "../directive/Directive.js"
import type { DirectivePhase } from "../turn/TurnResponse.js"
import type { Acts, Emission, Flow, Step } from "./Ground.js"
import { abort, complete, leaveFor, returnTo } from "./leave.js"
import { countMove } from "./limits.js"

/** Merges and applies what was emitted in a phase. Gives whether the conversation moved. */
export function* applyDirectives<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  phase: DirectivePhase
): Eager.Steps<boolean, E> {
  const emissions = yield* acts.drain()
  if (emissions.length === 0) return false
  const merged = Directive.mergeAll(emissions.map(({ directive }) => directive))
  yield* acts.accept(phase, emissions, merged)
  const to = Directive.position(merged)
  const waits = isPostponed(phase, to)
  // The data of a move that waits for the next turn waits with it.
  const writes = waits ? merged.dataUpdate ?? {} : Directive.dataOf(merged)
  yield* forget(acts, clearedBy(acts, emissions), "cleared by a directive")
  // Before the move, for the hooks of what it leaves; after it, so that nothing it clears takes the writes along.
  acts.lay(writes, merged.contextUpdate ?? {})
  if (waits) yield* acts.postpone(to!, merged)
  const moved = to !== undefined && !waits && (yield* move(acts, phase, to, merged, isMatched(emissions, merged)))
  yield* acts.write(writes, merged)
  yield* acts.schedule(merged)
  if (merged.reply !== undefined) yield* acts.say(merged.reply)
  // Hooks on writes may emit in their turn; what they emit belongs to the same phase.
  return (yield* applyDirectives(acts, phase)) || moved
}

/** After the answer a signal may not move the conversation: the next turn begins with it. */
const isPostponed = (phase: DirectivePhase, to: Directive.Position | undefined): boolean =>
  phase === "signal-post" && (to?._tag === "GoTo" || to?._tag === "Reset")

/** Whether the position that won is of a branch that the message's words met. */
const isMatched = (emissions: ReadonlyArray<Emission>, merged: Directive.Directive): boolean =>
  emissions.some(({ directive, matched }) =>
    matched === true && Directive.position(directive) !== undefined && Directive.wins(directive, merged)
  )

/** A branch that the message's words met does not forget what the message states; code forgets whatever it names. */
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

/** Forgets fields that are known. What the flow requires of them is asked for again. */
export function* forget<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  names: ReadonlyArray<string>,
  reason: string
): Eager.Steps<void, E> {
  if (names.length === 0) return
  const flow = acts.flow()
  const { step: current } = acts.standing()
  const gone = yield* acts.forget(names, reason)
  const needed = flow?.requiredFields.filter((name) => gone.includes(name)) ?? []
  if (needed.length > 0) yield* askAgain(acts, flow!, current, needed)
}

/** The conversation goes back to the first step that asks for one of the fields, if it is past that. */
export function* askAgain<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  flow: F,
  current: S | undefined,
  names: ReadonlyArray<string>
): Eager.Steps<void, E> {
  const asking = flow.steps.find(({ collect }) => collect.some((name) => names.includes(name)))
  if (asking !== undefined && current !== undefined && asking.index < current.index) yield* returnTo(acts, asking)
}

/** Moves the conversation. Leaving a flow runs its own hooks first. */
function* move<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  phase: DirectivePhase,
  to: Directive.Position,
  { reply = "" }: Directive.Directive,
  matched: boolean
): Eager.Steps<boolean, E> {
  // Without a flow there is nothing to begin again: the turn goes on as if nothing had been said.
  if (to._tag === "Reset" && acts.flow() === undefined) return false
  if (to._tag === "HandOff") {
    yield* acts.handOff(to.reason)
    return false
  }
  yield* countMove(acts)
  if (phase === "pending") acts.decide()
  // Leaving says nothing of where to go: routing, which may come after it, decides that.
  if (to._tag === "Complete") return yield* complete(acts, to.next)
  if (to._tag === "Abort") yield* abort(acts, to)
  else yield* goTo(acts, to, reply, matched)
  return true
}

function* goTo<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  to: Directive.Position,
  reply: string,
  matched: boolean
): Eager.Steps<void, E> {
  // Checked before any hook runs, so that a wrong target leaves no trace of half a move.
  yield* acts.check(to)
  yield* leaveFor(acts, to)
  yield* acts.place(to, matched)
  if (acts.hasSaid() || reply !== "") acts.endMoved(to._tag === "Reset" ? "reset" : "goto")
}

/**
 * Phase 5: which flow has the floor.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import * as Transition from "../../domain/Transition.js"
import { runHook } from "../callbacks.js"
import { leaveStep } from "../leave.js"
import { settle } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { currentFlow, get, given, isDirected, set, tell } from "../TurnState.js"
import type { Understood } from "./understand.js"

/**
 * The best score at or above the threshold wins; the active flow keeps the floor unless it is beaten by the margin.
 *
 * @since 0.1.0
 * @category phases
 */
export const route = (turn: Understood): Effect.Effect<Opened, Failure> =>
  Effect.gen(function*() {
    if (isDirected(turn)) return turn
    const active = currentFlow(turn, get(turn).session)
    const target = pick(turn, active)
    if (target === undefined) return turn
    if (active !== undefined) yield* interrupt(turn, active)
    set(turn, { session: Transition.enter(get(turn).session, target, turn.now, given(turn)) })
    if (get(turn).session.currentFlow?.pending !== true) {
      yield* tell(turn, { _tag: "FlowEntered", flowId: target.id, title: target.title, resumed: true })
    }
    return turn
  })

const pick = (turn: Understood, active: CompiledFlow | undefined): CompiledFlow | undefined => {
  const { flowSwitchMargin, flowThreshold } = turn.runtime.definition
  const scoreOf = ({ id }: CompiledFlow) => Object.hasOwn(turn.flowScores, id) ? turn.flowScores[id] ?? 0 : 0
  const others = turn.candidates.filter((flow) => flow !== active)
  const best = others.reduce<CompiledFlow | undefined>(
    (top, flow) => top === undefined || scoreOf(flow) > scoreOf(top) ? flow : top,
    undefined
  )
  if (best === undefined) return undefined
  if (active === undefined && others.length === 1 && best.when.length === 0) return best
  if (scoreOf(best) < flowThreshold) return undefined
  return active === undefined || scoreOf(best) - scoreOf(active) >= flowSwitchMargin ? best : undefined
}

/** The active flow waits on the stack, or is dropped if it says so. */
const interrupt = (turn: Understood, active: CompiledFlow): Effect.Effect<void, Failure> =>
  Effect.gen(function*() {
    if (active.onInterrupt === "suspend") {
      return set(turn, { session: Transition.suspend(get(turn).session, turn.now) })
    }
    yield* leaveStep(turn)
    yield* runHook(turn, `flow:${active.id}.onExit`, active.onExit)
    yield* settle(turn, "pre")
    set(turn, { session: Transition.leave(get(turn).session, turn.now, false) })
  })

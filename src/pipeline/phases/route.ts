/**
 * Phase 5: which flow has the floor.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import * as Transition from "../../domain/Transition.js"
import { leaveStep } from "../leave.js"
import { settle } from "../settle.js"
import type { Failure } from "../TurnState.js"
import { currentFlow, emit, get, given, runHook, update } from "../TurnState.js"
import type { Understood } from "./understand.js"

/**
 * The best score at or above the threshold wins; the active flow keeps the floor unless it is beaten by the margin.
 *
 * @since 0.1.0
 * @category phases
 */
export const route = (turn: Understood): Effect.Effect<Understood, Failure> =>
  Effect.gen(function*() {
    if (turn.directed) return turn
    const { session } = yield* get(turn)
    const active = currentFlow(turn, session)
    const target = pick(turn, active)
    if (target === undefined) return turn
    if (active !== undefined) yield* interrupt(turn, active)
    yield* update(turn, (draft) => ({ session: Transition.enter(draft.session, target, turn.now, given(draft)) }))
    const after = (yield* get(turn)).session.currentFlow
    if (after?.pending !== true) {
      yield* emit(turn, { _tag: "FlowEntered", flowId: target.id, title: target.title, resumed: true })
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
  active.onInterrupt === "suspend"
    ? update(turn, ({ session }) => ({ session: Transition.suspend(session, turn.now) }))
    : Effect.gen(function*() {
      yield* leaveStep(turn)
      yield* runHook(turn, `flow:${active.id}.onExit`, active.onExit)
      yield* settle(turn, "pre")
      yield* update(turn, (draft) => ({ session: Transition.leave(draft.session, turn.now, false) }))
    })

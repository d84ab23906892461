/**
 * Phase 5: which flow has the floor.
 *
 * @since 0.1.0
 */
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import * as Now from "../../domain/Now.js"
import * as Transition from "../../domain/Transition.js"
import { remember } from "../agenda.js"
import { contextOf, runHook } from "../callbacks.js"
import { reconsider } from "../corrections.js"
import { completeFlow, ended, leaveStep, takeFloor } from "../leave.js"
import { settle } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { currentFlow, currentStep, get, given, isDirected, set, tell } from "../TurnState.js"
import type { Understood } from "./understand.js"

/**
 * The best score at or above the threshold wins; the active flow keeps the floor unless it is beaten by the margin. When
 * no flow has the floor, the one that was suspended last goes on.
 *
 * @since 0.1.0
 * @category phases
 */
export const route = Now.fn(function*(turn: Understood): Now.Steps<Opened, Failure> {
  const active = currentFlow(turn, get(turn).session)
  const decides = !isDirected(turn)
  const target = decides ? pick(turn, active) : undefined
  if (decides) remember(turn, losers(turn, active, target))
  if (target !== undefined) yield* enter(turn, target, active)
  set(turn, { routed: true })
  ended(turn, [])
  if (decides) yield* reconsider(turn)
  yield* takeFloor(turn)
  return turn
})

const enter = Now.fn(function*(
  turn: Understood,
  target: CompiledFlow,
  active: CompiledFlow | undefined
): Now.Steps<void, Failure> {
  if (active !== undefined) yield* interrupt(turn, active, target)
  const { session } = get(turn)
  const keep = new Set([...given(turn), ...Transition.fieldsOfWaiting(turn.runtime.definition.flows, session)])
  set(turn, { session: Transition.enter(session, target, turn.now, keep) })
  if (get(turn).session.currentFlow?.pending !== true) {
    yield* tell(turn, { _tag: "FlowEntered", flowId: target.id, title: target.title, resumed: true })
  }
})

const scored = ({ flowScores }: Understood) => ({ id }: CompiledFlow): number =>
  Object.hasOwn(flowScores, id) ? flowScores[id] ?? 0 : 0

/** The flows that the message may ask for. What it has left is not among them. */
const othersThan = (turn: Understood, active: CompiledFlow | undefined): ReadonlyArray<CompiledFlow> => {
  const { abortedFlows, completedFlows } = get(turn).record
  const left = new Set([...completedFlows, ...abortedFlows.map(({ flowId }) => flowId)])
  return turn.candidates.filter((flow) => flow !== active && !left.has(flow.id))
}

/** The flows that the message asks for too, the best first; those that wait anyway left out. */
const losers = (
  turn: Understood,
  active: CompiledFlow | undefined,
  winner: CompiledFlow | undefined
): ReadonlyArray<CompiledFlow> => {
  const { agenda, flowThreshold } = turn.runtime.definition
  const { suspended } = get(turn).session
  const scoreOf = scored(turn)
  return !agenda ? [] : othersThan(turn, active)
    .filter((flow) =>
      flow !== winner && scoreOf(flow) >= flowThreshold && !suspended.some((one) => one.flow.id === flow.id)
    )
    .toSorted((a, b) => scoreOf(b) - scoreOf(a))
}

const pick = (turn: Understood, active: CompiledFlow | undefined): CompiledFlow | undefined => {
  const { flowSwitchMargin, flowThreshold } = turn.runtime.definition
  const scoreOf = scored(turn)
  const others = othersThan(turn, active)
  const best = others.reduce<CompiledFlow | undefined>(
    (top, flow) => top === undefined || scoreOf(flow) > scoreOf(top) ? flow : top,
    undefined
  )
  if (best === undefined) return undefined
  if (active === undefined && turn.candidates.length === 1 && best.when.length === 0) return best
  if (scoreOf(best) < flowThreshold) return undefined
  return active === undefined || scoreOf(best) - scoreOf(active) >= flowSwitchMargin ? best : undefined
}

/** The active flow waits on the stack, is left, or is completed, as it or its step says. */
const interrupt = Now.fn(function*(turn: Opened, active: CompiledFlow, next: CompiledFlow): Now.Steps<void, Failure> {
  const decide = currentStep(turn, get(turn).session)?.onInterrupt ?? active.onInterrupt
  const outcome = yield* decide(yield* contextOf(turn), { id: next.id, title: next.title })
  if (outcome === "complete") {
    yield* completeFlow(turn)
    yield* settle(turn, "pre")
  } else if (outcome === "drop") {
    yield* leaveStep(turn)
    yield* runHook(turn, `flow:${active.id}.onExit`, active.onExit)
    yield* settle(turn, "pre")
    if (get(turn).session.currentFlow?.id === active.id) {
      set(turn, { session: Transition.leave(get(turn).session, turn.now, false) })
      ended(turn, [active.id])
    }
  }
  // What a hook has moved to in between waits as well: the message asks for the other flow.
  set(turn, { session: Transition.suspend(get(turn).session, turn.now) })
})

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
  const others = decides ? othersThan(turn, active) : []
  const wanted = wantedOf(turn, others)
  const target = pick(turn, active, others, wanted)
  remember(turn, losers(turn, wanted, target))
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

/** A flow that the message asks for, and how well. */
interface Wanted {
  readonly flow: CompiledFlow
  readonly score: number
}

const scoreOf = ({ flowScores }: Understood, { id }: CompiledFlow): number =>
  Object.hasOwn(flowScores, id) ? flowScores[id] ?? 0 : 0

/** The flows that the message may ask for. What it has left is not among them. */
const othersThan = (turn: Understood, active: CompiledFlow | undefined): ReadonlyArray<CompiledFlow> => {
  const { abortedFlows, completedFlows } = get(turn).record
  const left = new Set([...completedFlows, ...abortedFlows.map(({ flowId }) => flowId)])
  return turn.candidates.filter((flow) => flow !== active && !left.has(flow.id))
}

/** Those of them that it asks for, the best first. */
const wantedOf = (turn: Understood, others: ReadonlyArray<CompiledFlow>): ReadonlyArray<Wanted> => {
  const { flowThreshold } = turn.runtime.definition
  const wanted: Array<Wanted> = []
  for (const flow of others) {
    const score = scoreOf(turn, flow)
    if (score >= flowThreshold) wanted.push({ flow, score })
  }
  return wanted.sort((a, b) => b.score - a.score)
}

/** The flows that the message asks for too, the best first; those that wait anyway left out. */
const losers = (
  turn: Understood,
  wanted: ReadonlyArray<Wanted>,
  winner: CompiledFlow | undefined
): ReadonlyArray<CompiledFlow> => {
  const { suspended } = get(turn).session
  return !turn.runtime.definition.agenda ? [] : wanted.map(({ flow }) => flow)
    .filter((flow) => flow !== winner && !suspended.some((one) => one.flow.id === flow.id))
}

const pick = (
  turn: Understood,
  active: CompiledFlow | undefined,
  others: ReadonlyArray<CompiledFlow>,
  wanted: ReadonlyArray<Wanted>
): CompiledFlow | undefined => {
  const [sole] = others
  if (active === undefined && turn.candidates.length === 1 && sole?.when.length === 0) return sole
  const [best] = wanted
  if (best === undefined) return undefined
  const { flowSwitchMargin } = turn.runtime.definition
  return active === undefined || best.score - scoreOf(turn, active) >= flowSwitchMargin ? best.flow : undefined
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

/** Phase 5: takes the branches that leave the current flow, and selects the flow that is current. */
import * as Effect from "effect/Effect"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import { branchBefore, interrupt, takeBefore } from "../../domain/walk/branch.js"
import { resumeOrEnterNext } from "../../domain/walk/leave.js"
import * as Transition from "../../domain/walk/Transition.js"
import { reopenCorrected } from "../flow/corrections.js"
import { ended } from "../flow/dataWrites.js"
import { queue } from "../flow/pendingIntents.js"
import { leaveAside } from "../flow/suspended.js"
import { actsOf } from "../flow/TurnActs.js"
import type { Opened } from "../state/TurnState.js"
import { given, isDirected, tell } from "../state/TurnState.js"
import { currentFlow, flowOf } from "../walk/TurnGround.js"
import { isWantedAnyway, type Understood } from "./understand.js"

/**
 * Takes the first branch of the waiting step, its flow and the agent that the message meets, unless the walk takes it
 * later. Runs before routing, so that one message may end a flow and ask for another.
 */
export const takeBranches = Effect.fnUntraced(function*<T extends Opened>(turn: T) {
  if (turn.input._tag !== "Message" || isDirected(turn)) return turn
  const acts = actsOf(turn)
  const branch = yield* branchBefore(acts)
  if (turn.state.session.suspended.length > 0) yield* leaveAside(turn)
  if (branch !== undefined) yield* takeBefore(acts, branch)
  return turn
})

/**
 * Enters the flow with the best score, if the score reaches the threshold and, if a flow is current, exceeds that
 * flow's score by the margin. If no flow is current afterwards, the last suspended flow resumes.
 */
export const route = Effect.fnUntraced(function*(turn: Understood) {
  const active = currentFlow(turn, turn.state.session)
  const decides = !isDirected(turn)
  const mayBe = decides ? notLeft(turn, active) : () => false
  const wanted = wantedOf(turn, mayBe)
  const target = pick(turn, active, mayBe, wanted)
  const lost = losers(turn, wanted, target)
  if (lost.length > 0) queue(turn, lost)
  if (target !== undefined) yield* enter(turn, target, active)
  turn.routing.isOver = true
  if (turn.routing.ended.length > 0) ended(turn, [])
  if (decides && Object.keys(turn.state.record.corrected).length > 0) yield* reopenCorrected(turn)
  yield* resumeOrEnterNext(actsOf(turn))
  return turn
})

const enter = Effect.fnUntraced(function*(
  turn: Understood,
  target: CompiledFlow,
  active: CompiledFlow | undefined
) {
  if (active !== undefined) yield* interrupt(actsOf(turn), active, target)
  const { session } = turn.state
  const keep = new Set([...given(turn), ...Transition.fieldsOfWaiting(turn.runtime.definition.flows, session)])
  turn.state.session = Transition.enter(session, target, turn.now, keep)
  if (turn.state.session.currentFlow?.pending !== true) {
    yield* tell(turn, { _tag: "FlowEntered", flowId: target.id, title: target.title, resumed: true })
  }
})

/** A flow that the message asks for, with its score. */
interface ScoredFlow {
  readonly flow: CompiledFlow
  readonly score: number
}

const scoreOf = ({ flowScores }: Understood, { id }: CompiledFlow): number =>
  Object.hasOwn(flowScores, id) ? flowScores[id] ?? 0 : 0

type IsPossible = (flow: CompiledFlow) => boolean

/**
 * Returns a test for the flows that the message may ask for: any flow except the current one, and except flows that the
 * message has already left.
 */
const notLeft = (turn: Understood, active: CompiledFlow | undefined): IsPossible => {
  const { abortedFlows, completedFlows } = turn.state.record
  const left = new Set([...completedFlows, ...abortedFlows.map(({ flowId }) => flowId)])
  return (flow) => flow !== active && !left.has(flow.id)
}

/**
 * Returns the flows that the message asks for, by score, then in definition order. Iterates over the scores, because an
 * agent may have a thousand flows but few with a score.
 */
const wantedOf = (turn: Understood, mayBe: IsPossible): ReadonlyArray<ScoredFlow> => {
  const { candidates, flowScores, runtime: { definition: { flowThreshold } } } = turn
  return Object.entries(flowScores).flatMap(([id, score]) => {
    const flow = score >= flowThreshold ? flowOf(turn, id) : undefined
    const at = flow === undefined ? -1 : candidates.indexOf(flow)
    return flow !== undefined && at >= 0 && mayBe(flow) ? [{ flow, score, at }] : []
  }).sort((a, b) => b.score - a.score || a.at - b.at)
}

/** Returns the flows that the message asks for but does not enter, the best first, without suspended flows. */
const losers = (
  turn: Understood,
  wanted: ReadonlyArray<ScoredFlow>,
  winner: CompiledFlow | undefined
): ReadonlyArray<CompiledFlow> => {
  const { suspended } = turn.state.session
  return !turn.runtime.definition.pendingIntents ? [] : wanted.map(({ flow }) => flow)
    .filter((flow) => flow !== winner && !suspended.some((one) => one.flow.id === flow.id))
}

const pick = (
  turn: Understood,
  active: CompiledFlow | undefined,
  mayBe: IsPossible,
  wanted: ReadonlyArray<ScoredFlow>
): CompiledFlow | undefined => {
  const [sole] = turn.candidates
  const isSole = active === undefined && turn.candidates.length === 1
  if (isSole && sole !== undefined && isWantedAnyway(turn, sole) && mayBe(sole)) return sole
  const [best] = wanted
  if (best === undefined) return undefined
  const { flowSwitchMargin } = turn.runtime.definition
  return active === undefined || best.score - scoreOf(turn, active) >= flowSwitchMargin ? best.flow : undefined
}

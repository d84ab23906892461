/**
 * Phase 5, before routing: the branches of the waiting step, of its flow and of the agent. A branch that ends
 * something, or that is evaluated at every position, is taken here, so that a message may end one thing and ask for
 * another.
 *
 * @since 0.1.0
 */
import * as Eager from "../../domain/base/Eager.js"
import type { CompiledBranch, CompiledFlow, CompiledStep } from "../../domain/definition/Definition.js"
import * as Branching from "../../domain/walk/Branching.js"
import { follow } from "../flow/interrupt.js"
import { leaveAside } from "../flow/suspended.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, get, isDirected, set, trace } from "../state/TurnState.js"
import { isMet } from "../walk/conditions.js"

/**
 * Takes the first of these branches that the message meets, unless the walk takes it after routing.
 *
 * @since 0.1.0
 * @category phases
 */
export const takeBranches = Eager.fn(function*<T extends Opened>(turn: T): Eager.Steps<T, Failure> {
  if (turn.input._tag !== "Message" || isDirected(turn)) return turn
  const branch = yield* chosen(turn)
  if (get(turn).session.suspended.length > 0) yield* leaveAside(turn)
  if (branch === undefined) return turn
  take(turn, branch)
  yield* follow(turn, branch)
  return turn
})

/** Marks the message as used if the branch was taken because of it. */
export const take = (turn: Opened, { when }: CompiledBranch): void => {
  if (when.length > 0) set(turn, { messageConsumed: true })
}

const chosen = Eager.fn(function*(turn: Opened): Eager.Steps<CompiledBranch | undefined> {
  const flow = currentFlow(turn, get(turn).session)
  const step = waitingHere(turn, flow)
  const branches = Branching.ordered({
    ...(step !== undefined && { step: step.branches.filter(({ when }) => when.length > 0) }),
    ...(flow !== undefined && { flow: flow.branches }),
    agent: turn.runtime.definition.branches
  })
  const place = flow === undefined || step === undefined ? undefined : { flow, step, entering: false }
  const [winner, ...losers] = yield* Eager.filter(
    branches,
    ({ branch, level }) => isMet(turn, branch, level === "step" ? place : undefined)
  )
  if (winner === undefined) return undefined
  for (const { branch } of losers) {
    trace(turn, "branch_outranked", branch.id, `"${winner.branch.id}" holds as well, and goes first`)
  }
  return Branching.isOnTheWalk(winner) ? undefined : winner.branch
})

/** The step that has spoken and waits for this message, if the conversation is still at it. */
const waitingHere = (turn: Opened, flow: CompiledFlow | undefined): CompiledStep | undefined => {
  const { session, waiting } = get(turn)
  const step = currentStep(turn, session)
  return waiting?.flowId === flow?.id && waiting?.stepId === step?.id ? step : undefined
}

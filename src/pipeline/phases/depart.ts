/**
 * Phase 5, before routing: the branches that are judged wherever the conversation stands: those of the waiting step that leave its flow,
 * then those of the flow, then those of the agent. They come before routing, so that a message may end one thing and ask
 * for another.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import type { CompiledBranch, CompiledFlow } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/Directive.js"
import * as Now from "../../domain/Now.js"
import { allHold } from "../callbacks.js"
import type { Place } from "../conditions.js"
import { holdsTrue } from "../conditions.js"
import { settle } from "../settle.js"
import type { Failure, Opened } from "../TurnState.js"
import { currentFlow, currentStep, get, isDirected, set } from "../TurnState.js"

/**
 * @since 0.1.0
 * @category phases
 */
export const depart = Now.fn(function*<T extends Opened>(turn: T): Now.Steps<T, Failure> {
  if (turn.input._tag !== "Message" || isDirected(turn)) return turn
  const branch = yield* chosen(turn)
  if (branch === undefined) return turn
  take(turn, branch)
  yield* turn.bus.emit(branch.id, branch.then)
  yield* settle(turn, "branch")
  return turn
})

/** A branch that was taken because of what the user said has used the message. */
export const take = (turn: Opened, { when }: CompiledBranch): void => {
  if (when.length > 0) set(turn, { spent: true })
}

const chosen = Now.fn(function*(turn: Opened): Now.Steps<CompiledBranch | undefined> {
  const flow = currentFlow(turn, get(turn).session)
  const inner = yield* ofWaitingStep(turn, flow)
  // The innermost scope has the word; a branch that leads through the flow is taken on the walk.
  if (inner !== undefined) return leaves(inner) ? inner : undefined
  return (yield* first(turn, flow?.branches ?? [])) ?? (yield* first(turn, turn.runtime.definition.branches))
})

const ofWaitingStep = (
  turn: Opened,
  flow: CompiledFlow | undefined
): Effect.Effect<CompiledBranch | undefined> =>
  Now.suspend(() => {
    const { session, waiting } = get(turn)
    const step = currentStep(turn, session)
    if (flow === undefined || step === undefined) return Effect.succeed(undefined)
    if (waiting?.flowId !== flow.id || waiting.stepId !== step.id) return Effect.succeed(undefined)
    const judged = step.branches.filter(({ when }) => when.length > 0)
    return first(turn, judged, { flow, step, entering: false })
  })

const leaves = ({ then }: CompiledBranch): boolean => {
  const to = Directive.position(then)
  return to?._tag === "Complete" || to?._tag === "Abort"
}

const first = Now.fn(function*(
  turn: Opened,
  branches: ReadonlyArray<CompiledBranch>,
  place?: Place
): Now.Steps<CompiledBranch | undefined> {
  for (const branch of branches) {
    if (!(yield* allHold(turn, `${branch.id}.if`, branch.if))) continue
    if (holdsTrue(turn, branch, place)) return branch
  }
  return undefined
})

/**
 * Phase 9: runs the step's `finalize`, applies the emissions of tools and step, and completes the flow if it is
 * finished.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import * as Walk from "../../domain/walk/choose.js"
import { applyDirectives } from "../flow/applyDirectives.js"
import { completeFlow } from "../flow/leave.js"
import { waitingHere } from "../speaking/question.js"
import { runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { get } from "../state/TurnState.js"
import { groundOf } from "../walk/TurnGround.js"
import type { Next } from "./advance.js"

/**
 * Finalizes the step that has spoken; without one, only applies what waits on the bus.
 *
 * @since 0.1.0
 * @category phases
 */
export const finalize = Eager.fn(function*(turn: Opened, next: Next): Eager.Steps<void, Failure> {
  // A flow does not end while one of its calls waits for approval.
  const waits = get(turn).ending._tag === "Waiting" || waitingHere(turn) !== undefined
  if (next._tag !== "Step" || waits) return yield* Effect.asVoid(applyDirectives(turn, "post"))
  const { flow, step } = next
  yield* runHook(turn, `step:${step.id}.finalize`, step.finalize)
  const moved = yield* applyDirectives(turn, "post")
  if (moved || !isStill(turn, flow.id, step.id)) return
  if (step.ends !== undefined && (yield* Walk.isFinished(groundOf(turn), step))) {
    yield* turn.bus.emit(`step:${step.id}.ends`, step.ends)
    yield* applyDirectives(turn, "post")
  } else if (yield* Walk.endsFlow(groundOf(turn), flow, step)) {
    yield* completeFlow(turn)
    yield* applyDirectives(turn, "post")
  }
})

/** True if the step still has the floor, and no person took over. */
const isStill = (turn: Opened, flowId: string, stepId: string): boolean => {
  const { ending, session: { currentFlow, currentStep } } = get(turn)
  return ending._tag !== "HandedOver" && currentFlow?.id === flowId && currentStep?.id === stepId
}

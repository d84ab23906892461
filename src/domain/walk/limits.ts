/**
 * Limits on how far a turn may walk without a reply. Flows may have many steps, so an endless loop is detected by the
 * same position with the same data, not by the number of steps. Moves by directives are counted separately.
 */
import { skipping } from "./givers.js"
import type { Acts, Flow, Rule, Step } from "./Ground.js"

/** Counts a move; fails if the turn has moved too often. */
export function* countMove<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Rule<void, E> {
  acts.counts.moves++
  if (acts.counts.moves > acts.limits.maxDirectiveChain) yield* acts.fail({ limit: "maxDirectiveChain" })
}

/**
 * Counts a position that the walk passes without a reply. Fails if the walk was there before with the same data, or
 * after too many positions.
 */
export function* pass<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  position: string
): Rule<void, E> {
  if (acts.isRepeatedPosition(position)) yield* acts.fail({ circle: position })
  acts.counts.autoSteps++
  if (acts.counts.autoSteps > acts.limits.maxAutoStepsPerTurn) yield* acts.fail({ limit: "maxAutoStepsPerTurn" })
}

/**
 * Follows a branch of a step with `go`; returns true if the conversation moved. A branch within the flow counts as a
 * passed step; a branch to another flow counts as a move.
 */
export function* along<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  step: S,
  go: Rule<boolean, E>
): Rule<boolean, E> {
  const before = acts.flow()
  const { kind, ref } = step
  acts.counts.moves--
  const moved = yield* skipping(acts, step, go)
  if (!moved) acts.counts.moves++
  else if (acts.flow()?.id !== before?.id) yield* countMove(acts)
  // Steps of the other kinds do not speak; they were counted when they were entered.
  else if (kind === "llm" || kind === "reply") yield* pass(acts, `${ref}, and on`)
  return moved
}

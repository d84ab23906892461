/**
 * How far a turn may walk without a word. Steps are many, so it is not their number that tells a circle, but that the same
 * position comes again with the same data. What moves the turn from outside its flow's order is counted by itself.
 *
 * @since 0.2.0
 */
import type * as Eager from "../base/Eager.js"
import type { Acts, Flow, Step } from "./Ground.js"

/** Counts a move; fails when the turn has moved too often. */
export function* countMove<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>
): Eager.Steps<void, E> {
  acts.moves++
  if (acts.moves > acts.limits.maxDirectiveChain) yield* acts.fail({ limit: "maxDirectiveChain" })
}

/** The walk comes by a position at which nobody speaks. */
export function* pass<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  position: string
): Eager.Steps<void, E> {
  if (acts.isBack(position)) yield* acts.fail({ circle: position })
  acts.autoSteps++
  if (acts.autoSteps > acts.limits.maxAutoStepsPerTurn) yield* acts.fail({ limit: "maxAutoStepsPerTurn" })
}

/**
 * Goes where a branch of a step leads. Within the flow that is a way of its steps, which are counted as such; to another flow
 * it is a move. Gives whether the conversation moved.
 */
export function* along<T, S extends Step<T>, F extends Flow<T, S>, E>(
  acts: Acts<T, S, F, E>,
  { kind, ref }: S,
  go: Eager.Steps<boolean, E>
): Eager.Steps<boolean, E> {
  const before = acts.flow()
  acts.moves--
  const moved = yield* go
  if (!moved) acts.moves++
  else if (acts.flow()?.id !== before?.id) yield* countMove(acts)
  // Those at which nobody speaks were passed when they were entered.
  else if (kind === "llm" || kind === "reply") yield* pass(acts, `${ref}, and on`)
  return moved
}

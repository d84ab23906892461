/**
 * How far a turn may walk without a word. Steps are many, so it is not their number that tells a circle, but that the same
 * position comes again with the same data. What moves the turn from outside its flow's order is counted by itself.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import type { CompiledStep, Values } from "../domain/definition/Definition.js"
import { FlowConfigurationError } from "../domain/Errors.js"
import * as Kept from "../domain/Kept.js"
import * as Now from "../domain/Now.js"
import type { Failure, Opened } from "./TurnState.js"
import { countMove, get, set, tooLong, trailOf } from "./TurnState.js"

/** Written out once for each object, and only where a position comes again. */
const textOf = Kept.by((values: Values): string => JSON.stringify(values))

const isSame = (a: Values, b: Values): boolean => a === b || textOf(a) === textOf(b)

/** The walk comes by a position at which nobody speaks. */
export const pass = (turn: Opened, position: string): Effect.Effect<void, FlowConfigurationError> => {
  const { autoSteps, context, passages, session: { data } } = get(turn)
  const before = passages.get(position) ?? []
  if (before.some((one) => isSame(one.data, data) && isSame(one.context, context))) {
    return Effect.fail(FlowConfigurationError.one({
      path: position,
      what: "steps in a circle",
      why: `the turn came here twice with the same data, through ${trailOf(turn)}`,
      fix: "Break the circle with a condition that changes on the way, or lead to a step that speaks"
    }))
  }
  set(turn, {
    autoSteps: autoSteps + 1,
    passages: new Map(passages).set(position, [...before, { data, context }])
  })
  const max = turn.runtime.definition.maxAutoStepsPerTurn
  return autoSteps + 1 > max
    ? Effect.fail(tooLong(turn, "maxAutoStepsPerTurn", max, "auto steps followed each other"))
    : Effect.void
}

/**
 * Goes where a branch of a step leads. Within the flow that is a way of its steps, which are counted as such; to another flow
 * it is a move. Returns whether the conversation moved.
 */
export const along = Now.fn(
  function*(
    turn: Opened,
    { kind, ref }: CompiledStep,
    go: () => Effect.Effect<boolean, Failure>
  ): Now.Steps<boolean, Failure> {
    const { moves, session: { currentFlow } } = get(turn)
    set(turn, { moves: moves - 1 })
    const moved = yield* go()
    if (!moved) set(turn, { moves: get(turn).moves + 1 })
    else if (get(turn).session.currentFlow?.id !== currentFlow?.id) yield* countMove(turn)
    // Those at which nobody speaks were passed when they were entered.
    else if (kind === "llm" || kind === "reply") yield* pass(turn, `${ref}, and on`)
    return moved
  }
)

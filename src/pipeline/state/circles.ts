/**
 * How far a turn may walk without a word. Steps are many, so it is not their number that tells a circle, but that the same
 * position comes again with the same data. What moves the turn from outside its flow's order is counted by itself.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import { FlowConfigurationError } from "../../domain/base/error/Errors.js"
import * as Memo from "../../domain/base/Memo.js"
import type { CompiledStep, Values } from "../../domain/definition/Definition.js"
import type { Failure, Opened } from "./TurnState.js"
import { get, set } from "./TurnState.js"

/** Counts a move; fails when the turn has moved too often. */
export const countMove = (turn: Opened): Effect.Effect<void, FlowConfigurationError> => {
  const moves = get(turn).moves + 1
  const max = turn.runtime.definition.maxDirectiveChain
  set(turn, { moves })
  return moves > max
    ? Effect.fail(tooLong(turn, "maxDirectiveChain", max, "directives moved this turn"))
    : Effect.void
}

const tooLong = (turn: Opened, limit: string, max: number, what: string): FlowConfigurationError =>
  FlowConfigurationError.one({
    path: limit,
    what: `${limit} of ${max}`,
    why: `${what} more often than that, through ${trailOf(turn)}`,
    fix: `Break the circle with a condition, or raise ${limit}`
  })

/** How many steps at each end of a long way are named. */
const named = 10

/** The steps of the turn, in order. */
const trailOf = (turn: Opened): string => {
  const steps = get(turn).record.executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`)
  const told = steps.length <= 2 * named ? steps : [...steps.slice(0, named), "…", ...steps.slice(-named)]
  return told.join(" → ") || "no step"
}

/** Written out once for each object, and only where a position comes again. */
const textOf = Memo.weak((values: Values): string => JSON.stringify(values))

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
export const along = Eager.fn(
  function*(
    turn: Opened,
    { kind, ref }: CompiledStep,
    go: () => Effect.Effect<boolean, Failure>
  ): Eager.Steps<boolean, Failure> {
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

/**
 * Stops turns that walk in a circle. A turn may pass many steps, so a circle is detected when the same position is
 * passed again with the same data and context. Moves by directives are counted separately.
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

/** Number of steps named at each end of a long trail. */
const named = 10

/** The steps that the turn has executed, in order, as text. */
const trailOf = (turn: Opened): string => {
  const steps = get(turn).record.executedSteps.map(({ flowId, stepId }) => `${flowId}/${stepId}`)
  const told = steps.length <= 2 * named ? steps : [...steps.slice(0, named), "…", ...steps.slice(-named)]
  return told.join(" → ") || "no step"
}

/** Cached by object, and only called when a position is passed again. */
const textOf = Memo.weak((values: Values): string => JSON.stringify(values))

const isSame = (a: Values, b: Values): boolean => a === b || textOf(a) === textOf(b)

/**
 * Notes that the walk passes a position without speaking; fails when it was there before with the same data and
 * context.
 */
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
 * Follows a branch of a step. A branch within the flow counts as a passed position, a branch to another flow as a move.
 * Returns true if the conversation moved.
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
    // Positions of silent steps were noted when they were entered.
    else if (kind === "llm" || kind === "reply") yield* pass(turn, `${ref}, and on`)
    return moved
  }
)

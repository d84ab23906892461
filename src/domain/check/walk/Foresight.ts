/**
 * Determines which conditions in words a model may have judged for a message, by the rules of `domain/walk`. They are
 * judged before the message's values are written, so the result depends on the fields that were known before the
 * message.
 */
import * as Effect from "effect/Effect"
import { allAre } from "../../walk/choose.js"
import { onTheWay } from "../../walk/foresight.js"
import type { Rule, Tests } from "../../walk/Ground.js"
import type { StepShape, Test } from "../shape/Shape.js"
import type { Walker } from "./Walker.js"

const unknown = Effect.succeed(undefined)

/** Evaluates predicates on the fields known before the message; `undefined` if their code cannot be evaluated. */
class Before implements Tests<Test, boolean | undefined> {
  /** The fields that must have been known before the message for these results. */
  readonly needs = new Set<string>()

  constructor(private readonly walker: Walker) {}

  holds(_: string, test: Test): Effect.Effect<boolean | undefined> {
    const { absentBefore, knownBefore, world: { judge } } = this.walker
    const known = new Set([...knownBefore, ...this.needs])
    const absent = new Set(absentBefore)
    while (true) {
      const verdict = judge.certain(test, known, absent)
      if (verdict._tag === "Certain") return Effect.succeed(verdict.holds)
      if (verdict._tag === "Open") return unknown
      if (this.walker.known.has(verdict.field)) {
        this.needs.add(verdict.field)
        known.add(verdict.field)
      } else absent.add(verdict.field)
    }
  }
}

/** True if the message's path through the current flow contains the step. */
function* isReached(before: Before, { currentFlow, start }: Walker, step: StepShape): Rule<boolean> {
  const { if: tests, index, steps } = currentFlow
  const isHere = index === start.flow
  if (!isHere && (yield* allAre(before, "", tests, true)) === false) return false
  const { spoken, standing } = start
  const from = { step: isHere ? steps[start.step] : undefined, pending: standing !== "entered", spoken }
  return (yield* onTheWay(before, steps, from, step)).at(-1) === step
}

function* isAsked(before: Before, walker: Walker, tests: ReadonlyArray<Test>, on?: StepShape): Rule<boolean> {
  if (on !== undefined && !(yield* isReached(before, walker, on))) return false
  return (yield* allAre(before, "", tests, true)) !== false
}

/**
 * Returns the fields that must have been known before the message for a model to judge a condition; `undefined` if the
 * model did not judge it. The model judges it only if `tests` hold and, if `on` is given, only if the message's path
 * through the current flow contains this step.
 */
export const needsOf = (
  walker: Walker,
  tests: ReadonlyArray<Test>,
  on?: StepShape
): ReadonlySet<string> | undefined => {
  const before = new Before(walker)
  return Effect.runSync(Effect.gen(() => isAsked(before, walker, tests, on))) ? before.needs : undefined
}

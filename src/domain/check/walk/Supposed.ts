/**
 * Implements the `Ground` of the rules in `domain/walk` for the checker: answers from the checker's state, and lets the
 * checker walk every possible answer where the state leaves it open.
 */
import * as Effect from "effect/Effect"
import type { Branch, FlowPosition, Ground, Knowledge, Observation } from "../../walk/Ground.js"
import type { StepShape, Test } from "../shape/Shape.js"
import * as Foresight from "./Foresight.js"
import type { Walker } from "./Walker.js"

const yes = Effect.succeed(true)
const no = Effect.succeed(false)

const indexOf = (step: StepShape | undefined): number => step?.index ?? -1

/** Answers the questions of the rules from the state and the assumptions of a walker. */
export class Supposed implements Ground<Test, StepShape> {
  private readonly knows: Knowledge<StepShape>

  constructor(protected readonly walker: Walker) {
    this.knows = { isKnown: (name) => walker.isKnown(name), isConfirmed: (step) => walker.isConfirmed(step) }
  }

  standing(): FlowPosition<StepShape> {
    const { currentStep, spoken, standing } = this.walker
    return { step: currentStep, pending: standing !== "entered", spoken }
  }

  knowledge(): Knowledge<StepShape> {
    return this.knows
  }

  holds(_: string, test: Test): Effect.Effect<boolean> {
    return this.walker.holds(test) ? yes : no
  }

  isAdmittedByWhen(step: StepShape): boolean {
    return this.isJudged({ id: step.ref, when: step.when, if: [] }, step)
  }

  /**
   * True if the message meets the branch's condition in words, or the branch has none. Branches of a speaking step are
   * judged only if the step waited for this message.
   */
  isMet(branch: Branch<Test>, step: StepShape | undefined): boolean {
    const { flow, waiting } = this.walker
    const isHere = step === undefined || (waiting?.flow === flow && waiting.step === step.index)
    if (!isHere && step.kind !== "auto") return branch.when.length === 0
    return this.isJudged(branch, isHere ? undefined : step)
  }

  private isJudged({ id, if: tests, when }: Omit<Branch<Test>, "then">, on: StepShape | undefined): boolean {
    return when.length === 0 || this.walker.judged(id, when, Foresight.needsOf(this.walker, tests, on))
  }

  observe(sight: Observation<StepShape>): void {
    const { walker } = this
    switch (sight._tag) {
      case "Considered":
        return walker.pass(sight.step.index)
      case "Asked":
        return walker.observe(sight)
      case "Calls":
        return walker.observe({ ...sight, flow: walker.flow, step: sight.step.index })
      case "Took": {
        walker.observe({ _tag: "Took", branch: sight.branch })
        return sight.step && walker.observe({ _tag: "Passed", flow: walker.flow, step: sight.step.index })
      }
      case "Missing": {
        const { by, fields, to } = sight
        return walker.observe({ _tag: "Missing", flow: walker.flow, step: indexOf(by), fields, to: indexOf(to) })
      }
    }
  }
}

/**
 * Implements the `Ground` of the rules in `domain/walk` for the checker: known facts answer a question; otherwise every
 * answer is walked.
 *
 * @since 0.2.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../base/Eager.js"
import type { Ground, Knowledge, Sight, Standing } from "../walk/Ground.js"
import type { StepShape, Test } from "./shape/Shape.js"
import * as Foresight from "./walk/Foresight.js"
import type { Walker } from "./walk/Walker.js"

/** Runs the rules synchronously: the checker's answers never wait. */
export const decided = <A>(rules: Eager.Steps<A>): A => Effect.runSync(Eager.run(rules))

const yes = Effect.succeed(true)
const no = Effect.succeed(false)

/** The ground of a walker's suppositions. */
export class Supposed implements Ground<Test, StepShape, never> {
  private readonly knows: Effect.Effect<Knowledge<StepShape>>

  constructor(private readonly walker: Walker) {
    this.knows = Effect.succeed({
      isKnown: (name) => walker.isKnown(name),
      isConfirmed: (step) => walker.isConfirmed(step)
    })
  }

  standing(): Standing<StepShape> {
    const { currentStep, spoken, standing } = this.walker
    return { step: currentStep, pending: standing === "pending", spoken }
  }

  knowledge(): Effect.Effect<Knowledge<StepShape>> {
    return this.knows
  }

  holds(_: string, test: Test): Effect.Effect<boolean> {
    return this.walker.holds(test) ? yes : no
  }

  isMet(
    { id, when }: { readonly id: string; readonly when: ReadonlyArray<string> },
    step: StepShape,
    entering: boolean
  ) {
    return when.length === 0 || this.walker.judged(id, when, entering ? this.toEnter(step) : this.toLeave(id, step))
  }

  /** The values that must have been known for the message to be asked whether the step is entered. */
  private toEnter(step: StepShape): ReturnType<typeof Foresight.ofStep> {
    return Foresight.ofStep(this.walker, this.walker.currentFlow, step)
  }

  /** A step that speaks has its branches evaluated if it waited for this message. */
  private toLeave(id: string, step: StepShape): ReturnType<typeof Foresight.ofStep> {
    const { currentFlow, flow, waiting } = this.walker
    const needs = waiting?.flow === flow && waiting.step === step.index
      ? new Set<string>()
      : step.kind === "auto"
      ? Foresight.ofStep(this.walker, currentFlow, step)
      : undefined
    const branch = step.branches.find((one) => one.id === id)
    return branch && needs && Foresight.ofBranch(this.walker, branch, needs)
  }

  see(sight: Sight<StepShape>): void {
    const { walker } = this
    switch (sight._tag) {
      case "Considered":
        return walker.pass(sight.step.index)
      case "Asked":
        return walker.see(sight)
      case "Missing": {
        const { by, fields, to } = sight
        return walker.see({ _tag: "Missing", flow: walker.flow, step: by?.index ?? -1, fields, to: to?.index ?? -1 })
      }
    }
  }
}

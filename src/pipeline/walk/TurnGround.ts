/**
 * Implements `Ground`, the interface through which the rules in `domain/walk` read their environment, for a turn: the
 * session and the author's predicates give the answers.
 */
import type * as Effect from "effect/Effect"
import type { CompiledBranch, CompiledStep, Test } from "../../domain/definition/Definition.js"
import { knownIn } from "../../domain/fields/Fields.js"
import type { FlowPosition, Ground, Knowledge } from "../../domain/walk/Ground.js"
import { dataOf, holds } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { currentFlow, currentStep } from "../state/TurnState.js"
import { holdsTrue } from "./judged.js"
import { isConfirmed } from "./readBack.js"

/** Adapts a turn to `Ground`. It is a class because each turn makes several instances, which share the methods. */
export class TurnGround implements Ground<Test, CompiledStep> {
  constructor(protected readonly turn: Opened) {}

  standing(): FlowPosition<CompiledStep> {
    const { session } = this.turn.state
    const { currentStep: at } = session
    return { step: currentStep(this.turn, session), pending: at?.pending === true, spoken: at?.spoken === true }
  }

  knowledge(): Knowledge<CompiledStep> {
    const data = dataOf(this.turn)
    return { isKnown: knownIn(data), isConfirmed: (step) => isConfirmed(this.turn, step, data) }
  }

  holds(source: string, test: Test): Effect.Effect<boolean> {
    return holds(this.turn, source, test)
  }

  isAdmittedByWhen(step: CompiledStep): boolean {
    return this.isJudged({ id: step.ref, when: step.when }, step, true)
  }

  isMet(branch: CompiledBranch, step: CompiledStep | undefined): boolean {
    return this.isJudged(branch, step, false)
  }

  private isJudged(
    condition: { readonly id: string; readonly when: ReadonlyArray<string> },
    step: CompiledStep | undefined,
    entering: boolean
  ): boolean {
    if (condition.when.length === 0) return true
    const flow = step && currentFlow(this.turn, this.turn.state.session)
    return holdsTrue(this.turn, condition, step && flow && { flow, step, entering })
  }

  observe(): void {}
}

/** Returns the ground of a turn. */
export const groundOf = (turn: Opened): Ground<Test, CompiledStep> => new TurnGround(turn)

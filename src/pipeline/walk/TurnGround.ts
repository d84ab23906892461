/**
 * Answers the questions of the rules in `domain/walk` for a turn (see `Ground`): the session and the author's predicates
 * give the answers. `TurnActs` adds the actions.
 */
import type * as Effect from "effect/Effect"
import type {
  CompiledBranch,
  CompiledFlow,
  CompiledStep,
  Definition,
  Test
} from "../../domain/definition/Definition.js"
import { findFlow } from "../../domain/definition/Definition.js"
import { knownIn } from "../../domain/fields/Fields.js"
import type { Session } from "../../domain/session/Session.js"
import type { Counts, FlowPosition, Ground, Knowledge } from "../../domain/walk/Ground.js"
import { dataOf, holds } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { hasSpoken, isRouted } from "../state/TurnState.js"
import { holdsTrue } from "./judged.js"
import { isConfirmed } from "./readBack.js"

/** The agent's flow of this id. */
export const flowOf = ({ runtime: { definition } }: Opened, id: string | undefined): CompiledFlow | undefined =>
  id === undefined ? undefined : definition.flowsById.get(id)

export const currentFlow = ({ runtime: { definition } }: Opened, { currentFlow: at }: Session) =>
  at && definition.flowsById.get(at.id)

export const currentStep = (
  { runtime: { definition } }: Opened,
  { currentFlow: inFlow, currentStep: at }: Session
): CompiledStep | undefined => inFlow && at && definition.flowsById.get(inFlow.id)?.stepsById.get(at.id)

/** The last completed flow, whose values can still be corrected. */
export const correctable = (turn: Opened): CompiledFlow | undefined => {
  const { currentFlow: current, lastCompleted } = turn.state.session
  return current === undefined && lastCompleted !== undefined ? flowOf(turn, lastCompleted) : undefined
}

/** Adapts a turn to `Ground`. It is a class because each turn makes several instances, which share the methods. */
export class TurnGround implements Ground<Test, CompiledStep> {
  constructor(protected readonly turn: Opened) {}

  standing(): FlowPosition<CompiledStep> {
    const { session } = this.turn.state
    const { currentStep: at } = session
    return { step: currentStep(this.turn, session), pending: at?.pending === true, spoken: at?.spoken === true }
  }

  flow(): CompiledFlow | undefined {
    return currentFlow(this.turn, this.turn.state.session)
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
    const flow = step && this.flow()
    return holdsTrue(this.turn, condition, step && flow && { flow, step, entering })
  }

  get branches(): ReadonlyArray<CompiledBranch> {
    return this.turn.runtime.definition.branches
  }

  get limits(): Definition {
    return this.turn.runtime.definition
  }

  get counts(): Counts {
    return this.turn.walked
  }

  find(name: string): CompiledFlow | undefined {
    return findFlow(this.turn.runtime.definition.flows, name)
  }

  waiting(): CompiledStep | undefined {
    const { waiting } = this.turn.routing
    const { step } = this.standing()
    return waiting?.flowId === this.flow()?.id && waiting?.stepId === step?.id ? step : undefined
  }

  isAnswered(): boolean {
    return this.turn.state.ending._tag !== "Open"
  }

  hasSaid(): boolean {
    return hasSpoken(this.turn)
  }

  hasCalled({ id }: CompiledStep): boolean {
    return this.turn.state.session.currentFlow?.calledSteps?.includes(id) === true
  }

  hasRun({ ref }: CompiledStep): boolean {
    return this.turn.state.record.executedSteps.some(({ flowId, stepId }) => `${flowId}/${stepId}` === ref)
  }

  skipped(): ReadonlyArray<CompiledStep> {
    const ids = this.turn.state.session.currentFlow?.skippedSteps
    return ids === undefined ? [] : this.flow()?.steps.filter(({ id }) => ids.includes(id)) ?? []
  }

  isHandedOver(): boolean {
    return this.turn.state.ending._tag === "HandedOver"
  }

  isHalted(): boolean {
    return this.turn.state.ending._tag === "Halted"
  }

  isRouted(): boolean {
    return isRouted(this.turn)
  }

  arrival(): "entered" | "resumed" | undefined {
    const { currentFlow } = this.turn.state.session
    if (currentFlow?.pending === true) return "entered"
    return currentFlow?.resumed === undefined ? undefined : "resumed"
  }
}

/** Returns the ground of a turn. */
export const groundOf = (turn: Opened): Ground<Test, CompiledStep> => new TurnGround(turn)

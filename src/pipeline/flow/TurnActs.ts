/**
 * Implements the actions that the rules of `domain/walk` perform on a turn: run hooks, change the session, report
 * events.
 */
import * as Effect from "effect/Effect"
import type { Interruption } from "../../domain/authored/Step.js"
import type { CompiledBranch, CompiledFlow, CompiledStep, Test, Values } from "../../domain/definition/Definition.js"
import { findFlow } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import * as Fields from "../../domain/fields/Fields.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { DirectivePhase } from "../../domain/turn/TurnResponse.js"
import { isMet } from "../../domain/walk/branch.js"
import type { Levelled } from "../../domain/walk/Branching.js"
import type { Acts, Counts, Emission, Endless, FlowHook, StepHook } from "../../domain/walk/Ground.js"
import * as Transition from "../../domain/walk/Transition.js"
import { contextOf, runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import {
  currentFlow,
  currentStep,
  end,
  given,
  hasSpoken,
  isAnswered,
  isSilent,
  note,
  say,
  setSession,
  tell,
  trace
} from "../state/TurnState.js"
import { endless, isRepeatedPosition } from "../walk/circles.js"
import { ended } from "../walk/ended.js"
import { TurnGround } from "../walk/TurnGround.js"
import { accept } from "./acceptDirectives.js"
import { applyWrites, forgetKnown, writeWithoutHooks } from "./dataWrites.js"
import { handOff } from "./handOff.js"
import { enterNext } from "./pendingIntents.js"

const nothing = Effect.void

/** A class, because a turn makes several instances, which share their methods. */
export class TurnActs extends TurnGround implements Acts<Test, CompiledStep, CompiledFlow, Failure> {
  get branches(): ReadonlyArray<CompiledBranch> {
    return this.turn.runtime.definition.branches
  }

  get limits(): Acts<Test, CompiledStep, CompiledFlow, Failure>["limits"] {
    return this.turn.runtime.definition
  }

  get counts(): Counts {
    return this.turn.walked
  }

  flow(): CompiledFlow | undefined {
    return currentFlow(this.turn, this.turn.state.session)
  }

  find(name: string): CompiledFlow | undefined {
    return findFlow(this.turn.runtime.definition.flows, name)
  }

  waiting(): CompiledStep | undefined {
    const { waiting } = this.turn.routing
    const step = currentStep(this.turn, this.turn.state.session)
    return waiting?.flowId === this.flow()?.id && waiting?.stepId === step?.id ? step : undefined
  }

  isAnswered(): boolean {
    return isAnswered(this.turn)
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

  skip(steps: ReadonlyArray<CompiledStep>): void {
    const { currentFlow } = this.turn.state.session
    if (currentFlow === undefined) return
    const { skippedSteps: _, ...flow } = currentFlow
    const ids = Array.from(new Set(steps.map(({ id }) => id)))
    setSession(this.turn, { currentFlow: { ...flow, ...(ids.length > 0 && { skippedSteps: ids }) } })
  }

  isHandedOver(): boolean {
    return this.turn.state.ending._tag === "HandedOver"
  }

  isHalted(): boolean {
    return this.turn.state.ending._tag === "Halted"
  }

  isRouted(): boolean {
    return this.turn.routing.isDecided
  }

  arrival(): "entered" | "resumed" | undefined {
    const { currentFlow } = this.turn.state.session
    if (currentFlow?.pending === true) return "entered"
    return currentFlow?.resumed === undefined ? undefined : "resumed"
  }

  isRepeatedPosition(position: string): boolean {
    return isRepeatedPosition(this.turn, position)
  }

  fail(why: Endless): Effect.Effect<never, Failure> {
    return Effect.fail(endless(this.turn, why))
  }

  runStep(step: CompiledStep, hook: StepHook): Effect.Effect<void, Failure> {
    return runHook(this.turn, `step:${step.id}.${hook}`, step[hook])
  }

  runFlow(flow: CompiledFlow, hook: FlowHook): Effect.Effect<void, Failure> {
    return runHook(this.turn, `flow:${flow.id}.${hook}`, flow[hook])
  }

  emit({ directive, matched, source }: Emission): void {
    this.turn.bus.emit(source, directive, matched)
  }

  drain(): ReadonlyArray<Emission> {
    return this.turn.bus.drain()
  }

  isLeading(): boolean {
    return Directive.position(this.turn.bus.pending()) !== undefined
  }

  accept(
    phase: DirectivePhase,
    emissions: ReadonlyArray<Emission>,
    merged: Directive.PreDirective
  ): Effect.Effect<void, Failure> {
    return accept(this.turn, phase, emissions, merged)
  }

  unstated(fields: ReadonlyArray<string>): ReadonlyArray<string> {
    const { record } = this.turn.state
    return fields.filter((name) => !TurnRecord.states(record, name))
  }

  forget(fields: ReadonlyArray<string>, reason: string): Effect.Effect<ReadonlyArray<string>> {
    return forgetKnown(this.turn, fields, reason)
  }

  writeWithoutHooks(data: Values, context: Values): void {
    writeWithoutHooks(this.turn, data, context)
  }

  write(data: Values, merged: Directive.Directive): Effect.Effect<void, Failure> {
    return applyWrites(this.turn, data, merged)
  }

  schedule(merged: Directive.Directive): Effect.Effect<void, Failure> {
    return this.turn.runtime.features.direct(this.turn, merged)
  }

  /** Says a text; while a person has taken the conversation over, only traces that it was not said. */
  say(text: string): Effect.Effect<void> {
    if (!isSilent(this.turn)) return say(this.turn, text)
    trace(this.turn, "reply_not_said", "handOff", "a person has the floor")
    return nothing
  }

  check(to: Directive.Move): Effect.Effect<void, Failure> {
    return this.moved(to)
  }

  private moved(to: Directive.Move, keep?: Transition.Keeping) {
    return Transition.move(this.turn.runtime.definition.flows, this.turn.state.session, to, this.turn.now, keep)
  }

  place(to: Directive.Move, matched: boolean): Effect.Effect<void, Failure> {
    const { record: { partly, stated }, session: { currentFlow } } = this.turn.state
    const kept = new Set(matched ? [...Object.keys(stated), ...partly] : [])
    return Effect.map(this.moved(to, { given: given(this.turn), kept }), (session) => {
      this.turn.routing.positionFixed = true
      this.turn.state.session = session
      if (currentFlow !== undefined && currentFlow.id !== session.currentFlow?.id) ended(this.turn, [currentFlow.id])
    })
  }

  postpone(to: Directive.Move, merged: Directive.PreDirective): Effect.Effect<void, Failure> {
    return Effect.map(this.moved(to), () => {
      const {
        cancel: _x,
        clear: _f,
        contextUpdate: _c,
        dataUpdate: _d,
        reply: _r,
        run: _n,
        schedule: _s,
        ...waits
      } = merged
      setSession(this.turn, { pendingDirective: storable(waits) })
    })
  }

  handOff(reason: string | undefined): Effect.Effect<void> {
    return handOff(this.turn, reason)
  }

  decide(): void {
    this.turn.routing.positionFixed = true
  }

  endMoved(by: "reset" | "goto"): void {
    end(this.turn, { _tag: "Moved", by })
  }

  markStepPending({ id }: CompiledStep): void {
    setSession(this.turn, { currentStep: { id, enteredAt: this.turn.now, spoken: false, pending: true } })
  }

  enter({ id }: CompiledStep): Effect.Effect<void> {
    setSession(this.turn, { currentStep: { id, enteredAt: this.turn.now, spoken: false } })
    return tell(this.turn, { _tag: "StepEntered", flowId: this.turn.state.session.currentFlow!.id, stepId: id })
  }

  execute({ id }: CompiledStep): void {
    note(this.turn, { _tag: "StepExecuted", flowId: this.turn.state.session.currentFlow!.id, stepId: id })
  }

  leave({ id }: CompiledFlow, completed: boolean): Effect.Effect<void> {
    this.turn.state.session = Transition.leave(this.turn.state.session, this.turn.now, completed)
    ended(this.turn, [id])
    return completed ? tell(this.turn, { _tag: "FlowCompleted", flowId: id }) : nothing
  }

  abandon(to: Extract<Directive.Position, { readonly _tag: "Abort" }>): Effect.Effect<void> {
    const { session } = this.turn.state
    const flowId = session.currentFlow?.id
    const ofUser = Fields.ofUser(this.turn.runtime.definition.fields)
    this.turn.state.session = Transition.abandon(session, to, this.turn.now, ofUser)
    ended(this.turn, [
      ...(flowId === undefined ? [] : [flowId]),
      ...(to.stack ? session.suspended.map(({ flow }) => flow.id) : [])
    ])
    return tell(this.turn, { _tag: "FlowAborted", ...(flowId !== undefined && { flowId }), reason: to.reason })
  }

  suspend(): void {
    const { session } = this.turn.state
    // The number of messages is stored only if the flow or the step has `onResume`, which gets the messages after it.
    const hook = currentStep(this.turn, session)?.onResume ?? this.flow()?.onResume
    const since = hook === undefined ? undefined : this.turn.stored.messageCount
    this.turn.state.session = Transition.suspend(session, this.turn.now, since)
  }

  resume(): Effect.Effect<boolean> {
    const { session } = this.turn.state
    const resumed = Transition.pop(session)
    if (resumed === session) return no
    this.turn.state.session = resumed
    const { id, title } = resumed.currentFlow!
    return Effect.as(tell(this.turn, { _tag: "FlowEntered", flowId: id, title, resumed: true }), true)
  }

  enterNext(): Effect.Effect<void> {
    return enterNext(this.turn)
  }

  interruption(flow: CompiledFlow, { id, title }: CompiledFlow): Effect.Effect<Interruption, Failure> {
    const decide = currentStep(this.turn, this.turn.state.session)?.onInterrupt ?? flow.onInterrupt
    return Effect.suspend(() => decide(contextOf(this.turn), { id, title }))
  }

  consumeMessage(): void {
    this.turn.routing.messageConsumed = true
  }

  traceOutranked(
    { id }: CompiledBranch,
    others: ReadonlyArray<Levelled<CompiledBranch>>
  ): Effect.Effect<void, Failure> {
    const waiting = this.waiting()
    return Effect.map(
      Effect.filter(
        others,
        ({ branch, level }) => Effect.gen(() => isMet(this, branch, level === "step" ? waiting : undefined))
      ),
      (held) => {
        for (const { branch } of held) {
          trace(this.turn, "branch_outranked", branch.id, `"${id}" holds as well, and goes first`)
        }
      }
    )
  }
}

const no = Effect.succeed(false)

export const actsOf = (turn: Opened): TurnActs => new TurnActs(turn)

/**
 * Implements the actions that the rules of `domain/walk` perform on a turn: run hooks, change the session, report
 * events.
 */
import * as Effect from "effect/Effect"
import type { Interruption } from "../../domain/authored/Step.js"
import type { CompiledBranch, CompiledFlow, CompiledStep, Test, Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { storable } from "../../domain/directive/StorableDirective.js"
import * as Fields from "../../domain/fields/Fields.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import type { DirectivePhase } from "../../domain/turn/TurnResponse.js"
import { isMet } from "../../domain/walk/choose.js"
import type { Acts, Emission, Endless, FlowHook, Levelled, StepHook } from "../../domain/walk/Ground.js"
import * as Transition from "../../domain/walk/Transition.js"
import { contextOf, runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { end, given, isSilent, note, say, setSession, tell, trace } from "../state/TurnState.js"
import { endless, isRepeatedPosition } from "../walk/circles.js"
import { currentStep, TurnGround } from "../walk/TurnGround.js"
import { accept } from "./acceptDirectives.js"
import { applyWrites, ended, forgetKnown, writeWithoutHooks } from "./dataWrites.js"
import { handOff } from "./handOff.js"
import { enterNext } from "./pendingIntents.js"

const nothing = Effect.void

/** A class, because a turn makes several instances, which share their methods. */
export class TurnActs extends TurnGround implements Acts<Test, CompiledStep, CompiledFlow, Failure> {
  skip(steps: ReadonlyArray<CompiledStep>): void {
    const { currentFlow } = this.turn.state.session
    if (currentFlow === undefined) return
    const { skippedSteps: _, ...flow } = currentFlow
    const ids = Array.from(new Set(steps.map(({ id }) => id)))
    setSession(this.turn, { currentFlow: { ...flow, ...(ids.length > 0 && { skippedSteps: ids }) } })
  }

  isRepeatedPosition(position: string): boolean {
    return isRepeatedPosition(this.turn, position)
  }

  fail(why: Endless): Effect.Effect<never, Failure> {
    return Effect.fail(endless(this.turn, why))
  }

  runStep(step: CompiledStep, hook: StepHook): Effect.Effect<void, Failure> {
    const run = step[hook]
    return run === undefined ? nothing : runHook(this.turn, `step:${step.id}.${hook}`, run)
  }

  runFlow(flow: CompiledFlow, hook: FlowHook): Effect.Effect<void, Failure> {
    const run = flow[hook]
    return run === undefined ? nothing : runHook(this.turn, `flow:${flow.id}.${hook}`, run)
  }

  emit({ directive, matched, source }: Emission): void {
    this.turn.bus.emit(source, directive, matched)
  }

  drain(): ReadonlyArray<Emission> {
    return this.turn.bus.pending === undefined ? [] : this.turn.bus.drain()
  }

  isLeading(): boolean {
    const { pending } = this.turn.bus
    return pending !== undefined && Directive.position(pending) !== undefined
  }

  accept(
    phase: DirectivePhase,
    emissions: ReadonlyArray<Emission>
  ): Effect.Effect<Directive.PreDirective, Failure> {
    return accept(this.turn, phase, emissions)
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
    return this.turn.state.session.agenda === undefined ? nothing : enterNext(this.turn)
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

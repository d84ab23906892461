/**
 * Handles the current flow when another flow takes the floor.
 *
 * @since 0.2.0
 */
import * as Eager from "../../domain/base/Eager.js"
import type { CompiledBranch, CompiledFlow } from "../../domain/definition/Definition.js"
import { findFlow } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import * as Transition from "../../domain/walk/Transition.js"
import { contextOf, runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, get, set } from "../state/TurnState.js"
import { applyDirectives } from "./applyDirectives.js"
import { completeFlow, ended, leaveStep } from "./leave.js"

/** Suspends, drops or completes the current flow, as its `onInterrupt` or that of its step decides. */
export const interrupt = Eager.fn(
  function*(turn: Opened, active: CompiledFlow, next: CompiledFlow): Eager.Steps<void, Failure> {
    const decide = currentStep(turn, get(turn).session)?.onInterrupt ?? active.onInterrupt
    const outcome = yield* decide(yield* contextOf(turn), { id: next.id, title: next.title })
    if (outcome === "complete") {
      yield* completeFlow(turn)
      yield* applyDirectives(turn, "pre")
    } else if (outcome === "drop") {
      yield* leaveStep(turn)
      yield* runHook(turn, `flow:${active.id}.onExit`, active.onExit)
      yield* applyDirectives(turn, "pre")
      if (get(turn).session.currentFlow?.id === active.id) {
        set(turn, { session: Transition.leave(get(turn).session, turn.now, false) })
        ended(turn, [active.id])
      }
    }
    // A flow that a hook has moved to is suspended as well, because the message asks for the other flow.
    set(turn, { session: Transition.suspend(get(turn).session, turn.now, since(turn)) })
  }
)

/** Number of stored messages, if the step or flow has an `onResume` hook, which gets the messages after them. */
const since = (turn: Opened): number | undefined => {
  const { session } = get(turn)
  const hook = currentStep(turn, session)?.onResume ?? currentFlow(turn, session)?.onResume
  return hook === undefined ? undefined : turn.stored.messageCount
}

/**
 * Takes a branch. If the message's words met it and it leads to another flow, it interrupts the current flow as routing
 * does; a branch by code leaves the flow for good. Returns true if the conversation moved.
 */
export const follow = Eager.fn(
  function*(turn: Opened, { id, then, when }: CompiledBranch): Eager.Steps<boolean, Failure> {
    const isMatched = when.length > 0
    const active = currentFlow(turn, get(turn).session)
    const next = isMatched ? targetOf(turn, then) : undefined
    if (active !== undefined && next !== undefined && next.id !== active.id) yield* interrupt(turn, active, next)
    yield* turn.bus.emit(id, then, isMatched)
    return yield* applyDirectives(turn, "branch")
  }
)

const targetOf = (turn: Opened, then: Directive.Directive): CompiledFlow | undefined => {
  const to = Directive.position(then)
  return to?._tag === "GoTo" && to.flow !== undefined
    ? findFlow(turn.runtime.definition.flows, to.flow)
    : undefined
}

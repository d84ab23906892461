/**
 * Ends suspended flows without resuming them: because the message meets one of their own branches, or because
 * `isComplete` holds. The current flow does not change.
 */
import * as Effect from "effect/Effect"
import type { CompiledBranch, CompiledFlow } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { isMet } from "../../domain/walk/choose.js"
import * as Transition from "../../domain/walk/Transition.js"
import { runHook } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { tell, trace } from "../state/TurnState.js"
import { asides, isDone } from "../walk/conditions.js"
import { currentFlow, flowOf } from "../walk/TurnGround.js"
import { applyDirectives } from "./applyDirectives.js"
import { ended } from "./dataWrites.js"
import { actsOf } from "./TurnActs.js"

/** Ends the suspended flows whose own branches the message meets. */
export const leaveAside = Effect.fnUntraced(function*(turn: Opened) {
  for (const { branch, flow } of asides(turn)) {
    if (isSuspended(turn, flow) && (yield* isMet(actsOf(turn), branch, undefined))) {
      yield* endByBranch(turn, flow, branch)
    }
  }
})

/** Completes the suspended flows whose `isComplete` holds, without resuming them. */
export const dropFinished = Effect.fnUntraced(function*(turn: Opened) {
  for (const { flow: { id } } of turn.state.session.suspended.toReversed()) {
    const flow = flowOf(turn, id)
    if (flow === undefined || !isSuspended(turn, flow) || !(yield* isDone(turn, flow))) continue
    yield* end(turn, flow, undefined)
    yield* applyDirectives(turn, "post")
  }
})

const isSuspended = (turn: Opened, { id }: CompiledFlow): boolean =>
  turn.state.session.suspended.some(({ flow }) => flow.id === id)

const endByBranch = Effect.fnUntraced(
  function*(turn: Opened, flow: CompiledFlow, { id, then, when }: CompiledBranch) {
    const to = Directive.position(then)
    yield* end(turn, flow, to?._tag === "Abort" ? to.reason : undefined)
    if (to?._tag === "Complete" && to.next !== undefined && Directive.position(to.next) !== undefined) {
      traceDropped(turn, id, flow)
    }
    turn.bus.emit(id, Directive.staying(then), when.length > 0)
    yield* applyDirectives(turn, "branch")
  }
)

/**
 * Runs the hooks and removes the flow from the stack. The flow counts as aborted if a reason is given, otherwise as
 * completed.
 */
const end = Effect.fnUntraced(
  function*(turn: Opened, flow: CompiledFlow, reason: string | undefined) {
    yield* runHooks(turn, flow, reason === undefined)
    const { session } = turn.state
    turn.routing.aside = new Set([...turn.routing.aside, flow.id])
    turn.state.session = Transition.leaveWaiting(session, flow.id, turn.now, reason === undefined)
    ended(turn, [flow.id], currentFlow(turn, session)?.fields)
    yield* tell(
      turn,
      reason === undefined
        ? { _tag: "FlowCompleted", flowId: flow.id }
        : { _tag: "FlowAborted", flowId: flow.id, reason }
    )
  }
)

/**
 * Runs the exit hooks of a suspended flow. Their writes are kept; their moves and replies are dropped, because another
 * flow is current.
 */
const runHooks = Effect.fnUntraced(function*(turn: Opened, flow: CompiledFlow, completes: boolean) {
  const position = turn.state.session.suspended.find((one) => one.flow.id === flow.id)?.step
  const step = position?.pending === true ? undefined : flow.steps.find(({ id }) => id === position?.id)
  yield* runHook(turn, `step:${step?.id}.onExit`, step?.onExit)
  if (completes) yield* runHook(turn, `flow:${flow.id}.onComplete`, flow.onComplete)
  yield* runHook(turn, `flow:${flow.id}.onExit`, flow.onExit)
  for (const { directive, source } of turn.bus.drain()) {
    if (Directive.position(directive) !== undefined) traceDropped(turn, source, flow)
    if (directive.reply !== undefined) {
      trace(turn, "reply_not_said", source, `flow "${flow.id}" ended while it was suspended`)
    }
    const { halt: _h, reply: _r, ...writes } = Directive.staying(directive)
    turn.bus.emit(source, writes)
  }
})

const traceDropped = (turn: Opened, source: string, { id }: CompiledFlow): void =>
  trace(turn, "position_dropped", source, `flow "${id}" ended while it was suspended, so it leads nowhere`)

/**
 * Leaves steps and flows, and completes flows: the hooks around the pure transitions.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import type { CompiledStep } from "../../domain/definition/Definition.js"
import { findFlow } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Transition from "../../domain/walk/Transition.js"
import { runHook } from "../state/callbacks.js"
import type { Failure, Opened } from "../state/TurnState.js"
import { currentFlow, currentStep, get, set, setSession, tell } from "../state/TurnState.js"
import { enterNext } from "./pendingIntents.js"

/** Runs the exit hook of the current step, if the step was entered and is not `next` itself. */
export const leaveStep = (turn: Opened, next?: CompiledStep): Effect.Effect<void, Failure> =>
  Eager.suspend(() => {
    const { session } = get(turn)
    const step = currentStep(turn, session)
    return step === undefined || step === next || session.currentStep?.pending === true
      ? Effect.void
      : runHook(turn, `step:${step.id}.onExit`, step.onExit)
  })

/** Moves the conversation back to a step of the current flow, which is then entered again. */
export const goBack = Eager.fn(function*(turn: Opened, step: CompiledStep): Eager.Steps<void, Failure> {
  yield* leaveStep(turn, step)
  setSession(turn, { currentStep: { id: step.id, enteredAt: turn.now, spoken: false, pending: true } })
})

/** Runs the exit hooks of the step and flow that a move leaves. */
export const exitHooks = Eager.fn(function*(turn: Opened, to: Directive.Position): Eager.Steps<void, Failure> {
  const { session } = get(turn)
  const flow = currentFlow(turn, session)
  yield* leaveStep(turn)
  if (flow === undefined) return
  const target = to._tag === "GoTo" && to.flow !== undefined
    ? findFlow(turn.runtime.definition.flows, to.flow)?.id
    : flow.id
  if (to._tag === "Abort" || target !== flow.id) yield* runHook(turn, `flow:${flow.id}.onExit`, flow.onExit)
})

/**
 * Completes the current flow: runs its hooks, closes its entry in the history, and continues with the directive of
 * `onComplete`, or with `next`, which outranks it, or with the suspended flow. Returns true if there was a flow to
 * complete.
 */
export const completeFlow = Eager.fn(
  function*(turn: Opened, next?: Directive.Directive): Eager.Steps<boolean, Failure> {
    const { session } = get(turn)
    const flow = currentFlow(turn, session)
    if (flow === undefined) {
      // There is no flow to complete, for example in `complete.next`: the suspended flow resumes all the same.
      yield* takeFloor(turn)
      return false
    }
    yield* leaveStep(turn)
    yield* runHook(turn, `flow:${flow.id}.onComplete`, flow.onComplete)
    yield* runHook(turn, `flow:${flow.id}.onExit`, flow.onExit)
    if (next !== undefined) yield* turn.bus.emit(`flow:${flow.id}.complete.next`, next)
    const follows = Directive.position(yield* turn.bus.peek)
    set(turn, { session: Transition.leave(get(turn).session, turn.now, true) })
    ended(turn, [flow.id])
    yield* tell(turn, { _tag: "FlowCompleted", flowId: flow.id })
    if (follows === undefined) yield* takeFloor(turn)
    return true
  }
)

/** Aborts the current flow: runs its hooks, and resumes the suspended flow. */
export const abortFlow = Eager.fn(function*(
  turn: Opened,
  to: Extract<Directive.Position, { readonly _tag: "Abort" }>
): Eager.Steps<void, Failure> {
  const flow = currentFlow(turn, get(turn).session)
  yield* exitHooks(turn, to)
  const { session } = get(turn)
  set(turn, { session: Transition.abandon(session, to, turn.now) })
  ended(turn, [
    ...(flow === undefined ? [] : [flow.id]),
    ...(to.stack ? session.suspended.map((one) => one.flow.id) : [])
  ])
  yield* tell(turn, { _tag: "FlowAborted", ...(flow !== undefined && { flowId: flow.id }), reason: to.reason })
  yield* takeFloor(turn)
})

/**
 * Clears the flow-scoped values of ended flows. Before routing it is not known which flow the values of this message
 * belong to, so clearing is delayed until then.
 */
export const ended = (turn: Opened, flowIds: ReadonlyArray<string>, shared: ReadonlyArray<string> = []): void => {
  const { positionFixed, ended: before, routed, session } = get(turn)
  const all = [...before, ...flowIds.map((flowId) => ({ flowId, shared }))]
  if (all.length === 0 || !(routed || positionFixed)) return set(turn, { ended: all })
  const { flows } = turn.runtime.definition
  const { record } = get(turn)
  const stated = currentFlow(turn, session)?.fields.filter((name) => TurnRecord.states(record, name)) ?? []
  set(turn, {
    ended: [],
    session: all.reduce(
      (after, { flowId, shared }) => Transition.expire(flows, after, flowId, new Set([...stated, ...shared])),
      session
    )
  })
}

/** If the floor is free after routing, gives it to the last suspended flow, else to the next flow on the agenda. */
export const takeFloor = Eager.fn(function*(turn: Opened): Eager.Steps<void> {
  const { positionFixed, routed, session } = get(turn)
  if (session.currentFlow !== undefined || !(routed || positionFixed)) return
  const resumed = Transition.pop(session)
  if (resumed === session) return yield* enterNext(turn)
  set(turn, { session: resumed })
  const { id, title } = resumed.currentFlow!
  yield* tell(turn, { _tag: "FlowEntered", flowId: id, title, resumed: true })
})

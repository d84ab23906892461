/**
 * The agenda: flows that a message asked for in addition to the one it entered. Each is kept for a number of messages,
 * and entered once there is no current or suspended flow.
 */
import * as Effect from "effect/Effect"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import type { Session, Wish } from "../../domain/session/Session.js"
import * as TurnRecord from "../../domain/turn/TurnRecord.js"
import * as Transition from "../../domain/walk/Transition.js"
import { allHold } from "../state/callbacks.js"
import type { Opened } from "../state/TurnState.js"
import { trace } from "../state/TurnState.js"
import { isDone } from "../walk/conditions.js"
import { flowOf } from "../walk/TurnGround.js"

/** True if a flow that is not in progress may be entered. */
export const isEnterable = (turn: Opened, session: Session, flow: CompiledFlow): Effect.Effect<boolean> => {
  if (flow.reentrant === false && Transition.isCompleted(session, flow.id)) return no
  // Fast path: most flows have no predicates, and every message tests every flow.
  return flow.if.length + flow.isComplete.length === 0 ? yes : isAllowed(turn, session, flow)
}

const yes = Effect.succeed(true)
const no = Effect.succeed(false)

/** True if the flow's predicates allow entering it. */
const isAllowed = Effect.fnUntraced(function*(turn: Opened, session: Session, flow: CompiledFlow) {
  // A flow that clears its values on entry is not complete after entry, even if `isComplete` holds now.
  if (!Transition.beginsAnew(session, flow) && (yield* isDone(turn, flow))) return false
  return yield* allHold(turn, `flow:${flow.id}.if`, flow.if)
})

const write = (turn: Opened, wishes: ReadonlyArray<Wish>): void => {
  const { agenda: _, ...session } = turn.state.session
  turn.state.session = { ...session, ...(wishes.length > 0 && { agenda: wishes }) }
}

/** Counts one message for each flow on the agenda; removes flows that have waited for too many messages. */
export const expire = (turn: Opened, agenda: ReadonlyArray<Wish>): void => {
  const older = agenda.map((wish) => ({ ...wish, turns: wish.turns - 1 }))
  for (const { flowId, turns } of older) {
    if (turns <= 0) trace(turn, "agenda_lapsed", flowId, "it was asked for too long ago and is not entered any more")
  }
  write(turn, older.filter(({ turns }) => turns > 0))
}

/** Adds flows that this message asks for but does not enter to the agenda. */
export const queue = (turn: Opened, flows: ReadonlyArray<CompiledFlow>): void => {
  const { definition: { pendingIntentTurns } } = turn.runtime
  const { record, session } = turn.state
  const wishes = flows.map(({ fields, id, title }): Wish => ({
    flowId: id,
    title,
    message: turn.message,
    fields: fields.filter((name) => TurnRecord.states(record, name)),
    turns: pendingIntentTurns
  }))
  const others = session.agenda?.filter(({ flowId }) => !wishes.some((wish) => wish.flowId === flowId)) ?? []
  write(turn, [...others, ...wishes])
}

/**
 * Enters the next flow on the agenda if there is no current or suspended flow. Drops flows that can no longer be
 * entered.
 */
export const enterNext = Effect.fnUntraced(function*(turn: Opened) {
  const { session } = turn.state
  if (session.currentFlow !== undefined || session.suspended.length > 0) return
  for (const wish of session.agenda ?? []) {
    const flow = flowOf(turn, wish.flowId)
    if (flow === undefined || !(yield* isEnterable(turn, session, flow))) {
      trace(turn, "agenda_dropped", wish.flowId, "it can no longer be entered")
      write(turn, turn.state.session.agenda?.filter((one) => one !== wish) ?? [])
      continue
    }
    const entered = Transition.enter(turn.state.session, flow, turn.now, new Set(wish.fields))
    const { message: askedBefore } = wish
    turn.routing.fromAgenda = new Set([...turn.routing.fromAgenda, flow.id])
    turn.state.session = {
      ...entered,
      currentFlow: { ...entered.currentFlow!, ...(askedBefore !== turn.message && { askedBefore }) }
    }
    return
  }
})

/**
 * Selects the values of the last completed flow that a message can still correct, and the values that are cleared when a
 * flow is entered again.
 */
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import { without } from "../../domain/fields/Fields.js"
import type { Session } from "../../domain/session/Session.js"
import * as Transition from "../../domain/walk/Transition.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { branchesHere } from "../walk/conditions.js"
import { correctable, flowOf } from "../walk/TurnGround.js"

type Flows = ReadonlyArray<CompiledFlow>

const fieldsOfWaiting = (turn: Opened, session: Session): ReadonlyArray<string> =>
  Transition.fieldsOfWaiting(turn.runtime.definition.flows, session)

/**
 * Returns the fields of the last completed flow that can still be corrected, except fields that a suspended flow needs.
 */
export const fieldsOver = (turn: Opened, session: Session): ReadonlySet<string> => {
  const over = correctable(turn)
  if (over === undefined) return new Set()
  const waiting = fieldsOfWaiting(turn, session)
  return new Set(over.fields.filter((name) => !waiting.includes(name)))
}

/** Returns the flows that have ended and clear their values when they are entered again. */
const forgetful = (turn: Opened, session: Session): Flows =>
  session.flowHistory.flatMap(({ flowId }) => {
    const flow = flowOf(turn, flowId)
    return flow !== undefined && Transition.beginsAnew(session, flow) ? [flow] : []
  })

/**
 * Returns the session without the values that are cleared when flows are entered again. A value stays if another flow
 * to which the message may lead uses it, or if the message can correct it.
 */
export const withoutPast = (turn: Opened, session: Session, candidates: Flows): Session => {
  const past = forgetful(turn, session)
  if (past.length === 0) return session
  const others = candidates.filter((flow) => !past.includes(flow))
  const current = flowOf(turn, session.currentFlow?.id)
  const goesOn = [...fieldsOfWaiting(turn, session), ...current?.fields ?? [], ...correctable(turn)?.fields ?? []]
  const gone = new Set(
    past.flatMap(({ clearable }) => clearable).filter((name) =>
      !goesOn.includes(name) && !others.some(({ fields }) => fields.includes(name))
    )
  )
  return { ...session, ...without(session, gone) }
}

/** The answers about a message that decide which flows it starts. */
type Judged = Pick<Understanding.Answers, "flowScores" | "conditions">

/** True if the message asks for the flow, or meets a branch in words that leads to the flow. */
export const isWanted = (turn: Opened, { conditions, flowScores }: Judged, { id, title }: CompiledFlow): boolean =>
  (ownValue(flowScores, id) ?? 0) >= turn.runtime.definition.flowThreshold ||
  branchesHere(turn).some((branch) => {
    const to = conditions[branch.id] === true ? Directive.position(branch.then) : undefined
    return to?._tag === "GoTo" && (to.flow === id || to.flow === title)
  })

/**
 * Returns the session to which a message with these answers adds its values. If the message starts an ended flow again,
 * the flow's values are removed, even if the message could have corrected them.
 */
export const withoutBegun = (turn: Opened, session: Session, judged: Judged): Session => {
  const begun = forgetful(turn, session).filter((flow) => isWanted(turn, judged, flow))
  if (begun.length === 0) return session
  const goesOn = [...fieldsOfWaiting(turn, session), ...flowOf(turn, session.currentFlow?.id)?.fields ?? []]
  const gone = begun.flatMap(({ clearable }) => clearable).filter((name) => !goesOn.includes(name))
  return { ...session, ...without(session, gone) }
}

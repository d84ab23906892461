/**
 * The flows that a message may lead to, and how it is asked about them. With a thousand flows, going through all of them
 * takes most of a turn, so only those are looked at that code has a say in, and the same flows come as the same list:
 * what is made of a list is kept with it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Eager from "../../domain/base/Eager.js"
import * as Memo from "../../domain/base/Memo.js"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { isEnterable } from "../flow/pendingIntents.js"
import type { Opened } from "../state/TurnState.js"
import { flowOf } from "../state/TurnState.js"

type Flows = ReadonlyArray<CompiledFlow>
type Questions = Understanding.Questions["flows"]

/** How many lists without some flows are kept of an agent, and how many lists of questions of each. */
const capacity = 16

/** The flows that code has a say in. */
const withCode = Memo.weak((flows: Flows): Flows => flows.filter((flow) => flow.if.length + flow.isComplete.length > 0))

const listsOf = Memo.weak((_: Flows) => Memo.lru<Flows>(capacity))

const without = (flows: Flows, closed: Flows): Flows => {
  if (closed.length === 0) return flows
  const left = new Set(closed)
  return listsOf(flows)(
    JSON.stringify(closed.map(({ id }) => id)),
    () => flows.filter((flow) => !left.has(flow))
  )
}

/** Whether a flow is under way, so that it counts in any case. */
const isUnderWay = ({ currentFlow, suspended }: Session, { id }: CompiledFlow): boolean =>
  id === currentFlow?.id || suspended.some(({ flow }) => flow.id === id)

/** The flows that have been completed, and may be only once. */
const over = (turn: Opened, session: Session): Flows =>
  session.flowHistory.flatMap(({ completed, flowId }) => {
    const flow = completed ? flowOf(turn, flowId) : undefined
    return flow?.reentrant === false && !isUnderWay(session, flow) ? [flow] : []
  })

/** The flows whose `if` passes and which may still be entered; the active one always counts. */
export const eligibleFlows = (turn: Opened, session: Session): Effect.Effect<Flows> => {
  const { flows } = turn.runtime.definition
  return Eager.map(
    Eager.filter(withCode(flows), (flow) =>
      isUnderWay(session, flow)
        ? Effect.succeed(false)
        : Eager.map(isEnterable(turn, session, flow), (enterable) => !enterable)),
    (closed) => without(flows, [...over(turn, session), ...closed])
  )
}

/** A flow that has not got the floor, as it is asked. */
const questionOf = Memo.weak(({ description, id, title, when }: CompiledFlow): Questions[number] => ({
  id,
  title,
  ...(description !== undefined && { description }),
  when,
  active: false
}))

const questionsOf = Memo.list((flows: Flows) => {
  const recent = Memo.lru<Questions>(capacity)
  return (active: string): Questions =>
    recent(
      active,
      () => flows.map((flow) => flow.id === active ? { ...questionOf(flow), active: true } : questionOf(flow))
    )
})

/** How a message is asked about flows. */
export const asked = (flows: Flows, active: CompiledFlow | undefined): Questions => questionsOf(flows)(active?.id ?? "")

/** The fields that flows declare. */
export const fieldsOf = Memo.list((flows: Flows): ReadonlyArray<string> =>
  Array.from(new Set(flows.flatMap(({ fields }) => fields)))
)

/** What a message says of the flows that it was asked about, 0 to 100: of all, and of those of which it says anything. */
export interface Scores {
  readonly all: Readonly<Record<string, number>>
  readonly positive: Readonly<Record<string, number>>
}

export const scoresOf = (flows: Questions, given: Readonly<Record<string, unknown>>): Scores => {
  // A copy of a record is made in one go. Putting a thousand keys together takes two hundred times as long.
  const all = { ...unscored(flows) }
  const positive: Record<string, number> = {}
  for (const id of Object.keys(given)) {
    const score = scoreOf(given[id])
    if (score > 0 && Object.hasOwn(all, id)) all[id] = positive[id] = score
  }
  return { all, positive }
}

const unscored = Memo.list((flows: Questions): Scores["all"] => Object.fromEntries(flows.map(({ id }) => [id, 0])))

const scoreOf = (given: unknown): number =>
  typeof given === "number" && !Number.isNaN(given) ? Math.min(100, Math.max(0, given)) : 0

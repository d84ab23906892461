/**
 * The flows to which a message may lead, and the questions about them. In an agent with a thousand flows, a test of
 * each flow would take most of a turn: so only flows with predicates are tested, and equal lists are the same object,
 * so that results computed from them are cached.
 */
import * as Effect from "effect/Effect"
import * as Memo from "../../domain/base/Memo.js"
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import type { Session } from "../../domain/session/Session.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import { isEnterable } from "../flow/pendingIntents.js"
import type { Opened } from "../state/TurnState.js"
import { flowOf } from "../walk/TurnGround.js"

type Flows = ReadonlyArray<CompiledFlow>
type Questions = Understanding.Questions["flows"]

/** Number of lists of enterable flows cached per agent, and of lists of questions cached per list of flows. */
const capacity = 16

const listsOf = Memo.weak((_: Flows) => Memo.lru<Flows>(capacity))

const without = (flows: Flows, closed: Flows): Flows => {
  if (closed.length === 0) return flows
  const left = new Set(closed)
  return listsOf(flows)(
    JSON.stringify(closed.map(({ id }) => id)),
    () => flows.filter((flow) => !left.has(flow))
  )
}

/** True if a flow is current or suspended, and so is always eligible. */
const isUnderWay = ({ currentFlow, suspended }: Session, { id }: CompiledFlow): boolean =>
  id === currentFlow?.id || suspended.some(({ flow }) => flow.id === id)

/** Returns the flows that were completed and may run only once. */
const over = (turn: Opened, session: Session): Flows =>
  session.flowHistory.flatMap(({ completed, flowId }) => {
    const flow = completed ? flowOf(turn, flowId) : undefined
    return flow?.reentrant === false && !isUnderWay(session, flow) ? [flow] : []
  })

/** The flows whose `if` passes and which may still be entered; the current flow is always included. */
export const eligibleFlows = (turn: Opened, session: Session): Effect.Effect<Flows> => {
  const { flows, guardedFlows } = turn.runtime.definition
  return Effect.map(
    Effect.filter(guardedFlows, (flow) =>
      isUnderWay(session, flow)
        ? Effect.succeed(false)
        : Effect.map(isEnterable(turn, session, flow), (enterable) => !enterable)),
    (closed) => without(flows, [...over(turn, session), ...closed])
  )
}

/**
 * Returns the candidates and the flows that are over, in the order of the definition: the flows that a prompt lists, so
 * that it does not change when a flow ends.
 */
export const listedFlows = (turn: Opened, session: Session, candidates: Flows): Flows => {
  const past = over(turn, session).filter((flow) => flow.if.length === 0)
  if (past.length === 0) return candidates
  const listed = new Set([...candidates, ...past])
  const { flows } = turn.runtime.definition
  return without(flows, flows.filter((flow) => !listed.has(flow)))
}

/** Returns the question about a flow that is not current. */
const questionOf = Memo.weak(({ description, example, fields, id, title, when }: CompiledFlow): Questions[number] => ({
  id,
  title,
  ...(description !== undefined && { description }),
  ...(example !== undefined && { example }),
  fields,
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

/** Returns the questions about the flows, with the current flow marked as active. */
export const asked = (flows: Flows, active: CompiledFlow | undefined): Questions => questionsOf(flows)(active?.id ?? "")

/** The fields that these flows declare. */
export const fieldsOf = Memo.list((flows: Flows): ReadonlyArray<string> =>
  Array.from(new Set(flows.flatMap(({ fields }) => fields)))
)

/** The scores (0 to 100) of the flows in the questions: `all` of them, and those above 0. */
interface Scores {
  readonly all: Readonly<Record<string, number>>
  readonly positive: Readonly<Record<string, number>>
}

export const scoresOf = (flows: Questions, given: Readonly<Record<string, unknown>>): Scores => {
  // Copying a record is two hundred times faster than building one with a thousand keys.
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

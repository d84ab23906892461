/**
 * Which of many flows a message is asked about first, and whether it has to be asked about the others too.
 *
 * @since 0.1.0
 */
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { get } from "../state/TurnState.js"
import { waitingStep } from "../walk/conditions.js"
import { hasPrefilled } from "./prefilled.js"

/**
 * The flows that the message may be close to, and those that are under way or waited for. A message that tells nothing by
 * itself is asked about all, unless a question waits for it.
 */
export const near = (turn: Opened, candidates: ReadonlyArray<CompiledFlow>): ReadonlyArray<CompiledFlow> => {
  const { shortlist } = turn.runtime.definition
  if (shortlist === undefined || candidates.length <= shortlist.flows || isForAny(turn)) return candidates
  const close = shortlist.closest(turn.message).filter((id) => candidates.some((flow) => flow.id === id))
  if (close.length === 0 && (waitingStep(turn)?.collect ?? []).length === 0) return candidates
  const kept = new Set([...close.slice(0, shortlist.flows), ...underWay(turn)])
  return candidates.filter(({ id }) => kept.has(id))
}

/** What came with the message, and is not asked about, may be for any flow. */
const isForAny = ({ input }: Opened): boolean => input._tag === "Message" && hasPrefilled(input)

/** The active flow, those that were interrupted, and those on the agenda. */
const underWay = (turn: Opened): ReadonlyArray<string> => {
  const { agenda = [], currentFlow, suspended } = get(turn).session
  return [
    ...(currentFlow === undefined ? [] : [currentFlow.id]),
    ...suspended.map(({ flow }) => flow.id),
    ...agenda.map(({ flowId }) => flowId)
  ]
}

/** Whether the message was for one of the flows that it was asked about: it wants one, or says something to one. */
export const isFound = (
  turn: Opened,
  asked: Understanding.Questions,
  { conditions, dontCare = [], fields, flowScores, withdrawn = [] }: Understanding.Answers
): boolean => {
  const { flowThreshold } = turn.runtime.definition
  return asked.flows.some(({ id }) => (flowScores[id] ?? 0) >= flowThreshold) ||
    asked.fields.some(({ name }) => fields[name] !== undefined && fields[name] !== null) ||
    asked.conditions.some(({ id }) => conditions[id] === true) || withdrawn.length + dontCare.length > 0
}

/** Two sets of questions as one; what both ask is asked once. */
export const joined = (first: Understanding.Questions, more: Understanding.Questions): Understanding.Questions => ({
  ...first,
  flows: [...first.flows, ...more.flows],
  fields: [...first.fields, ...more.fields],
  conditions: [...first.conditions, ...more.conditions]
})

/** The answers to both. */
export const together = (first: Understanding.Answers, more: Understanding.Answers): Understanding.Answers => ({
  ...first,
  ...(more.withdrawn !== undefined && { withdrawn: more.withdrawn }),
  ...(more.dontCare !== undefined && { dontCare: more.dontCare }),
  flowScores: { ...more.flowScores, ...first.flowScores },
  fields: { ...more.fields, ...first.fields },
  conditions: { ...more.conditions, ...first.conditions }
})

/** Selects the flows for the first questions to Understanding, and decides whether to ask about the other flows too. */
import { ownValue } from "../../domain/base/ownValue.js"
import type { CompiledFlow, Definition } from "../../domain/definition/Definition.js"
import type * as Understanding from "../../services/understanding/Understanding.js"
import type { Opened } from "../state/TurnState.js"
import { waitingStep } from "../walk/conditions.js"
import { hasPrefilled } from "./prefilled.js"

/**
 * Returns the flows that the message may ask for, the flows in progress, and the flows on the agenda. Returns all
 * candidates if the message resembles no flow, unless it may answer the waiting step's question.
 */
export const near = (
  turn: Opened,
  shortlist: NonNullable<Definition["shortlist"]>,
  candidates: ReadonlyArray<CompiledFlow>
): ReadonlyArray<CompiledFlow> => {
  if (candidates.length <= shortlist.flows || isForAny(turn)) return candidates
  const close = shortlist.closest(turn.message).filter((id) => candidates.some((flow) => flow.id === id))
  if (close.length === 0 && (waitingStep(turn)?.collect ?? []).length === 0) return candidates
  const kept = new Set([...close.slice(0, shortlist.flows), ...underWay(turn)])
  return candidates.filter(({ id }) => kept.has(id))
}

/** True if the message has form values or the client's own judgement, because these may belong to any flow. */
const isForAny = ({ input }: Opened): boolean => input._tag === "Message" && hasPrefilled(input)

/** Returns the ids of the current flow, of suspended flows and of flows on the agenda. */
export const underWay = (turn: Opened): ReadonlyArray<string> => {
  const { agenda = [], currentFlow, suspended } = turn.state.session
  return [
    ...(currentFlow === undefined ? [] : [currentFlow.id]),
    ...suspended.map(({ flow }) => flow.id),
    ...agenda.map(({ flowId }) => flowId)
  ]
}

/**
 * True if the first answers concern the first questions: the message asks for one of their flows, states, withdraws or
 * leaves open a value, or meets a condition.
 */
export const isFound = (
  turn: Opened,
  asked: Understanding.Questions,
  { conditions, dontCare = [], fields, flowScores, withdrawn = [] }: Understanding.Answers
): boolean => {
  const { flowThreshold } = turn.runtime.definition
  return asked.flows.some(({ id }) => (ownValue(flowScores, id) ?? 0) >= flowThreshold) ||
    asked.fields.some(({ name }) => ownValue(fields, name) !== undefined && fields[name] !== null) ||
    asked.conditions.some(({ id }) => ownValue(conditions, id) === true) || withdrawn.length + dontCare.length > 0
}

/** Merges the questions of the first and the second round. */
export const joined = (first: Understanding.Questions, more: Understanding.Questions): Understanding.Questions => ({
  ...first,
  flows: [...first.flows, ...more.flows],
  fields: [...first.fields, ...more.fields],
  conditions: [...first.conditions, ...more.conditions]
})

/** Merges the answers of the first and the second round; if both answer the same question, the first answer is kept. */
export const together = (first: Understanding.Answers, more: Understanding.Answers): Understanding.Answers => ({
  ...first,
  ...(more.withdrawn !== undefined && { withdrawn: more.withdrawn }),
  ...(more.dontCare !== undefined && { dontCare: more.dontCare }),
  flowScores: { ...more.flowScores, ...first.flowScores },
  fields: { ...more.fields, ...first.fields },
  conditions: { ...more.conditions, ...first.conditions }
})

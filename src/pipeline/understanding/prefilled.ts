/**
 * Answers that the client sends with a message: form values (`values`) and its own judgement of the message
 * (`understood`).
 */
import type { CompiledFlow } from "../../domain/definition/Definition.js"
import type { Understood } from "../../domain/session/Understood.js"
import * as Understanding from "../../services/understanding/Understanding.js"
import type { Message } from "../state/Input.js"
import type { Opened } from "../state/TurnState.js"
import { isDirected, trace } from "../state/TurnState.js"
import { removal } from "./fieldQuestions.js"

/** True if the client sends form values, or its own judgement, with the message. */
export const hasPrefilled = ({ understood, values = {} }: Message): boolean =>
  understood !== undefined || Object.keys(values).length > 0

/** Returns the questions that the form values and the client's own judgement (`understood`) leave unanswered. */
export const remainingQuestions = (
  questions: Understanding.Questions,
  { understood = {}, values: filledIn = {} }: Message
): Understanding.Questions => {
  const { conditions = {}, flow, signals = {}, values = {} } = understood
  const given = questions.fields.filter(({ name }) => Object.hasOwn(filledIn, name) || Object.hasOwn(values, name))
  // A list without a known value has no items to remove, so its question about removals is dropped too.
  const answered = new Set(given.flatMap(({ known, name }) => known ? [name] : [name, `${name}${removal}`]))
  return {
    ...questions,
    flows: flow === undefined ? questions.flows : [],
    fields: questions.fields.filter(({ name }) => !answered.has(name)),
    conditions: questions.conditions.filter(({ id }) => !Object.hasOwn(conditions, id)),
    signals: questions.signals.filter(({ id }) => !Object.hasOwn(signals, id))
  }
}

/**
 * Merges the form values and the client's own judgement into Understanding's answers, so that later code treats them
 * alike. Returns undefined if there are no answers at all.
 */
export const mergeAnswers = (
  given: Understanding.Answers | undefined,
  message: Message
): Understanding.Answers | undefined => {
  if (!hasPrefilled(message)) return given
  const { understood = {}, values = {} } = message
  const answers = given ?? Understanding.none
  return {
    ...answers,
    ...(understood.flow !== undefined && { flowScores: { [understood.flow]: 100 } }),
    fields: { ...answers.fields, ...understood.values, ...values },
    conditions: { ...answers.conditions, ...understood.conditions },
    signals: { ...answers.signals, ...judgements(understood) }
  }
}

const judgements = ({ signals = {} }: Understood): Understanding.Answers["signals"] =>
  Object.fromEntries(
    Object.entries(signals).map(([id, judgement]) => [
      id,
      typeof judgement === "boolean" ? { matched: judgement, reason: "" } : { reason: "", ...judgement }
    ])
  )

/** Adds a trace entry if the client's own judgement names a flow that this message cannot enter. */
export const traceLeft = (turn: Opened, flow: string, candidates: ReadonlyArray<CompiledFlow>): void => {
  if (isDirected(turn) || candidates.some(({ id }) => id === flow)) return
  trace(turn, "flow_not_taken", flow, "the request says that the message wants this flow, which cannot be entered now")
}

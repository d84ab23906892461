/** Formats remarks about a turn, shown beside the conversation. */
import type { Form, Suggestion } from "../domain/authored/Form.js"
import type { Values } from "../domain/definition/Definition.js"
import type { Person } from "../domain/session/HandOver.js"
import type { Session } from "../domain/session/Session.js"
import type { TurnEvent } from "../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../domain/turn/TurnResponse.js"

const shown = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value) ?? String(value)

const fields = (data: Values): string =>
  Object.entries(data).flatMap(([name, value]) => value === undefined ? [] : [`${name} ${shown(value)}`]).join(", ")

/**
 * Describes an event for a reader who already sees the conversation's text; undefined for an event that is not shown.
 */
export const of = (event: TurnEvent<Values, Values>): string | undefined => {
  switch (event._tag) {
    case "DataCollected":
      return Object.keys(event.data).length === 0 ? undefined : `collected: ${fields(event.data)}`
    case "DataCleared":
      return `forgotten: ${event.fields.join(", ")}`
    case "FlowEntered":
      return event.resumed ? `back to: ${event.title}` : `flow: ${event.title}`
    case "FlowCompleted":
      return `completed: ${event.flowId}`
    case "ToolCallStarted":
      return `tool: ${event.name} ${JSON.stringify(event.params)}`
    case "ToolCallCompleted":
      return `tool: ${event.name}: ${event.outcome} ${shown(event.output)}`
    case "Interrupted":
      return "stopped"
    default:
      return undefined
  }
}

/** Describes an event in detail, to explain why the turn went as it did. */
export const traceOf = (event: TurnEvent<Values, Values>): string | undefined => {
  switch (event._tag) {
    case "Understood":
      return `understood: ${
        Object.entries(event.flowScores).map(([flow, score]) => `${flow} ${score}`).join(", ") || "no flow asked about"
      }`
    case "StepEntered":
      return `step: ${event.flowId} / ${event.stepId}`
    case "SignalFired":
      return `signal: ${event.firing.signalId}`
    case "ModelCallFinished": {
      const { failure, finishReason, model, purpose, usage } = event
      const how = failure === undefined ? finishReason : `${failure.reason}: ${failure.message}`
      return `model call: ${purpose} by ${model}, ${how}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`
    }
    default:
      return undefined
  }
}

/** Lists every directive of a turn, the rejected values, the trace, and the use of models. */
export const summary = (response: TurnResponse<Values, Values>): ReadonlyArray<string> => [
  ...response.directiveChain.map(({ applied, directive, phase, source }) =>
    `directive: ${source} (${phase}) ${JSON.stringify(directive)}${applied ? "" : ", not applied"}`
  ),
  ...response.rejected.map(({ field, message }) => `rejected: ${field}, ${message}`),
  ...response.trace.map(({ kind, message, source }) => `${kind}: ${source}, ${message}`),
  `turn: ${response.stoppedReason}, ${response.usage.modelCalls} model calls`
]

const nameOf = (by: Person | undefined): string =>
  by === undefined ? "waits for a person" : typeof by === "string" ? by : by.name ?? by.id

/** Lists partially known values, and the person who has taken over from the agent; usually empty. */
export const halfway = ({ handOver, partial }: Session<Values, Values>): ReadonlyArray<string> => [
  ...(partial === undefined ? [] : [`in part: ${fields(partial)}`]),
  ...(handOver === undefined ? [] : [`floor: ${nameOf(handOver.by)}`])
]

/** The values or messages that somebody may choose, in one line. */
const chosen = (suggestions: ReadonlyArray<Suggestion>): string =>
  suggestions.map(({ label, value }) => value === label ? label : `${label} (${shown(value)})`).join(" | ")

/** Describes the form of the waiting step: its suggested answers, and each field with what it takes. Empty for a plain question. */
export const expected = ({ properties, required, suggestions = [], title }: Form): ReadonlyArray<string> => {
  const fields = Object.entries(properties).map(([name, field]) => {
    const about = field.description ?? (typeof field.type === "string" ? field.type : undefined)
    const choices = field.suggestions === undefined ? "" : `: ${chosen(field.suggestions)}`
    return `  ${field.title}${required.includes(name) ? "" : " (optional)"}${
      about === undefined ? "" : `, ${about}`
    }${choices}`
  })
  const isForm = fields.length > 1 || Object.values(properties).some((field) => field.suggestions !== undefined)
  return [
    ...(isForm ? [`form${title === undefined ? "" : ` "${title}"`}, answer in your own words:`, ...fields] : []),
    ...(suggestions.length > 0 ? [`choices: ${chosen(suggestions)}`] : [])
  ]
}

/** Describes the position of a conversation. */
export const state = (session: Session<Values, Values>): string =>
  [
    `collected: ${fields(session.data) || "nothing"}`,
    ...halfway(session),
    `flow: ${session.currentFlow?.title ?? "none"}`,
    `step: ${session.currentStep?.id ?? "none"}`,
    `suspended: ${session.suspended.map(({ flow }) => flow.title).join(", ") || "none"}`,
    `messages: ${session.messageCount}, version: ${session.version}`
  ].join("\n")

/** Records of the turns of a test, and their transcript for the reader of a failed test. */
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import type { CompiledStep, Definition, Values } from "../../domain/definition/Definition.js"
import * as Directive from "../../domain/directive/Directive.js"
import type { TurnEvent } from "../../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import * as Why from "../../domain/turn/why/Why.js"
import * as WhyWording from "../../domain/turn/why/WhyWording.js"
import { show, showFields } from "./Match.js"
import { wrapped } from "./Wrapped.js"

/** One turn, or a passage of time. */
export interface Exchange {
  /** The kind of actor; `said` describes the actor's message or act. */
  readonly by: "user" | "person" | "event" | "time"
  readonly said: string
  readonly events: ReadonlyArray<TurnEvent<Values, Values>>
  readonly response?: TurnResponse<Values, Values>
  /** Name of the handler that the event called. */
  readonly handler?: string
  /** The message of the turn's failure. */
  readonly failure?: string
}

export type AnsweredExchange = Exchange & { readonly response: TurnResponse<Values, Values> }

const eventsOf = <T extends TurnEvent["_tag"]>(exchange: Exchange, tag: T) =>
  exchange.events.filter((event): event is Extract<TurnEvent<Values, Values>, { readonly _tag: T }> =>
    event._tag === tag
  )

/** Returns the step that spoke, or that would have spoken. */
export const spoke = (
  { response }: AnsweredExchange
): { readonly flowId: string; readonly stepId: string } | undefined =>
  response.stoppedReason === "idle" ? undefined : response.executedSteps.at(-1)

const stepOf = (
  definition: Definition | undefined,
  at: { readonly flowId: string; readonly stepId: string }
): CompiledStep | undefined =>
  definition?.flows.find(({ id }) => id === at.flowId)?.steps.find(({ id }) => id === at.stepId)

/** Describes how the conversation entered the flow in this turn; empty if it did not. */
const entered = (exchange: AnsweredExchange, flowId: string): ReadonlyArray<string> =>
  eventsOf(exchange, "FlowEntered").filter((event) => event.flowId === flowId).slice(-1).map(({ resumed }) => {
    const score = eventsOf(exchange, "Understood").at(-1)?.flowScores[flowId]
    return `${flowId} was ${resumed ? "resumed" : "entered"}${score === undefined ? "" : ` with a score of ${score}`}`
  })

/**
 * Describes the last directive that moved the conversation among the first `count` directives applied in this turn;
 * empty if none did.
 */
const moved = ({ response }: AnsweredExchange, count: number): ReadonlyArray<string> =>
  response.directiveChain.filter(({ applied }) => applied).slice(0, count)
    .filter(({ directive }) => Directive.position(directive) !== undefined)
    .slice(-1).map(({ directive, phase, source }) =>
      `${phase === "branch" ? "the branch" : "the directive of"} ${source} ${show(directive)}`
    )

const asks = (step: CompiledStep | undefined, data: Values): ReadonlyArray<string> => {
  const missing = step?.collect.filter((name) => data[name] === undefined) ?? []
  return missing.length === 0 ? [] : [`it asks for ${missing.join(", ")}`]
}

const withoutStep: { readonly [R in TurnResponse["stoppedReason"]]?: string } = {
  idle: "no flow is active",
  halt: "a directive forbade an answer",
  aborted: "the turn was stopped",
  handled: "what happened gives no reason to speak",
  needs_approval: "a call waits for a person",
  handed_over: "a person has the floor",
  goto: "the conversation moved, and goes on with the next message",
  reset: "the conversation was reset, and goes on with the next message"
}

const isEntry = (event: TurnEvent<Values, Values>, at: { readonly flowId: string; readonly stepId: string }): boolean =>
  event._tag === "StepEntered" && event.stepId === at.stepId && event.flowId === at.flowId

/** Describes which step spoke, and why. */
const whyOf = (exchange: AnsweredExchange, definition: Definition | undefined): string => {
  const { response } = exchange
  const replied = response.directiveChain.findLast(({ applied, directive }) => applied && directive.reply !== undefined)
  if (response.stoppedReason === "reply" && replied !== undefined) return `${replied.source}, whose directive replied`
  const at = spoke(exchange)
  if (at === undefined) return `no step: ${withoutStep[response.stoppedReason] ?? response.stoppedReason}`
  const { flowId, stepId } = at
  // Ignores later directives, such as those of the step's `finalize`, because they did not lead to the step.
  const before = exchange.events.slice(0, exchange.events.findLastIndex((event) => isEntry(event, at)) + 1)
  const count = before.filter(({ _tag }) => _tag === "DirectiveApplied").length
  const reasons = [...entered(exchange, flowId), ...moved(exchange, count)]
  return `${flowId}/${stepId}: ${
    [
      ...(reasons.length > 0 ? reasons : [before.length > 0 ? "it comes next" : "the conversation was there"]),
      ...asks(stepOf(definition, at), response.session.data)
    ].join("; ")
  }`
}

/** Returns the values that these events wrote, including those cleared again later in the turn. */
const collectedIn = (events: Exchange["events"]): Values =>
  Object.assign({}, ...events.map((event) => event._tag === "DataCollected" ? event.data : {}))

/**
 * Splits the events of a turn after the values of its message: these are written after the understanding, before any
 * directive is applied. All later values are written by code, and so are all values of a turn without an understanding.
 */
const split = ({ events }: Exchange): { readonly heard: Exchange["events"]; readonly rest: Exchange["events"] } => {
  const start = events.findLastIndex(({ _tag }) => _tag === "Understood") + 1
  const end = start === 0 ? 0 : events.findIndex(({ _tag }, i) => i >= start && _tag === "DirectiveApplied")
  const heard = events.slice(start, end === -1 ? undefined : end)
  return { heard, rest: events.filter((event) => !heard.includes(event)) }
}

const understoodOf = (exchange: AnsweredExchange): string => {
  const understood = eventsOf(exchange, "Understood").at(-1)
  const scores = Object.entries(understood?.flowScores ?? {}).filter(([, score]) => score > 0)
  const holding = Object.entries(understood?.conditions ?? {}).filter(([, holds]) => holds)
  const { rejected } = exchange.response
  const collected = collectedIn(split(exchange).heard)
  return [
    ...scores.map(([flow, score]) => `${flow} ${score}`),
    ...(Object.keys(collected).length > 0 ? [showFields(collected)] : []),
    ...rejected.map(({ field, message, value }) => `${field} ${show(value)} rejected (${message})`),
    ...holding.map(([id]) => `${id} holds`),
    ...exchange.response.triggeredSignals.map(({ signalId }) => `signal ${signalId}`)
  ].join(", ") || "nothing"
}

/** Returns the session's position, as `flow/step`. */
export const positionOf = ({ currentFlow, currentStep }: TurnResponse<Values, Values>["session"]): string =>
  currentFlow === undefined
    ? "no flow"
    : currentStep === undefined
    ? currentFlow.id
    : `${currentFlow.id}/${currentStep.id}`

/** Describes the understanding of a message, or the handler of another input; also the values that code wrote. */
const heardOf = (exchange: AnsweredExchange): ReadonlyArray<string> => {
  const { by, handler } = exchange
  const written = collectedIn(split(exchange).rest)
  return [
    ...(by === "user" ? [`understood  ${understoodOf(exchange)}`] : []),
    ...(by === "event" ? [`handler     ${handler ?? "none"}`] : []),
    ...(Object.keys(written).length > 0 ? [`wrote       ${showFields(written)}`] : [])
  ]
}

/** Shortens a failure to one line. The error itself contains the whole text. */
const briefly = (failure: string): string => {
  const line = failure.replace(/\s+/g, " ")
  return line.length <= 240 ? line : `${Excerpt.start(line, 240)}…`
}

const linesOf = (exchange: Exchange, definition: Definition | undefined): ReadonlyArray<string> => {
  const { by, failure, response, said } = exchange
  if (by === "time") return [`time        ${said}`]
  const first = `${by.padEnd(12)}${said}`
  if (response === undefined) return [first, `failed      ${briefly(failure ?? "without a reason")}`]
  const answered = { ...exchange, response }
  return [
    first,
    ...heardOf(answered),
    ...response.toolCalls.map(({ outcome, params, toolId }) => `tool        ${toolId} ${show(params)}: ${outcome}`),
    ...eventsOf(exchange, "DataCleared").map(({ fields, reason }) => `forgot      ${fields.join(", ")}: ${reason}`),
    ...response.approvals.map(({ args, toolId }) => `waits       ${toolId} ${show(args)} needs a person`),
    `spoke       ${whyOf(answered, definition)}`,
    `agent       ${
      response.message === ""
        ? "(nothing)"
        : response.message.split("\n").map((line) => line.trim()).filter(Boolean).join(" ")
    }`,
    `stands at   ${positionOf(response.session)}, ${response.stoppedReason}`
  ]
}

/** Returns the sentences that explain the turn, one for each line of the transcript. */
const because = ({ by, events, said }: Exchange): ReadonlyArray<string> =>
  Why.sentences({ facts: events, ...(by === "user" && { message: said }) })
    .filter(({ _tag }) => _tag !== "Said")
    .map((sentence) => `why         ${WhyWording.render(sentence)}`)

/** Returns the transcript of all turns, numbered; the last turn has an explanation. */
export const transcriptOf = (
  exchanges: ReadonlyArray<Exchange>,
  definition: Definition | undefined
): string => {
  const width = String(exchanges.length).length
  return exchanges.flatMap((exchange, i) =>
    [
      ...linesOf(exchange, definition),
      ...(i === exchanges.length - 1 ? because(exchange) : [])
    ].flatMap((line, n) =>
      wrapped(`${n === 0 ? String(i + 1).padStart(width) : " ".repeat(width)}  ${line}`, width + 14)
    )
  ).join("\n")
}

/** Compares a turn with the expectations of a file. */
import type { JsonObject } from "../../domain/base/Json.js"
import type { Values } from "../../domain/definition/Definition.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import { positionOf, spoke } from "../../testing/conversation/Exchange.js"
import { matches, show } from "../../testing/conversation/Match.js"
import { type Expected, says } from "./EvaluationCase.js"

/** An answered turn, with the encoded data of its session. */
interface AnsweredTurn {
  readonly response: TurnResponse<Values, Values>
  readonly data: JsonObject
}

type Check = (expected: Expected, turn: AnsweredTurn) => string | ReadonlyArray<string> | undefined

const listOf = (given: string | ReadonlyArray<string> | undefined): ReadonlyArray<string> =>
  given === undefined ? [] : typeof given === "string" ? [given] : given

const differs = (expected: string, found: string): string => `expected ${expected}, found ${found}`

const step: Check = ({ step }, { response }) => {
  const at = spoke({ by: "user", said: "", events: [], response })
  const found = at === undefined ? `no step, ${response.stoppedReason}` : `${at.flowId}/${at.stepId}`
  return step === undefined || step === found ? undefined : differs(`${step} to speak`, found)
}

const flow: Check = ({ flow }, { response }) => {
  if (flow === undefined || (response.session.currentFlow?.id ?? null) === flow) return undefined
  return differs(flow === null ? "no current flow" : `the current flow "${flow}"`, positionOf(response.session))
}

const data: Check = ({ data = {} }, turn) =>
  Object.entries(data).flatMap(([field, value]) =>
    (value === null ? turn.data[field] == null : matches(turn.data[field], value))
      ? []
      : [differs(`${field} ${value === null ? "unknown" : show(value)}`, show(turn.data[field]))]
  )

const reply: Check = ({ reply, replyNot }, { response: { message } }) => [
  ...listOf(reply).filter((text) => !says(text, message)).map((text) =>
    differs(`the reply ${show(text)}`, show(message))
  ),
  ...listOf(replyNot).filter((text) => says(text, message)).map((text) => `${show(text)} was said: ${show(message)}`)
]

const tools: Check = ({ noTool, tools = [] }, { response: { toolCalls } }) => {
  const called = toolCalls.map(({ outcome, params, toolId }) => `${toolId} ${show(params)}: ${outcome}`).join(", ")
  return [
    ...(noTool === true && toolCalls.length > 0 ? [differs("no tool call", called)] : []),
    ...tools.flatMap((one) => {
      const { id, ...like } = typeof one === "string" ? { id: one } : one
      return toolCalls.some((call) => call.toolId === id && matches(call, like))
        ? []
        : [
          differs(`a call of "${id}"${typeof one === "string" ? "" : ` like ${show(like)}`}`, called || "no tool call")
        ]
    })
  ]
}

const stopped: Check = ({ stopped }, { response: { stoppedReason } }) =>
  stopped === undefined || stopped === stoppedReason
    ? undefined
    : differs(`the turn to end with ${stopped}`, stoppedReason)

const rejected: Check = ({ rejected = [] }, { response }) =>
  rejected.filter((field) => !response.rejected.some((one) => one.field === field))
    .map((field) => `expected a value for "${field}" to be rejected`)

const checks = [step, flow, data, reply, tools, stopped, rejected]

/** Returns the failed expectations, one sentence each. */
export const of = (expected: Expected, turn: AnsweredTurn): ReadonlyArray<string> =>
  checks.flatMap((check) => listOf(check(expected, turn)))

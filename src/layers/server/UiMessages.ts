/**
 * A turn as the AI SDK reads it: its UI message stream, version 1.
 *
 * @since 0.1.0
 */
import type { Json, JsonObject } from "../../domain/Json.js"
import type { Problem } from "./Problem.js"

/**
 * One chunk of the stream; its `type` says what it carries.
 *
 * @since 0.1.0
 * @category models
 */
export type Chunk = { readonly type: string } & JsonObject

/**
 * Translates the events of one turn, in order.
 *
 * @since 0.1.0
 * @category models
 */
export interface Translation {
  readonly next: (event: JsonObject) => ReadonlyArray<Chunk>
  readonly fail: (problem: Problem) => ReadonlyArray<Chunk>
}

type Words = "text" | "reasoning"

const chunk = (type: string, rest: JsonObject = {}): Chunk => ({ type, ...rest })

const asText = (output: Json | undefined): string =>
  typeof output === "string" ? output : JSON.stringify(output ?? null)

const result = ({ id = "", isFailure, outcome, output = null }: JsonObject): Chunk =>
  outcome === "denied"
    ? chunk("tool-output-denied", { toolCallId: id })
    : isFailure === true
    ? chunk("tool-output-error", { toolCallId: id, errorText: asText(output) })
    : chunk("tool-output-available", { toolCallId: id, output })

const finish = (response: Json | undefined): ReadonlyArray<Chunk> => {
  const { completedFlows = [], stoppedReason = "idle" } = (response ?? {}) as JsonObject
  return [
    chunk("finish-step"),
    chunk("finish", { finishReason: "stop", messageMetadata: { stoppedReason, completedFlows } })
  ]
}

/**
 * `decided` names the calls that a person has just decided: they are in the message already, which goes on; without any,
 * the turn is a new message, and `messageId` its id.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (messageId: string, decided: ReadonlyArray<string> = []): Translation => {
  const known = new Set(decided)
  let open: { readonly kind: Words; readonly id: string } | undefined
  let words = 0
  /** A call has ended: what is said from now on is a step of its own, so that it alone is taken back when it is replaced. */
  let called = false

  const close = (): ReadonlyArray<Chunk> => {
    if (open === undefined) return []
    const { id, kind } = open
    open = undefined
    return [chunk(`${kind}-end`, { id })]
  }
  const step = (): ReadonlyArray<Chunk> => {
    if (!called) return []
    called = false
    return [chunk("finish-step"), chunk("start-step")]
  }
  const say = (kind: Words, delta: Json): ReadonlyArray<Chunk> => {
    const begun = open?.kind === kind
      ? []
      : [...close(), ...step(), chunk(`${kind}-start`, { id: `${messageId}-${++words}` })]
    open = { kind, id: `${messageId}-${words}` }
    return [...begun, chunk(`${kind}-delta`, { id: open.id, delta })]
  }
  const call = (toolCallId: Json, toolName: Json, input: Json): ReadonlyArray<Chunk> => {
    if (known.has(String(toolCallId))) return []
    known.add(String(toolCallId))
    return [...close(), chunk("tool-input-available", { toolCallId, toolName, input })]
  }
  const ask = ({ args = null, callId = "", id = "", reason, toolId = "" }: JsonObject): ReadonlyArray<Chunk> => [
    ...call(callId, toolId, args),
    chunk("tool-approval-request", { approvalId: id, toolCallId: callId, ...(reason !== undefined && { reason }) })
  ]

  const translations: Readonly<Record<string, (event: JsonObject) => ReadonlyArray<Chunk>>> = {
    TurnStarted: () => [chunk("start", decided.length > 0 ? {} : { messageId }), chunk("start-step")],
    TextDelta: ({ text = "" }) => say("text", text),
    ReasoningDelta: ({ text = "" }) => say("reasoning", text),
    ToolCallStarted: ({ id = "", name = "", params = null }) => call(id, name, params),
    ToolCallCompleted: (event) => {
      called = true
      return [...call(event.id ?? "", event.name ?? "", null), result(event)]
    },
    ApprovalRequested: ({ request }) => ask(request as JsonObject),
    MessageReplaced: ({ message = "" }) => [
      ...close(),
      ...step(),
      chunk("reset-step"),
      ...(message === "" ? [] : [...say("text", message), ...close()])
    ],
    StepEntered: ({ flowId = "", stepId = "" }) => [
      chunk("data-position", { id: "position", data: { flowId, stepId } })
    ],
    DataCollected: ({ data = {} }) => [chunk("data-collected", { data })],
    Interrupted: () => [...close(), chunk("abort", { reason: "stopped" })],
    TurnCompleted: ({ response }) => [...close(), ...finish(response)]
  }
  return {
    next: (event) => {
      const translate = Object.hasOwn(translations, String(event._tag)) ? translations[String(event._tag)] : undefined
      return translate?.(event) ?? []
    },
    fail: ({ detail }) => [...close(), chunk("error", { errorText: detail })]
  }
}

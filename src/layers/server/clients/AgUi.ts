/** Translates a turn to AG-UI: a run, with the collected data as its state. */
import { asText, isJsonObject, type Json, type JsonObject } from "../../../domain/base/Json.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import type { Translation } from "../streams/Sse.js"

/** An event of AG-UI; `type` says what it contains. */
type RunEvent = { readonly type: string } & JsonObject

interface About {
  readonly turnId: string
  readonly threadId: string
  readonly runId: string
  /** The data that was collected before the turn. */
  readonly state: JsonObject
  /** Calls that a person has just decided: the client already has messages about them. */
  readonly decided: ReadonlyArray<string>
}

const happened = (type: string, rest: JsonObject = {}): RunEvent => ({ type, ...rest })

/** The JSON pointer of a field. */
const pointer = (field: string): string => `/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`

const decision: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" }, args: { type: "object" } },
  required: ["approved"]
}

const interrupt = ({ callId = "", expiresAt, id = "", reason, toolId = "" }: JsonObject): JsonObject => ({
  id,
  reason: "tool_approval",
  message: typeof reason === "string" ? reason : `"${String(toolId)}" waits for approval.`,
  toolCallId: callId,
  responseSchema: decision,
  ...(expiresAt !== undefined && { expiresAt })
})

interface Response {
  readonly stoppedReason: string
  readonly expects?: JsonObject
  readonly approvals: ReadonlyArray<JsonObject>
  readonly session: { readonly data: JsonObject }
}

const outcome = ({ approvals, stoppedReason }: Response, interrupted: boolean): JsonObject =>
  approvals.length > 0 && stoppedReason === "needs_approval"
    ? { type: "interrupt", interrupts: approvals.map(interrupt) }
    : { type: interrupted ? "cancelled" : "success" }

/** Makes the messages for the text, reasoning and calls of a turn. At most one message is open at a time. */
const messages = (turnId: string, decided: ReadonlyArray<string>) => {
  const known = new Set(decided)
  let count = 0
  let open: { readonly kind: "text" | "reasoning"; readonly messageId: string } | undefined
  const close = (): ReadonlyArray<RunEvent> => {
    if (open === undefined) return []
    const { kind, messageId } = open
    open = undefined
    return kind === "text"
      ? [happened("TEXT_MESSAGE_END", { messageId })]
      : [happened("REASONING_MESSAGE_END", { messageId }), happened("REASONING_END", { messageId })]
  }
  const begin = (kind: "text" | "reasoning"): ReadonlyArray<RunEvent> => {
    if (open?.kind === kind) return []
    const before = close()
    const messageId = `${turnId}-${++count}`
    open = { kind, messageId }
    return kind === "text"
      ? [...before, happened("TEXT_MESSAGE_START", { messageId, role: "assistant" })]
      : [
        ...before,
        happened("REASONING_START", { messageId }),
        happened("REASONING_MESSAGE_START", { messageId, role: "reasoning" })
      ]
  }
  const say = (kind: "text" | "reasoning", delta: Json): ReadonlyArray<RunEvent> => {
    if (delta === "") return []
    const begun = begin(kind)
    const type = kind === "text" ? "TEXT_MESSAGE_CONTENT" : "REASONING_MESSAGE_CONTENT"
    return [...begun, happened(type, { messageId: open!.messageId, delta })]
  }
  const call = (toolCallId: string, toolCallName: Json, input: Json): ReadonlyArray<RunEvent> => {
    if (known.has(toolCallId)) return []
    known.add(toolCallId)
    return [
      ...close(),
      happened("TOOL_CALL_START", { toolCallId, toolCallName }),
      happened("TOOL_CALL_ARGS", { toolCallId, delta: JSON.stringify(input) }),
      happened("TOOL_CALL_END", { toolCallId })
    ]
  }
  return {
    close,
    say,
    call,
    result: (toolCallId: string, output: Json | undefined): ReadonlyArray<RunEvent> => [
      happened("TOOL_CALL_RESULT", {
        messageId: `${turnId}-${++count}`,
        toolCallId,
        content: asText(output),
        role: "tool"
      })
    ],
    /**
     * Replaces the current message. A message that was sent cannot be recalled. So the client first gets the id of the
     * message that is no longer valid, and then the new message.
     */
    replace: (message: Json): ReadonlyArray<RunEvent> => {
      const messageId = open?.messageId ?? null
      return [
        ...close(),
        happened("CUSTOM", { name: "message_replaced", value: { messageId } }),
        ...(message === "" ? [] : [...say("text", message), ...close()])
      ]
    }
  }
}

/** Translates the events of one turn, in order. */
export const make = ({ decided, runId, state, threadId, turnId }: About): Translation<RunEvent> => {
  const spoken = messages(turnId, decided)
  const fields = new Set(Object.keys(state))
  let step: string | undefined
  let interrupted = false

  const leave = (): ReadonlyArray<RunEvent> => {
    const left = step
    step = undefined
    return left === undefined ? [] : [happened("STEP_FINISHED", { stepName: left })]
  }
  const enter = (stepName: string): ReadonlyArray<RunEvent> => {
    const left = leave()
    step = stepName
    return [...spoken.close(), ...left, happened("STEP_STARTED", { stepName })]
  }
  const wrote = (data: JsonObject): ReadonlyArray<RunEvent> => {
    const delta = Object.entries(data).map(([field, value]) => {
      fields.add(field)
      return { op: "add", path: pointer(field), value }
    })
    return delta.length === 0 ? [] : [happened("STATE_DELTA", { delta })]
  }
  const cleared = (names: ReadonlyArray<Json>): ReadonlyArray<RunEvent> => {
    const delta = names.map(String).filter((name) => fields.delete(name)).map((name) => ({
      op: "remove",
      path: pointer(name)
    }))
    return delta.length === 0 ? [] : [happened("STATE_DELTA", { delta })]
  }
  const finish = (response: Response): ReadonlyArray<RunEvent> => [
    ...spoken.close(),
    ...leave(),
    happened("STATE_SNAPSHOT", { snapshot: response.session.data }),
    happened("RUN_FINISHED", {
      threadId,
      runId,
      result: {
        stoppedReason: response.stoppedReason,
        ...(response.expects !== undefined && { expects: response.expects })
      },
      outcome: outcome(response, interrupted)
    })
  ]
  const ask = ({ args = null, callId = "", toolId = "" }: JsonObject) => spoken.call(String(callId), toolId, args)

  const translations: Readonly<Record<string, (event: JsonObject) => ReadonlyArray<RunEvent>>> = {
    TurnStarted: () => [
      happened("RUN_STARTED", { threadId, runId }),
      happened("STATE_SNAPSHOT", { snapshot: state })
    ],
    StepEntered: ({ flowId, stepId }) => enter(`${String(flowId)}/${String(stepId)}`),
    TextDelta: ({ text = "" }) => spoken.say("text", text),
    ReasoningDelta: ({ text = "" }) => spoken.say("reasoning", text),
    ToolCallStarted: ({ id, name = "", params = null }) => spoken.call(String(id), name, params),
    ToolCallCompleted: ({ id, name = "", output }) => [
      ...spoken.call(String(id), name, null),
      ...spoken.result(String(id), output)
    ],
    ApprovalRequested: ({ request }) => ask(isJsonObject(request) ? request : {}),
    MessageReplaced: ({ message = "" }) => spoken.replace(message),
    DataCollected: ({ data }) => wrote(isJsonObject(data) ? data : {}),
    DataCleared: ({ fields }) => cleared(Array.isArray(fields) ? fields : []),
    Interrupted: () => {
      interrupted = true
      return []
    },
    // The response is the last event of a turn, encoded by the agent's Schemas.
    TurnCompleted: ({ response }) => finish(response as never)
  }
  let started = false
  return {
    next: (event) => {
      const tag = String(event._tag)
      const translated = ownValue(translations, tag)?.(event) ?? []
      if (tag === "TurnStarted") started = true
      return translated
    },
    fail: ({ detail, tag }) => [
      ...(started ? [] : [happened("RUN_STARTED", { threadId, runId })]),
      ...spoken.close(),
      ...leave(),
      happened("RUN_ERROR", { message: detail, code: tag })
    ]
  }
}

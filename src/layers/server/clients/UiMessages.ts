/** Translates a turn to the UI message stream of the AI SDK, version 1. */
import { asText, type Json, type JsonObject } from "../../../domain/base/Json.js"
import { ownValue } from "../../../domain/base/ownValue.js"
import { pathOf as filePath } from "../files/FileRoutes.js"
import type { Translation } from "../streams/Sse.js"

/** A chunk of the stream; `type` says what it contains. */
type Chunk = { readonly type: string } & JsonObject

type Words = "text" | "reasoning"

const chunk = (type: string, rest: JsonObject = {}): Chunk => ({ type, ...rest })

const result = ({ id = "", isFailure, outcome, output = null }: JsonObject): Chunk =>
  outcome === "denied"
    ? chunk("tool-output-denied", { toolCallId: id })
    : isFailure === true
    ? chunk("tool-output-error", { toolCallId: id, errorText: asText(output) })
    : chunk("tool-output-available", { toolCallId: id, output })

/** Converts the `details` that a tool returns for the user interface to a chunk with the id of the call. */
const madeFor = ({ details, id = "", name = "" }: JsonObject): ReadonlyArray<Chunk> =>
  details === undefined ? [] : [chunk("data-details", { id, data: { toolId: name, details } })]

/** Converts a file of a tool call to a chunk, with the file's URL or its path on the server. */
const fileOf = (sessionId: Json, file: JsonObject): Chunk =>
  chunk("file", {
    url: typeof file.ref === "string" ? filePath(String(sessionId), file.ref) : file.url ?? "",
    mediaType: file.mediaType ?? "",
    providerMetadata: { coxswain: { name: file.name ?? "", callId: file.callId ?? "", toolId: file.toolId ?? "" } }
  })

const finish = (response: Json | undefined): ReadonlyArray<Chunk> => {
  const { completedFlows = [], expects, stoppedReason = "idle" } = (response ?? {}) as JsonObject
  return [
    ...(expects === undefined ? [] : [chunk("data-expects", { id: "expects", data: expects })]),
    chunk("finish-step"),
    chunk("finish", { finishReason: "stop", messageMetadata: { stoppedReason, completedFlows } })
  ]
}

/**
 * Makes the translation of a turn. `decided` are the calls that a person has just decided: the turn then continues the
 * client's last message, which contains them. If `decided` is empty, the turn is a new message with the id `messageId`.
 */
export const make = (messageId: string, decided: ReadonlyArray<string> = []): Translation<Chunk> => {
  const known = new Set(decided)
  /** The calls that ended in this stream. The client's message already has the files of earlier calls. */
  const ended = new Set<Json>()
  let sessionId: Json = ""
  let open: { readonly kind: Words; readonly id: string } | undefined
  let words = 0
  /** True after a tool call has ended: text after it begins a new step. */
  let called = false
  /** True after text in this step. More text stays in the same step, because only one step can be withdrawn. */
  let said = false
  /** The chunks of the step other than text. If the step's text is withdrawn, they are sent again. */
  let kept: ReadonlyArray<Chunk> = []

  const close = (): ReadonlyArray<Chunk> => {
    if (open === undefined) return []
    const { id, kind } = open
    open = undefined
    return [chunk(`${kind}-end`, { id })]
  }
  const step = (): ReadonlyArray<Chunk> => {
    if (!called || said) return []
    called = false
    return [chunk("finish-step"), chunk("start-step")]
  }
  const say = (kind: Words, text: Json): ReadonlyArray<Chunk> => {
    // A part needs no blank line before it.
    const delta = open?.kind === kind ? text : String(text).replace(/^\n+/, "")
    if (delta === "") return []
    const begun = open?.kind === kind
      ? []
      : [...close(), ...step(), chunk(`${kind}-start`, { id: `${messageId}-${++words}` })]
    open = { kind, id: `${messageId}-${words}` }
    said ||= kind === "text"
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

  /**
   * Returns the chunks of the files. They are sent when the turn is stored, because the response lists the files only
   * then.
   */
  const files = (response: Json | undefined): ReadonlyArray<Chunk> => {
    const { files = [] } = (response ?? {}) as { readonly files?: ReadonlyArray<JsonObject> }
    return files.filter(({ callId = "" }) => ended.has(callId)).map((file) => fileOf(sessionId, file))
  }

  const replace = (message: Json): ReadonlyArray<Chunk> => {
    said = false
    const taken = [...close(), chunk("reset-step"), ...kept]
    return message === "" ? taken : [...taken, ...say("text", message), ...close()]
  }
  const keep = ({ type, ...rest }: Chunk): void => {
    if (type === "start-step" || type === "reset-step") kept = []
    else if (!/^(text|start|finish)/.test(type)) kept = [...kept, { type, ...rest }]
  }

  const translations: Readonly<Record<string, (event: JsonObject) => ReadonlyArray<Chunk>>> = {
    TurnStarted: (event) => {
      sessionId = event.sessionId ?? ""
      return [chunk("start", decided.length > 0 ? {} : { messageId }), chunk("start-step")]
    },
    TextDelta: ({ text = "" }) => say("text", text),
    ReasoningDelta: ({ text = "" }) => say("reasoning", text),
    ToolCallStarted: ({ id = "", name = "", params = null }) => call(id, name, params),
    ToolCallCompleted: (event) => {
      called = true
      ended.add(event.id ?? "")
      return [...call(event.id ?? "", event.name ?? "", null), result(event), ...madeFor(event)]
    },
    ApprovalRequested: ({ request }) => ask(request as JsonObject),
    MessageReplaced: ({ message = "" }) => replace(message),
    StepEntered: ({ flowId = "", stepId = "" }) => [
      chunk("data-position", { id: "position", data: { flowId, stepId } })
    ],
    DataCollected: ({ data = {} }) => [chunk("data-collected", { data })],
    Interrupted: () => [...close(), chunk("abort", { reason: "stopped" })],
    TurnCompleted: ({ response }) => [...close(), ...files(response), ...finish(response)]
  }
  return {
    next: (event) => {
      const chunks = ownValue(translations, String(event._tag))?.(event) ?? []
      for (const one of chunks) keep(one)
      return chunks
    },
    fail: ({ detail }) => [...close(), chunk("error", { errorText: detail })]
  }
}

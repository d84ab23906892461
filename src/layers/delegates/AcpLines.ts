/** The Schemas of those messages of the Agent Client Protocol that the adapter reads. */
import * as Schema from "effect/Schema"
import { Json } from "../../domain/base/Json.js"
import type { Said, Usage } from "../../services/jobs/DelegateAgent.js"
import * as Dialect from "./Dialect.js"
import { maybe } from "./Dialect.js"

const Content = Schema.Union(
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Dialect.unknown("text")
)

const call = {
  toolCallId: Schema.String,
  name: maybe(Schema.String),
  status: maybe(Schema.Literal("pending", "in_progress", "completed", "failed")),
  content: maybe(
    Schema.Array(
      Schema.Union(
        Schema.Struct({ type: Schema.Literal("content"), content: Content }),
        Dialect.unknown("content")
      )
    )
  ),
  rawInput: maybe(Json),
  rawOutput: maybe(Json)
}

const known = ["agent_message_chunk", "tool_call", "tool_call_update", "usage_update"]

const Update = Schema.Union(
  Schema.Struct({
    sessionUpdate: Schema.Literal("agent_message_chunk"),
    content: Content,
    messageId: maybe(Schema.String)
  }),
  Schema.Struct({ sessionUpdate: Schema.Literal("tool_call"), ...call, title: Schema.String }),
  Schema.Struct({ sessionUpdate: Schema.Literal("tool_call_update"), ...call, title: maybe(Schema.String) }),
  Schema.Struct({
    sessionUpdate: Schema.Literal("usage_update"),
    used: Schema.NonNegative,
    cost: maybe(Schema.Struct({ amount: Schema.NonNegative, currency: Schema.String }))
  }),
  Schema.transform(
    Schema.Struct({ sessionUpdate: Schema.String.pipe(Schema.filter((kind) => !known.includes(kind))) }),
    Schema.Struct({ sessionUpdate: Schema.Literal("other") }),
    { strict: true, decode: () => ({ sessionUpdate: "other" as const }), encode: (other) => other }
  )
)

/** A notification of the agent about its session. */
export const Notification = Schema.Struct({
  method: Schema.Literal("session/update"),
  params: Schema.Struct({ sessionId: Schema.String, update: Update })
}).annotations({ identifier: "AcpSessionUpdate" })

/** Any message of the protocol. */
export const Message = Schema.Struct({
  jsonrpc: Schema.Literal("2.0"),
  method: Schema.optional(Schema.String)
}).annotations({ identifier: "AcpMessage" })

/** The answer to `initialize`. */
export const Initialized = Schema.Struct({
  protocolVersion: Schema.Int,
  agentCapabilities: maybe(Schema.Struct({
    loadSession: maybe(Schema.Boolean),
    sessionCapabilities: maybe(Schema.Struct({ resume: maybe(Schema.Struct({})) }))
  }))
})

const Choice = Schema.Struct({ value: Schema.String })

/** The configuration options of a session. `options` is a list of values, or of groups of values. */
export const Configurable = Schema.Struct({
  configOptions: maybe(Schema.Array(Schema.Struct({
    id: Schema.String,
    category: maybe(Schema.String),
    options: maybe(Schema.Array(Schema.Union(Choice, Schema.Struct({ options: Schema.Array(Choice) }))))
  })))
})

export type Configurable = typeof Configurable.Type

/** The answer to `session/new`. */
export const Opened = Schema.Struct({ sessionId: Schema.NonEmptyString, ...Configurable.fields })

/** The end of a turn. Not all agents report tokens. */
export const Stopped = Schema.Struct({
  stopReason: Schema.String,
  usage: maybe(Schema.Struct({
    inputTokens: Schema.NonNegative,
    outputTokens: Schema.NonNegative,
    cachedReadTokens: maybe(Schema.NonNegative)
  }))
})

type Update = typeof Update.Type
type UpdateOf<K extends Update["sessionUpdate"]> = Extract<Update, { readonly sessionUpdate: K }>

/** The state of the conversation, from the agent's messages so far. */
export interface State {
  /** Names of the running tools, by call. */
  readonly calls: ReadonlyMap<string, string>
  /** Text of the last message so far. A tool call, or a new id, begins another message. */
  readonly output: string
  readonly messageId: string | undefined
  /** Cost in US dollars. */
  readonly cost: number | undefined
}

type Step = readonly [State, ReadonlyArray<Said>]

export const initial: State = { calls: new Map(), output: "", messageId: undefined, cost: undefined }

const chunk = (state: State, { content, messageId }: UpdateOf<"agent_message_chunk">): Step => {
  if (content.type !== "text" || content.text === "") return [state, []]
  const id = messageId ?? undefined
  const before = state.messageId === id ? state.output : ""
  return [
    { ...state, messageId: id, output: before + content.text },
    [{ _tag: "Message", delta: content.text, ...(id !== undefined && { messageId: id }) }]
  ]
}

type Call = UpdateOf<"tool_call" | "tool_call_update">

const outputOf = ({ content, rawOutput }: Call): string =>
  content?.flatMap((one) => one.type === "content" && one.content.type === "text" ? [one.content.text] : []).join("\n")
    ?? (rawOutput == null ? "" : typeof rawOutput === "string" ? rawOutput : JSON.stringify(rawOutput))

/**
 * Reports the start of a new call. If an agent first mentions a call at its end, start and end are reported together.
 */
const started = (state: State, one: Call): Step => {
  if (state.calls.has(one.toolCallId)) return [state, []]
  const name = one.name ?? one.title ?? one.toolCallId
  return [{ ...state, output: "", calls: new Map(state.calls).set(one.toolCallId, name) }, [{
    _tag: "ToolCall",
    status: "started",
    callId: one.toolCallId,
    name,
    ...(one.rawInput != null && { input: one.rawInput })
  }]]
}

const used = (state: State, one: Call): Step => {
  const [now, said] = started(state, one)
  if (one.status !== "completed" && one.status !== "failed") return [now, said]
  const name = now.calls.get(one.toolCallId) ?? one.toolCallId
  return [
    now,
    [...said, { _tag: "ToolCall", status: one.status, callId: one.toolCallId, name, output: outputOf(one) }]
  ]
}

/** Adds an update to the state. Returns the events to report. */
export const read = (state: State, update: Update): Step => {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return chunk(state, update)
    case "tool_call":
    case "tool_call_update":
      return used(state, update)
    case "usage_update":
      return [
        { ...state, ...(update.cost?.currency === "USD" && { cost: update.cost.amount }) },
        [{ _tag: "Progress", tokens: update.used }]
      ]
    case "other":
      return [state, []]
  }
}

/** The tokens that the agent reports; `undefined` if it reports none. */
export const usageOf = ({ cost }: State, { usage }: typeof Stopped.Type): Usage | undefined =>
  usage == null ? undefined : {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cachedInputTokens: usage.cachedReadTokens ?? 0,
    ...(cost !== undefined && { cost })
  }

/** Id of the option that selects this model; `undefined` if the session has no such option. */
export const modelOption = ({ configOptions }: Configurable, model: string): string | undefined =>
  configOptions?.find(({ category, options }) =>
    category === "model" &&
    options?.some((one) => "value" in one ? one.value === model : one.options.some(({ value }) => value === model))
  )?.id

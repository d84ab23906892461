/** The output of `codex exec --json`. */
import * as Schema from "effect/Schema"
import { Json } from "../../domain/base/Json.js"
import type { Said, Usage } from "../../services/jobs/DelegateAgent.js"
import * as Dialect from "./Dialect.js"
import { maybe } from "./Dialect.js"

const id = Schema.String
const status = Schema.Literal("in_progress", "completed", "failed", "declined")

const Item = Schema.Union(
  Schema.Struct({ id, type: Schema.Literal("agent_message"), text: Schema.String }),
  Schema.Struct({
    id,
    type: Schema.Literal("command_execution"),
    command: Schema.String,
    aggregated_output: maybe(Schema.String),
    exit_code: maybe(Schema.Int),
    status
  }),
  Schema.Struct({
    id,
    type: Schema.Literal("file_change"),
    changes: Schema.Array(Schema.Struct({ path: Schema.String, kind: Schema.String })),
    status
  }),
  Schema.Struct({
    id,
    type: Schema.Literal("mcp_tool_call"),
    server: Schema.String,
    tool: Schema.String,
    arguments: maybe(Json),
    result: maybe(Schema.Struct({ content: Schema.Array(Json) })),
    error: maybe(Schema.Struct({ message: Schema.String })),
    status
  }),
  Schema.Struct({ id, type: Schema.Literal("web_search"), query: Schema.String }),
  Dialect.unknown("agent_message", "command_execution", "file_change", "mcp_tool_call", "web_search")
)

type Item = typeof Item.Type
type ItemOf<T extends Item["type"]> = Extract<Item, { readonly type: T }>
type Call = Exclude<Item, { readonly type: "agent_message" | "other" }>

const Tokens = Schema.Struct({
  input_tokens: Schema.NonNegative,
  cached_input_tokens: maybe(Schema.NonNegative),
  output_tokens: Schema.NonNegative
})

const Complaint = Schema.Struct({ message: Schema.String })

const Line = Schema.Union(
  Schema.Struct({ type: Schema.Literal("thread.started"), thread_id: Schema.NonEmptyString }),
  Schema.Struct({ type: Schema.Literal("turn.completed"), usage: Tokens }),
  Schema.Struct({ type: Schema.Literal("turn.failed"), error: Complaint }),
  Schema.Struct({ type: Schema.Literal("item.started", "item.updated", "item.completed"), item: Item }),
  Schema.Struct({ type: Schema.Literal("error"), ...Complaint.fields }),
  Dialect.unknown(
    "thread.started",
    "turn.completed",
    "turn.failed",
    "item.started",
    "item.updated",
    "item.completed",
    "error"
  )
).annotations({ identifier: "CodexLine" })

type Line = typeof Line.Type

interface State {
  readonly sessionId: string | undefined
  /** The calls whose start was reported. */
  readonly calls: ReadonlySet<string>
  /** The text of each message so far, by its id. */
  readonly messages: ReadonlyMap<string, string>
  /** The text of the last message. */
  readonly output: string
  readonly outcome: Dialect.Outcome | undefined
}

type Step = readonly [State, ReadonlyArray<Said>]

interface Use {
  readonly name: string
  readonly input: Json
  readonly output: string
  readonly failed: boolean
}

const isBad = (of: typeof status.Type): boolean => of === "failed" || of === "declined"

const commandOf = (item: ItemOf<"command_execution">): Use => ({
  name: item.type,
  input: { command: item.command },
  output: item.aggregated_output ?? "",
  failed: isBad(item.status) || (item.exit_code ?? 0) !== 0
})

const serverOf = (item: ItemOf<"mcp_tool_call">): Use => ({
  name: `${item.server}.${item.tool}`,
  input: item.arguments ?? null,
  output: item.error?.message ?? (item.result == null ? "" : JSON.stringify(item.result.content)),
  failed: isBad(item.status) || item.error != null
})

/** The name, input and output of a tool call. */
const useOf = (item: Call): Use => {
  switch (item.type) {
    case "command_execution":
      return commandOf(item)
    case "file_change":
      return { name: item.type, input: { changes: item.changes }, output: "", failed: isBad(item.status) }
    case "mcp_tool_call":
      return serverOf(item)
    case "web_search":
      return { name: item.type, input: { query: item.query }, output: "", failed: false }
  }
}

const message = (state: State, { id, text }: ItemOf<"agent_message">): Step => {
  const before = state.messages.get(id) ?? ""
  const now = { ...state, messages: new Map(state.messages).set(id, text), output: text }
  // If a text does not continue the text reported so far, the whole text is reported.
  const delta = text.startsWith(before) ? text.slice(before.length) : text
  return [now, delta === "" ? [] : [{ _tag: "Message", delta, messageId: id }]]
}

/** Codex reports a change of files only after the change, so its start is reported together with its end. */
const call = (state: State, item: Call, isDone: boolean): Step => {
  const { failed, input, name, output } = useOf(item)
  const common = { _tag: "ToolCall", callId: item.id, name } as const
  const started: ReadonlyArray<Said> = state.calls.has(item.id) ? [] : [{ ...common, status: "started", input }]
  const calls = new Set(state.calls).add(item.id)
  return isDone
    ? [{ ...state, calls }, [...started, { ...common, status: failed ? "failed" : "completed", output }]]
    : [{ ...state, calls }, started]
}

const items = (state: State, item: Item, isDone: boolean): Step =>
  item.type === "other" ? [state, []] : item.type === "agent_message" ? message(state, item) : call(state, item, isDone)

const completed = (state: State, { cached_input_tokens, input_tokens, output_tokens }: typeof Tokens.Type): Step => {
  const usage: Usage = {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    cachedInputTokens: cached_input_tokens ?? 0
  }
  const outcome: Dialect.Outcome = state.sessionId === undefined
    ? { refused: "it never said which thread it works in" }
    : { result: { output: state.output, usage, sessionId: state.sessionId } }
  return [{ ...state, outcome }, [{ _tag: "Progress", tokens: input_tokens + output_tokens }]]
}

const read = (state: State, line: Line): Step => {
  switch (line.type) {
    case "thread.started":
      return [{ ...state, sessionId: line.thread_id }, [{ _tag: "Started", sessionId: line.thread_id }]]
    case "item.started":
    case "item.updated":
    case "item.completed":
      return items(state, line.item, line.type === "item.completed")
    case "turn.completed":
      return completed(state, line.usage)
    case "turn.failed":
      return [{ ...state, outcome: { refused: `it says: ${line.error.message}` } }, []]
    // Codex reports an error for each attempt to connect again. If it gives up, the turn fails: see `turn.failed`.
    case "error":
    case "other":
      return [state, []]
  }
}

/** The dialect for reading the output of Codex. */
export const dialect: Dialect.Dialect<State, Line, typeof Line.Encoded> = {
  line: Line,
  initial: { sessionId: undefined, calls: new Set(), messages: new Map(), output: "", outcome: undefined },
  read,
  outcome: ({ outcome }) => outcome
}

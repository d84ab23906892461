/** The output of `claude -p --output-format stream-json --verbose`. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Json } from "../../domain/base/Json.js"
import type { Said, Usage } from "../../services/jobs/DelegateAgent.js"
import * as Dialect from "./Dialect.js"
import { maybe } from "./Dialect.js"

const Tokens = Schema.Struct({
  input_tokens: Schema.NonNegative,
  output_tokens: Schema.NonNegative,
  cache_read_input_tokens: maybe(Schema.NonNegative),
  cache_creation_input_tokens: maybe(Schema.NonNegative)
})

type Tokens = typeof Tokens.Type

const Text = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

type Text = typeof Text.Type

const Block = Schema.Union(
  Text,
  Schema.Struct({ type: Schema.Literal("tool_use"), id: Schema.String, name: Schema.String, input: Json }),
  Schema.Struct({
    type: Schema.Literal("tool_result"),
    tool_use_id: Schema.String,
    content: maybe(Schema.Union(Schema.String, Schema.Array(Schema.Union(Text, Dialect.unknown("text"))))),
    is_error: maybe(Schema.Boolean)
  }),
  Dialect.unknown("text", "tool_use", "tool_result")
)

/**
 * The id of the call that started a subagent, if a subagent wrote this line. Claude Code starts subagents for parts of
 * a task.
 */
const parent = { parent_tool_use_id: maybe(Schema.String) }

const Delta = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("message_start"),
    message: Schema.Struct({ id: Schema.String })
  }),
  Schema.Struct({
    type: Schema.Literal("content_block_delta"),
    delta: Schema.Union(
      Schema.Struct({ type: Schema.Literal("text_delta"), text: Schema.String }),
      Dialect.unknown("text_delta")
    )
  }),
  Dialect.unknown("message_start", "content_block_delta")
)

const Line = Schema.Union(
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.Literal("init"),
    session_id: Schema.NonEmptyString,
    model: maybe(Schema.String)
  }),
  Schema.Struct({
    type: Schema.Literal("system"),
    subtype: Schema.String.pipe(Schema.filter((subtype) => subtype !== "init"))
  }),
  Schema.Struct({
    type: Schema.Literal("assistant"),
    message: Schema.Struct({ id: maybe(Schema.String), content: Schema.Array(Block), usage: maybe(Tokens) }),
    ...parent
  }),
  Schema.Struct({
    type: Schema.Literal("user"),
    message: Schema.Struct({ content: Schema.Union(Schema.String, Schema.Array(Block)) }),
    ...parent
  }),
  Schema.Struct({ type: Schema.Literal("stream_event"), event: Delta, ...parent }),
  Schema.Struct({
    type: Schema.Literal("result"),
    subtype: Schema.String,
    is_error: Schema.Boolean,
    session_id: Schema.NonEmptyString,
    result: maybe(Schema.String),
    errors: maybe(Schema.Array(Schema.String)),
    usage: maybe(Tokens),
    total_cost_usd: maybe(Schema.NonNegative)
  }),
  Dialect.unknown("system", "assistant", "user", "stream_event", "result")
).annotations({ identifier: "ClaudeCodeLine" })

type Line = typeof Line.Type
type LineOf<T extends string> = Extract<Line, { readonly type: T }>

interface State {
  readonly isStarted: boolean
  /** Names of the running tools, by call. */
  readonly calls: ReadonlyMap<string, string>
  /** Number of tokens of each message of the model, by its id. */
  readonly tokens: ReadonlyMap<string, number>
  /** Id of the message that is arriving in parts. */
  readonly current: string | undefined
  /** Ids of the messages that have arrived in parts. Their whole text is not reported again. */
  readonly streamed: ReadonlySet<string>
  readonly outcome: Dialect.Outcome | undefined
}

type Step = readonly [State, ReadonlyArray<Said>]

const input = ({ cache_creation_input_tokens, cache_read_input_tokens, input_tokens }: Tokens): number =>
  input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)

const total = (tokens: ReadonlyMap<string, number>): number => Array.from(tokens.values()).reduce((a, b) => a + b, 0)

const usageOf = (tokens: Tokens, cost: number | null | undefined): Usage => ({
  inputTokens: input(tokens),
  outputTokens: tokens.output_tokens,
  cachedInputTokens: tokens.cache_read_input_tokens ?? 0,
  ...(cost != null && { cost })
})

const begin = (state: State, sessionId: string, model?: string | null): Step =>
  state.isStarted
    ? [state, []]
    : [{ ...state, isStarted: true }, [{ _tag: "Started", sessionId, ...(model != null && { model }) }]]

type Content = string | ReadonlyArray<Text | { readonly type: "other" }> | null | undefined

const outputOf = (content: Content): string =>
  content == null || Predicate.isString(content)
    ? content ?? ""
    : content.flatMap((block) => block.type === "text" ? [block.text] : []).join("\n")

const called = (state: State, callId: string, name: string, input: Json): Step => [
  { ...state, calls: new Map(state.calls).set(callId, name) },
  [{ _tag: "ToolCall", status: "started", callId, name, input }]
]

const returned = (state: State, callId: string, failed: boolean, output: string): Step => {
  const name = state.calls.get(callId)
  if (name === undefined) return [state, []]
  const calls = new Map(state.calls)
  calls.delete(callId)
  return [{ ...state, calls }, [{ _tag: "ToolCall", status: failed ? "failed" : "completed", callId, name, output }]]
}

const counted = (state: State, id: string, usage: Tokens): Step => {
  const tokens = new Map(state.tokens).set(id, input(usage) + usage.output_tokens)
  return total(tokens) === total(state.tokens)
    ? [state, []]
    : [{ ...state, tokens }, [{ _tag: "Progress", tokens: total(tokens) }]]
}

const assistant = (state: State, { message, parent_tool_use_id }: LineOf<"assistant">): Step => {
  const isOwn = parent_tool_use_id == null
  const told = isOwn && message.id != null && state.streamed.has(message.id)
  const said = message.content.reduce<Step>(([state, said], block) => {
    if (block.type === "text" && isOwn && !told) return [state, [...said, messageOf(block.text, message.id)]]
    return block.type === "tool_use"
      ? after([state, said], called(state, block.id, block.name, block.input))
      : [state, said]
  }, [state, []])
  return message.usage == null ? said : after(said, counted(said[0], message.id ?? "", message.usage))
}

const after = ([, before]: Step, [state, said]: Step): Step => [state, [...before, ...said]]

const messageOf = (delta: string, messageId: string | null | undefined): Said => ({
  _tag: "Message",
  delta,
  ...(messageId != null && { messageId })
})

const user = (state: State, { message }: LineOf<"user">): Step =>
  Predicate.isString(message.content) ? [state, []] : message.content.reduce<Step>(
    (step, block) =>
      block.type === "tool_result"
        ? after(step, returned(step[0], block.tool_use_id, block.is_error === true, outputOf(block.content)))
        : step,
    [state, []]
  )

/** Reports a part of a message. Parts arrive only with `partialMessages`. */
const part = (state: State, { event, parent_tool_use_id }: LineOf<"stream_event">): Step => {
  if (parent_tool_use_id != null) return [state, []]
  if (event.type === "message_start") return [{ ...state, current: event.message.id }, []]
  if (event.type !== "content_block_delta" || event.delta.type !== "text_delta") return [state, []]
  const streamed = state.current === undefined ? state.streamed : new Set(state.streamed).add(state.current)
  return [{ ...state, streamed }, [messageOf(event.delta.text, state.current)]]
}

const outcome = (line: LineOf<"result">): Dialect.Outcome =>
  line.subtype === "success" && !line.is_error && line.result != null
    ? {
      result: {
        output: line.result,
        sessionId: line.session_id,
        ...(line.usage != null && { usage: usageOf(line.usage, line.total_cost_usd) })
      }
    }
    : { refused: `it says ${line.subtype}: ${line.result ?? line.errors?.join("; ") ?? "it gives no reason"}` }

const concluded = ([state, said]: Step, outcome: Dialect.Outcome): Step => [{ ...state, outcome }, said]

const read = (state: State, line: Line): Step => {
  switch (line.type) {
    case "system":
      return "session_id" in line ? begin(state, line.session_id, line.model) : [state, []]
    case "assistant":
      return assistant(state, line)
    case "user":
      return user(state, line)
    case "stream_event":
      return part(state, line)
    case "result":
      return concluded(begin(state, line.session_id), outcome(line))
    case "other":
      return [state, []]
  }
}

/** The dialect for reading the output of Claude Code. */
export const dialect: Dialect.Dialect<State, Line, typeof Line.Encoded> = {
  line: Line,
  initial: {
    isStarted: false,
    calls: new Map(),
    tokens: new Map(),
    current: undefined,
    streamed: new Set(),
    outcome: undefined
  },
  read,
  outcome: ({ outcome }) => outcome
}

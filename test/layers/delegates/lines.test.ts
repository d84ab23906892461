/** The JSON lines that Claude Code and Codex print: known kinds are decoded strictly, unknown ones are ignored. */
import { describe, expect, it } from "@effect/vitest"
import { dialect as claude } from "coxswain/layers/delegates/ClaudeCodeLines"
import { dialect as codex } from "coxswain/layers/delegates/CodexLines"
import type { Dialect } from "coxswain/layers/delegates/Dialect"
import { Either, Schema } from "effect"

const tell = <S, L, I>({ initial, line, outcome, read }: Dialect<S, L, I>, ...lines: ReadonlyArray<unknown>) => {
  const decode = Schema.decodeUnknownSync(line)
  const [last, said] = lines.reduce<readonly [S, ReadonlyArray<unknown>]>(([state, before], one) => {
    const [next, said] = read(state, decode(one))
    return [next, [...before, ...said]]
  }, [initial, []])
  return { said, outcome: outcome(last) }
}

const accepts = <S, L, I>({ line }: Dialect<S, L, I>, one: unknown) =>
  Either.isRight(Schema.decodeUnknownEither(line)(one))

const init = { type: "system", subtype: "init", session_id: "s", model: null }
const result = { type: "result", session_id: "s", is_error: false, subtype: "success", result: "done" }
const assistant = (content: ReadonlyArray<object>, more: object = {}) => ({
  type: "assistant",
  message: { id: "m", content, ...more }
})

describe("the parser of Claude Code's output", () => {
  it("ignores lines of an unknown kind", () => {
    for (
      const one of [
        { type: "telepathy" },
        { type: "system", subtype: "compact_boundary" },
        { type: "user", message: { content: "words" } },
        { type: "stream_event", event: { type: "ping" } },
        { type: "stream_event", event: { type: "content_block_delta", delta: { type: "signature_delta" } } },
        assistant([{ type: "thinking", thinking: "hm" }, { type: "hologram" }])
      ]
    ) expect([one, tell(claude, one)]).toEqual([one, { said: [], outcome: undefined }])
  })

  it("refuses a malformed line of a known kind", () => {
    for (
      const one of [
        {},
        [],
        "text",
        null,
        { type: 7 },
        { ...init, session_id: 7 },
        { ...init, session_id: "" },
        { type: "system" },
        { ...result, session_id: undefined },
        { ...result, is_error: "no" },
        { ...result, usage: { input_tokens: -1, output_tokens: 1 } },
        assistant([{ type: "text" }]),
        assistant([{ type: "tool_use", id: "t", name: "n" }]),
        assistant([{ type: "tool_result", content: "x" }]),
        { type: "user", message: {} },
        { type: "stream_event", event: { type: "content_block_delta", delta: { type: "text_delta" } } }
      ]
    ) expect([one, accepts(claude, one)]).toEqual([one, false])
  })

  it("emits `Started` once, even if the result is the first line with the session id", () => {
    expect(tell(claude, init, init, result).said).toEqual([{ _tag: "Started", sessionId: "s" }])
    expect(tell(claude, result)).toEqual({
      said: [{ _tag: "Started", sessionId: "s" }],
      outcome: { result: { output: "done", sessionId: "s" } }
    })
  })

  it("reports a result that is an error, or that has no text, as a refusal with the reason", () => {
    const reasons = [
      [{ ...result, is_error: true, result: "Invalid API key" }, "it says success: Invalid API key"],
      [{ ...result, subtype: "error_max_turns", result: undefined }, "it says error_max_turns: it gives no reason"],
      [
        { ...result, subtype: "error_during_execution", errors: ["a", "b"], result: null },
        "it says error_during_execution: a; b"
      ]
    ] as const
    for (const [line, refused] of reasons) expect(tell(claude, line).outcome).toEqual({ refused })
  })

  it("counts the tokens of each message once, including cached tokens", () => {
    const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 30, cache_creation_input_tokens: 400 }
    const { said } = tell(
      claude,
      assistant([], { usage }),
      assistant([], { usage }),
      assistant([], { id: "n", usage: { ...usage, output_tokens: 3 } })
    )
    expect(said).toEqual([{ _tag: "Progress", tokens: 433 }, { _tag: "Progress", tokens: 867 }])
  })

  it("emits a subagent's tool calls but not its text", () => {
    const tool = { type: "tool_use", id: "t", name: "Read", input: {} }
    const inner = { ...assistant([{ type: "text", text: "inner" }, tool]), parent_tool_use_id: "task" }
    expect(tell(claude, inner).said).toEqual([
      { _tag: "ToolCall", status: "started", callId: "t", name: "Read", input: {} }
    ])
  })

  it("emits the end of a tool call once, and only if the start of the call was emitted", () => {
    const ended = (tool_use_id: string) => ({
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id }] }
    })
    const tool = assistant([{ type: "tool_use", id: "t", name: "Read", input: {} }])
    expect(tell(claude, ended("x"), tool, ended("t"), ended("t")).said).toMatchObject([
      { status: "started" },
      { status: "completed", output: "" }
    ])
  })
})

describe("the parser of Codex's output", () => {
  const thread = { type: "thread.started", thread_id: "t" }
  const usage = { input_tokens: 3, output_tokens: 4 }
  const item = (item: object, type = "item.completed") => ({ type, item: { id: "i", ...item } })

  it("ignores lines of an unknown kind", () => {
    for (
      const one of [
        { type: "turn.started" },
        { type: "telepathy" },
        { type: "error", message: "Reconnecting... 1/5" },
        item({ type: "todo_list", items: [] }),
        item({ type: "reasoning", text: "hm" })
      ]
    ) expect([one, tell(codex, one)]).toEqual([one, { said: [], outcome: undefined }])
  })

  it("refuses a malformed line of a known kind", () => {
    for (
      const one of [
        { type: "thread.started" },
        { type: "turn.completed" },
        { type: "turn.failed", error: "no" },
        { type: "item.completed" },
        item({ type: "agent_message" }),
        item({ type: "command_execution", command: "ls", status: "perhaps" }),
        item({ type: "mcp_tool_call", server: "s", status: "completed" })
      ]
    ) expect([one, accepts(codex, one)]).toEqual([one, false])
  })

  it("reports a turn that fails, or that ends without a thread id, as a refusal", () => {
    expect(tell(codex, { type: "turn.completed", usage }).outcome).toHaveProperty("refused")
    expect(tell(codex, thread, { type: "turn.failed", error: { message: "quota" } }).outcome).toEqual({
      refused: "it says: quota"
    })
  })

  it("emits an update of a message completely if the update does not extend the earlier text", () => {
    const message = (id: string, text: string) => item({ type: "agent_message", text, id }, "item.updated")
    const told = tell(codex, thread, message("a", "ab"), message("a", "abc"), message("a", "x"), message("b", "last"), {
      type: "turn.completed",
      usage
    })
    expect(told.said.slice(1, 5)).toMatchObject([{ delta: "ab" }, { delta: "c" }, { delta: "x" }, { delta: "last" }])
    expect(told.outcome).toMatchObject({ result: { output: "last", usage: { cachedInputTokens: 0 } } })
  })

  it("reports a call as failed if the call was declined, exited with an error code or reports an error", () => {
    const failed = [
      { type: "command_execution", command: "rm", status: "declined" },
      { type: "command_execution", command: "ls", exit_code: 2, status: "completed" },
      { type: "mcp_tool_call", server: "s", tool: "t", error: { message: "gone" }, status: "completed" },
      { type: "file_change", changes: [], status: "failed" }
    ]
    for (const one of failed) {
      expect(tell(codex, item(one)).said).toMatchObject([{ status: "started" }, { status: "failed" }])
    }
    expect(
      tell(codex, item({ type: "web_search", query: "q" }, "item.started"), item({ type: "web_search", query: "q" }))
        .said
    )
      .toMatchObject([{ status: "started", name: "web_search", input: { query: "q" } }, { status: "completed" }])
  })
})

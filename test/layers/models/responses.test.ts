/** Responses API servers that change the ids of items during a stream, or omit them. */
import { describe, expect, it } from "@effect/vitest"
import * as OpenAi from "coxswain/layers/openai"
import { Effect } from "effect"
import { asking, data } from "./asking.js"

const openai = (url: string) => OpenAi.layer({ model: "gpt-x", baseUrl: url })

/** A streamed answer with reasoning, text and a call; `idOf` gives the id of an item at each event. */
const streamed = (idOf: (item: string, time: number) => string | undefined, indexed = true) => {
  let sequence_number = 0
  const event = (type: string, item: string, output_index: number, more: object) =>
    data({
      type,
      sequence_number,
      ...(indexed && { output_index }),
      item_id: idOf(item, sequence_number++),
      ...more
    })
  const thought = (time: number) => ({
    type: "reasoning",
    id: idOf("rs", time),
    summary: [{ type: "summary_text", text: "Let me see." }]
  })
  const message = (time: number) => ({
    type: "message",
    id: idOf("msg", time),
    role: "assistant",
    content: [{ type: "output_text", text: "Hello there.", annotations: [] }]
  })
  const call = (time: number) => ({
    type: "function_call",
    id: idOf("fc", time),
    call_id: "call_1",
    name: "lookup",
    arguments: "{\"q\":1}"
  })
  const output = [thought(97), message(98), call(99)]
  return [
    event("response.output_item.added", "rs", 0, { item: { ...thought(90), summary: [] } }),
    event("response.reasoning_summary_text.delta", "rs", 0, { summary_index: 0, delta: "Let me " }),
    event("response.reasoning_summary_text.delta", "rs", 0, { summary_index: 0, delta: "see." }),
    event("response.output_item.done", "rs", 0, { item: thought(91) }),
    event("response.output_item.added", "msg", 1, { item: { ...message(92), content: [] } }),
    event("response.output_text.delta", "msg", 1, { content_index: 0, delta: "Hello " }),
    event("response.output_text.delta", "msg", 1, { content_index: 0, delta: "there." }),
    event("response.output_item.done", "msg", 1, { item: message(93) }),
    event("response.output_item.added", "fc", 2, { item: { ...call(94), arguments: "" } }),
    event("response.function_call_arguments.delta", "fc", 2, { delta: "{\"q\":1}" }),
    event("response.output_item.done", "fc", 2, { item: call(95) }),
    data({ type: "response.completed", response: { id: "r", status: "completed", output } })
  ].join("")
}

const read = (answer: string) =>
  Effect.gen(function*() {
    const { stream } = yield* asking("openai", openai, answer)
    const { content, reasoning, text, toolCalls } = yield* stream()
    expect(content.map(({ type }) => type)).toEqual(["reasoning", "text", "tool-call"])
    expect({ reasoning, text, calls: toolCalls.map(({ name, params }) => [name, params]) }).toEqual({
      reasoning: "Let me see.",
      text: "Hello there.",
      calls: [["lookup", { q: 1 }]]
    })
  })

describe("a stream of the Responses API", () => {
  it.scopedLive("output items are told apart by their ids if there is no index", () =>
    read(streamed((item) => item, false)))
  it.scopedLive("output items are told apart by their index if every event has another id", () =>
    read(streamed((item, time) => `${item}_${time}`)))
  it.scopedLive("output items are told apart if the reasoning item has another id in its last events", () =>
    read(streamed((item, time) => item === "rs" && time >= 90 ? `rs_${time}` : item)))
  it.scopedLive("output items are told apart if only the last event contains other ids", () =>
    read(streamed((item, time) => time >= 97 ? `${item}_end` : item)))
  it.scopedLive("output items are told apart if the events contain no ids", () => read(streamed(() => undefined)))
  it.scopedLive("output items are told apart if all items have the same id", () => read(streamed(() => "item")))
  it.scopedLive("output items are told apart if the last event contains no reasoning item and other ids", () => {
    const parts = streamed((item, time) => `${item}_${time}`).split("data: ")
    const end = JSON.parse(parts.at(-1)!) as { readonly response: { readonly output: Array<unknown> } }
    end.response.output.shift()
    return read([...parts.slice(0, -1), `${JSON.stringify(end)}\n\n`].join("data: "))
  })
})

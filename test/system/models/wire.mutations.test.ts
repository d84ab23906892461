/** Additions to answers that providers may make without notice are ignored, wherever they are. */
import { describe } from "@effect/vitest"
import { responsesUsage } from "../../layers/models/dialects.js"
import type { Mutant } from "./wire.js"
import { harmless, mutants } from "./wire.js"

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const tools = ["lookup"]

/** The bodies of changed answers. */
const whole = (all: ReadonlyArray<Mutant>) => all.map(({ value, where }) => ({ where, body: JSON.stringify(value) }))

const inOrder = (events: unknown) => (events as ReadonlyArray<unknown>).map(data).join("")

/** The bodies of changed streams, and of streams with an added event at every position. */
const streamed = (all: ReadonlyArray<Mutant>, events: ReadonlyArray<unknown>, added: ReadonlyArray<string>) => [
  ...all.map(({ value, where }) => ({ where, body: inOrder(value) })),
  ...events.flatMap((_, i) =>
    added.map((event) => ({
      where: `before event ${i}: ${event.slice(0, 40)}`,
      body: inOrder(events.slice(0, i)) + event + inOrder(events.slice(i))
    }))
  )
]

const unknown = { type: "added_later", text: "?", content: [{ type: "added_later" }], id: "later_1", status: "later" }

describe("answers of the Responses API with an unknown addition are read like the original answers", () => {
  const annotation = { type: "url_citation", url: "https://example.com", title: "A page", start_index: 0, end_index: 1 }
  const thought = {
    type: "reasoning",
    id: "rs_1",
    status: "completed",
    summary: [{ type: "summary_text", text: "Hm." }]
  }
  const message = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "Hello.", annotations: [annotation], logprobs: [] }]
  }
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "c1",
    name: "lookup",
    arguments: "{\"q\":1}",
    status: "completed"
  }
  const search = { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search", query: "x" } }
  const response = {
    id: "resp_1",
    object: "response",
    created_at: 1700000000,
    status: "completed",
    model: "gpt-x",
    output: [thought, search, message, call],
    error: null,
    incomplete_details: null,
    service_tier: "default",
    truncation: "disabled",
    tool_choice: "auto",
    reasoning: { effort: "low", summary: null },
    text: { format: { type: "text" }, verbosity: "medium" },
    tools: [{ type: "function", name: "lookup" }],
    usage: responsesUsage
  }
  // `type` and `status` are not here; unknown items cover them.
  const enums = ["object", "role", "service_tier", "truncation", "tool_choice", "effort", "verbosity", "phase"]
  const elements = { output: [unknown], content: [unknown], annotations: [unknown], summary: [], tools: [unknown] }
  const inItems = ["status"]

  harmless("a whole answer", "openai", { body: JSON.stringify(response), stream: false, tools }, [
    ...whole(mutants(response, enums, { elements })),
    ...whole(
      mutants(response.output, inItems, { elements: {} }).map(({ value, where }) => ({
        where: `output${where}`,
        value: { ...response, output: value }
      }))
    )
  ])

  const started = { ...response, status: "in_progress", output: [], usage: null }
  const events = [
    { type: "response.created", sequence_number: 0, response: started },
    { type: "response.output_item.added", output_index: 0, item: { ...thought, summary: [] } },
    { type: "response.reasoning_summary_text.delta", item_id: "rs_1", output_index: 0, summary_index: 0, delta: "Hm." },
    { type: "response.output_item.done", output_index: 0, item: thought },
    { type: "response.output_item.done", output_index: 1, item: search },
    { type: "response.output_item.added", output_index: 2, item: { ...message, content: [] } },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 2,
      content_index: 0,
      delta: "Hel",
      logprobs: []
    },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 2,
      content_index: 0,
      delta: "lo.",
      logprobs: []
    },
    { type: "response.output_item.done", output_index: 2, item: message },
    { type: "response.output_item.added", output_index: 3, item: { ...call, arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 3, delta: "{\"q\":1}" },
    { type: "response.output_item.done", output_index: 3, item: call },
    { type: "response.completed", sequence_number: 9, response }
  ]
  const added = [
    data({ type: "response.added_later.delta", item_id: "msg_1", delta: "?", response: { status: "later" } }),
    data({ type: "response.output_item.added", output_index: 9, item: unknown }),
    data({ type: "response.output_item.done", output_index: 9, item: unknown }),
    data({ type: "response.content_part.added", item_id: "msg_1", output_index: 2, part: unknown }),
    data({ type: "response.output_text.annotation.added", item_id: "msg_1", annotation: unknown }),
    data({ type: 7 }),
    "event: ping\ndata: {}\n\n",
    "event: added.later\ndata: {\"a\":1}\n\n",
    ": a comment\n\n"
  ]
  harmless(
    "a streamed answer",
    "openai",
    { body: inOrder(events), stream: true, tools },
    streamed(mutants(events, enums, { elements }), events, added)
  )
})

describe("chat completions with an unknown addition are read like the original chat completions", () => {
  const call = { index: 0, id: "c1", type: "function", function: { name: "lookup", arguments: "{\"q\":1}" } }
  const usage = {
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    prompt_tokens_details: { cached_tokens: 4 },
    completion_tokens_details: { reasoning_tokens: 3 }
  }
  const completion = {
    id: "c1",
    object: "chat.completion",
    model: "m",
    service_tier: "default",
    system_fingerprint: "x",
    choices: [{
      index: 0,
      finish_reason: "tool_calls",
      logprobs: null,
      message: {
        role: "assistant",
        reasoning_content: "Hm.",
        content: [{ type: "text", text: "Hello." }],
        tool_calls: [call],
        annotations: [{ type: "url_citation", url_citation: { url: "https://example.com", title: "A page" } }]
      }
    }],
    usage
  }
  const enums = ["object", "role", "type", "service_tier", "finish_reason", "system_fingerprint"]
  const elements = {
    content: [{ type: "added_later" }],
    tool_calls: [{ type: "added_later", index: 5 }],
    annotations: [{ type: "added_later" }],
    choices: []
  }
  harmless(
    "a whole answer",
    "openai-compatible",
    { body: JSON.stringify(completion), stream: false, tools },
    whole(mutants(completion, enums, { elements }))
  )

  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "c1",
    object: "chat.completion.chunk",
    model: "m",
    service_tier: "default",
    choices: [{ index: 0, delta, finish_reason }]
  })
  const events = [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "Hm." }),
    chunk({ content: "Hello." }),
    chunk({ tool_calls: [call] }),
    chunk({}, "tool_calls"),
    { ...chunk({}), choices: [], usage }
  ]
  harmless(
    "a streamed answer",
    "openai-compatible",
    { body: `${inOrder(events)}data: [DONE]\n\n`, stream: true, tools },
    streamed(mutants(events, enums, { elements }), events, [
      data({ object: "added.later", choices: [] }),
      data({ choices: [{ index: 0, delta: { added_later: { text: "?" } }, finish_reason: null }] }),
      data({ choices: null }),
      data({ x_groq: { id: "req_1" } }),
      "event: added.later\ndata: {\"a\":1}\n\n",
      ": a comment\n\n"
    ])
  )
})

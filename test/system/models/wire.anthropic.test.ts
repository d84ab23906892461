import { replay, vendor } from "./wire.js"

replay("anthropic", "anthropic")

const enums = ["service_tier", "stop_reason", "role", "model", "object"]

/** Blocks and citations of unknown types. */
const added = {
  content: [{ type: "added_later", text: 7, id: null }],
  citations: [{ type: "added_later", where: "there" }, null, "x"]
}

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-x",
  content: [
    { type: "thinking", thinking: "Hm.", signature: "sealed" },
    {
      type: "text",
      text: "One moment.",
      citations: [{ type: "web_search_result_location", url: "https://example.com/a", title: "A", cited_text: "a" }]
    },
    { type: "tool_use", id: "toolu_1", name: "lookup", input: { q: "x" }, caller: { type: "direct" } }
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  container: null,
  usage: {
    input_tokens: 7,
    output_tokens: 5,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 4,
    cache_creation: { ephemeral_5m_input_tokens: 0 },
    service_tier: "standard",
    server_tool_use: null
  }
}

const start = { ...message, content: [], stop_reason: null }
const events: ReadonlyArray<object> = [
  { type: "message_start", message: start },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Hm." } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sealed" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "", citations: [] } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "One moment." } },
  {
    type: "content_block_delta",
    index: 1,
    delta: { type: "citations_delta", citation: { type: "web_search_result_location", url: "https://example.com/a" } }
  },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "lookup", input: {} }
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: "{\"q\":\"x\"}" } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 5 } },
  { type: "message_stop" }
]

const written = (events: ReadonlyArray<unknown>) =>
  events.map((event) => {
    const type = typeof event === "object" && event !== null && "type" in event ? event.type : "x"
    return `event: ${String(type)}\ndata: ${JSON.stringify(event)}\n\n`
  }).join("")

/** Streams with an event of an unknown type at every position. */
const inserted = events.flatMap((_, i) =>
  [
    { type: "added_later", delta: { text: "no" }, index: 1 },
    { type: "content_block_delta", index: 1, delta: { type: "added_later", more: "no" } },
    { type: "content_block_start", index: 9, content_block: { type: "added_later" } }
  ].map((event) => ({
    where: `before event ${i}`,
    body: written([...events.slice(0, i), event, ...events.slice(i)])
  }))
)

vendor("Anthropic", "anthropic", {
  whole: message,
  pieces: events,
  written,
  enums,
  elements: added,
  inserted,
  own: /\/input: /
})

/** Translates a turn to OpenAI's formats: a chat completion, or a response, whole or streamed. */
import type { Json, JsonObject } from "../../../domain/base/Json.js"
import type { TurnResponse } from "../../../domain/turn/TurnResponse.js"
import type { Problem } from "../requests/Problem.js"
import type { Translation } from "../streams/Sse.js"

/** The fields that all answers have. */
export interface About {
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly created: number
  readonly conversation: string
}

/** The fields of a response that these protocols can express, encoded or not. */
type ResponseParts = Pick<TurnResponse, "message" | "usage"> & {
  readonly approvals: ReadonlyArray<{ readonly id: string; readonly toolId: string }>
}

/** The text of a response. These protocols cannot ask for approval, so waiting calls are added as text. */
const textOf = ({ approvals, message }: ResponseParts): string =>
  [
    ...(message === "" ? [] : [message]),
    ...approvals.map(({ id, toolId }) => `"${toolId}" waits for approval (${id}).`)
  ].join("\n\n")

const asAnswered = (response: Json | undefined): ResponseParts => response as never

/** A text that was sent cannot be recalled in this protocol, so the new message follows the replaced one. */
const deltaOf = (event: JsonObject, said: string): string => {
  if (event._tag === "TextDelta") return String(event.text)
  if (event._tag === "MessageReplaced") {
    return event.message === ""
      ? ""
      : `${said === "" ? "" : "\n\n"}${event.message}`
  }
  if (event._tag !== "TurnCompleted") return ""
  const response = asAnswered(event.response)
  const more = textOf(response).slice(response.message.length)
  return said === "" && response.message !== "" ? textOf(response) : said === "" ? more.trimStart() : more
}

export const errorOf = ({ detail, status, tag }: Problem) => ({
  error: { message: detail, type: status < 500 ? "invalid_request_error" : "server_error", code: tag, param: null }
})

// -----------------------------------------------------------------------------
// Chat completions
// -----------------------------------------------------------------------------

const chatUsage = ({ usage }: ResponseParts) => ({
  prompt_tokens: usage.inputTokens,
  completion_tokens: usage.outputTokens,
  total_tokens: usage.inputTokens + usage.outputTokens,
  prompt_tokens_details: { cached_tokens: usage.cachedInputTokens }
})

export const completion = ({ created, id, model }: About, response: ResponseParts) => ({
  id: `chatcmpl-${id}`,
  object: "chat.completion",
  created,
  model,
  choices: [{
    index: 0,
    message: { role: "assistant", content: textOf(response), refusal: null },
    logprobs: null,
    finish_reason: "stop"
  }],
  usage: chatUsage(response)
})

/** Translates a turn to the chunks of a chat completion. */
export const completionChunks = ({ created, id, model }: About, withUsage: boolean): Translation<unknown> => {
  let said = ""
  const piece = (choices: ReadonlyArray<object>, rest: object = {}) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion.chunk",
    created,
    model,
    choices,
    ...rest
  })
  const choice = (delta: object, reason: string | null = null) =>
    piece([{ index: 0, delta, logprobs: null, finish_reason: reason }])
  return {
    next: (event) => {
      const delta = deltaOf(event, said)
      said += delta
      return [
        ...(event._tag === "TurnStarted" ? [choice({ role: "assistant", content: "" })] : []),
        ...(delta === "" ? [] : [choice({ content: delta })]),
        ...(event._tag === "TurnCompleted" ? [choice({}, "stop")] : []),
        ...(event._tag === "TurnCompleted" && withUsage
          ? [piece([], { usage: chatUsage(asAnswered(event.response)) })]
          : [])
      ]
    },
    fail: (problem) => [errorOf(problem)]
  }
}

// -----------------------------------------------------------------------------
// Responses
// -----------------------------------------------------------------------------

const content = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] })

const item = (id: string, status: "in_progress" | "completed", text?: string) => ({
  type: "message",
  id: `msg_${id}`,
  role: "assistant",
  status,
  content: text === undefined ? [] : [content(text)]
})

const base = ({ conversation, created, id, model }: About) => ({
  id: `resp_${id}`,
  object: "response",
  created_at: created,
  model,
  conversation: { id: conversation },
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: false,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null
})

const unfinished = (about: About) => ({ ...base(about), status: "in_progress", output: [], usage: null })

export const response = (about: About, answered: ResponseParts, text = textOf(answered)) => ({
  ...base(about),
  status: "completed",
  output: [item(about.id, "completed", text)],
  output_text: text,
  usage: {
    input_tokens: answered.usage.inputTokens,
    input_tokens_details: { cached_tokens: answered.usage.cachedInputTokens },
    output_tokens: answered.usage.outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: answered.usage.inputTokens + answered.usage.outputTokens
  }
})

/** An event of a streamed response. */
type ResponseEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/** Translates a turn to the events of a streamed response. */
export const responseEvents = (about: About): Translation<ResponseEvent> => {
  let said = ""
  let number = 0
  const at = { output_index: 0, item_id: `msg_${about.id}`, content_index: 0 }
  const event = (type: string, rest: object): ResponseEvent => ({ type, sequence_number: number++, ...rest })
  const begin = () => [
    event("response.created", { response: unfinished(about) }),
    event("response.in_progress", { response: unfinished(about) }),
    event("response.output_item.added", { output_index: 0, item: item(about.id, "in_progress") }),
    event("response.content_part.added", { ...at, part: content("") })
  ]
  const end = (answered: ResponseParts) => [
    event("response.output_text.done", { ...at, text: said, logprobs: [] }),
    event("response.content_part.done", { ...at, part: content(said) }),
    event("response.output_item.done", { output_index: 0, item: item(about.id, "completed", said) }),
    event("response.completed", { response: response(about, answered, said) })
  ]
  return {
    next: (happened) => {
      const delta = deltaOf(happened, said)
      said += delta
      return [
        ...(happened._tag === "TurnStarted" ? begin() : []),
        ...(delta === "" ? [] : [event("response.output_text.delta", { ...at, delta, logprobs: [] })]),
        ...(happened._tag === "TurnCompleted" ? end(asAnswered(happened.response)) : [])
      ]
    },
    fail: ({ detail, tag }) => [
      event("response.failed", {
        response: {
          ...unfinished(about),
          status: "failed",
          error: { code: "server_error", message: `${tag}: ${detail}` }
        }
      })
    ]
  }
}

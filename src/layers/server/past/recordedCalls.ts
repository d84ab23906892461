/** Renders the model calls of a recorded turn: prompts, offered tools and answers. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Schema from "effect/Schema"
import { Json, recordOf } from "../../../domain/base/Json.js"
import { optional } from "../../../domain/fields/Fields.js"
import * as Transcript from "../../../domain/session/Transcript.js"
import type { End } from "../../../domain/turn/TurnEntry.js"
import type { ReplayedRequest } from "../../../pipeline/recording/replayServices.js"
import type { Questions } from "../../../services/understanding/Understanding.js"

/** A model call of a recorded turn. */
export const RecordedCall = Schema.Struct({
  /** `understand`, `speak`, `compact`, … */
  purpose: Schema.String,
  /** The name or alias of the model; absent if no model was asked. */
  model: optional(Schema.String),
  /**
   * True if the present agent makes exactly the recorded request. Otherwise the definition has changed since, or the
   * record lacks secret values of the context; `prompt` is then that of the present agent.
   */
  isSame: Schema.Boolean,
  /**
   * The messages of the prompt. For a call to understanding, the questions about the message, because each
   * implementation of understanding words them in its own way.
   */
  prompt: Schema.Array(Schema.Struct({ role: Schema.String, text: Schema.String })),
  /** The names of the tools that the model could call. */
  tools: Schema.Array(Schema.String),
  /** The recorded answer; absent if there was none. */
  answer: optional(Json),
  /** The reason why the call ended without an answer. */
  failure: optional(Schema.String)
}).annotations({ identifier: "RecordedCall" })

type RecordedCall = typeof RecordedCall.Type

const partOf = (part: Prompt.Part): string => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text
    case "tool-call":
      return `${part.name}(${JSON.stringify(part.params)})`
    case "tool-result":
      return `${part.name}: ${JSON.stringify(part.result)}`
    default:
      return `[${part.type}]`
  }
}

const messageOf = (message: Prompt.Message) => ({
  role: message.role,
  text: Transcript.partsOf(message).map(partOf).join("\n")
})

const texts = (text: string | undefined): ReadonlyArray<string> => text === undefined ? [] : [text]

/** Returns one line for each question: its kind, its name and the texts that describe it. */
const questionsOf = ({ conditions, fields, flows, message, rules = [], signals }: Questions) => {
  const line = (kind: string, name: string, given: ReadonlyArray<string>) => `${kind} ${name}: ${given.join("; ")}`
  const asked = [
    ...rules,
    ...flows.map(({ description, id, when }) => line("flow", id, [...when, ...texts(description)])),
    ...fields.map(({ description, name }) => line("field", name, texts(description))),
    ...conditions.map(({ id, when }) => line("condition", id, when)),
    ...signals.map(({ description, id, when }) => line("signal", id, [...when, ...texts(description)]))
  ]
  return [{ role: "system", text: asked.join("\n") }, { role: "user", text: message }]
}

/** Returns the text of an answer, with its tool calls; returns any other answer as it is. */
const answered = (value: Json): Json => {
  const { text, toolCalls } = recordOf(value)
  if (typeof text !== "string") return value
  const calls = (Array.isArray(toolCalls) ? toolCalls : []).map(recordOf)
  return [text, ...calls.map(({ name, params }) => `${String(name)}(${JSON.stringify(params)})`)]
    .filter((line) => line !== "").join("\n")
}

const endedAs = (end: End): Pick<RecordedCall, "answer" | "failure"> => {
  switch (end._tag) {
    case "Gave":
      return { answer: answered(end.value) }
    case "Failed":
      return { failure: String(end.error.message ?? end.error._tag) }
    case "Died":
      return { failure: end.message }
    case "Stopped":
      return { failure: "stopped", ...(end.said !== undefined && { answer: end.said }) }
  }
}

export const recordedCall = ({ answer: { end, used }, isSame, request }: ReplayedRequest): RecordedCall => {
  const model = used.at(-1)?.model
  const asked = "purpose" in request
    ? {
      purpose: request.purpose,
      prompt: request.prompt.content.map(messageOf),
      tools: (request.tools ?? []).map(({ name }) => name)
    }
    : { purpose: "understand", prompt: questionsOf(request), tools: [] }
  return { ...asked, isSame, ...(model !== undefined && { model }), ...endedAs(end) }
}

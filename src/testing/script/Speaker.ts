/** A language model whose answers are a function of the call. */
import type * as AiError from "@effect/ai/AiError"
import * as LanguageModel from "@effect/ai/LanguageModel"
import type * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Brief from "../../domain/brief/Brief.js"
import { partsOf } from "../../domain/session/Transcript.js"

/** One call of the model. */
export interface Asked {
  /** All text sent to the model, in order. */
  readonly text: string
  readonly prompt: Prompt.Prompt
  /** True if the call asks for a JSON object. */
  readonly json: boolean
  /** The names of the offered tools. */
  readonly tools: ReadonlyArray<string>
  /** The Schema of the JSON object for which the call asks. */
  readonly schema: unknown
}

/** One answer of the model: a text, a value to encode as JSON, or the parts of the answer without the finish part. */
export type Answer = string | object | ReadonlyArray<Response.PartEncoded>

/** The token usage reported for each call. */
export interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
}

const perCall: Tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

const textOf = (prompt: Prompt.Prompt): string =>
  prompt.content.map((message) =>
    partsOf(message).map((part) => part.type === "text" ? part.text : JSON.stringify(part)).join("\n")
  ).join("\n")

const isParts = (answer: Answer): answer is ReadonlyArray<Response.PartEncoded> => Array.isArray(answer)

const parts = (answer: Answer, usage: Tokens): Array<Response.PartEncoded> => {
  const said: ReadonlyArray<Response.PartEncoded> = isParts(answer)
    ? answer
    : [{ type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) }]
  const calls = said.some(({ type }) => type === "tool-call")
  return [...said, { type: "finish", reason: calls ? "tool-calls" : "stop", usage }]
}

/** Returns the answer as the parts of a stream, with its text word by word. */
const pieces = (answer: Answer, usage: Tokens): Array<Response.StreamPartEncoded> =>
  parts(answer, usage).flatMap((part, i): Array<Response.StreamPartEncoded> => {
    // Only text is split for a stream; every other part stays the same.
    if (part.type !== "text") return [part as Response.StreamPartEncoded]
    const id = `t${i}`
    return [
      { type: "text-start", id },
      ...part.text.split(/(?<= )/).map((delta): Response.StreamPartEncoded => ({ type: "text-delta", id, delta })),
      { type: "text-end", id }
    ]
  })

const askedOf = ({ prompt, responseFormat, tools }: LanguageModel.ProviderOptions): Asked => ({
  text: textOf(prompt),
  prompt,
  json: responseFormat.type === "json",
  tools: tools.map(({ name }) => name),
  schema: responseFormat.type === "json" ? responseFormat.schema : undefined
})

/**
 * Makes a model whose answers are the results of the function. `hold` runs after the text of each answer and before its
 * end; until it completes, the answer does not end.
 */
export const make = (
  answer: (asked: Asked) => Effect.Effect<Answer, AiError.AiError>,
  { hold = Effect.void, usage = perCall }: {
    readonly hold?: Effect.Effect<void>
    readonly usage?: Tokens | undefined
  } = {}
): Effect.Effect<LanguageModel.Service> =>
  LanguageModel.make({
    generateText: (options) =>
      Effect.zipLeft(Effect.map(answer(askedOf(options)), (given) => parts(given, usage)), hold),
    streamText: (options) =>
      Stream.unwrap(Effect.map(answer(askedOf(options)), (given) => {
        const all = pieces(given, usage)
        return Stream.fromIterable(all.slice(0, -1)).pipe(
          Stream.rechunk(1),
          Stream.concat(Stream.fromEffect(Effect.as(hold, all.at(-1)!)))
        )
      }))
  })

/** Returns the task in the prompt of a model call, and the fields to ask for; `"Hello"` without them. */
export const taskOf = ({ prompt }: Pick<Asked, "prompt">): string => {
  const { ask = [], task = "" } = Brief.speakingOf(prompt) ?? {}
  const wanted = ask.map(({ hint, name }) => hint === undefined ? name : `${name} (${hint})`).join(", ")
  const said = [task, wanted === "" ? "" : `Ask for: ${wanted}`].filter((part) => part !== "")
  return said.length === 0 ? "Hello" : said.join(" ")
}

/** A language model that plays a script: what it was asked is recorded, what it answers is a function of that. */
import { AiError, LanguageModel, type Prompt, type Response, Tool } from "@effect/ai"
import { Effect, Layer, Schema, Stream } from "effect"

export interface Asked {
  /** All text sent, in order. */
  readonly text: string
  readonly prompt: Prompt.Prompt
  /** Whether a JSON object was asked, that is: whether the call is to understand. */
  readonly json: boolean
  readonly tools: ReadonlyArray<string>
  readonly schema: unknown
}

export type Answer = string | object | ReadonlyArray<Response.PartEncoded>

interface Tokens {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
}

const perCall: Tokens = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }

const textOf = (prompt: Prompt.Prompt): string =>
  prompt.content.map((message) =>
    typeof message.content === "string"
      ? message.content
      : message.content.map((part) => part.type === "text" ? part.text : JSON.stringify(part)).join("\n")
  ).join("\n")

const parts = (answer: Answer, usage: Tokens): Array<Response.PartEncoded> =>
  Array.isArray(answer)
    ? [...answer as ReadonlyArray<Response.PartEncoded>, {
      type: "finish",
      reason: answer.some((part: Response.PartEncoded) => part.type === "tool-call") ? "tool-calls" : "stop",
      usage
    }]
    : [
      { type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) },
      { type: "finish", reason: "stop", usage }
    ]

/** The same answer in pieces: text word by word. */
const pieces = (answer: Answer, usage: Tokens): Array<Response.StreamPartEncoded> =>
  parts(answer, usage).flatMap((part, i): Array<Response.StreamPartEncoded> => {
    if (part.type !== "text") return [part as Response.StreamPartEncoded]
    const id = `t${i}`
    return [
      { type: "text-start", id },
      ...part.text.split(/(?<= )/).map((delta): Response.StreamPartEncoded => ({ type: "text-delta", id, delta })),
      { type: "text-end", id }
    ]
  })

/** How much was sent: all text, and the schema of a structured answer. */
export const chars = ({ schema, text }: Asked): number =>
  text.length + (Schema.isSchema(schema) ? JSON.stringify(Tool.getJsonSchemaFromSchemaAst(schema.ast)).length : 0)

export const toolCall = (name: string, params: unknown, id = `call_${name}`): Response.PartEncoded => ({
  type: "tool-call",
  id,
  name,
  params: params as never
})

/** How a provider refuses. */
export const refusal = (status: number, headers: Record<string, string> = {}): AiError.AiError =>
  new AiError.HttpResponseError({
    module: "Script",
    method: "generateText",
    reason: "StatusCode",
    request: { method: "POST", url: "http://localhost", urlParams: [], hash: undefined, headers: {} },
    response: { status, headers }
  } as never, { disableValidation: true })

export const make = (
  answer: (asked: Asked, index: number) => Answer | Effect.Effect<Answer, AiError.AiError>,
  usage: Tokens = perCall
) => {
  const asked: Array<Asked> = []
  const next = (options: LanguageModel.ProviderOptions) =>
    Effect.suspend(() => {
      const one: Asked = {
        text: textOf(options.prompt),
        prompt: options.prompt,
        json: options.responseFormat.type === "json",
        tools: options.tools.map(({ name }) => name),
        schema: options.responseFormat.type === "json" ? options.responseFormat.schema : undefined
      }
      const index = asked.push(one) - 1
      const result = answer(one, index)
      return Effect.isEffect(result)
        ? result as Effect.Effect<Answer, AiError.AiError>
        : Effect.succeed(result as Answer)
    })
  const layer = Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) => Effect.map(next(options), (a) => parts(a, usage)),
      streamText: (options) =>
        Stream.unwrap(Effect.map(next(options), (a) => Stream.fromIterable(pieces(a, usage)).pipe(Stream.rechunk(1))))
    })
  )
  return { asked, layer }
}

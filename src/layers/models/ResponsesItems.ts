/**
 * The items of the Responses API in a transcript: the model to which they belong, and a second request without them if
 * the server has lost them.
 */
import type * as AiError from "@effect/ai/AiError"
import * as Prompt from "@effect/ai/Prompt"
import type * as Response from "@effect/ai/Response"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Question, Wire } from "../../services/model/call/Wire.js"

/** The key in a part's options for data that is sent back to the server. */
const metadataKey = "openai"

export type ItemMetadata = Readonly<Record<string, unknown>>

/** The model and the deployment to which an item belongs. */
export interface Origin {
  readonly model: string
  readonly deployment: string
}

/** Makes the metadata for data that is sent back to the server. */
export const keeping = (kept: ItemMetadata): Response.ProviderMetadata =>
  // The cast is needed because the client of `@effect/ai-openai` declares other types for this key.
  ({ [metadataKey]: kept }) as Response.ProviderMetadata

/** Returns the data that `keeping` stored in a part, or that was written into a message in the same form. */
export const keptIn = ({ options }: { readonly options: Prompt.ProviderOptions }): ItemMetadata | undefined =>
  Predicate.isRecord(options[metadataKey]) ? options[metadataKey] : undefined

/**
 * Returns the kept data of a part if this model at this deployment made it, because servers refuse ids and reasoning of
 * other models.
 */
export const keptBy = (part: Prompt.AssistantMessagePart, { deployment, model }: Origin): ItemMetadata | undefined => {
  const kept = keptIn(part)
  return kept?.model === model && kept.deployment === deployment ? kept : undefined
}

/** Number of refused items remembered. */
const capacity = 1_000

/** Returns the id of an item that is sent back with its id: reasoning, or a call that the provider ran. */
const itemOf = (part: Prompt.AssistantMessagePart): string | undefined => {
  const isItem = part.type === "reasoning" || (part.type === "tool-call" && part.providerExecuted)
  const id = isItem ? keptIn(part)?.itemId : undefined
  return typeof id === "string" ? id : undefined
}

const itemsIn = (prompt: Prompt.Prompt): ReadonlyArray<string> =>
  prompt.content.flatMap((message) =>
    message.role === "assistant" ? message.content.map(itemOf).filter((id) => id !== undefined) : []
  )

const without = (items: ReadonlySet<string>, prompt: Prompt.Prompt): Prompt.Prompt => {
  if (items.size === 0) return prompt
  return Prompt.fromMessages(prompt.content.map((message) => {
    if (message.role !== "assistant") return message
    const content = message.content.filter((part) => {
      const id = itemOf(part)
      return id === undefined || !items.has(id)
    })
    return content.length === message.content.length ? message : Prompt.assistantMessage({ ...message, content })
  }))
}

const words = /item with id|required .{0,20}item|encrypted[ _]content|'reasoning'/i

const isRefusal = (error: AiError.AiError): boolean =>
  error._tag === "HttpResponseError" && (error.response.status === 400 || error.response.status === 404) &&
  words.test(`${error.body ?? ""} ${error.description ?? ""}`)

/**
 * If the server refuses one of the kept items, sends the request once more without them: the server has deleted the
 * item, or another server has stored it. Later requests leave these items out.
 */
export const recovering = (wire: Wire): Wire => {
  const refused = new Set<string>()
  const again = <A, R>(ask: (question: Question) => Effect.Effect<A, AiError.AiError, R>) => (question: Question) => {
    const prompt = without(refused, question.prompt)
    return Effect.catchIf(ask(prompt === question.prompt ? question : { ...question, prompt }), (error) => {
      return isRefusal(error) && itemsIn(prompt).some((id) => !refused.has(id))
    }, () => {
      if (refused.size > capacity) refused.clear()
      for (const id of itemsIn(prompt)) refused.add(id)
      return ask({ ...question, prompt: without(refused, prompt) })
    })
  }
  return { whole: again(wire.whole), stream: again(wire.stream) }
}

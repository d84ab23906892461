/**
 * Makes a conversation valid for a vendor, whatever it holds: sessions may be old, imported, or begun by another model.
 * A vendor refuses a request for one wrong part, and then every later turn of the session too.
 *
 * - Texts, names, ids, arguments and results are well-formed: U+FFFD replaces a lone surrogate.
 * - The arguments of a call are an object; any other value becomes its field `arguments`.
 * - Every call is followed by exactly one result. A result without a call is left out.
 * - Ids of calls are unique, and ids and names have the form that the vendor wants.
 * - There is no blank text, no message without content, and no answer that is only reasoning.
 */
import * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import { start } from "../../domain/base/error/Excerpt.js"
import { wellFormed } from "../../domain/base/Json.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { conforming } from "./Provider.js"

/** The forms of ids and names that a vendor wants. Different values may get the same form. */
export interface Forms {
  readonly callId: (id: string) => string
  readonly toolName: (name: string) => string
}

/** The forms that most vendors accept, with ids of at most `longest` characters. */
export const forms = (longest: number): Forms => ({
  callId: (id) => start(id, longest) || "call",
  toolName: conforming
})

/** Returns a function that gives each call an id that no earlier call has. */
const distinct = ({ callId }: Forms) => {
  const taken = new Set<string>()
  return (given: string): string => {
    let id = callId(given)
    // The number stands in front, because some forms cut the end off.
    for (let n = 2; taken.has(id); n++) id = callId(`${n}_${given}`)
    taken.add(id)
    return id
  }
}

const paramsOf = (params: unknown): unknown =>
  Predicate.isRecord(params) ? wellFormed(params) : params == null ? {} : { arguments: wellFormed(params) }

const spoken = <P extends Prompt.Part>(parts: ReadonlyArray<P>): ReadonlyArray<P> =>
  parts.flatMap((part): ReadonlyArray<P> => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ ...part, text: part.text.toWellFormed() }]
    // Changed reasoning would not fit its signature.
    return part.type === "reasoning" && !part.text.isWellFormed() ? [] : [part]
  })

/**
 * Returns the results of each message's calls. A result belongs to the last call before it with its id. Undefined: the
 * call has no result.
 */
const resultsOf = (
  messages: ReadonlyArray<Prompt.Message>
): ReadonlyMap<Prompt.Message, ReadonlyArray<Prompt.ToolResultPart | undefined>> => {
  const found = new Map<Prompt.Message, ReadonlyArray<Prompt.ToolResultPart | undefined>>()
  const later = new Map<string, Array<Prompt.ToolResultPart>>()
  for (const message of messages.toReversed()) {
    if (message.role === "tool") {
      for (const part of message.content.toReversed()) later.set(part.id, [part, ...later.get(part.id) ?? []])
    }
    const ids = Transcript.callsOf(message).map(({ id }) => id)
    if (ids.length === 0) continue
    found.set(message, ids.map((id) => later.get(id)?.shift()))
    for (const id of ids) later.delete(id)
  }
  return found
}

const unknown = { error: "unknown", message: "it is not known how this call ended" }

const resultOf = (
  { id, name }: Prompt.ToolCallPart,
  { isFailure = true, options = {}, result = unknown }: Partial<Prompt.ToolResultPart> = {}
): Prompt.ToolResultPart =>
  Prompt.toolResultPart({ id, name, isFailure, options, result: wellFormed(result), providerExecuted: false })

/** Returns the prompt in a form that the vendor accepts. */
export const validPrompt = ({ content: messages }: Prompt.Prompt, forms: Forms): Prompt.Prompt => {
  const results = resultsOf(messages)
  const idOf = distinct(forms)
  const valid = (message: Prompt.Message): ReadonlyArray<Prompt.Message> => {
    switch (message.role) {
      case "system":
        return message.content.trim() === "" ? [] : [{ ...message, content: message.content.toWellFormed() }]
      case "user": {
        const content = spoken(message.content)
        return content.length === 0 ? [] : [{ ...message, content }]
      }
      case "assistant": {
        const calls: Array<Prompt.ToolCallPart> = []
        const content = spoken(message.content).map((part) => {
          if (part.type !== "tool-call" || part.providerExecuted) return part
          const call = {
            ...part,
            id: idOf(part.id.toWellFormed()),
            name: forms.toolName(part.name.toWellFormed()),
            params: paramsOf(part.params)
          }
          calls.push(call)
          return call
        })
        if (content.every(({ type }) => type === "reasoning")) return []
        const answers = calls.map((call, i) => resultOf(call, results.get(message)?.[i]))
        return [
          { ...message, content },
          ...(answers.length === 0 ? [] : [Prompt.makeMessage("tool", { content: answers })])
        ]
      }
      // The results stand after their calls.
      case "tool":
        return []
    }
  }
  return Prompt.fromMessages(messages.flatMap(valid))
}

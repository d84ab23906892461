/**
 * Writes a question to a model as lines for a recording: readable, and without random parts, so that questions can be
 * compared.
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Redacted from "effect/Redacted"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import * as Brief from "../../domain/brief/Brief.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { redact } from "../../services/model/call/CallFailure.js"
import type { ModelCall } from "../../services/model/Model.js"

/** Replaces the parts of a text that differ in each run: the random key of a request, and the current time. */
const withoutChance = (text: string, prompt: Prompt.Prompt): string => {
  const brief = Brief.ofPrompt(prompt)
  if (brief === undefined) return text
  const timeless = "now" in brief && brief.now !== undefined ? text.replaceAll(brief.now, "(now)") : text
  return timeless.replaceAll(brief.key, "(key)")
}

const partsOf = (message: Prompt.Message): ReadonlyArray<string> => {
  const { role } = message
  return Transcript.partsOf(message).flatMap((part) => {
    switch (part.type) {
      case "text":
        return [`${role}: ${part.text}`]
      case "tool-call":
        return [`${role} calls ${part.name} ${JSON.stringify(part.params)}`]
      case "tool-result":
        return [`${part.name} gives ${JSON.stringify(part.result)}`]
      default:
        return part.type === "file" ? [`${role} sends a file`] : []
    }
  })
}

/** A function that removes secrets from a text. */
export type Clean = (text: string) => string

/** Makes a function that removes the given secrets, and text that looks like a secret. */
export const cleaning = (secrets: ReadonlyArray<Redacted.Redacted>): Clean => {
  const hidden = secrets.map(Redacted.value).filter((text) => text !== "")
  return (text) => redact(hidden.reduce((said, secret) => said.replaceAll(secret, "<redacted>"), text))
}

/** Returns the question, line by line. */
export const linesOf = ({ json, prompt, toolChoice, tools = [] }: ModelCall, clean: Clean): ReadonlyArray<string> => {
  const told = [
    ...prompt.content.flatMap((message) => partsOf(message)),
    ...tools.map(({ description = "", jsonSchema, name }) =>
      `tool ${name}: ${description} ${JSON.stringify(jsonSchema)}`
    ),
    ...(toolChoice === undefined || toolChoice === "auto" ? [] : [`tool choice ${JSON.stringify(toolChoice)}`]),
    ...(json === undefined ? [] : [`answers as ${json.name} ${JSON.stringify(json.schema)}`])
  ]
  return clean(withoutChance(told.join("\n"), prompt)).split("\n")
}

/** Returns the lines of one text that are missing in the other, shortened. */
const only = (lines: ReadonlyArray<string>, others: ReadonlyArray<string>): string => {
  const known = new Set(others)
  const found = lines.filter((line) => line.trim() !== "" && !known.has(line))
  const shown = found.slice(0, 3).map((line) => `  ${line.length > 160 ? `${Excerpt.start(line, 160)}…` : line}`)
  return found.length === 0
    ? "  (nothing)"
    : [...shown, ...(found.length > 3 ? [`  and ${found.length - 3} more`] : [])].join("\n")
}

/** Describes how the question differs from the most similar recorded one. */
export const nearest = (
  asked: ReadonlyArray<string>,
  recorded: ReadonlyArray<ReadonlyArray<string>>
): string => {
  const lines = new Set(asked)
  const distance = (one: ReadonlyArray<string>) =>
    one.filter((line) => !lines.has(line)).length + asked.filter((line) => !one.includes(line)).length
  const [best] = [...recorded].sort((a, b) => distance(a) - distance(b))
  return best === undefined
    ? "nothing like it is recorded"
    : `the nearest question of the recording differs:\nasked\n${only(asked, best)}\nrecorded\n${only(best, asked)}`
}

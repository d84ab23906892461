/**
 * What the offline model says to a prompt: it reads the lines that the turn writes for every model, and fills templates.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Reading } from "./Reading.js"
import { read } from "./Reading.js"
import { addressed, labelOf, listing, spoken, utterance } from "./Task.js"
import { conceptsOf } from "./Topics.js"
import { wordsOf } from "./Words.js"

type Values = Readonly<Record<string, unknown>>

interface Wanted {
  readonly name: string
  readonly description: string | undefined
}

interface ToolResult {
  readonly name: string
  readonly result: unknown
  readonly isFailure: boolean
}

/**
 * What a prompt says, as far as rules can read it.
 *
 * @internal
 */
export interface Brief {
  readonly task: string
  readonly wanted: ReadonlyArray<Wanted>
  readonly rejected: ReadonlyArray<{ readonly field: string; readonly value: unknown; readonly message: string }>
  readonly completed: ReadonlyArray<string>
  readonly returnsTo: string | undefined
  readonly known: Values
  /** What the user said last. */
  readonly message: string
  /** What tools answered since. */
  readonly results: ReadonlyArray<ToolResult>
  readonly length: number
}

const textOf = (message: Prompt.Message): string => {
  if (typeof message.content === "string") return message.content
  const parts: ReadonlyArray<Prompt.Part> = message.content
  return parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n")
}

const parse = Schema.decodeUnknownEither(Schema.parseJson())

const json = (text: string | undefined): unknown =>
  text === undefined ? undefined : Either.getOrElse(parse(text), () => undefined)

const between = (text: string, tag: string): string | undefined => {
  const from = text.indexOf(`<${tag}>`)
  const to = text.indexOf(`</${tag}>`, from)
  return from < 0 || to < 0 ? undefined : text.slice(from + tag.length + 2, to)
}

const rejections = (value: unknown): Brief["rejected"] =>
  !Array.isArray(value) ? [] : value.flatMap((one: unknown) =>
    Predicate.isRecord(one) && typeof one.field === "string"
      ? [{ field: one.field, value: one.value, message: typeof one.message === "string" ? one.message : "" }]
      : []
  )

/** `city (where to stay), guests (1 to 8 (children too))`: commas and parentheses inside a description are part of it. */
const wantedOf = (line: string): ReadonlyArray<Wanted> => {
  const items: Array<string> = []
  let depth = 0
  let from = 0
  for (let index = 0; index <= line.length; index++) {
    const char = line[index]
    if (char === "(") depth++
    else if (char === ")") depth = Math.max(0, depth - 1)
    else if (char === undefined || (char === "," && depth === 0)) {
      items.push(line.slice(from, index).trim())
      from = index + 1
    }
  }
  return items.filter((item) => item !== "").map((item) => {
    const open = item.indexOf("(")
    return open < 0
      ? { name: item, description: undefined }
      : { name: item.slice(0, open).trim(), description: item.slice(open + 1).replace(/\)$/, "").trim() }
  })
}

/** Blocks of data stand in user messages of their own, before what the user said. */
const isData = (text: string) => /^<(?:known|rejected)>/.test(text)

/**
 * @internal
 */
export const briefOf = (prompt: Prompt.Prompt): Brief => {
  const system = prompt.content.filter(({ role }) => role === "system").map(textOf).join("\n").split("\n")
  const line = (label: string): string | undefined =>
    system.filter((text) => text.startsWith(label)).at(-1)?.slice(label.length).trim()
  const lastUser = prompt.content.map(({ role }) => role).lastIndexOf("user")
  const users = prompt.content.filter(({ role }) => role === "user").map(textOf)
  // What the user types last is never read as data, unless nothing was typed.
  const typed = users.at(-1) ?? ""
  const before = users.slice(0, -1).filter(isData).at(-1)
  const data = before ?? (isData(typed) ? typed : "")
  const known = json(between(data, "known"))
  const since = prompt.content.slice(lastUser + 1)
  return {
    task: line("Task: ") ?? "",
    wanted: wantedOf(line("Ask for: ") ?? ""),
    rejected: rejections(json(between(data, "rejected")) ?? json(line("Not accepted: "))),
    completed: (line("Just completed: ") ?? "").split(", ").filter((title) => title !== ""),
    returnsTo: line("Afterwards, return to: "),
    known: Predicate.isRecord(known) ? known : {},
    message: data === typed ? "" : typed,
    results: since.flatMap((message) =>
      message.role !== "tool" ? [] : message.content.map(({ isFailure, name, result }) => ({ isFailure, name, result }))
    ),
    length: prompt.content.reduce((sum, message) => sum + textOf(message).length, 0)
  }
}

/** Whether the user said this value just now. */
const isSaid = (reading: Reading, said: ReadonlySet<string>) => (value: unknown): boolean => {
  if (typeof value === "number") return reading.amounts.some((amount) => amount.value.number === value)
  if (typeof value !== "string" || value === "") return false
  if (reading.dates.some(({ value: { date } }) => value.startsWith(date))) return true
  return wordsOf(value).every(({ norm }) => said.has(norm))
}

const justKnown = ({ known, message }: Brief, now: Date): Values => {
  if (message === "" || Object.keys(known).length === 0) return {}
  const reading = read(message, now)
  const said = new Set(reading.words.map(({ norm }) => norm))
  return Object.fromEntries(Object.entries(known).filter(([, value]) => isSaid(reading, said)(value)))
}

/** The end of a schema's complaint says what was expected; what was said is known. */
const complaint = (message: string): string =>
  (message.trim().split("\n").at(-1) ?? "").replace(/^[\s│├└─]+/, "")
    .replace(/^.*; (it must be .*)$/, "$1")
    .replace(/^Expected (.*?), actual .*$/, "expected $1")
    .replace(/\.$/, "")

const capital = (text: string): string => text.replace(/^./u, (first) => first.toUpperCase())

/** What Effect says of its own schemas describes a type, not a field: "a valid Date", "a number between 1 and 8". */
const isType =
  /^an? (?:[\w-]+ ){0,3}(?:date|string|integer|number|bigint|boolean)(?: (?:between|at|greater|less|match|start|end|contain).*)?$/i

const phrase = ({ description, name }: Wanted): string => {
  const said = (description ?? "").replace(/[.?!\s]{1,9}$/, "")
  if (said === "" || isType.test(said)) return `the ${labelOf(name)}`
  // One word, or the values to choose from, says too little without the name.
  if (!said.includes(" ") || said.includes(" | ")) return `the ${labelOf(name)} (${said.replaceAll(" | ", ", ")})`
  const lower = /^\p{Lu}\p{Ll}/u.test(said) ? said.replace(/^./u, (first) => first.toLowerCase()) : said
  const begins = /^(?:the|a|an|your|my|our|whether|if|how|when|where|which|what|who|any)\b/i.test(lower)
  return addressed(begins ? lower : `the ${lower}`)
}

const question = (wanted: ReadonlyArray<Wanted>): string => {
  const phrases = wanted.slice(0, 3).map(phrase)
  const last = phrases.pop() ?? ""
  return `Could you tell me ${phrases.length === 0 ? last : `${phrases.join(", ")} and ${last}`}?`
}

const resultText = ({ isFailure, result }: ToolResult): string => {
  const outcome = Predicate.isRecord(result)
    ? result.outputMessage ?? result.message ?? result.text ?? result
    : result
  const said = spoken(outcome).slice(0, 1000)
  return isFailure ? `That did not work: ${said}` : said
}

/** What the engine asks when no flow is active is for a model that can talk about anything. */
const isIdle = (task: string) => task === "" || task.startsWith("Nothing is in progress.")

const smallTalk = (message: string): string => {
  const about = conceptsOf(message)
  if (about.has("thank")) return "You are welcome."
  return about.has("hello") ? "Hello! How can I help you?" : "How can I help you?"
}

/**
 * What is said to a prompt. Never empty.
 *
 * @internal
 */
export const speak = (brief: Brief, now: Date): string => {
  const { completed, known, rejected, results, returnsTo, wanted } = brief
  const told = isIdle(brief.task) ? "" : utterance(brief.task, known, wanted.length > 0)
  const repeats = /\b(?:Confirmed|Here is what I have): /.test(told)
  const fresh = repeats || results.length > 0 ? {} : justKnown(brief, now)
  const parts = [
    ...results.map(resultText),
    ...(Object.keys(fresh).length > 0 ? [`Got it: ${listing(fresh)}.`] : []),
    ...rejected.map(({ field, message, value }) =>
      `${capital(labelOf(field))} ${spoken(value)} is not possible${message === "" ? "" : `: ${complaint(message)}`}.`
    ),
    ...(results.length === 0 || wanted.length > 0 ? [told] : []),
    ...(wanted.length > 0 ? [question(wanted)] : [])
  ].filter((part) => part !== "")
  const said = parts.length > 0
    ? parts.join(" ")
    : completed.length > 0
    ? `Done: ${completed.join(", ")}.`
    : smallTalk(brief.message)
  return returnsTo === undefined ? said : `${said} Then we go on with ${returnsTo}.`
}

/** The offline model's answers: reads the brief of the turn from the prompt, and fills templates. */
import type * as Prompt from "@effect/ai/Prompt"
import * as Predicate from "effect/Predicate"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import * as Expectation from "../../domain/base/error/Expectation.js"
import { recordOf, toJson } from "../../domain/base/Json.js"
import * as Brief from "../../domain/brief/Brief.js"
import * as Wording from "../../domain/language/Wording.js"
import * as Transcript from "../../domain/session/Transcript.js"
import { mayCount } from "./Amounts.js"
import { impossibleDays } from "./ImpossibleDays.js"
import type { Reading } from "./Reading.js"
import { read } from "./Reading.js"
import { addressed, labelOf, listing, spoken, utterance } from "./Task.js"
import { conceptsOf } from "./Topics.js"
import { stemOf, wordsOf } from "./Words.js"

type Values = Readonly<Record<string, unknown>>

interface ToolResult {
  readonly name: string
  readonly result: unknown
  readonly isFailure: boolean
}

/**
 * The information that the rules find in a prompt.
 *
 * @internal
 */
export interface PromptFacts
  extends Pick<Brief.Speaking, "added" | "task" | "ask" | "rejected" | "completed" | "known" | "flow">
{
  readonly returnTo?: string
  /** The user's last message. */
  readonly message: string
  /** The results of the tools that ran after this message. */
  readonly results: ReadonlyArray<ToolResult>
  readonly length: number
  /** The agent's last answers. */
  readonly before: string
}

/** The brief of a prompt that another program has made: it is empty. */
const untold = { added: [], task: "", ask: [], rejected: [], completed: [] }

/**
 * @internal
 */
export const heard = (prompt: Prompt.Prompt): PromptFacts => {
  const { content } = prompt
  const since = content.slice(content.findLastIndex(({ role }) => role === "user") + 1)
  const brief = Brief.speakingOf(prompt)
  return {
    ...brief ?? untold,
    // Converts the known values to JSON, because in memory they may have other types.
    known: recordOf(toJson(brief?.known ?? {})),
    message: (Brief.judgingOf(prompt) ?? brief)?.message ??
      Transcript.textOf(content.findLast(({ role }) => role === "user")),
    results: since.flatMap((message) =>
      message.role !== "tool" ? [] : message.content.map(({ isFailure, name, result }) => ({ isFailure, name, result }))
    ),
    before: content.filter(({ role }) => role === "assistant").slice(-3).map(Transcript.textOf).join("\n"),
    length: content.reduce((sum, message) => sum + Transcript.textOf(message).length, 0)
  }
}

/** True if the user stated this value in the last message. */
const isSaid = (reading: Reading, said: ReadonlySet<string>) => (value: unknown, name: string): boolean => {
  if (typeof value === "number") {
    return reading.amounts.some((amount) => amount.value.number === value && mayCount(reading, amount, name))
  }
  if (typeof value !== "string" || value === "") return false
  if (reading.dates.some(({ value: { date } }) => value.startsWith(date))) return true
  if (reading.times.some((time) => time.value === value)) return true
  return wordsOf(value).every(({ norm }) => said.has(norm))
}

const justKnown = ({ known, message }: PromptFacts, now: Date): Values => {
  if (message === "" || Object.keys(known).length === 0) return {}
  const reading = read(message, now)
  const said = new Set(reading.words.map(({ norm }) => norm))
  return saidOf(known, isSaid(reading, said))
}

/** The values stated in the last message; of structs, the stated parts. */
const saidOf = (values: Values, isSaid: (value: unknown, name: string) => boolean): Values =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (!Predicate.isRecord(value)) return isSaid(value, name) ? [[name, value]] : []
      const parts = saidOf(value, isSaid)
      return Object.keys(parts).length === 0 ? [] : [[name, parts]]
    })
  )

/**
 * Matches Effect's descriptions of its own schemas, which describe a type, not a field: "a valid Date", "a number
 * between 1 and 8".
 */
const isType =
  /^an? (?:[\w-]+ ){0,3}(?:date|string|integer|number|bigint|boolean)(?: (?:between|at|greater|less|match|start|end|contain).*)?$/i

/** Shortens the name of a part of a struct to its own name, if that is unique: "the zip" for `address.zip`. */
const shortened = (wanted: ReadonlyArray<Brief.AskedField>): ReadonlyArray<Brief.AskedField> => {
  const short = (name: string) => name.slice(name.lastIndexOf(".") + 1)
  return wanted.map((one) =>
    wanted.some((other) => other !== one && short(other.name) === short(one.name))
      ? one
      : { ...one, name: short(one.name) }
  )
}

const chosen = (options: ReadonlyArray<string>): string =>
  options.length < 2 ? options.join("") : `${options.slice(0, -1).join(", ")} or ${options.at(-1)}`

const phrase = ({ hint, name }: Brief.AskedField): string => {
  const said = (hint ?? "").replace(Expectation.form, "").replace(/[.?!\s]{1,9}$/, "")
  if (said === "" || isType.test(said)) return `the ${labelOf(name)}`
  // A hint of one word, or a list of options, is added to the name of the field.
  if (!said.includes(" ") || said.includes(" | ")) return `the ${labelOf(name)} (${chosen(said.split(" | "))})`
  const lower = /^\p{Lu}\p{Ll}/u.test(said) ? said.replace(/^./u, (first) => first.toLowerCase()) : said
  const begins = /^(?:the|a|an|your|my|our|whether|if|how|when|where|which|what|who|any)\b/i.test(lower)
  return addressed(begins ? lower : `the ${lower}`)
}

const question = (wanted: ReadonlyArray<Brief.AskedField>): string => {
  const phrases = shortened(wanted.slice(0, 3)).map(phrase)
  const last = phrases.pop() ?? ""
  return `Could you tell me ${phrases.length === 0 ? last : `${phrases.join(", ")} and ${last}`}?`
}

const resultText = (now: Date) => ({ isFailure, result }: ToolResult): string => {
  const outcome = Predicate.isRecord(result)
    ? result.outputMessage ?? result.message ?? result.text ?? result
    : result
  const said = Excerpt.start(spoken(outcome, now), 1000)
  return isFailure ? `That did not work: ${said}` : said
}

/** True if no flow is active: the task is then a general instruction for a language model. */
const isIdle = (task: string) => task === "" || task.startsWith("Nothing is in progress.")

/** Matches words that drop what is under way, and ask for nothing. */
const leaves = /\b(?:forget (?:it|that|about it)|(?:leave|drop) it|let it be|never ?mind|stop)\b/i

/** Answers a courtesy, or admits that a message was not understood or its question cannot be answered. */
const courtesy = (message: string): string => {
  const about = conceptsOf(message)
  if (about.has("thank")) return "You are welcome."
  if (about.has("hello") && !message.includes("?")) return "Hello!"
  if (about.has(stemOf("goodbye"))) return "Goodbye!"
  if (about.size === 1 && leaves.test(message)) return "All right."
  if (about.size === 0 || ["ability", "hello"].some((concept) => about.has(stemOf(concept)))) return ""
  if (message.includes("?")) return "I am afraid I do not know that."
  return ["yes", "no"].some((answer) => about.has(answer)) ? "" : "I am sorry, I did not understand that."
}

/** True if a question of the application follows the answer. */
const isAskedAgain = ({ added }: PromptFacts): boolean => added.some((one) => /question is asked again/.test(one))

const smallTalk = (brief: PromptFacts): string => {
  const said = courtesy(brief.message)
  if (isAskedAgain(brief)) return said === "" ? "Please say yes or no." : said
  return said === "You are welcome." ? said : `${said} How can I help you?`.trim()
}

/** Answers a message that is neither a yes nor a no to the values that were read back. */
const beside = (message: string): string => message.includes("?") ? "I do not know that." : "All right."

const toldOf = ({ ask, known, message, task }: PromptFacts, now: Date): string => {
  if (isIdle(task)) return ""
  return task === Wording.defaults.speaking.readBack ? beside(message) : utterance(task, known, now, ask.length > 0)
}

/** True if the text answers the message, as far as words can show it, or the message has no topic. */
const isAbout = (text: string, message: string): boolean => {
  const [about, said] = [conceptsOf(text), [...conceptsOf(message)]]
  return said.length === 0 || said.some((concept) => about.has(concept))
}

/** Answers a courtesy, or admits what the message says or asks in vain: a day that does not exist, a question. */
const admission = (brief: PromptFacts, told: string, asked: string): string => {
  const { before, completed, flow, message, rejected, returnTo, task } = brief
  if (isIdle(task) && asked === "") return completed.length > 0 ? "" : smallTalk(brief)
  if (flow === undefined && asked === "" && returnTo === undefined && completed.length === 0) {
    return isAbout(told, message) ? "" : courtesy(message)
  }
  // The question stood in the agent's last answer, and this message brings nothing for it.
  return asked !== "" && before.includes(asked) && rejected.length === 0 ? courtesy(message) : ""
}

/** Returns the sentences about the message: what was noted of it, what was refused, and what it says in vain. */
const heardOf = (
  brief: PromptFacts,
  fresh: Values,
  [told, asked]: readonly [told: string, asked: string],
  now: Date
): ReadonlyArray<string> => {
  const [day] = impossibleDays(brief.message)
  const isNew = Object.keys(fresh).length > 0
  return [
    ...(isNew ? [`Noted: ${listing(fresh, now)}.`] : []),
    ...brief.rejected.map(({ field, message, value }) =>
      `I cannot take ${listing({ [field]: value }, now)}${
        message === "" ? "" : `: ${Expectation.expectationOf(message)}`
      }.`
    ),
    ...(day === undefined ? [] : [`There is no ${day.value}.`]),
    ...(brief.results.length > 0 || isNew || day !== undefined ? [] : [admission(brief, told, asked)])
  ]
}

/**
 * Returns the answer to a prompt. Never empty.
 *
 * @internal
 */
export const speak = (brief: PromptFacts, now: Date): string => {
  const { ask, before, completed, results, returnTo } = brief
  const told = toldOf(brief, now)
  const repeats = /\b(?:Confirmed|Here is what I have): /.test(told)
  const fresh = repeats || results.length > 0 ? {} : justKnown(brief, now)
  const asked = ask.length > 0 ? question(ask) : ""
  const parts = [
    ...results.map(resultText(now)),
    ...heardOf(brief, fresh, [told, asked], now),
    ...(results.length === 0 || ask.length > 0 ? [told] : []),
    asked
  ].filter((part) => part !== "")
  const said = parts.length > 0
    ? parts.join(" ")
    : completed.length > 0
    ? `Done: ${completed.join(", ")}.`
    : smallTalk(brief)
  const pending = returnTo === undefined ? "" : lastQuestion(before)
  return pending === "" || said.includes(pending) ? said : `${closed(said)} ${pending}`
}

/** Returns the question with which the agent's last answer ends: a flow that goes on waits for its answer. */
const lastQuestion = (before: string): string => {
  const last = before.trimEnd().split(/(?<=[.?!:\n])\s/).at(-1)!.trim()
  return last.endsWith("?") ? last : ""
}

const closed = (text: string): string => /[\p{L}\p{N})"]$/u.test(text) ? `${text}.` : text

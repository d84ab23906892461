/**
 * The prompt for a reply: instructions, and separately known data.
 *
 * The parts that are the same for an agent come first. Then comes the conversation, and after it the instructions for
 * this turn.
 */
import * as Prompt from "@effect/ai/Prompt"
import type { Term } from "../authored/AgentOptions.js"
import { type Json, quote } from "../base/Json.js"
import type { When } from "../definition/When.js"
import type { Speaking as Words } from "../language/Wording.js"
import * as Transcript from "../session/Transcript.js"
import * as Beside from "./Beside.js"
import * as Key from "./Key.js"
import { block, entry, item, lines } from "./Lines.js"
import * as Terms from "./Terms.js"

/** The parts that are the same in every turn of every session of an agent. */
interface Identity {
  readonly name: string
  readonly goal?: string | undefined
  readonly persona?: string | undefined
  /** The agent's rules, as texts made by `rule`. */
  readonly rules: ReadonlyArray<string>
  readonly terms: ReadonlyArray<Term>
  readonly knowledge?: Json | undefined
  readonly words: Words
  /** `data`: true if the agent has data. `summary`: true if it summarizes long conversations. */
  readonly has: { readonly data: boolean; readonly summary: boolean }
}

/** A field to ask for. */
export interface AskedField {
  readonly name: string
  readonly hint?: string
}

/** A value that the data's Schema refused. */
interface Rejected {
  readonly field: string
  readonly value: unknown
  readonly message: string
}

/**
 * A request for a reply. Everything up to `added` is written by the application and part of the instructions; `known`,
 * `rejected`, `summary`, `history` and `message` are data.
 */
export interface Speaking {
  /** The first system message, made by `preamble`. */
  readonly preamble: string
  readonly words: Words
  /** The key that marks the library's own parts of this turn; see `Key`. */
  readonly key: string
  /** A persona that depends on the turn. */
  readonly persona?: string
  /** The agent's rules that depend on the turn, written by `rule`. */
  readonly rules: ReadonlyArray<string>
  readonly flow?: { readonly title: string; readonly description?: string; readonly rules: ReadonlyArray<string> }
  /** The titles of the flows that this turn has completed. */
  readonly completed: ReadonlyArray<string>
  readonly task: string
  readonly ask: ReadonlyArray<AskedField>
  readonly stepRules: ReadonlyArray<string>
  /** The title of the suspended flow that resumes after this flow. */
  readonly returnTo?: string
  /** The title of the next flow, which the user has asked for too. */
  readonly next?: string
  /** The earlier user message that asked for the flow that begins in this turn. It is data, not an instruction. */
  readonly askedBefore?: string
  /**
   * The known values that the user has just changed, each with its old and new value. They are data, not instructions.
   */
  readonly corrected?: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
  readonly added: ReadonlyArray<string>
  /** The user's local date and time, with the zone. */
  readonly now?: string
  readonly known: Readonly<Record<string, unknown>>
  readonly rejected: ReadonlyArray<Rejected>
  /** The summary of the conversation before `history`. */
  readonly summary?: string
  readonly history: ReadonlyArray<Prompt.Message>
  /** The event that the model answers. The name is the application's, the payload is data. */
  readonly event?: { readonly name: string; readonly payload: Json }
  /** The user's message; empty if the turn does not answer a message. */
  readonly message: string
  /** The attached files. */
  readonly files?: ReadonlyArray<Prompt.FilePart>
}

/** Writes a rule of an agent, a flow or a step as a text, with the condition under which the model applies it. */
export const rule = (kind: string, text: string, { all, any, none }: When): string => {
  const clause = [
    ...(any.length > 0 ? [`if ${any.join(" or ")}`] : []),
    ...(all.length > 0 ? [`if ${all.join(" and ")}`] : []),
    ...(none.length > 0 ? [`unless ${none.join(" or ")}`] : [])
  ].join(", ")
  return `${kind}${clause === "" ? "" : ` (${clause})`}: ${text}`
}

/** The first system message. It is the same in every turn of every session, so that providers can cache it. */
export const preamble = ({ goal, has, knowledge, name, persona, rules, terms, words }: Identity): string =>
  lines(
    `You are ${name}.`,
    entry("Goal", goal),
    persona,
    words.task,
    has.data && words.known,
    has.data && words.rejected,
    has.summary && words.summary,
    words.promises,
    words.form,
    ...rules.map(item),
    Terms.list(terms),
    knowledge !== undefined && `Knowledge: ${quote(knowledge)}`
  )

const titled = ({ description, title }: NonNullable<Speaking["flow"]>): string =>
  description === undefined ? title : `${title}. ${description}`

const wanted = ({ hint, name }: AskedField): string => hint === undefined ? name : `${name} (${hint})`

/** The instructions for this turn. */
const instructionsOf = (brief: Speaking, hasData: boolean): string => {
  const { added, ask, askedBefore, completed, corrected, event, flow, key, next, now, persona, returnTo } = brief
  const { rules, stepRules, task, words } = brief
  return lines(
    entry("Now", now),
    entry("Persona", persona),
    ...rules.map(item),
    flow !== undefined && entry("Flow", titled(flow)),
    ...(flow?.rules ?? []).map(item),
    entry("Just completed", completed.join(", ")),
    entry("Task", task),
    entry("Ask for", ask.map(wanted).join(", ")),
    ...stepRules.map(item),
    event !== undefined && words.event,
    askedBefore !== undefined && words.asked,
    corrected !== undefined && words.corrected,
    entry("Afterwards, return to", returnTo),
    entry("Afterwards, as the user wished, go on with", next),
    ...added.map((text) => entry("Also", text)),
    hasData && entry("Key", key)
  )
}

/** Prefix of the line that names an event; its payload follows in a block. */
const eventLabel = "[event] "

const dataOf = ({ askedBefore, corrected, event, known, rejected }: Speaking): string =>
  lines(
    askedBefore !== undefined && block("asked", askedBefore),
    corrected !== undefined && block("corrected", corrected),
    Object.keys(known).length > 0 && block("known", known),
    rejected.length > 0 && block("rejected", rejected),
    event !== undefined && `${eventLabel}${event.name}`,
    event !== undefined && block("event", event.payload)
  )

/** Precedes a reply that has no user message before it, because providers require a user message first. */
const opening = "[the conversation so far]"

const talkOf = ({ history }: Speaking): ReadonlyArray<Prompt.Message> => {
  const talk = Transcript.replayed(history)
  return talk[0] === undefined || talk[0].role === "user" ? talk : [Transcript.user(opening), ...talk]
}

const beside = Beside.make<Speaking>()

/**
 * Returns the brief from which a reply prompt was rendered, even if tool calls and results were added to the prompt
 * since then; `undefined` for any other prompt.
 */
export const speakingOf = beside.of

/**
 * Renders the prompt: the stable part, the conversation, the instructions for this turn, and in one user message the
 * known data and what the user says. Templates of open models refuse two user messages in a row.
 */
export const renderSpeaking = (brief: Speaking): Prompt.Prompt => {
  const { files, key, message, preamble, summary } = brief
  const before = summary === undefined ? "" : block("summary", summary)
  const data = lines(before, dataOf(brief))
  const now = instructionsOf(brief, data !== "")
  const said = [
    ...(data === "" ? [] : [Transcript.text(Key.enclose(key, data))]),
    ...(message === "" ? [] : [Transcript.text(message), ...files ?? []])
  ]
  return Prompt.fromMessages([
    Transcript.system(preamble),
    ...talkOf(brief),
    beside.put(Transcript.system(now), brief),
    ...(said.length === 0 ? [] : [Transcript.userOf(said)])
  ])
}

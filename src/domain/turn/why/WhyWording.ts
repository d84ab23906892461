/** The texts of the sentences of `Why`. */
import { expectationOf } from "../../base/error/Expectation.js"
import type { Emitted, Sentence } from "./Why.js"

/** A piece of a sentence: plain text, a name from the definition, or a quote from the user or the agent. */
export type Piece = string | { readonly name: string } | { readonly quote: string }

/** The wording of every sentence in a language. */
export type Wording = {
  readonly [T in Sentence["_tag"]]: (
    sentence: Extract<Sentence, { readonly _tag: T }>
  ) => ReadonlyArray<Piece>
}

export const name = (text: string): Piece => ({ name: text })
export const quote = (text: string): Piece => ({ quote: text })

/** Joins pieces by `, `. */
export const listed = (all: ReadonlyArray<Piece>): ReadonlyArray<Piece> =>
  all.flatMap((piece, i) => i === 0 ? [piece] : [", ", piece])

/** Names a directive as in code, such as `goTo booking`. */
export const directive = ({ act, to }: Emitted): Piece => name(to === "" ? act : `${act} ${to}`)

const money = (cost: number): string => `$${cost.toFixed(4)}`

const ended: Readonly<Record<Extract<Sentence, { readonly _tag: "Ended" }>["reason"], string>> = {
  needs_input: "Waits for the user.",
  last_step: "Waits for the user, at the flow's last step.",
  completed: "The flow is complete.",
  aborted: "The turn was ended.",
  goto: "Goes on elsewhere with the next message.",
  reset: "Begins again with the next message.",
  halt: "Said nothing: a directive forbade it.",
  reply: "A directive gave the answer.",
  idle: "No flow is active.",
  max_tool_rounds: "The model wanted more tools than are allowed, and answered without.",
  needs_approval: "Waits for a person's decision.",
  handled: "Nothing to say about it.",
  handed_over: "A person has the conversation; the agent is silent."
}

const purposes: Readonly<Record<string, string>> = {
  understand: "to understand",
  speak: "to speak",
  signals: "about signals",
  summarize: "to summarize",
  guard: "for a guardrail"
}

const changed = (was: string | undefined): ReadonlyArray<Piece> => was === undefined ? [] : [" instead of ", was]

export const because = (reason: string): ReadonlyArray<Piece> => reason === "" ? [] : [": ", reason.replace(/\.$/, "")]

const quoted = (words: string | undefined): ReadonlyArray<Piece> => words === undefined ? [] : [" by ", quote(words)]

/** The sentences in English. */
export const english: Wording = {
  Said: ({ message }) => ["The user said ", quote(message), "."],
  Happened: ({ event }) => ["This happened: ", name(event), "."],
  Took: ({ field, from, value, was }) => [
    "Took ",
    name(field),
    ` = ${value}`,
    ...changed(was),
    ...(from === undefined ? [" from the message"] : [" from ", quote(from)]),
    "."
  ],
  Wrote: (
    { field, source, value, was }
  ) => ["Code wrote ", name(field), ` = ${value}`, ...changed(was), " (", source, ")."],
  Refused: (
    { field, reason, value }
  ) => ["Refused ", name(field), `: ${value}, because `, expectationOf(reason), ". Asks again."],
  Forgot: ({ field, reason }) => ["Forgot ", name(field), ...(reason === "" ? [] : [": ", reason]), "."],
  Judged: ({ condition, held, words }) => [
    "The condition ",
    quote(condition),
    held ? " held" : " did not hold",
    ...quoted(words),
    "."
  ],
  Noticed: ({ failure, reason, signal }) => [
    "The signal ",
    name(signal),
    failure === undefined ? " held" : " had no effect",
    ...because(failure ?? reason),
    "."
  ],
  Scored: ({ scores, went }) => [
    ...scores.flatMap(({ flow, score, words }, i) => [`${i === 0 ? "" : ", "}${flow} ${score}`, ...quoted(words)]),
    ...(went === undefined ? [": changed no flow."] : [": went to ", name(went), "."])
  ],
  Entered: ({ flow, resumed }) => [resumed ? "Went back to " : "Entered ", name(flow), "."],
  Skipped: ({ fields, step }) => [
    "Skipped ",
    name(step),
    ": ",
    ...listed(fields.map(name)),
    fields.length === 1 ? " is known." : " are known."
  ],
  Reached: ({ step }) => ["Went to step ", name(step), "."],
  Called: ({ outcome, tool }) => ["Called ", name(tool), `: ${outcome}.`],
  Waits: (
    { role, tool }
  ) => ["The call of ", name(tool), " waits for ", role === undefined ? "a person" : `the role ${role}`, "."],
  Directed: ({ by }) => [directive(by), ` was applied (${by.source}).`],
  Won: ({ by, over, rule }) => [
    "Two directives: ",
    directive(by),
    ` (${by.source}) won over `,
    directive(over),
    ` (${over.source}): `,
    rule === "later" ? "of equal ones the later one counts." : `${by.act} goes before ${over.act}.`
  ],
  Dropped: (
    { by, reason }
  ) => [directive(by), ` (${by.source}) was not applied`, reason === "" ? "" : `: ${reason}`, "."],
  Asked: ({ cost, failure, model, purpose, tokens }) => [
    "Asked the model ",
    name(model),
    ` ${purposes[purpose] ?? purpose}: ${tokens} tokens`,
    cost === undefined ? "" : `, ${money(cost)}`,
    failure === undefined ? "." : `. It failed: ${failure}`
  ],
  Guarded: (
    { did, guardrail, reason }
  ) => ["The guardrail ", name(guardrail), did === "blocked" ? " blocked: " : " rewrote: ", reason, "."],
  Completed: ({ flow }) => ["Completed ", name(flow), "."],
  Aborted: (
    { flow, reason }
  ) => [flow === undefined ? "Ended" : "Left ", ...(flow === undefined ? [] : [name(flow)]), ": ", reason, "."],
  HandedOver: ({ by, reason }) => [
    by === undefined ? "Waits for a person" : `${by} has the conversation`,
    reason === "" ? "" : `: ${reason}`,
    "."
  ],
  Noted: ({ message, source }) => [name(source), `: ${message}.`],
  Ended: ({ reason }) => [ended[reason]],
  Stopped: () => ["The answer was stopped."],
  Failed: ({ message }) => ["The turn failed, and nothing of it is stored: ", message]
}

/** Returns a sentence as pieces in the given wording. */
export const pieces = (sentence: Sentence, wording: Wording = english): ReadonlyArray<Piece> =>
  (wording[sentence._tag] as (sentence: Sentence) => ReadonlyArray<Piece>)(sentence)

/** Renders a sentence as plain text. */
export const render = (sentence: Sentence, wording: Wording = english): string =>
  pieces(sentence, wording).map((piece) =>
    typeof piece === "string" ? piece : "name" in piece ? `*${piece.name}*` : `“${piece.quote}”`
  ).join("").replace(/\.\.$/, ".")

/** Converts the task of a step to an answer: "Tell the guest that we open at 7" becomes "We open at 7." */
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { identifierWords } from "./Words.js"

const moment = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::00(?:\.000)?)?Z)?$/

/** Returns the day of a date as a clerk says it: "Saturday, 28 November", with the year if it is not that of `now`. */
const dayOf = (text: string, now: Date): string | undefined => {
  const [, date = "", time = "00:00"] = moment.exec(text) ?? []
  const day = new Date(`${date}T00:00:00Z`)
  if (Number.isNaN(day.getTime())) return undefined
  const isThisYear = day.getUTCFullYear() === now.getUTCFullYear()
  const said = day.toLocaleDateString("en-GB", {
    ...{ weekday: "long", day: "numeric", month: "long", timeZone: "UTC" },
    ...!isThisYear && { year: "numeric" }
  }).replace(/^(\p{L}+) (?=\d)/u, "$1, ")
  return time === "00:00" ? said : `${said} at ${time}`
}

/** Formats a value for an answer. */
export const spoken = (value: unknown, now: Date): string => {
  if (typeof value === "string") return dayOf(value, now) ?? value
  if (Array.isArray(value)) return value.map((one) => spoken(one, now)).join(" and ")
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (typeof value !== "object" || value === null) return String(value)
  return Object.entries(value).map(([name, one]) => `${labelOf(name)} ${spoken(one, now)}`).join(", ")
}

/** Formats a field's name: `checkIn` becomes "check-in". */
export const labelOf = (name: string): string =>
  identifierWords(name).replace(/\b(check|pick|drop|sign|log) (in|out|up|off)\b/g, "$1-$2")

/** The kind of a value, by which a reader knows what it is: of one date among texts nobody asks which date it is. */
const kindOf = (name: string, value: unknown): string | undefined => {
  if (typeof value !== "string") return undefined
  return moment.test(value) ? "day" : /(?:^| )(city|town|name)$/.exec(identifierWords(name))?.[1]
}

/** Formats a field with its value: "2 guests"; the name of the field is left out if the value shows what it is. */
const stating = (name: string, value: unknown, isAlone: boolean, now: Date): string => {
  const [label, said] = [labelOf(name), spoken(value, now)]
  if (isAlone) return said
  if (typeof value !== "number" || !/[^s]s$/.test(label)) return `${label} ${said}`
  return `${said} ${value === 1 ? label.slice(0, -1) : label}`
}

export const listing = (known: Readonly<Record<string, unknown>>, now: Date): string => {
  const kinds = Object.entries(known).map(([name, value]) => kindOf(name, value))
  const all = Object.entries(known).map(([name, value], index) => {
    const kind = kinds[index]
    return stating(name, value, kind !== undefined && kinds.indexOf(kind) === kinds.lastIndexOf(kind), now)
  })
  return all.join(all.some((one) => one.includes(",")) ? "; " : ", ")
}

const whom = "(?:the |a |our )?(?:guest|user|customer|caller|client|visitor|patient|person|them|him|her)s?"

const one = "(?:the|a|our) (?:guest|user|customer|caller|client|visitor|patient|person)"

/** Rewrites phrases about the user to address the user. */
export const addressed = (text: string): string =>
  text.replace(new RegExp(`\\b${one}['’]s(?!\\w)|\\btheir\\b|\\bhis or her\\b`, "gi"), "your")
    .replace(/\bthey are\b/gi, "you are")
    .replace(new RegExp(`\\b${one}\\b(?!['’]| who\\b)|\\bthe[ym]\\b`, "gi"), "you")
    .replace(
      /\byou (wants|needs|likes|has|is|confirms|prefers)\b/gi,
      (_, verb: string) => `you ${verb === "has" ? "have" : verb === "is" ? "are" : verb.replace(/s$/, "")}`
    )

const sentence = (text: string): string => {
  const trimmed = text.trim().replace(/^["“”']{1,9}|["“”']{1,9}$/g, "")
  const said = trimmed.replace(/^./u, (first) => first.toUpperCase())
  return said === "" || /[.!?…]$/.test(said) ? said : `${said}.`
}

interface Rule {
  readonly pattern: RegExp
  readonly say: (rest: string, known: Readonly<Record<string, unknown>>, now: Date) => string
  /** True if the text is part of the answer even while the step asks for fields, as for information and courtesies. */
  readonly told: boolean
}

const to = `(?: (?:to )?${whom}\\b)?`

/**
 * Makes a rule that matches one of `verbs`, then the person addressed, then `more`. `say` gets the text after these.
 */
const rule = (verbs: string, more: string, say: Rule["say"], told = true): Rule => ({
  pattern: new RegExp(`^(?:please |then |and |also )*(?:${verbs})\\b${to}${more}\\s*(.*)$`, "is"),
  say,
  told
})

/** Removes the quotes around values in a task. */
const unquoted = (text: string): string => text.replace(/"([^"]{1,400})"/g, "$1")

/** Rewrites reported speech, in which "you" is the agent: "that you book rooms" becomes "I book rooms". */
const inOwnWords = (text: string): string =>
  text.replace(/\byou (are|were)\b/gi, (_, verb: string) => verb.toLowerCase() === "are" ? "I am" : "I was")
    .replace(/\byou['’](re|ve|ll|d)\b/gi, (_, verb: string) => verb.toLowerCase() === "re" ? "I'm" : `I'${verb}`)
    .replace(/\byour\b/gi, "my")
    .replace(/\b(ask|at|by|call|contact|for|from|of|on|reach|tell|to|with) you\b/gi, "$1 me")
    .replace(/\byou\b/gi, "I")

const inside = (text: string): string => addressed(unquoted(text)).trim().replace(/[.?!]{1,9}$/, "")

const stated = (text: string): string => sentence(addressed(unquoted(text)))

const reported = (text: string): string => stated(inOwnWords(text))

const recap = (lead: string, nothing: string): Rule["say"] => (_, known, now) =>
  Object.keys(known).length > 0 ? `${lead}: ${listing(known, now)}.` : nothing

/** The rules in order; the first one whose pattern matches is used. */
const rules: ReadonlyArray<Rule> = [
  rule("tell|inform|talk", "(?: to (?:you|them))? about", (rest) => `I can tell you about ${inside(rest)}.`),
  rule(
    "tell|inform|let|remind|advise|say|explain|mention",
    "(?: know)? (?=(?:what|when|where|which|who|whose|how|why|whether|if)\\b)",
    (rest) => `I can tell you ${inside(inOwnWords(rest))}.`
  ),
  rule("tell|inform|let|remind|advise", "(?: know)? that", reported),
  rule("tell|inform|let|remind|advise", "(?: know)?(?: of|:)?", stated),
  rule("say|answer|reply|explain|mention|state", " that", reported),
  rule("say|answer|reply|explain|mention|state", ":", stated),
  rule("say goodbye|wish", "", () => "Goodbye!"),
  rule("say|answer with|reply with", "", sentence),
  rule("confirm|acknowledge", "", recap("Confirmed", "Confirmed."), false),
  rule(
    "summari[sz]e|recap|repeat|list|read back|review",
    "",
    recap("Here is what I have", "I have nothing yet."),
    false
  ),
  rule("ask", " to\\b", (rest) => `Could you ${inside(rest)}?`, false),
  rule(
    "ask|find out|check",
    "(?: for| about)?",
    (rest) => rest.trim() === "" ? "" : `Could you tell me ${inside(rest)}?`,
    false
  ),
  rule("offer|propose|suggest", "(?: to)?", (rest) => `Would you like ${inside(rest)}?`, false),
  rule("greet", "", () => "Hello!"),
  rule("welcome", "", () => "Welcome!"),
  rule("thank", "", () => "Thank you!"),
  rule("apologi[sz]e", "", () => "I am sorry."),
  rule("help|assist", "", () => "How can I help you?", false)
]

const verbs =
  "tell|inform|say|confirm|summari[sz]e|ask|offer|greet|welcome|thank|apologi[sz]e|remind|mention|explain|wish|recap"

/** Splits a task into single instructions: sentences, and verbs joined by "and". */
const parts = (task: string): ReadonlyArray<string> =>
  task.split(/(?<=[.!?])\s+/).flatMap((one) =>
    one.split(new RegExp(`(?:,\\s*)?\\b(?:and|then)\\s+(?=(?:${verbs})\\b)`, "i"))
  )
    .map((part) => part.trim())
    .filter((part) => part !== "")

/**
 * Returns the answer to a task. `toldOnly` leaves the questions of the task out, because the answer asks for the fields
 * in other words.
 */
export const utterance = (
  task: string,
  known: Readonly<Record<string, unknown>>,
  now: Date,
  toldOnly = false
): string =>
  parts(Excerpt.start(task, 4000)).map((part) => {
    const text = part.replace(/[.,;:]{1,9}$/, "")
    const fitting = rules.find(({ pattern }) => pattern.test(text))
    if (toldOnly && fitting?.told !== true) return ""
    return fitting === undefined ? sentence(part) : fitting.say(fitting.pattern.exec(text)?.[1] ?? "", known, now)
  }).filter((said) => said !== "").join(" ")

/** Recognition of yes and no in the languages that are given. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { bareAnswer, isRefusal } from "../../fields/BareAnswer.js"
import { echoes, read, type Reading } from "./AnswerReading.js"
import type { Language, Reason } from "./ConsentLanguage.js"
import type { Asked as Question, Recogniser } from "./ConsentOptions.js"
import { english } from "./English.js"
import { type Kind, lexiconOf } from "./Lexicon.js"
import { tokensOf } from "./Tokens.js"

/** A question, and the built-in languages in which it may be answered. */
export interface Asked extends Question {
  readonly builtIn: ReadonlyArray<Language>
}

const known = ({ builtIn, languages: own = [] }: Asked): ReadonlyArray<Language> =>
  own.length === 0 ? builtIn : [...own, ...builtIn.filter(({ code }) => !own.some((one) => one.code === code))]

const readings = (message: string, { question = "", ...options }: Asked): ReadonlyArray<Reading> =>
  known(options).map((language) => read(message, question, lexiconOf(language)))

/**
 * Question marks of all scripts. A message with a question mark is a question or a quotation, so it is not a plain yes
 * or no.
 */
const asksBack = /[?？؟]/u
const quotes = /["“”„«»‹›>`]|(?:^|\s)['‘]/u

/** Matches emoji, which may contradict the words beside them. */
const signs = /\p{Extended_Pictographic}/u

/** Kinds of words that a yes must not contain. */
const objections: ReadonlyArray<Reason & Kind> = ["quotes", "condition", "denies", "asks", "hesitates", "more"]

/** Longest message, in characters, that can be an answer. */
const longest = 400

/**
 * Returns the answer of a message that only says yes or no to the question; `undefined` for any other message. Each
 * word must be known or occur in the question. A yes with a question back, a quote, a condition, a denial, a delay or
 * an addition does not count.
 */
export const answerOf = (message: string, asked: Asked): "yes" | "no" | undefined => {
  const own = recognised(message, asked)
  if (own !== undefined) return own === "neither" ? undefined : own
  if (message.length > longest || asksBack.test(message) || quotes.test(message)) return undefined
  return (signs.test(message) ? undefined : bareAnswer(message)) ?? answerAmong(message, asked)
}

const answerAmong = (message: string, asked: Asked): "yes" | "no" | undefined => {
  const answers = new Set(readings(message, asked).map(answered))
  if (answers.has("yes") === answers.has("no")) return undefined
  return answers.has("yes") ? "yes" : "no"
}

const isRecognised = Schema.is(Schema.Literal("yes", "no", "neither"))

/** Returns the result of the author's code. An exception or an invalid result counts as no answer. */
const recognised = (message: string, { question = "", recognise }: Asked): ReturnType<Recogniser> => {
  if (recognise === undefined) return undefined
  const given: unknown = Either.getOrElse(Either.try(() => recognise(message, question)), () => "neither")
  return given === undefined || isRecognised(given) ? given : "neither"
}

/** Kinds of words that make a message more than a yes or a no. */
const more: ReadonlyArray<Kind> = ["quotes", "condition", "asks", "hesitates", "more"]

const answered = ({ echo, kinds, unknown }: Reading): "yes" | "no" | undefined => {
  if (unknown.length > 0 || more.some((one) => kinds.has(one))) return undefined
  const agrees = kinds.has("agrees")
  if (kinds.has("refuses")) return agrees ? undefined : "no"
  return agrees && !kinds.has("denies") && echoes(echo) ? "yes" : undefined
}

/**
 * Returns the reason why a message does not count as a yes although the model judged it as one; `undefined` if there is
 * none. In unknown languages, looks for question marks, quotation marks, common words of refusal, and numbers that are
 * not in the question.
 */
export const objectionTo = (message: string, asked: Asked): Reason | undefined => {
  if (answerOf(message, asked) === "yes") return undefined
  if (recognised(message, asked) !== undefined) return "silent"
  if (asksBack.test(message)) return "asks"
  if (quotes.test(message)) return "quotes"
  return message.length > longest ? "more" : objectionAmong(message, asked)
}

const objectionAmong = (message: string, asked: Asked): Reason | undefined => {
  const all = readings(message, asked)
  const most = Math.max(...all.map(({ hits }) => hits))
  if (most === 0) return isRefusal(message) ? "denies" : isOther(message, asked) ? "more" : undefined
  // A message may fit two languages equally well. Then an objection in either language counts, but a word of agreement
  // in one of them is enough.
  const against = all.filter(({ hits }) => hits === most).map(objectionIn)
  return against.find((reason) => reason !== undefined && reason !== "silent") ??
    // A message of emoji alone is left to the model's judgement.
    (against.includes(undefined) || !/\p{L}/u.test(message) ? undefined : "silent")
}

const objectionIn = (reading: Reading): Reason | undefined => {
  const { kinds } = reading
  const found = objections.find((one) => kinds.has(one))
  if (found !== undefined) return found
  if (kinds.has("refuses")) return "denies"
  if (addsTo(reading)) return "more"
  return kinds.has("agrees") ? undefined : "silent"
}

/** True if the message wants, names or repeats something that is not in the question. */
const addsTo = ({ echo, isJoined, kinds, unknown }: Reading): boolean =>
  isJoined || kinds.has("wishes") || unknown.some(({ isName }) => isName) || !echoes(echo)

const isOther = (message: string, { question = "" }: Asked): boolean => {
  const own = new Set(tokensOf(question).map(({ text }) => text))
  return tokensOf(message).some(({ text }) => /\p{N}/u.test(text) && !own.has(text))
}

/** The sentence said before the question is repeated, in the question's language. */
export const unclear = (reason: Reason, { question = "", ...options }: Asked): string => {
  const all = known(options)
  const hits = all.map((language) => read(question, "", lexiconOf(language)).hits)
  const best = hits.indexOf(Math.max(...hits))
  return (Math.max(...hits) === 0 ? english : all[best] ?? english).unclear[reason]
}

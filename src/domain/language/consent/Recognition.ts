/**
 * Recognition of yes and no in all languages. A turn loads it when the agent has asked a question; it imports nothing of
 * Effect, so that a bundler can keep it apart.
 */
import { isRefusal } from "../../fields/BareAnswer.js"
import type { Language, Reason } from "./ConsentLanguage.js"
import type { Asked, Recogniser } from "./ConsentOptions.js"
import { english } from "./English.js"
import { others } from "./languages/Others.js"
import { lexiconOf } from "./Lexicon.js"
import { read, type Reading } from "./reading/AnswerReading.js"
import { readQuestion } from "./reading/AskedQuestion.js"
import { actsIn, translated } from "./reading/Translated.js"
import { tokensOf } from "./Tokens.js"

export { bareAnswer } from "../../fields/BareAnswer.js"

/** The built-in languages. */
export const languages: ReadonlyArray<Language> = [english, ...others]

const known = ({ languages: own = [] }: Asked): ReadonlyArray<Language> =>
  own.length === 0 ? languages : [...own, ...languages.filter(({ code }) => !own.some((one) => one.code === code))]

/**
 * Reads a message in each language. In a language that is not the question's, it may repeat the question as far as the
 * question is translated.
 */
const readings = (message: string, { question = "", ...options }: Asked): ReadonlyArray<Reading> => {
  const all = known(options).map((language) => {
    const lexicon = lexiconOf(language)
    return { lexicon, asked: readQuestion(question, lexicon).known }
  })
  const most = mostAsked(all)
  const own = all.flatMap(({ asked, lexicon }) => asked === most && actsIn(question, lexicon) ? [lexicon] : [])
  return all.map(({ asked, lexicon }) => {
    const isOwn = own.length === 0 || own.includes(lexicon)
    return { ...read(message, isOwn ? question : translated(question, own, lexicon), lexicon), asked }
  })
}

/** The number of the question's words that the question's language has. */
const mostAsked = (all: ReadonlyArray<Pick<Reading, "asked">>): number => Math.max(1, ...all.map(({ asked }) => asked))

/**
 * Question marks of all scripts. A message with a question mark is a question or a quotation, so it is not a plain yes
 * or no.
 */
const asksBack = /[?？؟]/u

/** All other signs than words, emoji and plain punctuation: quotation marks, brackets, markup, invisible characters. */
const signs =
  /[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\s.,:;!¡'’&@_/#%$€£¥+\-–—…،，、。！；·\ufe0f\u200e\u200f״׳]/u
const quotes = /(?:^|\s)['‘]/u

/** A dot that trails off: "yes..." */
const trails = /\.\.|…/u

/** Scripts whose letters may look like those of another. */
const scripts = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u, /\p{Script=Hebrew}/u]

/** Longest message, in characters, that can be an answer. */
const longest = 400

/** A text in quotation marks. */
const quoted = /["“”„«]([^"“”„«»]{1,60})["“”»]/gu

/** Removes the quotation marks from what the question quotes as well: "with the reason "not needed"". */
const unquoted = (message: string, question: string): string =>
  message.replace(
    quoted,
    (all, text: string) =>
      Array.from(question.matchAll(quoted)).some(([, own]) => own!.toLowerCase() === text.toLowerCase()) ? text : all
  )

/** The reason why the signs of a message, and not its words, keep it from being an answer. */
const strange = (message: string): Reason | undefined => {
  if (asksBack.test(message)) return "asks"
  if (signs.test(message) || quotes.test(message)) return "quotes"
  if (trails.test(message)) return "hesitates"
  if (message.length > longest) return "more"
  const mixed = message.split(/[^\p{L}\p{M}]+/u).some((word) =>
    scripts.filter((script) => script.test(word)).length > 1
  )
  return mixed ? "silent" : undefined
}

/**
 * Returns the answer of a message that only says yes or no to the question; `undefined` for any other message. Each
 * word must be known or occur in the question. A yes with a question, a quotation, a condition, a denial, a delay or
 * an addition does not count.
 */
export const answerOf = (text: string, asked: Asked = {}): "yes" | "no" | undefined => {
  const own = recognised(text, asked)
  if (own !== undefined) return own === "neither" ? undefined : own
  const message = unquoted(text, asked.question ?? "")
  return strange(message) === undefined ? answerAmong(readings(message, asked)) : undefined
}

/**
 * The readings in the languages that know the most words of the message, where the question's language counts as one
 * more, and wins if others know as many. A language that knows every word goes before those that do not.
 */
const best = (all: ReadonlyArray<Reading>): ReadonlyArray<Reading> => {
  const most = mostAsked(all)
  const complete = all.filter(({ isComplete }) => isComplete)
  const able = complete.length > 0 ? complete : all
  const score = ({ asked, known }: Reading) => known + (asked === most && known > 0 ? 1 : 0)
  const found = able.filter((one) => score(one) === Math.max(...able.map(score)))
  const own = found.filter(({ asked }) => asked === most)
  return own.length > 0 ? own : found
}

/** Returns the answer if no language reads another one, and more languages read a yes than object to it. */
const answerAmong = (all: ReadonlyArray<Reading>): "yes" | "no" | undefined => {
  const found = best(all)
  const count = (test: (reading: Reading) => boolean) => found.filter(test).length
  const [yes, no] = [count(({ answer }) => answer === "yes"), count(({ answer }) => answer === "no")]
  if (yes === 0) return no > 0 ? "no" : undefined
  const against = count(({ objection }) => objection !== undefined && objection !== "silent")
  return no === 0 && yes > against ? "yes" : undefined
}

/** Returns the result of the author's code. An exception or an invalid result counts as no answer. */
const recognised = (message: string, { question = "", recognise }: Asked): ReturnType<Recogniser> => {
  try {
    const given = recognise?.(message, question)
    return given === undefined || given === "yes" || given === "no" ? given : "neither"
  } catch {
    return "neither"
  }
}

/**
 * Returns the reason why a message does not count as a yes although the model judged it as one; `undefined` if there is
 * none. In unknown languages, looks for question marks, quotation marks, common words of refusal, and numbers that are
 * not in the question.
 */
export const objectionTo = (text: string, asked: Asked = {}): Reason | undefined => {
  const own = recognised(text, asked)
  if (own !== undefined) return own === "yes" ? undefined : "silent"
  const message = unquoted(text, asked.question ?? "")
  const found = strange(message)
  if (found !== undefined) return found
  const all = readings(message, asked)
  return answerAmong(all) === "yes" ? undefined : objectionAmong(message, asked, all)
}

const objectionAmong = (message: string, asked: Asked, all: ReadonlyArray<Reading>): Reason | undefined => {
  const most = Math.max(...all.map(({ known }) => known))
  if (most === 0 && /\p{L}/u.test(message) && !scripts.some((script) => script.test(message))) {
    return isRefusal(message) ? "denies" : isOther(message, asked) ? "more" : undefined
  }
  // A message may fit two languages equally well. Then an objection in either language counts, but a word of agreement
  // in one of them is enough.
  const against = best(all).map(({ objection }) => objection)
  return against.find((reason) => reason !== undefined && reason !== "silent") ??
    (against.includes(undefined) ? undefined : "silent")
}

const isOther = (message: string, { question = "" }: Asked): boolean => {
  const own = new Set(tokensOf(question).map(({ text }) => text))
  return tokensOf(message).some(({ text }) => /\p{N}/u.test(text) && !own.has(text))
}

/** The sentence said before the question is repeated, in the question's language. */
export const unclear = (reason: Reason, { question = "", ...options }: Asked = {}): string => {
  const all = known(options)
  const hits = all.map((language) => read(question, "", lexiconOf(language)).known)
  const best = hits.indexOf(Math.max(...hits))
  return (Math.max(...hits) === 0 ? english : all[best] ?? english).unclear[reason]
}

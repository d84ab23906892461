/**
 * Whether a message says yes or no to the question that was asked, by code: no model is asked, and what code does not know
 * is no yes.
 *
 * @example
 * ```ts
 * import { Consent } from "coxswain"
 *
 * const question = "Shall I cancel OI5L9G?"
 * console.log(Consent.answerOf("Yes, please proceed with the cancellation.", { question })) // yes
 * console.log(Consent.answerOf("Yes, cancel ABC123", { question })) // undefined
 * console.log(Consent.objectionTo("Yes, but only if it is refunded", { question })) // condition
 * ```
 *
 * @since 0.2.0
 */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Code } from "../../code/Code.js"
import { bareAnswer, isRefusal } from "../../fields/BareAnswer.js"
import { dutch } from "./Dutch.js"
import { english } from "./English.js"
import { french } from "./French.js"
import { german } from "./German.js"
import { italian } from "./Italian.js"
import type { Language, Reason } from "./Language.js"
import { type Kind, lexiconOf } from "./Lexicon.js"
import { portuguese } from "./Portuguese.js"
import { echoes, read, type Reading } from "./Reading.js"
import { spanish } from "./Spanish.js"
import { tokensOf } from "./Tokens.js"

export type { Language, Reason }
export { dutch, english, french, german, italian, portuguese, spanish }

/**
 * Understands an answer in the author's own way, before the library does: `"neither"` is no answer, and `undefined` leaves
 * it to the library.
 *
 * @since 0.2.0
 * @category models
 */
export type Recogniser = (message: string, question: string) => "yes" | "no" | "neither" | undefined

/**
 * How answers are recognised.
 *
 * @since 0.2.0
 * @category models
 */
export interface Options {
  /** Languages beside those of the library; one with the code of another takes its place. Default: none. */
  readonly languages?: ReadonlyArray<Language>
  /** What the author recognises goes first. Its yes counts as it is. */
  readonly recognise?: Recogniser
}

/**
 * @since 0.2.0
 * @category schemas
 */
export const Options = Schema.Struct({
  languages: Schema.optional(Schema.Array(Schema.Struct(
    {
      code: Schema.NonEmptyString,
      ...Object.fromEntries(
        Object.keys(english).filter((key) => !["code", "verbLast", "unclear"].includes(key)).map((
          key
        ) => [key, Schema.String])
      ),
      verbLast: Schema.optional(Schema.Boolean),
      unclear: Schema.Struct(
        Object.fromEntries(Object.keys(english.unclear).map((key) => [key, Schema.NonEmptyString]))
      )
    }
  ))),
  recognise: Schema.optional(Code)
})

/**
 * What is asked for a yes: `"plain"` is what code recognises as one; `"judged"` is also what the model judges as one, unless
 * code objects.
 *
 * @since 0.2.0
 * @category schemas
 */
export const Consent = Schema.Literal("plain", "judged").annotations({
  identifier: "Consent",
  message: () => ({ message: "must be \"plain\" or \"judged\"", override: true })
})

/**
 * @since 0.2.0
 * @category models
 */
export type Consent = typeof Consent.Type

/**
 * @since 0.2.0
 * @category models
 */
export interface Asked extends Options {
  /** The question as it was said: its words may be repeated in the answer. Default: none is known. */
  readonly question?: string
}

/**
 * The languages of the library.
 *
 * @since 0.2.0
 * @category languages
 */
export const languages: ReadonlyArray<Language> = [english, german, french, spanish, dutch, portuguese, italian]

const known = ({ languages: own = [] }: Options): ReadonlyArray<Language> =>
  own.length === 0 ? languages : [...own, ...languages.filter(({ code }) => !own.some((one) => one.code === code))]

const readings = (message: string, { question = "", ...options }: Asked): ReadonlyArray<Reading> =>
  known(options).map((language) => read(message, question, lexiconOf(language)))

/** What makes a message more than an answer in any language: it asks back, or quotes somebody. */
const asksBack = /[?？؟]/u
const quotes = /["“”„«»‹›>`]|(?:^|\s)['‘]/u

/** A sign may take back the words beside it. */
const signs = /\p{Extended_Pictographic}/u

/** No words of these kinds may stand beside a yes. */
const objections: ReadonlyArray<Reason & Kind> = ["quotes", "condition", "denies", "asks", "hesitates", "more"]

/** A longer message is more than an answer, in characters. */
const longest = 400

/**
 * The answer of a message that says yes or no to the question and nothing else; `undefined` for every other message. Each of
 * its words must be known, or be one of the question. A yes that asks back, quotes, depends on something, denies, puts off or
 * adds something is none.
 *
 * @since 0.2.0
 * @category getters
 */
export const answerOf = (message: string, asked: Asked = {}): "yes" | "no" | undefined => {
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

/** What the author's code recognises. What dies, or gives anything else, has recognised no answer. */
const recognised = (message: string, { question = "", recognise }: Asked): ReturnType<Recogniser> => {
  if (recognise === undefined) return undefined
  const given: unknown = Either.getOrElse(Either.try(() => recognise(message, question)), () => "neither")
  return given === undefined || isRecognised(given) ? given : "neither"
}

/** What makes a message more than an answer, whether it agrees or refuses. */
const more: ReadonlyArray<Kind> = ["quotes", "condition", "asks", "hesitates", "more"]

const answered = ({ echo, kinds, unknown }: Reading): "yes" | "no" | undefined => {
  if (unknown.length > 0 || more.some((one) => kinds.has(one))) return undefined
  const agrees = kinds.has("agrees")
  if (kinds.has("refuses")) return agrees ? undefined : "no"
  return agrees && !kinds.has("denies") && echoes(echo) ? "yes" : undefined
}

/**
 * Why a message is not taken as a yes, although whoever understood it says that it is one; `undefined` where nothing is
 * against it. Of a language that code does not know, it knows question marks, quotation marks, plain words of refusal, and
 * numbers that the question does not have.
 *
 * @since 0.2.0
 * @category getters
 */
export const objectionTo = (message: string, asked: Asked = {}): Reason | undefined => {
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
  // Where a message may be of two languages, what is against it in one of them counts; a word of agreement in one is enough.
  const against = all.filter(({ hits }) => hits === most).map(objectionIn)
  return against.find((reason) => reason !== undefined && reason !== "silent") ??
    // A sign without a word is what it is understood as.
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

/** Whether it wants, names or repeats something that was not asked. */
const addsTo = ({ echo, isJoined, kinds, unknown }: Reading): boolean =>
  isJoined || kinds.has("wishes") || unknown.some(({ isName }) => isName) || !echoes(echo)

const isOther = (message: string, { question = "" }: Asked): boolean => {
  const own = new Set(tokensOf(question).map(({ text }) => text))
  return tokensOf(message).some(({ text }) => /\p{N}/u.test(text) && !own.has(text))
}

/**
 * What is said before the question is asked again, in the language of the question.
 *
 * @since 0.2.0
 * @category rendering
 */
export const unclear = (reason: Reason, { question = "", ...options }: Asked = {}): string => {
  const all = known(options)
  const hits = all.map((language) => read(question, "", lexiconOf(language)).hits)
  const best = hits.indexOf(Math.max(...hits))
  return (Math.max(...hits) === 0 ? english : all[best] ?? english).unclear[reason]
}

/** A question in another language, as far as the tables of both languages go. */
import type { Lexicon, Sense } from "../Lexicon.js"
import { type QuestionWord, readQuestion } from "./AskedQuestion.js"

const askedIn = (question: string, lexicon: Lexicon): ReadonlyArray<QuestionWord> =>
  readQuestion(question, lexicon).words.filter(({ asks }) => asks)

const isAction = ({ role }: QuestionWord): boolean => role === "action"

/** True if a language reads an action in a sentence that asks. */
export const actsIn = (question: string, lexicon: Lexicon): boolean => askedIn(question, lexicon).some(isAction)

/** Returns the words that mean the same in another language; exact matches go before other forms. */
const wordsIn = (
  list: Sense,
  { text }: QuestionWord,
  [from, to]: readonly [from: Lexicon, to: Lexicon],
  isSame: (one: string) => boolean
): ReadonlyArray<string> => {
  const own = ({ senses }: Lexicon, english: string) =>
    senses[list] === undefined ? [english] : senses[list].get(english) ?? []
  const all = [...from.senses[list]?.keys() ?? [], ...to.senses[list]?.keys() ?? []]
  const meanings = (test: (one: string) => boolean) => all.filter((english) => own(from, english).some(test))
  const exact = meanings((one) => one === text)
  return (exact.length > 0 ? exact : meanings(isSame)).flatMap((english) => own(to, english))
}

interface Translation {
  readonly verb: string | undefined
  readonly things: ReadonlyArray<string>
  /** Number of things that the tables have. */
  readonly known: number
}

const nothing: Translation = { verb: undefined, things: [], known: 0 }

/**
 * Translates the action and the things of the sentences that ask, if there is one action and no choice or denial. Leaves
 * out where, when and for how much: the tables do not say which preposition of one language is which of the other.
 */
const translation = (question: string, from: Lexicon, to: Lexicon): Translation => {
  const words = askedIn(question, from)
  const [action, other] = words.filter(isAction)
  const isPlain = words.every(({ isDenied, isOther, part }) => !isDenied && !isOther && part === 0)
  if (action === undefined || other !== undefined || !isPlain) return nothing
  const [verb] = wordsIn("actions", action, [from, to], (one) => from.isSameAction(one, action.text))
  const things = words.filter(({ isCircumstance, role }) => role === "thing" && !isCircumstance).map((thing) => ({
    own: thing.isName ? thing.text.toUpperCase() : thing.text,
    words: wordsIn("things", thing, [from, to], (one) => from.isSameThing(one, thing))
  }))
  return {
    verb,
    things: things.flatMap(({ own, words }) => words.length > 0 ? [...new Set(words)] : [own]),
    known: things.filter(({ words }) => words.length > 0).length
  }
}

/**
 * Translates a question that may be in several languages. Returns no words if one of them has no action, or another one;
 * the language that knows the most things names them.
 */
export const translated = (question: string, from: ReadonlyArray<Lexicon>, to: Lexicon): string => {
  const all = from.map((one) => translation(question, one, to))
  const [verb, other] = new Set(all.map(({ verb }) => verb))
  if (verb === undefined || other !== undefined || all.some(({ verb }) => verb === undefined)) return ""
  const { things } = all.reduce((best, one) => one.known > best.known ? one : best)
  // Commas keep synonyms from being read as one compound.
  return `${(to.language.verbLast === true ? [...things, verb] : [verb, ...things]).join(", ")}?`
}

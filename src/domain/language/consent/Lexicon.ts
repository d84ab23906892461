/** The word lists of a language, indexed for lookup. */
import * as Memo from "../../base/Memo.js"
import type { Language } from "./ConsentLanguage.js"
import { wordsOf } from "./Tokens.js"

/** The effect of a word or phrase in an answer. */
export type Kind =
  | "agrees"
  | "refuses"
  | "beside"
  | "denies"
  | "condition"
  | "hesitates"
  | "quotes"
  | "asks"
  | "more"

export interface Lexicon {
  readonly language: Language
  /** Phrases by their first word, longest first. */
  readonly phrases: ReadonlyMap<string, ReadonlyArray<{ readonly words: ReadonlyArray<string>; readonly kind: Kind }>>
  readonly wishes: ReadonlyArray<string>
  readonly joins: ReadonlySet<string>
  readonly endings: ReadonlyArray<string>
}

/** If a phrase is in two lists, the kind that opposes a yes counts. */
const order = ({
  agrees,
  asks,
  beside,
  conditions,
  denies,
  hesitates,
  more,
  quotes,
  refuses
}: Language): ReadonlyArray<readonly [Kind, string]> => [
  ["refuses", refuses],
  ["denies", denies],
  ["condition", conditions],
  ["hesitates", hesitates],
  ["quotes", quotes],
  ["asks", asks],
  ["more", more],
  ["agrees", agrees],
  ["beside", beside]
]

const listed = (text: string): ReadonlyArray<string> => text.split(",").map((one) => one.replace(/\s+/g, " ").trim())

const make = (language: Language): Lexicon => {
  const phrases = new Map<string, Array<{ readonly words: ReadonlyArray<string>; readonly kind: Kind }>>()
  for (const [kind, list] of order(language)) {
    for (const phrase of listed(list)) {
      const words = wordsOf(phrase)
      const [first] = words
      if (first !== undefined) phrases.set(first, [...phrases.get(first) ?? [], { words, kind }])
    }
  }
  // Sorting is stable: phrases of equal length keep the order of their kinds.
  for (const list of phrases.values()) list.sort((a, b) => b.words.length - a.words.length)
  return {
    language,
    phrases,
    wishes: listed(language.wishes).flatMap(wordsOf),
    joins: new Set(listed(language.joins)),
    endings: listed(language.endings)
  }
}

/** The lexicon of a language, created on first use and cached. */
export const lexiconOf: (language: Language) => Lexicon = Memo.weak(make)

/**
 * The library's own sentences to the user, by language: the question before a call whose arguments have another origin,
 * and the sentence after a call that was refused.
 */
import type { Kind } from "../../origin/Origin.js"

/** The sentences of one language. `{}` stands for a name or a number. */
export interface Phrases {
  /** Code of the language, such as `de`. */
  readonly code: string
  /** Frequent words, separated by spaces, by which the language of a message is recognised. */
  readonly common: string
  readonly ask: string
  readonly refused: string
  readonly yes: string
  readonly no: string
  readonly characters: string
  /** The origin of a value, by kind. */
  readonly from: Readonly<Record<Kind, string>>
  /** The origin of a value, for origins with a name. */
  readonly named: Readonly<Record<"tool" | "document" | "agent", string>>
  /** Said of a call without any argument of the user. */
  readonly nothing: string
}

export const english: Phrases = {
  code: "en",
  common: "the a an is are was it to of for in on at and my me i you we please with what from this that can not no do",
  ask: "Shall I do this?",
  refused: "I am not allowed to do that.",
  yes: "yes",
  no: "no",
  characters: "{} characters",
  from: {
    user: "from you",
    confirmed: "confirmed by you",
    person: "from a person",
    code: "from the application",
    tool: "from the result of a tool",
    document: "from a document",
    agent: "from another agent",
    model: "chosen by the model",
    several: "from several places"
  },
  named: {
    tool: "from the result of {}",
    document: "from the document {}",
    agent: "from the report of {}"
  },
  nothing: "Nothing in this call comes from you."
}

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? []

/** Number of frequent words of a language in a text; each word counts as often as it occurs. */
const hitsIn = (words: ReadonlyArray<string>, { common }: Phrases): number => {
  const known = new Set(common.split(" "))
  return words.filter((word) => known.has(word)).length
}

/** Returns the language of the first text in which one of the languages is recognised. */
export const languageOf = (texts: ReadonlyArray<string>, languages: ReadonlyArray<Phrases>): Phrases | undefined => {
  for (const text of texts) {
    const words = wordsOf(text)
    const hits = languages.map((one) => hitsIn(words, one))
    const most = Math.max(...hits)
    if (most > 0) return languages[hits.indexOf(most)]
  }
  return undefined
}

/** Returns the sentences for a locale; undefined if there are none in its language. */
export const ofLocale = (locale: string | undefined, languages: ReadonlyArray<Phrases>): Phrases | undefined => {
  const code = locale?.split("-")[0]
  return languages.find((one) => one.code === code)
}

/** Puts a name or a number into a sentence. */
export const filled = (sentence: string, name: string): string => sentence.replace("{}", () => name)

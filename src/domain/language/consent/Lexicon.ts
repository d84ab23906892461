/** The phrases of a language, indexed for lookup. */
import * as Memo from "../../base/Memo.js"
import type { Language } from "./ConsentLanguage.js"
import { type Token, wordsOf } from "./Tokens.js"

/** The effect of a word or phrase in an answer. */
export type Kind =
  | "agrees"
  | "refuses"
  | "beside"
  | "leads"
  | "explains"
  | "denies"
  | "condition"
  | "hesitates"
  | "quotes"
  | "asks"
  | "more"

export interface Phrase {
  readonly words: ReadonlyArray<string>
  readonly kind: Kind
}

export interface Lexicon {
  readonly language: Language
  /** The longest phrase at a position, if there is one. */
  readonly phraseAt: (tokens: ReadonlyArray<Token>, at: number) => Phrase | undefined
  readonly words: Readonly<
    Record<
      "from" | "to" | "prepositions" | "links" | "generic" | "future" | "joins" | "or" | "particles",
      ReadonlySet<string>
    >
  >
  /** The first phrase of agreement: "yes". */
  readonly yes: string
  /** The positions of the words that request an answer. */
  readonly requests: (tokens: ReadonlyArray<Token>) => ReadonlySet<number>
  /** True if a word is a verb or a thing that users ask for, in any form. */
  readonly isWish: (text: string) => boolean
  /** Returns how a word is a form of a verb. */
  readonly verbForm: (text: string) => "listed" | "present" | "past" | undefined
  /** True if a word of an answer is a form of the verb in the question, or of a verb that means the same. */
  readonly isSameAction: (answer: string, question: string) => boolean
  /** True if a word of an answer names the same thing as one of the question. */
  readonly isSameThing: (answer: string, question: Token) => boolean
}

const listed = (text: string): ReadonlyArray<string> =>
  text.split(",").map((one) => one.replace(/\s+/g, " ").trim()).filter((one) => one !== "")

const set = (text: string): ReadonlySet<string> => new Set(listed(text).flatMap(wordsOf))

const suffixes = (text: string): ReadonlyArray<string> => text.split(",").map((one) => one.trim())

/** If a phrase is in two lists, the kind that opposes a yes counts. */
const order = (language: Language): ReadonlyArray<readonly [Kind, string]> => [
  ["refuses", language.refuses],
  ["denies", language.denies],
  ["condition", language.conditions],
  ["hesitates", language.hesitates],
  ["quotes", language.quotes],
  ["asks", language.asks],
  ["more", language.more],
  ["explains", language.explains],
  ["agrees", `${language.agrees}, 👍, ✅, 👌, ✔, ☑`],
  ["leads", language.leads],
  ["beside", `${language.beside}, 🙏, 🙂, 😊, 😀, 😁, 😃, 😄, ❤, 🎉, 💯`]
]

/** Minimum number of letters that two forms of a word share. */
const stem = 4

/** Doubled letters are no difference: "cancelling" and "canceling", "bestel" and "bestellen". */
const single = (text: string): string => text.slice(0, 3) + text.slice(3).replace(/(\p{L})\1/gu, "$1")

/** True if two words are forms of the same word: the same stem with endings of the lists. */
const isInflected = (a: string, b: string, ofA: ReadonlyArray<string>, ofB: ReadonlySet<string>): boolean =>
  ofA.some((ending) => {
    const length = a.length - ending.length
    // "add" and "adding": a short word itself may be the stem.
    const isEnough = length >= stem || (length === stem - 1 && (ending === "" || b.length === length))
    return isEnough && a.endsWith(ending) && b.startsWith(a.slice(0, length)) && ofB.has(b.slice(length))
  })

/** Finds the words of a list of which a text is a form. Words with digits must be equal. */
const formsIn = (words: ReadonlyArray<string>, ofWord: ReadonlySet<string>) => {
  const index = new Map<string, Set<string>>()
  for (const word of words) {
    const key = word.slice(0, stem - 1)
    index.set(key, (index.get(key) ?? new Set()).add(word))
  }
  return (text: string, ofText: ReadonlyArray<string>): ReadonlyArray<string> => {
    const bare = single(text)
    const isNumber = /\p{N}/u.test(text)
    return Array.from(index.get(bare.slice(0, stem - 1)) ?? []).filter((word) =>
      word === text || (!isNumber && isInflected(bare, single(word), ofText, ofWord))
    )
  }
}

const phraseIndex = (phrases: ReadonlyArray<Phrase>) => {
  const byFirst = new Map<string, Array<Phrase>>()
  for (const phrase of phrases) {
    const [first] = phrase.words
    if (first !== undefined) byFirst.set(first, [...byFirst.get(first) ?? [], phrase])
  }
  // Sorting is stable: phrases of equal length keep the order of their kinds.
  for (const list of byFirst.values()) list.sort((a, b) => b.words.length - a.words.length)
  return (tokens: ReadonlyArray<Token>, at: number) =>
    byFirst.get(tokens[at]!.text)?.find(({ words }) =>
      words.every((word, i) => tokens[at + i]?.text === word && (i === 0 || tokens[at + i]!.gap !== "sentence"))
    )
}

const make = (language: Language): Lexicon => {
  const endings = suffixes(language.endings)
  const present = [...endings, ...suffixes(language.finite)]
  const all = [...present, ...suffixes(language.past)]
  const cases = language.cases === undefined ? [] : suffixes(language.cases)
  const prefixes = language.prefixes === undefined ? [] : suffixes(language.prefixes)
  const bare = (text: string): ReadonlyArray<string> => [
    text.endsWith("'s") ? text.slice(0, -2) : text,
    ...prefixes.filter((one) => text.startsWith(one) && text.length - one.length >= 3).map((one) =>
      text.slice(one.length)
    )
  ]
  const listedVerbs = set(language.verbs)
  const groups = listed(language.same).map((group) => group.split(" ").flatMap(wordsOf))
  const [anyForm, anyCase] = [new Set(all), new Set(cases)]
  const verbs = formsIn([...listedVerbs, ...groups.flat()], anyForm)
  const wishes = formsIn(listed(language.wishes).flatMap(wordsOf), anyForm)
  const requests = phraseIndex(listed(language.requests).map((phrase) => ({ words: wordsOf(phrase), kind: "asks" })))
  return {
    language,
    phraseAt: phraseIndex(
      order(language).flatMap(([kind, list]) => listed(list).map((phrase) => ({ words: wordsOf(phrase), kind })))
    ),
    words: {
      from: set(language.from),
      to: set(language.to),
      prepositions: set(`${language.prepositions}, ${language.from}, ${language.to}`),
      links: set(language.links),
      generic: set(language.generic),
      future: set(language.future),
      joins: set(language.joins),
      or: set(language.or),
      particles: set(language.particles ?? "")
    },
    yes: listed(language.agrees)[0] ?? "",
    requests: (tokens) => new Set(tokens.flatMap((_, i) => requests(tokens, i)?.words.map((_, j) => i + j) ?? [])),
    isWish: (text) => verbs(text, all).length > 0 || wishes(text, all).length > 0,
    verbForm: (text) =>
      listedVerbs.has(text) ?
        "listed"
        : verbs(text, present).length > 0 ?
        "present"
        : verbs(text, all).length > 0 ?
        "past"
        : undefined,
    isSameAction: (answer, question) => {
      if (answer === question) return true
      if (/\p{N}/u.test(answer + question)) return false
      if (isInflected(single(answer), single(question), endings, anyForm)) return true
      const [said, asked] = [verbs(answer, endings), verbs(question, all)]
      return groups.some((group) =>
        said.some((verb) => group.includes(verb)) && asked.some((verb) => group.includes(verb))
      )
    },
    isSameThing: (answer, { isName, text }) =>
      // "PayPal" is the "paypal_5398626" of the question.
      (text.includes("_") && /^\p{L}+_\p{N}+$/u.test(text) && text.startsWith(`${answer}_`)) ||
      bare(answer).some((a) => bare(text).some((b) => a === b || (!isName && isInflected(a, b, cases, anyCase))))
  }
}

/** The lexicon of a language, created on first use and cached. */
export const lexiconOf: (language: Language) => Lexicon = Memo.weak(make)

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

interface Phrase {
  readonly words: ReadonlyArray<string>
  readonly kind: Kind
}

export interface Lexicon {
  readonly language: Language
  /** The longest phrase at a position, if there is one. */
  readonly phraseAt: (tokens: ReadonlyArray<Token>, at: number) => Phrase | undefined
  readonly words: Readonly<Record<"from" | "to" | "prepositions" | "links" | "generic" | "future" | "joins" | "or" | "particles", ReadonlySet<string>>>
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

/** True if two words are forms of the same word. Words with digits must be equal. */
const isForm = (a: string, b: string, ofA: ReadonlyArray<string>, ofB: ReadonlyArray<string>): boolean => {
  if (a === b) return true
  if (/\p{N}/u.test(a + b)) return false
  return ofA.some((ending) => {
    const length = a.length - ending.length
    return length >= stem && a.endsWith(ending) && b.startsWith(a.slice(0, length)) && ofB.includes(b.slice(length))
  })
}

const indexed = (words: ReadonlyArray<string>) => {
  const index = new Map<string, Array<string>>()
  for (const word of words) index.set(word.slice(0, stem), [...index.get(word.slice(0, stem)) ?? [], word])
  return (text: string): ReadonlyArray<string> => index.get(text.slice(0, stem)) ?? []
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
    text,
    ...prefixes.filter((one) => text.startsWith(one) && text.length - one.length >= 3).map((one) =>
      text.slice(one.length)
    )
  ]
  const groups = listed(language.same).map((group) => group.split(" ").flatMap(wordsOf))
  const listedVerbs = set(language.verbs)
  const verbsLike = indexed([...listedVerbs, ...groups.flat()])
  const wishesLike = indexed(listed(language.wishes).flatMap(wordsOf))
  const isOf = (text: string, like: ReadonlyArray<string>, ofText: ReadonlyArray<string>) =>
    like.some((one) => isForm(text, one, ofText, all))
  const groupsOf = (text: string, ofText: ReadonlyArray<string>) =>
    groups.filter((group) => group.some((one) => one.slice(0, stem) === text.slice(0, stem) && isForm(text, one, ofText, all)))
  const requests = phraseIndex(listed(language.requests).map((phrase) => ({ words: wordsOf(phrase), kind: "asks" })))
  return {
    language,
    phraseAt: phraseIndex(order(language).flatMap(([kind, list]) =>
      listed(list).map((phrase) => ({ words: wordsOf(phrase), kind }))
    )),
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
    requests: (tokens) =>
      new Set(tokens.flatMap((_, i) => requests(tokens, i)?.words.map((_, j) => i + j) ?? [])),
    isWish: (text) => isOf(text, verbsLike(text), all) || isOf(text, wishesLike(text), all),
    verbForm: (text) =>
      listedVerbs.has(text) ? "listed"
      : isOf(text, verbsLike(text), present) ? "present"
      : isOf(text, verbsLike(text), all) ? "past"
      : undefined,
    isSameAction: (answer, question) => {
      if (isForm(answer, question, endings, all)) return true
      const of = groupsOf(answer, endings)
      return of.length > 0 && groupsOf(question, all).some((group) => of.includes(group))
    },
    isSameThing: (answer, { isName, text }) =>
      bare(answer).some((a) =>
        bare(text).some((b) => a === b || (!isName && isForm(a, b, cases, cases))) ||
        (a.endsWith("'s") ? a.slice(0, -2) : a) === (text.endsWith("'s") ? text.slice(0, -2) : text)
      )
  }
}

/** The lexicon of a language, created on first use and cached. */
export const lexiconOf: (language: Language) => Lexicon = Memo.weak(make)

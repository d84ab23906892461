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
  | "relates"
  | "more"

/** The lists by which words of two languages are compared. */
export type Sense = "actions" | "things"

export interface Phrase {
  readonly words: ReadonlyArray<string>
  readonly kind: Kind
}

export interface Lexicon {
  readonly language: Language
  /** The longest phrase at a position, if there is one. Of equally long ones, the one that opposes a yes. */
  readonly phraseAt: (tokens: ReadonlyArray<Token>, at: number) => Phrase | undefined
  readonly words: Readonly<
    Record<
      | "from"
      | "to"
      | "prepositions"
      | "links"
      | "generic"
      | "future"
      | "joins"
      | "or"
      | "particles"
      | "classes"
      | "both"
      | "all"
      | "two"
      | "means"
      | "money"
      | "amounts",
      ReadonlySet<string>
    >
  >
  /** The words of the language by the English word that means the same; `undefined` for English. */
  readonly senses: Readonly<Record<Sense, ReadonlyMap<string, ReadonlyArray<string>> | undefined>>
  /** The first phrase of agreement: "yes". */
  readonly yes: string
  /** The positions of the words that request an answer. */
  readonly requests: (tokens: ReadonlyArray<Token>) => ReadonlySet<number>
  /** True if a word is a verb or a thing that users ask for, in any form. */
  readonly isWish: (text: string) => boolean
  /** True if a word is a form of a verb for the use of a means of payment. */
  readonly isPaying: (text: string) => boolean
  /** True if a word is a form of a verb for what gives the user something. */
  readonly isMaking: (text: string) => boolean
  /** True if a word is a form of a verb for what takes something from the user. */
  readonly isTaking: (text: string) => boolean
  /** True for a number as a word: "two". */
  readonly isNumeral: (text: string) => boolean
  /** Returns how a word is a form of a verb. */
  readonly verbForm: (text: string) => "listed" | "present" | "past" | undefined
  /** True if a word of an answer is a form of the verb in the question, or of a verb that means the same. */
  readonly isSameAction: (answer: string, question: string) => boolean
  /** The beginnings of a word: words that name the same thing have one in common. */
  readonly keysOf: (text: string) => ReadonlyArray<string>
  /** True if a word of an answer names the same thing as one of the question. */
  readonly isSameThing: (answer: string, question: Token) => boolean
}

const listed = (text = ""): ReadonlyArray<string> =>
  text.split(",").map((one) => one.replace(/\s+/g, " ").trim()).filter((one) => one !== "")

const set = (text = ""): ReadonlySet<string> => new Set(listed(text).flatMap(wordsOf))

const sensesIn = (text: string | undefined): Lexicon["senses"][Sense] =>
  text === undefined ? undefined : new Map(
    listed(text).map((one) => {
      const [english = "", ...own] = one.split(" ")
      return [english, own.flatMap(wordsOf)]
    })
  )

const suffixes = (text: string): ReadonlyArray<string> => text.split(",").map((one) => one.trim())

/** If a phrase is in two lists, the kind that opposes a yes counts. */
const order = (language: Language): ReadonlyArray<readonly [Kind, string]> => [
  ["refuses", language.refuses],
  ["denies", language.denies],
  ["condition", language.conditions],
  ["hesitates", language.hesitates],
  ["quotes", language.quotes],
  ["asks", language.asks],
  ["relates", language.relates ?? ""],
  ["more", language.more],
  ["explains", language.explains],
  ["agrees", `${language.agrees}, 👍, ✅, 👌, ✔, ☑`],
  ["leads", language.leads],
  ["beside", `${language.beside}, 🙏, 🙂, 😊, 😀, 😁, 😃, 😄, ❤, 🎉, 💯`]
]

/** Minimum number of letters that two forms of a word share. */
const stem = 4

/** Doubled letters are no difference ("cancelling" and "canceling"), and "troque" is a form of "trocar". */
const single = (text: string): string =>
  (text.slice(0, 3) + text.slice(3).replace(/(\p{L})\1/gu, "$1")).replace(/qu(?=[ei])/u, "c")

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

/** One place of a phrase: the words that may stand there. */
interface Slot {
  readonly options: ReadonlyArray<ReadonlyArray<string>>
  readonly isOptional: boolean
}

/** Reads a phrase of a list: "{that|it} is [very] good" stands for four phrases. */
const slotsOf = (phrase: string): ReadonlyArray<Slot> =>
  Array.from(phrase.matchAll(/[{[][^{}[\]]*[\]}]|[^\s{[]+/gu)).flatMap(({ 0: part }): ReadonlyArray<Slot> => {
    if (!/^[{[]/u.test(part)) return wordsOf(part).map((word) => ({ options: [[word]], isOptional: false }))
    return [{ options: part.slice(1, -1).split("|").map(wordsOf), isOptional: part.startsWith("[") }]
  })

interface Pattern {
  readonly slots: ReadonlyArray<Slot>
  readonly kind: Kind
}

const startsWith = (words: ReadonlyArray<string>, tokens: ReadonlyArray<Token>, at: number, start: number): boolean =>
  words.every((word, i) => tokens[at + i]?.text === word && (at + i === start || tokens[at + i]!.gap !== "sentence"))

/** Returns the end of the longest text that the slots match; -1 if they match none. */
const endOf = (slots: ReadonlyArray<Slot>, tokens: ReadonlyArray<Token>, at: number, start = at): number => {
  const [slot, ...rest] = slots
  if (slot === undefined) return at
  const ends = slot.options.filter((words) => startsWith(words, tokens, at, start)).map((words) =>
    endOf(rest, tokens, at + words.length, start)
  )
  return Math.max(-1, ...ends, ...(slot.isOptional ? [endOf(rest, tokens, at, start)] : []))
}

/** The words with which a phrase may begin. */
const firstWords = ([slot, ...rest]: ReadonlyArray<Slot>): ReadonlyArray<string> =>
  slot === undefined ? [] : [
    ...slot.options.flatMap(([word]) => word ?? []),
    ...(slot.isOptional ? firstWords(rest) : [])
  ]

const phraseIndex = (patterns: ReadonlyArray<Pattern>) => {
  const byFirst = new Map<string, Array<Pattern>>()
  for (const pattern of patterns) {
    for (const first of new Set(firstWords(pattern.slots))) {
      const list = byFirst.get(first)
      if (list === undefined) byFirst.set(first, [pattern])
      else list.push(pattern)
    }
  }
  return (tokens: ReadonlyArray<Token>, at: number): Phrase | undefined => {
    let [end, kind]: [number, Kind | undefined] = [at, undefined]
    // Of phrases of equal length, the first one counts.
    for (const pattern of byFirst.get(tokens[at]!.text) ?? []) {
      const found = endOf(pattern.slots, tokens, at)
      if (found > end) [end, kind] = [found, pattern.kind]
    }
    return kind && { words: tokens.slice(at, end).map(({ text }) => text), kind }
  }
}

/** Returns the letters that all forms of a verb have; "" in a language whose verbs have none. */
const rootOf = ({ radicals }: Language) => (text: string): string => {
  if (radicals === undefined) return ""
  const prefix = suffixes(radicals.prefixes).find((one) => text.startsWith(one)) ?? ""
  const root = Array.from(text.slice(prefix.length)).filter((letter) => !radicals.weak.includes(letter)).join("")
  return root.length < 2 ? "" : root
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
  const numerals = listed(language.numerals)
  const numeral = (text: string): string => numerals.includes(text) ? String(numerals.indexOf(text) + 1) : text
  const root = rootOf(language)
  const [anyForm, anyCase] = [new Set(all), new Set(cases)]
  const verbs = formsIn([...listedVerbs, ...groups.flat()], anyForm)
  const wishes = formsIn(listed(language.wishes).flatMap(wordsOf), anyForm)
  const paying = formsIn(listed(language.pays).flatMap(wordsOf), anyForm)
  const making = formsIn(listed(language.makes).flatMap(wordsOf), anyForm)
  const taking = formsIn(listed(language.takes).flatMap(wordsOf), anyForm)
  const [general = "", ...covered] = (language.covers ?? "").split(" ")
  const particles = Array.from(set(language.particles))
  /** Without the part that an imperative separates: "sagen" of "absagen". */
  const unparted = (text: string): string => {
    const particle = particles.find((one) => text.startsWith(one) && text.length - one.length > stem)
    return particle === undefined ? "" : text.slice(particle.length)
  }
  const formOf = (text: string): ReturnType<Lexicon["verbForm"]> => {
    if (listedVerbs.has(text)) return "listed"
    return verbs(text, present).length > 0 ? "present" : verbs(text, all).length > 0 ? "past" : undefined
  }
  const requests = phraseIndex(listed(language.requests).map((phrase) => ({ slots: slotsOf(phrase), kind: "asks" })))
  return {
    language,
    phraseAt: phraseIndex(
      order(language).flatMap(([kind, list]) => listed(list).map((phrase) => ({ slots: slotsOf(phrase), kind })))
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
      particles: set(language.particles),
      classes: set(language.classes),
      both: set(language.both),
      all: set(language.all),
      two: new Set([numerals[1] ?? "2"]),
      means: set(language.means),
      money: set(language.money),
      amounts: set(language.amounts)
    },
    senses: { actions: sensesIn(language.actions), things: sensesIn(language.things) },
    yes: listed(language.agrees)[0] ?? "",
    requests: (tokens) => new Set(tokens.flatMap((_, i) => requests(tokens, i)?.words.map((_, j) => i + j) ?? [])),
    isWish: (text) => verbs(text, all).length > 0 || wishes(text, all).length > 0,
    isNumeral: (text) => numerals.includes(text),
    isMaking: (text) => making(text, all).length > 0,
    isTaking: (text) => taking(text, all).length > 0,
    isPaying: (text) => paying(text, endings).length > 0,
    verbForm: (text) => formOf(text) ?? (language.verbLast === true ? formOf(unparted(text)) : undefined),
    isSameAction: (answer, question) => {
      if (answer === question) return true
      if (/\p{N}/u.test(answer + question)) return false
      if (isInflected(single(answer), single(question), endings, anyForm)) return true
      if (root(answer) !== "" && root(answer) === root(question)) return true
      const [said, asked] = [verbs(answer, endings), verbs(question, all)]
      return (said.includes(general) && asked.some((verb) => covered.includes(verb))) ||
        groups.some((group) => said.some((verb) => group.includes(verb)) && asked.some((verb) => group.includes(verb)))
    },
    keysOf: (text) => [...bare(text), numeral(text), ...text.split("_")].map((one) => one.slice(0, stem - 1)),
    isSameThing: (answer, { isName, text }) =>
      numeral(answer) === numeral(text) ||
      // "PayPal" is the "paypal_5398626" of the question, "gift card" the "gift_card_8883".
      (/^\p{L}+$/u.test(answer) && /_\p{N}+$/u.test(text) && text.split("_").includes(answer)) ||
      bare(answer).some((a) => bare(text).some((b) => a === b || (!isName && isInflected(a, b, cases, anyCase))))
  }
}

/** The lexicon of a language, created on first use and cached. */
export const lexiconOf: (language: Language) => Lexicon = Memo.weak(make)

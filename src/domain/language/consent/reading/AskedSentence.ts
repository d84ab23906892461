/** A sentence of a question: which of its words are actions and things, and what it does. */
import type { Lexicon } from "../Lexicon.js"
import { type Token, tokensOf } from "../Tokens.js"

/** The part of a word in a sentence. */
export type Role = "action" | "thing" | "other"

export interface Sentence {
  readonly tokens: ReadonlyArray<Token>
  /** Number of the words that the language has. */
  readonly known: number
  readonly parts: ReadonlyArray<number>
  readonly roles: ReadonlyArray<Role>
  /** True for the words that are a verb in a form that the lists have. */
  readonly listed: ReadonlyArray<boolean>
  readonly pasts: ReadonlyArray<boolean>
  readonly denied: ReadonlyArray<boolean>
  /** True for a verb's noun: a form of a verb after an article. */
  readonly nouns: ReadonlyArray<boolean>
  readonly offered: ReadonlyArray<string>
  readonly asks: boolean
  /** True if it says what will happen. */
  readonly tells: boolean
  /** True if it is a line of a list. */
  readonly lists: boolean
  /** True if a list follows. */
  readonly leadsTo: boolean
  /** True if it offers something else than what is asked about. */
  readonly isOther: boolean
  readonly hasAction: boolean
  /** True for the words that say when, where or for how much. */
  readonly circumstances: ReadonlyArray<boolean>
  /** True if its action has a pronoun for an object: "reserve it". */
  readonly refersBack: boolean
}

/** A line of a list, or a label with its value. */
const line = /^\s*(?:[-*•–]|\d+[.)])\s|^[^.?!]{1,40}:\s/u

type Known = "word" | "joins" | "links" | "agrees" | "refuses" | "denies" | "phrase"

/** Returns the kind of each word in the language. */
const knownOf = (tokens: ReadonlyArray<Token>, { phraseAt, words }: Lexicon): ReadonlyArray<Known> => {
  const wordOf = (text: string): Known =>
    words.joins.has(text) ? "joins" : words.links.has(text) || words.prepositions.has(text) ? "links" : "word"
  const known: Array<Known> = []
  while (known.length < tokens.length) {
    const phrase = phraseAt(tokens, known.length)
    const { text } = tokens[known.length]!
    const isSmall = words.joins.has(text) || words.prepositions.has(text)
    if (phrase === undefined || (isSmall && phrase.words.length === 1)) known.push(wordOf(text))
    else {
      const { kind } = phrase
      const isKept = kind === "agrees" || kind === "refuses" || kind === "denies"
      for (const _ of phrase.words) known.push(isKept ? kind : "phrase")
    }
  }
  return known
}

/** True for the words that are what the sentence does. */
const actionsOf = (
  tokens: ReadonlyArray<Token>,
  known: ReadonlyArray<Known>,
  parts: ReadonlyArray<number>,
  forms: ReadonlyArray<ReturnType<Lexicon["verbForm"]>>,
  { language: { verbLast = false }, words: { future, generic } }: Lexicon
): ReadonlyArray<boolean> => {
  const willHappen = (from: number, to: number) =>
    tokens.slice(Math.max(0, from), Math.max(0, to)).some(({ text }) => future.has(text))
  // The verb of each part: the last one in a language with the verb at the end, else the first one.
  const verbs = new Map<number, number>()
  forms.forEach((form, i) => {
    if (form !== undefined && (verbLast || !verbs.has(parts[i]!))) verbs.set(parts[i]!, i)
  })
  /** "And the booking" names a thing, "and keep the booking" and "and proceed with the booking" an action. */
  const begins = (i: number): boolean => {
    const start = parts.indexOf(parts[i]!)
    const before = known.slice(start, i)
    const isSmall = (kind: Known, at: number) => kind !== "word" && kind !== "links" || generic.has(tokens[at]!.text)
    return before.includes("agrees") || before.every((kind, j) => isSmall(kind, start + j))
  }
  return forms.map((form, i) => {
    if (form === undefined) return false
    if (form === "past") return willHappen(i - 4, i)
    if (willHappen(i - 1, i)) return true
    return verbs.get(parts[i]!) === i && (verbLast || parts[i] === 0 || begins(i))
  })
}

const amount = /^(?:[\p{N}.,:]+h?|[$€£¥])$/u

/** True for a number, and for a word after a preposition or a number: "to Tuesday", "500 euros". */
const isCircumstance = (
  tokens: ReadonlyArray<Token>,
  at: number,
  { words: { links, prepositions } }: Lexicon
): boolean => {
  const before = tokens.slice(0, at).findLast(({ text }) => !links.has(text))?.text ?? ""
  return prepositions.has(before) || amount.test(before) || amount.test(tokens[at]!.text)
}

/** Reads a sentence of a question. */
export const sentenceOf = (text: string, lexicon: Lexicon): Sentence => {
  const { words } = lexicon
  const tokens = tokensOf(text)
  const known = knownOf(tokens, lexicon)
  let part = 0
  const parts = known.map((kind) => kind === "joins" ? ++part : part)
  const requested = lexicon.requests(tokens)
  const forms = tokens.map(({ text }, i) =>
    known[i] === "agrees" || requested.has(i) || words.generic.has(text) ? undefined : lexicon.verbForm(text)
  )
  const actions = actionsOf(tokens, known, parts, forms, lexicon)
  const isThing = (text: string, i: number) =>
    known[i] === "word" && !lexicon.isNumeral(text) && forms[i] !== "past" && !requested.has(i) &&
    !words.generic.has(text)
  const hasAction = actions.includes(true)
  const roles = tokens.map(({ text }, i): Role => actions[i] === true ? "action" : isThing(text, i) ? "thing" : "other")
  const isLast = (at: number) => tokens[at]?.gap !== "none" || words.prepositions.has(tokens[at].text)
  const isPronoun = (at: number) => tokens[at]?.gap === "none" && words.links.has(tokens[at].text) && isLast(at + 1)
  return {
    tokens,
    known: known.filter((kind) => kind !== "word").length,
    parts,
    roles,
    circumstances: tokens.map((_, i) => isCircumstance(tokens, i, lexicon)),
    refersBack: actions.some((isAction, i) => isAction && isPronoun(i + 1)),
    listed: forms.map((form) => form === "listed"),
    pasts: forms.map((form) => form === "past"),
    denied: tokens.map((_, i) => known[i - 1] === "refuses" || known[i - 1] === "denies"),
    nouns: tokens.map((_, i) => forms[i] !== undefined && i > 0 && words.links.has(tokens[i - 1]!.text)),
    offered: tokens.flatMap(({ text }, i) =>
      known[i + 2] === "refuses" && words.or.has(tokens[i + 1]!.text) ? [text] : []
    ),
    asks: /[?？؟]/u.test(text) || requested.size > 0,
    tells: hasAction && tokens.some(({ text }) => words.future.has(text)),
    lists: line.test(text),
    leadsTo: /:\s*$/u.test(text),
    isOther: tokens.some(({ text }) => words.or.has(text)),
    hasAction
  }
}

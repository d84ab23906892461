/** The words of a question that an answer may repeat, in one language. */
import type { Lexicon } from "./Lexicon.js"
import { type Token, tokensOf } from "./Tokens.js"

export interface QuestionWord extends Token {
  readonly sentence: number
  /** The part of the sentence between joining words. */
  readonly part: number
  readonly role: "action" | "thing" | "other"
  /** True if an answer may repeat it only beside something that the question asks about. */
  readonly isAside: boolean
  /** True if it is of a sentence that asks. */
  readonly asks: boolean
}

export interface AskedQuestion {
  readonly words: ReadonlyArray<QuestionWord>
  /** Words of agreement that the question offers: "approve" in "Approve or decline?". */
  readonly offered: ReadonlySet<string>
  /** True if the sentences that ask name a thing, or a thing with a digit. */
  readonly names: boolean
  readonly hasDigits: boolean
}

interface Sentence {
  readonly tokens: ReadonlyArray<Token>
  readonly parts: ReadonlyArray<number>
  readonly roles: ReadonlyArray<QuestionWord["role"]>
  /** True for a verb's noun: a form of a verb after an article. */
  readonly nouns: ReadonlyArray<boolean>
  readonly offered: ReadonlyArray<string>
  readonly asks: boolean
  /** True if it says what will happen, or is a line of a list. */
  readonly tells: boolean
  /** True if it offers something else than what is asked about. */
  readonly isOther: boolean
  readonly hasAction: boolean
}

const line = /^\s*(?:[-*•–]|\d+[.)])\s|^[^.?!]{1,40}:\s/u

const sentenceOf = (text: string, lexicon: Lexicon): Sentence => {
  const { language, words } = lexicon
  const tokens = tokensOf(text)
  const known: Array<"word" | "joins" | "links" | "agrees" | "refuses" | "phrase"> = []
  for (let at = 0; at < tokens.length;) {
    const phrase = lexicon.phraseAt(tokens, at)
    const { text } = tokens[at]!
    if (phrase === undefined || (words.joins.has(text) && phrase.words.length === 1)) {
      known.push(words.joins.has(text) ? "joins" : words.links.has(text) || words.prepositions.has(text) ? "links" : "word")
      at++
    } else {
      const { kind } = phrase
      for (const _ of phrase.words) known.push(kind === "agrees" || kind === "refuses" ? kind : "phrase")
      at += phrase.words.length
    }
  }
  let part = 0
  const parts = tokens.map((_, i) => known[i] === "joins" ? ++part : part)
  const forms = tokens.map(({ text }, i) => known[i] === "agrees" ? undefined : lexicon.verbForm(text))
  const willHappen = tokens.some(({ text }) => words.future.has(text))
  const verbs = tokens.flatMap((_, i) => forms[i] === undefined ? [] : [i])
  const isAction = (i: number): boolean => {
    if (forms[i] === undefined) return false
    if (forms[i] === "asked" && willHappen) return true
    const here = verbs.filter((j) => parts[j] === parts[i])
    if (language.verbLast === true) return here.at(-1) === i
    return here[0] === i && (parts[i] === 0 || known.slice(0, i).every((kind, j) =>
      parts[j] !== parts[i] || kind === "joins" || kind === "phrase" || words.generic.has(tokens[j]!.text) ||
      (kind === "links" && !words.links.has(tokens[j]!.text))
    ))
  }
  const roles = tokens.map(({ text }, i): QuestionWord["role"] =>
    isAction(i) ? "action" : known[i] === "word" && !words.generic.has(text) ? "thing" : "other"
  )
  const offered = tokens.flatMap(({ text }, i) =>
    known[i + 2] === "refuses" && words.or.has(tokens[i + 1]!.text) ? [text] : []
  )
  const hasAction = roles.includes("action")
  return {
    tokens,
    parts,
    roles,
    nouns: tokens.map((_, i) => forms[i] !== undefined && i > 0 && words.links.has(tokens[i - 1]!.text)),
    offered,
    asks: /[?？؟]/u.test(text) || lexicon.requests(tokens),
    tells: (hasAction && willHappen) || line.test(text),
    isOther: tokens.some(({ text }) => words.or.has(text)),
    hasAction
  }
}

const sentencesIn = (text: string): ReadonlyArray<string> =>
  text.split(/\n+/u).flatMap((one) => one.replace(/^\s*\d{1,3}[.)]\s/u, "- ").split(/(?<=[.!?？؟…])\s+/u))
    .filter((one) => one.trim() !== "")

/**
 * Reads the words of a question. If the sentences that ask name what they are about, the others add only what will
 * happen; otherwise those name it.
 */
export const readQuestion = (text: string, lexicon: Lexicon): AskedQuestion => {
  const read = sentencesIn(text).map((one) => sentenceOf(one, lexicon))
  const isContent = ({ roles }: Sentence) => roles.some((role) => role !== "other")
  const last = read.findLast(isContent)
  const asking = read.some(({ asks }) => asks) ? read.filter(({ asks }) => asks) : last === undefined ? [] : [last]
  const has = (role: QuestionWord["role"]) => asking.some(({ roles }) => roles.includes(role))
  const names = has("thing")
  const acts = has("action")
  const tellsSomething = ({ hasAction, tells }: Sentence) => tells || hasAction
  const words = read.flatMap((sentence, place) => {
    const asks = asking.includes(sentence)
    const says = tellsSomething(sentence)
    const isRead = asks ||
      (acts || names ? !sentence.isOther && (sentence.tells || says && !names) : says || !read.some(tellsSomething))
    return sentence.tokens.flatMap((token, i): ReadonlyArray<QuestionWord> => {
      // "The transfer is ready. Shall I send it?": a noun names a thing where another verb is asked about.
      const role = !asks && acts && sentence.nouns[i] === true && !sentence.tells ? "thing" : sentence.roles[i]!
      const isUsed = asks || isRead && (role !== "action" || !acts || sentence.tells)
      const isAside = !asks && names && role !== "action"
      return isUsed ? [{ ...token, role, isAside, asks, sentence: place, part: sentence.parts[i]! }] : []
    })
  })
  return {
    words,
    offered: new Set(read.flatMap(({ offered }) => offered)),
    names,
    hasDigits: words.some(({ asks, role, text }) => asks && role !== "other" && /\p{N}/u.test(text))
  }
}

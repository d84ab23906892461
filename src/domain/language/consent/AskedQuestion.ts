/** The words of a question that an answer may repeat, in one language. */
import type { Language } from "./ConsentLanguage.js"
import * as Memo from "../../base/Memo.js"
import type { Lexicon } from "./Lexicon.js"
import { type Token, tokensOf } from "./Tokens.js"

export interface QuestionWord extends Token {
  readonly sentence: number
  /** The part of the sentence between joining words. */
  readonly part: number
  readonly role: "action" | "thing" | "other"
  /** True if an answer may repeat it only beside something that the question asks about. */
  readonly isAside: boolean
  /** True if an answer may repeat it only as a part of what the question asks about: "travel" in "travel certificate". */
  readonly isFar: boolean
  /** True if it is of a sentence that asks. */
  readonly asks: boolean
  /** True if it is of a sentence that offers something else. */
  readonly isOther: boolean
  /** True for the action of a sentence that does not ask, as in "I can move it". */
  readonly isOffered: boolean
  /** True for a form of a verb in the past: "charged". */
  readonly isPast: boolean
  /** True if the word before it denies it: "no insurance". */
  readonly isDenied: boolean
}

export interface AskedQuestion {
  readonly words: ReadonlyArray<QuestionWord>
  readonly texts: ReadonlyArray<string>
  /** The places of the words that a word of an answer repeats. */
  readonly placesOf: (text: string) => ReadonlyArray<number>
  /** Number of the words that the language has. */
  readonly known: number
  /** Words of agreement that the question offers: "approve" in "Approve or decline?". */
  readonly offered: ReadonlySet<string>
  /** The things that the sentences that ask name, and the small words shortly before them. */
  readonly things: ReadonlySet<string>
  readonly circumstances: ReadonlySet<string>
  /** The sentences with several actions, each of which may have things of its own. */
  readonly actsTwice: ReadonlySet<number>
  /** True if the sentences that ask name a thing. */
  readonly names: boolean
  /** True if the sentences that ask name something with a digit. */
  readonly hasDigits: boolean
}

interface Sentence {
  readonly tokens: ReadonlyArray<Token>
  /** Number of the words that the language has. */
  readonly known: number
  readonly parts: ReadonlyArray<number>
  readonly roles: ReadonlyArray<QuestionWord["role"]>
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
}

const line = /^\s*(?:[-*•–]|\d+[.)])\s|^[^.?!]{1,40}:\s/u

const sentenceOf = (text: string, lexicon: Lexicon): Sentence => {
  const { language, words } = lexicon
  const tokens = tokensOf(text)
  const known: Array<"word" | "joins" | "links" | "agrees" | "refuses" | "denies" | "phrase"> = []
  for (let at = 0; at < tokens.length;) {
    const phrase = lexicon.phraseAt(tokens, at)
    const { text } = tokens[at]!
    if (phrase === undefined || (words.joins.has(text) && phrase.words.length === 1)) {
      known.push(words.joins.has(text) ? "joins" : words.links.has(text) || words.prepositions.has(text) ? "links" : "word")
      at++
    } else {
      const { kind } = phrase
      for (const _ of phrase.words) known.push(kind === "agrees" || kind === "refuses" || kind === "denies" ? kind : "phrase")
      at += phrase.words.length
    }
  }
  let part = 0
  const parts = tokens.map((_, i) => known[i] === "joins" ? ++part : part)
  const forms = tokens.map(({ text }, i) => known[i] === "agrees" || words.generic.has(text) ? undefined : lexicon.verbForm(text))
  const requested = lexicon.requests(tokens)
  const asks = /[?？؟]/u.test(text) || requested.size > 0
  const willHappen = (at: number) => tokens.slice(Math.max(0, at - 4), at).some(({ text }) => words.future.has(text))
  // The verb of each part: the last one in a language with the verb at the end, else the first one.
  const verbs = new Map<number, number>()
  forms.forEach((form, i) => {
    if (form !== undefined && (language.verbLast === true || !verbs.has(parts[i]!))) verbs.set(parts[i]!, i)
  })
  const isAction = (i: number): boolean => {
    if (forms[i] === undefined) return false
    if (forms[i] === "past") return willHappen(i)
    if (words.future.has(tokens[i - 1]?.text ?? "")) return true
    if (verbs.get(parts[i]!) !== i) return false
    if (language.verbLast === true || parts[i] === 0) return true
    const before = known.slice(parts.indexOf(parts[i]!), i)
    // "and the booking" names a thing, "and keep the booking" and "and proceed with the booking" an action.
    return before.includes("agrees") || before.every((kind, j) =>
      kind !== "word" && kind !== "links" || words.generic.has(tokens[i - before.length + j]!.text)
    )
  }
  const roles = tokens.map(({ text }, i): QuestionWord["role"] =>
    isAction(i) ? "action" : known[i] === "word" && forms[i] !== "past" && !requested.has(i) && !words.generic.has(text) ? "thing" : "other"
  )
  const offered = tokens.flatMap(({ text }, i) =>
    known[i + 2] === "refuses" && words.or.has(tokens[i + 1]!.text) ? [text] : []
  )
  const hasAction = roles.includes("action")
  return {
    tokens,
    known: known.filter((kind) => kind !== "word").length,
    parts,
    roles,
    listed: forms.map((form) => form === "listed"),
    pasts: forms.map((form) => form === "past"),
    denied: tokens.map((_, i) => known[i - 1] === "refuses" || known[i - 1] === "denies"),
    nouns: tokens.map((_, i) => forms[i] !== undefined && i > 0 && words.links.has(tokens[i - 1]!.text)),
    offered,
    asks,
    tells: hasAction && tokens.some(({ text }) => words.future.has(text)),
    lists: line.test(text),
    leadsTo: /:\s*$/u.test(text),
    isOther: tokens.some(({ text }) => words.or.has(text)),
    hasAction
  }
}

const sentenceEnd = /(?<=[.!?؟…])(?<!\b(?:Drs?|Mrs?|Ms|Sr|Sra|St|Prof|Mme|Mlle|Sig|No|Nr)\.)\s+/u

/** The end of an announcement: "I can offer the following: …". A label of a few words belongs to its value. */
const announced = /(?<=^(?!\s*[-*•])(?:\S{1,40}\s){3,12}\S{1,40}:)\s/u

const sentencesIn = (text: string, { ordinals = false }: Language): ReadonlyArray<string> =>
  text.split(/\n+/u).flatMap((one) =>
    one.replace(/^\s*\d{1,3}[.)]\s/u, "- ").split(
      ordinals ? /(?<=[.!?؟…])(?<!\b\d{1,2}\.)(?<!\b(?:Dr|Hr|Fr|Nr|Prof|St)\.)\s+/u : sentenceEnd
    )
  ).flatMap((one) => one.split(announced)).filter((one) => one.trim() !== "")

/** The sentences that ask, with the list that one of them leads to; else the last sentence that names something. */
const askingOf = (read: ReadonlyArray<Sentence>): ReadonlySet<Sentence> => {
  const last = read.findLast(({ roles }) => roles.some((role) => role !== "other"))
  if (!read.some(({ asks }) => asks)) return new Set(last === undefined ? [] : [last])
  const asking = new Set<Sentence>()
  read.forEach((sentence, i) => {
    const before = read[i - 1]
    const follows = before !== undefined && asking.has(before) &&
      (before.leadsTo || (sentence.lists && before.lists))
    if (sentence.asks || follows) asking.add(sentence)
  })
  return asking
}

/**
 * Reads the words of a question. If the sentences that ask name what they are about, the others add only what will
 * happen, and what belongs to the named things; otherwise the others name it.
 */
const make = (text: string, lexicon: Lexicon): AskedQuestion => {
  const read = sentencesIn(text, lexicon.language).map((one) => sentenceOf(one, lexicon))
  const asking = askingOf(read)
  const has = (role: QuestionWord["role"]) => Array.from(asking).some(({ roles }) => roles.includes(role))
  const acts = has("action")
  // "I will move it to Thursday. Does that suit you?" asks about what the other sentences will do.
  const names = has("thing") && (acts || !read.some(({ hasAction }) => hasAction))
  const says = ({ hasAction, lists, tells }: Sentence) => tells || lists || hasAction
  const isRead = (sentence: Sentence): boolean => {
    if (asking.has(sentence)) return true
    if (!acts && !names) return !(has("thing") && sentence.isOther) && (says(sentence) || !read.some(says))
    return !sentence.isOther && (!names || sentence.tells || sentence.lists)
  }
  const words = read.flatMap((sentence, place) => {
    const asks = asking.has(sentence)
    const isFar = !isRead(sentence)
    return sentence.tokens.map((token, i): QuestionWord => {
      const noun = !asks && acts && sentence.nouns[i] === true && !sentence.tells
      const isOwn = asks || sentence.tells || (!acts && (!sentence.lists || sentence.listed[i] === true))
      const role = sentence.roles[i] === "action" && (noun || !isOwn) ? "thing" : sentence.roles[i]!
      const isAside = isFar || (!asks && names && role !== "action")
      const [isPast, isDenied] = [sentence.pasts[i]!, sentence.denied[i]!]
      const { isOther, parts } = sentence
      const isOffered = !asks && !isOther && sentence.roles[i] === "action" && sentence.nouns[i] !== true && !sentence.lists
      return { ...token, role, isOffered, isAside, isFar, asks, isOther, isPast, isDenied, sentence: place, part: parts[i]! }
    })
  })
  const texts = words.map(({ text }) => text)
  const places = new Map<string, Array<number>>()
  texts.forEach((text, place) => {
    const all = places.get(text)
    if (all === undefined) places.set(text, [place])
    else all.push(place)
  })
  const find = (text: string): ReadonlyArray<number> => {
    const all = Array.from(places.values()).flatMap((all) => {
      const word = words[all[0]!]!
      const isThing = lexicon.isSameThing(text, word)
      const isVerb = (place: number) => {
        const { isOffered, isPast, role } = words[place]!
        return role === "action" || isPast || isOffered
      }
      const isAction = all.some(isVerb) && lexicon.isSameAction(text, word.text)
      return isThing || isAction ? all.filter((place) => isVerb(place) ? isAction : isThing) : []
    })
    // A few places are enough in a long question.
    return [...all.filter((place) => words[place]!.asks), ...all.filter((place) => !words[place]!.asks)].slice(0, 40)
      .sort((a, b) => a - b)
  }
  const isThing = ({ asks, role }: QuestionWord) => asks && role === "thing"
  const acting = words.filter(({ role }) => role === "action")
  const found = new Map<string, ReadonlyArray<number>>()
  return {
    words,
    texts,
    placesOf: (text) => {
      const all = found.get(text) ?? find(text)
      found.set(text, all)
      return all
    },
    things: new Set(words.filter(isThing).map(({ text }) => text)),
    circumstances: new Set(texts.filter((_, i) => words[i]!.asks && words.slice(i + 1, i + 4).some(isThing))),
    actsTwice: new Set(
      acting.flatMap(({ part, sentence }, i) =>
        acting[i - 1]?.sentence === sentence && acting[i - 1]!.part !== part ? [sentence] : []
      )
    ),
    names,
    known: read.reduce((sum, { known }) => sum + known, 0),
    offered: new Set(read.flatMap(({ offered }) => offered)),
    hasDigits: words.some(({ asks, role, text }) => asks && role !== "other" && /\p{N}/u.test(text))
  }
}

const questions = Memo.weak((_: Lexicon) => Memo.lru<AskedQuestion>(2))

/** The words of a question. Keeps the last ones: each answer is read several times. */
export const readQuestion = (text: string, lexicon: Lexicon): AskedQuestion =>
  questions(lexicon)(text, () => make(text, lexicon))

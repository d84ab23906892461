/** The words of a question that an answer may repeat, in one language. */
import * as Memo from "../../../base/Memo.js"
import type { Language } from "../ConsentLanguage.js"
import type { Lexicon } from "../Lexicon.js"
import type { Token } from "../Tokens.js"
import { type Role, type Sentence, sentenceOf } from "./AskedSentence.js"

export interface QuestionWord extends Token {
  readonly sentence: number
  /** The part of the sentence between joining words. */
  readonly part: number
  readonly role: Role
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
  /** True if it says when, where or for how much: "to Tuesday". */
  readonly isCircumstance: boolean
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
  readonly offered: ReadonlyArray<string>
  /** The things that the sentences that ask name, and the small words shortly before them. */
  readonly things: ReadonlySet<string>
  readonly circumstances: ReadonlySet<string>
  /** The sentences with several actions, each of which may have things of its own. */
  readonly actsTwice: ReadonlySet<number>
  /** True if a sentence joins several things, or some stand in a list. */
  readonly isSeveral: boolean
  /** True if the sentences that ask name a thing. */
  readonly names: boolean
  /** True if the sentences that ask have an action. */
  readonly acts: boolean
  /** True if all its actions give the user something. */
  readonly makes: boolean
  /** The places of the things that its actions take from the user: those beside the action, else all. */
  readonly taken: ReadonlySet<number>
  /** True if the sentences that ask name something with a digit. */
  readonly hasDigits: boolean
}

const sentenceEnd = /(?<=[.!?؟…])(?<!\b(?:Drs?|Mrs?|Ms|Sr|Sra|St|Prof|Mme|Mlle|Sig|No|Nr)\.)\s+/u

/** Splits after an announcement: "I can offer the following: …". A label of a few words belongs to its value. */
const announced = (text: string): ReadonlyArray<string> => {
  if (/^\s*[-*•]/u.test(text)) return [text]
  const words = text.split(/\s/u, 13)
  const at = words.findIndex((word, i) => i >= 3 && word.endsWith(":"))
  const length = words.slice(0, at + 1).reduce((sum, word) => sum + word.length + 1, 0)
  return at < 0 ? [text] : [text.slice(0, length), text.slice(length)]
}

const sentencesIn = (text: string, { ordinals = false }: Language): ReadonlyArray<string> =>
  text.split(/\n+/u).flatMap((one) =>
    one.replace(/^\s*\d{1,3}[.)]\s/u, "- ").split(
      ordinals ? /(?<=[.!?؟…])(?<!\b\d{1,2}\.)(?<!\b(?:Dr|Hr|Fr|Nr|Prof|St)\.)\s+/u : sentenceEnd
    )
  ).flatMap(announced).filter((one) => one.trim() !== "")

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

/** The part of the question that the sentences that ask leave to the others. */
interface Scope {
  readonly asking: ReadonlySet<Sentence>
  readonly acts: boolean
  readonly names: boolean
  /** True if an answer may repeat the words of a sentence. */
  readonly isRead: (sentence: Sentence) => boolean
}

/**
 * If the sentences that ask name what they are about, the others add only what will happen, and what belongs to the
 * named things; otherwise the others name it.
 */
const scopeOf = (read: ReadonlyArray<Sentence>): Scope => {
  const asking = askingOf(read)
  const has = (role: Role) => Array.from(asking).some(({ roles }) => roles.includes(role))
  const acts = has("action")
  // "Do you want to proceed with the upgrade?" names no thing besides the action.
  const isNamed = ({ nouns, roles }: Sentence) => roles.some((role, i) => role === "thing" && (acts || !nouns[i]))
  const hasThing = Array.from(asking).some(isNamed)
  // "I will move it to Thursday. Does that suit you?" asks about what the other sentences will do.
  // "Shall I reserve it under Carter?" leaves to the other sentences what "it" is.
  const isOpen = Array.from(asking).some(({ refersBack }) => refersBack)
  const names = hasThing && !isOpen && (acts || !read.some(({ hasAction }) => hasAction))
  const says = ({ hasAction, lists, tells }: Sentence) => tells || lists || hasAction
  const isSilent = !read.some(says)
  const adds = (sentence: Sentence) =>
    acts || names
      ? !sentence.isOther && (!names || sentence.tells || sentence.lists)
      : !(hasThing && sentence.isOther) && (says(sentence) || isSilent)
  return { asking, acts, names, isRead: (sentence) => asking.has(sentence) || adds(sentence) }
}

const wordsOf = (
  sentence: Sentence,
  place: number,
  { acts, asking, isRead, names }: Scope
): ReadonlyArray<QuestionWord> => {
  const { circumstances, denied, isOther, listed, lists, nouns, parts, pasts, roles, tells, tokens } = sentence
  const asks = asking.has(sentence)
  const isFar = !isRead(sentence)
  // Of a sentence that does not ask, an action counts if it will happen, or if no sentence asks for one.
  const isOwn = (i: number) => asks || tells || (!acts && (!lists || listed[i] === true))
  return tokens.map((token, i) => {
    const isAction = roles[i] === "action"
    const role = isAction && !isOwn(i) ? "thing" : roles[i]!
    return {
      ...token,
      role,
      isFar,
      isAside: isFar || (!asks && names && role !== "action"),
      isOffered: !asks && !isOther && !lists && isAction && nouns[i] !== true,
      asks,
      isOther,
      isPast: pasts[i]!,
      isCircumstance: circumstances[i]!,
      isDenied: denied[i]!,
      sentence: place,
      part: parts[i]!
    }
  })
}

/** A few places of a word are enough in a long question. */
const enough = 40

const append = <A>(lists: Map<string, Array<A>>, key: string, one: A): void => {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [one])
  else list.push(one)
}

/** Finds the places of the words that a word of an answer repeats. */
const placing = (words: ReadonlyArray<QuestionWord>, lexicon: Lexicon): AskedQuestion["placesOf"] => {
  const places = new Map<string, Array<number>>()
  words.forEach(({ text }, place) => append(places, text, place))
  const [things, actions] = [new Map<string, Array<string>>(), new Array<string>()]
  const isVerb = (place: number) => {
    const { isOffered, isPast, role } = words[place]!
    return role === "action" || isPast || isOffered
  }
  for (const [text, all] of places) {
    for (const key of new Set(lexicon.keysOf(text))) append(things, key, text)
    if (all.some(isVerb)) actions.push(text)
  }
  const find = (text: string): ReadonlyArray<number> => {
    const same = lexicon.keysOf(text).flatMap((key) => things.get(key) ?? []).filter((one) =>
      lexicon.isSameThing(text, words[places.get(one)![0]!]!)
    )
    const acts = actions.filter((one) => lexicon.isSameAction(text, one))
    const all = [
      ...Array.from(new Set(same)).flatMap((one) => places.get(one)!.filter((place) => !isVerb(place))),
      ...acts.flatMap((one) => places.get(one)!.filter(isVerb))
    ]
    const asks = (place: number) => words[place]!.asks
    return [...all.filter(asks), ...all.filter((place) => !asks(place))].slice(0, enough).sort((a, b) => a - b)
  }
  const found = new Map<string, ReadonlyArray<number>>()
  return (text) => {
    const all = found.get(text) ?? find(text)
    found.set(text, all)
    return all
  }
}

const isSeveral = (read: ReadonlyArray<Sentence>, { words }: Lexicon): boolean =>
  read.filter(({ lists }) => lists).length > 1 ||
  read.some(({ parts, tokens }) =>
    tokens.some(({ text }) => text === "2" || words.two.has(text)) ||
    (parts.at(-1)! > 0 && !tokens.some(({ text }) => words.or.has(text)))
  )

const takenIn = (words: ReadonlyArray<QuestionWord>, { isTaking }: Lexicon): AskedQuestion["taken"] => {
  const takes = words.filter(({ role, text }) => role === "action" && isTaking(text))
  if (takes.length === 0) return new Set()
  const clauses = words.reduce<Array<Array<number>>>((all, { gap, sentence }, place) => {
    if (gap === "none" && words[place - 1]?.sentence === sentence) all.at(-1)!.push(place)
    else all.push([place])
    return all
  }, [])
  const isThing = (place: number) => words[place]!.role === "thing" && !words[place]!.isCircumstance
  const acting = clauses.filter((clause) => clause.some((place) => takes.includes(words[place]!)))
  const beside = acting.flat().filter(isThing)
  return new Set(beside.length > 0 ? beside : clauses.flat().filter(isThing))
}

const make = (text: string, lexicon: Lexicon): AskedQuestion => {
  const read = sentencesIn(text, lexicon.language).map((one) => sentenceOf(one, lexicon))
  const scope = scopeOf(read)
  const words = read.flatMap((sentence, place) => wordsOf(sentence, place, scope))
  const isThing = ({ asks, role }: QuestionWord) => asks && role === "thing"
  const acting = words.filter(({ role }) => role === "action")
  const texts = words.map(({ text }) => text)
  return {
    words,
    texts,
    placesOf: placing(words, lexicon),
    things: new Set(words.filter(isThing).map(({ text }) => text)),
    circumstances: new Set(texts.filter((_, i) => words[i]!.asks && words.slice(i + 1, i + 4).some(isThing))),
    actsTwice: new Set(
      acting.flatMap(({ part, sentence }, i) =>
        acting[i - 1]?.sentence === sentence && acting[i - 1]!.part !== part ? [sentence] : []
      )
    ),
    isSeveral: isSeveral(read.filter((one) => !scope.names || scope.asking.has(one)), lexicon),
    names: scope.names,
    acts: scope.acts,
    makes: acting.every(({ text }) => lexicon.isMaking(text)),
    taken: takenIn(words, lexicon),
    known: read.reduce((sum, { known }) => sum + known, 0),
    offered: read.flatMap(({ offered }) => offered),
    hasDigits: words.some(({ asks, role, text }) => asks && role !== "other" && /\p{N}/u.test(text))
  }
}

/** The number of characters that are read at each end of a long question. */
const read = 1_500

/** An answer repeats nothing of the middle of a long question, so that the time to read it has a limit. */
const ends = (text: string): string => text.length <= 2 * read ? text : `${text.slice(0, read)}\n${text.slice(-read)}`

const questions = Memo.weak((_: Lexicon) => Memo.lru<AskedQuestion>(2))

/** The words of a question. Keeps the last ones: each answer is read several times. */
export const readQuestion = (text: string, lexicon: Lexicon): AskedQuestion =>
  questions(lexicon)(text, () => make(ends(text), lexicon))

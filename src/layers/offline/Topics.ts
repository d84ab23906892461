/** Compares texts: reduces each to a set of concepts. */
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import * as When from "../../domain/definition/When.js"
import { gloss } from "./Gloss.js"
import type { Word } from "./Words.js"
import { stemOf, stopWords, withJoinedVerbs, wordSet, wordsOf } from "./Words.js"

/** The concepts of a text. A denied concept ("not", "without") starts with `-`. */
export type Concepts = ReadonlySet<string>

/** Words of the same intent; maps each stem to the first one. */
const synonyms: ReadonlyMap<string, string> = new Map(
  [
    "cancel cancellation forget nevermind abort scrap withdraw",
    "book reserve reservation",
    "open close hours schedule",
    "help human agent assistant representative operator support",
    "price cost rate fee expensive cheap cheaper cheapest",
    "yes confirm agree accept approve affirm",
    "no decline refuse reject disagree deny",
    "hello hi hey greet greeting welcome",
    "thanks thank thx",
    "goodbye bye farewell ciao cheerio",
    "change modify edit alter reschedule",
    "buy purchase",
    "angry furious upset annoyed frustrated unacceptable awful terrible complain complaint"
  ].flatMap((group) => {
    const stems = group.split(" ").map(stemOf)
    return stems.map((stem): [string, string] => [stem, stems[0] ?? stem])
  })
)

/** True for a word of a common intent; such a word is not the value of a field. */
export const isIntent = (word: Word): boolean => synonyms.has(word.stem)

interface Phrase {
  readonly words: ReadonlyArray<string>
  /** Undefined for phrases without the meaning of their words: "no idea" is not a no. */
  readonly concept: string | undefined
}

const phrasesOf = (table: ReadonlyArray<readonly [concept: string | undefined, said: string]>): ReadonlyArray<Phrase> =>
  table.flatMap(([concept, said]) =>
    said.split(", ").map((phrase) => ({
      words: phrase.split(" "),
      concept: concept === undefined ? undefined : stemOf(concept)
    }))
  )

const phrases = phrasesOf([
  ["cancel", "never mind, call off, call it off, back out, changed my mind"],
  ["cancel", "give up, gives up, giving up, wants to stop, wants to quit"],
  ["goodbye", "good bye, wants to leave, wants nothing more, wants nothing else, need nothing more, need nothing else"],
  ["goodbye", "don't need anything else, ends the conversation, end the conversation, leaves the conversation"],
  ["price", "how much"],
  ["available", "anything free, something free, anything left, something left, anything available, still free"],
  ["available", "got anything, have anything, got something, have something, any vacancies, any availability"],
  ["location", "where are you, where you are, where we are, where exactly are you, where exactly you are"],
  ["help", "real person, to someone, to somebody, to a person, with a person"],
  ["help", "want a person, wants a person, need a person, needs a person, get a person, want somebody, wants somebody"],
  ["help", "ask for a person, asks for a person, ask for somebody, asks for somebody"],
  ["ability", "what can you do, what you can do, what we can do, what do you do, what can i do, what can i ask"],
  ["ability", "how can you help, how do you work, how does this work, how this works, who are you, what are you"],
  ["yes", "go ahead, sounds good, of course, no problem, no problems, not a problem, no objection, no objections"],
  [undefined, "no worries, no idea, no matter, no rush, no hurry, no doubt, no one, not only, not sure, don't know"],
  [undefined, "don't care, don't mind, doesn't matter, no preference, under way, in progress"]
])

/**
 * Phrases that have this meaning only as a whole clause, with nothing but polite words around: "thanks, that's all".
 */
const clauses = phrasesOf([
  ["cancel", "stop it, stop this, stop that, stop, quit, i give up, leave it, drop it, let it be, let it go"],
  ["goodbye", "that's all, thats all, that is all, that will be all, that'll be all, that's it, thats it, that is it"],
  ["goodbye", "that's everything, that is everything, that's all i need, that's all i needed, that is all i need"],
  [
    "goodbye",
    "i'm done, i am done, we're done, we are done, i'm finished, see you, see ya, see you later, see you soon"
  ],
  [
    "goodbye",
    "see you then, see you tomorrow, take care, good night, have a nice day, have a good day, have a good one"
  ],
  ["goodbye", "have a nice evening, have a good evening, have a nice weekend, have a good weekend"]
])

/** Phrases that mean to cancel if they are denied: "I don't want it any more". */
const endingPhrases = phrasesOf([["cancel", "any more, anymore, any longer, longer"]])

const phraseAt = (among: ReadonlyArray<Phrase>, words: ReadonlyArray<Word>, index: number): Phrase | undefined =>
  among.find((phrase) => phrase.words.every((part, offset) => words[index + offset]?.norm === part))

const yesWords = wordSet(
  "yes yeah yep yup yea y sure absolutely definitely certainly correct right exactly true ok okay"
)
const noWords = wordSet("no nope nah n never negative false wrong incorrect")
const negations = wordSet("not never without dont doesnt cannot neither nor")
const interjections = wordSet("oh well um uh hm hmm ah so and please")

const isNegation = (norm: string) => negations.has(norm) || norm.endsWith("n't")

const spaced = (words: ReadonlyArray<Word>): string => `${words.map(({ norm }) => norm).join(" ")} `

/** Phrases at the beginning of an answer, checked before its first word. */
const openings = ([
  [true, "no problem, no problems, not a problem, no objection, no objections, why not"],
  [
    undefined,
    "no worries, no idea, no matter, no rush, no hurry, no one, no preference, not sure, not only, right now"
  ],
  [
    undefined,
    "i don't know, i don't care, i don't mind, don't know, don't care, don't mind, doesn't matter, never mind"
  ],
  [false, "i don't, of course not, that's wrong, that is wrong, that is not"],
  [true, "of course, go ahead, sounds good, that's right, that is right, that's correct, that is correct, looks good"],
  [true, "i do, i confirm"]
] as const).flatMap(([answer, said]) => said.split(", ").map((phrase) => ({ answer, phrase: spaced(wordsOf(phrase)) })))

/** Returns true for a text that begins as a yes, false for a no, else undefined. */
export const yesOrNo = (text: string): boolean | undefined => {
  const words = wordsOf(Excerpt.start(text, 300))
  const start = words.findIndex(({ norm }) => !interjections.has(norm))
  const [lead, next] = start < 0 ? [] : words.slice(start)
  if (lead === undefined) return undefined
  const set = openings.find(({ phrase }) => spaced(words.slice(start, start + 5)).startsWith(phrase))
  if (set !== undefined) return set.answer
  if (noWords.has(lead.norm) || isNegation(lead.norm)) return false
  return yesWords.has(lead.norm) ? next === undefined || !isNegation(next.norm) : undefined
}

/** Returns the position at which a denial ends: the end of its clause, or after a few words. */
const reachOf = (text: string, words: ReadonlyArray<Word>, index: number): number => {
  const { end } = words[index]!
  const stop = text.slice(end, end + 200).search(/[,.;!?]|\bbut\b/)
  return Math.min(stop < 0 ? Infinity : end + stop, words[index + 6]?.at ?? Infinity)
}

const conceptAt = ({ norm, stem }: Word, denied: boolean): string | undefined => {
  const concept = norm === "yes" ? norm : synonyms.get(stem) ?? stem
  if (norm !== "yes" && (stopWords.has(norm) || yesWords.has(norm) || noWords.has(norm))) return undefined
  if (concept === "yes" || concept === "no") return (concept === "yes") !== denied ? "yes" : "no"
  return denied ? `-${concept}` : concept
}

const isBareNo = (text: string, { end, norm }: Word): boolean =>
  norm === "no" && /^\s{0,9}(?:[,.!;]|$)/.test(text.slice(end, end + 10))

const polite = wordSet(
  "thanks thank you ok okay great alright bye then now for today please and i'll we'll i think so well oh"
)

/** True if only polite words stand between the word at `index` and the beginning of its clause. */
const begins = (text: string, words: ReadonlyArray<Word>, index: number): boolean => {
  let at = index
  const follows = () => at > 0 && !/[,.;:!?\n]/.test(text.slice(words[at - 1]!.end, words[at]!.at))
  while (follows() && polite.has(words[at - 1]!.norm)) at--
  return !follows()
}

/**
 * True if only polite words stand between the word at `index` and the end of its clause, and the clause is no question.
 */
const ends = (text: string, words: ReadonlyArray<Word>, index: number): boolean => {
  let at = index
  const gap = () => text.slice(words[at]!.end, words[at + 1]?.at ?? text.length)
  const isLast = () => at === words.length - 1 || /[,.;:!?\n]/.test(gap())
  while (!isLast() && polite.has(words[at + 1]!.norm)) at++
  return isLast() && !gap().includes("?")
}

const written = (phrase: Phrase, words: ReadonlyArray<Word>, index: number): boolean =>
  phrase.words.every((part, offset) => words[index + offset]?.text.toLowerCase().replace("’", "'") === part)

/** Returns the phrase that is the whole clause beginning at `index`. */
const clauseAt = (text: string, words: ReadonlyArray<Word>, index: number): Phrase | undefined => {
  const found = clauses.filter((phrase) => written(phrase, words, index))
  if (found.length === 0 || !begins(text, words, index)) return undefined
  return found.find((phrase) => ends(text, words, index + phrase.words.length - 1))
}

const phraseFrom = (text: string, words: ReadonlyArray<Word>, index: number, denied: boolean): Phrase | undefined =>
  phraseAt(phrases, words, index) ?? (denied ? phraseAt(endingPhrases, words, index) : clauseAt(text, words, index))

/**
 * Matches a question for what was done or what there is, up to the word for it: "what did I book", "which rooms have I
 * booked", "do I have a booking". It is no request to do it.
 */
const review =
  /\b(?:(?:what|which)(?: \w{1,15})? (?:did|have|has|had|was|were)(?: (?:i|we|been|already))?|(?:do|did) (?:i|we) (?:already )?have (?:a|an|any|some|my)|(?:what|which) (?:\w{1,15} )?do (?:i|we) have) $/i

/** Returns the concepts of the words, in order; undefined for a word without a concept. */
const saidBy = (said: string): ReadonlyArray<string | undefined> => {
  const text = withJoinedVerbs(said)
  const words = wordsOf(text)
  const found: Array<string | undefined> = []
  let deniedUntil = -1
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const denied = word.at < deniedUntil
    const phrase = phraseFrom(text, words, index, denied)
    if (phrase !== undefined) {
      found.push(phrase.concept)
      index += phrase.words.length - 1
    } else if (isBareNo(text, word)) found.push("no")
    else if (word.norm === "no" || isNegation(word.norm)) deniedUntil = reachOf(text, words, index)
    else {
      const concept = conceptAt(word, denied)
      const isReview = concept !== undefined && review.test(text.slice(Math.max(0, word.at - 50), word.at))
      found.push(isReview ? `past ${concept}` : concept)
    }
  }
  return found
}

export const conceptsOf = (written: string): Concepts => {
  const text = gloss(written)
  const answer = yesOrNo(text)
  const said = [answer === undefined ? undefined : answer ? "yes" : "no", ...saidBy(text)]
  const concepts = new Set(said.filter((concept) => concept !== undefined))
  // "help me book" is a wish to book.
  if (concepts.size > 1 && /\bhelp (?:me|us|with)\b/i.test(text)) concepts.delete("help")
  return concepts
}

const wish = /\b(?:want|need|like|have|get|make)\s+(?:an?|another|some|one)\s+([\p{L}\s'’-]{1,60})/giu

/** Matches a message that names a thing and nothing else: "Hello, a room in Lisbon, please". */
const bareWish = /^(?:(?:hi|hello|hey|please)[,!.]? )?(?:an?|another|one|some) ([\p{L}\s'’-]{1,60})[^?]*$/giu

const wishes = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(wish), ...text.trim().matchAll(bareWish)].map(({ 1: thing = "" }) => thing)

/** Returns the concepts of the things that a message wishes for without saying what to do with them. */
export const wishedIn = (text: string): Concepts => new Set(wishes(text).flatMap((thing) => [...conceptsOf(thing)]))

/** Returns the concepts of each thing that a message wishes for, up to where, when and for whom. */
export const wishedThings = (text: string): ReadonlyArray<Concepts> =>
  wishes(text).flatMap((thing) => {
    const words = wordsOf(thing)
    const end = words.find(({ norm }) => stopWords.has(norm))?.at
    const concepts = conceptsOf(end === undefined ? thing : thing.slice(0, end))
    return concepts.size > 0 ? [concepts] : []
  })

const getting = /\b(?:wants?|wish(?:es)?|needs?|likes?|asks?) to (?:book|buy|get|make|order|rent|reserve|schedule)\b/i

/** True if a description names the thing that it is about getting: "wants to book a table". */
export const getsThing = (text: string): boolean => getting.test(text)

/**
 * Returns which of these descriptions are about getting a thing: those with a verb for it ("wants to book a table"), else
 * those that name only the thing ("wants an appointment").
 */
export const aboutGetting = <A>(described: ReadonlyArray<A>, textOf: (one: A) => string): ReadonlyArray<A> => {
  const withVerb = described.filter((one) => getsThing(textOf(one)))
  return withVerb.length > 0
    ? withVerb
    : described.filter((one) => wishedIn(textOf(one).replace(/\b(want|need|like)s\b/gi, "$1")).size > 0)
}

/** The verbs that a wish for a thing may mean: to book, buy or open it. */
export const acquiring: ReadonlyArray<string> = ["book", "buy", "open"].map(stemOf)

/** The alternatives of a description: "wants to cancel or forget the booking" has two. The subject is ignored. */
export const alternatives = (entry: string): ReadonlyArray<Concepts> =>
  entry.split(/\bor\b|[,;/—()]/i).map(conceptsOf).filter((chunk) => chunk.size > 0)

const share = (message: Concepts, chunk: Concepts): number =>
  ["yes", "no"].some((answer) => chunk.has(answer) && message.has(answer))
    ? 1
    : [...chunk].filter((concept) => message.has(concept)).length / chunk.size

/** The share of a description that the message covers, from 0 to 1, for its best alternative. */
export const coverage = (message: Concepts, entry: string): number =>
  Math.max(0, ...alternatives(entry).map((chunk) => share(message, chunk)))

const courtesies = new Set(["yes", "no", "thank", "hello"].map(stemOf))

const intents = new Set([...synonyms.values()].filter((concept) => !courtesies.has(concept)))

/** True if the message says only what an entry of the `when` describes, and names an intent: "can I talk to a person". */
export const isWholly = (message: Concepts, when: ReadonlyArray<string>): boolean => {
  const said = [...message].filter((concept) => !courtesies.has(concept))
  return said.some((concept) => intents.has(concept)) &&
    When.parse(when).any.flatMap(alternatives).some((chunk) => said.every((concept) => chunk.has(concept)))
}

/** Evaluates a `when`: whether it holds, and the entry that decided. */
export const holds = (
  message: Concepts,
  when: ReadonlyArray<string>
): { readonly matched: boolean; readonly entry?: string } => {
  const covers = (entry: string) => coverage(message, entry) >= 0.6
  const { all, any, none } = When.parse(when)
  const excluded = none.find(covers)
  if (excluded !== undefined) return { matched: false, entry: excluded }
  if (!all.every(covers)) return { matched: false }
  const entry = any.length > 0 ? any.find(covers) : all[0]
  // A condition that has only exclusions holds for everything that it does not exclude.
  if (any.length + all.length === 0 && none.length > 0) return { matched: true }
  return entry === undefined ? { matched: false } : { matched: true, entry }
}

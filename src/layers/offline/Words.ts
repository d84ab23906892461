/**
 * Words of a text, and what they are about: the part of the offline model that compares two texts.
 *
 * @since 0.1.0
 */
import * as When from "../../domain/When.js"

/**
 * A word as written (`text`, at `at` up to `end`), in lower case (`norm`), and without its ending (`stem`).
 *
 * @internal
 */
export interface Word {
  readonly text: string
  readonly norm: string
  readonly stem: string
  readonly at: number
  readonly end: number
}

const irregular: ReadonlyMap<string, string> = new Map([
  ["people", "person"],
  ["children", "child"],
  ["kids", "child"],
  ["kid", "child"],
  ["forgot", "forget"],
  ["forgotten", "forget"],
  ["paid", "pay"],
  ["bought", "buy"],
  ["left", "leave"],
  ["spoke", "speak"]
])

const endings = ["ations", "ation", "ements", "ement", "ments", "ment", "ings", "ing", "edly", "ed", "ers", "er", "ly"]

/**
 * A light stemmer: `cancelled`, `cancellation` and `cancel` come out the same. Stems are keys, not words.
 *
 * @internal
 */
export const stemOf = (word: string): string => {
  let stem = irregular.get(word) ?? word.replaceAll("-", "")
  if (stem.endsWith("ies") && stem.length > 4) stem = `${stem.slice(0, -3)}y`
  else if (stem.endsWith("s") && !stem.endsWith("ss") && stem.length > 3) stem = stem.slice(0, -1)
  const ending = endings.find((end) => stem.endsWith(end) && stem.length - end.length >= 3)
  if (ending !== undefined) stem = stem.slice(0, -ending.length)
  if (stem.endsWith("e") && stem.length > 3) stem = stem.slice(0, -1)
  if (stem.endsWith("y") && stem.length > 2) stem = `${stem.slice(0, -1)}i`
  return stem.length > 2 && stem.at(-1) === stem.at(-2) ? stem.slice(0, -1) : stem
}

const pattern = /\d+(?:[.,]\d+)+|[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*/gu

/**
 * The words of a text, in order.
 *
 * @internal
 */
export const wordsOf = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(pattern), (match) => {
    const norm = match[0].toLowerCase().replaceAll("’", "'").replace(/'s$/, "")
    return { text: match[0], norm, stem: stemOf(norm), at: match.index, end: match.index + match[0].length }
  })

/**
 * The words of an identifier: `checkInDate` and `check_in_date` are `check in date`.
 *
 * @internal
 */
export const identifierWords = (name: string): string =>
  name.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").replace(/[_\-.]+/g, " ").toLowerCase()

const set = (words: string): ReadonlySet<string> => new Set(words.split(" "))

/**
 * Words that say nothing about what a text is about, and the words in which flows are described ("the guest wants to …").
 *
 * @internal
 */
export const stopWords: ReadonlySet<string> = set(
  "a an the this that these those some any each all both either neither such same other another " +
    "i i'm i'd i'll i've me my mine myself we we're we'd we'll us our you you're your yours he she it it's its they " +
    "them their theirs his her him who whom whose what which when where why how there here " +
    "is am are was were be been being do does did doing done has have had having will would shall should can could may " +
    "might must let let's get gets got go goes going gonna make makes made take takes give gives put come comes " +
    "and or but so if then than as at by for from in into of off on onto out over to too up with within about around " +
    "just only also really very quite please maybe perhaps actually well ok okay oh hm hmm um uh ah " +
    "want wants wanted wanting wanna wish wishes like likes need needs needed love looking look ask asks asked asking " +
    "say says said tell tells talk talks mention mentions know knows think thinks inquire inquires enquire enquires " +
    "guest guests user users customer customers caller callers client clients visitor visitors person someone somebody " +
    "anyone something anything message question questions information info details regarding concerning new"
)

/** Words that are the same intent, as stems, with the word that stands for them. */
const concepts: ReadonlyMap<string, string> = new Map(
  [
    "cancel cancellation forget nevermind abort scrap withdraw",
    "book reserve reservation room stay",
    "open close hours schedule",
    "help human agent assistant representative operator support",
    "price cost rate fee expensive cheap",
    "yes confirm agree accept approve affirm",
    "no decline refuse reject disagree deny",
    "hello hi hey greet greeting welcome",
    "thanks thank thx",
    "change modify edit alter reschedule",
    "buy purchase",
    "angry furious upset annoyed frustrated unacceptable awful terrible complain complaint"
  ].flatMap((group) => {
    const stems = group.split(" ").map(stemOf)
    return stems.map((stem): [string, string] => [stem, stems[0] ?? stem])
  })
)

const conceptOf = (stem: string): string => concepts.get(stem) ?? stem

/** Several words that mean one concept. */
const phrases: ReadonlyArray<{ readonly words: ReadonlyArray<string>; readonly concept: string }> = [
  ["cancel", "never mind", "call off", "call it off", "back out", "changed my mind"],
  ["checkin", "check in"],
  ["checkout", "check out"],
  ["price", "how much"],
  ["help", "real person", "to someone", "to somebody"],
  ["yes", "go ahead", "sounds good", "of course"]
].flatMap(([concept = "", ...said]) =>
  said.map((phrase) => ({ words: phrase.split(" "), concept: conceptOf(stemOf(concept)) }))
)

const yesWords = set(
  "yes yeah yep yup yea y sure absolutely definitely certainly correct right exactly true ok okay 👍"
)
const noWords = set("no nope nah n never negative false wrong incorrect")
const negations = set(
  "not never without don't dont doesn't doesnt didn't isn't aren't wasn't won't can't cannot neither nor"
)

/**
 * What the words of a text are about. A concept that is denied ("not", "without") starts with `-`.
 *
 * @internal
 */
export type Concepts = ReadonlySet<string>

const isNegation = (norm: string) => negations.has(norm) || norm.endsWith("n't")

/**
 * Whether a text begins as a yes or a no.
 *
 * @internal
 */
export const yesOrNo = (text: string): boolean | undefined => {
  const words = wordsOf(text)
  const lead = words.find(({ norm }) => !/^(?:oh|well|um|uh|hm+|ah|so|and|please)$/.test(norm))
  if (lead === undefined) return /👍|✅/u.test(text) ? true : /👎|❌/u.test(text) ? false : undefined
  const start = words.indexOf(lead)
  const begins = (phrase: string) => phrase.split(" ").every((word, index) => words[start + index]?.norm === word)
  if (["no problem", "not a problem", "why not"].some(begins)) return true
  if (noWords.has(lead.norm) || isNegation(lead.norm) || begins("i don't") || begins("of course not")) return false
  if (begins("not") || begins("absolutely not") || begins("that's wrong")) return false
  if (yesWords.has(lead.norm)) return words.length < 3 || !isNegation(words[start + 1]?.norm ?? "") ? true : false
  return ["of course", "go ahead", "sounds good", "that's right", "that's correct", "looks good", "i do", "i confirm"]
      .some(begins)
    ? true
    : undefined
}

/**
 * @internal
 */
export const conceptsOf = (text: string): Concepts => {
  const words = wordsOf(text)
  const found = new Set<string>()
  const answer = yesOrNo(text)
  if (answer !== undefined) found.add(answer ? "yes" : "no")
  let deniedUntil = -1
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!
    const phrase = phrases.find((said) => said.words.every((part, offset) => words[index + offset]?.norm === part))
    if (phrase !== undefined) {
      found.add(phrase.concept)
      index += phrase.words.length - 1
      continue
    }
    const rest = text.slice(word.end, word.end + 200)
    if (word.norm === "no" && /^\s*(?:[,.!;]|$)/.test(rest)) {
      found.add("no")
      continue
    }
    if (word.norm === "no" || isNegation(word.norm)) {
      // A denial reaches as far as its clause does, and not further than a few words.
      const stop = rest.search(/[,.;!?]|\bbut\b/)
      deniedUntil = Math.min(stop < 0 ? Infinity : word.end + stop, words[index + 6]?.at ?? Infinity)
      continue
    }
    const denied = word.at < deniedUntil
    if (denied && /^(?:anymore|longer)$/.test(word.norm)) found.add("cancel")
    if (denied && word.norm === "more" && words[index - 1]?.norm === "any") found.add("cancel")
    if (word.norm === "yes") found.add(denied ? "no" : "yes")
    if (stopWords.has(word.norm) || yesWords.has(word.norm) || noWords.has(word.norm)) continue
    const concept = conceptOf(word.stem)
    if (concept === "yes" || concept === "no") found.add((concept === "yes") !== denied ? "yes" : "no")
    else found.add(denied ? `-${concept}` : concept)
  }
  if (found.has("help") && found.size > 1 && /\bhelp (?:me|us|with)\b/i.test(text)) found.delete("help")
  return found
}

/**
 * Whether a concept is one of the common intents that no value of a field is called.
 *
 * @internal
 */
export const isIntent = (word: Word): boolean => concepts.has(word.stem)

/**
 * The alternatives of a description: "wants to cancel or forget the booking" is two. The subject is left out.
 *
 * @internal
 */
export const alternatives = (entry: string): ReadonlyArray<Concepts> =>
  entry.split(/\bor\b|[,;/—()]/i).map(conceptsOf).filter((chunk) => chunk.size > 0)

/**
 * How much of what is described the message says, from 0 to 1, at its best alternative.
 *
 * @internal
 */
export const coverage = (message: Concepts, entry: string): number =>
  Math.max(
    0,
    ...alternatives(entry).map((chunk) => {
      if (["yes", "no"].some((answer) => chunk.has(answer) && message.has(answer))) return 1
      let shared = 0
      for (const concept of chunk) if (message.has(concept)) shared++
      return shared / chunk.size
    })
  )

/**
 * Whether any entry of a `when` holds and none that excludes does; the entry that decided it.
 *
 * @internal
 */
export const holds = (
  message: Concepts,
  when: ReadonlyArray<string>
): { readonly matched: boolean; readonly entry?: string } => {
  const covers = (entry: string) => coverage(message, entry) >= 0.6
  const { any, none } = When.parse(when)
  const excluded = none.find(covers)
  if (excluded !== undefined) return { matched: false, entry: excluded }
  const entry = any.find(covers)
  // Only exclusions: whatever is not excluded holds.
  if (any.length === 0 && none.length > 0) return { matched: true }
  return entry === undefined ? { matched: false } : { matched: true, entry }
}

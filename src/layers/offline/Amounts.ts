/**
 * Assigns numbers to fields: by the unit after the number, by the label before it, and by the fields that are asked
 * for.
 */
import type { Claim, Message } from "./Claims.js"
import type { Mention } from "./Mentions.js"
import { matchesOf, overlaps } from "./Mentions.js"
import type { Amount } from "./Numbers.js"
import type { Reading } from "./Reading.js"
import type { Slot } from "./Slot.js"
import { isCurrency, isPeople, isUnit, unitOfName } from "./Slot.js"
import type { Word } from "./Words.js"
import { stopWords } from "./Words.js"

/** A number that a field may claim, with the words around it, up to the end of the clause or the next number. */
interface Candidate {
  readonly message: Message
  readonly slot: Slot
  readonly mention: Mention<Amount>
  readonly following: ReadonlyArray<Word>
  /** The words before the number, the nearest first. */
  readonly preceding: ReadonlyArray<Word>
}

const connecting = /^(?:in|on|at|for|and|from|to|with|until|or|but)$/

const wordsAfter = ({ amounts, text, words }: Reading, mention: Mention<Amount>): ReadonlyArray<Word> => {
  const next = words.filter(({ at }) => at >= mention.end).slice(0, 4)
  const stop = next.findIndex((word, index) =>
    /[,;.!?:\n(]/.test(text.slice(next[index - 1]?.end ?? mention.end, word.at)) || connecting.test(word.norm) ||
    amounts.some((amount) => overlaps(amount, word))
  )
  return stop < 0 ? next : next.slice(0, stop)
}

const wordsBefore = ({ amounts, text, words }: Reading, mention: Mention<Amount>): ReadonlyArray<Word> => {
  const last = words.filter(({ end }) => end <= mention.at).slice(-5).reverse()
  const stop = last.findIndex((word, index) =>
    /[;.!?\n,]/.test(text.slice(word.end, last[index - 1]?.at ?? mention.at)) ||
    amounts.some((amount) => overlaps(amount, word))
  )
  return stop < 0 ? last : last.slice(0, stop)
}

const matchOf = (slot: Slot, stem: string): number => {
  if (slot.nameStems.has(stem)) return 10
  if (slot.counts === "people" ? isPeople(stem) : slot.counts === "money" && isCurrency(stem)) return 8
  return slot.cueStems.has(stem) ? 7 : 0
}

type Unit = Pick<Word, "norm" | "stem">

const unitsOf = ({ following, mention }: Candidate): ReadonlyArray<Unit> => {
  const { unit } = mention.value
  return unit === undefined ? following : [{ norm: unit, stem: unit }, ...following]
}

/**
 * True if the number may be the value of the field with this name, although the value was known before: "2 nights" says
 * nothing about two guests.
 */
export const mayCount = (reading: Reading, mention: Mention<Amount>, name: string): boolean => {
  const { counts, nameStems } = unitOfName(name)
  if (counts === undefined && ![...nameStems].some(isUnit)) return true
  const { unit } = mention.value
  const said = unit === undefined ? wordsAfter(reading, mention).map(({ stem }) => stem) : [unit]
  return said.every((stem) => nameStems.has(stem) || (isPeople(stem) ? counts === "people" : !isUnit(stem)))
}

const others = ({ message, slot }: Candidate): ReadonlyArray<Slot> => message.slots.filter((other) => other !== slot)

const isAge = ({ following, preceding }: Candidate): boolean =>
  /^(?:i'm|am|aged)$/.test(preceding[0]?.norm ?? "") ||
  /^years? old$/.test(following.slice(0, 2).map(({ norm }) => norm).join(" "))

/** True for a unit that belongs to something else: "nights" for a field of guests. */
const isForeign = (candidate: Candidate) => ({ norm, stem }: Unit): boolean =>
  isUnit(stem) || isPeople(stem) || others(candidate).some(({ nameStems }) => nameStems.has(stem)) ||
  (!stopWords.has(norm) && /[^s]s$/.test(norm) && !/^(?:thanks|this|yes|degrees)$/.test(norm))

const isOne = (mention: Mention<Amount>, { text }: Reading): boolean =>
  /^one$/i.test(text.slice(mention.at, mention.end))

/** True for "one" that is no count: "the first one", "one more of them". */
const isPronoun = ({ mention, message: { reading }, preceding }: Candidate): boolean => {
  const before = preceding[0]?.norm ?? ""
  if (!isOne(mention, reading)) return false
  return /^(?:the|this|that|which|no|any|every|another|first|last|next|each)$/.test(before) ||
    (reading.words.length > 3 && !/^(?:for|just|only|of|is|to|it|are|we're|be)$/.test(before))
}

/** True for the size of a group: "for 2", "a party of 6", "we are 3", "3 of us". */
const isParty = ({ following, preceding }: Candidate): boolean => {
  const [before = "", first = ""] = preceding.filter(({ norm }) => !/^(?:just|only|about|a)$/.test(norm)).map((
    { norm }
  ) => norm)
  return /^(?:for|party|group|table|room|us|we're|we'll)$/.test(before) || following[0]?.norm === "us" ||
    (before === "of" && /^(?:party|group|us|family)$/.test(first)) ||
    (/^(?:are|be|were)$/.test(before) && /^(?:we|there|us|will|we'll|would)$/.test(first))
}

const isYear = ({ mention, message: { reading } }: Candidate): boolean =>
  reading.words.length > 1 && /^(?:19|20)\d\d$/.test(reading.text.slice(mention.at, mention.end))

/** True if a message that corrects a value contains one number, and only one known field is a number. */
const isOnlyCorrection = ({ message: { corrects, reading, slots }, slot }: Candidate): boolean => {
  const amounts = slots.filter(({ kind }) => kind._tag === "Amount")
  return corrects && slot.known && reading.amounts.length === 1 && amounts.filter(({ known }) => known).length === 1 &&
    !amounts.some(({ asked }) => asked)
}

/** The result of a rule: a score, "no" if the number is not for the field, or undefined if the rule does not apply. */
type Verdict = number | "no" | undefined

/** The rules in order; the first that gives a result decides. */
const rules: ReadonlyArray<(candidate: Candidate) => Verdict> = [
  ({ preceding }) => /^(?:not|isn't|aren't)$/.test(preceding[0]?.norm ?? "") ? "no" : undefined,
  // "one of us is vegan" is no count.
  ({ following, mention, message: { reading } }) =>
    isOne(mention, reading) && following[0]?.norm === "of" ? "no" : undefined,
  ({ mention, slot }) => mention.value.unit !== "money" ? undefined : slot.counts === "money" ? 9 : "no",
  (candidate) => {
    const { following, slot } = candidate
    if (slot.counts !== "age") return undefined
    return isAge(candidate) ? 9 : slot.asked && following.length === 0 ? 5 : "no"
  },
  (candidate) =>
    isAge(candidate) && !candidate.following.some(({ stem }) => matchOf(candidate.slot, stem) > 0) ? "no" : undefined,
  (candidate) =>
    Math.max(0, ...unitsOf(candidate).map(({ stem }, index) => matchOf(candidate.slot, stem) - index / 2)) || undefined,
  (candidate) => unitsOf(candidate).some(isForeign(candidate)) || isPronoun(candidate) ? "no" : undefined,
  ({ preceding, slot }) => preceding.some(({ stem }) => matchOf(slot, stem) > 6) ? 6 : undefined,
  (candidate) =>
    candidate.slot.counts === "people" && isParty(candidate) && Number.isInteger(candidate.mention.value.number)
      ? 5.5
      : undefined,
  (candidate) =>
    others(candidate).some(({ nameStems }) => candidate.preceding.some(({ stem }) => nameStems.has(stem)))
      ? "no"
      : undefined,
  (candidate) => isYear(candidate) ? "no" : undefined,
  ({ slot }) => slot.asked ? slot.known ? 4 : 5 : undefined,
  (candidate) => isOnlyCorrection(candidate) ? 3 : "no"
]

const scoreOf = (candidate: Candidate): number | undefined => {
  for (const rule of rules) {
    const verdict = rule(candidate)
    if (verdict !== undefined) return verdict === "no" ? undefined : verdict
  }
  return undefined
}

const kin =
  "(?:wife|husband|partner|girlfriend|boyfriend|friend|son|daughter|mother|father|mum|dad|boss|colleague|sister|brother)"

const relatives = new RegExp(`\\b(?:my|our|a) ${kin}\\b`, "gi")

/** True for a speaker who names himself beside others: "me, my wife", "my wife and I", "with my wife". */
const withSelf = new RegExp(
  `\\b(?:me|myself|i)(?:,| and) (?:my|our|a)\\b|\\band (?:i|me|myself)\\b|\\bwith (?:my|our) ${kin}\\b`,
  "i"
)

/** Returns the number of people who are named, not counted: "my wife and I", "just me", "my parents". */
const namedPeople = (text: string): number => {
  const others = matchesOf(text, relatives).length + (/\b(?:my|our) parents\b/i.test(text) ? 2 : 0)
  if (others > 0) return others + (withSelf.test(text) ? 1 : 0)
  const isAlone = /\b(?:just me|only me|by myself|on my own|alone|solo|myself|a single (?:guest|person))\b/i.test(text)
  return isAlone || /\bme(?:,| and) (?:my|our|the) (?=\w)/i.test(text) ? 1 : 0
}

/**
 * Adds up people who are counted by kind: "two adults and one child" are three guests, unless another field counts
 * people too.
 */
const partySize = ({ reading, slots }: Message, slot: Slot): number | undefined => {
  const counts = (other: Slot) => other.kind._tag === "Amount" && other.counts === "people"
  if (!counts(slot) || slots.some((other) => other !== slot && counts(other))) return undefined
  const counted = reading.amounts.map((mention) => ({ mention, after: wordsAfter(reading, mention) }))
  const kinds = new Map(counted.flatMap(({ after, mention }) => {
    const stem = after.find((word) => isPeople(word.stem))?.stem
    return stem === undefined || stem === "us" ? [] : [[stem, mention.value.number] as const]
  }))
  const child = /\band an? (?:\w{1,20} )?(?:child|kid|baby|infant|toddler)\b/i.test(reading.text) ? 1 : 0
  // "one room for one night, just me": true if these numbers do not count people.
  const isOther = counted.every(({ after }) => after.some(({ stem }) => isUnit(stem) || isPeople(stem)))
  const named = isOther && !kinds.has("person") && !kinds.has("guest") ? namedPeople(reading.text) : 0
  const total = [...kinds.values()].reduce((sum, one) => sum + one, child + named)
  return kinds.size + child + named > 1 || (kinds.size === 0 && named > 0) ? total : undefined
}

export const amountClaims = (
  message: Message,
  slot: Slot,
  encode: (value: number) => unknown
): ReadonlyArray<Claim> => {
  const { reading } = message
  const party = partySize(message, slot)
  if (party !== undefined) return [{ at: 0, end: 0, slot, value: encode(party), score: 9 }]
  return reading.amounts.flatMap((mention) => {
    const around = { following: wordsAfter(reading, mention), preceding: wordsBefore(reading, mention) }
    const score = scoreOf({ message, slot, mention, ...around })
    return score === undefined ? [] : [{ ...mention, slot, value: encode(mention.value.number), score }]
  })
}

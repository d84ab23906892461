/**
 * Which number belongs to which field: by the unit that follows it, the label before it, and what was asked.
 *
 * @since 0.1.0
 */
import type { Amount, Mention, Reading } from "./Mentions.js"
import type { Slot } from "./Roles.js"
import { isPeople, isUnit } from "./Roles.js"
import type { Word } from "./Words.js"
import { stopWords } from "./Words.js"

/** The words around a mention, as far as its clause and the next number. */
const around = (reading: Reading, mention: Mention<Amount>) => {
  const { amounts, text, words } = reading
  const isNumber = (word: Word) => amounts.some(({ at, end }) => word.at >= at && word.at < end)
  const following: Array<Word> = []
  const first = words.findIndex(({ at }) => at >= mention.end)
  for (let index = first; index >= 0 && index < words.length && following.length < 4; index++) {
    const word = words[index]!
    const between = text.slice(following.at(-1)?.end ?? mention.end, word.at)
    if (
      /[,;.!?:\n(]/.test(between) || isNumber(word) ||
      /^(?:in|on|at|for|and|from|to|with|until|or|but)$/.test(word.norm)
    ) {
      break
    }
    following.push(word)
  }
  const preceding: Array<Word> = []
  const last = words.filter(({ end }) => end <= mention.at).length - 1
  for (let index = last; index >= 0 && preceding.length < 5; index--) {
    const word = words[index]!
    if (/[;.!?\n,]/.test(text.slice(word.end, preceding.at(-1)?.at ?? mention.at)) || isNumber(word)) break
    preceding.push(word)
  }
  return { following, preceding }
}

const denied = (preceding: ReadonlyArray<Word>) => /^(?:not|isn't|aren't)$/.test(preceding[0]?.norm ?? "")

const isPronoun = (reading: Reading, mention: Mention<Amount>, preceding: ReadonlyArray<Word>) =>
  reading.text.slice(mention.at, mention.end).toLowerCase() === "one" &&
  (/^(?:the|this|that|which|no|any|every|another|first|last|next|each)$/.test(preceding[0]?.norm ?? "") ||
    (reading.words.length > 3 && !/^(?:for|just|only|of|is|to|it)$/.test(preceding[0]?.norm ?? "")))

const matchOf = (slot: Slot, stem: string): number => {
  if (slot.nameStems.has(stem)) return 10
  if (slot.counts === "people" && isPeople(stem)) return 8
  return slot.cueStems.has(stem) ? 7 : 0
}

/**
 * How well a number fits a field; undefined when it is not for it.
 *
 * @internal
 */
export const amountScore = (
  reading: Reading,
  slots: ReadonlyArray<Slot>,
  corrects: boolean
) =>
(slot: Slot, mention: Mention<Amount>): number | undefined => {
  const { following, preceding } = around(reading, mention)
  const { number, unit } = mention.value
  if (denied(preceding)) return undefined
  if (unit === "money") return slot.counts === "money" ? 9 : undefined
  const before = preceding[0]?.norm ?? ""
  const isAge = /^(?:i'm|am|aged)$/.test(before) ||
    /^years? old$/.test(following.slice(0, 2).map(({ norm }) => norm).join(" "))
  if (slot.counts === "age") return isAge ? 9 : slot.asked && following.length === 0 ? 5 : undefined
  if (isAge && !following.some(({ stem }) => matchOf(slot, stem) > 0)) return undefined
  const units = unit === undefined ? following : [{ norm: unit, stem: unit } as const, ...following]
  const matched = Math.max(0, ...units.map(({ stem }, index) => matchOf(slot, stem) - index / 2))
  if (matched > 0) return matched
  const isForeign = ({ norm, stem }: { readonly norm: string; readonly stem: string }) =>
    isUnit(stem) || isPeople(stem) || slots.some((other) => other !== slot && other.nameStems.has(stem)) ||
    (!stopWords.has(norm) && /[^s]s$/.test(norm) && !/^(?:thanks|this|yes)$/.test(norm))
  if (units.some(isForeign)) return undefined
  if (isPronoun(reading, mention, preceding)) return undefined
  if (preceding.some(({ stem }) => matchOf(slot, stem) > 6)) return 6
  if (slots.some((other) => other !== slot && preceding.some(({ stem }) => other.nameStems.has(stem)))) return undefined
  const looksLikeYear = /^(?:19|20)\d\d$/.test(reading.text.slice(mention.at, mention.end))
  if (looksLikeYear && reading.words.length > 1) return slot.counts === "year" ? 8 : undefined
  const isParty = /^(?:for|party|group|table|room|us)$/.test(before) ||
    (before === "of" && /^(?:party|group|us|family)$/.test(preceding[1]?.norm ?? "")) || following[0]?.norm === "us"
  if (slot.counts === "people" && isParty && Number.isInteger(number)) return 5.5
  if (slot.asked) return slot.known ? 4 : 5
  const others = slots.filter((other) => other.known && other.kind._tag === "Amount")
  const isOnlyOne = reading.amounts.length === 1 && others.length === 1 && slot.known
  return corrects && isOnlyOne && !slots.some(({ asked, kind }) => asked && kind._tag === "Amount") ? 3 : undefined
}

/**
 * The people counted one kind at a time: "two adults and one child" are three guests, unless children have their own field.
 *
 * @internal
 */
export const partySize = (reading: Reading, slots: ReadonlyArray<Slot>, slot: Slot): number | undefined => {
  const counts = (other: Slot) => other.kind._tag === "Amount" && other.counts === "people"
  if (!counts(slot) || slots.some((other) => other !== slot && counts(other))) return undefined
  const kinds = new Map<string, number>()
  for (const mention of reading.amounts) {
    const stem = around(reading, mention).following.find((word) => isPeople(word.stem))?.stem
    if (stem !== undefined && stem !== "us") kinds.set(stem, mention.value.number)
  }
  const child = /\band an? (?:\w+ )?(?:child|kid|baby|infant|toddler)\b/i.test(reading.text) ? 1 : 0
  if (kinds.size + child > 1) return [...kinds.values()].reduce((sum, one) => sum + one, child)
  if (reading.amounts.length > 0) return undefined
  if (couple.test(reading.text)) return 2
  return /\b(?:just me|only me|by myself|on my own|alone|solo)\b/i.test(reading.text) ? 1 : undefined
}

const kin = "(?:wife|husband|partner|girlfriend|boyfriend|friend|son|daughter|mother|father|mum|dad|boss|colleague)"

const couple = new RegExp(`\\bmy ${kin} and (?:i|me|myself)\\b|\\b(?:me|myself) and my ${kin}\\b`, "i")

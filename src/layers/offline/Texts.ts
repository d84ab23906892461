/** The claims of text fields, by role: an address, a code, a person, a place, or any text. */
import { addressClaims } from "./Addresses.js"
import type { Claim, Message } from "./Claims.js"
import { isCalled, leadOf, uncalled } from "./Claims.js"
import { correctedTo, isDenied, labelled } from "./Corrections.js"
import { dayClaims } from "./Days.js"
import { bareAnswer, introduces, notNames, registered, titled } from "./MentionedNames.js"
import type { Mention, Span } from "./Mentions.js"
import { matchesOf, outside, overlaps } from "./Mentions.js"
import type { Reading } from "./Reading.js"
import type { Role, Slot } from "./Slot.js"
import { isNamed, isPeople, isUnit } from "./Slot.js"
import { isIntent } from "./Topics.js"
import { wordsOf } from "./Words.js"
import { withZone } from "./Zones.js"

type Claims = ReadonlyArray<Claim>

const at = (slot: Slot, { at, end }: Span, value: string, score: number | undefined): Claims =>
  score === undefined || value === "" ? [] : [{ at, end, slot, value, score }]

/** Claims of values with an unmistakable form: an e-mail address, a link, a phone number. */
const plain =
  (pick: (reading: Reading) => ReadonlyArray<Mention<string>>) => (message: Message, slot: Slot): Claims => {
    const mentions = pick(message.reading)
    return mentions.flatMap((mention) => {
      const called = isCalled(slot, leadOf(message.reading.text, mention, mentions))
      return at(slot, mention, mention.value, called ? 10 : slot.asked ? 7 : slot.known ? 5 : 6)
    })
  }

/**
 * Returns the times of day. The time in a date gets an empty span after the date, because another field may use the
 * date.
 */
const timesIn = ({ dates, times }: Reading): ReadonlyArray<Mention<string>> => [
  ...times,
  ...dates.flatMap(({ end, value: { time, zone } }) =>
    time === undefined ? [] : [{ at: end, end, value: withZone(time, zone) }]
  )
]

/** Claims "7" as a time, if the step asks only for the time. */
const bareHour = ({ mayBeBare, reading: { amounts, words } }: Message, slot: Slot): Claims => {
  const [amount] = amounts
  const hour = amount?.value.number ?? -1
  if (amount === undefined || !slot.asked || !mayBeBare || words.length > 3 || !Number.isInteger(hour)) return []
  return hour < 0 || hour > 24 ? [] : at(slot, amount, `${String(hour % 24).padStart(2, "0")}:00`, 4)
}

const hasPattern = ({ kind }: Slot): boolean => kind._tag === "Text" && kind.pattern

/** True for a word with a digit and a letter or separator: "R17", "2026-11". */
const isFormed = (code: string): boolean => /\d/.test(code) && /[\p{L}/_-]/u.test(code)

/** Returns a word as a code, in capitals if the pattern accepts only capitals; undefined if the word is no code. */
const codeOf = (slot: Slot, said: string): string | undefined => {
  if (said.length > 64) return undefined
  if (!hasPattern(slot)) return /\d/.test(said) || /^\p{Lu}{4,}$/u.test(said) ? said : undefined
  return [said, ...(isFormed(said) ? [said.toUpperCase()] : [])].find(slot.accepts)
}

const codeForm = /#?[\p{L}\p{N}]+(?:[-/_][\p{L}\p{N}]+)*/gu

/** Finds "1017 AB": two words that form one code, for a schema with a pattern. */
const pairs = (text: string, found: ReadonlyArray<Mention<string>>): ReadonlyArray<Mention<string>> =>
  found.slice(1).flatMap(({ at, end }, index) => {
    const first = found[index]!
    return text.slice(first.end, at) === " " ? [{ at: first.at, end, value: text.slice(first.at, end) }] : []
  })

/**
 * The fields to which a code belongs if the message does not name its field: those for which the step asks, else those
 * without a value.
 */
const candidates = (slots: ReadonlyArray<Slot>): ReadonlyArray<Slot> =>
  [
    slots.filter(({ asked, known }) => asked && !known),
    slots.filter(({ asked }) => asked),
    slots.filter(({ known }) => !known)
  ]
    .find((some) => some.length > 0) ?? slots

/** Returns the only word of the message that has the form of a code, if `slot` is the only field for it. */
const soleCode = (
  { reading: { text, times }, slots }: Message,
  slot: Slot,
  found: ReadonlyArray<Mention<string>>
): string | undefined => {
  if (!hasPattern(slot)) return undefined
  const fitting = found.filter((word) => codeOf(slot, word.value) !== undefined && !isDenied(text, word))
  const [first] = fitting
  if (first === undefined || !isFormed(first.value) || !outside(times)(first)) return undefined
  if (fitting.some(({ value }) => value !== first.value)) return undefined
  const [field, ...others] = candidates(
    slots.filter((other) => hasPattern(other) && codeOf(other, first.value) !== undefined)
  )
  return field === slot && others.length === 0 ? first.value : undefined
}

const codes = (message: Message, slot: Slot): Claims => {
  const { dates, emails, links, text, words } = message.reading
  const found = matchesOf(text, codeForm)
  const isFree = outside([...dates, ...emails, ...links])
  const sole = soleCode(message, slot, found.filter(isFree))
  return [...(hasPattern(slot) ? pairs(text, found) : []), ...found]
    .filter(isFree)
    .flatMap((mention) => {
      const said = mention.value.replace(/^#/, "")
      const code = codeOf(slot, said)
      if (code === undefined) return []
      if (mention.value !== said || isCalled(slot, leadOf(text, mention, []))) return at(slot, mention, code, 9)
      if (said === sole) return at(slot, mention, code, 6.5)
      const next = words.find(({ at }) => at >= mention.end)
      const isCount = next !== undefined && /^\d{1,3}$/.test(code) && (isUnit(next.stem) || isPeople(next.stem))
      return slot.asked && !isCount ? at(slot, mention, code, 5) : []
    })
}

/** Returns the value of a correction, if the field is known or the step asks for it. */
const correctionFor = (slot: Slot, { reading }: Message): Mention<string> | undefined =>
  slot.known || slot.asked ? correctedTo(reading.text) : undefined

const isPerson = ({ reading }: Message, span: Span): boolean => reading.people.some((person) => overlaps(person, span))

/** The part of a name that the field is for. */
const partOf = (slot: Slot): "first" | "last" | "all" =>
  /first|given/i.test(slot.name) ? "first" : /last|sur|family/i.test(slot.name) ? "last" : "all"

/** True if the step asks for the last name only, so that a single word is the last name. */
const asksForLast = ({ slots }: Message, slot: Slot): boolean =>
  slot.asked && !slots.some((other) => other.asked && !other.known && partOf(other) === "first")

const named = (message: Message, slot: Slot, score: number) => (mention: Mention<string>): Claims => {
  const names = titled(mention.value).split(/\s+/)
  const part = partOf(slot)
  if (part === "all") return at(slot, mention, names.join(" "), score)
  const value = part === "first" || (names.length === 1 && asksForLast(message, slot))
    ? names[0] ?? ""
    : names.slice(1).join(" ")
  return at(slot, mention, value, score).map((claim) => ({ ...claim, shared: true }))
}

/** Claims a short answer to the question for a name. */
const bareName = (message: Message, slot: Slot): Claims => {
  const { bare } = message
  return bare === undefined || !slot.asked || notNames.test(bare.value) || introduces(message.reading.text)
    ? []
    : named(message, slot, isPerson(message, bare) ? 4.6 : 3.5)(bare)
}

/** Claims a family name with the first names behind it. Before the name is asked for, it has to look like a person's. */
const registeredName = (message: Message, slot: Slot): Claims => {
  const found = message.mayBeBare ? registered(message.reading.text) : undefined
  if (found === undefined) return []
  const isPlace = message.places.some((place) => overlaps(place, found))
  const isExpected = slot.asked
    ? !(isPlace && message.slots.some(({ known, role }) => role === "place" && !known))
    : !slot.known && !isPlace && isPerson(message, found)
  return isExpected ? named(message, slot, 7.2)(found) : []
}

const persons = (message: Message, slot: Slot): Claims => {
  const { people } = message
  const isSettled = slot.known && !slot.asked
  const corrected = correctionFor(slot, message)
  return [
    ...people.introduced.flatMap(named(message, slot, isSettled ? 6.2 : 7)),
    ...(isSettled && !message.corrects ? [] : people.others.flatMap(named(message, slot, slot.asked ? 5.5 : 3.2))),
    ...(corrected !== undefined && isPerson(message, corrected) ? named(message, slot, 7.5)(corrected) : []),
    ...registeredName(message, slot),
    ...bareName(message, slot)
  ]
}

/** The score of a place, by the word before it: "from", "to", "in", or the name of the field. */
const placeScore = (message: Message, slot: Slot, lead: string): number | undefined => {
  if (isCalled(slot, lead)) return 10
  const led = /\b(?:from|to|in)(?=\s{1,9}$)/i.exec(lead)?.[0].toLowerCase()
  const maybe = slot.asked ? 3.8 : undefined
  if (led === "from") return isStart(slot) ? 8 : maybe
  if (led !== undefined && isStart(slot)) return maybe
  return slot.ends && led === "to" ? 8 : uncalled(slot, message)
}

const isStart = ({ begins, ends }: Slot): boolean => begins && !ends

/** Returns the first words of the message if they look like a name: "Sintra for three people". */
const leading = (text: string): ReadonlyArray<Mention<string>> => {
  const bare = bareAnswer(text.split(/\s(?:for|on|from|with|and)\s|[,\n]/, 1)[0]!)
  return bare !== undefined && /^\p{Lu}/u.test(bare.value) ? [bare] : []
}

/** True if a bare answer may be meant for the field: a known one is not meant while the step asks for others. */
const isOpen = ({ slots }: Message, { asked, known }: Slot): boolean =>
  asked && (!known || slots.every((other) => !other.asked || other.known))

const places = (message: Message, slot: Slot): Claims => {
  const { bare, places, reading } = message
  const isWhole = /location|place|destination|where|address/i.test(slot.name)
  const claim = (mention: Mention<string>, score: number | undefined): Claims =>
    at(slot, mention, titled(isWhole ? mention.value : mention.value.split(",", 1)[0]!), score)
  const corrected = correctionFor(slot, message)
  return [
    ...places.flatMap((mention) => claim(mention, placeScore(message, slot, leadOf(reading.text, mention, places)))),
    ...(corrected === undefined || isPerson(message, corrected) ? [] : claim(corrected, slot.known ? 7 : 4.6)),
    ...(isOpen(message, slot) && bare !== undefined ? claim(bare, 4.4) : []),
    ...(isOpen(message, slot) && message.mayBeBare
      ? leading(reading.text).flatMap((mention) => claim(mention, 4.2))
      : [])
  ]
}

/** A name with a number: "Main Street 5" and "12 Baker Street". */
const street =
  /(?<![\p{L}\p{N}])(?:\p{Lu}[\p{L}'’.-]{1,30}(?: [\p{L}'’.-]{1,30}){0,3} \d{1,4}[a-z]?|\d{1,4}[a-z]?(?: \p{Lu}[\p{L}'’.-]{1,30}){1,4})(?![\p{L}\p{N}])/gu

/**
 * Returns the values with the label of another field: "Zip is 10" looks like a street. Ignores words that occur in both
 * names, such as the name of a common struct.
 */
const saidOfOthers = ({ reading, slots }: Message, slot: Slot): ReadonlyArray<Span> =>
  slots.flatMap((other) => {
    const nameStems = new Set([...other.nameStems].filter((stem) => !slot.nameStems.has(stem)))
    return other === slot ? [] : labelled(reading, { nameStems }) ?? []
  })

const streets = (message: Message, slot: Slot): Claims => {
  const { text } = message.reading
  const found = matchesOf(text, street).filter(outside(saidOfOthers(message, slot)))
  return [
    ...found.flatMap((mention) => {
      const called = isCalled(slot, leadOf(text, mention, []))
      return at(slot, mention, mention.value, called ? 10 : slot.asked ? 6 : slot.known ? 5 : 5.8)
    }),
    ...(callsAnother(message, slot) ? [] : free(message, slot))
  ]
}

/** True if the message names another field, so that it is not only about this one. */
const callsAnother = ({ reading, slots }: Message, slot: Slot): boolean =>
  reading.words.some(({ stem }) => !slot.nameStems.has(stem) && slots.some(({ nameStems }) => nameStems.has(stem)))

const replacement =
  /^(?:no|nope|sorry|actually)[, ]{1,3}(?:it['’]s |it is |i meant? )?(the (?!other|wrong|same|first|second|last|next|former|latter|opposite|rest|one)[\p{L}\p{N} '’-]{2,60})[.!]?$/iu

/**
 * Claims "the brakes" in "no, the brakes" for the only free text with a value, unless the words are about another
 * field.
 */
const replaced = (message: Message, slot: Slot): Claims => {
  const { mayBeBare, reading: { text, words }, slots } = message
  const value = replacement.exec(text.trim())?.[1]?.trim()
  const isOnly = slots.every((other) =>
    other === slot || other.role !== "free" || other.kind._tag !== "Text" || !other.known
  )
  if (value === undefined || !slot.known || !isOnly || !mayBeBare || words.length > 7) return []
  const said = wordsOf(value)
  const isOfField = said.some(({ stem }) => slots.some((other) => isNamed(other, stem)))
  return isOfField || said.some(isIntent) ? [] : at(slot, { at: text.indexOf(value), end: text.length }, value, 2.5)
}

/** Claims the whole of a short message, if the step asks for no other field. */
const free = (message: Message, slot: Slot): Claims => {
  const { mayBeBare, reading, slots } = message
  const value = reading.text.trim()
  const isSole = slot.asked && slots.every((other) => other === slot || !other.asked || other.known)
  if (!isSole || !mayBeBare || value.length > 300) return []
  const isAnswer = message.bare !== undefined || (reading.words.length > 2 && !value.endsWith("?"))
  return isAnswer ? at(slot, { at: 0, end: reading.text.length }, value, 4) : []
}

const readers: Record<Role, (message: Message, slot: Slot) => Claims> = {
  email: plain(({ emails }) => emails),
  link: plain(({ links }) => links),
  phone: plain(({ phones }) => phones),
  time: (message, slot) => [...plain(timesIn)(message, slot), ...bareHour(message, slot)],
  date: (message, slot) => dayClaims(message, slot, ({ date }) => date),
  code: codes,
  person: persons,
  place: places,
  street: streets,
  free: (message, slot) =>
    hasPattern(slot) ? codes(message, slot) : [...free(message, slot), ...replaced(message, slot)]
}

/**
 * Claims a code with the field's label even if its form is wrong, as the user wrote it, so that the turn reports the
 * error.
 */
const brokenCode = (slot: Slot, { at: begin, value }: Mention<string>): Claims => {
  const [first] = matchesOf(value, codeForm)
  return first?.at === 0 && /\d/.test(first.value)
    ? at(slot, { at: begin, end: begin + first.end }, first.value, 8.9)
    : []
}

/** Claims the value after the name of the field. */
const label = (message: Message, slot: Slot): Claims => {
  const said = labelled(message.reading, slot)
  if (said !== undefined && slot.role === "code" && hasPattern(slot)) return brokenCode(slot, said)
  if (said === undefined || !["free", "person", "place", "street"].includes(slot.role)) return []
  if (slot.role === "free" || slot.role === "street") return at(slot, said, said.value, 12)
  const bare = bareAnswer(said.value)
  if (bare === undefined) return []
  return at(slot, { at: said.at + bare.at, end: said.at + bare.end }, titled(bare.value), 12)
}

export const textClaims = (message: Message, slot: Slot): ReadonlyArray<Claim> => [
  ...label(message, slot),
  ...addressClaims(message, slot),
  ...readers[slot.role](message, slot)
]

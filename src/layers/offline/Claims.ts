/**
 * What each field claims of a message: a value, where it stands, and how sure that is.
 *
 * @since 0.1.0
 */
import { amountScore, partySize } from "./Amounts.js"
import type { Named } from "./Kind.js"
import type { Mention, Reading, SaidDay, Span } from "./Mentions.js"
import { overlaps } from "./Mentions.js"
import { bareAnswer, correctedTo, corrects, labelled, notNames, peopleIn, placesIn, titled } from "./Names.js"
import type { Slot } from "./Roles.js"
import { isPeople, isUnit } from "./Roles.js"
import { wordsOf, yesOrNo } from "./Words.js"

/**
 * @internal
 */
export interface Claim extends Span {
  readonly slot: Slot
  /** Encoded. */
  readonly value: unknown
  /** Above 6: said for this field. From 4: an answer to what was asked. Below: the field it fits best. */
  readonly score: number
  /** Other fields may use the same words: a first and a last name. */
  readonly shared?: boolean
}

/**
 * A message with what is known about it as a whole.
 *
 * @internal
 */
export interface Message {
  readonly reading: Reading
  readonly slots: ReadonlyArray<Slot>
  readonly corrects: boolean
  /** Whether it may be nothing but the answer to what was asked. */
  readonly mayBeBare: boolean
  /** What is left when it is a short answer and nothing else. */
  readonly bare: Mention<string> | undefined
  readonly people: ReturnType<typeof peopleIn>
  readonly places: ReadonlyArray<Mention<string>>
}

/**
 * @internal
 */
export const messageOf = (reading: Reading, slots: ReadonlyArray<Slot>, mayBeBare: boolean): Message => {
  const people = peopleIn(reading)
  return {
    reading,
    slots,
    corrects: corrects(reading.text),
    mayBeBare,
    bare: mayBeBare && !corrects(reading.text) ? bareAnswer(reading.text) : undefined,
    people,
    places: placesIn(reading, people.introduced)
  }
}

/** The clause before a mention: not past a full stop, nor past another mention of its kind. */
const before = (text: string, span: Span, others: ReadonlyArray<Span>): string => {
  const from = Math.max(0, span.at - 80, ...others.filter(({ end }) => end <= span.at).map(({ end }) => end))
  return text.slice(from, span.at).split(/[.;!?\n]\s/).at(-1) ?? ""
}

const joined = (text: string) => text.replace(/\b(check|pick|drop)(?:ing)?[ -](in|out|up|off)\b/gi, "$1$2")

/** Whether the field is called by its name shortly before. */
const isCalled = (slot: Slot, lead: string): boolean =>
  wordsOf(joined(lead)).slice(-5).some(({ norm, stem }) => norm !== "name" && slot.nameStems.has(stem))

/** What is not asked and known is corrected only by a message that is about it. */
const uncalled = (slot: Slot, { corrects, reading }: Message): number | undefined => {
  if (slot.asked) return slot.known ? 4.5 : 5
  if (slot.reserved) return undefined
  if (!slot.known) return 3
  return corrects ? 4 : reading.words.length <= 10 ? 2 : undefined
}

const starting = /\b(?:from|arriv\w{1,4}|start\w{0,4}|begin\w{0,5}|check\w{0,3}[ -]?in)\W+(?:\w{1,12}\W+){0,2}$/i
const closing =
  /\b(?:until|till|to|through|leav\w{1,4}|return\w{0,4}|depart\w{0,4}|check\w{0,3}[ -]?out)\W+(?:\w{1,12}\W+){0,2}$/i

const dateScore = (message: Message) => (slot: Slot, mention: Mention<SaidDay>): number | undefined => {
  const { dates, text } = message.reading
  const lead = before(text, mention, dates)
  if (isCalled(slot, lead) && !mention.value.closes) return 10
  const [opens, closes] = [starting.test(lead), closing.test(lead) || mention.value.closes]
  if (slot.ends && !slot.begins) {
    if (closes) return 8
    if (opens) return undefined
    return slot.asked ? uncalled(slot, message) : dates.length > 1 ? 1 : undefined
  }
  if (slot.begins && opens) return 8
  if (slot.begins && closes && message.slots.some(({ ends }) => ends)) return undefined
  return uncalled(slot, message)
}

const dateClaims = (message: Message, slot: Slot, encode: (day: SaidDay) => unknown): ReadonlyArray<Claim> =>
  message.reading.dates.flatMap((mention) => {
    const score = dateScore(message)(slot, mention)
    return score === undefined ? [] : [{ ...mention, slot, value: encode(mention.value), score }]
  })

const amountClaims = (message: Message, slot: Slot, encode: (value: number) => unknown): ReadonlyArray<Claim> => {
  const { reading, slots } = message
  const party = partySize(reading, slots, slot)
  if (party !== undefined) return [{ at: 0, end: 0, slot, value: encode(party), score: 9 }]
  const score = amountScore(reading, slots, message.corrects)
  return reading.amounts.flatMap((mention) => {
    const fits = score(slot, mention)
    return fits === undefined ? [] : [{ ...mention, slot, value: encode(mention.value.number), score: fits }]
  })
}

/** The words of `name` one after the other, with any endings. */
const occurrences = (reading: Reading, name: string): ReadonlyArray<Span> => {
  const wanted = wordsOf(name).map(({ norm, stem }) => ({ norm, stem }))
  const { words } = reading
  return wanted.length === 0 ? [] : words.flatMap((word, index) => {
    const fits = wanted.every(({ norm, stem }, offset) => {
      const said = words[index + offset]
      return said?.norm === norm || (said?.stem === stem && norm.length > 3)
    })
    return fits ? [{ at: word.at, end: words[index + wanted.length - 1]!.end }] : []
  })
}

/**
 * Where the options of a choice are named.
 *
 * @internal
 */
export const namedOptions = (reading: Reading, options: ReadonlyArray<Named>) =>
  options.flatMap((option) =>
    option.names.flatMap((name, index) =>
      occurrences(reading, name).map((span) => ({
        ...span,
        value: option.value,
        own: index === 0,
        length: name.length
      }))
    )
  )

const choiceClaims = (message: Message, slot: Slot, options: ReadonlyArray<Named>): ReadonlyArray<Claim> => {
  const { reading } = message
  const answer = slot.asked ? yesOrNo(reading.text) : undefined
  const said = options.find(({ names }) => names.some((name) => name === (answer ? "yes" : "no")))
  const ordinal = /\b(?:the )?(?:(first|second|third|last)(?: one| option)?|(?:option|number) (\d))\b/i.exec(
    reading.text
  )
  const index = ordinal === null ? -1 : ordinal[2] !== undefined
    ? Number(ordinal[2]) - 1
    : ["first", "second", "third", "last"].indexOf(ordinal[1]!.toLowerCase())
  const picked = slot.asked && ordinal !== null ? index === 3 ? options.at(-1) : options[index] : undefined
  return [
    ...namedOptions(reading, options)
      .filter(({ length }) => length > 1 || slot.asked)
      .map(({ at, end, length, own, value }) => {
        const called = isCalled(slot, before(reading.text, { at, end }, []))
        const score = (called ? 8 : slot.asked ? 6 : 4) + (own ? 0.5 : 0) + Math.min(length, 40) / 100
        return { at, end, slot, value, score }
      }),
    ...(answer !== undefined && said !== undefined ? [{ at: 0, end: 0, slot, value: said.value, score: 3 }] : []),
    ...(picked === undefined ? [] : [{ at: 0, end: 0, slot, value: picked.value, score: 4 }])
  ]
}

/** A value that stands on its own and cannot be anything else: an e-mail address, a link, a phone number. */
const plainClaims = (message: Message, slot: Slot, mentions: ReadonlyArray<Mention<string>>): ReadonlyArray<Claim> =>
  mentions.map((mention) => {
    const called = isCalled(slot, before(message.reading.text, mention, mentions))
    return { ...mention, slot, score: called ? 10 : slot.asked ? 7 : slot.known ? 5 : 6 }
  })

const codeClaims = (message: Message, slot: Slot): ReadonlyArray<Claim> => {
  const { dates, emails, links, text, words } = message.reading
  return Array.from(text.matchAll(/#?[\p{L}\p{N}]+(?:[-/_][\p{L}\p{N}]+)*/gu)).flatMap((match) => {
    const span = { at: match.index, end: match.index + match[0].length }
    const value = match[0].replace(/^#/, "")
    const isCode = /\d/.test(value) || /^\p{Lu}{4,}$/u.test(value) || (slot.kind._tag === "Text" && slot.kind.pattern)
    if (!isCode || value.length > 64 || [...dates, ...emails, ...links].some((other) => overlaps(other, span))) {
      return []
    }
    if (slot.kind._tag === "Text" && slot.kind.pattern && !slot.accepts(value)) return []
    const next = words.find(({ at }) => at >= span.end)
    const isCount = next !== undefined && /^\d{1,3}$/.test(value) && (isUnit(next.stem) || isPeople(next.stem))
    const called = isCalled(slot, before(text, span, []))
    const score = called || match[0] !== value ? 9 : isCount ? undefined : slot.asked ? 5 : undefined
    return score === undefined ? [] : [{ ...span, slot, value, score }]
  })
}

const personClaims = (message: Message, slot: Slot): ReadonlyArray<Claim> => {
  const { bare, people, reading } = message
  const name = slot.name.toLowerCase()
  const part = /first|given/.test(name) ? "first" : /last|sur|family/.test(name) ? "last" : undefined
  const claim = (score: number) => (mention: Mention<string>): ReadonlyArray<Claim> => {
    const names = titled(mention.value).split(/\s+/)
    if (part === undefined) return [{ ...mention, slot, value: names.join(" "), score }]
    const value = part === "first" || (names.length === 1 && slot.asked) ? names[0] : names.slice(1).join(" ")
    return value ? [{ ...mention, slot, value, score, shared: true }] : []
  }
  const likely = (span: Span) => reading.people.some((person) => overlaps(person, span))
  const corrected = slot.known || slot.asked ? correctedTo(reading.text) : undefined
  // One word that is a city and no first name corrects the city rather than being a name.
  const isCity = bare !== undefined && !/\s/.test(bare.value) && reading.places.some((place) => overlaps(place, bare))
  return [
    ...people.introduced.flatMap(claim(slot.known && !slot.asked ? 6.2 : 7)),
    ...(slot.known && !slot.asked && !message.corrects ? [] : people.others.flatMap(claim(slot.asked ? 5.5 : 3.2))),
    ...(corrected !== undefined && likely(corrected) ? claim(7.5)(corrected) : []),
    ...(slot.asked && bare !== undefined && !notNames.test(bare.value)
      ? claim(likely(bare) ? 4.6 : isCity ? 1.5 : 3.5)(bare)
      : [])
  ]
}

const home = /\b(?:country|nationality|home|residence|live)\b/

/** "Sintra for three people": what the message begins with, when it is written as a name. */
const leading = (text: string): ReadonlyArray<Mention<string>> => {
  const bare = bareAnswer(text.split(/\s(?:for|on|from|with|and)\s|[,\n]/, 1)[0]!)
  return bare !== undefined && /^\p{Lu}/u.test(bare.value) ? [bare] : []
}

const placeClaims = (message: Message, slot: Slot): ReadonlyArray<Claim> => {
  const { bare, places, reading } = message
  const isWhole = /location|place|destination|where|address/i.test(slot.name)
  const claim = ({ at, end, value }: Mention<string>, score: number | undefined): ReadonlyArray<Claim> => {
    const said = isWhole ? value : value.split(",", 1)[0]!
    return score === undefined ? [] : [{ at, end, slot, value: titled(said), score }]
  }
  const corrected = slot.known || slot.asked ? correctedTo(reading.text) : undefined
  const isPerson = corrected !== undefined && reading.people.some((person) => overlaps(person, corrected))
  return [
    ...places.flatMap((mention) => {
      const lead = before(reading.text, mention, places)
      const from = /\bfrom\s+$/i.test(lead)
      if (isCalled(slot, lead)) return claim(mention, 10)
      if (from) {
        return claim(mention, slot.begins && !slot.ends ? 8 : slot.asked || home.test(slot.name) ? 3.8 : undefined)
      }
      if (slot.begins && !slot.ends && /\b(?:to|in)\s+$/i.test(lead)) {
        return claim(mention, slot.asked ? 3.8 : undefined)
      }
      return claim(mention, slot.ends && /\bto\s+$/i.test(lead) ? 8 : uncalled(slot, message))
    }),
    ...(corrected === undefined || isPerson ? [] : claim(corrected, slot.known ? 7 : 4.6)),
    ...(slot.asked && bare !== undefined ? claim(bare, 4.4) : []),
    ...(slot.asked && message.mayBeBare ? leading(reading.text).flatMap((mention) => claim(mention, 4.2)) : [])
  ]
}

const freeClaims = (message: Message, slot: Slot): ReadonlyArray<Claim> => {
  const { reading, slots } = message
  const value = reading.text.trim()
  const asked = slots.filter((other) => other.asked && !other.known)
  const isAnswer = message.bare !== undefined || (reading.words.length > 2 && !/\?\s*$/.test(value))
  return slot.asked && asked.every((other) => other === slot) && value !== "" && value.length <= 300 && isAnswer
    ? [{ at: 0, end: reading.text.length, slot, value, score: 4 }]
    : []
}

const textClaims = (message: Message, slot: Slot, pattern: boolean): ReadonlyArray<Claim> => {
  const { dates, emails, links, phones, times } = message.reading
  switch (slot.role) {
    case "email":
      return plainClaims(message, slot, emails)
    case "link":
      return plainClaims(message, slot, links)
    case "phone":
      return plainClaims(message, slot, phones)
    case "date":
      return dateClaims(message, slot, ({ date }) => date)
    case "time": {
      const said = dates.flatMap(({ at, end, value: { time } }) => time === undefined ? [] : [{ at, end, value: time }])
      return plainClaims(message, slot, [...times, ...said])
    }
    case "code":
      return codeClaims(message, slot)
    case "person":
      return personClaims(message, slot)
    case "place":
      return placeClaims(message, slot)
    case "free":
      return pattern ? codeClaims(message, slot) : freeClaims(message, slot)
  }
}

const label = (message: Message, slot: Slot): ReadonlyArray<Claim> => {
  const said = labelled(message.reading, slot)
  if (said === undefined || !["free", "person", "place"].includes(slot.role)) return []
  if (slot.role === "free") return [{ ...said, slot, score: 12 }]
  const bare = bareAnswer(said.value)
  if (bare === undefined) return []
  return [{ at: said.at + bare.at, end: said.at + bare.end, slot, value: titled(bare.value), score: 12 }]
}

/**
 * @internal
 */
export const claimsOf = (message: Message) => (slot: Slot): ReadonlyArray<Claim> => {
  const { kind } = slot
  switch (kind._tag) {
    case "Text":
      return [...label(message, slot), ...textClaims(message, slot, kind.pattern)]
    case "Amount":
      return amountClaims(message, slot, kind.encode)
    case "Date":
      return dateClaims(message, slot, kind.encode)
    case "Choice":
      return choiceClaims(message, slot, kind.options)
    default:
      return []
  }
}

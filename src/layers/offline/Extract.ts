/**
 * From what a message mentions to the values of fields. Each field claims mentions, and the best claims win: a field gets
 * one value, and a mention is used once. Nothing is invented: what is not mentioned is absent.
 *
 * @since 0.1.0
 */
import type { Claim, Message } from "./Claims.js"
import { claimsOf, messageOf, namedOptions } from "./Claims.js"
import type { Field } from "./Kind.js"
import type { Reading, Span } from "./Mentions.js"
import { overlaps } from "./Mentions.js"
import type { Slot } from "./Roles.js"
import { slotOf } from "./Roles.js"
import { conceptsOf, yesOrNo } from "./Words.js"

/** Questions about the world, not requests: "are you open on Sunday?" does not say when somebody comes. */
const inquiry =
  /^(?:(?:and|but|so|ok|okay|also|hi|hello|hey|oh|by the way),?\s+){0,4}(?:when|what|which|where|who|why|how|are you|is the|is it|do you|does|did you)\b/i

const request = /\b(?:(?:do|can|could) (?:you|i|we) (?:have|get|book|offer|reserve)|you have|(?:what|how) about)\b/i

const inquiries = (text: string): ReadonlyArray<Span> => {
  let at = 0
  return text.split(/(?<=[.?!\n])\s/).flatMap((sentence) => {
    const span = { at, end: at + sentence.length }
    at = span.end + 1
    return inquiry.test(sentence.trim()) && !request.test(sentence) ? [span] : []
  })
}

/** "not Lisbon", "instead of Lisbon", "change it from Lisbon". */
const isDenied = (text: string, span: Span): boolean => {
  const lead = text.slice(Math.max(0, span.at - 40), span.at)
  return /\b(?:not|instead of|rather than|except|without)\s+(?:(?:in|to|for|on|at|the|a|an)\s+)?$/i.test(lead) ||
    (/\bfrom\s+$/i.test(lead) && /\b(?:change|switch|move)\b/i.test(text))
}

const best = (claims: ReadonlyArray<Claim>, { corrects, slots }: Message): ReadonlyMap<Slot, unknown> => {
  const values = new Map<Slot, unknown>()
  const taken: Array<Span> = []
  const rank = new Map(slots.map((slot, index) => [slot, index]))
  const ordered = claims.slice().sort((one, other) =>
    other.score - one.score || rank.get(one.slot)! - rank.get(other.slot)! ||
    // Who corrects himself means what he said last.
    (corrects ? other.at - one.at : one.at - other.at)
  )
  for (const { at, end, shared, slot, value } of ordered) {
    if (values.has(slot) || taken.some((span) => overlaps(span, { at, end }))) continue
    values.set(slot, value)
    if (shared !== true) taken.push({ at, end })
  }
  return values
}

/** A flag is an answer to what was asked: about its subject ("without breakfast"), or a yes or no to the first one asked. */
const flags = (reading: Reading, slots: ReadonlyArray<Slot>): ReadonlyArray<readonly [Slot, unknown]> => {
  const asked = slots.filter(({ asked, kind }) => asked && kind._tag === "Flag")
  const said = conceptsOf(reading.text)
  const about = asked.flatMap((slot): ReadonlyArray<readonly [Slot, boolean]> => {
    const subjects = [...slot.nameStems].filter((stem) => !/^(?:want|has|ha|need|with|includ)$/.test(stem))
    if (subjects.some((stem) => said.has(`-${stem}`))) return [[slot, false]]
    return subjects.some((stem) => said.has(stem)) ? [[slot, !said.has("no")]] : []
  })
  const first = asked.find((slot) => !slot.known) ?? asked[0]
  const answer = yesOrNo(reading.text)
  const answers = about.length > 0
    ? about
    : first === undefined || answer === undefined
    ? []
    : [[first, answer] as const]
  return answers.flatMap(([slot, value]) => slot.kind._tag === "Flag" ? [[slot, slot.kind.encode(value)]] : [])
}

const lists = (message: Message): ReadonlyArray<readonly [Slot, unknown]> =>
  message.slots.flatMap((slot): ReadonlyArray<readonly [Slot, unknown]> => {
    if (slot.kind._tag !== "Many") return []
    const { reading } = message
    const { of } = slot.kind
    if (of._tag === "Choice") {
      const named = namedOptions(reading, of.options).filter((span) => !isDenied(reading.text, span))
      const values = [...new Set(named.map(({ value }) => value))]
      return values.length > 0 ? [[slot, values]] : []
    }
    const isSole = message.slots.every((other) => other === slot || !other.asked || other.known)
    if (of._tag !== "Text" || !slot.asked || !isSole || !message.mayBeBare || reading.text.length > 300) return []
    const values = reading.text.split(/[,;\n]|\s+and\s+/).map((item) => item.trim()).filter((item) => item !== "")
    return values.length > 0 && !/\?\s*$/.test(reading.text) ? [[slot, values]] : []
  })

const records = (message: Message, manner: Manner): ReadonlyArray<readonly [Slot, unknown]> =>
  message.slots.flatMap((slot): ReadonlyArray<readonly [Slot, unknown]> => {
    if (slot.kind._tag !== "Record") return []
    const fields = slot.kind.fields.map((field) => ({ ...field, asked: slot.asked, known: slot.known }))
    const values = extract(message.reading, fields, manner)
    const complete = fields.every(({ name, required }) => !required || Object.hasOwn(values, name))
    return complete && Object.keys(values).length > 0 ? [[slot, values]] : []
  })

/**
 * How to read a message.
 *
 * @internal
 */
export interface Manner {
  /** It may be nothing but the answer to what was asked. */
  readonly mayBeBare: boolean
  /** Its questions count too: what a tool is asked is in them. */
  readonly questions: boolean
}

/**
 * The encoded values of the fields that the message mentions.
 *
 * @internal
 */
export const extract = (
  reading: Reading,
  fields: ReadonlyArray<Field>,
  manner: Manner
): Record<string, unknown> => {
  // What is asked and unknown claims first.
  const order = ({ asked, known }: Slot) => asked && !known ? 0 : asked ? 1 : known ? 3 : 2
  const slots = fields.map(slotOf)
  const ranked = slots.slice().sort((one, other) => order(one) - order(other))
  const asks = manner.questions ? [] : inquiries(reading.text)
  const message = messageOf(reading, ranked, manner.mayBeBare && asks.length === 0)
  const claims = ranked.flatMap(claimsOf(message)).filter((claim) =>
    !isDenied(reading.text, claim) && (claim.score > 6 || !asks.some((ask) => claim.end > 0 && overlaps(ask, claim)))
  )
  const values = new Map([
    ...best(claims, message),
    ...lists(message),
    ...records(message, manner),
    ...flags(reading, ranked)
  ])
  return Object.fromEntries(slots.flatMap((slot) => values.has(slot) ? [[slot.name, values.get(slot)]] : []))
}

/**
 * Extracts the values of fields from a message. Each field claims mentions, and the best claims win: a field gets one
 * value, and a mention is used once. A field without a mention stays absent.
 */
import { amountClaims } from "./Amounts.js"
import { choiceClaims, namedOptions } from "./Choices.js"
import type { Claim, Message } from "./Claims.js"
import { messageOf } from "./Claims.js"
import { indifferences, inquiries, isDenied, withdrawals } from "./Corrections.js"
import { dayClaims } from "./Days.js"
import type { Field, Kind } from "./FieldKind.js"
import type { Span } from "./Mentions.js"
import { outside, overlaps } from "./Mentions.js"
import type { Reading } from "./Reading.js"
import type { Slot } from "./Slot.js"
import { slotOf } from "./Slot.js"
import { textClaims } from "./Texts.js"
import { conceptsOf, yesOrNo } from "./Topics.js"

type Values = ReadonlyArray<readonly [Slot, unknown]>

const claimsOf = (message: Message) => (slot: Slot): ReadonlyArray<Claim> => {
  const { kind } = slot
  switch (kind._tag) {
    case "Text":
      return textClaims(message, slot)
    case "Amount":
      return amountClaims(message, slot, kind.encode)
    case "Date":
      return dayClaims(message, slot, kind.encode)
    case "Choice":
      return choiceClaims(message, slot, kind.options)
    default:
      return []
  }
}

/** Words between two values of which the user has not chosen one: "Rome or Milan", "between 3 and 5". */
const between = /^,? (or|oder|ou|o|of|and)(?: (?:maybe|even|in|on|at|to|the))? $/i

/** True if the message leaves open whether it means this value or another one of the same field. */
const isAlternative = ({ text }: Reading, claims: ReadonlyArray<Claim>) => (claim: Claim): boolean =>
  claims.some((other) => {
    if (other.slot !== claim.slot || other.value === claim.value || claim.end === 0 || other.end === 0) return false
    const [first, next] = claim.at < other.at ? [claim, other] : [other, claim]
    const word = between.exec(text.slice(first.end, next.at))?.[1]
    return word !== undefined && (!/^and$/i.test(word) || /\bbetween $/i.test(text.slice(0, first.at).slice(-9)))
  })

const best = (claims: ReadonlyArray<Claim>, { corrects, slots }: Message): ReadonlyMap<Slot, unknown> => {
  const values = new Map<Slot, unknown>()
  const taken: Array<Span> = []
  const rank = new Map(slots.map((slot, index) => [slot, index]))
  const ordered = claims.slice().sort((one, other) =>
    other.score - one.score || rank.get(one.slot)! - rank.get(other.slot)! ||
    // In a message that corrects itself, the last value counts.
    (corrects ? other.at - one.at : one.at - other.at)
  )
  for (const { at, end, shared, slot, value } of ordered) {
    if (values.has(slot) || taken.some((span) => overlaps(span, { at, end }))) continue
    values.set(slot, value)
    if (shared !== true) taken.push({ at, end })
  }
  return values
}

const wishes = /^(?:want|has|ha|need|with|includ)$/

/**
 * True if the flag's subject is mentioned ("breakfast"), false if it is denied ("without breakfast"), else undefined.
 */
const statedFlag = (slot: Slot, said: ReadonlySet<string>): boolean | undefined => {
  const subjects = [...slot.nameStems].filter((stem) => !wishes.test(stem))
  if (subjects.some((stem) => said.has(`-${stem}`))) return false
  return subjects.some((stem) => said.has(stem)) ? !said.has("no") : undefined
}

/**
 * Returns the values of flags for which the step asks: from a mention of their subject, or from a yes or no for the
 * first of them.
 */
const flags = ({ reading: { text }, slots }: Message): Values => {
  const asked = slots.filter(({ asked, kind }) => asked && kind._tag === "Flag")
  const said = conceptsOf(text)
  const stated = asked.map((slot) => [slot, statedFlag(slot, said)] as const).filter(([, value]) => value !== undefined)
  const answered = [[asked.find(({ known }) => !known) ?? asked[0], yesOrNo(text)] as const]
  return (stated.length > 0 ? stated : answered).flatMap(([slot, value]): Values =>
    slot?.kind._tag === "Flag" && value !== undefined ? [[slot, slot.kind.encode(value)]] : []
  )
}

const listOf = (message: Message, slot: Slot, of: Kind): ReadonlyArray<unknown> => {
  if (of._tag !== "Choice") return []
  const named = namedOptions(message.reading, of.options).filter((span) => !isDenied(message.reading.text, span))
  return [...new Set(named.map(({ value }) => value))]
}

const lists = (message: Message): Values =>
  message.slots.flatMap((slot): Values => {
    const values = slot.kind._tag === "Many" ? listOf(message, slot, slot.kind.of) : []
    return values.length > 0 ? [[slot, values]] : []
  })

const records = (message: Message, manner: Manner): Values =>
  message.slots.flatMap((slot): Values => {
    if (slot.kind._tag !== "Record") return []
    const fields = slot.kind.fields.map((field) => ({ ...field, asked: slot.asked, known: slot.known }))
    const { values } = extract(message.reading, fields, manner)
    const complete = fields.every(({ name, required }) => !required || Object.hasOwn(values, name))
    return complete && Object.keys(values).length > 0 ? [[slot, values]] : []
  })

/** Options for reading a message. */
interface Manner {
  /** True if the whole message may be an answer to the agent's question. */
  readonly mayBeBare: boolean
  /** True if values in questions count, because a request for a tool may be a question. */
  readonly questions: boolean
}

/** The values and other statements about fields in a message. */
export interface Extraction {
  /** Encoded values, by the name of the field. */
  readonly values: Record<string, unknown>
  /**
   * Names of fields whose values are withdrawn, and of fields whose value does not matter; without fields that have a
   * value in the message.
   */
  readonly withdrawn: ReadonlyArray<string>
  readonly indifferent: ReadonlyArray<string>
}

/** Returns the rank of a field: fields for which the step asks and that are unknown claim values first. */
const order = ({ asked, known }: Slot): number => asked ? known ? 1 : 0 : known ? 3 : 2

/** Blanks out the phrases that withdraw values, so that "forget the date" cancels only the date. */
export const remaining = (reading: Reading, fields: ReadonlyArray<Field>): string =>
  withdrawals(reading, fields.map(slotOf)).reduce(
    (text, { at, end }) => text.slice(0, at) + " ".repeat(end - at) + text.slice(end),
    reading.text
  )

/** Extracts the fields' values from a message. */
export const extract = (reading: Reading, fields: ReadonlyArray<Field>, manner: Manner): Extraction => {
  const slots = fields.map(slotOf)
  const ranked = slots.slice().sort((one, other) => order(one) - order(other))
  const asks = manner.questions ? [] : inquiries(reading.text)
  const takenBack = withdrawals(reading, slots)
  const indifferent = indifferences(reading, slots)
  const isAnswer = asks.length + takenBack.length + indifferent.length === 0
  const message = messageOf(reading, ranked, manner.mayBeBare && isAnswer)
  const found = ranked.flatMap(claimsOf(message))
  const open = found.filter(isAlternative(reading, found))
  const isOpen = (claim: Claim) => open.some((one) => one.slot === claim.slot && overlaps(one, claim))
  const claims = found.filter((claim) =>
    !isOpen(claim) && !isDenied(reading.text, claim) && outside(takenBack)(claim) &&
    (claim.score > 6 || !asks.some((ask) => claim.end > 0 && overlaps(ask, claim)))
  )
  const values = new Map([
    ...best(claims, message),
    ...lists(message),
    ...records(message, manner),
    ...(isAnswer || asks.length > 0 ? flags(message) : [])
  ])
  const without = (among: ReadonlyArray<Slot>) =>
    [...new Set(among.filter((slot) => !values.has(slot)))].map(({ name }) => name)
  return {
    values: Object.fromEntries(slots.flatMap((slot) => values.has(slot) ? [[slot.name, values.get(slot)]] : [])),
    withdrawn: without(takenBack.map(({ slot }) => slot)),
    indifferent: without(indifferent)
  }
}

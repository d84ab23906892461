/** Assigns days to fields: by the field's name, and by words that mark the first and the last day of a range. */
import type { Claim, Message } from "./Claims.js"
import { isCalled, leadOf, uncalled } from "./Claims.js"
import type { SaidDay } from "./FieldKind.js"
import type { Mention } from "./Mentions.js"
import type { Slot } from "./Slot.js"

const starting =
  /\b(?:from|arriv\w{1,4}|start\w{0,4}|begin\w{0,5}|check\w{0,3}[ -]?in)\W{1,5}(?:\w{1,12}\W{1,5}){0,2}$/i
const closing =
  /\b(?:until|till|to|through|leav\w{1,4}|return\w{0,4}|depart\w{0,4}|check\w{0,3}[ -]?out)\W{1,5}(?:\w{1,12}\W{1,5}){0,2}$/i

/** Returns "opens" or "closes" if the words before a day mark it as the first or the last day of a range. */
const sideOf = (lead: string, { closes }: SaidDay): "opens" | "closes" | undefined =>
  closes || closing.test(lead) ? "closes" : starting.test(lead) ? "opens" : undefined

const beginScore = (message: Message, slot: Slot, side: "opens" | "closes" | undefined): number | undefined => {
  if (side === "opens") return 8
  return side === "closes" && message.slots.some(({ ends }) => ends) ? undefined : uncalled(slot, message)
}

const scoreOf = (message: Message, slot: Slot, mention: Mention<SaidDay>): number | undefined => {
  const { dates, text } = message.reading
  const lead = leadOf(text, mention, dates)
  if (isCalled(slot, lead) && !mention.value.closes) return 10
  const side = sideOf(lead, mention.value)
  if (slot.begins) return beginScore(message, slot, side)
  if (!slot.ends) return uncalled(slot, message)
  if (side !== undefined) return side === "closes" ? 8 : undefined
  return slot.asked ? uncalled(slot, message) : dates.length > 1 ? 1 : undefined
}

const isWeekday = /^(?:on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i

const days = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000

/** Number of days from the Monday of its week; day 4 of the epoch was a Monday. */
const sinceMonday = (day: number): number => (((day - 4) % 7) + 7) % 7

/**
 * Moves a weekday that corrects a known day into the week of that day: "no, Thursday" after "next Friday". A message
 * never names a day before today, so the week is never an earlier one.
 */
const inWeekOf = (
  slot: Slot,
  { corrects, reading: { text } }: Message,
  { at, end, value }: Mention<SaidDay>
): SaidDay => {
  const known = typeof slot.value === "string" ? days(slot.value.slice(0, 10)) : NaN
  const isMoved = (corrects || /\bnot\b/i.test(text)) && isWeekday.test(text.slice(at, end))
  const said = days(value.date)
  if (!slot.known || !isMoved || Number.isNaN(known)) return value
  const meant = known - sinceMonday(known) + sinceMonday(said)
  return meant <= said ? value : { ...value, date: new Date(meant * 86_400_000).toISOString().slice(0, 10) }
}

export const dayClaims = (message: Message, slot: Slot, encode: (day: SaidDay) => unknown): ReadonlyArray<Claim> =>
  message.reading.dates.flatMap((mention) => {
    const score = scoreOf(message, slot, mention)
    return score === undefined ? [] : [{ ...mention, slot, value: encode(inWeekOf(slot, message, mention)), score }]
  })

/**
 * What a field claims of a message: a value, where it stands, and how sure that is.
 *
 * @since 0.1.0
 */
import { corrects } from "./Corrections.js"
import type { Mention, Span } from "./Mentions.js"
import { bareAnswer, peopleIn, placesIn } from "./Names.js"
import type { Reading } from "./Reading.js"
import type { Slot } from "./Slot.js"
import { wordsOf } from "./Words.js"

export interface Claim extends Span {
  readonly slot: Slot
  /** Encoded. */
  readonly value: unknown
  /** Above 6: said for this field. From 4: an answer to what was asked. Below: the field it fits best. */
  readonly score: number
  /** Other fields may use the same words: a first and a last name. */
  readonly shared?: boolean
}

/** A message with what is known about it as a whole. */
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

export const messageOf = (reading: Reading, slots: ReadonlyArray<Slot>, mayBeBare: boolean): Message => {
  const people = peopleIn(reading)
  const isCorrection = corrects(reading.text)
  return {
    reading,
    slots,
    corrects: isCorrection,
    mayBeBare,
    bare: mayBeBare && !isCorrection ? bareAnswer(reading.text) : undefined,
    people,
    places: placesIn(reading, people.introduced)
  }
}

/** The clause before a mention: not past a full stop, nor past another mention of its kind. */
export const leadOf = (text: string, span: Span, others: ReadonlyArray<Span>): string => {
  const from = others.reduce((last, { end }) => end <= span.at ? Math.max(last, end) : last, Math.max(0, span.at - 80))
  return text.slice(from, span.at).split(/[.;!?\n]\s/).at(-1) ?? ""
}

/** Whether the field is called by its name shortly before. */
export const isCalled = (slot: Slot, lead: string): boolean =>
  wordsOf(lead.replace(/\b(check|pick|drop)(?:ing)?[ -](in|out|up|off)\b/gi, "$1$2"))
    .slice(-5).some(({ norm, stem }) => norm !== "name" && slot.nameStems.has(stem))

/**
 * How sure a value is that could be for the field and does not call it by its name. What is known and not asked for is
 * corrected only by a message that is about it.
 */
export const uncalled = (slot: Slot, { corrects, reading }: Message): number | undefined => {
  if (slot.asked) return slot.known ? 4.5 : 5
  if (!slot.known) return 3
  return corrects ? 4 : reading.words.length <= 10 ? 2 : undefined
}

/** A field's claim on a part of a message: the value, its position, and a score. */
import { corrects } from "./Corrections.js"
import { bareAnswer, peopleIn, placesIn } from "./MentionedNames.js"
import type { Mention, Span } from "./Mentions.js"
import type { Reading } from "./Reading.js"
import type { Slot } from "./Slot.js"
import { withJoinedVerbs, wordsOf } from "./Words.js"

export interface Claim extends Span {
  readonly slot: Slot
  /** Encoded. */
  readonly value: unknown
  /**
   * Above 6: the message names this field. From 4: the value answers the question for this field. Below 4: the value
   * only fits this field better than other fields.
   */
  readonly score: number
  /** True if other fields may use the same words too, as for a first and a last name. */
  readonly shared?: boolean
}

/** A message, with facts about the whole message. */
export interface Message {
  readonly reading: Reading
  readonly slots: ReadonlyArray<Slot>
  readonly corrects: boolean
  /** True if the whole message may be the answer to the agent's question. */
  readonly mayBeBare: boolean
  /** The value, if the message is only a short answer. */
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

/** The clause before a mention, up to the last full stop or mention of the same kind. */
export const leadOf = (text: string, span: Span, others: ReadonlyArray<Span>): string => {
  const from = others.reduce((last, { end }) => end <= span.at ? Math.max(last, end) : last, Math.max(0, span.at - 80))
  return text.slice(from, span.at).split(/[.;!?\n]\s/).at(-1) ?? ""
}

/** True if the field's name occurs shortly before the value. */
export const isCalled = (slot: Slot, lead: string): boolean =>
  wordsOf(withJoinedVerbs(lead))
    .slice(-5).some(({ norm, stem }) => norm !== "name" && slot.nameStems.has(stem))

/**
 * Returns the score of a value that fits the field, although the message does not name the field; undefined for no
 * claim. A known field for which the step does not ask gets a score only from a correction or a short message.
 */
export const uncalled = (slot: Slot, { corrects, reading }: Message): number | undefined => {
  if (slot.asked) return slot.known ? 4.5 : 5
  if (!slot.known) return 3
  return corrects ? 4 : reading.words.length <= 10 ? 2 : undefined
}

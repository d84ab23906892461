/**
 * Recognises the other things that a message says about fields: it labels, corrects or denies values, asks about them,
 * withdraws them, or says that they do not matter.
 */
import { bareAnswer } from "./MentionedNames.js"
import type { Mention, Span } from "./Mentions.js"
import { matchesOf } from "./Mentions.js"
import type { Reading } from "./Reading.js"
import type { Slot } from "./Slot.js"
import { isNamed } from "./Slot.js"

const link =
  /^(?:\s{1,9}(?:to|is|should be|must be|will be|as)\s{1,9}|\s{0,9}[:=]\s{0,9}|\s{1,9}(?:to|is)\s{0,9}[:=]\s{0,9})(?!not\b|\s)/

/** A full stop after an abbreviation or a single letter ends no value. */
const valueEnd =
  /(?<!(?<!\p{L})(?:ste?|mt|ft|dra?|mr|mrs|ms|prof|sra?|jr|\p{L}))[.!?;\n](?:\s|$)|[!?;\n](?:\s|$)|,?\s(?:and|but|please)\s/iu

/** Returns the value after the name of its field: "change the city to Porto", "guests: 3". */
export const labelled = ({ text, words }: Reading, slot: Pick<Slot, "nameStems">): Mention<string> | undefined => {
  for (const { end, stem } of words) {
    if (!slot.nameStems.has(stem)) continue
    const rest = text.slice(end, end + 300)
    const lead = link.exec(rest)?.[0]
    if (lead === undefined) continue
    const value = rest.slice(lead.length).split(valueEnd, 1)[0]!.trim()
    const at = end + lead.length
    if (value !== "") return { at, end: at + value.length, value }
  }
  return undefined
}

const corrections =
  /\b(?:make (?:it|that)|change (?:it|that) to|switch (?:it )?to|i meant?|(?:i['’]d|i would) rather(?: have| go to| take| stay in)?|let['’]s (?:do|say)|no,|nope,|actually,?)\s{1,9}(?!\s)/i

/** True if the message corrects an earlier value. */
export const corrects = (text: string): boolean =>
  corrections.test(text) || /\b(?:instead|rather|wait|sorry|correction|change|switch)\b/i.test(text)

/** Returns the value of a correction: "actually make it Porto", "no, Porto instead". */
export const correctedTo = (text: string): Mention<string> | undefined => {
  const match = corrections.exec(text)
  const from = match === null ? 0 : match.index + match[0].length
  const instead = text.slice(from).search(/\binstead\b/i)
  if (match === null && instead < 0) return undefined
  const bare = bareAnswer(instead < 0 ? text.slice(from) : text.slice(from, from + instead))
  return bare === undefined ? undefined : { at: bare.at + from, end: bare.end + from, value: bare.value }
}

/** True if the value is denied: "not Lisbon", "instead of Lisbon", "change it from Lisbon". */
export const isDenied = (text: string, span: Span): boolean => {
  const lead = text.slice(Math.max(0, span.at - 40), span.at)
  return /\b(?:not|instead of|rather than|other than|except(?: for)?|without|any(?:thing|where) but)\s{1,9}(?:(?:in|to|for|on|at|the|a|an)\s{1,9})?$/i
    .test(
      lead
    ) ||
    (/\bfrom\s{1,9}$/i.test(lead) && /\b(?:change|switch|move)\b/i.test(text))
}

const inquiry =
  /^(?:(?:and|but|so|ok|okay|also|hi|hello|hey|oh|by the way),?\s{1,9}){0,4}(?:when|what|which|where|who|why|how|are you|is the|is it|do you|does|did you)\b/i

const request = /\b(?:(?:do|can|could) (?:you|i|we) (?:have|get|book|offer|reserve)|you have|(?:what|how) about)\b/i

/** Finds questions for information, as opposed to requests: "are you open on Sunday?" does not state a date. */
export const inquiries = (text: string): ReadonlyArray<Span> => {
  let at = 0
  return text.split(/(?<=[.?!\n])\s/).flatMap((sentence) => {
    const span = { at, end: at + sentence.length }
    at = span.end + 1
    return inquiry.test(sentence.trim()) && !request.test(sentence) ? [span] : []
  })
}

/** A phrase about a field, with its position. */
interface FieldPhrase extends Span {
  readonly slot: Slot
}

/** Finds the fields named within the first three words after a phrase; the span includes their names. */
const namedAfter = (
  { text, words }: Reading,
  slots: ReadonlyArray<Slot>,
  { at, end }: Span
): ReadonlyArray<FieldPhrase> => {
  const clause = end + text.slice(end, end + 60).split(/[.,;!?\n]|\b(?:and|but|is|are|to|for)\b/i, 1)[0]!.length
  const following = words.filter((word) => word.at >= end && word.end <= clause).slice(0, 3)
  return slots.flatMap((slot) => {
    const name = following.findLast(({ stem }) => isNamed(slot, stem))
    return name === undefined ? [] : [{ at, end: name.end, slot }]
  })
}

const takingBack =
  /(?<!(?:not|n['’]t|dont|never) )\b(?:forget|drop|remove|delete|clear|erase|scratch|undo|unset|ignore|never mind|leave out|take back)(?: about)?(?: (?:the|my|our|that|this|your))?(?= )/gi

/** Finds fields whose values are withdrawn: "forget the date". */
export const withdrawals = (reading: Reading, slots: ReadonlyArray<Slot>): ReadonlyArray<FieldPhrase> =>
  matchesOf(reading.text, takingBack).flatMap((span) => namedAfter(reading, slots, span))

const whichever =
  /(?<!(?:have|got|there|is|are|not|n['’]t|without) )\b(?:any|whichever|whatever|no preference (?:for|on|about)|(?:don['’]?t|do not) (?:care|mind)(?: about)?)(?: (?:the|which|what))?(?= )/gi

const indifferent =
  /^(?:(?:oh|well|hm+|um|i|i'm|really|it|that|ok),? ){0,4}(?:any(?:thing|one|where|time| of them| one)?(?: is| will| would| works?| goes| at all)?(?: be| do)?(?: fine| ok(?:ay)?| good| great)?|either|whichever|whatever|(?:don['’]?t|do not|doesn['’]?t|does not) (?:really )?(?:care|mind|matter)(?: at all| either way)?|no preference|(?:it['’]s )?up to you|you (?:choose|decide|pick)|surprise me)(?: please| thanks| thank you)?[.!]{0,3}$/i

/**
 * Finds fields whose value does not matter: "any city is fine", or "I don't care" if the step asks for only one field.
 */
export const indifferences = (reading: Reading, slots: ReadonlyArray<Slot>): ReadonlyArray<Slot> => {
  const called = matchesOf(reading.text, whichever).flatMap((span) => namedAfter(reading, slots, span))
  const asked = slots.filter((slot) => slot.asked && !slot.known)
  if (called.length > 0) return called.map(({ slot }) => slot)
  return asked.length === 1 && reading.text.length < 100 && indifferent.test(reading.text.trim()) ? asked : []
}

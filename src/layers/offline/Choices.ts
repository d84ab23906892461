/** Finds options that a message names, whether written "one-way", "one way" or "oneway". */
import type { Claim, Message } from "./Claims.js"
import { isCalled, leadOf } from "./Claims.js"
import type { NamedValue } from "./FieldKind.js"
import type { Span } from "./Mentions.js"
import type { Reading } from "./Reading.js"
import type { Slot } from "./Slot.js"
import type { Word } from "./Words.js"
import { wordsOf } from "./Words.js"

const joined = (words: ReadonlyArray<Word>): string => words.map(({ norm }) => norm).join("")

/** Joins the stems of the words; words of up to three letters stay whole. */
const stemmed = (words: ReadonlyArray<Word>): string =>
  words.map(({ norm, stem }) => norm.length > 3 ? stem : norm).join("")

const parts = (text: string): ReadonlyArray<Word> => wordsOf(text.replaceAll("-", " "))

const occurrences = (words: ReadonlyArray<Word>, name: string): ReadonlyArray<Span> => {
  const wanted = parts(name)
  const [key, stem] = [joined(wanted), stemmed(wanted)]
  return key === "" ? [] : words.flatMap((word, index) => {
    const fits = (said: ReadonlyArray<Word>) => joined(said) === key || stemmed(said) === stem
    const length = wanted.findIndex((_, count) => fits(words.slice(index, index + count + 1))) + 1
    return length === 0 ? [] : [{ at: word.at, end: words[index + length - 1]!.end }]
  })
}

/** A position in the message at which an option is named. */
interface Occurrence extends Span {
  readonly value: unknown
  /** True if the message uses the option's own name or label, false if it uses a name from the option's description. */
  readonly own: boolean
  readonly length: number
}

/** Finds the places where the options of a choice are named. */
export const namedOptions = ({ text }: Reading, options: ReadonlyArray<NamedValue>): ReadonlyArray<Occurrence> => {
  const words = parts(text)
  return options.flatMap(({ labels = [], names, value }) =>
    [...names, ...labels].flatMap((name, index) =>
      occurrences(words, name).map((span) => ({
        ...span,
        value,
        own: index === 0 || index >= names.length,
        length: name.length
      }))
    )
  )
}

export const choiceClaims = (
  { reading }: Message,
  slot: Slot,
  options: ReadonlyArray<NamedValue>
): ReadonlyArray<Claim> =>
  namedOptions(reading, options)
    .filter(({ length }) => length > 1 || slot.asked)
    .map(({ at, end, length, own, value }) => {
      const base = isCalled(slot, leadOf(reading.text, { at, end }, [])) ? 8 : slot.asked ? 6 : 4
      return { at, end, slot, value, score: base + (own ? 0.5 : 0) + Math.min(length, 40) / 100 }
    })

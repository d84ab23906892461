/** Reads days and times by rules in the words that a model quotes, because small models miscount days. */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ownValue } from "../../domain/base/ownValue.js"
import * as Evidence from "../../domain/language/Evidence.js"
import type { Answers, Questions, Service } from "../../services/understanding/Understanding.js"
import { extract } from "./Extract.js"
import type { Field } from "./FieldKind.js"
import { fromSchema } from "./FieldKind.js"
import { readingOf } from "./OfflineUnderstanding.js"
import type { Reading } from "./Reading.js"
import { slotOf } from "./Slot.js"

/** Returns the value of the field in a text in which nothing else is asked for. */
const valueIn = (reading: Reading, field: Field): unknown =>
  extract(reading, [field], { mayBeBare: true, questions: true }).values[field.name]

/** Returns the days or the times that a text has, as far as the field can take them; undefined for other fields. */
const mentionsOf = (field: Field): ((reading: Reading) => ReadonlyArray<unknown>) | undefined => {
  const { kind, role } = slotOf(field)
  if (kind._tag === "Date" || kind._tag === "Text" && role === "date") return ({ dates }) => dates
  return kind._tag === "Text" && role === "time" ? ({ times }) => times : undefined
}

const since = /^(?:since|seit|desde(?: el)?|depuis|dal)\s+(?=\p{L})/iu

/**
 * Returns texts in which to look for the day that the words mean, the best first. Of "since last Friday" a model may quote
 * "Friday"; and a weekday since which something is so is past.
 */
const textsFor = (message: string, said: string): ReadonlyArray<string> => {
  const at = message.toLowerCase().indexOf(said.toLowerCase())
  const before = message.slice(0, Math.max(0, at)).trimEnd().split(/\s/).slice(-1)
  const wider = [...before, said].join(" ").trimStart()
  return [wider, said].flatMap((text) => since.test(text) ? [text.replace(since, "last "), text] : [text])
}

const withDays = (questions: Questions, answers: Answers, now: Date): Answers => {
  const { words } = answers
  if (words === undefined) return answers
  const message = readingOf(questions, questions.message, now)
  const read = questions.fields.flatMap(({ description, name, schema }): ReadonlyArray<[string, unknown]> => {
    const said = ownValue(words, name)
    if (said === undefined || !Evidence.standsIn(questions.message, said)) return []
    const field = fromSchema(schema, { name, description, asked: true, known: false, required: true })
    const mentions = mentionsOf(field)
    if (mentions === undefined) return []
    // Where the message has one day, that day is meant, whatever part of it is quoted.
    const value = mentions(message).length === 1
      ? valueIn(message, field)
      : Option.getOrUndefined(Arr.findFirst(
        textsFor(questions.message, said),
        (text) => Option.fromNullable(valueIn(readingOf(questions, text, now), field))
      ))
    return value === undefined ? [] : [[name, value]]
  })
  return read.length === 0 ? answers : { ...answers, fields: { ...answers.fields, ...Object.fromEntries(read) } }
}

/**
 * Lets an understanding find the words for days and times, and reads by rules which day and time they are: "the day after
 * tomorrow", "next Friday at half past seven". Where the rules read nothing, the answer stays. The understanding must quote
 * words, as one with `evidence: "words"` does. For small models, which miscount days; in languages that the offline model
 * reads.
 */
export const readDays = (understanding: Service): Service => ({
  answer: (questions) =>
    Effect.zipWith(
      understanding.answer(questions),
      Clock.currentTimeMillis,
      (answers, now) => withDays(questions, answers, new Date(now))
    )
})

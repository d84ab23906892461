/** Checks the words by which a message states its values: a value is dropped if its words do not stand there. */
import { ownValue } from "../../domain/base/ownValue.js"
import { forget } from "../../domain/fields/Fields.js"
import * as Evidence from "../../domain/language/Evidence.js"
import type * as Understanding from "../../services/understanding/Understanding.js"

/** Returns the reason why the words are no evidence for the value; undefined if they are. */
const reasonAgainst = (message: string, words: string, value: unknown): string | undefined =>
  words.trim() === ""
    ? "the answer quotes no words of the message for it"
    : !Evidence.standsIn(message, words)
    ? "the words that the answer quotes for it do not stand in the message"
    : Evidence.canMean(words, value)
    ? undefined
    : "the words that the answer quotes for it mean another value"

/** The answers with the values that have evidence; their words, and the reasons against the other values. */
export interface Believed {
  readonly answers: Understanding.Answers
  readonly quoted: ReadonlyArray<{ readonly name: string; readonly words: string }>
  readonly refused: ReadonlyArray<{ readonly name: string; readonly why: string }>
}

/** Checks each value that comes with words. */
export const believed = (
  { message }: Pick<Understanding.Questions, "message">,
  answers: Understanding.Answers
): Believed => {
  const all = Object.entries(answers.words ?? {}).flatMap(([name, words]) => {
    const value = ownValue(answers.fields, name)
    return value === undefined || value === null ? [] : [{ name, words, why: reasonAgainst(message, words, value) }]
  })
  const refused = all.flatMap(({ name, why }) => why === undefined ? [] : [{ name, why }])
  return {
    answers: refused.length === 0
      ? answers
      : { ...answers, fields: forget(answers.fields, refused.map(({ name }) => name)) },
    quoted: all.filter(({ why }) => why === undefined),
    refused
  }
}

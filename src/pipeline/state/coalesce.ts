/** Merges messages that one turn answers: unanswered messages and the message after them. */
import type { UncheckedMessage } from "./Input.js"

const joined = <A>(first: ReadonlyArray<A> = [], second: ReadonlyArray<A> = []): ReadonlyArray<A> | undefined =>
  first.length + second.length === 0 ? undefined : [...first, ...second]

/** Merges the texts, parts and values of two messages; takes all other options from the second. */
const both = (first: UncheckedMessage, second: UncheckedMessage): UncheckedMessage => {
  const message = [first.message, second.message].filter((text) => text !== undefined && text.trim() !== "").join("\n")
  const parts = joined(first.parts, second.parts)
  const values = { ...first.values, ...second.values }
  return {
    ...second,
    ...(message !== "" && { message }),
    ...(parts !== undefined && { parts }),
    ...(Object.keys(values).length > 0 && { values })
  }
}

/** Merges a message with all unanswered messages before it. */
export const coalesceAll = ({ unanswered, ...said }: UncheckedMessage): UncheckedMessage =>
  unanswered === undefined ? said : both(coalesceAll(unanswered), said)

/** Prepends an older unanswered message to the chain of unanswered messages. */
export const prepend = (first: UncheckedMessage, said: UncheckedMessage): UncheckedMessage => ({
  ...said,
  unanswered: said.unanswered === undefined ? first : prepend(first, said.unanswered)
})

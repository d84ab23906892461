/**
 * Messages that are answered as one: those that were left unanswered, and the one that came after them.
 *
 * @since 0.1.0
 */
import type { Said } from "./Input.js"

const joined = <A>(first: ReadonlyArray<A> = [], second: ReadonlyArray<A> = []): ReadonlyArray<A> | undefined =>
  first.length + second.length === 0 ? undefined : [...first, ...second]

/** Both messages as one, sent as the second is. */
const both = (first: Said, second: Said): Said => {
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

/** A message with all that was left unanswered before it, as one message. */
export const coalesceAll = ({ unanswered, ...said }: Said): Said =>
  unanswered === undefined ? said : both(coalesceAll(unanswered), said)

/** The message after another one that is unanswered, which came before all that it is sent with. */
export const prepend = (first: Said, said: Said): Said => ({
  ...said,
  unanswered: said.unanswered === undefined ? first : prepend(first, said.unanswered)
})

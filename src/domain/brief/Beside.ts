/**
 * The structured request behind a prompt, attached to one of its messages and not sent. It is for models that do not
 * read prose (the offline model, test doubles). It stays attached when messages are added to the prompt.
 */
import type * as Prompt from "@effect/ai/Prompt"

interface Beside<A extends object> {
  /** Attaches the value to the message, which must be a new object. */
  readonly put: (message: Prompt.Message, value: A) => Prompt.Message
  /** Returns the value of the last message that has one; `undefined` if the library did not make the prompt. */
  readonly of: (prompt: Prompt.Prompt) => A | undefined
}

export const make = <A extends object>(): Beside<A> => {
  const values = new WeakMap<Prompt.Message, A>()
  return {
    put: (message, value) => {
      values.set(message, value)
      return message
    },
    of: ({ content }) => {
      const message = content.findLast((one) => values.has(one))
      return message && values.get(message)
    }
  }
}

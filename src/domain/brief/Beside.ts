/**
 * What a prompt was made from, beside the prompt. Models that read no prose (the offline model, testing doubles) take it
 * from here; nothing of it is sent. It goes with a message, so that a prompt to which messages were added still has it.
 *
 * @since 0.2.0
 */
import type * as Prompt from "@effect/ai/Prompt"

/**
 * @since 0.2.0
 * @category models
 */
export interface Beside<A extends object> {
  /** The message, which from now on has the value beside it. It must be a new one. */
  readonly put: (message: Prompt.Message, value: A) => Prompt.Message
  /** The value beside the last message that has one; `undefined` for a prompt that the library has not made. */
  readonly of: (prompt: Prompt.Prompt) => A | undefined
}

/**
 * @since 0.2.0
 * @category constructors
 */
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

/**
 * What models are told: a brief is the structured request, `render…` writes it as a prompt, `parse…` reads it back. The
 * wording of prompts is here and nowhere else.
 *
 * @since 0.1.0
 */
import * as Key from "./brief/Key.js"

export * from "./brief/Guarding.js"
export * from "./brief/Judging.js"
export * from "./brief/Speaking.js"
export * from "./brief/Summarizing.js"

/**
 * A new key for a request: six letters and digits from `Random`.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeKey = Key.make

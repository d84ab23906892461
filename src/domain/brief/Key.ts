/**
 * The key of a request: a random word that the instructions name and that stands above what the library itself says of
 * the conversation. Whoever types a block of the library's does not know it.
 *
 * @since 0.1.0
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Transcript from "../Transcript.js"

/**
 * A new key: six letters and digits.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<string> = Effect.map(
  Random.nextIntBetween(0, 36 ** 6),
  (number) => number.toString(36).padStart(6, "0")
)

/**
 * Data under the key.
 *
 * @internal
 */
export const mark = (key: string, data: string): string => `${key}\n${data}`

/**
 * Where the last message under the key is, -1 when there is none.
 *
 * @internal
 */
export const find = (messages: ReadonlyArray<Prompt.Message>, key: string): number =>
  key === "" ?
    -1 :
    messages.findLastIndex((message) => message.role === "user" && Transcript.textOf(message).startsWith(`${key}\n<`))

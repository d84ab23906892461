/**
 * The key of a request: a random word that the instructions name, and that precedes the library's own data blocks.
 * Users do not know it, so they cannot imitate such a block.
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

/** Makes a new key: six letters and digits. */
export const make: Effect.Effect<string> = Effect.map(
  Random.nextIntBetween(0, 36 ** 6),
  (number) => number.toString(36).padStart(6, "0")
)

/**
 * Returns the data with the key in a line before it.
 *
 * @internal
 */
export const mark = (key: string, data: string): string => `${key}\n${data}`

/**
 * Returns the data between two lines with the key, for data that the user's own words follow in the same message.
 *
 * @internal
 */
export const enclose = (key: string, data: string): string => `${mark(key, data)}\n${key}`

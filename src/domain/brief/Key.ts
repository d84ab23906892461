/**
 * The key of a request: a random word that the instructions name and that stands above what the library itself says of
 * the conversation. Whoever types a block of the library's does not know it.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"

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

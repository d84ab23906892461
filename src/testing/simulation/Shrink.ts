/**
 * The shortest list that still does what a longer one does.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"

/** How often it is tried. */
const attempts = 400

/**
 * Leaves out parts, large ones first, as long as what is left still does it. Deterministic.
 *
 * @since 0.1.0
 * @category combinators
 */
export const shrink = <A>(
  all: ReadonlyArray<A>,
  does: (some: ReadonlyArray<A>) => Effect.Effect<boolean>
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function*() {
    let left = all
    let tried = 0
    let size = Math.ceil(all.length / 2)
    while (size >= 1 && tried < attempts) {
      let shorter = false
      for (let at = left.length - size; at > -size && tried < attempts; at -= size) {
        const without = [...left.slice(0, Math.max(0, at)), ...left.slice(at + size)]
        if (without.length === left.length || without.length === 0) continue
        tried++
        if (yield* does(without)) {
          left = without
          shorter = true
        }
      }
      if (!shorter || size > 1) size = size === 1 ? 0 : Math.ceil(size / 2)
      if (size === 1 && shorter && left.length === 1) break
    }
    return left
  })

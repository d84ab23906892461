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
    let length = 0
    // Parts of one are left out again until none can be.
    while (tried < attempts && (size > 1 || length !== left.length)) {
      length = size > 1 ? 0 : left.length
      for (let at = left.length - size; at > -size; at -= size) {
        const without = [...left.slice(0, Math.max(0, at)), ...left.slice(at + size)]
        if (without.length === 0) continue
        tried++
        if (yield* does(without)) left = without
      }
      size = Math.ceil(size / 2)
    }
    return left
  })

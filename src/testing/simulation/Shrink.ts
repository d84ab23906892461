/** Finds a shorter list that still has a property. */
import * as Effect from "effect/Effect"

/** Maximum number of lists tried. */
const attempts = 400

/**
 * Removes parts of the list, large ones first, as long as the shorter list satisfies `does`. The result is
 * deterministic.
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
    // Removes single items until each remaining item is needed.
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

/**
 * Random numbers that depend only on a seed and a purpose, not on the order of calls, so that a shortened conversation
 * gets the same numbers as the longer one.
 */
import * as Hash from "effect/Hash"

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export const roll = (seed: number, ...about: ReadonlyArray<string | number>): number => {
  let mixed = Hash.string(`${seed}/${about.join("/")}`) ^ seed
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 0x1_0000_0000
}

/** Returns one of the items; `undefined` if there are none. */
export const pick = <A>(all: ReadonlyArray<A>, seed: number, ...about: ReadonlyArray<string | number>): A | undefined =>
  all[Math.floor(roll(seed, ...about) * all.length)]

/** Returns one of the items, with a probability in proportion to its weight. */
export const weighted = <A>(
  all: ReadonlyArray<readonly [weight: number, value: A]>,
  seed: number,
  ...about: ReadonlyArray<string | number>
): A | undefined => {
  let left = roll(seed, ...about) * all.reduce((sum, [weight]) => sum + weight, 0)
  return all.find(([weight]) => (left -= weight) < 0)?.[1]
}

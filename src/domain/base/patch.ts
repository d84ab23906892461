/** Fast copies of objects with changed fields. */

const nothing = {}

/**
 * `{ ...before, ...change }`, for frequent calls where the change may add new keys.
 *
 * V8 copies an object that starts a literal at once, and gives the copy a shape of its own. That is fastest if no key
 * is added. But each added key then creates another shape, which takes two microseconds, and makes later reads slow. A
 * literal that starts with another object adds key by key along shapes that all copies share: five times as fast, and
 * quick to read.
 */
export const patch = <A extends object, const B extends object>(before: A, change: B): A & B => ({
  ...nothing,
  ...before,
  ...change
})

/**
 * Returns the value of a key that comes from outside; undefined for `constructor` and other keys that every object has.
 *
 * @internal
 */
export const ownValue = <A>(of: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(of, key) ? of[key] : undefined

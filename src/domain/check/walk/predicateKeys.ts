/** Gives each predicate a number, so that the states of walks can be compared as texts. */
const keys = new WeakMap<object, number>()
let made = 0

/** Returns a number that identifies a predicate's function; a condition in words is its own key. */
export const keyOf = (one: unknown): unknown => {
  if (typeof one !== "function") return one
  const key = keys.get(one) ?? made++
  keys.set(one, key)
  return key
}

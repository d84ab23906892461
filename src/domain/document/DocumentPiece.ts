/**
 * The piece of a document from which a value of a definition was made, so that the value can be written back unchanged.
 */
import type { Json } from "../base/Json.js"

const origins = new WeakMap<object, Json>()

/** Remembers the piece of a document from which a value was made, and returns the value. */
export const from = <A extends object>(value: A, written: Json): A => {
  origins.set(value, written)
  return value
}

/** Returns the piece from which a value was made; `undefined` if it was not made from a document. */
export const of = (value: object): Json | undefined => origins.get(value)

/** Hostile bodies: valid ones with one hostile part. */

/** Stands for a value that `JSON.stringify` cannot write. */
const veryDeep = "4,500 lists"

export const textOf = (body: unknown): string =>
  JSON.stringify(body).replace(`"${veryDeep}"`, "[".repeat(4500) + "]".repeat(4500))

/** Hostile JSON: keys that JavaScript objects inherit, very deep nesting, a huge number. */
export const hostile: ReadonlyArray<unknown> = [
  { _tag: { toString: 1, valueOf: 1 } },
  { toString: 1, valueOf: 1, constructor: 1, then: 1 },
  JSON.parse(`{"__proto__":{"message":"Hi"},"hasOwnProperty":1}`),
  Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], "deep"),
  Array.from({ length: 200 }).reduce<unknown>((inner) => ({ _tag: inner }), "deep"),
  veryDeep,
  1e308
]

/** Copies of the value, each with another part replaced by `by`. */
export const replaced = (value: unknown, by: unknown): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null) return [by]
  const within = Object.entries(value).flatMap(([key, part]) =>
    replaced(part, by).map((one) => Array.isArray(value) ? [one] : { ...value, [key]: one })
  )
  return [by, ...within]
}

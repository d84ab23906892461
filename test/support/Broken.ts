/** Bodies that no client means: right ones with a part that is hostile. */

/** Stands for a value that `JSON.stringify` cannot write. */
const veryDeep = "4,500 lists"

export const textOf = (body: unknown): string =>
  JSON.stringify(body).replace(`"${veryDeep}"`, "[".repeat(4500) + "]".repeat(4500))

/** What JSON may be and no client means: keys that code of its own has, and more depth than anything needs. */
export const hostile: ReadonlyArray<unknown> = [
  { _tag: { toString: 1, valueOf: 1 } },
  { toString: 1, valueOf: 1, constructor: 1, then: 1 },
  JSON.parse(`{"__proto__":{"message":"Hi"},"hasOwnProperty":1}`),
  Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], "deep"),
  Array.from({ length: 200 }).reduce<unknown>((inner) => ({ _tag: inner }), "deep"),
  veryDeep,
  1e308
]

/** The value with each of its parts in turn replaced by what `by` is. */
export const replaced = (value: unknown, by: unknown): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null) return [by]
  const within = Object.entries(value).flatMap(([key, part]) =>
    replaced(part, by).map((one) => Array.isArray(value) ? [one] : { ...value, [key]: one })
  )
  return [by, ...within]
}

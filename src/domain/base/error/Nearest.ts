/** Suggestions for misspelled names. */

/**
 * Number of letters that two words differ by: added, left out, changed, or swapped with a neighbour (edit distance).
 */
const difference = (one: string, other: string): number => {
  let before: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        last[j]! + 1,
        next[j - 1]! + 1,
        last[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwapped ? before[j - 2]! + 1 : Infinity
      )
    }
    before = last
    last = next
  }
  return last[other.length]!
}

/**
 * True if the known name begins or ends with the word, as `isReadOnly` with `readOnly`, or the word begins with the name;
 * such words count as near too.
 */
const isPart = (word: string, name: string): boolean =>
  word.length >= 3 && name.length >= 3 && (word.startsWith(name) || name.startsWith(word) || name.endsWith(word))

/**
 * Returns the name nearest to a word, ignoring case: at most a third of the name's letters differ, or one is a part of
 * the other. Returns `undefined` if no name is near.
 */
export const nearest = (word: string, names: Iterable<string>): string | undefined => {
  const given = word.toLowerCase()
  let best: { readonly name: string; readonly off: number } | undefined
  for (const name of names) {
    const known = name.toLowerCase()
    const most = Math.max(1, Math.floor(known.length / 3))
    if (Math.abs(known.length - given.length) > most && !isPart(given, known)) continue
    const off = difference(given, known)
    const isNear = off <= most && off < known.length || isPart(given, known)
    if (isNear && (best === undefined || off < best.off)) best = { name, off }
  }
  return best?.name
}

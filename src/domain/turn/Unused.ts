/** A list of recorded results. Each can be taken once. */
export interface Unused<A> {
  /** Removes and returns the first remaining result that fits; if none does, the first that fits the next predicate. */
  readonly take: (...fits: ReadonlyArray<(one: A) => boolean>) => A | undefined
  readonly isEmpty: () => boolean
}

export const unused = <A>(all: ReadonlyArray<A>): Unused<A> => {
  const left = [...all]
  return {
    take: (...fits) => {
      for (const fit of fits) {
        const at = left.findIndex(fit)
        if (at >= 0) return left.splice(at, 1)[0]
      }
      return undefined
    },
    isEmpty: () => left.length === 0
  }
}

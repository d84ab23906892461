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
      const at = fits.map((fit) => left.findIndex(fit)).find((at) => at >= 0)
      return at === undefined ? undefined : left.splice(at, 1)[0]
    },
    isEmpty: () => left.length === 0
  }
}

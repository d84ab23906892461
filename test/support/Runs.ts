/**
 * How often a property is tried. The suite tries each up to forty times, with the same values in every run, so that it
 * stays quick; `COXSWAIN_THOROUGH=1 npm test` tries each as often as it was written for.
 */
export const thorough = process.env["COXSWAIN_THOROUGH"] === "1"

export const runs = (most: number, quick = 40): { readonly fastCheck: { readonly numRuns: number } } => ({
  fastCheck: { numRuns: thorough ? most : Math.min(most, quick) }
})

/** Of cases that are much alike every third; all of them when it is to be thorough. */
export const some = <A>(cases: ReadonlyArray<A>): ReadonlyArray<A> =>
  thorough ? cases : cases.filter((_, i) => i % 3 === 0)

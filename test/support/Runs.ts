/**
 * The number of runs of a property: at most forty, with the same values each time, so that the suite stays quick;
 * `COXSWAIN_THOROUGH=1 npm test` uses the full number.
 */
export const thorough = process.env["COXSWAIN_THOROUGH"] === "1"

export const runs = (most: number, quick = 40): { readonly fastCheck: { readonly numRuns: number } } => ({
  fastCheck: { numRuns: thorough ? most : Math.min(most, quick) }
})

/** Every third of many similar cases; all of them in thorough runs. */
export const some = <A>(cases: ReadonlyArray<A>): ReadonlyArray<A> =>
  thorough ? cases : cases.filter((_, i) => i % 3 === 0)

/**
 * How often a property is tried. The suite tries each up to a hundred times, so that it stays quick;
 * `COXSWAIN_THOROUGH=1 npm run unit` tries each as often as it was written for.
 */
export const thorough = process.env["COXSWAIN_THOROUGH"] === "1"

export const runs = (most: number, quick = 100): { readonly fastCheck: { readonly numRuns: number } } => ({
  fastCheck: { numRuns: thorough ? most : Math.min(most, quick) }
})

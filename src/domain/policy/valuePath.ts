/** The paths by which conditions name parts of arguments and results. */

/** A part of a path: a key, the key that an argument of the call names, or each element of a list. */
export type Segment = { readonly key: string } | { readonly argument: string } | { readonly each: true }

export const segmentsOf = (path: string): ReadonlyArray<Segment> =>
  Array.from(path.matchAll(/\[([^[\]]+)\]|([^.[\]]+)/g), ([, bracket, key = ""]): Segment => {
    if (bracket !== undefined) return /^\d+$/.test(bracket) ? { key: bracket } : { argument: bracket }
    return key === "*" ? { each: true } : { key }
  })

/** Returns the arguments that a path names. */
export const argumentsIn = (path = ""): ReadonlyArray<string> =>
  segmentsOf(path).flatMap((one) => "argument" in one ? [one.argument] : [])

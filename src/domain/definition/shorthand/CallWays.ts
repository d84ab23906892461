/** The ways in which a call step continues, by the outcome of the call. */
import * as Predicate from "effect/Predicate"
import { recordOf } from "../../base/Json.js"

/**
 * The outcomes of a call that `then` can name. Without an entry, a call with invalid arguments continues as for
 * `failed`, a successful one with the next step, and after a refusal by a check the flow stays at the step.
 */
const ends = ["ok", "denied", "invalid", "failed"] as const

export type End = typeof ends[number]

/** One way to continue after a call: its id in traces, its path in the step, and its condition. */
export interface CallWay {
  readonly end: End
  readonly id: string
  readonly path: string
  readonly if: unknown
  readonly then: unknown
}

/** Returns the ways to continue that a `then` gives, in the order in which they are tried. */
export const of = (then: unknown): ReadonlyArray<CallWay> =>
  ends.flatMap((end): ReadonlyArray<CallWay> => {
    const written = recordOf(then)[end]
    if (written === undefined) return []
    if (!Array.isArray(written)) return [{ end, id: end, path: `then.${end}`, if: undefined, then: written }]
    return written.map((branch: unknown, i) => {
      const { id, if: code, then } = recordOf(branch)
      const name = Predicate.isString(id) ? id : `branch-${i + 1}`
      return { end, id: `${end}/${name}`, path: `then.${end}[${i}]`, if: code, then }
    })
  })

/** The fields that a step's call writes. */
export const boundBy = ({ bind }: { readonly bind?: unknown }): ReadonlyArray<string> =>
  typeof bind === "string" ? [bind] : typeof bind === "object" && bind !== null ? Object.keys(bind) : []

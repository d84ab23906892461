/** Reports the faults of an exploration, each with a witness conversation. */
import type { Exploration } from "./Explore.js"
import { pathTo } from "./Explore.js"
import type { Finding, FindingCode, Witness } from "./Finding.js"
import type { FlowShape, Shape } from "./shape/Shape.js"
import { codeIn } from "./shape/Shape.js"
import * as Source from "./shape/Source.js"
import type { World } from "./walk/Path.js"
import type { Turn } from "./walk/WalkedTurn.js"
import { witnessOf } from "./witness/witnessOf.js"

/** An exploration, and the findings so far. */
export interface Case {
  readonly world: World
  readonly explored: Exploration
  readonly found: Array<Finding>
}

/** The conversation up to and including a turn. */
export const story = ({ explored, world }: Case, turn: Turn): Witness =>
  witnessOf(world, [...pathTo(explored, turn.from), turn])

/**
 * Counts the assumptions of a conversation: the results that code is assumed to return, and the values that the user
 * withdraws.
 */
const asks = ({ assumes, turns }: Witness): number =>
  assumes.length + turns.reduce((sum, { withdrawn = [] }) => sum + withdrawn.length, 0)

/** Returns the conversation with the fewest assumptions among those that end with one of the first 20 turns. */
export const plainest = ({ explored, world }: Case, turns: ReadonlyArray<Turn>): Witness | undefined =>
  plainestOf(world, turns.slice(0, 20).map((turn) => [...pathTo(explored, turn.from), turn]))

/** Returns the conversation with the fewest assumptions among those of the first 20 paths. */
export const plainestOf = (world: World, paths: ReadonlyArray<ReadonlyArray<Turn>>): Witness | undefined => {
  let best: Witness | undefined
  for (const path of paths.slice(0, 20)) {
    const witness = witnessOf(world, path)
    if (best === undefined || asks(witness) < asks(best)) best = witness
    if (asks(witness) === 0) break
  }
  return best
}

/** The fields that a conversation withdraws. */
export const takenBack = (witness: Witness | undefined): ReadonlyArray<string> =>
  Array.from(new Set(witness?.turns.flatMap(({ withdrawn = [] }) => withdrawn)))

/**
 * Reports a fault. Without `severity`, the fault is an error only if its conversation needs no assumption about code
 * and withdraws no value.
 */
export const report = (
  self: Case,
  code: FindingCode,
  path: string,
  said: { readonly what: string; readonly why: string; readonly fix: string },
  witness: Witness | undefined,
  severity: "error" | "warning" = witness === undefined || asks(witness) > 0 ? "warning" : "error"
): void => {
  if (self.found.some((one) => one.code === code && one.path === path)) return
  self.found.push({ severity, code, path, ...said, ...(witness !== undefined && { witness }) })
}

/**
 * True if code that may run while the flow is active mentions the field, or writes data in a way that its source text
 * does not show.
 */
export const isWritten = (shape: Shape, flow: FlowShape, field: string): boolean =>
  codeIn(shape, [flow]).some(({ source }) =>
    Source.mentions(source, field) || (/dataUpdate|updateData|dispatch/.test(source.code) && !Source.isClosed(source))
  )

/** The steps that a turn enters or passes over, by the indexes of their flow and their own. */
export const stepsSeen = (turns: ReadonlyArray<Turn>): ReadonlySet<string> =>
  new Set(
    turns.flatMap(({ way }) =>
      way.sights.flatMap((sight) =>
        sight._tag === "Entered" || sight._tag === "Passed" ? [`${sight.flow} ${sight.step}`] : []
      )
    )
  )

/** Makes a finding about unusual behaviour, which may be intended. */
export const warning = (
  code: FindingCode,
  path: string,
  what: string,
  why: string,
  fix: string,
  witness?: Finding["witness"]
): Finding => ({ severity: "warning", code, path, what, why, fix, ...(witness !== undefined && { witness }) })

/**
 * An exploration under investigation: how its faults are reported, each with the conversation that proves it.
 *
 * @since 0.1.0
 */
import type { Exploration } from "./Explore.js"
import { pathTo } from "./Explore.js"
import type { Finding, FindingCode, Witness } from "./Finding.js"
import type { Code, FlowShape, Shape } from "./shape/Shape.js"
import * as Source from "./shape/Source.js"
import type { World } from "./walk/Path.js"
import type { Turn } from "./walk/WalkedTurn.js"
import * as Story from "./witness/witness.js"

/** What was found in an exploration, and what every search in it needs. */
export interface Case {
  readonly world: World
  readonly explored: Exploration
  readonly found: Array<Finding>
}

/** The conversation up to a turn and through it. */
export const story = ({ explored, world }: Case, turn: Turn): Witness =>
  Story.witness(world, [...pathTo(explored, turn.from), turn])

/** What has to happen for a conversation to go this way: code does something, or the user takes something back. */
const asks = ({ assumes, turns }: Witness): number =>
  assumes.length + turns.reduce((sum, { withdrawn = [] }) => sum + withdrawn.length, 0)

/** The turn whose conversation asks the least, among the first that would do. */
export const plainest = (self: Case, turns: ReadonlyArray<Turn>): Witness | undefined => {
  let best: Witness | undefined
  for (const turn of turns.slice(0, 20)) {
    const witness = story(self, turn)
    if (best === undefined || asks(witness) < asks(best)) best = witness
    if (asks(witness) === 0) break
  }
  return best
}

/** The fields that a conversation takes back. */
export const takenBack = (witness: Witness | undefined): ReadonlyArray<string> =>
  Array.from(new Set(witness?.turns.flatMap(({ withdrawn = [] }) => withdrawn)))

/** A fault that one conversation proves is certain only if nothing had to be assumed of code, and nothing is taken back. */
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

/** Hooks and tools that may write a field while a flow has the floor. */
const writers = ({ anywhere, heard }: Shape, flow: FlowShape): ReadonlyArray<Code> => [
  ...anywhere,
  ...heard.flatMap(({ code }) => code === undefined ? [] : [code]),
  ...flow.onEnter,
  ...flow.onResume,
  ...flow.steps.flatMap(({ after, onEnter, onResume, prepare }) => [...onEnter, ...onResume, ...prepare, ...after])
]

/** Whether code of a flow says that it writes a field, or writes without saying what. */
export const isWritten = (shape: Shape, flow: FlowShape, field: string): boolean =>
  writers(shape, flow).some(({ source }) =>
    Source.mentions(source, field) || (/dataUpdate|updateData|dispatch/.test(source.code) && !Source.isClosed(source))
  )

/** Finds traps: steps that a conversation enters and cannot leave. */
import * as Groups from "../../base/Groups.js"
import type { Exploration } from "../Explore.js"
import type { FlowShape, StepShape } from "../shape/Shape.js"
import type { World } from "../walk/Path.js"
import type { Place } from "../walk/Position.js"
import type { Turn } from "../walk/WalkedTurn.js"

export interface Trap {
  readonly flow: FlowShape
  /** The steps between which the conversation stays forever. */
  readonly steps: ReadonlyArray<StepShape>
  /** The index of the first node in the trap. */
  readonly node: number
  /** Turns from `node` that stay inside the trap, the simplest first. */
  readonly stays: ReadonlyArray<Turn>
  /** True if every path through the flow enters the trap. */
  readonly whole: boolean
  /** True if the conversation enters the trap only after a value was withdrawn or cleared. */
  readonly late: boolean
  /**
   * True if the conversation can leave the trap after the user withdraws a value, although no code of the definition
   * checks for the withdrawal.
   */
  readonly opens: boolean
}

/**
 * True if a turn counts as a way out of a trap. A turn that withdraws or clears a value counts only if code checks
 * whether the value is known.
 */
const isMeant = ({ way: { choices, heeds } }: Turn): boolean =>
  heeds || !choices.some(({ _tag }) => _tag === "TakenBack" || _tag === "Forgotten")

/** Finds at most one trap per flow: the smallest group of nodes that a conversation cannot leave. */
export const find = (world: World, { nodes, turns }: Exploration): ReadonlyArray<Trap> => {
  const meant = turns.filter(isMeant)
  const next = Groups.by(meant, ({ from }) => from)
  const free = ending(world, nodes, meant)
  const opened = ending(world, nodes, turns)
  const isLate = (node: number): boolean => nodes[node]!.by?.late === true
  return world.shape.flows.flatMap((flow): ReadonlyArray<Trap> => {
    const inside = nodes.flatMap(({ place }, i) => i > 0 && place.flow === flow.index ? [i] : [])
    const caught = inside.filter((i) => !free.has(i))
    const early = caught.filter((i) => !isLate(i))
    const late = early.length === 0
    const [first] = (late ? caught : early).map((i) => closure(i, next)).toSorted((a, b) => a.length - b.length)
    // If every turn from the trap fails, the failure is reported instead of the trap.
    if (first === undefined || first.every((i) => (next.get(i) ?? []).every(({ to }) => to === undefined))) return []
    const within = new Set(first)
    const node = Math.min(...first)
    const indexes = new Set(first.map((i) => nodes[i]!.place.step).filter((step) => step >= 0))
    return [{
      flow,
      steps: flow.steps.filter(({ index }) => indexes.has(index)),
      node,
      stays: (next.get(node) ?? []).filter(({ to }) => to !== undefined && within.has(to)),
      whole: early.length === inside.filter((i) => !isLate(i)).length,
      late,
      opens: first.some((i) => opened.has(i))
    }]
  })
}

/** Returns the nodes from which the conversation can leave the flow. */
const ending = (
  world: World,
  nodes: Exploration["nodes"],
  turns: ReadonlyArray<Turn>
): ReadonlySet<number> => {
  const before = Groups.by(turns, ({ to }) => to)
  const found = new Set<number>()
  const reach = (node: number) => reached(node, (at) => (before.get(at) ?? []).map(({ from }) => from), found)
  for (const { from, to, way: { sights } } of turns) {
    const { flow } = nodes[from]!.place
    if (from > 0 && (to === -1 || sights.some((sight) => sight._tag === "Left" && sight.flow === flow))) reach(from)
  }
  nodes.forEach(({ place }, i) => {
    if (i > 0 && isOpenEnd(world, place)) reach(i)
  })
  return found
}

/**
 * True for a position that is open-ended by design: the last step of a flow, if its `until` never holds, or a step
 * whose flow ends when another flow interrupts it.
 */
const isOpenEnd = (world: World, { flow, step }: Place): boolean => {
  const { flows } = world.shape
  const one = flows[flow]!
  const last = one.steps[step]
  if (last?.interrupted.some((one) => one !== "suspend") === true && flows.length > 1) return true
  return last !== undefined && step === one.steps.length - 1 && isTalk(world, last)
}

/** True for a last step that continues as long as the user likes. */
export const isTalk = (world: World, step: StepShape): boolean => step.branches.length === 0 && isForever(world, step)

const isForever = ({ judge }: World, { until }: StepShape): boolean => {
  const verdict = until === undefined ? undefined : judge.certain(until, new Set(), new Set())
  return verdict?._tag === "Certain" && !verdict.holds
}

const closure = (node: number, next: ReadonlyMap<number, ReadonlyArray<Turn>>): ReadonlyArray<number> =>
  Array.from(reached(
    node,
    (at) => (next.get(at) ?? []).flatMap(({ to }) => to !== undefined && to > 0 ? [to] : []),
    new Set()
  ))

/** Adds a node, and all nodes that can be reached from it, to the found ones. */
const reached = (node: number, next: (at: number) => ReadonlyArray<number>, found: Set<number>): Set<number> => {
  const waiting = [node]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (found.has(at)) continue
    found.add(at)
    for (const one of next(at)) waiting.push(one)
  }
  return found
}

/** The reason why a step cannot be left. */
export const reason = (world: World, step: StepShape): string =>
  isForever(world, step)
    ? "its until is never true"
    : step.branches.length > 0
    ? "every branch leads back to it"
    : "nothing that the user may say leads on"

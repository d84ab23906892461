/**
 * Everywhere a conversation can come to: turn by turn, the shortest way first.
 *
 * @since 0.1.0
 */
import { happen } from "./Happen.js"
import * as Hearing from "./Hearing.js"
import * as Losses from "./Losses.js"
import type { Place } from "./Place.js"
import type { FlowShape, Shape } from "./Shape.js"
import type { Target } from "./Target.js"
import { targetsOf } from "./Target.js"
import * as Walk from "./Walk.js"
import type { Choice, Way, World } from "./Way.js"
import { ways } from "./Way.js"

/** How a turn begins. */
export type Cause =
  | { readonly _tag: "Flow"; readonly flow: number }
  | { readonly _tag: "Message" }
  /** A handler of an event, of what a job tells, or of time that goes by. */
  | { readonly _tag: "Happened"; readonly path: string; readonly heard: Hearing.Heard }
  | { readonly _tag: "Code"; readonly path: string; readonly target: Target }

/** One turn of the exploration. */
export interface Turn {
  readonly from: number
  /** Whether something that was known is lost in it, or was before it on the shortest way: by the user, or by code at any time. */
  readonly late: boolean
  readonly cause: Cause
  readonly way: Way
  /** The place it leads to; -1 when nobody has the floor afterwards, `undefined` when the turn fails. */
  readonly to: number | undefined
}

/** A place, and the turn that first led to it. */
export interface Node {
  readonly place: Place
  readonly by: Turn | undefined
}

export interface Exploration {
  readonly nodes: ReadonlyArray<Node>
  /** Those that lose nothing come first. */
  readonly turns: ReadonlyArray<Turn>
  /** Whether there was more than the bounds allow: what was not seen may then exist all the same. */
  readonly cut: boolean
}

export interface Bounds {
  /** How many places between two messages are looked at. */
  readonly places: number
  /** How many ways one turn may go. */
  readonly ways: number
}

/** What is left open in a way: the less, the plainer its story. */
const weight = (choices: ReadonlyArray<Choice>): number =>
  choices.reduce(
    (sum, choice) =>
      sum +
      (choice._tag === "Assumed"
        ? 3
        : choice._tag === "Moved" || choice._tag === "Forgotten"
        ? 5
        : choice._tag === "Field" && !choice.known
        ? 0
        : 1),
    0
  )

const nobody = (shape: Shape): Place => ({
  flow: -1,
  step: -1,
  standing: "start",
  spoken: false,
  known: new Set(Object.keys(shape.initialData)),
  confirmed: new Set(),
  reading: false
})

/** Walks every turn from every place that a turn leads to. */
export const explore = (world: World, bounds: Bounds): Exploration => {
  const { shape } = world
  const nodes: Array<Node> = [{ place: nobody(shape), by: undefined }]
  const turns: Array<Turn> = []
  const seen = new Map<string, Array<number>>()
  let cut = false
  let late = false
  /** The node of a place. One where less is certain stands for those where more is. */
  const nodeOf = (place: Place, by: Omit<Turn, "to">): number => {
    if (place.flow < 0) return -1
    const { confirmed, flow, reading, spoken, standing, step } = place
    const key = [flow, step, standing, spoken, reading, ...[...confirmed].toSorted((a, b) => a - b)].join(" ")
    const same = seen.get(key) ?? []
    const known = same.find((i) => includes(place.known, nodes[i]!.place.known))
    if (known !== undefined) return known
    const index = nodes.length
    const turn = { ...by, to: index }
    nodes.push({ place, by: turn })
    seen.set(key, [...same, index])
    return index
  }
  const walk = (from: number, begun: ReadonlyArray<Begun>): void => {
    const found = begun.flatMap(({ cause, walked }) => {
      const each = ways(walked, bounds.ways)
      cut ||= each.cut
      // A way on which nothing happens but that a flow is not eligible does not count as a turn.
      return each.ways.filter(({ sights, trail }) => sights.length > 0 || trail.length > 0)
        .toSorted((a, b) => weight(a.choices) - weight(b.choices)).map((way) => ({ from, cause, way, late }))
    })
    // What no message says is told by what happens, where that is how it becomes known.
    for (const turn of [...found.filter((one) => !isGiven(one)), ...found.filter(isGiven)]) {
      const { outcome } = turn.way
      turns.push({
        ...turn,
        to: outcome._tag === "Waits" ? nodeOf(outcome.place, turn) : outcome._tag === "Ends" ? -1 : undefined
      })
    }
  }
  const declared = new Set(shape.flows.flatMap((flow) => flow.fields))
  const isGiven = ({ cause, way: { choices } }: Omit<Turn, "to">): boolean =>
    cause._tag !== "Happened" &&
    choices.some((choice) => choice._tag === "Field" && choice.known && !declared.has(choice.name))
  const each = (from: number, begun: (world: World, place: Place) => ReadonlyArray<Begun>): void => {
    for (let at = from; at < nodes.length; at++) {
      if (at >= bounds.places) {
        cut = true
        return
      }
      walk(at, begun(world, nodes[at]!.place))
    }
  }
  each(0, turnsFrom)
  // What only comes about because something is lost comes last: whatever can be shown without it is.
  late = true
  const plain = nodes.length
  for (let at = 0; at < Math.min(plain, bounds.places); at++) walk(at, losses(world, nodes[at]!.place))
  each(plain, (_, place) => [...turnsFrom(world, place), ...losses(world, place)])
  return { nodes, turns, cut }
}

/** A way for a turn to begin. */
interface Begun {
  readonly cause: Cause
  readonly walked: (choose: (options: number) => number) => Way
}

/** Every way for a turn to begin at a place. */
const turnsFrom = (world: World, place: Place): ReadonlyArray<Begun> =>
  place.flow < 0
    ? [...beginnings(world, place), ...happenings(world, place), ...messages(world, place)]
    : [...messages(world, place), ...happenings(world, place), ...besides(world, place)]

const beginnings = (world: World, place: Place): ReadonlyArray<Begun> => [
  ...world.shape.flows.map(({ index }) => ({
    cause: { _tag: "Flow" as const, flow: index },
    walked: Walk.eligible(world, place, index)
  })),
  ...commanded(world.shape).map(({ path, target }) => ({
    cause: { _tag: "Code" as const, path, target },
    walked: Walk.enter(world, place, target)
  }))
]

const messages = (world: World, place: Place): ReadonlyArray<Begun> =>
  place.flow < 0 && world.shape.branches.length === 0
    ? []
    : [{ cause: { _tag: "Message" }, walked: Walk.answer(world, place) }]

const happenings = (world: World, place: Place): ReadonlyArray<Begun> =>
  Hearing.at(world.shape.heard, place).map((heard) => ({
    cause: { _tag: "Happened", path: heard.path, heard },
    walked: happen(world, place, heard)
  }))

/** Messages with which something that is known is lost. */
const losses = (world: World, place: Place): ReadonlyArray<Begun> => {
  const { flows } = world.shape
  if (place.flow >= 0) {
    return Losses.at(world.shape, place, flows[place.flow]!).map((lost) => ({
      cause: { _tag: "Message" },
      walked: Walk.answer(world, place, lost)
    }))
  }
  return flows.flatMap((flow) =>
    Losses.at(world.shape, place, flow).map((lost) => ({
      cause: { _tag: "Flow" as const, flow: flow.index },
      walked: Walk.eligible(world, place, flow.index, lost)
    }))
  )
}

/** What else may happen to a flow that has the floor: a value that a step depends on is corrected, another flow comes. */
const besides = (world: World, place: Place): ReadonlyArray<Begun> => {
  const { flows } = world.shape
  const { index, onComplete, onResume, path, follows, steps } = flows[place.flow]!
  const resumed = [...onResume, ...steps[place.step]?.onResume ?? []]
  const leads = follows !== undefined || onComplete.length > 0
  const interrupted = steps[place.step]?.interrupted.completes === true && leads && flows.length > 1
  return [
    ...steps.filter((step) => step.depends && step.index < place.step).map((step) => ({
      cause: {
        _tag: "Code" as const,
        path: `${step.path}.dependsOn`,
        target: { _tag: "Step" as const, flow: index, step: step.index }
      },
      walked: Walk.reconsider(world, place, step.index)
    })),
    ...resumed.slice(0, 1).map((code) => ({
      cause: { _tag: "Code" as const, path: code.path, target: { _tag: "Flow" as const, flow: index } },
      walked: Walk.resume(world, place)
    })),
    ...(interrupted
      ? [{
        cause: { _tag: "Code" as const, path: `${path}.onInterrupt`, target: { _tag: "Flow" as const, flow: index } },
        walked: Walk.interrupt(world, place)
      }]
      : [])
  ]
}

const includes = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean => {
  if (some.size > all.size) return false
  for (const one of some) if (!all.has(one)) return false
  return true
}

/** Where signals and the agent's hooks may lead, from wherever the conversation stands. */
const commanded = (shape: Shape): ReadonlyArray<{ readonly path: string; readonly target: Target }> => [
  ...shape.flows.filter(({ reopens }) => reopens).flatMap(({ index, path, steps }) =>
    [
      { _tag: "Flow" as const, flow: index },
      ...steps.filter(({ depends }) => depends).map((step) => ({
        _tag: "Step" as const,
        flow: index,
        step: step.index
      }))
    ].map((target) => ({ path: `${path}.onCorrect`, target }))
  ),
  ...shape.anywhere.flatMap(({ path, source }) =>
    [undefined, ...shape.flows].flatMap((flow: FlowShape | undefined) =>
      targetsOf(shape, flow, source)
        .filter(({ _tag }) => flow === undefined ? _tag === "Flow" : _tag === "Step")
        .map((target) => ({ path, target }))
    )
  )
]

/** The turns that lead to a node, from the beginning. */
export const pathTo = ({ nodes }: Exploration, node: number): ReadonlyArray<Turn> => {
  const path: Array<Turn> = []
  for (let at = nodes[node]?.by; at !== undefined; at = nodes[at.from]?.by) path.unshift(at)
  return path
}

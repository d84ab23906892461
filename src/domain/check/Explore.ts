/** Explores all positions that a conversation can reach, turn by turn, breadth first. */
import * as DataLoss from "./findings/dataLoss.js"
import * as Evidence from "./knowledge/Evidence.js"
import * as Reads from "./knowledge/Reads.js"
import { movesOf } from "./shape/CodeMove.js"
import type { Shape } from "./shape/Shape.js"
import { flowIndex } from "./shape/Shape.js"
import * as Hearing from "./walk/Hearing.js"
import type { Choice, Choose, Path, World } from "./walk/Path.js"
import { ways } from "./walk/Path.js"
import type { Place } from "./walk/Position.js"
import * as Walk from "./walk/Walk.js"
import type { Cause, Turn } from "./walk/WalkedTurn.js"

/** A position of the conversation, and the turn that first led to it. */
interface Node {
  readonly place: Place
  readonly by: Turn | undefined
  /** Fields that were withdrawn or cleared on the way to this position, are still unknown, and may be read later. */
  readonly lost: ReadonlySet<string>
}

export interface Exploration {
  readonly nodes: ReadonlyArray<Node>
  /**
   * The kept turns; of equivalent turns, only the first. Turns in which no value is withdrawn or cleared come first.
   */
  readonly turns: ReadonlyArray<Turn>
  /** Number of turns walked. */
  readonly walked: number
  /** True if a bound was exceeded, so that reachable positions may be unexplored. */
  readonly cut: boolean
  /** The exceeded bounds. `losses` alone does not set `cut`. */
  readonly cutBy: ReadonlySet<BoundName>
}

/** A quantity that an exploration bounds. */
type BoundName = keyof Bounds | "losses"

/**
 * The limits of an exploration. If the exploration exceeds a limit, the report has `cut` and covers only the explored
 * part.
 */
export interface Bounds {
  /** Maximum number of positions of a conversation between two messages. Default 20,000. */
  readonly places?: number
  /** Maximum number of paths that are explored for one turn. Default 500. */
  readonly ways?: number
  /** Maximum number of turns in total. Default 200,000. */
  readonly turns?: number
  /**
   * Maximum size of the kept evidence: the observations, choices and steps of all kept turns. It limits memory: a
   * million take about 100 MB. Default 1,000,000.
   */
  readonly sights?: number
}

/** Returns the weight of the assumptions of a path; a path with a lower weight is easier to understand. */
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

/**
 * True if a message may find no flow active after routing, so that the agent speaks outside of flows: each message enters
 * an only flow without conditions, and such a flow may have no end.
 */
export const isIdleReachable = ({ flows }: Shape, { cut, turns }: Exploration): boolean => {
  const [only, ...more] = flows
  return cut || only === undefined || more.length > 0 || only.when.length > 0 || only.if.length > 0 ||
    turns.some(({ to }) => to === -1)
}

const nobody = (shape: Shape): Place => ({
  flow: -1,
  step: -1,
  standing: "start",
  spoken: false,
  known: new Set(Object.keys(shape.initialData)),
  confirmed: new Set(),
  skipped: new Set(),
  reading: false
})

/** Explores every turn from the start and from every position that a turn leads to. */
export const explore = (world: World, bounds: Required<Bounds>): Exploration => {
  const { shape } = world
  const nodes: Array<Node> = [{ place: nobody(shape), by: undefined, lost: new Set() }]
  const kept = Evidence.make(world.tooled)
  const seen = new Map<string, Array<number>>()
  const cutBy = new Set<BoundName>()
  let walked = 0
  let late = false
  /**
   * Returns the index of the node for a position; -1 outside all flows. A node also stands for positions in which more
   * fields are known.
   */
  const nodeOf = (place: Place, by: Omit<Turn, "to">): number => {
    if (place.flow < 0) return -1
    const { confirmed, flow, reading, skipped, spoken, standing, step } = place
    const steps = [confirmed, skipped].map((all) => Array.from(all).toSorted((a, b) => a - b).join())
    const key = [flow, step, standing, spoken, reading, ...steps].join(" ")
    const same = seen.get(key) ?? []
    const known = same.find((i) => includes(place.known, nodes[i]!.place.known))
    if (known !== undefined) return known
    const index = nodes.length
    const turn = { ...by, to: index }
    nodes.push({ place, by: turn, lost: late ? lostAt(shape, place, nodes[by.from]!.lost, by.way) : new Set() })
    seen.set(key, [...same, index])
    return index
  }
  const walk = (from: number, begun: ReadonlyArray<TurnStart>): void => {
    const found = begun.flatMap(({ cause, lost, walked }) => {
      const each = ways(walked, bounds.ways)
      if (each.cut) cutBy.add("ways")
      // A path on which the flow's `if` does not hold is not a turn.
      return each.ways.filter((way) =>
        (way.sights.length > 0 || way.trail.length > 0) && (lost === undefined || !DataLoss.isIdle(shape, lost, way))
      ).toSorted((a, b) => weight(a.choices) - weight(b.choices)).map((way) => ({ from, cause, way, late }))
    })
    walked += found.length
    // Turns that assume a value for a field that no flow declares come last: if an event sets the field, a conversation
    // with the event is shown instead.
    for (const turn of [...found.filter((one) => !isGiven(one)), ...found.filter(isGiven)]) {
      const { outcome } = turn.way
      const to = outcome._tag === "Waits" ? nodeOf(outcome.place, turn) : outcome._tag === "Ends" ? -1 : undefined
      kept.add({ ...turn, to })
    }
  }
  const isGiven = ({ cause, way: { choices } }: Omit<Turn, "to">): boolean =>
    cause._tag !== "Happened" &&
    choices.some((choice) => choice._tag === "Field" && choice.known && !shape.declared.has(choice.name))
  /** True if the bounds allow the turns of one more position. */
  const isRoom = (at: number): boolean => {
    if (at >= bounds.places) cutBy.add("places")
    if (walked >= bounds.turns) cutBy.add("turns")
    if (kept.size() >= bounds.sights) cutBy.add("sights")
    return at < bounds.places && walked < bounds.turns && kept.size() < bounds.sights
  }
  const losses = (at: number): ReadonlyArray<TurnStart> => {
    const all = losing(world, nodes[at]!.place)
    const within = all.filter(({ lost }) => lost === undefined || DataLoss.isWithin(shape, nodes[at]!.lost, lost))
    if (within.length < all.length) cutBy.add("losses")
    return within
  }
  for (let at = 0; at < nodes.length && isRoom(at); at++) walk(at, turnsFrom(world, nodes[at]!.place))
  // Turns that withdraw or clear a value are explored last, so that a fault is shown without such a turn where
  // possible.
  late = true
  const plain = nodes.length
  for (let at = 0; at < plain && isRoom(at); at++) walk(at, losses(at))
  for (let at = plain; at < nodes.length && isRoom(at); at++) {
    walk(at, [...turnsFrom(world, nodes[at]!.place), ...losses(at)])
  }
  const isCut = Array.from(cutBy).some((one) => one !== "losses")
  return { nodes, turns: kept.turns, walked, cut: isCut, cutBy }
}

/** Returns the fields that were withdrawn or cleared before the new position and may still be read from there on. */
const lostAt = (shape: Shape, place: Place, before: ReadonlySet<string>, { choices }: Path): ReadonlySet<string> => {
  const reads = Reads.from(shape, place.flow, place.step)
  const names = choices.flatMap((one) => one._tag === "TakenBack" || one._tag === "Forgotten" ? [one.name] : [])
  return new Set([...before, ...names].filter((name) => reads.has(name) && !place.known.has(name)))
}

/** One of the possible inputs of a turn. */
interface TurnStart {
  readonly cause: Cause
  /** The known value that is withdrawn or cleared in the turn. */
  readonly lost?: DataLoss.LostValue
  readonly walked: (choose: Choose) => Path
}

/** Returns all turns that are possible at a position. */
const turnsFrom = (world: World, place: Place): ReadonlyArray<TurnStart> =>
  place.flow < 0
    ? [...beginnings(world, place), ...happenings(world, place), ...messages(world, place)]
    : [...messages(world, place), ...happenings(world, place), ...besides(world, place)]

const beginnings = (world: World, place: Place): ReadonlyArray<TurnStart> => [
  ...world.shape.flows.map(({ index }): TurnStart => ({
    cause: { _tag: "Flow", flow: index },
    walked: Walk.eligible(world, place, index)
  })),
  ...commanded(world.shape).map(({ flow, path, step }) => byCode(path, Walk.enter(world, place, flow, step)))
]

const byCode = (path: string, walked: TurnStart["walked"]): TurnStart => ({ cause: { _tag: "Code", path }, walked })

const messages = (world: World, place: Place): ReadonlyArray<TurnStart> =>
  place.flow < 0 && world.shape.branches.length === 0
    ? []
    : [{ cause: { _tag: "Message" }, walked: Walk.answer(world, place) }]

const happenings = (world: World, place: Place): ReadonlyArray<TurnStart> =>
  Hearing.at(world.shape.heard, place).map((heard) => ({
    cause: { _tag: "Happened", path: heard.path, heard },
    walked: Walk.happen(world, place, heard)
  }))

/** Returns the turns in which a known value is lost: the user withdraws it, or code clears it. */
const losing = (world: World, place: Place): ReadonlyArray<TurnStart> => {
  const { flows } = world.shape
  const asked = place.flow < 0 ? flows : [flows[place.flow]!]
  return asked.flatMap((flow) =>
    DataLoss.at(world.shape, place, flow).map((lost): TurnStart =>
      place.flow < 0
        ? { cause: { _tag: "Flow", flow: flow.index }, lost, walked: Walk.eligible(world, place, flow.index, lost) }
        : { cause: { _tag: "Message" }, lost, walked: Walk.answer(world, place, lost) }
    )
  )
}

/**
 * Returns the other turns that are possible in the current flow: a correction of a value on which a step depends, the
 * resumption of a suspended flow, and an interruption. A correction that has a branch decided anew is not walked, because
 * the place before that branch stands for all places in which more is known.
 */
const besides = (world: World, place: Place): ReadonlyArray<TurnStart> => {
  const { flows } = world.shape
  const { onComplete, onResume, path, follows, steps } = flows[place.flow]!
  const resumed = [...onResume, ...steps[place.step]?.onResume ?? []]
  const leads = follows !== undefined || onComplete.length > 0
  const interrupted = steps[place.step]?.interrupted.includes("complete") === true && leads && flows.length > 1
  return [
    ...steps.filter((step) => step.depends && step.index < place.step).map((step) =>
      byCode(`${step.path}.dependsOn`, Walk.correctedTurn(world, place, step.index))
    ),
    ...resumed.slice(0, 1).map((code) => byCode(code.path, Walk.resume(world, place))),
    ...(interrupted ? [byCode(`${path}.onInterrupt`, Walk.interrupt(world, place))] : [])
  ]
}

const includes = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean => {
  if (some.size > all.size) return false
  for (const one of some) if (!all.has(one)) return false
  return true
}

/** A flow, or a step of it, to which code can move the conversation at any position. */
interface Entry {
  readonly path: string
  readonly flow: number
  readonly step?: number
}

/** Returns where signals, the agent's hooks, and corrections of completed flows can move the conversation. */
const commanded = (shape: Shape): ReadonlyArray<Entry> => [
  ...shape.flows.filter(({ reopens }) => reopens).flatMap(({ index: flow, path, steps }): ReadonlyArray<Entry> => [
    { path: `${path}.onCorrect`, flow },
    ...steps.filter(({ depends }) => depends).map(({ index: step }) => ({ path: `${path}.onCorrect`, flow, step }))
  ]),
  ...shape.anywhere.flatMap(({ path, source }): ReadonlyArray<Entry> => [
    ...movesOf(shape, undefined, source).flatMap(({ goTo }) =>
      goTo === undefined ? [] : [{ path, flow: flowIndex(shape, goTo) }]
    ),
    ...shape.flows.flatMap((flow) =>
      movesOf(shape, flow, source).flatMap(({ goToStep }) =>
        flow.steps.filter(({ id }) => id === goToStep).map(({ index: step }) => ({ path, flow: flow.index, step }))
      )
    )
  ])
]

/** The turns that lead to a node, from the start. */
export const pathTo = ({ nodes }: Exploration, node: number): ReadonlyArray<Turn> => {
  const path: Array<Turn> = []
  for (let at = nodes[node]?.by; at !== undefined; at = nodes[at.from]?.by) path.unshift(at)
  return path
}

/**
 * Chooses values for the fields and event payloads of a path, so that the author's predicates and handlers give the
 * results that the path assumes. If no values give all of them, takes the values that give the most.
 */
import * as Payload from "../knowledge/Payload.js"
import { combinations, type Sample } from "../knowledge/Samples.js"
import type { Test } from "../shape/Shape.js"
import type { Choice, World } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"
import * as Handled from "./Handled.js"
import { placeBefore, type StatedField } from "./Stated.js"

/** Maximum number of value combinations tried. */
const tries = 400

/** An assumed result of a predicate in a turn. */
interface Assumption {
  readonly test: Test
  readonly holds: boolean
  readonly turn: number
}

/** The values of a path, and the assumptions they leave open. */
export interface Valued {
  readonly values: ReadonlyMap<string, Sample>
  /** The payloads of events, by turn. */
  readonly payloads: ReadonlyMap<number, Sample>
  /** The assumptions about predicates that these values do not fulfil. */
  readonly open: ReadonlyArray<Assumption>
  /** The turns whose handler acts as the path assumes, each with the fields that it writes. */
  readonly handled: ReadonlyMap<number, ReadonlySet<string>>
}

/** A variable to choose a value for: a field, or the payload of a turn's event. */
type Variable =
  | { readonly _tag: "Field"; readonly name: string; readonly samples: ReadonlyArray<Sample> }
  | { readonly _tag: "Event"; readonly turn: number; readonly samples: ReadonlyArray<Sample> }

/** Returns the values, among those tried, that fulfil the most assumptions of the path. */
export const find = (world: World, path: ReadonlyArray<Turn>, stated: ReadonlyArray<StatedField>): Valued => {
  const variables = variablesOf(world, path, stated)
  const handlers = path.filter(({ cause }) => cause._tag === "Happened").length
  const missing = (one: Valued): number => one.open.length + handlers - one.handled.size
  let best: Valued | undefined
  for (const chosen of combinations(variables.map(({ samples }) => samples), tries)) {
    const found = tried(world, path, stated, given(variables, chosen))
    if (best === undefined || missing(found) < missing(best)) best = found
    if (missing(best) === 0) break
  }
  return best ?? { values: new Map(), payloads: new Map(), open: [], handled: new Map() }
}

const variablesOf = (
  world: World,
  path: ReadonlyArray<Turn>,
  stated: ReadonlyArray<StatedField>
): ReadonlyArray<Variable> => [
  ...path.flatMap(({ cause }, turn): ReadonlyArray<Variable> =>
    cause._tag === "Happened" && cause.heard.event !== undefined
      ? [{ _tag: "Event", turn, samples: Payload.samples(world.happening, cause.heard) }]
      : []
  ),
  ...Array.from(new Set(stated.map(({ name }) => name)), (name): Variable => ({
    _tag: "Field",
    name,
    samples: world.judge.samples(name)
  }))
]

/** A combination, split into field values and payloads. */
const given = (
  variables: ReadonlyArray<Variable>,
  chosen: ReadonlyArray<Sample | undefined>
): Pick<Valued, "values" | "payloads"> => {
  const values = new Map<string, Sample>()
  const payloads = new Map<number, Sample>()
  variables.forEach((one, i) => {
    const sample = chosen[i]
    if (sample === undefined) return
    if (one._tag === "Field") values.set(one.name, sample)
    else payloads.set(one.turn, sample)
  })
  return { values, payloads }
}

/** Evaluates the path with these values. */
const tried = (
  world: World,
  path: ReadonlyArray<Turn>,
  stated: ReadonlyArray<StatedField>,
  { payloads, values }: Pick<Valued, "values" | "payloads">
): Valued => {
  const data = new Map<string, unknown>(Object.entries(world.shape.initialData))
  const open: Array<Assumption> = []
  const handled = new Map<number, ReadonlySet<string>>()
  const learn = (which: (one: StatedField) => boolean): void => {
    for (const one of stated) {
      const sample = values.get(one.name)
      if (sample !== undefined && which(one)) data.set(one.name, sample.value)
    }
  }
  learn(({ before, turn }) => before && path[turn]?.cause._tag !== "Happened")
  const happen = ({ cause, way }: Turn, turn: number): void => {
    if (cause._tag !== "Happened") return
    const flow = placeBefore(path, turn)?.flow ?? -1
    const writes = Handled.writes(world, cause.heard, { way, flow, data }, payloads.get(turn))
    learn((one) => one.turn === turn)
    if (writes === undefined) return
    handled.set(turn, new Set(Object.keys(writes)))
    for (const [name, value] of Object.entries(writes)) data.set(name, value)
  }
  const goThrough = (one: Turn, turn: number): void => {
    const { way } = one
    for (const { lost, name } of stated) if (lost === turn) data.delete(name)
    learn(({ before, turn: told }) => told === turn && !before)
    happen(one, turn)
    for (const { holds, test } of way.choices.filter(isAssumed)) {
      if (world.judge.holds(test, data) !== holds) open.push({ test, holds, turn })
    }
  }
  path.forEach(goThrough)
  return { values, payloads, open, handled }
}

const isAssumed = (choice: Choice): choice is Extract<Choice, { readonly _tag: "Assumed" }> => choice._tag === "Assumed"

/**
 * From a path of the exploration to a conversation with real values, that can be played.
 *
 * @since 0.1.0
 */
import type { Json } from "../Json.js"
import { agreement } from "../ReadBack.js"
import type { Turn } from "./Explore.js"
import type { Witness, WitnessTurn } from "./Finding.js"
import type { Sample } from "./Samples.js"
import type { FlowShape, Shape, Test } from "./Shape.js"
import type { Choice, Place, World } from "./Way.js"

/** How many combinations of values are tried to make predicates say what a path assumes. */
const tries = 400

/** A field that a message states, or that is known from before. */
interface Stated {
  readonly name: string
  readonly turn: number
  readonly before: boolean
  /** The turn in which it is lost again. */
  lost?: number
}

const fieldsOf = (world: World, path: ReadonlyArray<Turn>): ReadonlyArray<Stated> => {
  const found: Array<Stated> = []
  const now = new Map<string, Stated>()
  const state = (name: string, turn: number, before: boolean): void => {
    const stated = { name, turn, before: before || !sayable(world.shape, path, turn, name) }
    now.set(name, stated)
    found.push(stated)
  }
  const lose = (name: string, turn: number): void => {
    const stated = now.get(name)
    if (stated !== undefined) stated.lost = turn
    now.delete(name)
  }
  path.forEach(({ way }, turn) => {
    for (const choice of way.choices) {
      if (!("name" in choice)) continue
      const isKnown = choice._tag === "Field" && choice.known
      if (isKnown && now.get(choice.name)?.turn === turn) continue
      // What was known is open only where it has been lost in the meantime.
      lose(choice.name, turn)
      if (isKnown) state(choice.name, turn, choice.before)
    }
  })
  return found
}

/**
 * Whether a message may state a field: a flow that the message may be meant for declares it, and one that is taken only
 * when asked is stated while its step waits.
 */
const sayable = ({ fields, flows }: Shape, path: ReadonlyArray<Turn>, turn: number, name: string): boolean => {
  const { cause } = path[turn]!
  // What happens outside says nothing of the data.
  if (cause._tag === "Happened") return false
  const before = placeBefore(path, turn)
  const left = new Set(
    path.slice(0, turn).flatMap(({ way }) => way.sights.flatMap((sight) => sight._tag === "Left" ? [sight.flow] : []))
  )
  const asked = (flow: FlowShape): boolean =>
    flow.index === before?.flow || (cause._tag === "Flow" && cause.flow === flow.index) ||
    (flow.if.length === 0 && (flow.repeats || !left.has(flow.index)))
  if (!flows.some((flow) => flow.fields.includes(name) && asked(flow))) return false
  return fields.get(name)?.extract !== "asked" || isAsked(flows, before, name)
}

const placeBefore = (path: ReadonlyArray<Turn>, turn: number): Place | undefined => {
  const outcome = path[turn - 1]?.way.outcome
  return outcome?._tag === "Waits" ? outcome.place : undefined
}

const isAsked = (flows: ReadonlyArray<FlowShape>, place: Place | undefined, name: string): boolean =>
  place !== undefined && flows[place.flow]?.steps[place.step]?.collect.includes(name) === true

type Values = ReadonlyMap<string, Sample>

interface Assumption {
  readonly test: Test
  readonly holds: boolean
  readonly turn: number
}

const assumptionsOf = (path: ReadonlyArray<Turn>): ReadonlyArray<Assumption> =>
  path.flatMap(({ way }, turn) =>
    way.choices.flatMap((choice): ReadonlyArray<Assumption> =>
      choice._tag === "Assumed" ? [{ test: choice.test, holds: choice.holds, turn }] : []
    )
  )

/** Which assumptions the values do not bear out. */
const unmet = (
  world: World,
  stated: ReadonlyArray<Stated>,
  values: Values,
  assumptions: ReadonlyArray<Assumption>
): ReadonlyArray<Assumption> =>
  assumptions.filter(({ holds, test, turn }) => {
    const data = new Map<string, unknown>(Object.entries(world.shape.initialData))
    for (const one of stated) {
      const sample = values.get(one.name)
      const isKnown = (one.before || one.turn <= turn) && (one.lost === undefined || turn < one.lost)
      if (sample !== undefined && isKnown) data.set(one.name, sample.value)
    }
    return world.judge.holds(test, data) !== holds
  })

/** Values for what is stated, such that as many predicates as possible say what the path assumes. */
const valued = (
  world: World,
  stated: ReadonlyArray<Stated>,
  assumptions: ReadonlyArray<Assumption>
): { readonly values: Values; readonly open: ReadonlyArray<Assumption> } => {
  const names = Array.from(new Set(stated.map(({ name }) => name)))
  const lists = names.map(world.judge.samples)
  const total = lists.reduce((product, list) => product * Math.max(list.length, 1), 1)
  let best: { readonly values: Values; readonly open: ReadonlyArray<Assumption> } | undefined
  for (let n = 0; n < Math.min(total, tries); n++) {
    let rest = n
    const values = new Map<string, Sample>()
    names.forEach((name, i) => {
      const list = lists[i]!
      const sample = list[rest % Math.max(list.length, 1)]
      rest = Math.floor(rest / Math.max(list.length, 1))
      if (sample !== undefined) values.set(name, sample)
    })
    const open = unmet(world, stated, values, assumptions)
    if (best === undefined || open.length < best.open.length) best = { values, open }
    if (open.length === 0) break
  }
  return best ?? { values: new Map(), open: assumptions }
}

/** The conversation of a path. */
export const witness = (world: World, path: ReadonlyArray<Turn>): Witness => {
  const stated = fieldsOf(world, path)
  const { open, values } = valued(world, stated, assumptionsOf(path))
  const encoded = (name: string): Json => values.get(name)?.encoded ?? name
  // Unknown at first and stated by no message: something that is not seen here must make it known.
  const unsaid = stated.filter((one) => one.before && wasAbsent(path, one))
  const given = Object.fromEntries(
    stated.filter((one) => one.before && !unsaid.includes(one)).map(({ name }): [string, Json] => [name, encoded(name)])
  )
  const turns = path.map((turn, i) => {
    const fields = Object.fromEntries(
      stated.filter((one) => !one.before && one.turn === i).map(({ name }): [string, Json] => [name, encoded(name)])
    )
    return turnOf(world.shape, turn, fields)
  })
  const moved = path.flatMap(({ cause, way }, turn) => [
    ...(cause._tag === "Code" || cause._tag === "Happened" ? [{ path: cause.path, turn, holds: true }] : []),
    ...way.choices.flatMap((choice) =>
      choice._tag === "Moved" ? [{ path: choice.path, turn, holds: choice.to !== undefined }] : []
    )
  ])
  const assumes = [
    ...unsaid.map(({ name, turn }) => ({ path: `data.${name}`, turn, holds: true })),
    ...path.flatMap(({ way }, turn) =>
      way.choices.flatMap((choice) =>
        choice._tag === "Forgotten" ? [{ path: `data.${choice.name}`, turn, holds: false }] : []
      )
    ),
    ...open.map(({ holds, test, turn }) => ({ path: test.path, turn, holds })),
    ...moved
  ]
  return { refused: false, given, turns, assumes }
}

const wasAbsent = (path: ReadonlyArray<Turn>, { name, turn }: Stated): boolean =>
  path.slice(0, turn + 1).some(({ way }) =>
    way.choices.some((choice) => "name" in choice && choice.name === name && !(choice._tag === "Field" && choice.known))
  )

const turnOf = (shape: Shape, { cause, way }: Turn, fields: Record<string, Json>): WitnessTurn => {
  const met = way.choices.filter((choice): choice is Extract<Choice, { _tag: "Judged" }> =>
    choice._tag === "Judged" && choice.holds
  )
  const agrees = way.choices.some((choice) => choice._tag === "Agreed" && choice.holds)
  const flow = cause._tag === "Flow" ? shape.flows[cause.flow] : undefined
  const withdrawn = way.choices.flatMap((choice) => choice._tag === "TakenBack" ? [choice.name] : [])
  return {
    ...(flow !== undefined && { flow: flow.id }),
    fields,
    ...(withdrawn.length > 0 && { withdrawn }),
    conditions: [...(agrees ? [agreement] : []), ...new Set(met.map(({ id }) => id))],
    says: inWords(flow?.title, fields, [
      ...withdrawn.map((name) => `takes back ${name}`),
      ...(agrees ? ["agrees to what was read back"] : []),
      ...met.map(({ when }) => when[0] ?? "")
    ]),
    steps: way.trail,
    at: atOf(shape, way.outcome)
  }
}

const inWords = (
  title: string | undefined,
  fields: Record<string, Json>,
  conditions: ReadonlyArray<string>
): string => {
  const parts = [
    ...(title === undefined ? [] : [`"${title}"`]),
    ...Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`),
    ...Array.from(new Set(conditions), (words) => `(${words})`)
  ]
  return parts.length === 0 ? "(nothing that helps)" : parts.join(", ")
}

const atOf = (shape: Shape, outcome: Turn["way"]["outcome"]): string => {
  switch (outcome._tag) {
    case "Waits": {
      const flow = shape.flows[outcome.place.flow]
      const step = flow?.steps[outcome.place.step]
      return flow === undefined ? "nowhere" : step?.ref ?? `${flow.id}/`
    }
    case "Ends":
      return outcome.how
    case "Circles":
    case "TooLong":
      return "fails"
  }
}

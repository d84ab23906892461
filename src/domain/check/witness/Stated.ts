/** Determines which fields the messages of a path state, and which must be known before it begins. */
import { isSayable } from "../../fields/Fields.js"
import type { FlowShape, Shape } from "../shape/Shape.js"
import type { World } from "../walk/Path.js"
import type { Place } from "../walk/Position.js"
import type { Turn } from "../walk/WalkedTurn.js"

/** A field that a message states, or that is known before the path begins. */
export interface StatedField {
  readonly name: string
  readonly turn: number
  readonly before: boolean
  /** The turn in which the value is withdrawn or cleared. */
  lost?: number
}

export const fieldsOf = (world: World, path: ReadonlyArray<Turn>): ReadonlyArray<StatedField> => {
  const found: Array<StatedField> = []
  const now = new Map<string, StatedField>()
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
      // A path decides about a known value again only after the value was withdrawn or cleared.
      lose(choice.name, turn)
      if (isKnown) state(choice.name, turn, choice.before)
    }
  })
  return found
}

/**
 * True if a message may state a field: the message can be meant for a flow that declares the field. A field with
 * `extract: "asked"` also needs a waiting step that collects it.
 */
const sayable = ({ fields, flows }: Shape, path: ReadonlyArray<Turn>, turn: number, name: string): boolean => {
  const { cause } = path[turn]!
  // Events and timers state no data.
  if (cause._tag === "Happened") return false
  const before = placeBefore(path, turn)
  const left = new Set(
    path.slice(0, turn).flatMap(({ way }) => way.sights.flatMap((sight) => sight._tag === "Left" ? [sight.flow] : []))
  )
  const asked = (flow: FlowShape): boolean =>
    flow.index === before?.flow || (cause._tag === "Flow" && cause.flow === flow.index) ||
    (flow.if.length === 0 && (flow.repeats || !left.has(flow.index)))
  if (!flows.some((flow) => flow.fields.includes(name) && asked(flow))) return false
  const field = fields.get(name)
  return field === undefined || isSayable(field, isAsked(flows, before, name))
}

/** The position of the conversation before a turn. */
export const placeBefore = (path: ReadonlyArray<Turn>, turn: number): Place | undefined => {
  const outcome = path[turn - 1]?.way.outcome
  return outcome?._tag === "Waits" ? outcome.place : undefined
}

const isAsked = (flows: ReadonlyArray<FlowShape>, place: Place | undefined, name: string): boolean =>
  place !== undefined && flows[place.flow]?.steps[place.step]?.collect.includes(name) === true

/**
 * What a conversation may lose of what it knows: what the user takes back, and what code forgets that runs in any turn.
 *
 * @since 0.1.0
 */
import { isSayable } from "../Fields.js"
import { hasSpoken, type Place } from "./Place.js"
import type { FlowShape, Shape } from "./Shape.js"
import * as Source from "./Source.js"

/** Something that is known, and is not any more when a message comes. */
export type Lost =
  | { readonly _tag: "TakenBack"; readonly name: string }
  | { readonly _tag: "Forgotten"; readonly name: string; readonly path: string }

/** What may be lost at a place with a message that is for a flow. */
export const at = (shape: Shape, place: Place, flow: FlowShape): ReadonlyArray<Lost> =>
  Array.from(place.known).flatMap((name) => [
    ...(isAsked(shape, place, flow, name) ? [{ _tag: "TakenBack" as const, name }] : []),
    ...shape.anywhere.filter(({ source }) => Source.mayForget(source, name)).map(({ path }) => ({
      _tag: "Forgotten" as const,
      name,
      path
    }))
  ])

/** Whether such a message is asked about a field: its flow declares it, or one that may always be meant. */
const isAsked = ({ fields, flows }: Shape, place: Place, flow: FlowShape, name: string): boolean => {
  const isDeclared = flow.fields.includes(name) ||
    flows.some((one) => one.if.length === 0 && one.repeats && one.fields.includes(name))
  if (!isDeclared) return false
  const waiting = hasSpoken(place) ? flows[place.flow]?.steps[place.step] : undefined
  const field = fields.get(name)
  return field === undefined || isSayable(field, waiting?.collect.includes(name) === true)
}

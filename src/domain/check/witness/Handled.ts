/** Calls a handler of an event with a payload, and checks whether it acts as a path assumes. */
import * as Either from "effect/Either"
import * as Directive from "../../directive/Directive.js"
import * as Payload from "../knowledge/Payload.js"
import type { Sample } from "../knowledge/Samples.js"
import { nameOf } from "../shape/CodeMove.js"
import type { EventHandler } from "../walk/Hearing.js"
import type { Path, World } from "../walk/Path.js"

/** A path, with the flow and the values at its beginning. */
interface PathStart {
  readonly way: Path
  /** Index of the current flow; -1 outside all flows. */
  readonly flow: number
  /** The known values. */
  readonly data: ReadonlyMap<string, unknown>
}

/**
 * Returns the fields that a handler writes (`undefined` for cleared ones), if it acts as the path assumes; otherwise
 * undefined.
 */
export const writes = (
  world: World,
  heard: EventHandler,
  going: PathStart,
  payload: Sample | undefined
): Record<string, unknown> | undefined => {
  if (heard.event !== undefined && payload === undefined) return undefined
  const directive = Payload.directiveOf(heard, payload?.value, going.data)
  if (directive === undefined) return undefined
  const found = {
    ...Object.fromEntries(Directive.cleared(directive).map((name) => [name, undefined])),
    ...Directive.dataOf(directive)
  }
  const isRight = Object.entries(found).every(([name, value]) => isTaken(world, name, value)) &&
    (heard.code === undefined || isSaid(world, going, heard.code.path, directive, found))
  return isRight ? found : undefined
}

/** True if a directive that code returns agrees with the path. */
const isSaid = (
  world: World,
  going: PathStart,
  path: string,
  directive: Directive.Directive,
  found: Record<string, unknown>
): boolean => moves(world, going, path, directive) && isLearnt(going, found) && isForgotten(going, path, found)

/** True if the data Schema accepts the value; otherwise the turn would fail. */
const isTaken = ({ shape }: World, name: string, value: unknown): boolean => {
  const field = shape.fields.get(name)
  return field !== undefined && (value === undefined || Either.isRight(field.check(value)))
}

/** True if the directive has the target that the path assumes, and a reply if the path assumes one. */
const moves = (
  world: World,
  { flow, way: { choices } }: PathStart,
  path: string,
  directive: Directive.Directive
): boolean => {
  const to = choices.flatMap((choice) => choice._tag === "Moved" && choice.path === path ? [choice.to] : [])[0]
  const replies = choices.some((choice) => choice._tag === "Replied" && choice.path === path && choice.holds)
  const led = nameOf(world.shape, flow, directive)
  return to === led && (led !== undefined || replies === (directive.reply !== undefined))
}

/**
 * True if the path agrees with the writes: the path assumes a written field to be known, and a cleared one to be
 * unknown.
 */
const isLearnt = ({ way: { choices } }: PathStart, writes: Record<string, unknown>): boolean =>
  Object.entries(writes).every(([name, value]) => {
    const last = choices.findLast((choice) => choice._tag === "Field" && choice.name === name)
    return last?._tag !== "Field" || last.known === (value !== undefined)
  })

/** True if the handler clears exactly the fields that the path assumes to be cleared by it. */
const isForgotten = ({ data, way: { choices } }: PathStart, path: string, writes: Record<string, unknown>): boolean => {
  const said = new Set(
    choices.flatMap((choice) => choice._tag === "Forgotten" && choice.path === path ? [choice.name] : [])
  )
  const gone = Object.keys(writes).filter((name) => writes[name] === undefined && (data.has(name) || said.has(name)))
  return gone.length === said.size && gone.every((name) => said.has(name))
}

/**
 * Whether the handler of an event does what a way says, asked with a payload.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Directive from "../../directive/Directive.js"
import * as Payload from "../knowledge/Payload.js"
import type { Sample } from "../knowledge/Samples.js"
import { flowIndex } from "../shape/Shape.js"
import type { Heard } from "../walk/Hearing.js"
import type { Path, World } from "../walk/Path.js"

/** A way, and where it begins. */
interface Going {
  readonly way: Path
  /** The flow that has the floor; -1 for none. */
  readonly flow: number
  /** What is known. */
  readonly data: ReadonlyMap<string, unknown>
}

/** What a handler writes, with `undefined` for what it forgets, if it does what the way says. */
export const writes = (
  world: World,
  heard: Heard,
  going: Going,
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

/** Whether code that gives this directive does what the way says of it. */
const isSaid = (
  world: World,
  going: Going,
  path: string,
  directive: Directive.Directive,
  found: Record<string, unknown>
): boolean => moves(world, going, path, directive) && isLearnt(going, found) && isForgotten(going, path, found)

/** A value that the data does not take makes the turn fail. */
const isTaken = ({ shape }: World, name: string, value: unknown): boolean => {
  const field = shape.fields.get(name)
  return field !== undefined && (value === undefined || Either.isRight(field.check(value)))
}

/** Whether it leads where the way leads, and speaks where that does. */
const moves = (
  world: World,
  { flow, way: { choices } }: Going,
  path: string,
  directive: Directive.Directive
): boolean => {
  const to = choices.flatMap((choice) => choice._tag === "Moved" && choice.path === path ? [choice.to] : [])[0]
  const replies = choices.some((choice) => choice._tag === "Replied" && choice.path === path && choice.holds)
  const led = nameOf(world, flow, directive)
  return to === led && (led !== undefined || replies === (directive.reply !== undefined))
}

/** What is written is known, and what was left unknown is not written. */
const isLearnt = ({ way: { choices } }: Going, writes: Record<string, unknown>): boolean =>
  Object.entries(writes).every(([name, value]) => {
    const last = choices.findLast((choice) => choice._tag === "Field" && choice.name === name)
    return last?._tag !== "Field" || last.known === (value !== undefined)
  })

/** What is forgotten is what the way says that this code forgets. */
const isForgotten = ({ data, way: { choices } }: Going, path: string, writes: Record<string, unknown>): boolean => {
  const said = new Set(
    choices.flatMap((choice) => choice._tag === "Forgotten" && choice.path === path ? [choice.name] : [])
  )
  const gone = Object.keys(writes).filter((name) => writes[name] === undefined && (data.has(name) || said.has(name)))
  return gone.length === said.size && gone.every((name) => said.has(name))
}

/** Where a directive leads, in the words of `Target.nameOf`. */
const nameOf = ({ shape }: World, current: number, directive: Directive.Directive): string | undefined => {
  const to = Directive.position(directive)
  if (to === undefined) return undefined
  if (to._tag === "Reset") return "reset"
  if (to._tag !== "GoTo") return "complete, abort or handOff"
  const flow = to.flow === undefined ? current : flowIndex(shape, to.flow)
  const { id, steps } = shape.flows[flow] ?? { id: "", steps: [] }
  return to.step === undefined ? id : steps.find((step) => step.id === to.step)?.ref
}

/** Converts a path of the exploration to a conversation with values that can be played. */
import type { Json } from "../../base/Json.js"
import { agreement } from "../../session/ReadBack.js"
import type { Witness, WitnessTurn } from "../Finding.js"
import * as Payload from "../knowledge/Payload.js"
import type { Shape } from "../shape/Shape.js"
import * as Hearing from "../walk/Hearing.js"
import type { Choice, World } from "../walk/Path.js"
import type { Turn } from "../walk/WalkedTurn.js"
import * as AwaitedJobs from "./awaitedJobs.js"
import * as PathValues from "./PathValues.js"
import { fieldsOf, placeBefore, type StatedField } from "./Stated.js"

/** Makes the conversation of a path. */
export const witnessOf = (world: World, path: ReadonlyArray<Turn>): Witness => {
  const stated = fieldsOf(world, path)
  const valued = PathValues.find(world, path, stated)
  const encoded = (name: string): Json => valued.values.get(name)?.encoded ?? name
  const before = stated.filter((one) => one.before && valued.handled.get(one.turn)?.has(one.name) !== true)
  // Fields that were unknown at first, became known, and are stated by no message: code that the checker cannot analyse
  // must set them.
  const unsaid = before.filter((one) => wasAbsent(path, one))
  const given = Object.fromEntries(
    before.filter((one) => !unsaid.includes(one)).map(({ name }): [string, Json] => [name, encoded(name)])
  )
  const turns = path.map((turn, i) => {
    const fields = Object.fromEntries(
      stated.filter((one) => !one.before && one.turn === i).map(({ name }): [string, Json] => [name, encoded(name)])
    )
    return turnOf(world, turn, fields, { payload: valued.payloads.get(i)?.encoded, isKnown: valued.handled.has(i) })
  })
  const assumes = [
    ...unsaid.map(({ name, turn }) => ({ path: `data.${name}`, turn, holds: true })),
    ...valued.open.map(({ holds, test, turn }) => ({ path: test.path, turn, holds })),
    ...path.flatMap((_, turn) => ofCode(world, path, turn, valued).map((one) => ({ ...one, turn })))
  ]
  return { refused: false, given, turns, assumes: once(assumes) }
}

/** Drops assumptions that are made again in the same turn. */
const once = (assumes: Witness["assumes"]): Witness["assumes"] =>
  assumes.filter(({ holds, path, turn }, i) =>
    assumes.findIndex((one) => one.path === path && one.turn === turn && one.holds === holds) === i
  )

/** The assumptions about code in a turn that the checker cannot decide. */
const ofCode = (
  world: World,
  path: ReadonlyArray<Turn>,
  turn: number,
  { handled }: PathValues.Valued
): ReadonlyArray<{ readonly path: string; readonly holds: boolean }> => {
  const { cause, way } = path[turn]!
  const asked = cause._tag === "Happened" && handled.has(turn) ? cause.heard : undefined
  const isCode = cause._tag === "Code" || cause._tag === "Happened"
  const isCertain = asked !== undefined && comes(world, path, turn, asked)
  return [
    ...(isCode && !isCertain ? [{ path: cause.path, holds: true }] : []),
    ...way.choices.flatMap((choice) => {
      if (choice._tag === "Forgotten") {
        return choice.path === asked?.path
          ? []
          : [{ path: `data.${choice.name}`, holds: false }]
      }
      return choice._tag === "Moved" && choice.path !== asked?.path
        ? [{ path: choice.path, holds: choice.to !== undefined }]
        : []
    })
  ]
}

/**
 * True if the event or timer can certainly be played in a test: the job of an event was started before; a timer has not
 * elapsed before, competes with no other timer, and does not belong to `handOff`.
 */
const comes = (
  { happening, shape }: World,
  path: ReadonlyArray<Turn>,
  turn: number,
  { after, event, path: handler }: Hearing.EventHandler
): boolean => {
  if (event !== undefined) {
    const job = Payload.jobOf(happening, event)
    return job === undefined || AwaitedJobs.isWaitedFor(shape, path.slice(0, turn), job)
  }
  const place = placeBefore(path, turn)
  const timers = place === undefined ? [] : Hearing.at(shape.heard, place).filter((one) => one.after !== undefined)
  const isFirst = !path.slice(0, turn).some((one) => one.cause._tag === "Happened" && one.cause.path === handler)
  return after !== undefined && !handler.startsWith("handOff") && isFirst &&
    timers.every((one) => one.path === handler || one.path.startsWith("handOff"))
}

const wasAbsent = (path: ReadonlyArray<Turn>, { name, turn }: StatedField): boolean =>
  path.slice(0, turn + 1).some(({ way }) =>
    way.choices.some((choice) => "name" in choice && choice.name === name && !(choice._tag === "Field" && choice.known))
  )

const turnOf = (
  { happening, shape }: World,
  { cause, way }: Turn,
  fields: Record<string, Json>,
  told: EventPayload
): WitnessTurn => {
  const steps = way.trail
  const at = atOf(shape, way.outcome)
  if (cause._tag === "Happened") {
    return { fields, ...outside(happening, cause.heard, told), conditions: [], steps, at }
  }
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
    steps,
    at
  }
}

/** The payload of an event, and whether its handler is known to act as the turn assumes. */
interface EventPayload {
  readonly payload: Json | undefined
  readonly isKnown: boolean
}

/** The parts of a witness turn for an event or timer. */
const outside = (
  happening: World["happening"],
  { after, event }: Hearing.EventHandler,
  { isKnown, payload = null }: EventPayload
): Pick<WitnessTurn, "happens" | "after" | "says"> => {
  if (event === undefined) return { ...(after !== undefined && { after }), says: `${after} without a message` }
  const job = isKnown ? Payload.jobOf(happening, event) : undefined
  const call = job && AwaitedJobs.callOf(job)
  return {
    happens: { event, payload, ...(call !== undefined && { job: call }) },
    says: `${event} ${JSON.stringify(payload)}`
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

/**
 * What happens outside, with values: what an event may carry, and what a handler does when it comes.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Decode from "../Decode.js"
import type { ErasedEvents, Happening } from "../definition/Erase.js"
import type { Directive } from "../Directive.js"
import type { Heard } from "./Hearing.js"
import * as Samples from "./Samples.js"
import * as Source from "./Source.js"

/** Whether a job tells of itself by this event: nobody else may. */
export const isOfJob = ({ jobs }: Happening, event: string): boolean =>
  jobs.some(({ completed, failed, progress }) => [completed, failed, progress].includes(event))

const schemaOf = ({ events, jobs }: Happening, event: string): ErasedEvents[string] | undefined => {
  const job = jobs.find(({ completed, failed, progress }) => [completed, failed, progress].includes(event))
  if (job === undefined) return Object.hasOwn(events, event) ? events[event] : undefined
  const { failure, progress, success } = job.schemas
  // The Schemas of a job need nothing, as those of an event.
  return (event === job.completed ? success : event === job.failed ? failure : progress) as ErasedEvents[string]
}

const sampled = new WeakMap<Heard, ReadonlyArray<Samples.Sample>>()

/** What the event of a handler may carry, the plainest first, with the constants that the handler compares it with. */
export const samples = (happening: Happening, heard: Heard): ReadonlyArray<Samples.Sample> => {
  const before = sampled.get(heard)
  if (before !== undefined) return before
  const schema = heard.event === undefined ? undefined : schemaOf(happening, heard.event)
  const also = heard.code === undefined ? [] : Source.constants(heard.code.source)
  const found = schema === undefined ? [] : Samples.ofPayload(schema, Decode.either(schema), also)
  sampled.set(heard, found)
  return found
}

class Beyond {}

/**
 * What a handler does with a payload: its directive, or what its code gives when it is asked. Code is asked only if its text
 * names nothing but the event and the data; `undefined` when that is not enough.
 */
export const directiveOf = (
  { code, then }: Heard,
  event: unknown,
  data: ReadonlyMap<string, unknown>
): Directive | undefined => {
  if (then !== undefined) return then
  if (code === undefined || typeof code.run !== "function" || !Source.isPure(code.source)) return undefined
  const known: object = { event, data: Object.fromEntries(data) }
  const asked = new Proxy(known, {
    get: (target, name) => {
      if (name === "event" || name === "data") return Reflect.get(target, name) as unknown
      throw new Beyond()
    }
  })
  const { run } = code
  const answer = Either.try((): unknown => Reflect.apply(run, undefined, [asked]))
  if (Either.isLeft(answer)) return undefined
  const given = answer.right ?? {}
  return Predicate.isRecord(given) && Object.getPrototypeOf(given) === Object.prototype ? given : undefined
}

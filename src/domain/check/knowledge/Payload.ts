/** Sample payloads of events, and the directives that handlers return for them. */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Memo from "../../base/Memo.js"
import type { ErasedEvents, Happening } from "../../definition/Erase.js"
import type { Directive } from "../../directive/Directive.js"
import * as Decode from "../../fields/schema/Decode.js"
import * as Job from "../../job/Job.js"
import * as Source from "../shape/Source.js"
import type { EventHandler } from "../walk/Hearing.js"
import { contextOf } from "./PredicateJudge.js"
import * as Samples from "./Samples.js"

/** Returns the job that raises this event; undefined for an event that is not raised by a job. */
export const jobOf = ({ jobs }: Happening, event: string): Job.Any | undefined =>
  jobs.find((job) => Job.eventNames(job).includes(event))

const schemaOf = (happening: Happening, event: string): ErasedEvents[string] | undefined => {
  const { events } = happening
  const job = jobOf(happening, event)
  if (job === undefined) return Object.hasOwn(events, event) ? events[event] : undefined
  const { failure, progress, success } = job.schemas
  // The compiler cannot see that the Schemas of a job need no services, like those of an event.
  return (event === job.completed ? success : event === job.failed ? failure : progress) as ErasedEvents[string]
}

const sampled = Memo.weak((happening: Happening) =>
  Memo.weak(({ code, event }: EventHandler): ReadonlyArray<Samples.Sample> => {
    const schema = event === undefined ? undefined : schemaOf(happening, event)
    const also = code === undefined ? [] : Source.constants(code.source)
    return schema === undefined ? [] : Samples.ofPayload(schema, Decode.either(schema), also)
  })
)

/**
 * The sample payloads of a handler's event, the plainest first, including the constants that the handler compares it
 * with.
 */
export const samples = (happening: Happening, heard: EventHandler): ReadonlyArray<Samples.Sample> =>
  sampled(happening)(heard)

/**
 * Returns the directive of a handler for a payload: the literal one, or the result of its code. Code is called only if
 * its text uses only the event and the data; otherwise returns `undefined`.
 */
export const directiveOf = (
  { code, then }: EventHandler,
  event: unknown,
  data: ReadonlyMap<string, unknown>
): Directive | undefined => {
  if (then !== undefined) return then
  if (code === undefined || typeof code.run !== "function" || !Source.isPure(code.source)) return undefined
  const asked = contextOf({ event, data: Object.fromEntries(data) })
  const { run } = code
  const answer = Either.try((): unknown => Reflect.apply(run, undefined, [asked]))
  if (Either.isLeft(answer)) return undefined
  const given = answer.right ?? {}
  return Predicate.isRecord(given) && Object.getPrototypeOf(given) === Object.prototype ? given : undefined
}

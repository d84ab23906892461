/** A call of a job in a directive: its name and its payload as JSON. */
import * as Arr from "effect/Array"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/** The Schema of a job call, made by `Job.of` or decoded. */
export const Call = Schema.Struct({
  /** The name of the job. */
  job: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(80)),
  /** The encoded payload; absent if it encodes to `undefined`. */
  payload: optional(Json),
  /** The reason why the payload could not be encoded. Such a call fails the turn. */
  refused: optional(Schema.String)
}).annotations({ identifier: "JobCall", parseOptions: { onExcessProperty: "error" } })

export type Call = typeof Call.Type

/** The job calls of a directive. */
interface Changes {
  readonly run?: Call | ReadonlyArray<Call>
}

/** Returns the calls of a directive as a list. */
export const callsOf = ({ run }: Changes): ReadonlyArray<Call> => run === undefined ? [] : Arr.ensure(run)

/** Joins the calls of two directives, in emission order. */
export const join = (a: Changes, b: Changes): Changes => {
  const calls = [...callsOf(a), ...callsOf(b)]
  // The form of the result depends only on the number of calls, so that `join` is associative.
  return calls.length === 0 ? {} : { run: calls.length === 1 ? calls[0]! : calls }
}

const isOne = Schema.is(Call)

/** True if a value is a call, or a list of them. */
export const isCall = (u: unknown): boolean => Array.isArray(u) ? u.every((one) => isOne(one)) : isOne(u)

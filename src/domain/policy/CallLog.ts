/**
 * The calls of a session that policies read, or whose arguments were checked for their origins: the tool, the
 * arguments, and the outcome.
 */
import * as Schema from "effect/Schema"
import { Json, OwnKey, sizeWithin } from "../base/Json.js"
import { optional } from "../fields/Fields.js"
import { Origins } from "../origin/Origin.js"

/**
 * One call whose handler began. `args` and `result` have only the arguments and the parts of the result that a policy
 * reads; a value that is too long to be kept is missing.
 */
export const LoggedCall = Schema.Struct({
  /** Identifies the call. If a repeated turn makes the call again, the id is the same. */
  id: Schema.String,
  /** The `callId` in the record of the call; absent in entries of earlier versions. */
  callId: optional(Schema.String),
  toolId: Schema.String,
  at: Schema.DateTimeUtc,
  /** The time when the call ended; absent while it runs. Calls of a turn have the time of the turn. */
  endedAt: optional(Schema.DateTimeUtc),
  /**
   * `done`: the tool gave a result. `unknown`: the call took too long, was interrupted, or its writes were refused, so
   * that its effects are not known. A call that reported a failure is not kept.
   */
  outcome: Schema.Literal("done", "unknown"),
  args: Schema.Record({ key: OwnKey, value: Json }),
  /** Parts of the result, by path; the key `""` is the whole result. */
  result: Schema.Record({ key: OwnKey, value: Json }),
  /** The origins of all its arguments; only for agents that keep origins. */
  origins: optional(Origins)
}).annotations({ identifier: "LoggedCall" })

export type LoggedCall = typeof LoggedCall.Type

/**
 * The log of a session: at most 100 calls of each tool that policies read and 20 of each other tool, oldest first, and the
 * number of older calls by tool.
 */
export const CallLog = Schema.Struct({
  calls: Schema.Array(LoggedCall),
  dropped: optional(Schema.Record({ key: OwnKey, value: Schema.NonNegativeInt }))
}).annotations({ identifier: "CallLog" })

export type CallLog = typeof CallLog.Type

/**
 * The largest number of calls of one tool in a log: `read` for a tool that policies read, `other` for any other tool.
 */
export const maxCalls = { read: 100, other: 20 }

/** Maximum length of a value in the log, in characters of JSON; a longer one is not kept. */
const longest = 10_000

/** A value up to this length is kept as long as its call is. */
const short = 200

/** Maximum length of all values in the log that are longer than `short`. */
const mostLong = 100_000

/** True if a value is short enough to be logged. */
export const isKept = (value: Json): boolean => sizeWithin(value, longest) <= longest

const longIn = ({ args, result }: LoggedCall): number =>
  [...Object.values(args), ...Object.values(result)].reduce<number>((sum, value) => {
    const size = sizeWithin(value, longest)
    return size > short ? sum + Math.min(size, longest) : sum
  }, 0)

const onlyShort = (values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => sizeWithin(value, short) <= short))

/** Removes the long values of the oldest calls, so that those that are left fit. */
const fitting = (calls: ReadonlyArray<LoggedCall>): ReadonlyArray<LoggedCall> => {
  let size = 0
  return calls.toReversed().map((call) => {
    const long = longIn(call)
    size += long
    return long === 0 || size <= mostLong
      ? call
      : { ...call, args: onlyShort(call.args), result: onlyShort(call.result) }
  }).toReversed()
}

/**
 * Returns the log with a call, which replaces the entry with its id. If the log then has more than `most` calls of the
 * tool, the oldest of them is dropped and counted.
 */
export const withCall = (
  { calls, dropped = {} }: CallLog = { calls: [] },
  call: LoggedCall,
  most: number = maxCalls.read
): CallLog => {
  const others = [...calls.filter(({ id }) => id !== call.id), call]
  const all = longIn(call) === 0 ? others : fitting(others)
  const same = all.filter(({ toolId }) => toolId === call.toolId)
  if (same.length <= most) return { calls: all, ...(Object.keys(dropped).length > 0 && { dropped }) }
  return {
    calls: all.filter((one) => one !== same[0]),
    dropped: { ...dropped, [call.toolId]: (dropped[call.toolId] ?? 0) + 1 }
  }
}

/** The session field of the log; absent until a call was logged. */
export const sessionFields = { callLog: optional(CallLog) }

/**
 * The turns of a session that one can go back to.
 *
 * @since 0.1.0
 */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as Excerpt from "../../base/error/Excerpt.js"
import { optional } from "../../fields/Fields.js"
import { digest } from "../Approval.js"
import { Hidden } from "./RewoundRange.js"

/**
 * Whether, and for how many turns, the session is kept as it stood at the end of each: what `rewind` and `fork` go back
 * to. `keep` is 1 to 500. A turn whose answer the store has forgotten can no longer be gone back to: the stores keep
 * answers for 7 days unless they are told otherwise.
 *
 * @since 0.1.0
 * @category models
 */
export interface Snapshots {
  readonly keep: number
}

/**
 * @since 0.1.0
 * @category schemas
 */
export const Snapshots = Schema.Struct({
  keep: Schema.Int.pipe(Schema.between(1, 500, { message: () => "must be a whole number from 1 to 500" }))
}).annotations({ identifier: "Snapshots", parseOptions: { onExcessProperty: "error" } })

/**
 * A turn that can be gone back to.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PastTurn = Schema.Struct({
  /** From 1, counted over what can be read: after going back to turn 3, the next one is turn 4. */
  turn: Schema.Int.pipe(Schema.positive()),
  /** The key under which the store has the session as it stood then. */
  key: Schema.String,
  /** The session's version then. */
  version: Schema.Int,
  /** The sequence number of the last message then. */
  messageCount: Schema.NonNegativeInt,
  at: Schema.DateTimeUtc,
  /** The beginning of what the user said. Absent when the turn answered something else. */
  said: optional(Schema.String),
  /** What happened instead, by name: an event, a timer, what a job told. */
  event: optional(Schema.String)
}).annotations({ identifier: "PastTurn" })

/**
 * @since 0.1.0
 * @category models
 */
export type PastTurn = typeof PastTurn.Type

/** What a session knows of going back. */
export const sessionFields = {
  /** What it was taken back from; absent when it never was. Of `messageCount`, these can no longer be read. */
  hidden: optional(Schema.Array(Hidden)),
  /** The turns that can be gone back to, the last one last; absent unless the agent keeps `snapshots`. */
  turns: optional(Schema.Array(PastTurn)),
  /** The session that this one began as a copy of, and after which turn of that. */
  forkedFrom: optional(Schema.Struct({ sessionId: Schema.String, turn: optional(Schema.Int) }))
}

/** The most characters of what the user said. */
const longestSaid = 100

/**
 * The list with a turn that ended: at most `keep`. A turn that goes on with one that had stopped for a person takes its
 * place and its number, and so does one that is stored under the same key.
 *
 * @since 0.1.0
 * @category combinators
 */
export const add = (
  turns: ReadonlyArray<PastTurn> = [],
  { event, goesOn, said, ...ended }: Omit<PastTurn, "turn"> & { readonly goesOn: boolean },
  { keep }: Snapshots
): ReadonlyArray<PastTurn> => {
  const same = goingOn(turns.at(-1), ended.key, goesOn)
  const turn: PastTurn = {
    ...ended,
    turn: same?.turn ?? (turns.at(-1)?.turn ?? 0) + 1,
    ...(said !== undefined && { said: Excerpt.start(said, longestSaid) }),
    ...(event !== undefined && { event })
  }
  return [...turns.filter((one) => one !== same && one.key !== ended.key), turn].slice(-keep)
}

/** The last turn, if it is the one that goes on. */
const goingOn = (last: PastTurn | undefined, key: string, goesOn: boolean): PastTurn | undefined =>
  goesOn || last?.key === key ? last : undefined

/**
 * The key of a turn that has none of its own: a text that no other commit has.
 *
 * @since 0.1.0
 * @category constructors
 */
export const keyOf = (session: {
  readonly id: string
  readonly version: number
  readonly createdAt: DateTime.Utc
}): string => digest({ session: session.id, begun: session.createdAt.epochMillis, version: session.version })

/** The turns to which a session can be rewound. */
import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as Excerpt from "../../base/error/Excerpt.js"
import { optional } from "../../fields/Fields.js"
import { digest } from "../Approval.js"
import { Hidden } from "./RewoundRange.js"

/**
 * The number of past turns (`keep`, 1 to 500) to which `rewind` and `fork` can return. A turn whose response the store
 * has deleted cannot be restored: stores keep responses for 7 days by default.
 */
export interface Snapshots {
  readonly keep: number
}

export const Snapshots = Schema.Struct({
  keep: Schema.Int.pipe(Schema.between(1, 500, { message: () => "must be a whole number from 1 to 500" }))
}).annotations({ identifier: "Snapshots", parseOptions: { onExcessProperty: "error" } })

/** A turn that can be restored. */
export const PastTurn = Schema.Struct({
  /**
   * Number of the turn, from 1. Only visible turns are counted: after a rewind to turn 3, the next turn is number 4.
   */
  turn: Schema.Int.pipe(Schema.positive()),
  /** The key under which the store has the session at the end of the turn. */
  key: Schema.String,
  /** The session's version at the end of the turn. */
  version: Schema.Int,
  /** The sequence number of the last message at the end of the turn. */
  messageCount: Schema.NonNegativeInt,
  at: Schema.DateTimeUtc,
  /** The first characters of the user's message. Absent if the turn did not answer a message. */
  said: optional(Schema.String),
  /** Name of the event, timer or job that the turn answered instead of a message. */
  event: optional(Schema.String)
}).annotations({ identifier: "PastTurn" })

export type PastTurn = typeof PastTurn.Type

/** Session fields about rewinding. */
export const sessionFields = {
  /**
   * The ranges hidden by rewinding; absent if the session was never rewound. Their messages count in `messageCount`,
   * but can no longer be read.
   */
  hidden: optional(Schema.Array(Hidden)),
  /** The turns that can be restored, oldest first; absent unless the agent keeps `snapshots`. */
  turns: optional(Schema.Array(PastTurn)),
  /** The session, and the turn, of which this session is a copy. */
  forkedFrom: optional(Schema.Struct({ sessionId: Schema.String, turn: optional(Schema.Int) }))
}

/** Largest number of characters of the user's message that are kept. */
const longestSaid = 100

/**
 * Appends a finished turn to the list and keeps the last `keep` turns. If the turn continues one that waited for a
 * person, or has the key of a stored turn, it replaces that turn and keeps its number.
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

/** Returns the last turn if the new turn continues it or has the same key. */
const goingOn = (last: PastTurn | undefined, key: string, goesOn: boolean): PastTurn | undefined =>
  goesOn || last?.key === key ? last : undefined

/** Returns a unique key for a turn without its own. */
export const keyOf = (session: {
  readonly id: string
  readonly version: number
  readonly createdAt: DateTime.Utc
}): string => digest({ session: session.id, begun: session.createdAt.epochMillis, version: session.version })

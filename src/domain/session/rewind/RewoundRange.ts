/** Ranges of messages hidden by rewinding: they stay stored, but are no longer read. */
import * as Schema from "effect/Schema"

/**
 * One hidden range: the messages after `after` up to `upTo`, stored by the commits after `afterVersion` up to
 * `upToVersion`.
 */
export const Hidden = Schema.Struct({
  after: Schema.NonNegativeInt,
  /** Equal to `after` if the commits stored no messages. */
  upTo: Schema.NonNegativeInt,
  afterVersion: Schema.NonNegativeInt,
  upToVersion: Schema.NonNegativeInt
}).annotations({ identifier: "Hidden" })

export type Hidden = typeof Hidden.Type

/** The fields of a session that this module reads. The ranges in `hidden` are sorted and do not overlap. */
interface Session {
  readonly messageCount: number
  readonly hidden?: ReadonlyArray<Hidden>
}

const lengthOf = ({ after, upTo }: Hidden): number => upTo - after

/** True if the message with this sequence number is hidden. */
export const isHidden = ({ hidden = [] }: Pick<Session, "hidden">, seq: number): boolean =>
  hidden.some(({ after, upTo }) => after < seq && seq <= upTo)

/** True if the commit with this version was rewound. */
export const isTakenBack = ({ hidden = [] }: Pick<Session, "hidden">, version: number): boolean =>
  hidden.some(({ afterVersion, upToVersion }) => afterVersion < version && version <= upToVersion)

/** Number of visible messages after the message with this sequence number. */
export const countAfter = ({ hidden = [], messageCount }: Session, seq: number): number =>
  hidden.reduce(
    (count, { after, upTo }) => count - Math.max(0, upTo - Math.max(after, seq)),
    Math.max(0, messageCount - seq)
  )

/** Sequence number of the last visible message before the last `count` visible ones; 0 if there is none. */
export const lastBefore = ({ hidden = [], messageCount }: Session, count: number): number =>
  hidden.reduceRight((seq, one) => seq > one.upTo ? seq : seq - lengthOf(one), messageCount - count)

/** The largest visible sequence number below this one; 0 if there is none. */
export const below = ({ hidden = [] }: Pick<Session, "hidden">, seq: number): number =>
  hidden.reduceRight((last, { after, upTo }) => after < last && last <= upTo ? after : last, seq - 1)

/** The hidden ranges after rewinding a session to an earlier state. */
export const from = (
  { hidden = [], messageCount, version }: Session & { readonly version: number },
  to: { readonly messageCount: number; readonly version: number }
): ReadonlyArray<Hidden> => [
  ...hidden.filter(({ afterVersion }) => afterVersion < to.version),
  { after: to.messageCount, upTo: messageCount, afterVersion: to.version, upToVersion: version }
]

/** A text that changes with each rewind, to distinguish reads before and after it. */
export const branchOf = ({ hidden = [], id }: Pick<Session, "hidden"> & { readonly id: string }): string =>
  `${hidden.at(-1)?.upToVersion ?? 0} ${id}`

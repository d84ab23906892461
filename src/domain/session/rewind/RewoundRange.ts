/**
 * Messages that were taken back: they stay stored, but nothing reads them any more, as if they had not been said.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * One stretch of a session that was taken back: the messages after `after` up to `upTo`, stored by the commits after
 * `afterVersion` up to `upToVersion`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Hidden = Schema.Struct({
  after: Schema.NonNegativeInt,
  /** The same as `after` when the commits had stored no message. */
  upTo: Schema.NonNegativeInt,
  afterVersion: Schema.NonNegativeInt,
  upToVersion: Schema.NonNegativeInt
}).annotations({ identifier: "Hidden" })

/**
 * @since 0.1.0
 * @category models
 */
export type Hidden = typeof Hidden.Type

/** As far as this needs to know a session. The stretches are in order, and none is part of another. */
interface Session {
  readonly messageCount: number
  readonly hidden?: ReadonlyArray<Hidden>
}

const lengthOf = ({ after, upTo }: Hidden): number => upTo - after

/**
 * Whether the message with this sequence number is hidden.
 *
 * @since 0.1.0
 * @category guards
 */
export const isHidden = ({ hidden = [] }: Pick<Session, "hidden">, seq: number): boolean =>
  hidden.some(({ after, upTo }) => after < seq && seq <= upTo)

/**
 * Whether what this commit stored was taken back.
 *
 * @since 0.1.0
 * @category guards
 */
export const isTakenBack = ({ hidden = [] }: Pick<Session, "hidden">, version: number): boolean =>
  hidden.some(({ afterVersion, upToVersion }) => afterVersion < version && version <= upToVersion)

/**
 * How many messages after the one with this sequence number can be read.
 *
 * @since 0.1.0
 * @category getters
 */
export const countAfter = ({ hidden = [], messageCount }: Session, seq: number): number =>
  hidden.reduce(
    (count, { after, upTo }) => count - Math.max(0, upTo - Math.max(after, seq)),
    Math.max(0, messageCount - seq)
  )

/**
 * The last message that can be read before the last `count` of those: its sequence number, 0 when there is none.
 *
 * @since 0.1.0
 * @category getters
 */
export const lastBefore = ({ hidden = [], messageCount }: Session, count: number): number =>
  hidden.reduceRight((seq, one) => seq > one.upTo ? seq : seq - lengthOf(one), messageCount - count)

/**
 * The last sequence number below this one that can be read; 0 when there is none.
 *
 * @since 0.1.0
 * @category getters
 */
export const below = ({ hidden = [] }: Pick<Session, "hidden">, seq: number): number =>
  hidden.reduceRight((last, { after, upTo }) => after < last && last <= upTo ? after : last, seq - 1)

/**
 * The stretches of a session after it was taken back to an earlier moment.
 *
 * @since 0.1.0
 * @category combinators
 */
export const from = (
  { hidden = [], messageCount, version }: Session & { readonly version: number },
  to: { readonly messageCount: number; readonly version: number }
): ReadonlyArray<Hidden> => [
  ...hidden.filter(({ afterVersion }) => afterVersion < to.version),
  { after: to.messageCount, upTo: messageCount, afterVersion: to.version, upToVersion: version }
]

/**
 * A text that changes each time the session is taken back, to tell what was read of it before from what is read since.
 *
 * @since 0.1.0
 * @category getters
 */
export const branchOf = ({ hidden = [], id }: Pick<Session, "hidden"> & { readonly id: string }): string =>
  `${hidden.at(-1)?.upToVersion ?? 0} ${id}`

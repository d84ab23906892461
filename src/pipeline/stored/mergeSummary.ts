/**
 * Merges the two summaries of a conversation: one of its oldest messages, and one of the messages just before the
 * recent ones.
 */
import * as RewoundRange from "../../domain/session/rewind/RewoundRange.js"
import type { Session, Summary } from "../../domain/session/Session.js"

type Older = NonNullable<Summary["older"]>

/** The summary of the oldest messages so far: its text, and the last message that it covers. */
export type Progress = Pick<Older, "text" | "upTo">

/** The first and the last message that no summary covers yet; undefined if there are none. */
export const missingOf = (
  summary: Summary | undefined
): { readonly first: number; readonly last: number } | undefined => {
  const older = summary?.older
  return older === undefined || older.upTo >= older.until ? undefined : { first: older.upTo + 1, last: older.until }
}

/** Returns the text of a summary for prompts. It says which messages no summary covers. */
export const textOf = (summary: Summary): string => {
  const missing = missingOf(summary)
  return [
    summary.older?.text,
    missing && `(Messages ${missing.first} to ${missing.last} of the conversation are not summarized yet.)`,
    summary.text
  ].filter((part) => part !== undefined).join("\n\n")
}

/**
 * Returns the summary of the oldest messages, for a new summary that begins after message `until`. If the present
 * summary ends before that message, it becomes the first part of the summary of the oldest messages.
 */
export const olderOf = (session: Session, until: number): Older | undefined => {
  const { summary } = session
  const told = summary?.upTo ?? 0
  if (RewoundRange.countAfter(session, told) <= RewoundRange.countAfter(session, until)) return summary?.older
  const { text, upTo } = summary?.older ?? { text: summary?.text, upTo: told }
  return { ...(text !== undefined && { text }), upTo, until }
}

/** Returns the stored summary after a new one was made from the session `from`; undefined if the new one is outdated. */
export const renewed = (from: Session, made: Summary, { summary: now }: Session): Summary | undefined => {
  if (now === undefined) return made
  if (made.upTo <= now.upTo) return undefined
  const before = from.summary
  return before?.older === undefined || made.older !== before.older ? made : continued(before, made, now)
}

/**
 * Combines the present summary of the oldest messages with the new summary. Returns undefined if the oldest messages'
 * summary has become the whole summary meanwhile, because the new summary does not continue it.
 */
const continued = (before: Summary, { text, upTo }: Summary, now: Summary): Summary | undefined =>
  now.text === before.text ? { text, upTo, ...(now.older !== undefined && { older: now.older }) } : undefined

/**
 * Returns the stored summary after the oldest messages were summarized further; undefined if the new part is outdated.
 */
export const advanced = (from: Older, to: Progress, { summary: now }: Session): Summary | undefined => {
  if (now?.older?.upTo !== from.upTo || to.upTo <= from.upTo) return undefined
  return to.upTo >= now.upTo
    ? { text: to.text ?? now.text, upTo: now.upTo }
    : { ...now, older: { ...now.older, ...to } }
}

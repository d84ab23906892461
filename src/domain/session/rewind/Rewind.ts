/**
 * Rewinding and forking: restores a session to the end of an earlier turn, or copies it from there. The conversation is
 * restored; usage, owner, the log of calls and used call ids keep their current values.
 */
import * as DateTime from "effect/DateTime"
import type * as Timer from "../../directive/Timer.js"
import * as StoredJob from "../../job/StoredJob.js"
import { bind } from "../Approval.js"
import type { PendingApproval, Session } from "../Session.js"
import * as RewoundRange from "./RewoundRange.js"
import { timed } from "./Timed.js"

/** New ids of the waiting requests, by their old ids. */
export type Ids = ReadonlyMap<string, string>

/** Returns the ids of the requests that wait in a session. */
export const requestsOf = ({ pendingApproval }: Session): ReadonlyArray<string> =>
  pendingApproval?.requests.map(({ id }) => id) ?? []

/** Renews a pending approval, so that a decision about the earlier request does not apply to the new one. */
const asked = (
  pending: PendingApproval,
  ids: Ids,
  about: { readonly sessionId: string; readonly sessionVersion: number }
): PendingApproval => {
  const idOf = (id: string) => ids.get(id) ?? id
  return {
    ...pending,
    requests: pending.requests.map(({ binding: { callId, fingerprint, requestedBy, toolId }, ...request }) => ({
      ...request,
      id: idOf(request.id),
      binding: bind({
        ...about,
        callId,
        toolId,
        fingerprint,
        args: request.args,
        ...(requestedBy !== undefined && { requestedBy })
      })
    })),
    decisions: pending.decisions.map((decision) => ({ ...decision, id: idOf(decision.id) })),
    ...(pending.asking !== undefined && { asking: idOf(pending.asking) })
  }
}

/**
 * Returns the timers of the earlier state. Timers of flows and steps, and overdue timers, get the time that they had
 * left in the earlier state; other timers keep their time.
 */
const timersOf = ({ timers = [], updatedAt }: Session, now: DateTime.Utc): ReadonlyArray<Timer.Timer> => {
  const since = now.epochMillis - updatedAt.epochMillis
  return timers.map((timer) =>
    timer.owner !== undefined || DateTime.lessThanOrEqualTo(timer.at, now)
      ? { ...timer, at: DateTime.mapEpochMillis(timer.at, (at) => at + since) }
      : timer
  )
}

/**
 * Returns the jobs of the earlier state. Unfinished jobs keep their current state; jobs that have ended since then run
 * again, under the same id.
 */
const jobsOf = (then: Session, current: Session, now: DateTime.Utc): ReadonlyArray<StoredJob.StoredJob> =>
  (then.jobs ?? []).map((job) => current.jobs?.find(({ id }) => id === job.id) ?? StoredJob.release(job, now))

/** Returns the fields of the earlier state that belong to the conversation. */
const conversation = (
  then: Session,
  now: DateTime.Utc,
  ids: Ids,
  about: { readonly id: string; readonly version: number }
) => {
  const {
    askedCalls: _a,
    callLog: _l,
    epoch: _e,
    forkedFrom: _f,
    handOver: _p,
    hidden: _h,
    jobs: _j,
    pendingApproval,
    timers: _t,
    usage: _u,
    userId: _o,
    ...rest
  } = then
  const timers = timersOf(then, now)
  return {
    ...rest,
    ...about,
    ...(timers.length > 0 && { timers }),
    ...(pendingApproval !== undefined && {
      pendingApproval: asked(pendingApproval, ids, { sessionId: about.id, sessionVersion: about.version })
    }),
    updatedAt: now
  }
}

/** Returns the next version of the session, restored to the earlier state. Later messages become hidden. */
export const rewound = (current: Session, then: Session, now: DateTime.Utc, ids: Ids): Session => {
  const { askedCalls, callLog, createdAt, epoch, forkedFrom, handOver, id, messageCount, usage, userId } = current
  const jobs = jobsOf(then, current, now)
  return timed({
    // The current hand-over stays, if the earlier state had one too.
    ...(handOver !== undefined && then.handOver !== undefined && { handOver }),
    ...conversation(then, now, ids, { id, version: current.version + 1 }),
    ...(jobs.length > 0 && { jobs }),
    ...(epoch !== undefined && { epoch }),
    ...(userId !== undefined && { userId }),
    ...(askedCalls !== undefined && { askedCalls }),
    // The log keeps the calls of rewound turns, because a rewind does not undo the calls.
    ...(callLog !== undefined && { callLog }),
    ...(usage !== undefined && { usage }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    createdAt,
    messageCount,
    hidden: RewoundRange.from(current, then)
  })
}

/**
 * Returns the first version of a session that starts as a copy of an earlier state, with the messages visible then.
 * Jobs and usage stay with the original.
 */
export const forked = (
  current: Session,
  then: Session,
  to: {
    readonly id: string
    readonly epoch: string | undefined
    readonly turn?: number
    readonly now: DateTime.Utc
    readonly ids: Ids
  }
): Session => {
  const { askedCalls, callLog, userId } = current
  const { summary, turns: _, ...rest } = conversation(then, to.now, to.ids, { id: to.id, version: 1 })
  const messageCount = RewoundRange.countAfter(then, 0)
  const renumbered = (seq: number) => messageCount - RewoundRange.countAfter(then, seq)
  return timed({
    ...rest,
    ...(to.epoch !== undefined && { epoch: to.epoch }),
    ...(userId !== undefined && { userId }),
    ...(askedCalls !== undefined && { askedCalls }),
    ...(callLog !== undefined && { callLog }),
    ...(summary !== undefined && {
      summary: {
        text: summary.text,
        upTo: renumbered(summary.upTo),
        ...(summary.older !== undefined && {
          older: { ...summary.older, upTo: renumbered(summary.older.upTo), until: renumbered(summary.older.until) }
        })
      }
    }),
    forkedFrom: { sessionId: current.id, ...(to.turn !== undefined && { turn: to.turn }) },
    createdAt: to.now,
    messageCount
  })
}

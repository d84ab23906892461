/**
 * Going back: what a session is when it stands again as it stood at the end of an earlier turn, and what a copy of it is.
 *
 * What is of the conversation goes back. What is of the world does not: what was spent, whose session it is, which call ids
 * are used up.
 *
 * @since 0.1.0
 */
import * as DateTime from "effect/DateTime"
import type * as Timer from "../../directive/Timer.js"
import * as StoredJob from "../../job/StoredJob.js"
import { bind } from "../Approval.js"
import type { PendingApproval, Session } from "../Session.js"
import * as RewoundRange from "./RewoundRange.js"
import { timed } from "./Timed.js"

/** A new id for each request that waits. */
export type Ids = ReadonlyMap<string, string>

/**
 * The ids of the requests that wait in a session.
 *
 * @since 0.1.0
 * @category getters
 */
export const requestsOf = ({ pendingApproval }: Session): ReadonlyArray<string> =>
  pendingApproval?.requests.map(({ id }) => id) ?? []

/**
 * What waits for a person, asked anew: a decision about the request as it was then does not decide this one.
 */
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
 * The timers of then. Those of flows and steps have the time left that they had; what is scheduled for a moment stays for
 * that moment, and has the time left when the moment has passed.
 */
const timersOf = ({ timers = [], updatedAt }: Session, now: DateTime.Utc): ReadonlyArray<Timer.Timer> => {
  const since = now.epochMillis - updatedAt.epochMillis
  return timers.map((timer) =>
    timer.owner !== undefined || DateTime.lessThanOrEqualTo(timer.at, now)
      ? { ...timer, at: DateTime.add(timer.at, { millis: since }) }
      : timer
  )
}

/** The jobs of then: as they are now if they still run; what has ended since runs again, under the same id. */
const jobsOf = (then: Session, current: Session, now: DateTime.Utc): ReadonlyArray<StoredJob.StoredJob> =>
  (then.jobs ?? []).map((job) => current.jobs?.find(({ id }) => id === job.id) ?? StoredJob.release(job, now))

/** The fields of a session that are of the conversation; the rest is set by who takes it back or copies it. */
const conversation = (
  then: Session,
  now: DateTime.Utc,
  ids: Ids,
  about: { readonly id: string; readonly version: number }
) => {
  const {
    askedCalls: _a,
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

/**
 * The session as its next version, standing as it stood then. What was said since is hidden.
 *
 * @since 0.1.0
 * @category transitions
 */
export const rewound = (current: Session, then: Session, now: DateTime.Utc, ids: Ids): Session => {
  const { askedCalls, createdAt, epoch, forkedFrom, handOver, id, messageCount, usage, userId } = current
  const jobs = jobsOf(then, current, now)
  return timed({
    // A session that waits for a person goes on waiting, unless it waited for none at that turn.
    ...(handOver !== undefined && then.handOver !== undefined && { handOver }),
    ...conversation(then, now, ids, { id, version: current.version + 1 }),
    ...(jobs.length > 0 && { jobs }),
    ...(epoch !== undefined && { epoch }),
    ...(userId !== undefined && { userId }),
    ...(askedCalls !== undefined && { askedCalls }),
    ...(usage !== undefined && { usage }),
    ...(forkedFrom !== undefined && { forkedFrom }),
    createdAt,
    messageCount,
    hidden: RewoundRange.from(current, then)
  })
}

/**
 * The first version of a session that begins as the other one stood then, with the messages that could be read. Jobs stay
 * with the other one, and what models were asked there is not counted here.
 *
 * @since 0.1.0
 * @category transitions
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
  const { askedCalls, userId } = current
  const { summary, turns: _, ...rest } = conversation(then, to.now, to.ids, { id: to.id, version: 1 })
  const messageCount = RewoundRange.countAfter(then, 0)
  return timed({
    ...rest,
    ...(to.epoch !== undefined && { epoch: to.epoch }),
    ...(userId !== undefined && { userId }),
    ...(askedCalls !== undefined && { askedCalls }),
    ...(summary !== undefined && {
      summary: { ...summary, upTo: messageCount - RewoundRange.countAfter(then, summary.upTo) }
    }),
    forkedFrom: { sessionId: current.id, ...(to.turn !== undefined && { turn: to.turn }) },
    createdAt: to.now,
    messageCount
  })
}

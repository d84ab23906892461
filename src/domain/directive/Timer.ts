/**
 * Scheduled events and timers of a conversation. They are part of the session: stored with the commit of the turn that
 * sets them, and removed with the commit of the turn that they cause.
 */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/** A time span in words: `"5 minutes"`. A day has 24 hours, even when daylight saving time begins or ends. */
export type Span = `${number} ${Duration.Unit}`

const scheduleShape = {
  /** Id within the session, 1 to 100 characters; scheduling the same id again replaces the timer. */
  id: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(100)),
  /** Name of the event, one of the agent's. */
  event: Schema.String,
  /** Encoded payload, as the event's Schema decodes it. */
  payload: optional(Json)
}

/**
 * An event to schedule: after a span from this turn (`in`), or at an instant (`at`). `at` is in ISO 8601 with an offset
 * or `Z`; an instant in the past is due immediately.
 */
export interface Schedule {
  readonly id: string
  /** A span such as `"3 days"`, or milliseconds. */
  readonly in?: Span | number
  readonly at?: string | DateTime.DateTime
  readonly event: string
  readonly payload?: Json
}

/** The Schema of an encoded schedule. */
export const Schedule = Schema.Struct({
  ...scheduleShape,
  in: optional(Schema.Union(Schema.String, Schema.NonNegative)),
  at: optional(Schema.String)
}).annotations({ identifier: "Schedule", parseOptions: { onExcessProperty: "error" } })

/** Returns the instant at which a schedule is due; `undefined` if the schedule is invalid. */
export const dueAt = (
  { at, in: span }: { readonly in?: unknown; readonly at?: unknown },
  now: DateTime.Utc
): DateTime.Utc | undefined => {
  if ((at === undefined) === (span === undefined)) return undefined
  if (span !== undefined) {
    const duration = Duration.decodeUnknown(span)
    return Option.isSome(duration) && Duration.isFinite(duration.value)
      ? Option.getOrUndefined(Option.map(later(now, duration.value), DateTime.toUtc))
      : undefined
  }
  if (DateTime.isDateTime(at)) return DateTime.toUtc(at)
  return Predicate.isString(at) && hasOffset.test(at)
    ? Option.getOrUndefined(Option.map(DateTime.make(at), DateTime.toUtc))
    : undefined
}

const later = (now: DateTime.Utc, span: Duration.Duration) =>
  DateTime.make(DateTime.toEpochMillis(now) + Duration.toMillis(span))

/**
 * Matches an instant with an offset or `Z`. Without these, the instant would depend on the time zone of the process.
 */
const hasOffset = /T[^T]{0,40}(?:Z|[+-]\d{2}:?\d{2})$/

/** True if a value is a schedule, or a list of them. */
export const isSchedule = (u: unknown): boolean => {
  if (Array.isArray(u)) return u.every((one) => !Array.isArray(one) && isSchedule(one))
  const epoch = DateTime.unsafeMake(0)
  return Predicate.isRecord(u) && dueAt(u, epoch) !== undefined &&
    Schema.is(Schedule)({ ...u, ...(u.at !== undefined && { at: "" }) })
}

const listOf = <A>(given: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  given === undefined ? [] : Arr.ensure(given)

/** Returns several values as a list and a single value as itself, so that joining lists is associative. */
const oneOrMany = <A>(list: ReadonlyArray<A>): A | ReadonlyArray<A> | undefined => list.length > 1 ? list : list[0]

/** The schedules and cancellations of a directive. Cancellations are applied first. */
export interface Changes {
  readonly schedule?: Schedule | ReadonlyArray<Schedule>
  readonly cancel?: string | ReadonlyArray<string>
}

/**
 * Joins the changes of two directives; `b` was emitted after `a`. The later schedule of an id wins, and a later
 * `cancel` removes an earlier schedule.
 */
export const join = (a: Changes, b: Changes): Changes => {
  const gone = new Set([...listOf(b.cancel), ...listOf(b.schedule).map(({ id }) => id)])
  const schedule = oneOrMany([...listOf(a.schedule).filter(({ id }) => !gone.has(id)), ...listOf(b.schedule)])
  const cancel = oneOrMany(Array.from(new Set([...listOf(a.cancel), ...listOf(b.cancel)])))
  return { ...(schedule !== undefined && { schedule }), ...(cancel !== undefined && { cancel }) }
}

/** The schedules of a directive in serializable form. */
export const storable = (given: unknown): unknown =>
  Array.isArray(given)
    ? given.map(storable)
    : Predicate.isRecord(given) && DateTime.isDateTime(given.at)
    ? { ...given, at: DateTime.formatIso(given.at) }
    : given

/** The position to which an `after` timer belongs; the timer ends when the position is left. */
const Owner = Schema.Struct({
  flowId: Schema.String,
  /** Absent for a timer of the flow. */
  stepId: optional(Schema.String),
  enteredAt: Schema.DateTimeUtc,
  /** The span as written in `after`. */
  after: Schema.String
})

/** A stored timer: a scheduled event, or an `after` of a flow or a step. */
export const Timer = Schema.Struct({
  id: Schema.String,
  at: Schema.DateTimeUtc,
  /** The agent that set the timer; other agents do not run it. */
  agent: Schema.String,
  scheduled: optional(Schema.Struct({ event: Schema.String, payload: optional(Json) })),
  owner: optional(Owner),
  /** For a timer of `handOff.after`: when the wait for a person began, and the span. */
  waited: optional(Schema.Struct({ since: Schema.DateTimeUtc, after: Schema.String }))
}).annotations({ identifier: "Timer" })

export type Timer = typeof Timer.Type

/** Largest number of scheduled events per session. */
export const maxScheduled = 100

const Position = Schema.Struct({ id: Schema.String, enteredAt: Schema.DateTimeUtc })

type Position = typeof Position.Type

/**
 * The session fields that decide which timer fires. Decoding only these fields takes a small part of the time for a
 * whole session.
 */
export const Session = Schema.Struct({
  timers: optional(Schema.Array(Timer)),
  currentFlow: optional(Position),
  currentStep: optional(Position),
  suspended: Schema.Array(Schema.Struct({ flow: Position })),
  handOver: optional(Schema.Struct({ by: optional(Schema.Unknown), since: Schema.DateTimeUtc }))
})

export type Session = typeof Session.Type

/** Returns the timers after a directive's changes. */
export const change = (
  timers: ReadonlyArray<Timer>,
  { cancel, schedule }: Changes,
  agent: string,
  now: DateTime.Utc
): ReadonlyArray<Timer> => {
  const added = listOf(schedule).flatMap((one): ReadonlyArray<Timer> => {
    const at = dueAt(one, now)
    const { event, id, payload } = one
    return at === undefined ? [] : [{ id, at, agent, scheduled: { event, ...(payload !== undefined && { payload }) } }]
  })
  const gone = new Set([...listOf(cancel), ...added.map(({ id }) => id)])
  return [...timers.filter(({ id, scheduled }) => scheduled === undefined || !gone.has(id)), ...added]
}

/** Returns the schedules of a directive as a list. */
export const schedulesOf = ({ schedule }: Changes): ReadonlyArray<Schedule> => listOf(schedule)

const isSame = (a: Position, id: string, enteredAt: DateTime.Utc): boolean =>
  a.id === id && DateTime.Equivalence(a.enteredAt, enteredAt)

const isOf = (session: Session, { enteredAt, flowId, stepId }: NonNullable<Timer["owner"]>): boolean =>
  stepId === undefined
    ? [session.currentFlow, ...session.suspended.map(({ flow }) => flow)].some((flow) =>
      flow !== undefined && isSame(flow, flowId, enteredAt)
    )
    : session.currentFlow?.id === flowId && session.currentStep !== undefined &&
      isSame(session.currentStep, stepId, enteredAt)

/**
 * True if the timer may fire. Timers of a suspended flow wait until it is resumed; during a hand-over, all timers of
 * flows and steps wait.
 */
const runs = (session: Session, { owner }: Timer): boolean =>
  owner === undefined || (session.handOver === undefined &&
    (owner.stepId !== undefined ||
      (session.currentFlow !== undefined && isSame(session.currentFlow, owner.flowId, owner.enteredAt))))

const isWaitedFor = ({ handOver }: Session, { since }: NonNullable<Timer["waited"]>): boolean =>
  handOver !== undefined && handOver.by === undefined && DateTime.Equivalence(handOver.since, since)

/**
 * Returns the session's timers, without timers whose position was left, and without timers of a wait for a person that
 * is over.
 */
export const kept = (session: Session): ReadonlyArray<Timer> =>
  (session.timers ?? []).filter(({ owner, waited }) =>
    (owner === undefined || isOf(session, owner)) && (waited === undefined || isWaitedFor(session, waited))
  )

/** Returns the timers that start when a position is entered. */
export const start = (
  spans: Iterable<readonly [span: string, duration: Duration.Duration]>,
  owner: Omit<NonNullable<Timer["owner"]>, "after">,
  agent: string,
  from: DateTime.Utc
): ReadonlyArray<Timer> =>
  Array.from(spans, ([after, duration]) => ({
    id: `${owner.flowId}${owner.stepId === undefined ? "" : `/${owner.stepId}`} after ${after}`,
    at: DateTime.addDuration(from, duration),
    agent,
    owner: { ...owner, after }
  }))

/** Returns the timers that start with the wait for a person. */
export const startWaiting = (
  spans: Iterable<readonly [span: string, duration: Duration.Duration]>,
  since: DateTime.Utc,
  agent: string
): ReadonlyArray<Timer> =>
  Array.from(spans, ([after, duration]) => ({
    id: `person after ${after}`,
    at: DateTime.addDuration(since, duration),
    agent,
    waited: { since, after }
  }))

/** The timers that may fire, earliest first. */
const running = (session: Session): ReadonlyArray<Timer> =>
  (session.timers ?? []).filter((timer) => runs(session, timer))
    .sort((a, b) => DateTime.Order(a.at, b.at))

/** Returns when the earliest timer that may fire is due. */
export const wakeAt = (session: Session): DateTime.Utc | undefined => running(session)[0]?.at

/** Returns the earliest timer of an agent if it is due. */
export const due = (session: Session, agent: string, now: DateTime.Utc): Timer | undefined => {
  const first = running(session).find((timer) => timer.agent === agent)
  return first !== undefined && DateTime.lessThanOrEqualTo(first.at, now) ? first : undefined
}

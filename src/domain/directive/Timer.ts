/**
 * What is to happen in a conversation at a later time. Timers are part of the session: they are stored with the commit of
 * the turn that set them, and end with the commit of the turn that they caused.
 *
 * @since 0.1.0
 */
import * as Arr from "effect/Array"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Json } from "../base/Json.js"
import { optional } from "../fields/Fields.js"

/**
 * A span of time in words: `"5 minutes"`. A day has 24 hours, also when clocks change.
 *
 * @since 0.1.0
 * @category models
 */
export type Span = `${number} ${Duration.Unit}`

const scheduleShape = {
  /** Names the timer in its session; scheduling the same id again replaces it. 1 to 100 characters. */
  id: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(100)),
  /** The event that is to happen, one of the agent's. */
  event: Schema.String,
  /** What the event's Schema decodes. */
  payload: optional(Json)
}

/**
 * An event that is to happen later: in a while, counted from the turn, or at a moment. `at` is an instant as ISO 8601 with
 * an offset or `Z`; a moment that has passed is due at once.
 *
 * @since 0.1.0
 * @category models
 */
export interface Schedule {
  readonly id: string
  /** A span such as `"3 days"`, or milliseconds. */
  readonly in?: Span | number
  readonly at?: string | DateTime.DateTime
  readonly event: string
  readonly payload?: Json
}

/**
 * The Schema of a schedule that comes over a wire or is stored.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Schedule = Schema.Struct({
  ...scheduleShape,
  in: optional(Schema.Union(Schema.String, Schema.NonNegative)),
  at: optional(Schema.String)
}).annotations({ identifier: "Schedule", parseOptions: { onExcessProperty: "error" } })

/**
 * When a schedule is due; `undefined` when it does not say.
 *
 * @since 0.1.0
 * @category getters
 */
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

/** Without an offset the moment would depend on where the process runs. */
const hasOffset = /T[^T]{0,40}(?:Z|[+-]\d{2}:?\d{2})$/

/**
 * Whether a value is a schedule, or a list of them.
 *
 * @since 0.1.0
 * @category guards
 */
export const isSchedule = (u: unknown): boolean => {
  if (Array.isArray(u)) return u.every((one) => !Array.isArray(one) && isSchedule(one))
  const epoch = DateTime.unsafeMake(0)
  return Predicate.isRecord(u) && dueAt(u, epoch) !== undefined &&
    Schema.is(Schedule)({ ...u, ...(u.at !== undefined && { at: "" }) })
}

const listOf = <A>(given: A | ReadonlyArray<A> | undefined): ReadonlyArray<A> =>
  given === undefined ? [] : Arr.ensure(given)

/** One form for each number of things, so that joining is associative. */
const oneOrMany = <A>(list: ReadonlyArray<A>): A | ReadonlyArray<A> | undefined => list.length > 1 ? list : list[0]

/**
 * What a directive schedules and cancels. What it cancels, it cancels first.
 *
 * @since 0.1.0
 * @category models
 */
export interface Changes {
  readonly schedule?: Schedule | ReadonlyArray<Schedule>
  readonly cancel?: string | ReadonlyArray<string>
}

/**
 * Joins the changes of two directives, `b` emitted after `a`: of two schedules of one id the later one stays, and a later
 * `cancel` takes an earlier schedule away.
 *
 * @since 0.1.0
 * @category algebra
 */
export const join = (a: Changes, b: Changes): Changes => {
  const gone = new Set([...listOf(b.cancel), ...listOf(b.schedule).map(({ id }) => id)])
  const schedule = oneOrMany([...listOf(a.schedule).filter(({ id }) => !gone.has(id)), ...listOf(b.schedule)])
  const cancel = oneOrMany(Array.from(new Set([...listOf(a.cancel), ...listOf(b.cancel)])))
  return { ...(schedule !== undefined && { schedule }), ...(cancel !== undefined && { cancel }) }
}

/** What a directive schedules, as it is stored. */
export const storable = (given: unknown): unknown =>
  Array.isArray(given)
    ? given.map(storable)
    : Predicate.isRecord(given) && DateTime.isDateTime(given.at)
    ? { ...given, at: DateTime.formatIso(given.at) }
    : given

/** The place that a timer of `after` belongs to; it ends when that is left. */
const Owner = Schema.Struct({
  flowId: Schema.String,
  /** Absent: the timer is the flow's. */
  stepId: optional(Schema.String),
  enteredAt: Schema.DateTimeUtc,
  /** The span, as it is written in `after`. */
  after: Schema.String
})

/**
 * Something that is to happen, as it is stored: an event that was scheduled, or an `after` of a flow or a step.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Timer = Schema.Struct({
  id: Schema.String,
  at: Schema.DateTimeUtc,
  /** The name of the agent that set it: only that one runs it. */
  agent: Schema.String,
  scheduled: optional(Schema.Struct({ event: Schema.String, payload: optional(Json) })),
  owner: optional(Owner),
  /** A person has been waited for, `since` then, for as long as `after` says. */
  waited: optional(Schema.Struct({ since: Schema.DateTimeUtc, after: Schema.String }))
}).annotations({ identifier: "Timer" })

/**
 * @since 0.1.0
 * @category models
 */
export type Timer = typeof Timer.Type

/**
 * The most timers a session may have that were scheduled.
 *
 * @since 0.1.0
 * @category models
 */
export const maxScheduled = 100

/** As far as timers need to know a session. */
interface Session {
  readonly timers?: ReadonlyArray<Timer>
  readonly currentFlow?: Place
  readonly currentStep?: Place
  readonly suspended: ReadonlyArray<{ readonly flow: Place }>
  readonly handOver?: { readonly by?: unknown; readonly since: DateTime.Utc }
}

interface Place {
  readonly id: string
  readonly enteredAt: DateTime.Utc
}

/**
 * The timers after a directive.
 *
 * @since 0.1.0
 * @category transitions
 */
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

/** The schedules of a directive, as a list. */
export const schedulesOf = ({ schedule }: Changes): ReadonlyArray<Schedule> => listOf(schedule)

const isSame = (a: Place, id: string, enteredAt: DateTime.Utc): boolean =>
  a.id === id && DateTime.Equivalence(a.enteredAt, enteredAt)

const isOf = (session: Session, { enteredAt, flowId, stepId }: NonNullable<Timer["owner"]>): boolean =>
  stepId === undefined
    ? [session.currentFlow, ...session.suspended.map(({ flow }) => flow)].some((flow) =>
      flow !== undefined && isSame(flow, flowId, enteredAt)
    )
    : session.currentFlow?.id === flowId && session.currentStep !== undefined &&
      isSame(session.currentStep, stepId, enteredAt)

/** A flow that is suspended keeps its timers, but they wait for it; while a person has the floor, those of all places do. */
const runs = (session: Session, { owner }: Timer): boolean =>
  owner === undefined || (session.handOver === undefined &&
    (owner.stepId !== undefined ||
      (session.currentFlow !== undefined && isSame(session.currentFlow, owner.flowId, owner.enteredAt))))

const isWaitedFor = ({ handOver }: Session, { since }: NonNullable<Timer["waited"]>): boolean =>
  handOver !== undefined && handOver.by === undefined && DateTime.Equivalence(handOver.since, since)

/**
 * The timers without those of places that were left, and of a wait that is over.
 *
 * @since 0.1.0
 * @category transitions
 */
export const kept = (session: Session): ReadonlyArray<Timer> =>
  (session.timers ?? []).filter(({ owner, waited }) =>
    (owner === undefined || isOf(session, owner)) && (waited === undefined || isWaitedFor(session, waited))
  )

/**
 * The timers that a place sets.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/**
 * The timers of a session that begins to wait for a person.
 *
 * @since 0.1.0
 * @category constructors
 */
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

/** The timers that may fire, the earliest first. */
const running = (session: Session): ReadonlyArray<Timer> =>
  (session.timers ?? []).filter((timer) => runs(session, timer))
    .sort((a, b) => DateTime.Order(a.at, b.at))

/**
 * When the earliest timer is due that may fire.
 *
 * @since 0.1.0
 * @category getters
 */
export const wakeAt = (session: Session): DateTime.Utc | undefined => running(session)[0]?.at

/**
 * The earliest timer of an agent that is due, if one is.
 *
 * @since 0.1.0
 * @category getters
 */
export const due = (session: Session, agent: string, now: DateTime.Utc): Timer | undefined => {
  const first = running(session).find((timer) => timer.agent === agent)
  return first !== undefined && DateTime.lessThanOrEqualTo(first.at, now) ? first : undefined
}

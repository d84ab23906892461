/**
 * Makes summaries after a turn, so that users do not wait for them. There are two kinds: a summary of the messages just
 * before the recent ones, and a summary of the oldest messages, made part by part until every message is in one of the
 * two.
 */
import type * as Prompt from "@effect/ai/Prompt"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Compaction from "../../../domain/language/Compaction.js"
import * as RewoundRange from "../../../domain/session/rewind/RewoundRange.js"
import type { Session, Summary } from "../../../domain/session/Session.js"
import * as TurnRecord from "../../../domain/turn/TurnRecord.js"
import type * as Model from "../../../services/model/Model.js"
import type { Runtime } from "../../state/TurnState.js"
import { load, toldBySummary } from "../../stored/loading.js"
import { advanced, type Progress, renewed } from "../../stored/mergeSummary.js"
import { put } from "../../stored/store.js"
import { accounting, sessionUsage } from "../../stored/usage.js"
import { counting, keepOutcome, mostCalls, mostRead, sizeOf, summarize, summarizeOldest } from "./summary.js"

type Messages = ReadonlyArray<Prompt.Message>

/**
 * Called after a commit: makes a summary if one is due, on a daemon fiber, one at a time for each session. Then
 * continues with the oldest messages that no summary covers yet. If the process ends or the model fails, the stored
 * summary does not change.
 */
export const later = (
  given: Runtime,
  compaction: Compaction.Settings,
  session: Session,
  known: Messages
): Effect.Effect<void> => {
  const { outside, runtime } = given.recording ?? { runtime: given, outside: identity }
  const { definition: { historyLimit }, summaries } = runtime
  if (summaries.recorded !== undefined || session.pendingApproval !== undefined) return Effect.void
  return isDue(runtime, compaction, session, known).pipe(
    Effect.flatMap((due) =>
      due && !runtime.summaries.running.has(RewoundRange.branchOf(session))
        ? background(runtime, compaction, session, Math.min(pendingOf(runtime, session) + historyLimit, mostRead))
        : Effect.succeed(0)
    ),
    Effect.flatMap((calls) =>
      calls > 0 || session.summary?.older !== undefined
        ? goOn(runtime, compaction, session, mostCalls - calls)
        : Effect.void
    ),
    Effect.interruptible,
    Effect.forkDaemon,
    outside,
    Effect.asVoid
  )
}

/** Number of messages that no summary covers. */
const pendingOf = (runtime: Runtime, session: Session): number =>
  RewoundRange.countAfter(session, toldBySummary(runtime, session))

/** True if the messages without a summary approach the limit of a prompt, in tokens or in number. */
const isDue = (
  runtime: Runtime,
  settings: Compaction.Settings,
  session: Session,
  known: Messages
): Effect.Effect<boolean> => {
  const pending = pendingOf(runtime, session)
  if (pending > runtime.definition.historyLimit * settings.threshold) return Effect.succeed(true)
  const messages = pending === 0 ? [] : known.slice(-pending)
  return Effect.map(
    counting(runtime, settings, messages),
    (count) => Compaction.isDue(messages, settings, count, sizeOf(session.summary))
  )
}

/** Runs model calls for a session; returns their result with their usage. */
const counted = <A, E>(runtime: Runtime, session: Session, calls: Effect.Effect<A, E>) => {
  let usage = TurnRecord.empty.usage
  const observe = (record: Model.ModelCallRecord) =>
    Effect.sync(() => {
      usage = TurnRecord.add({ ...TurnRecord.empty, usage }, { _tag: "ModelCallFinished", ...record }).usage
    })
  return Effect.map(Effect.exit(accounting(runtime, session.usage, observe)(calls)), (exit) => ({ exit, usage }))
}

/** Loads the session, unless it was rewound in the meantime. */
const same = (runtime: Runtime, known: Session, messages: number) =>
  Effect.map(
    load(runtime, known.id, messages),
    Option.filter(({ session }) => RewoundRange.branchOf(session) === RewoundRange.branchOf(known))
  )

const inSpan = (sessionId: string) =>
  Effect.withSpan("Summarize", { root: true, attributes: { sessionId }, captureStackTrace: false })

/** Summarizes the messages just before the recent ones. Returns the number of model calls. */
const background = (
  runtime: Runtime,
  settings: Compaction.Settings,
  known: Session,
  last: number
): Effect.Effect<number> =>
  Effect.suspend(() => {
    const { summaries } = runtime
    const branch = RewoundRange.branchOf(known)
    const made = Deferred.unsafeMake<Summary | undefined>(FiberId.none)
    summaries.running.set(branch, made)
    const work = Effect.gen(function*() {
      const loaded = yield* same(runtime, known, last)
      if (Option.isNone(loaded)) return 0
      const { session } = loaded.value
      const { exit, usage } = yield* counted(runtime, session, summarize(runtime, settings, loaded.value))
      const told = exit._tag === "Success" ? exit.value : undefined
      keepOutcome(summaries, known.id, told !== undefined)
      yield* Deferred.succeed(made, told)
      yield* keep(runtime, session, usage, (now) => told && renewed(session, told, now))
      if (exit._tag === "Failure") yield* Effect.logWarning("A conversation was not summarised", exit.cause)
      return exit._tag === "Failure" ? mostCalls : usage.modelCalls
    })
    return work.pipe(
      Effect.catchAllCause((cause) => Effect.as(Effect.logWarning("A summary was not stored", cause), mostCalls)),
      Effect.ensuring(Effect.suspend(() => {
        summaries.running.delete(branch)
        return Deferred.succeed(made, undefined)
      })),
      inSpan(known.id)
    )
  })

/**
 * Continues the summary of the oldest messages with messages that no summary covers yet, with at most this number of
 * model calls.
 */
const goOn = (
  runtime: Runtime,
  settings: Compaction.Settings,
  known: Session,
  calls: number
): Effect.Effect<void> =>
  Effect.suspend(() => {
    const { catchingUp } = runtime.summaries
    const branch = RewoundRange.branchOf(known)
    if (calls <= 0 || catchingUp.has(branch)) return Effect.void
    catchingUp.add(branch)
    const work = Effect.gen(function*() {
      const session = Option.getOrUndefined(yield* same(runtime, known, 0))?.session
      const summary = session?.summary
      const from = summary?.older
      if (session === undefined || summary === undefined || from === undefined) return
      let reached: Progress = from
      const each = (progress: Progress) => {
        reached = progress
      }
      const { exit, usage } = yield* counted(
        runtime,
        session,
        summarizeOldest(runtime, settings, session, { from, end: summary.upTo, calls, each })
      )
      yield* keep(runtime, session, usage, (now) => advanced(from, reached, now))
      if (exit._tag === "Failure") yield* Effect.logWarning("Older messages were not summarised", exit.cause)
    })
    return work.pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("A summary was not stored", cause)),
      Effect.ensuring(Effect.sync(() => catchingUp.delete(branch))),
      inSpan(known.id)
    )
  })

/**
 * True if the session is still the same (not recreated or rewound) and no approved call is running. During such a call,
 * storing a summary would make the commit of the call's turn conflict.
 */
const mayChange = (from: Session, now: Session): boolean =>
  DateTime.Equivalence(now.createdAt, from.createdAt) && RewoundRange.branchOf(now) === RewoundRange.branchOf(from) &&
  now.pendingApproval?.claim === undefined

/**
 * Stores a summary and its usage: waits for the lock of the session, and applies `change` to the session as it is then
 * stored. Has no effect if there is a newer summary, or the session was recreated or rewound.
 */
const keep = (
  runtime: Runtime,
  from: Session,
  used: TurnRecord.TurnRecord["usage"],
  change: (now: Session) => Summary | undefined
) =>
  Effect.gen(function*() {
    const now = Option.getOrUndefined(yield* load(runtime, from.id, 0))?.session
    if (now === undefined || !mayChange(from, now)) return
    const usage = sessionUsage(now.usage, used)
    const summary = change(now)
    if (summary === undefined && used.modelCalls === 0) return
    yield* put(runtime, now, { ...(summary !== undefined && { summary }), ...(usage !== undefined && { usage }) })
  }).pipe(
    Effect.retry({ times: 3, while: ({ _tag }) => _tag === "SessionConflict" }),
    runtime.lock.withLock(from.id, { wait: runtime.definition.timeouts.turn })
  )

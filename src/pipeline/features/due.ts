/**
 * Watches a store for sessions with due timers or jobs, and runs these. Polls the store less often while no session is
 * due. Commits in the same process trigger a poll at once.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { DueSession, Service } from "../../services/session/SessionStore.js"
import * as StoreNotifications from "../../services/session/StoreNotifications.js"

/** Options for polling a store for due sessions. */
export interface Options {
  /**
   * Polling interval for due times that other processes have set: doubles after each poll without a due session, up to
   * `maxInterval`. Default and minimum 1 second.
   */
  readonly interval?: Duration.DurationInput
  /**
   * Maximum polling interval, and so the maximum delay of a due time that another process has set. Default 10 seconds.
   */
  readonly maxInterval?: Duration.DurationInput
}

/** The result of a try: work was done, or there was none, with the next due time if known. */
export type Visit = "done" | { readonly until: number | undefined }

interface Visitor {
  /** Returns the number of further sessions that may be tried while `visiting` sessions are running. */
  readonly room: (visiting: number) => number
  readonly visit: (due: DueSession) => Effect.Effect<Visit, unknown>
}

/** The time during which a session is not tried again, because the last try failed or found no work. */
interface Rest {
  /** The due time for which the session was tried; a different due time of the session ends the pause. */
  readonly wakeAt: string
  readonly until: number
  readonly times: number
  readonly failed: boolean
}

const longestRest = 300_000

/** Delay in milliseconds after a number of failures, from 1: a second, doubled each time, up to five minutes. */
export const restOf = (times: number): number => Math.min(longestRest, 1000 * 2 ** (times - 1))

/**
 * Runs the due timers or jobs of sessions until the scope closes. If an attempt at a session fails or finds no work, the
 * session is tried again after a second, doubled each time, up to five minutes. `nudge` triggers the next poll
 * immediately.
 */
export const watch = (
  store: Service,
  options: Options,
  { room, visit }: Visitor,
  nudge: Effect.Latch = Effect.unsafeMakeLatch(false)
): Effect.Effect<never, never, Scope.Scope> =>
  Effect.gen(function*() {
    const least = Math.max(1000, Duration.toMillis(options.interval ?? "1 second"))
    const most = Math.max(least, Duration.toMillis(options.maxInterval ?? "10 seconds"))
    const fibers = yield* FiberSet.make<void>()
    const running = new Set<string>()
    const resting = new Map<string, Rest>()
    let planned = Infinity
    const hear = (news: StoreNotifications.StoreNotification): void => {
      if (news._tag !== "Due") return
      const rest = resting.get(news.sessionId)
      // The session had no work before. It may have some now.
      if (rest !== undefined && !rest.failed) resting.set(news.sessionId, { ...rest, until: 0 })
      if (news.at < planned) nudge.unsafeOpen()
    }
    yield* Effect.acquireRelease(Effect.sync(() => StoreNotifications.subscribe(store, hear)), (stop) =>
      Effect.sync(stop))

    const rest = ({ sessionId, wakeAt }: DueSession, failed: boolean, known?: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const before = resting.get(sessionId)
        const times = (before?.wakeAt === wakeAt ? before.times : 0) + 1
        // The session is still due after the visit. A second visit now would find the same, so it is delayed.
        const until = Math.min(known !== undefined && known > now ? known : Infinity, now + restOf(times))
        resting.set(sessionId, { wakeAt, times, failed, until })
      })
    const once = (due: DueSession) =>
      visit(due).pipe(
        Effect.matchCauseEffect({
          onSuccess: (visited) =>
            visited === "done"
              ? Effect.sync(() =>
                void resting.delete(due.sessionId)
              )
              : rest(due, false, visited.until),
          onFailure: (cause) =>
            Effect.zipRight(
              rest(due, true),
              Effect.logWarning(`What is due in session "${due.sessionId}" failed; it is tried again later`, cause)
            )
        }),
        Effect.ensuring(Effect.sync(() => {
          running.delete(due.sessionId)
          nudge.unsafeOpen()
        }))
      )

    /** Starts the due visits; returns the next due time that the store knows of. */
    const look = (now: number): Effect.Effect<number, unknown> =>
      Effect.gen(function*() {
        if (room(running.size) <= 0) return Infinity
        const before = DateTime.formatIso(DateTime.unsafeMake(now + most))
        const limit = room(running.size) + running.size + resting.size
        const found = yield* store.due({ before, limit })
        const dueNow = new Map(found.map(({ sessionId, wakeAt }) => [sessionId, wakeAt]))
        for (const [sessionId, { until, wakeAt }] of resting) {
          const other = dueNow.get(sessionId)
          if (other === undefined ? until <= now : other !== wakeAt) resting.delete(sessionId)
        }
        const isFree = ({ sessionId }: DueSession) =>
          !running.has(sessionId) && (resting.get(sessionId)?.until ?? 0) <= now
        const times = found.filter(isFree).map((due) => ({ due, at: DateTime.unsafeMake(due.wakeAt).epochMillis }))
        for (const { at, due } of times) {
          if (at > now || room(running.size) <= 0) continue
          running.add(due.sessionId)
          yield* FiberSet.run(fibers, once(due))
        }
        const rests = Array.from(resting.values(), ({ until }) => until)
        return Math.min(Infinity, ...[...times.map(({ at }) => at), ...rests].filter((at) => at > now))
      })

    let idle = least
    while (true) {
      nudge.unsafeClose()
      const now = yield* Clock.currentTimeMillis
      // While the store is queried, every new due time triggers another poll, because the answer may not contain it.
      planned = Infinity
      const next = yield* Effect.catchAllCause(look(now), (cause) =>
        Effect.as(Effect.logWarning("The store could not be asked for what is due", cause), Infinity))
      idle = running.size > 0 ? least : Math.min(most, idle * 2)
      planned = Math.min(next, now + idle)
      const wait = planned - (yield* Clock.currentTimeMillis)
      if (wait > 0) {
        yield* Effect.raceFirst(Effect.sleep(wait), nudge.await)
      }
    }
  })

/**
 * Looks after what is due in a store: asks it, less and less often while nothing happens, is told of commits in its own
 * process, and visits the sessions in which something is due.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { DueSession, Service } from "../../services/session/SessionStore.js"
import * as StoreNotifications from "../../services/session/StoreNotifications.js"

/**
 * How often a store is asked for what is due.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /**
   * How often the store is asked for what other processes have set, when nothing is due: the first time after this span,
   * then after twice as long, up to `maxInterval`. Default 1 second, which is also the least.
   */
  readonly interval?: Duration.DurationInput
  /** Default 10 seconds. It is also how late something may be that another process has set. */
  readonly maxInterval?: Duration.DurationInput
}

/** What came of a visit: something was done, or there is nothing to do, before a time if that is known. */
export type Visit = "done" | { readonly until: number | undefined }

export interface Visitor {
  /** How many more sessions may be visited, while so many are. */
  readonly room: (visiting: number) => number
  readonly visit: (due: DueSession) => Effect.Effect<Visit, unknown>
}

/** Until when a session is left alone because its visit failed or there was nothing to do, and how often that was. */
interface Rest {
  /** What was due then: something else that comes due in the session is not held up by it. */
  readonly wakeAt: string
  readonly until: number
  readonly times: number
  readonly failed: boolean
}

const longestRest = 300_000

/**
 * How long to wait after a number of failures, from 1 on: a second, then twice as long each time, up to five minutes.
 */
export const restOf = (times: number): number => Math.min(longestRest, 1000 * 2 ** (times - 1))

/**
 * Visits the sessions in which something is due until the scope closes. One whose visit fails, or in which there was
 * nothing to do, is visited again after a second, then after twice as long each time, up to five minutes. `nudge` makes it
 * look again at once.
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
      // There was nothing to do; now there may be.
      if (rest !== undefined && !rest.failed) resting.set(news.sessionId, { ...rest, until: 0 })
      if (news.at < planned) nudge.unsafeOpen()
    }
    yield* Effect.acquireRelease(Effect.sync(() => StoreNotifications.subscribe(store, hear)), (stop) =>
      Effect.sync(stop))

    const rest = ({ sessionId, wakeAt }: DueSession, failed: boolean, known?: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const before = resting.get(sessionId)
        const times = (before?.wakeAt === wakeAt ? before.times : 0) + 1
        // What should have been done by now was not, whatever the reason: asking again at once would find the same.
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

    /** Starts what is due; when the next thing is, as far as the store says. */
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
      // What is set while the store is asked is not in its answer.
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

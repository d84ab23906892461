/**
 * A lock shared by several processes, on any database that can compare-and-swap a short text for each session.
 *
 * The text contains the queue of the owners that want the session. The first owner has the lock. Every owner renews its
 * own entry while it waits or has the lock, so the entry of a process that died expires, and the next owner continues.
 * Within a process, turns first wait for each other, so a process has at most one entry in the queue.
 *
 * The lock makes conflicts rare but does not exclude them. A process that was paused for longer than its lease may
 * continue while another one works; the version of the session then decides whose commit succeeds. The clocks of the
 * processes must agree to within a fraction of the lease.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { SessionBusy, type SessionStoreError } from "../../domain/base/error/Errors.js"
import * as SessionLock from "../../services/session/SessionLock.js"
import type { SessionWrite } from "../../services/session/SessionStore.js"

/** The database: it stores one text per session id. `undefined` means that there is no text. */
export interface Cell {
  readonly read: (sessionId: string) => Effect.Effect<string | undefined, SessionStoreError>
  /** Replaces the text if it still equals `before`. Returns true if it did. */
  readonly swap: (
    sessionId: string,
    before: string | undefined,
    after: string | undefined,
    /** Time at which the last entry in `after` expires, in milliseconds since 1970. */
    expiresAt: number
  ) => Effect.Effect<boolean, SessionStoreError>
}

export interface Options {
  /**
   * Time for which a session stays locked if the process with its lock dies. A living process renews the lock three
   * times in this time. Default 10 seconds.
   */
  readonly lease?: Duration.DurationInput | undefined
}

/** A lock whose store can give it back with the commit that ends a turn. */
export interface Service extends SessionLock.Service {
  /**
   * Runs a commit. If the write ends a turn and no other process waits for the session, `commit` gets the text of the
   * queue: the store that removes this text together with the write releases the lock. `unlocked` tells whether the
   * text was removed.
   */
  readonly committing: <A extends { readonly unlocked: boolean }, E>(
    write: SessionWrite,
    commit: (queue: string | undefined) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E>
}

interface Entry {
  readonly owner: string
  readonly until: number
}

/** The entry of a turn of this process that has the lock. */
interface HeldLock {
  readonly owner: string
  /** The text of the queue while this entry is the only one in it; undefined while others wait. */
  alone: string | undefined
  /**
   * True while a commit may release the lock, and after it has done so: a missing queue entry is then not added again.
   */
  leaving: boolean
}

const parse = (text: string | undefined): ReadonlyArray<Entry> => {
  if (text === undefined) return []
  const entries: unknown = JSON.parse(text)
  return Array.isArray(entries) ? entries as ReadonlyArray<Entry> : []
}

const format = (entries: ReadonlyArray<Entry>): string | undefined =>
  entries.length === 0 ? undefined : JSON.stringify(entries)

const end = (entries: ReadonlyArray<Entry>): number => entries.reduce((last, { until }) => Math.max(last, until), 0)

/** Delay before the queue is read again, in milliseconds. */
const patience = (looks: number): number => Math.min(5 * 1.4 ** looks, 80)

/** Makes the lock on this cell. */
export const make = (cell: Cell, { lease = Duration.seconds(10) }: Options = {}): Effect.Effect<Service> =>
  Effect.map(SessionLock.make, (local) => {
    const term = Duration.toMillis(lease)
    /** By session. */
    const held = new Map<string, HeldLock>()

    /**
     * Uninterruptible, because a swap that was already sent could otherwise add an entry after `leave` has looked for
     * it.
     */
    const swap: Cell["swap"] = (...change) => Effect.uninterruptible(cell.swap(...change))

    /**
     * Removes expired entries, applies `next` to the queue and returns the new queue. Writes only if the queue changed.
     */
    const change = (
      id: string,
      next: (alive: ReadonlyArray<Entry>, now: number) => ReadonlyArray<Entry>
    ): Effect.Effect<ReadonlyArray<Entry>, SessionStoreError> =>
      Effect.gen(function*() {
        for (;;) {
          const before = yield* cell.read(id)
          const now = yield* Clock.currentTimeMillis
          const entries = parse(before)
          const alive = entries.filter(({ until }) => until > now)
          const after = next(alive, now)
          if (format(after) === before) return after
          if (yield* swap(id, before, format(after), end(after))) return after
        }
      })

    /** Adds the owner at the end of the queue, or renews its entry. Returns the queue. */
    const enter = (id: string, owner: string): Effect.Effect<ReadonlyArray<Entry>, SessionStoreError> =>
      change(id, (alive, now) => {
        const mine = alive.find((entry) => entry.owner === owner)
        if (mine === undefined) return [...alive, { owner, until: now + term }]
        return mine.until - now > term / 2 ? alive : renewed(alive, owner, now + term)
      })

    /** Returns the text of the queue if this owner is alone in it. */
    const aloneIn = (entries: ReadonlyArray<Entry>, owner: string) =>
      entries.length === 1 && entries[0]?.owner === owner ? format(entries) : undefined

    const renewed = (entries: ReadonlyArray<Entry>, owner: string, until: number) =>
      entries.map((entry) => entry.owner === owner ? { owner, until } : entry)

    /**
     * Renews the owner's entry while it is the first. If the entry has expired, because the database could not be
     * reached or the process was paused, adds it again if the queue is empty.
     */
    const renew = (id: string, mine: HeldLock) =>
      change(
        id,
        (alive, now) =>
          alive.length > 0
            ? renewed(alive, mine.owner, now + term)
            : mine.leaving
            ? []
            : [{ owner: mine.owner, until: now + term }]
      ).pipe(
        Effect.map((entries) => {
          mine.alone = aloneIn(entries, mine.owner)
          return entries[0]?.owner === mine.owner
        }),
        // Only logged, because the database may be back before the lease expires.
        Effect.catchAll((error) => Effect.as(Effect.logDebug("A session's lock was not renewed", error.message), true)),
        Effect.delay(Duration.millis(term / 3)),
        Effect.repeat({ while: (held) => held }),
        Effect.interruptible
      )

    /**
     * Removes the owner from the queue. First assumes that the text is still `alone`, because the queue has usually not
     * changed since it was written.
     */
    const leave = (id: string, owner: string, alone?: string) =>
      Effect.catchAll(
        Effect.flatMap(
          alone === undefined ? Effect.succeed(false) : swap(id, alone, undefined, 0),
          (left): Effect.Effect<unknown, SessionStoreError> =>
            left ? Effect.void : change(id, (alive) => alive.filter((entry) => entry.owner !== owner))
        ),
        (error) => Effect.logWarning("A session's lock was not given back, it runs out by itself", error.message)
      )

    /** Runs the work of a turn that has the lock, then releases the lock, unless the turn's commit has released it. */
    const holding = <A, E, R>(id: string, mine: HeldLock, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
      held.set(id, mine)
      return Effect.flatMap(Effect.fork(renew(id, mine)), (renewing) =>
        Effect.ensuring(
          work,
          Effect.zipRight(
            Fiber.interrupt(renewing),
            Effect.suspend(() => {
              held.delete(id)
              return mine.leaving ? Effect.void : leave(id, mine.owner, mine.alone)
            })
          )
        ))
    }

    const committing: Service["committing"] = (write, commit) =>
      Effect.suspend(() => {
        const mine = write.endsTurn === true ? held.get(write.id) : undefined
        if (mine?.alone === undefined) return commit(undefined)
        mine.leaving = true
        return Effect.onExit(commit(mine.alone), (exit) =>
          Effect.sync(() => {
            mine.leaving = exit._tag === "Success" && exit.value.unlocked
          }))
      })

    /**
     * Takes the lock, or fails with `SessionBusy` after `wait`. If the lock is free, this takes one statement. Returns
     * the text of the queue if no other owner is in it.
     */
    const take = (id: string, owner: string, wait: Duration.Duration) =>
      Effect.gen(function*() {
        const begin = yield* Clock.currentTimeMillis
        const alone = format([{ owner, until: begin + term }])
        if (yield* swap(id, undefined, alone, begin + term)) return alone
        for (let looks = 0;; looks++) {
          const entries = yield* enter(id, owner)
          if (entries[0]?.owner === owner) return aloneIn(entries, owner)
          if ((yield* Clock.currentTimeMillis) - begin >= Duration.toMillis(wait)) {
            return yield* new SessionBusy({ sessionId: id, after: wait })
          }
          yield* Effect.sleep(Duration.millis(patience(looks)))
        }
      })

    const service: Service = {
      local,
      committing,
      withLock: (id, options) => (effect) => {
        const wait = Duration.decode(options?.wait ?? SessionLock.defaultWait)
        return local.withLock(id, options)(
          Effect.uninterruptibleMask((restore) =>
            Effect.suspend(() => {
              const owner = globalThis.crypto.randomUUID()
              return Effect.flatMap(
                Effect.onExit(restore(take(id, owner, wait)), (exit) =>
                  exit._tag === "Failure" ? leave(id, owner) : Effect.void),
                (alone) =>
                  holding(id, { owner, alone, leaving: false }, restore(effect))
              )
            })
          )
        )
      }
    }
    return service
  })

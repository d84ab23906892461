/** The conformance tests of a `SessionStore`. */
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import { SessionConflict, SessionCorrupt, SessionStoreError } from "../../domain/base/error/Errors.js"
import { SessionStore } from "../../services/session/SessionStore.js"
import { lockChecks } from "./SessionLockChecks.js"
import { checks } from "./SessionStoreChecks.js"
import { keepingChecks } from "./SessionStoreKeepingChecks.js"
import { fresh, message, time, write } from "./SessionStoreSamples.js"

/** Hooks for actions that the port does not offer. A test whose hook is missing is not registered. */
export interface SessionStoreConformanceOptions {
  /** Overwrites the stored session with something that does not decode, without using the store. */
  readonly corrupt?: (sessionId: string) => Effect.Effect<void, unknown>
  /** Makes the database unavailable, runs the effect, and restores the database with its data. */
  readonly breakAndRestore?: <A, E>(whileBroken: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Time limit for starting the store, and for each test. Default 2 minutes. */
  readonly timeout?: Duration.DurationInput
}

/**
 * Registers tests on one store, which is built once. Does not use `layer` of `@effect/vitest`, because for all later
 * tests that would replace `it.effect` by a version with the live clock.
 */
const testsOn = <E>(layer: Layer.Layer<SessionStore, E>, timeout: number) => {
  const runtime = ManagedRuntime.make(layer)
  beforeAll(async () => void await runtime.runtime(), timeout)
  afterAll(() => runtime.dispose(), timeout)
  return <E2>(name: string, run: () => Effect.Effect<unknown, E2, SessionStore>): void =>
    it.live(name, () => Effect.provide(run(), runtime), timeout)
}

/** Registers the tests that every `SessionStore` must pass, on the store of the Layer. The Layer is built once. */
export const sessionStoreConformance = <E>(
  name: string,
  layer: Layer.Layer<SessionStore, E>,
  options: SessionStoreConformanceOptions = {}
): void => {
  const timeout = Duration.toMillis(options.timeout ?? "2 minutes")
  describe(`${name}: conformance of the session store`, () => {
    const test = testsOn(layer, timeout)
    for (const { name, run } of [...checks, ...keepingChecks, ...lockChecks]) {
      test(name, () => Effect.flatMap(SessionStore, run))
    }

    const corrupt = options.corrupt
    if (corrupt !== undefined) {
      test(
        "fails with SessionCorrupt on what does not decode, and leaves it as it is",
        () =>
          Effect.gen(function*() {
            const store = yield* SessionStore
            const [id, userId] = [fresh("corrupt"), fresh("user")]
            yield* store.commit(write(id, 0, { userId }))
            yield* corrupt(id)
            for (const _ of [1, 2]) {
              const error = yield* Effect.flip(store.load(id, { messages: 1 }))
              expect(error).toBeInstanceOf(SessionCorrupt)
              expect(error).toMatchObject({ sessionId: id })
            }
            // The corrupt session still exists, so the commit of a new session with its id conflicts.
            expect(yield* Effect.flip(store.commit(write(id, 0)))).toBeInstanceOf(SessionConflict)
            expect((yield* store.list({ userId, limit: 5 })).items).toHaveLength(1)
            yield* store.remove(id)
            expect(yield* store.load(id)).toEqual(Option.none())
          })
      )
    }

    const breakAndRestore = options.breakAndRestore
    if (breakAndRestore !== undefined) {
      test(
        "fails with SessionStoreError while the database is away, and recovers",
        () =>
          Effect.gen(function*() {
            const store = yield* SessionStore
            const id = fresh("outage")
            yield* store.commit(write(id, 0, { messages: [message(1, "before")] }))
            const failures = yield* breakAndRestore(Effect.all([
              Effect.flip(store.load(id, { messages: 1 })),
              Effect.flip(store.commit(write(id, 1, { messages: [message(2, "during")] }))),
              Effect.flip(store.response(id, "m")),
              Effect.flip(store.messages(id, { limit: 1 })),
              Effect.flip(store.list({ limit: 1 })),
              Effect.flip(store.remove(id)),
              Effect.flip(store.journal({ sessionId: id, turnKey: "m", fingerprint: "f", outcome: 1, at: time(0) })),
              Effect.flip(store.journaled(id, "m")),
              Effect.flip(store.due({ before: time(0), limit: 1 })),
              Effect.flip(store.waiting({ limit: 1 })),
              Effect.flip(store.purge({ olderThan: "0001-01-01T00:00:00.000Z" }))
            ]))
            const operations = ["load", "commit", "response", "messages", "list", "remove", "journal", "journaled"]
            operations.push("due", "waiting", "purge")
            for (const [n, error] of failures.entries()) {
              expect(error).toBeInstanceOf(SessionStoreError)
              expect(error).toMatchObject({ operation: operations[n] })
            }
            const stored = yield* store.load(id, { messages: 5 }).pipe(
              Effect.retry(Schedule.spaced("100 millis").pipe(Schedule.intersect(Schedule.recurs(100))))
            )
            expect(Option.getOrThrow(stored)).toMatchObject({ version: 1, messages: [message(1, "before")] })
            expect(yield* store.commit(write(id, 1, { messages: [message(2, "after")] }))).toEqual({ version: 2 })
          })
      )
    }
  })
}

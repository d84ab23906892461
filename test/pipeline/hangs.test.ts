/** Time limits also hold for code that is uninterruptible and does not end. */
import { describe, expect, it } from "@effect/vitest"
import type { Errors } from "coxswain"
import { Agent, SessionStore } from "coxswain"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Option, Schema, TestClock } from "effect"
import * as StreamedModel from "../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({}) })
const flows = [{ title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }]
const ask = (message: string) => ({ sessionId: "u1", message })

/** Uninterruptible until `gate` is completed, like a driver that never answers. */
const stuckAt = (gate: Deferred.Deferred<void>): Effect.Effect<void> =>
  Effect.scoped(Effect.acquireRelease(Deferred.await(gate), () => Effect.void))

interface Options {
  readonly hook?: Effect.Effect<void>
  readonly tool?: Effect.Effect<void>
  readonly store?: Duration.DurationInput
}

const served = (
  store: SessionStore.Service,
  voice: ReturnType<typeof StreamedModel.make>,
  { hook = Effect.void, store: storeTime = "30 seconds", tool = Effect.void }: Options = {}
) =>
  kit.make({
    name: "Talker",
    flows,
    timeouts: { turn: "90 seconds", lock: "20 seconds", store: storeTime },
    hooks: { beforeRespond: () => hook },
    tools: [kit.tool({ id: "hang", timeout: "1 hour", handler: () => Effect.as(tool, "done") })]
  }).pipe(Effect.provide([voice.layer, Layer.succeed(SessionStore.SessionStore, store)]))

/** Runs an effect, and asserts that it ends after exactly this time. */
const endsAfter = <A, E>(effect: Effect.Effect<A, E>, time: Duration.DurationInput) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.fork(effect)
    yield* TestClock.adjust(Duration.subtract(Duration.decode(time), "1 millis"))
    expect(fiber.unsafePoll()).toBeNull()
    yield* TestClock.adjust("1 millis")
    expect(fiber.unsafePoll()).not.toBeNull()
    return yield* Fiber.await(fiber)
  })

const failureOf = <A, E>(exit: Exit.Exit<A, E>): E =>
  Exit.isFailure(exit) && exit.cause._tag === "Fail"
    ? exit.cause.error
    : expect.fail("it did not fail")

const turnTimeout = { _tag: "TurnTimeout", limit: "turn", sessionId: "u1" }

describe("a turn that hangs in uninterruptible code", () => {
  for (const place of ["hook", "tool"] as const) {
    it.effect(`releases the session after timeouts.turn, and stores nothing when the code ends (${place})`, () =>
      Effect.gen(function*() {
        const store = yield* SessionStore.makeMemory
        const gate = yield* Deferred.make<void>()
        let first = true
        const hang = Effect.suspend(() => {
          if (!first) return Effect.void
          first = false
          return stuckAt(gate)
        })
        const voice = StreamedModel.make((n) => n === 0 && place === "tool" ? [{ call: "hang" }] : ["Hi"])
        const agent = yield* served(store, voice, { [place]: hang })
        expect(failureOf(yield* endsAfter(agent.respond(ask("one")), "90 seconds"))).toMatchObject(turnTimeout)
        // The code still hangs here.
        const { message, session } = yield* agent.respond(ask("two"))
        expect([message, session.version]).toEqual(["Hi", 1])
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust("1 second")
        const stored = Option.getOrThrow(yield* store.load("u1", { messages: 100 }))
        expect(stored.version).toBe(1)
        expect(JSON.stringify(stored.messages)).toContain("two")
        expect(JSON.stringify(stored.messages)).not.toContain("one")
        expect((yield* agent.respond(ask("three"))).session.version).toBe(2)
      }))
  }

  it.effect("cannot overwrite the next turn: its late commit fails with `SessionConflict`", () =>
    Effect.gen(function*() {
      const memory = yield* SessionStore.makeMemory
      const gate = yield* Deferred.make<void>()
      const late = yield* Deferred.make<Exit.Exit<unknown, Errors.TurnError>>()
      let commits = 0
      const agent = yield* served({
        ...memory,
        commit: (write) =>
          commits++ > 0 ? memory.commit(write) : Effect.uninterruptible(
            stuckAt(gate).pipe(
              Effect.zipRight(memory.commit(write)),
              Effect.onExit((exit) => Deferred.succeed(late, exit))
            )
          )
      }, StreamedModel.make(() => ["Hi"]))
      expect(failureOf(yield* endsAfter(agent.respond(ask("one")), "90 seconds"))).toMatchObject(turnTimeout)
      expect((yield* agent.respond(ask("two"))).session.version).toBe(1)
      yield* Deferred.succeed(gate, undefined)
      expect(failureOf(yield* Deferred.await(late))).toMatchObject({ _tag: "SessionConflict", expected: 0, actual: 1 })
      const stored = Option.getOrThrow(yield* memory.load("u1", { messages: 100 }))
      expect(stored.version).toBe(1)
      expect(JSON.stringify(stored.messages)).not.toContain("one")
    }))
})

describe("a call for a session that another turn holds", () => {
  it.effect("fails with `SessionBusy` after `timeouts.lock`, for every method", () =>
    Effect.gen(function*() {
      const gate = yield* Deferred.make<void>()
      const agent = yield* served(yield* SessionStore.makeMemory, StreamedModel.make(() => ["Hi"]), {
        hook: stuckAt(gate)
      })
      const holder = yield* Effect.fork(agent.respond(ask("one")))
      yield* TestClock.adjust("1 second")
      const busy = { _tag: "SessionBusy", sessionId: "u1", after: Duration.seconds(20) }
      const waiting: ReadonlyArray<Effect.Effect<unknown, Errors.TurnError>> = [
        agent.respond(ask("two")),
        agent.approve("u1", "r1", { approved: true }),
        agent.dispatch("u1", "Talk"),
        agent.session("u1").clear
      ]
      for (const waits of waiting) expect(failureOf(yield* endsAfter(waits, "20 seconds"))).toMatchObject(busy)
      yield* Deferred.succeed(gate, undefined)
      expect((yield* Fiber.join(holder)).message).toBe("Hi")
    }))
})

describe("with a store that never answers", () => {
  const dead = (store: SessionStore.Service): SessionStore.Service => {
    const never = () => Effect.uninterruptible(Effect.never)
    return { ...store, load: never, messages: never, remove: never, commit: never }
  }
  const asked: Record<
    string,
    (agent: Effect.Effect.Success<ReturnType<typeof served>>) => Effect.Effect<
      unknown,
      unknown
    >
  > = {
    snapshot: (agent) => agent.session("u1").snapshot,
    history: (agent) => agent.session("u1").history,
    clear: (agent) => agent.session("u1").clear,
    dispatch: (agent) => agent.dispatch("u1", "Talk")
  }
  for (const [name, ask] of Object.entries(asked)) {
    it.effect(`${name} fails with TurnTimeout after timeouts.store, and releases the session`, () =>
      Effect.gen(function*() {
        const store = dead(yield* SessionStore.makeMemory)
        const agent = yield* served(store, StreamedModel.make(() => ["Hi"]), { store: "7 seconds" })
        for (const _ of ["once", "and again: the lock was free"]) {
          expect(failureOf(yield* endsAfter(ask(agent), "7 seconds"))).toMatchObject({
            _tag: "TurnTimeout",
            limit: "store",
            sessionId: "u1",
            after: Duration.seconds(7)
          })
        }
      }))
  }

  it.effect("a turn fails with `TurnTimeout` after `timeouts.turn`", () =>
    Effect.gen(function*() {
      const agent = yield* served(dead(yield* SessionStore.makeMemory), StreamedModel.make(() => ["Hi"]))
      expect(failureOf(yield* endsAfter(agent.respond(ask("one")), "90 seconds"))).toMatchObject(turnTimeout)
    }))
})

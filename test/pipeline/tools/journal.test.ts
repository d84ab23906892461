/** A tool's side effect happens once, also when the journal write fails or is late. */
import { expect, it } from "@effect/vitest"
import { Agent, Errors, SessionStore } from "coxswain"
import { Deferred, Effect, Exit, Fiber, Schema, TestClock } from "effect"
import * as Script from "../../support/Script.js"

const kit = Agent.define({ data: Schema.Struct({ note: Schema.String }) })
const request = { sessionId: "s", message: "Pay", messageId: "m1" }
/** The error; a success is reported in one word instead of the whole response. */
const failure = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(Effect.as(effect, "it did not fail"))
const settled = Effect.repeatN(Effect.yieldNow(), 100)

interface Side {
  readonly store: SessionStore.Service
  readonly ran: Array<string>
  readonly pay?: Effect.Effect<void>
  readonly interruptBehavior?: "block" | "cancel"
  readonly timeouts?: { readonly turn: "1 minute" }
}

const make = ({ interruptBehavior = "cancel", pay = Effect.void, ran, store, timeouts = { turn: "1 minute" } }: Side) =>
  kit.make({
    name: "Till",
    timeouts,
    tools: [kit.tool({
      id: "pay",
      interruptBehavior,
      timeout: "5 minutes",
      handler: () => Effect.as(Effect.zipRight(Effect.sync(() => void ran.push("pay")), pay), "paid")
    })],
    flows: [{ title: "Pay", steps: [{ id: "pay", prompt: "Pay", tools: ["pay"], until: () => false }] }]
  }).pipe(
    Effect.provide(
      Script.make((asked, i) =>
        asked.tools.includes("pay") && asked.prompt.content.at(-1)?.role === "user"
          ? [Script.toolCall("pay", {}, `call-${i}`)]
          : "It is paid."
      ).layer
    ),
    Effect.provideService(SessionStore.SessionStore, store)
  )

/** A store whose journal fails while `isAway` is true. */
const flaky = Effect.map(SessionStore.makeMemory, (memory) => {
  const state = { isAway: true }
  const store: SessionStore.Service = {
    ...memory,
    journal: (entry) =>
      Effect.suspend((): ReturnType<SessionStore.Service["journal"]> =>
        state.isAway
          ? Effect.fail(new Errors.SessionStoreError({ operation: "journal", why: "the server was killed" }))
          : memory.journal(entry)
      )
  }
  return { memory, state, store }
})

it.effect("if writing a tool's result to the journal fails, the repeated message reuses the result in memory", () =>
  Effect.gen(function*() {
    const { memory, state, store } = yield* flaky
    const ran: Array<string> = []
    const agent = yield* make({ ran, store })
    for (const _ of [1, 2]) {
      expect(yield* failure(agent.respond(request))).toMatchObject({ _tag: "SessionStoreError" })
    }
    state.isAway = false
    const { message, toolCalls } = yield* agent.respond(request)
    expect([message, toolCalls[0]?.outcome]).toEqual(["It is paid.", "ok"])
    expect(ran).toEqual(["pay"])
    // The later retry finds nothing left to write.
    yield* TestClock.adjust("1 minute")
    expect(yield* memory.journaled("s", "m1")).toEqual([])
  }))

it.effect("a failed journal write is retried until the store works, so that other processes get the result", () =>
  Effect.gen(function*() {
    const { memory, state, store } = yield* flaky
    const ran: Array<string> = []
    const agent = yield* make({ ran, store })
    yield* failure(agent.respond(request))
    yield* TestClock.adjust("10 seconds")
    state.isAway = false
    yield* TestClock.adjust("1 second")
    yield* settled
    expect(yield* memory.journaled("s", "m1")).toHaveLength(1)
    // Another process has only the store.
    const other = yield* make({ ran, store: { ...memory, lock: undefined } })
    expect((yield* other.respond(request)).message).toBe("It is paid.")
    expect(ran).toEqual(["pay"])
  }))

it.effect("a failed journal write is not retried after the user was erased", () =>
  Effect.gen(function*() {
    const { memory, state, store } = yield* flaky
    const agent = yield* make({ ran: [], store })
    yield* agent.respond({ ...request, message: "Pay", messageId: "m0" }).pipe(Effect.ignore)
    state.isAway = false
    yield* agent.respond({ ...request, messageId: "m0", principal: { userId: "ann" } })
    state.isAway = true
    yield* failure(agent.respond({ ...request, principal: { userId: "ann" } }))
    yield* agent.erase("ann")
    state.isAway = false
    yield* TestClock.adjust("1 minute")
    yield* settled
    expect(yield* memory.journaled("s", "m1")).toEqual([])
  }))

it.effect("if a turn is interrupted while a tool's result is written to the journal, the write completes", () =>
  Effect.gen(function*() {
    const memory = yield* SessionStore.makeMemory
    const [begun, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const store: SessionStore.Service = {
      ...memory,
      journal: (entry) =>
        Effect.zipRight(
          Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(gate)),
          memory.journal(entry)
        )
    }
    const ran: Array<string> = []
    const agent = yield* make({ ran, store })
    const turn = yield* Effect.fork(agent.respond(request))
    yield* Deferred.await(begun)
    expect(Exit.isInterrupted(yield* Fiber.interrupt(turn))).toBe(true)
    yield* Deferred.succeed(gate, undefined)
    expect((yield* agent.respond(request)).message).toBe("It is paid.")
    expect(ran).toEqual(["pay"])
  }))

it.effect("a repeated message waits for a tool that still runs, and does not run the tool again", () =>
  Effect.gen(function*() {
    const memory = yield* SessionStore.makeMemory
    const gate = yield* Deferred.make<void>()
    const ran: Array<string> = []
    const agent = yield* make({ ran, store: memory, pay: Deferred.await(gate), interruptBehavior: "block" })
    const first = yield* Effect.fork(failure(agent.respond(request)))
    yield* TestClock.adjust("1 minute")
    // The session is released while the tool continues.
    expect(yield* Fiber.join(first)).toMatchObject({ _tag: "TurnTimeout" })
    const second = yield* Effect.fork(agent.respond(request))
    yield* settled
    expect(ran).toEqual(["pay"])
    yield* Deferred.succeed(gate, undefined)
    expect((yield* Fiber.join(second)).message).toBe("It is paid.")
    expect(ran).toEqual(["pay"])
  }))

it.effect("a result that version 0.1 has journaled is used", () =>
  Effect.gen(function*() {
    const memory = yield* SessionStore.makeMemory
    const ran: Array<string> = []
    const broken = {
      ...memory,
      commit: () => Effect.fail(new Errors.SessionStoreError({ operation: "commit", why: "gone" }))
    }
    yield* failure((yield* make({ ran, store: broken })).respond(request))
    const [{ fingerprint, ...entry } = yield* Effect.die("nothing is journaled")] = yield* memory.journaled("s", "m1")
    expect(entry.outcome).toMatchObject({ result: { outcome: "ok", output: "paid" }, dispatched: [] })
    const store = yield* SessionStore.makeMemory
    yield* store.journal({
      ...entry,
      fingerprint,
      outcome: {
        outcome: "ok",
        output: "paid before",
        isFailure: false,
        directives: [{ dataUpdate: { note: "a" } }, { dataUpdate: { note: "b" } }]
      }
    })
    const { collected, toolCalls } = yield* (yield* make({ ran, store })).respond(request)
    expect(toolCalls).toMatchObject([{ outcome: "ok", output: "paid before" }])
    expect(collected).toEqual({ note: "b" })
    expect(ran).toEqual(["pay"])
  }))

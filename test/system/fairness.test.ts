import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Deferred, Effect, Exit, Fiber, Schema, Stream, TestClock } from "effect"
import * as StreamedModel from "../support/StreamedModel.js"

const kit = Agent.define({ data: Schema.Struct({}) })

const make = Effect.gen(function*() {
  const gate = yield* Deferred.make<void>()
  const order: Array<string> = []
  let running = 0
  let most = 0
  const agent = yield* kit.make({
    name: "Queue",
    hooks: {
      beforeRespond: ({ message }) =>
        Effect.sync(() => {
          order.push(message)
          most = Math.max(most, ++running)
        }).pipe(
          Effect.zipRight(message === "first" ? Deferred.await(gate) : Effect.yieldNow()),
          Effect.ensuring(Effect.sync(() => void running--))
        )
    },
    flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
  }).pipe(Effect.provide([StreamedModel.make(() => ["Hi"]).layer, SessionStore.layerMemory]))
  const respond = (message: string, sessionId = "u1") => agent.respond({ sessionId, message })
  const stream = (message: string) => Stream.runDrain(agent.stream({ sessionId: "u1", message }))
  return { agent, gate, most: () => most, order, respond, stream }
})

/** Lets all ready fibers run. */
const settle = TestClock.adjust("1 millis")
const names = Array.from({ length: 100 }, (_, i) => `turn ${i}`)

describe("turns queued on one session", () => {
  it.effect("run one at a time and in order, whichever function sent the messages", () =>
    Effect.gen(function*() {
      const { agent, gate, most, order, respond, stream } = yield* make
      const holder = yield* Effect.fork(respond("first"))
      yield* settle
      const waiting = yield* Effect.forEach(names, (name, i) =>
        Effect.gen(function*() {
          const fiber = yield* Effect.fork(
            i % 3 === 0
              ? Effect.asVoid(respond(name))
              : i % 3 === 1
              ? stream(name)
              : Effect.asVoid(Effect.flatMap(agent.session("u1").send(name), ({ response }) => response))
          )
          yield* settle
          return fiber
        }))
      yield* settle
      expect(order).toEqual(["first"])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll([Fiber.map(holder, () => undefined), ...waiting])
      expect(order).toEqual(["first", ...names])
      expect(most()).toBe(1)
      expect((yield* agent.session("u1").snapshot).version).toBe(101)
    }))

  it.effect("run after an interrupted turn that held the lock, and skip interrupted waiting turns", () =>
    Effect.gen(function*() {
      const { agent, order, respond, stream } = yield* make
      const holder = yield* Effect.fork(respond("first"))
      yield* settle
      const fibers = yield* Effect.forEach(
        names,
        (name, i) => Effect.zipLeft(Effect.fork(i % 2 === 0 ? Effect.asVoid(respond(name)) : stream(name)), settle)
      )
      const killed = fibers.filter((_, i) => i % 5 === 0)
      yield* Effect.forEach(killed, (fiber) => Fiber.interrupt(fiber))
      expect(order).toEqual(["first"])
      yield* Fiber.interrupt(holder)
      const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
      expect(exits.map(Exit.isSuccess)).toEqual(names.map((_, i) => i % 5 !== 0))
      expect(order).toEqual(["first", ...names.filter((_, i) => i % 5 !== 0)])
      expect((yield* agent.session("u1").snapshot).version).toBe(80)
    }))

  it.effect("run after an aborted turn that held the lock, and skip aborted waiting turns", () =>
    Effect.gen(function*() {
      const { agent, order, respond } = yield* make
      const session = agent.session("u1")
      const holder = yield* session.send("first")
      yield* settle
      const second = yield* session.send("second")
      const third = yield* Effect.fork(respond("third"))
      yield* settle
      yield* second.abort
      expect((yield* second.response).stoppedReason).toBe("aborted")
      expect(third.unsafePoll() === null).toBe(true)
      yield* holder.abort
      expect((yield* Fiber.join(third)).session.version).toBe(1)
      expect(order).toEqual(["first", "third"])
    }))

  it.effect("do not delay turns of other sessions", () =>
    Effect.gen(function*() {
      const { gate, respond } = yield* make
      const holder = yield* Effect.fork(respond("first"))
      yield* settle
      expect((yield* respond("hello", "u2")).session.version).toBe(1)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(holder)
    }))

  it.effect("get the lock even if the turn before them is interrupted while it acquires the lock", () =>
    Effect.gen(function*() {
      for (let i = 0; i < 40; i++) {
        const { gate, respond } = yield* make
        const holder = yield* Effect.fork(respond("first"))
        yield* settle
        const next = yield* Effect.fork(respond("next"))
        yield* settle
        const last = yield* Effect.fork(respond("last"))
        yield* settle
        yield* Deferred.succeed(gate, undefined)
        // A little later each time: before, during and after the handover of the lock.
        for (let tick = 0; tick < i; tick++) yield* Effect.yieldNow()
        yield* Fiber.interruptFork(next)
        yield* settle
        expect(last.unsafePoll() === null).toBe(false)
        yield* Fiber.join(holder)
        yield* Fiber.join(last)
      }
    }))
})

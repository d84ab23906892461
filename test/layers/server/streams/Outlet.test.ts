/** One client of server-sent events: comments, the check whether it may read on, and its end. */
import { expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Option, Stream, TestClock } from "effect"
import * as PullStream from "../../../../src/domain/base/PullStream.js"
import * as Problem from "../../../../src/layers/server/requests/Problem.js"
import * as Sse from "../../../../src/layers/server/streams/Sse.js"

const refused = Problem.make(401, "Unauthorized", "Not you", "Log in again.")

/** The text of a response to a client that reads all of it. */
const read = (events: Stream.Stream<string>, sending: Sse.Sending = {}) => {
  const { body } = Sse.respond(events, sending)
  if (body._tag !== "Stream") throw new Error(`a body of ${body._tag}`)
  return Effect.fork(
    Stream.runFold(Stream.orDie(body.stream), "", (text, bytes) => text + new TextDecoder().decode(bytes))
  )
}

/** A source that is silent until it is given its only event, and how often it was pulled. */
const silent = Effect.map(Deferred.make<string>(), (said) => {
  let pulls = 0
  const stream = PullStream.make<string, never>(Effect.sync(() => {
    let isOver = false
    return Effect.suspend(() => {
      if (isOver) return Effect.fail(Option.none())
      pulls++
      return Effect.map(Deferred.await(said), (text) => {
        isOver = true
        return [text]
      })
    })
  }))
  return { said, stream, pulls: () => pulls }
})

it.effect("while no event arrives, the server sends keep-alive comments and continues to wait for the event", () =>
  Effect.gen(function*() {
    const { pulls, said, stream } = yield* silent
    const reading = yield* read(stream)
    yield* Effect.yieldNow()
    yield* TestClock.adjust("31 seconds")
    yield* Deferred.succeed(said, "a;")
    expect(yield* Fiber.join(reading)).toBe(": open\n\n: still here\n\n: still here\n\na;")
    expect(pulls()).toBe(1)
  }))

const rechecked = (check: Effect.Effect<unknown, Problem.Problem>): Sse.Sending => ({
  recheck: { every: Duration.minutes(1), check, last: ({ tag }) => `refused: ${tag};` }
})

it.effect("a client whose access is revoked gets the reason as the last event", () =>
  Effect.gen(function*() {
    let checks = 0
    const check = Effect.suspend(() => ++checks < 3 ? Effect.void : Effect.fail(refused))
    const reading = yield* read((yield* silent).stream, rechecked(check))
    yield* Effect.yieldNow()
    yield* TestClock.adjust("2 minutes")
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    expect([checks, reading.unsafePoll()]).toEqual([2, null])
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(reading)).toMatch(/refused: Unauthorized;$/)
  }))

it.effect("a defect in the access check ends the event stream with InternalError", () =>
  Effect.gen(function*() {
    const reading = yield* read((yield* silent).stream, rechecked(Effect.die("broken")))
    yield* Effect.yieldNow()
    yield* TestClock.adjust("1 minute")
    expect(yield* Fiber.join(reading)).toMatch(/refused: InternalError;$/)
  }))

it.effect("when a client disconnects, the server interrupts the event source and the access check", () =>
  Effect.gen(function*() {
    const ended: Array<string> = []
    const until = (name: string) => Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push(name)))
    const source = PullStream.make<string, never>(Effect.succeed(until("pull")))
    const reading = yield* read(source, rechecked(until("check")))
    yield* Effect.yieldNow()
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(reading)
    yield* Effect.repeatN(Effect.yieldNow(), 20)
    expect(ended.sort()).toEqual(["check", "pull"])
  }))

import { LanguageModel, Response } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Exit, Fiber, Layer, Random, Schema, Stream, Supervisor } from "effect"
import * as v8 from "node:v8"
import * as vm from "node:vm"
import * as EventLoop from "../support/EventLoop.js"

v8.setFlagsFromString("--expose-gc")
const gc = vm.runInNewContext("gc") as () => void

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const steps = (n: number) => Effect.repeatN(Effect.yieldNow(), n)

type Piece = Response.StreamPart<{}> | Effect.Effect<void>

const words = (delta: string) => Response.makePart("text-delta", { id: "t", delta })
const usage = new Response.Usage({ inputTokens: 1, outputTokens: 1, totalTokens: 2 })
const finish = Response.makePart("finish", { reason: "stop", usage })
const call = (name: string, id: string) =>
  Response.makePart("tool-call", { id, name, params: {}, providerExecuted: false }) as never

/** Hand-written, because the usual constructor builds a Schema on every call, which takes most of a turn. */
const model = () => {
  let calls = 0
  const next = (): ReadonlyArray<Piece> => {
    const n = calls++
    return n % 2 === 0
      ? [steps(2), words("One "), steps(2), words("moment"), call(n % 4 === 0 ? "look" : "book", `c${n}`), finish]
      : [words("Here "), steps(2), words("you are"), finish]
  }
  const run = (piece: Piece) => Effect.isEffect(piece) ? Effect.as(piece, []) : Effect.succeed([piece])
  const service = {
    generateText: () =>
      Effect.suspend(() => Effect.forEach(next(), run)).pipe(Effect.map((pieces) => ({ content: pieces.flat() }))),
    streamText: () => Stream.suspend(() => Stream.fromIterable(next())).pipe(Stream.mapConcatEffect(run)),
    generateObject: () => Effect.die("never asked")
  }
  return Layer.succeed(LanguageModel.LanguageModel, service as never)
}

/** Turns with hooks, text, and tools of both interrupt behaviours. */
const make = kit.make({
  name: "Busy",
  hooks: { beforeRespond: () => steps(1) },
  tools: [
    kit.tool({ id: "look", handler: () => Effect.as(steps(3), "found") }),
    kit.tool({ id: "book", interruptBehavior: "block", handler: () => Effect.as(steps(3), "booked") })
  ],
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
}).pipe(
  Effect.provide([
    model(),
    SessionStore.layerMemory
  ])
)

const sessions = 25

/** Lets interrupted fibers finish, and collects garbage. */
const rest = Effect.repeatN(Effect.zipRight(EventLoop.turn, Effect.sync(gc)), 2)

const timers = Effect.sync(() => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length)
const heap = Effect.sync(() => process.memoryUsage().heapUsed)

describe("10,000 turns, a third of them interrupted at random", () => {
  it.live("leave no running fiber, no timer and no unreleased memory", () =>
    Effect.gen(function*() {
      const agent = yield* make
      const supervisor = yield* Supervisor.track
      let whole = 0
      let stopped = 0

      const turn = (i: number) =>
        Effect.gen(function*() {
          const sessionId = `u${i % sessions}`
          const request = { sessionId, message: "hi" }
          const stops = yield* Random.nextBoolean
          const stop = stops && (yield* Random.next) < 2 / 3
          const moment = steps(yield* Random.nextIntBetween(0, 25))
          if (i % 3 === 2) {
            const { abort, events, response } = yield* agent.session(sessionId).send("hi")
            const readers = yield* Effect.forEach([1, 2], () => Effect.fork(Stream.runDrain(events)))
            if (stop) yield* Effect.zipRight(moment, abort)
            yield* Fiber.joinAll(readers)
            return (yield* response).stoppedReason !== "aborted"
          }
          const running = i % 3 === 0 ? Effect.asVoid(agent.respond(request)) : Stream.runDrain(agent.stream(request))
          if (!stop) return yield* Effect.as(running, true)
          const fiber = yield* Effect.fork(running)
          yield* moment
          return Exit.isSuccess(yield* Fiber.interrupt(fiber))
        })
      const turns = (n: number) =>
        Effect.gen(function*() {
          for (let from = 0; from < n; from += 250) {
            const outcomes = yield* Effect.forEach(Array.from({ length: 250 }, (_, i) => from + i), turn, {
              concurrency: 25
            })
            const ended = outcomes.filter((isWhole) => isWhole).length
            whole += ended
            stopped += outcomes.length - ended
            for (let s = 0; s < sessions; s++) yield* agent.session(`u${s}`).clear
            yield* EventLoop.turn
          }
        }).pipe(Effect.supervised(supervisor))

      // The first turns fill caches and compile code.
      yield* turns(4000)
      yield* rest
      const timersBefore = yield* timers
      const heapBefore = yield* heap
      const rounds = 6
      for (let round = 0; round < rounds; round++) {
        yield* turns(1000)
        yield* rest
      }
      const grown = (yield* heap) - heapBefore

      expect(whole + stopped).toBe(10_000)
      expect(stopped).toBeGreaterThan(2000)
      expect(whole).toBeGreaterThan(6000)
      expect(yield* supervisor.value).toHaveLength(0)
      expect(yield* timers).toBeLessThanOrEqual(timersBefore)
      // Compilation moves the heap by half a megabyte up or down, once; a leak adds to it in every round. A fiber alone takes
      // more than a kilobyte, and three hundred turns of a round are interrupted.
      expect(grown / rounds).toBeLessThan(250_000)
      // Every session still answers.
      for (let s = 0; s < sessions; s++) {
        expect((yield* agent.respond({ sessionId: `u${s}`, message: "hi" })).session.version).toBe(1)
      }
    }).pipe(Effect.withRandom(Random.make("leak"))))
})

/** Busy turns leave time for connections, requests and timers. */
import { NodeHttpServer } from "@effect/platform-node"
import * as HttpServer from "@effect/platform/HttpServer"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import * as Server from "coxswain/layers/server"
import { Context, Effect, FiberRef, Layer, Scheduler, Schema } from "effect"
import { createServer } from "node:http"
import * as YieldToSockets from "../../../../src/layers/server/streams/yieldToSockets.js"

/** The steps of a hundred busy fibers until the process polls its sockets for the nth time. */
const steps = (scheduler: Scheduler.Scheduler, nth: number) =>
  Effect.gen(function*() {
    let count = 0
    const busy = Effect.forever(Effect.zipRight(Effect.sync(() => count++), Effect.yieldNow()))
    yield* Effect.forkScoped(Effect.withScheduler(
      Effect.all(Array.from({ length: 100 }, () => busy), {
        concurrency: "unbounded"
      }),
      scheduler
    ))
    return yield* Effect.async<number>((resume) => {
      const look = (left: number): unknown =>
        left === 0 ? resume(Effect.sync(() => count)) : setImmediate(() => look(left - 1))
      look(nth)
    })
  })

describe("the scheduler that yields to sockets", () => {
  it.scoped("runs a bounded number of steps of busy fibers before the process polls its sockets", () =>
    Effect.gen(function*() {
      const early = yield* steps(YieldToSockets.make(), 1)
      const late = yield* steps(YieldToSockets.make(), 20)
      expect(early).toBeLessThan(500)
      expect(late).toBeGreaterThan(1000)
      expect(late).toBeLessThan(20 * 500)
    }))
})

const kit = Agent.define({ data: Schema.Struct({}) })
class Desk extends kit.Service<Desk>()("Desk", {
  name: "Desk",
  flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }]
}) {}

/** The scheduler of a server's requests. */
const schedulerOf = (around: Layer.Layer<never>) =>
  Effect.gen(function*() {
    let seen: Scheduler.Scheduler | undefined
    const authenticate: Server.Authenticate = () =>
      Effect.map(FiberRef.get(FiberRef.currentScheduler), (scheduler) => {
        seen = scheduler
        return { userId: "ann" }
      })
    const live = Server.serve(Server.layer(Desk, { authenticate, docs: false })).pipe(
      Layer.provide([Desk.layer]),
      Layer.provide([Offline.layer, SessionStore.layerMemory]),
      Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
      Layer.provide(around)
    )
    const { address } = Context.get(yield* Layer.build(live), HttpServer.HttpServer)
    const port = address._tag === "TcpAddress" ? address.port : 0
    yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/sessions`).then((response) => response.text()))
    return seen
  })

describe("an HTTP server of an agent", () => {
  it.scoped("runs requests on the scheduler that yields to sockets", () =>
    Effect.gen(function*() {
      const seen = yield* schedulerOf(Layer.empty)
      expect(seen).toBeDefined()
      expect(seen).not.toBe(Scheduler.defaultScheduler)
    }))

  it.scoped("does not replace a scheduler that the application has set", () =>
    Effect.gen(function*() {
      const own = new Scheduler.MixedScheduler(7)
      expect(yield* schedulerOf(Layer.setScheduler(own))).toBe(own)
    }))
})

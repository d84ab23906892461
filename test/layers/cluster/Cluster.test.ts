/** An agent as an entity of a cluster, in one process with storage in memory. */
import {
  MessageStorage,
  RunnerHealth,
  Runners,
  RunnerStorage,
  Sharding,
  ShardingConfig,
  TestRunner
} from "@effect/cluster"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, Job, type TurnEvent, TurnFeed } from "coxswain"
import * as Cluster from "coxswain/layers/cluster"
import {
  Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Either,
  Exit,
  Fiber,
  Layer,
  Option,
  Schedule,
  Schema,
  Stream,
  TestClock
} from "effect"
import * as CountingStore from "../../support/CountingStore.js"
import * as Script from "../../support/Script.js"
import * as TurnFeedChecks from "../../support/TurnFeedChecks.js"

const Data = Schema.Struct({ city: Schema.String })

class NoCity extends Schema.TaggedError<NoCity>()("NoCity", { city: Schema.String }) {}

const kit = Agent.define({ data: Data, events: { paid: Schema.Struct({ euros: Schema.NumberFromString }) } })

interface Events {
  readonly paid: Schema.Struct<{ euros: typeof Schema.NumberFromString }>
}

class Desk extends Context.Tag("Desk")<Desk, Agent.Agent<typeof Data.Type, {}, NoCity, Events>>() {}

const options = kit.agent({
  name: "Desk",
  on: { paid: ({ event }) => ({ reply: `Paid ${event.euros + 1}.` }) },
  hooks: {
    beforeRespond: (ctx) => {
      if (ctx.message === "nowhere") return Effect.fail(new NoCity({ city: "nowhere" }))
      return ctx.message === "broken" ? Effect.die(new Error("a defect")) : Effect.void
    }
  },
  flows: [{
    title: "Trip",
    steps: [{
      id: "city",
      prompt: "Ask for the city",
      collect: ["city"],
      after: { "1 minute": { reply: "Still there?" } }
    }]
  }]
})

type Speak = () => Script.Answer | Effect.Effect<Script.Answer>

/** A node of its own, over a store that counts what it is asked for. */
const node = (speak: Speak = () => "Where to?", settings: { readonly maxIdleTime?: "5 seconds" } = {}) =>
  Effect.gen(function*() {
    const store = yield* CountingStore.make
    const script = Script.make((asked) => asked.schema === undefined ? speak() : { flows: {}, fields: {} })
    const context = yield* Layer.build(
      Cluster.layer(Desk, kit, options, { failures: NoCity, ...settings }).pipe(
        Layer.provideMerge(TestRunner.layer),
        Layer.provide([script.layer, store.layer])
      )
    )
    return {
      store,
      context,
      desk: Context.get(context, Desk),
      model: script,
      storage: Context.get(context, MessageStorage.MemoryDriver)
    }
  })

/** Lets time pass second by second, and everything that was due run. */
const passing = (time: Duration.DurationInput) =>
  Effect.repeatN(
    Effect.zipRight(
      TestClock.adjust("1 second"),
      Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    ),
    Math.ceil(Duration.toSeconds(time))
  )

class Report extends Job.make("report", { payload: { city: Schema.String }, success: Schema.String }) {}
const ReportLive = Report.toLayer(({ city }) => Effect.succeed(`All about ${city}`))

const officeKit = Agent.define({ data: Schema.Struct({}), events: { go: Schema.String }, jobs: [Report] })
const office = officeKit.agent({
  name: "Office",
  on: {
    go: ({ event }) => ({ run: Report.of({ city: event }) }),
    [Report.completed]: ({ event }) => ({ reply: event })
  }
})
class Office extends Context.Tag("Office")<Office, KitAgent<typeof officeKit>>() {}
type KitAgent<K> = K extends Agent.Kit<infer D, infer C, infer Ev> ? Agent.Agent<D, C, never, Ev> : never

const texts = (events: Iterable<TurnEvent.TurnEvent>) => Array.from(events, ({ _tag }) => _tag)

describe("an agent in a cluster", () => {
  it.scopedLive("answers messages, and loads nothing from the store for a session that is in memory", () =>
    Effect.gen(function*() {
      const { desk, store } = yield* node()
      const first = yield* desk.respond({ sessionId: "s1", message: "hi" })
      expect(first.message).toBe("Where to?")
      expect(first.session.version).toBe(1)
      const loads = store.count("load")
      const second = yield* desk.respond({ sessionId: "s1", message: "hi again", messageId: "m2" })
      expect(second.session.version).toBe(2)
      expect((yield* desk.session("s1").snapshot).version).toBe(2)
      expect(store.count("load")).toBe(loads)
      expect((yield* desk.session("s1").history).length).toBe(4)
    }))

  it.scopedLive("answers a repeated messageId once, refuses it with another text, and answers it again after `clear`", () =>
    Effect.gen(function*() {
      const { desk, store } = yield* node()
      const ask = desk.respond({ sessionId: "s1", message: "hi", messageId: "m1" })
      const [a, b] = yield* Effect.all([ask, ask], { concurrency: 2 })
      expect(a).toEqual(b)
      expect(yield* ask).toEqual(a)
      expect(store.writes.length).toBe(1)
      const other = yield* Effect.flip(desk.respond({ sessionId: "s1", message: "else", messageId: "m1" }))
      expect(other).toBeInstanceOf(Errors.InvalidRequest)
      yield* desk.session("s1").clear
      const again = yield* ask
      expect(again.session.version).toBe(1)
      expect(again.session.createdAt).not.toEqual(a.session.createdAt)
    }))

  it.scopedLive("runs the turn again when a message is repeated after its turn failed", () =>
    Effect.gen(function*() {
      let broken = true
      const { desk } = yield* node(() => broken ? Effect.fail(Script.refusal(400)) as never : "Where to?")
      const ask = desk.respond({ sessionId: "s1", message: "hi", messageId: "m1" })
      expect(yield* Effect.flip(ask)).toBeInstanceOf(Errors.ResponseGenerationError)
      broken = false
      expect((yield* ask).message).toBe("Where to?")
    }))

  it.scopedLive("returns errors of turns, errors of the agent's own code, and defects to the caller", () =>
    Effect.gen(function*() {
      const { desk } = yield* node()
      for (const messageId of [{}, { messageId: "m1" }]) {
        const ask = (message: string) => desk.respond({ sessionId: "s1", message, ...messageId })
        expect(yield* Effect.flip(ask("nowhere"))).toEqual(new NoCity({ city: "nowhere" }))
        expect(yield* Effect.flip(ask(" "))).toBeInstanceOf(Errors.InvalidRequest)
        const exit = yield* Effect.exit(ask("broken"))
        expect(Exit.isFailure(exit) && Cause.isDie(exit.cause)).toBe(true)
      }
      const streamed = yield* Effect.flip(Stream.runDrain(desk.stream({ sessionId: "s1", message: "nowhere" })))
      expect(streamed).toEqual(new NoCity({ city: "nowhere" }))
      expect((yield* desk.respond({ sessionId: "s1", message: "hi" })).session.version).toBe(1)
    }))

  it.scopedLive("streams the events of a turn, with and without a `messageId`, and again for a repeated message", () =>
    Effect.gen(function*() {
      const { desk, store } = yield* node()
      const plain = yield* Stream.runCollect(desk.stream({ sessionId: "s1", message: "hi" }))
      expect(texts(plain)).toContain("TextDelta")
      expect(texts(plain).at(-1)).toBe("TurnCompleted")
      const keyed = { sessionId: "s1", message: "hi", messageId: "m1" }
      expect(texts(yield* Stream.runCollect(desk.stream(keyed))).at(-1)).toBe("TurnCompleted")
      expect(store.writes.length).toBe(2)
      const turn = yield* desk.session("s1").send("hi", { messageId: "m1" })
      expect((yield* turn.response).session.version).toBe(2)
      expect(texts(yield* Stream.runCollect(turn.events))).toEqual(["TurnStarted", "TextDelta", "TurnCompleted"])
      expect((yield* desk.respond(keyed)).session.version).toBe(2)
      expect(store.writes.length).toBe(2)
    }))

  it.scopedLive("stops a turn by `abort`; the response has the stopped reason `aborted`", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const { desk } = yield* node(() => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never))
      const turn = yield* desk.session("s1").send("hi")
      yield* Deferred.await(asked)
      yield* turn.abort
      expect((yield* turn.response).stoppedReason).toBe("aborted")
      expect((yield* turn.response).message).toBe("")
    }))

  it.scopedLive("interrupts a turn whose stream is closed, and stores nothing", () =>
    Effect.gen(function*() {
      const asked = yield* Deferred.make<void>()
      const stopped = yield* Deferred.make<void>()
      const { desk, store } = yield* node(() =>
        Deferred.succeed(asked, undefined).pipe(
          Effect.zipRight(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(stopped, undefined))
        )
      )
      const reading = yield* Effect.fork(Stream.runDrain(desk.stream({ sessionId: "s1", message: "hi" })))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(reading)
      yield* Deferred.await(stopped)
      expect(store.writes).toEqual([])
    }))

  it.scopedLive("runs the turns of a session in the order of their requests", () =>
    Effect.gen(function*() {
      const { desk } = yield* node(() => Effect.as(Effect.yieldNow(), "Where to?"))
      const fibers = yield* Effect.forEach(Array.from({ length: 10 }, (_, i) => `message ${i}`), (message) =>
        Effect.zipLeft(Effect.fork(desk.respond({ sessionId: "s1", message })), Effect.yieldNow()))
      const versions = yield* Effect.forEach(fibers, (fiber) =>
        Effect.map(Fiber.join(fiber), ({ session }) =>
          session.version))
      expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    }))

  it.scopedLive("supports `begin`, `dispatch`, `notify` and `rewind`, with the same errors as a local agent", () =>
    Effect.gen(function*() {
      const { desk } = yield* node()
      const session = desk.session("s1")
      expect((yield* session.begin().pipe(Effect.flatMap((turn) => turn.response))).message).toBe("Where to?")
      expect((yield* desk.dispatch("s1", "Trip")).pendingDirective).toEqual({ goTo: "Trip" })
      expect(yield* Effect.flip(desk.dispatch("s1", "Nowhere"))).toBeInstanceOf(Errors.FlowConfigurationError)
      expect(yield* Effect.flip(desk.dispatch("s1", { dataUpdate: { city: 1 as never } })))
        .toBeInstanceOf(Errors.DataValidationError)
      const paid = yield* desk.notify({ sessionId: "s1", event: "paid", payload: { euros: "1" }, eventId: "e1" })
      expect(paid.message).toBe("Paid 2.")
      expect(yield* Effect.flip(desk.notify({ sessionId: "s1", event: "paid", payload: {} as never })))
        .toBeInstanceOf(Errors.InvalidRequest)
      expect(yield* Effect.flip(desk.rewind("s1", 1))).toBeInstanceOf(Errors.TurnUnavailable)
      expect((yield* desk.takeOver("s1", { by: "ann" })).handOver?.by).toBe("ann")
      expect(yield* Effect.flip(desk.takeOver("s1", { by: "bob" }))).toBeInstanceOf(Errors.InvalidRequest)
      yield* desk.say("s1", "I am Ann", { by: "ann", messageId: "p1" })
      expect((yield* desk.release("s1")).handOver).toBeUndefined()
      expect(yield* Effect.flip(desk.session("").snapshot)).toBeInstanceOf(Errors.InvalidRequest)
      expect(yield* Effect.flip(desk.approve("s1", "none", { approved: true }))).toBeInstanceOf(Errors.InvalidRequest)
    }))

  it.scopedLive("follows a session from a process that does not own it", () =>
    Effect.gen(function*() {
      const { context, desk } = yield* node()
      const front = Context.get(
        yield* Layer.build(
          Cluster.layerClient(Desk, kit, options, { failures: NoCity }).pipe(
            Layer.provide([Layer.succeedContext(context), (yield* CountingStore.make).layer])
          )
        ),
        Desk
      )
      const first = yield* Deferred.make<void>()
      const heard = yield* Effect.fork(
        front.session("s1").feed.pipe(
          Stream.tap(() => Deferred.succeed(first, undefined)),
          Stream.takeUntil(({ _tag }) => _tag === "TurnCompleted"),
          Stream.runCollect
        )
      )
      // The feed tells what happens from the moment on at which it is followed.
      const spoken = yield* Effect.fork(
        desk.respond({ sessionId: "s1", message: "hi" }).pipe(
          Effect.repeat({ until: () => Deferred.isDone(first), schedule: Schedule.spaced("50 millis") })
        )
      )
      expect(texts(yield* Fiber.join(heard))).toContain("TextDelta")
      yield* Fiber.join(spoken)
      expect((yield* front.respond({ sessionId: "s1", message: "hi" })).session.version).toBeGreaterThan(1)
    }))

  it.scopedLive("stores the events of turns, and passes the conformance checks of a turn feed", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(Layer.provide(Cluster.layerTurns, TestRunner.layer))
      const feed = Context.get(context, TurnFeed.TurnFeed)
      yield* TurnFeedChecks.check(feed, feed)
    }))

  it.scopedLive("accepts any id of a session or a message, and never confuses two ids", () =>
    Effect.gen(function*() {
      const { desk } = yield* node()
      const ids = ["a", "A", "a ", "é", "\u0000", "😀".repeat(50), "x".repeat(200), "~a"]
      for (const sessionId of ids) {
        const { session } = yield* desk.respond({ sessionId, message: "hi", messageId: sessionId })
        expect(session.id).toBe(sessionId)
        expect(session.version).toBe(1)
      }
    }))

  it.scopedLive("lets the session's version decide which write wins when another process has written the session", () =>
    Effect.gen(function*() {
      const { desk, store } = yield* node()
      yield* desk.respond({ sessionId: "s1", message: "hi" })
      const stored = Option.getOrThrow(yield* store.service.load("s1"))
      yield* store.service.commit({
        id: "s1",
        expectedVersion: 1,
        session: { ...stored.session, version: 2 },
        updatedAt: "2026-01-01T00:00:00.000Z",
        messages: []
      })
      expect((yield* desk.respond({ sessionId: "s1", message: "hi" })).session.version).toBe(3)
      expect(Either.isRight(yield* Effect.either(desk.export("nobody")))).toBe(true)
    }))

  it.scoped("runs a timer after the session has left the memory of its node", () =>
    Effect.gen(function*() {
      const building = yield* Effect.forkScoped(node(undefined, { maxIdleTime: "5 seconds" }))
      yield* passing("2 seconds")
      const { context, desk, store } = yield* Fiber.join(building)
      const sharding = Context.get(context, Sharding.Sharding)
      const asked = yield* Effect.fork(desk.respond({ sessionId: "s1", message: "hi" }))
      yield* passing("2 seconds")
      yield* Fiber.join(asked)
      yield* passing("20 seconds")
      expect(yield* sharding.activeEntityCount).toBe(0)
      yield* passing("1 minute")
      expect(store.writes.length).toBe(2)
      expect(JSON.stringify(store.writes[1]?.messages)).toContain("Still there?")
    }))

  it.scopedLive("runs the jobs of the sessions that the node owns", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const jobs = Cluster.jobs(Office).pipe(Layer.provide(ReportLive))
      const context = yield* Layer.build(
        jobs.pipe(
          Layer.provideMerge(Cluster.layer(Office, officeKit, office)),
          Layer.provideMerge(TestRunner.layer),
          Layer.provide([Script.make(() => "never").layer, store.layer])
        )
      )
      const desk = Context.get(context, Office)
      const told = yield* Effect.fork(
        desk.session("s1").history.pipe(
          Effect.repeat({
            until: (all) => JSON.stringify(all).includes("All about Rome"),
            schedule: Schedule.spaced("50 millis")
          })
        )
      )
      yield* desk.notify({ sessionId: "s1", event: "go", payload: "Rome" })
      yield* Fiber.join(told)
    }))

  it.scopedLive("fails with the reason that no node accepted the message, if the cluster has no node", () =>
    Effect.gen(function*() {
      const store = yield* CountingStore.make
      const nobody = Sharding.layer.pipe(
        Layer.provideMerge(Runners.layerNoop),
        Layer.provideMerge(MessageStorage.layerMemory),
        Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
        Layer.provide(ShardingConfig.layer({ runnerAddress: Option.none() }))
      )
      const quick = kit.agent({ ...options, timeouts: { lock: "100 millis" } })
      const front = yield* Layer.build(
        Cluster.layerClient(Desk, kit, quick, { failures: NoCity }).pipe(Layer.provide([nobody, store.layer]))
      )
      const error = yield* Effect.flip(Context.get(front, Desk).respond({ sessionId: "s1", message: "hi" }))
      expect(error).toEqual(new Errors.SessionUnavailable({ sessionId: "s1", reason: "no_owner" }))
    }))
})

import { describe, expect, it } from "@effect/vitest"
import { Agent, type AgentOptions, Errors, Scheduler } from "coxswain"
import { DateTime, Deferred, Effect, Either, Fiber, Layer, Option, Schema, TestClock } from "effect"
import * as Stage from "../../support/Stage.js"

const data = Schema.Struct({ city: Schema.String, note: Schema.String })
const events = { call: Schema.Struct({ who: Schema.String }), ping: Schema.Null }
type Data = typeof data.Type
type Events = typeof events
const kit = Agent.define({ data, events })

const booking = kit.flow({
  title: "Booking",
  after: { "3 days": { abort: "nobody came back" } },
  steps: [
    {
      id: "city",
      prompt: "Ask where to",
      collect: ["city"],
      after: { "1 hour": "remind", "1 day": ({ data }) => ({ reply: `Sorry, no ${data.city ?? "trip"}` }) }
    },
    { id: "done", prompt: "Wish a good trip", until: () => false },
    { id: "remind", reply: "Are you still there?", if: () => true }
  ]
})

/** An agent with these options; by default its flow is the booking. */
const make = (options: Partial<AgentOptions.AgentOptions<Data, {}, Events>> = {}) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({
      understand: ({ message }) =>
        message === "Lisbon"
          ? { fields: { city: "Lisbon" } }
          : message === "weather"
          ? { flowScores: { weather: 90 } }
          : {}
    })
    const agent = yield* kit.make({ name: "Trips", flows: [booking], ...options } as { readonly name: "Trips" }).pipe(
      Effect.provide(stage.layer)
    )
    return { stage, agent, say: Stage.talk(agent) }
  })

/** Wakes the session, as a scheduler does. */
const wake = <E>(
  agent: {
    readonly wake: (
      id: string
    ) => Effect.Effect<Option.Option<{ readonly message: string; readonly stoppedReason: string }>, E>
  }
) => Effect.map(agent.wake("s1"), Option.map(({ message, stoppedReason }) => `${stoppedReason}: ${message}`))

const wakeAts = (stage: Effect.Effect.Success<ReturnType<typeof Stage.make>>) =>
  stage.store.writes.map(({ wakeAt }) => wakeAt)

describe("a timer declared with `after`", () => {
  it.effect("a timer starts when the step has spoken, and fires like a branch", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make()
      yield* say("hi")
      expect(wakeAts(stage)).toEqual(["1970-01-01T01:00:00.000Z"])
      expect(yield* wake(agent)).toEqual(Option.none())
      yield* TestClock.adjust("1 hour")
      expect(yield* wake(agent)).toEqual(Option.some("completed: Are you still there?"))
      expect(yield* wake(agent)).toEqual(Option.none())
      expect(stage.store.writes).toHaveLength(2)
    }))

  it.effect("a timer of a step restarts with each message, and ends when the step is left", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make()
      yield* say("hi")
      yield* TestClock.adjust("59 minutes")
      yield* say("well")
      yield* TestClock.adjust("59 minutes")
      expect(yield* wake(agent)).toEqual(Option.none())
      yield* say("Lisbon")
      yield* TestClock.adjust("2 days")
      expect(yield* wake(agent)).toEqual(Option.none())
      expect(wakeAts(stage)).toEqual([
        "1970-01-01T01:00:00.000Z",
        "1970-01-01T01:59:00.000Z",
        "1970-01-04T00:00:00.000Z"
      ])
    }))

  it.effect("a timer of a flow runs on across its steps, and ends with the flow", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* make()
      yield* say("Lisbon")
      yield* TestClock.adjust("3 days")
      const response = yield* agent.wake("s1")
      expect(Option.getOrThrow(response)).toMatchObject({
        stoppedReason: "aborted",
        session: { flowHistory: [{ completed: false }] }
      })
      expect(Option.getOrThrow(response).session).not.toHaveProperty("timers")
      expect(yield* wake(agent)).toEqual(Option.none())
    }))

  it.effect("a timer of a suspended flow waits until the flow is resumed", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make({
        flows: [booking, {
          title: "Weather",
          when: "the weather",
          steps: [{ id: "sky", prompt: "Tell the weather", until: ({ data }) => data.note !== undefined }]
        }],
        on: { ping: { dataUpdate: { note: "seen" } } }
      })
      yield* agent.dispatch("s1", "Booking")
      yield* say("Lisbon")
      expect(Stage.at(yield* say("weather"))).toBe("weather/sky")
      yield* TestClock.adjust("4 days")
      expect(yield* wake(agent)).toEqual(Option.none())
      expect(wakeAts(stage).at(-1)).toBeUndefined()
      const back = yield* agent.notify({ sessionId: "s1", event: "ping", payload: null })
      expect(Stage.at(back)).toBe("booking/done")
      expect(wakeAts(stage).at(-1)).toBe("1970-01-04T00:00:00.000Z")
      expect(yield* wake(agent)).toEqual(Option.some("aborted: "))
    }))

  it.effect("a timer whose handler only replies does not restart the other timers of the step", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* make({
        flows: [{
          title: "Wait",
          steps: [{
            prompt: "Wait",
            until: () => false,
            after: { "1 minute": { reply: "one" }, "2 minutes": { reply: "two" }, "10 minutes": { reply: "ten" } }
          }]
        }]
      })
      yield* say("hi")
      // Overdue timers fire in order, once each.
      yield* TestClock.adjust("5 minutes")
      expect(yield* wake(agent)).toEqual(Option.some("reply: one"))
      expect(yield* wake(agent)).toEqual(Option.some("reply: two"))
      expect(yield* wake(agent)).toEqual(Option.none())
      yield* TestClock.adjust("5 minutes")
      expect(yield* wake(agent)).toEqual(Option.some("reply: ten"))
      expect(yield* wake(agent)).toEqual(Option.none())
    }))

  it.effect("a timer measures elapsed time, not wall-clock time, across a change to summer time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 28, 9))
      const wait = { prompt: "Wait", until: () => false, after: { "1 day": { reply: "Well?" } } } as const
      const { agent, say, stage } = yield* make({ flows: [{ title: "Wait", steps: [wait] }] })
      yield* say("hi")
      expect(wakeAts(stage)).toEqual(["2026-03-29T09:00:00.000Z"])
      yield* TestClock.adjust("23 hours")
      expect(yield* wake(agent)).toEqual(Option.none())
      yield* TestClock.adjust("1 hour")
      expect(yield* wake(agent)).toEqual(Option.some("reply: Well?"))
      const lisbon = DateTime.setZone(yield* DateTime.now, DateTime.zoneUnsafeMakeNamed("Europe/Lisbon"))
      expect(DateTime.toParts(lisbon).hours).toBe(10)
    }))

  it.effect("a timer that a newer definition of the agent no longer contains has no effect", () =>
    Effect.gen(function*() {
      const { say, stage } = yield* make()
      yield* say("hi")
      const newer = yield* kit.make({
        name: "Trips",
        flows: [{ ...booking, after: {}, steps: [{ id: "city", prompt: "x", until: () => false }] }]
      })
        .pipe(Effect.provide(stage.layer))
      yield* TestClock.adjust("1 hour")
      const response = Option.getOrThrow(yield* newer.wake("s1"))
      expect(response).toMatchObject({ stoppedReason: "handled", trace: [{ kind: "event_unhandled" }] })
    }))

  it.effect("a timer is refused by `make` if its duration or target is invalid", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const options: object = {
        name: "x",
        flows: [{
          title: "F",
          after: { soon: "x", "1 day": "Nowhere" },
          steps: [{ auto: true, after: { "0 minutes": {} } }, { prompt: "p", after: { "1 day": async () => ({}) } }]
        }]
      }
      const made = yield* Effect.either(kit.make(options as { readonly name: string })).pipe(
        Effect.provide(stage.layer)
      )
      expect(Either.isLeft(made) ? made.left.issues.map(({ path }) => path) : []).toEqual([
        "flows[0].steps[1].after.1 day",
        "flows[0].after.soon",
        "flows[0].after.soon",
        "flows[0].after.1 day",
        "flows[0].steps[0].after",
        "flows[0].steps[0].after.0 minutes"
      ])
    }))
})

describe("waking a session", () => {
  it.effect("decodes the session's data once if a timer is due, and not at all otherwise", () =>
    Effect.gen(function*() {
      let decoded = 0
      const Counted = Schema.transform(Schema.String, Schema.String, {
        decode: (text) => {
          decoded++
          return text
        },
        encode: (text) => text
      })
      const stage = yield* Stage.make({ understand: () => ({ fields: { city: "Lisbon" } }) })
      const agent = yield* Agent.define({ data: Schema.Struct({ city: Counted }) }).make({
        name: "Trips",
        flows: [{
          title: "Booking",
          steps: [
            { id: "city", prompt: "Ask where to", collect: ["city"] },
            { id: "wait", prompt: "Wait", until: () => false, after: { "1 hour": { reply: "Still there?" } } }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* agent.respond({ sessionId: "s1", message: "Lisbon" })
      decoded = 0
      expect(yield* wake(agent)).toEqual(Option.none())
      expect(decoded).toBe(0)
      yield* TestClock.adjust("1 hour")
      expect(yield* wake(agent)).toMatchObject({ value: expect.stringContaining("Still there?") })
      expect(decoded).toBe(1)
    }))
})

describe("the directives `schedule` and `cancel`", () => {
  const calling = (directive: (message: string) => object) =>
    make({
      flows: [],
      idle: "silent",
      hooks: { beforeRespond: ({ message }) => directive(message) },
      on: { call: ({ event }) => ({ reply: `Ring, ${event.who}` }) }
    })
  const call = (id: string, more: object, who = "Ada") => ({
    schedule: { id, event: "call", payload: { who }, ...more }
  })

  it.effect("deliver an event later, after a duration or at a time, in order", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* calling((message) =>
        message === "a"
          ? call("a", { in: "2 hours" }, "Ada")
          : message === "b"
          ? call("b", { at: "1970-01-01T02:00:00+01:00" }, "Bob")
          : {}
      )
      yield* say("a")
      yield* say("b")
      expect(wakeAts(stage)).toEqual(["1970-01-01T02:00:00.000Z", "1970-01-01T01:00:00.000Z"])
      yield* TestClock.adjust("2 hours")
      expect(yield* wake(agent)).toEqual(Option.some("reply: Ring, Bob"))
      expect(yield* wake(agent)).toEqual(Option.some("reply: Ring, Ada"))
      expect(yield* wake(agent)).toEqual(Option.none())
    }))

  it.effect("replace and cancel an event by its id", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* calling((message) =>
        message === "later"
          ? call("c", { in: 7_200_000 })
          : message === "never"
          ? { cancel: "c" }
          : message === "soon"
          ? call("c", { in: "1 hour" })
          : {}
      )
      yield* say("soon")
      yield* say("later")
      yield* TestClock.adjust("1 hour")
      expect(yield* wake(agent)).toEqual(Option.none())
      yield* TestClock.adjust("1 hour")
      expect(yield* wake(agent)).toEqual(Option.some("reply: Ring, Ada"))
      yield* say("soon")
      yield* say("never")
      yield* TestClock.adjust("1 day")
      expect(yield* wake(agent)).toEqual(Option.none())
    }))

  it.effect("keep a zoned time across a change to summer time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.UTC(2026, 2, 28, 9))
      const zone = DateTime.zoneUnsafeMakeNamed("Europe/Lisbon")
      const tomorrow = DateTime.add(DateTime.setZone(yield* DateTime.now, zone), { days: 1 })
      const { agent, say, stage } = yield* calling((message) => message === "" ? {} : call("c", { at: tomorrow }))
      yield* say("tomorrow at nine")
      // The day has 23 hours: nine in Lisbon is now eight in UTC.
      expect(wakeAts(stage)).toEqual(["2026-03-29T08:00:00.000Z"])
      yield* TestClock.adjust("23 hours")
      expect(yield* wake(agent)).toEqual(Option.some("reply: Ring, Ada"))
    }))

  it.effect("refuse invalid events and times before anything is stored", () =>
    Effect.gen(function*() {
      const wrong: ReadonlyArray<object> = [
        { schedule: { id: "a", in: "1 hour", event: "nope" } },
        { schedule: { id: "a", in: "1 hour", event: "call", payload: { who: 1 } } },
        { schedule: { id: "a", event: "ping", payload: null } },
        { schedule: { id: "a", in: "1 hour", at: "2026-01-01T00:00:00Z", event: "ping" } },
        { schedule: { id: "a", at: "2026-01-01T00:00:00", event: "ping" } },
        { schedule: { id: "", in: "1 hour", event: "ping" } },
        { schedule: { id: "a", in: "soon", event: "ping" } },
        { schedule: { id: "a", in: -1, event: "ping" } },
        { schedule: { id: "a", in: Infinity, event: "ping" } },
        { schedule: Array.from({ length: 101 }, (_, i) => ({ id: `${i}`, in: "1 hour", event: "ping" })) },
        { cancel: 1 }
      ]
      let next: object = {}
      const { say, stage } = yield* make({ hooks: { beforeRespond: () => next as {} } })
      for (const directive of wrong) {
        next = directive
        const failure = yield* Effect.flip(say("x"))
        expect(failure, JSON.stringify(directive)).toBeInstanceOf(Errors.FlowConfigurationError)
      }
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("lead to no event if a newer version of the agent refuses the event's payload; the trace says so", () =>
    Effect.gen(function*() {
      const { say, stage } = yield* calling(() => call("c", { in: 0 }))
      yield* say("hi")
      const newer = yield* Agent.define({
        data: Schema.Struct({}),
        events: { call: Schema.Struct({ whom: Schema.String }) }
      })
        .make({ name: "Trips", on: { call: { reply: "no" } } }).pipe(Effect.provide(stage.layer))
      expect(Option.getOrThrow(yield* newer.wake("s1")).trace).toMatchObject([{ kind: "event_refused" }])
      expect(yield* newer.wake("s1")).toEqual(Option.none())
    }))
})

describe("a timer that is due when a message arrives", () => {
  it.effect("fires at most once, and not after the message that ends the timer", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make()
      yield* say("hi")
      yield* TestClock.adjust("1 hour")
      const [fired] = yield* Effect.all([agent.wake("s1"), say("I am here"), agent.wake("s1")], {
        concurrency: "unbounded"
      })
      const again = yield* agent.wake("s1")
      const reminders = (yield* agent.session("s1").history).filter(({ content }) =>
        JSON.stringify(content).includes("still there")
      )
      expect(Option.isSome(fired)).toBe(reminders.length === 1)
      expect(reminders.length).toBeLessThanOrEqual(1)
      expect(again).toEqual(Option.none())
      expect(stage.store.writes.map(({ expectedVersion }) => expectedVersion)).toEqual(
        stage.store.writes.map((_, i) => i)
      )
    }))
})

describe("the scheduler that fires timers", () => {
  const seldom = { maxInterval: "6 hours" } as const
  const scheduled = (
    agents: ReadonlyArray<Scheduler.Wakeable>,
    stage: Effect.Effect.Success<ReturnType<typeof Stage.make>>,
    options: Scheduler.Options = {}
  ) => Layer.launch(Scheduler.layer(agents, options).pipe(Layer.provide(stage.layer)))

  it.effect("fires the timers of many sessions on time, once each", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make()
      const fiber = yield* Effect.fork(scheduled([agent], stage, seldom))
      for (let i = 0; i < 50; i++) {
        yield* agent.respond({ sessionId: `s${i}`, message: "hi" })
        yield* TestClock.adjust("1 second")
      }
      yield* TestClock.adjust("2 days")
      yield* Fiber.interrupt(fiber)
      const reminded = stage.store.writes.filter(({ messages }) => JSON.stringify(messages).includes("still there"))
      expect(reminded.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, i) => `s${i}`))
      expect(reminded.map(({ updatedAt }) => updatedAt)).toEqual(
        Array.from({ length: 50 }, (_, i) => new Date(3_600_000 + i * 1000).toISOString())
      )
    }))

  it.effect("fires a timer once when two schedulers run", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* make()
      const fiber = yield* Effect.fork(
        Effect.all([scheduled([agent], stage, seldom), scheduled([agent], stage, seldom)], { concurrency: 2 })
      )
      for (let i = 0; i < 20; i++) yield* agent.respond({ sessionId: `s${i}`, message: "hi" })
      yield* TestClock.adjust("2 hours")
      yield* Fiber.interrupt(fiber)
      const reminded = stage.store.writes.filter(({ messages }) => JSON.stringify(messages).includes("still there"))
      expect(reminded.map(({ id }) => id).sort()).toEqual(Array.from({ length: 20 }, (_, i) => `s${i}`).sort())
    }))

  it.effect("retries a failed timer with growing delays; other sessions do not wait", () =>
    Effect.gen(function*() {
      let down = true
      const tries: Array<number> = []
      const { agent, say, stage } = yield* make({
        flows: [{
          title: "Wait",
          steps: [{
            prompt: "Wait",
            until: () => false,
            after: {
              "1 minute": ({ session }) =>
                Effect.flatMap(DateTime.now, (now) => {
                  if (session.id === "s1") tries.push(now.epochMillis / 1000)
                  return down && session.id === "s1" ? Effect.die("down") : Effect.succeed({ reply: "done" })
                })
            }
          }]
        }]
      })
      const fiber = yield* Effect.fork(scheduled([agent], stage))
      yield* say("hi")
      yield* Stage.talk(agent, "s2")("hi")
      yield* TestClock.adjust("70 seconds")
      expect((yield* agent.session("s2").snapshot).version).toBe(2)
      expect(tries).toEqual([60, 61, 63, 67])
      down = false
      yield* TestClock.adjust("1 minute")
      expect((yield* agent.session("s1").snapshot).version).toBe(2)
      yield* Fiber.interrupt(fiber)
    }))

  it.effect("polls an idle store at most once a second, with growing intervals", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make()
      let asked = 0
      const store = {
        ...stage.store.service,
        due: (query: Parameters<typeof stage.store.service.due>[0]) => (asked++, stage.store.service.due(query))
      }
      const fiber = yield* Effect.fork(Effect.scoped(Scheduler.run([agent], store)))
      yield* TestClock.adjust("100 seconds")
      expect(asked).toBeLessThan(16)
      yield* Fiber.interrupt(fiber)
      expect((yield* say("hi")).message).toBe("Ask where to Ask for: city")
    }))

  it.effect("ignores timers of agents that were not passed to it", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* make()
      const other = yield* kit.make({ name: "Other", on: { ping: {} } }).pipe(Effect.provide(stage.layer))
      const both = yield* Effect.fork(scheduled([other], stage, seldom))
      yield* say("hi")
      yield* TestClock.adjust("2 hours")
      expect(stage.store.writes).toHaveLength(1)
      yield* Fiber.interrupt(both)
      const right = yield* Effect.fork(scheduled([other, agent], stage))
      yield* TestClock.adjust("1 second")
      expect(stage.store.writes).toHaveLength(2)
      yield* Fiber.interrupt(right)
    }))

  it.effect("stops with its layer, and a turn that is running then stores nothing", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const { agent, say, stage } = yield* make({
        flows: [{
          title: "Wait",
          steps: [{
            prompt: "Wait",
            until: () => false,
            after: { "1 minute": () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never) }
          }]
        }]
      })
      const fiber = yield* Effect.fork(scheduled([agent], stage))
      yield* say("hi")
      yield* TestClock.adjust("1 minute")
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      expect(yield* Effect.map(agent.session("s1").snapshot, ({ version }) => version)).toBe(1)
    }))
})

describe("timers in the session of an agent that declares none any more", () => {
  const flow = (after: object) => ({
    title: "Booking",
    ...after,
    steps: [
      { id: "city", prompt: "Ask where to", collect: ["city"] as const, ...after },
      { id: "done", prompt: "Wish a good trip", until: () => false }
    ]
  })
  const timersOf = (stage: Effect.Effect.Success<ReturnType<typeof Stage.make>>, flows: ReadonlyArray<object>) =>
    Effect.gen(function*() {
      const agent = yield* Agent.define({ data }).make({ name: "Trips", flows } as { readonly name: "Trips" }).pipe(
        Effect.provide(stage.layer)
      )
      yield* Stage.talk(agent)("hi")
      return (yield* agent.session("s1").snapshot).timers?.map(({ id }) => id)
    })

  it.effect("a message ends those of the step, and those of the flow stay", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({})
      const after = { after: { "1 hour": { reply: "Still there?" } } }
      expect(yield* timersOf(stage, [flow(after)])).toEqual(["booking after 1 hour", "booking/city after 1 hour"])
      expect(yield* timersOf(stage, [flow({})])).toEqual(["booking after 1 hour"])
    }))
})

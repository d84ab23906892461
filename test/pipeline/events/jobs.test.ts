import { describe, expect, it } from "@effect/vitest"
import { Agent, Job, JobRunner, SessionStore } from "coxswain"
import {
  Chunk,
  Deferred,
  Duration,
  Effect,
  Either,
  Exit,
  Fiber,
  Layer,
  Option,
  Ref,
  Schedule,
  Schema,
  Scope,
  Stream,
  TestClock
} from "effect"
import * as Stage from "../../support/Stage.js"

class Failure extends Schema.TaggedError<Failure>()("Failure", { why: Schema.String }) {}

class Translate extends Job.make("translate", {
  payload: { text: Schema.String, at: Schema.optional(Schema.Date) },
  success: Schema.Struct({ text: Schema.String, on: Schema.Date }),
  error: Failure,
  progress: Schema.NumberFromString,
  attempts: 3,
  timeout: "10 minutes"
}) {}

const kit = Agent.define({
  data: Schema.Struct({ said: Schema.String, steps: Schema.String }),
  events: { ask: Schema.Struct({ text: Schema.String }), do: Schema.Unknown },
  jobs: [Translate]
})

const options = kit.agent({
  name: "Desk",
  on: {
    ask: ({ event }) => ({ run: Translate.of({ text: event.text }) }),
    do: ({ event }) => event as object,
    [Translate.completed]: ({ event, job }) => ({
      reply: `${event.text} on ${event.on.toISOString()}`,
      dataUpdate: { said: job?.name ?? "" }
    }),
    [Translate.failed]: ({ event }) => ({ reply: event instanceof Job.JobError ? event.reason : event.why }),
    [Translate.progress]: ({ data, event }) => ({ dataUpdate: { steps: `${data.steps ?? ""}${event + 1};` } })
  }
})

type Handler = Parameters<typeof Translate.toLayer<never>>[0]
type Made = Effect.Effect.Success<ReturnType<typeof kit.make<typeof options>>>

const epoch = new Date(0)
const shout: Handler = ({ text }) => Effect.succeed({ text: text.toUpperCase(), on: epoch })

const desk = Effect.gen(function*() {
  const stage = yield* Stage.make({})
  const agent = yield* kit.make(options).pipe(Effect.provide(stage.layer))
  return { stage, agent }
})

/** A started runner in the scope of the test. */
const runner = (
  agent: Made,
  store: SessionStore.Service,
  handler: Handler,
  given: JobRunner.Options = {}
) =>
  Effect.zipLeft(
    Layer.build(
      JobRunner.layer([agent], given).pipe(
        Layer.provide([Translate.toLayer(handler), Layer.succeed(SessionStore.SessionStore, store)])
      )
    ),
    TestClock.adjust(0)
  )

const ask = (agent: Made, text: string) => agent.notify({ sessionId: "s1", event: "ask", payload: { text } })
const order = (agent: Made, directive: object) => agent.notify({ sessionId: "s1", event: "do", payload: directive })
const said = (agent: Made) =>
  Effect.map(
    agent.session("s1").history,
    (all) =>
      all.map(({ content }) =>
        typeof content === "string" ? content : content.map((part) => "text" in part ? part.text : "").join("")
      )
  )

describe("a job that a turn requests", () => {
  it.effect("is stored in the same commit as the turn and is due immediately; the turn sends no reply", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const { message, session, stoppedReason } = yield* ask(agent, "hi")
      expect([message, stoppedReason]).toEqual(["", "handled"])
      expect(session.jobs).toEqual([
        expect.objectContaining({ name: "translate", agent: "Desk", payload: { text: "hi" }, runs: 0, failures: 0 })
      ])
      expect(stage.store.writes.map(({ wakeAt }) => wakeAt)).toEqual(["1970-01-01T00:00:00.000Z"])
    }))

  it.effect("has an encoded payload; invalid payloads, unknown jobs and exceeded limits are refused", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      expect(Translate.of({ text: "a", at: epoch })).toEqual({
        job: "translate",
        payload: { text: "a", at: "1970-01-01T00:00:00.000Z" }
      })
      const complaints = yield* Effect.forEach([
        { run: Translate.of({ text: 1 } as never) },
        { run: { job: "translate", payload: { text: 1 } } },
        { run: { job: "compile" } },
        { run: [Translate.of({ text: "x".repeat(70_000) })] },
        { run: { job: "translate", payload: { text: "a" }, also: 1 } },
        { run: Array.from({ length: 101 }, () => Translate.of({ text: "a" })) }
      ], (directive) => Effect.map(Effect.either(order(agent, directive)), Either.getLeft))
      const messages = complaints.map((one) => Option.getOrThrow(one).message)
      expect(messages.map((message) => message.replace(/ {2,}|\n/g, " ").slice(0, 90))).toEqual([
        expect.stringContaining("payload of job \"translate\": text: Expected string"),
        expect.stringContaining("payload of job \"translate\": text: Expected string"),
        expect.stringContaining("unknown job \"compile\": the agent's jobs are \"translate\""),
        expect.stringContaining("payload of job \"translate\": it has more than 65536 bytes"),
        expect.stringContaining("run is what Job.of makes"),
        expect.stringContaining("at most 100 jobs at once")
      ])
      expect(stage.store.writes).toEqual([])
    }))

  it.effect("is stored whichever directive of the turn wins, but not if the turn fails", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const asked = yield* order(agent, { abort: "enough", run: Translate.of({ text: "a" }) })
      expect(asked.session.jobs).toHaveLength(1)
      yield* Effect.flip(order(agent, { run: Translate.of({ text: "b" }), dataUpdate: { said: 1 } }))
      expect((yield* agent.session("s1").snapshot).jobs).toHaveLength(1)
      expect(stage.store.writes).toHaveLength(1)
    }))

  it.effect("ends with an event (such as `translate.completed`) that `notify` refuses to send", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk
      const lie = { sessionId: "s1", event: "translate.completed", payload: { text: "x", on: "1970-01-01" } }
      const refused = yield* Effect.flip(agent.notify(lie as never))
      expect(refused).toMatchObject({ _tag: "InvalidRequest", why: expect.stringContaining("no such event") })
    }))

  it.effect("is checked by `make`, which reports all issues of invalid job definitions", () =>
    Effect.gen(function*() {
      const { stage } = yield* desk
      const wrong = Agent.define({
        data: Schema.Struct({}),
        events: { "a.failed": Schema.Null },
        jobs: [
          Job.make("a"),
          Job.make("a"),
          Job.make("no spaces"),
          Job.make("b", { attempts: 0, losses: 0.5, timeout: 0 }),
          1 as never
        ]
      })
      const failure = yield* Effect.flip(wrong.make({ name: "x" }).pipe(Effect.provide(stage.layer)))
      expect(failure.message.split("\n").map((line) => line.replace("[FlowConfigurationError] ", "").split(":")[0]))
        .toEqual([
          "job \"a\" (jobs[0])",
          "job \"a\" (jobs[1])",
          "job \"no spaces\" (jobs[2])",
          "0 attempts of job \"b\" (jobs[3])",
          "0.5 losses of job \"b\" (jobs[3])",
          "timeout of job \"b\" (jobs[3])",
          "not a job (jobs[4])",
          "duplicate job \"a\""
        ])
    }))
})

describe("a job runner", () => {
  it.scoped("passes the decoded result to its event handler in a separate turn, and removes the job", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      yield* runner(agent, stage.store.service, shout)
      yield* ask(agent, "hi")
      yield* TestClock.adjust("1 second")
      const session = yield* agent.session("s1").snapshot
      expect(session).toMatchObject({ data: { said: "translate" } })
      expect(session).not.toHaveProperty("jobs")
      expect(yield* said(agent)).toEqual(["HI on 1970-01-01T00:00:00.000Z"])
      // The commits that request, lease and complete the job.
      expect(stage.store.writes.map(({ wakeAt }) => wakeAt)).toEqual([
        "1970-01-01T00:00:00.000Z",
        "1970-01-01T00:01:00.000Z",
        undefined
      ])
    }))

  it.scoped("reports the progress of a job in order, on the session's feed and to a handler", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      yield* runner(agent, stage.store.service, ({ text }, { progress }) =>
        Effect.as(
          Effect.forEach([1, 2, 3], (n) => progress(n)),
          { text, on: epoch }
        ))
      const seen = yield* Effect.fork(
        agent.session("s1").feed.pipe(
          Stream.filter(({ _tag }) => _tag === "JobProgress"),
          Stream.take(3),
          Stream.runCollect
        )
      )
      yield* TestClock.adjust(0)
      yield* ask(agent, "hi")
      yield* TestClock.adjust("1 second")
      expect(Chunk.toReadonlyArray(yield* Fiber.join(seen))).toMatchObject(
        ["1", "2", "3"].map((value, i) => ({ job: "translate", run: 1, seq: i + 1, value }))
      )
      expect((yield* agent.session("s1").snapshot).data).toMatchObject({ steps: "2;3;4;", said: "translate" })
    }))

  it.scoped("retries a failed job up to the number of its attempts, then reports the failure", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const seen = yield* Ref.make<ReadonlyArray<readonly [string, number]>>([])
      yield* runner(agent, stage.store.service, (_, { attempt, jobId }) =>
        Effect.zipRight(
          Ref.update(seen, (all) => [...all, [jobId, attempt] as const]),
          new Failure({ why: "no words" })
        ))
      yield* ask(agent, "hi")
      yield* TestClock.adjust("900 millis")
      expect(yield* Ref.get(seen)).toHaveLength(1)
      yield* TestClock.adjust("100 millis")
      expect(yield* Ref.get(seen)).toHaveLength(2)
      yield* TestClock.adjust("2 seconds")
      const [[id] = ["none"]] = yield* Ref.get(seen)
      expect(yield* Ref.get(seen)).toEqual([[id, 1], [id, 2], [id, 3]])
      expect(yield* said(agent)).toEqual(["no words"])
    }))

  it.scoped("reports timeouts, defects, too large or invalid results, and unknown jobs as failures", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const handlers: Record<string, Handler> = {
        slow: () => Effect.never,
        dies: () => Effect.dieMessage("broken"),
        large: () => Effect.succeed({ text: "é".repeat(40_000), on: epoch }),
        odd: () => Effect.succeed({ text: 1 } as never),
        told: (_, { progress }) => Effect.zipRight(progress("x" as never), Effect.never)
      }
      const rarely = { lease: "2 hours", interval: "2 hours" } as const
      yield* runner(agent, stage.store.service, (payload, run) => handlers[payload.text]!(payload, run), rarely)
      for (const text of Object.keys(handlers)) {
        yield* ask(agent, text)
        yield* TestClock.adjust("31 minutes")
      }
      expect(yield* said(agent)).toEqual(["timeout", "defect", "too_large", "result", "result"])
      // Another version of the agent requested a job that this one does not have.
      const stored = Option.getOrThrow(yield* stage.store.service.load("s1"))
      const job = {
        ...stored.session,
        jobs: [{
          id: "j1",
          name: "gone",
          agent: "Desk",
          askedAt: "1970-01-01T00:00:00.000Z",
          at: "1970-01-01T00:00:00.000Z",
          runs: 0,
          failures: 0
        }]
      }
      yield* stage.store.service.commit({
        id: "s1",
        expectedVersion: stored.version,
        session: { ...job, version: stored.version + 1 },
        updatedAt: "1970-01-02T00:00:00.000Z",
        messages: [],
        wakeAt: "1970-01-01T00:00:00.000Z"
      })
      const events = yield* Effect.fork(
        agent.session("s1").feed.pipe(
          Stream.filter(({ _tag }) => _tag === "TurnCompleted"),
          Stream.runHead
        )
      )
      yield* TestClock.adjust("2 hours")
      expect(Option.getOrThrow(yield* Fiber.join(events))).toMatchObject({
        response: { stoppedReason: "handled", trace: [{ kind: "event_unhandled", source: "event:gone.failed" }] }
      })
      expect(yield* agent.session("s1").snapshot).not.toHaveProperty("jobs")
    }))

  it.scoped("does not lock the session, and respects the concurrency limit", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const open = yield* Deferred.make<void>()
      const running = yield* Ref.make(0)
      const most = yield* Ref.make(0)
      yield* runner(agent, stage.store.service, ({ text }) =>
        Effect.gen(function*() {
          const now = yield* Ref.updateAndGet(running, (n) => n + 1)
          yield* Ref.update(most, (n) => Math.max(n, now))
          yield* Deferred.await(open)
          yield* Ref.update(running, (n) => n - 1)
          return { text, on: epoch }
        }), { concurrency: 2 })
      yield* order(agent, { run: ["a", "b", "c", "d", "e"].map((text) => Translate.of({ text })) })
      yield* TestClock.adjust("1 second")
      expect(yield* Ref.get(running)).toBe(2)
      expect((yield* order(agent, { dataUpdate: { said: "meanwhile" } })).collected).toEqual({ said: "meanwhile" })
      yield* Deferred.succeed(open, undefined)
      yield* TestClock.adjust("1 second")
      expect(yield* Ref.get(most)).toBe(2)
      expect((yield* said(agent)).map((text) => text[0])).toEqual(["a", "b", "c", "d", "e"])
    }))
})

describe("leases of job runners on jobs", () => {
  it.scoped("are renewed while the job runs, so that only one of two runners runs it", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const runs = yield* Ref.make(0)
      const slow: Handler = ({ text }) =>
        Ref.update(runs, (n) => n + 1).pipe(Effect.zipRight(Effect.sleep("5 minutes")), Effect.as({ text, on: epoch }))
      yield* runner(agent, stage.store.service, slow)
      yield* runner(agent, stage.store.service, slow)
      yield* ask(agent, "hi")
      yield* TestClock.adjust("10 minutes")
      expect(yield* Ref.get(runs)).toBe(1)
      expect(yield* said(agent)).toEqual(["hi on 1970-01-01T00:00:00.000Z"])
    }))

  it.scoped("leases of a dead runner expire, and then the job runs again with the same id", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const seen = yield* Ref.make<ReadonlyArray<readonly [string, number]>>([])
      const noting: Handler = ({ text }, { attempt, jobId }) =>
        Effect.as(Ref.update(seen, (all) => [...all, [jobId, attempt] as const]), { text, on: epoch })
      yield* ask(agent, "hi")
      const stored = Option.getOrThrow(yield* stage.store.service.load("s1"))
      const [job] = stored.session.jobs as unknown as ReadonlyArray<object>
      const until = "1970-01-01T00:00:30.000Z"
      // A runner leased the job and died.
      yield* stage.store.service.commit({
        id: "s1",
        expectedVersion: stored.version,
        session: { ...stored.session, version: 2, jobs: [{ ...job, lease: "dead", at: until, runs: 1 } as never] },
        updatedAt: until,
        messages: [],
        wakeAt: until
      })
      yield* runner(agent, stage.store.service, noting)
      yield* TestClock.adjust("29 seconds")
      expect(yield* Ref.get(seen)).toEqual([])
      yield* TestClock.adjust("1 second")
      expect(yield* Ref.get(seen)).toEqual([[(job as { readonly id: string }).id, 2]])
      expect(yield* said(agent)).toHaveLength(1)
    }))

  it.effect("leases that expire count as losses, and the fourth loss fails the job; released leases do not count", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const runs = yield* Ref.make(0)
      const counting: Handler = () => Effect.zipRight(Ref.update(runs, (n) => n + 1), Effect.never)
      yield* ask(agent, "hi")
      const stop = Effect.scoped(Effect.zipRight(runner(agent, stage.store.service, counting), TestClock.adjust(0)))
      yield* Effect.repeatN(stop, 9)
      expect((yield* agent.session("s1").snapshot).jobs?.[0]).not.toHaveProperty("losses")
      /** A runner whose process dies: its later commits fail. */
      const die = Effect.gen(function*() {
        let isDead = false
        const mortal = {
          ...stage.store.service,
          commit: (write) => isDead ? Effect.die("no process") : stage.store.service.commit(write)
        } satisfies SessionStore.Service
        yield* Effect.scoped(
          Effect.gen(function*() {
            const mine = yield* kit.make(options).pipe(
              Effect.provideService(SessionStore.SessionStore, mortal),
              Effect.provide(stage.layer)
            )
            yield* runner(mine, mortal, counting)
            yield* TestClock.adjust(0)
            isDead = true
          })
        )
        yield* TestClock.adjust("1 minute")
      })
      yield* Effect.repeatN(die, 3)
      expect((yield* agent.session("s1").snapshot).jobs).toMatchObject([{ runs: 14, losses: 3 }])
      expect(yield* said(agent)).toEqual([])
      yield* die
      yield* Effect.scoped(Effect.zipRight(runner(agent, stage.store.service, counting), TestClock.adjust(0)))
      expect(yield* said(agent)).toEqual(["lost"])
      expect(yield* Ref.get(runs)).toBe(15)
      expect(yield* agent.session("s1").snapshot).not.toHaveProperty("jobs")
    }))

  it.scoped("leases that expired twice make their jobs run one at a time, so that a crashing job stops no other job", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      yield* order(agent, { run: ["a", "b", "c", "d", "new"].map((text) => Translate.of({ text })) })
      const stored = Option.getOrThrow(yield* stage.store.service.load("s1"))
      const past = "1970-01-01T00:00:00.000Z"
      // "a" was lost once, "b" and "d" have just been lost a second time, "c" was lost twice before.
      const lost = [{ losses: 1 }, { losses: 1, lease: "dead" }, { losses: 2 }, { losses: 1, lease: "dead" }, {}]
      const jobs = stored.session.jobs as unknown as ReadonlyArray<object>
      yield* stage.store.service.commit({
        id: "s1",
        expectedVersion: stored.version,
        session: { ...stored.session, version: 2, jobs: jobs.map((job, i) => ({ ...job, ...lost[i] })) as never },
        updatedAt: past,
        messages: [],
        wakeAt: past
      })
      const begun = yield* Ref.make<ReadonlyArray<string>>([])
      yield* runner(agent, stage.store.service, ({ text }) =>
        Ref.update(begun, (all) => [...all, text]).pipe(
          Effect.zipRight(Effect.sleep("1 minute")),
          Effect.as({ text, on: epoch })
        ))
      yield* TestClock.adjust("1 second")
      expect(yield* Ref.get(begun)).toEqual(["a", "b", "new"])
      yield* TestClock.adjust("30 minutes")
      expect(yield* Ref.get(begun)).toEqual(["a", "b", "new", "c", "d"])
      expect(yield* said(agent)).toHaveLength(5)
    }))

  it.effect("are released when the runner stops while storing them", () =>
    Effect.gen(function*() {
      const [taken, go] = yield* Effect.all([Effect.makeLatch(), Effect.makeLatch()])
      const stage = yield* Stage.make({})
      const { service } = stage.store
      let isHeld = false
      const slow = SessionStore.SessionStore.of({
        ...service,
        commit: (write) =>
          Effect.zipLeft(
            service.commit(write),
            Effect.suspend(() => {
              const wait = isHeld
              isHeld = false
              return wait ? Effect.zipRight(taken.open, go.await) : Effect.void
            })
          )
      })
      const agent = yield* kit.make(options).pipe(
        Effect.provideService(SessionStore.SessionStore, slow),
        Effect.provide(stage.layer)
      )
      yield* ask(agent, "hi")
      isHeld = true
      const scope = yield* Scope.make()
      yield* Scope.extend(runner(agent, slow, shout), scope)
      yield* taken.await
      yield* Scope.close(scope, Exit.void)
      const { jobs } = yield* agent.session("s1").snapshot
      expect(jobs).toHaveLength(1)
      expect(jobs![0]).not.toHaveProperty("lease")
      expect(jobs![0]).not.toHaveProperty("losses")
    }))

  it.effect("are released when the runner stops while the job is running", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      yield* ask(agent, "hi")
      yield* Effect.scoped(
        Effect.zipRight(runner(agent, stage.store.service, () => Effect.never), TestClock.adjust("1 second"))
      )
      const { jobs } = yield* agent.session("s1").snapshot
      expect(jobs).toMatchObject([{ runs: 1, failures: 0 }])
      expect(jobs?.[0]).not.toHaveProperty("lease")
      yield* Effect.scoped(Effect.zipRight(runner(agent, stage.store.service, shout), TestClock.adjust("1 second")))
      expect(yield* said(agent)).toHaveLength(1)
    }))

  it.scoped("leases taken over by another runner stop the first run, so that one result is reported", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const open = yield* Deferred.make<void>()
      const stopped = yield* Ref.make(false)
      yield* runner(agent, stage.store.service, ({ text }, { attempt }) =>
        Deferred.await(open).pipe(
          Effect.as({ text: `${text}${attempt}`, on: epoch }),
          Effect.onInterrupt(() => Ref.set(stopped, true))
        ))
      yield* ask(agent, "hi")
      yield* TestClock.adjust("1 second")
      const stored = Option.getOrThrow(yield* stage.store.service.load("s1"))
      const [job] = stored.session.jobs as unknown as ReadonlyArray<object>
      yield* stage.store.service.commit({
        id: "s1",
        expectedVersion: stored.version,
        session: {
          ...stored.session,
          version: stored.version + 1,
          jobs: [{ ...job, lease: "another", at: "1970-01-01T00:10:00.000Z" } as never]
        },
        updatedAt: "1970-01-01T00:00:00.000Z",
        messages: [],
        wakeAt: "1970-01-01T00:10:00.000Z"
      })
      yield* TestClock.adjust("20 seconds")
      expect(yield* Ref.get(stopped)).toBe(true)
      yield* Deferred.succeed(open, undefined)
      yield* TestClock.adjust("1 minute")
      expect(yield* said(agent)).toEqual([])
      yield* TestClock.adjust("10 minutes")
      expect(yield* said(agent)).toEqual(["hi2 on 1970-01-01T00:00:00.000Z"])
    }))
})

describe("cancelling a job", () => {
  it.scoped("interrupts the job's handler immediately, and reports nothing", () =>
    Effect.gen(function*() {
      const { agent, stage } = yield* desk
      const stopped = yield* Ref.make(false)
      yield* runner(agent, stage.store.service, () => Effect.onInterrupt(Effect.never, () => Ref.set(stopped, true)))
      const { session: { jobs = [] } } = yield* ask(agent, "hi")
      yield* TestClock.adjust("1 second")
      const { session } = yield* order(agent, { cancel: jobs.map(({ id }) => id) })
      yield* TestClock.adjust(0)
      expect(yield* Ref.get(stopped)).toBe(true)
      expect(session).not.toHaveProperty("jobs")
      yield* TestClock.adjust("2 minutes")
      expect(yield* said(agent)).toEqual([])
      expect((yield* agent.session("s1").snapshot).version).toBe(session.version)
    }))
})

describe("a job result whose turn fails", () => {
  it.scoped("is stored, and delivered again in a later turn without running the job again", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({})
      let broken = true
      const agent = yield* kit.make({
        name: "Desk",
        on: {
          ask: ({ event }) => ({ run: Translate.of(event) }),
          [Translate.completed]: ({ event }) =>
            Effect.suspend(() => broken ? Effect.fail("not yet" as const) : Effect.succeed({ reply: event.text }))
        }
      }).pipe(Effect.provide(stage.layer))
      const runs = yield* Ref.make(0)
      yield* Layer.build(
        JobRunner.layer([agent]).pipe(
          Layer.provide([
            Translate.toLayer((payload, run) => Effect.zipRight(Ref.update(runs, (n) => n + 1), shout(payload, run))),
            Layer.succeed(SessionStore.SessionStore, stage.store.service)
          ])
        )
      )
      yield* TestClock.adjust(0)
      yield* agent.notify({ sessionId: "s1", event: "ask", payload: { text: "hi" } })
      yield* TestClock.adjust("2 seconds")
      expect((yield* agent.session("s1").snapshot).jobs).toMatchObject([{
        outcome: { _tag: "Completed" },
        refusals: 2
      }])
      broken = false
      yield* TestClock.adjust(Duration.minutes(1))
      expect(yield* agent.session("s1").snapshot).not.toHaveProperty("jobs")
      expect((yield* agent.session("s1").history).length).toBe(1)
      expect(yield* Ref.get(runs)).toBe(1)
    }))
})

describe("a job with a retry schedule", () => {
  it.scoped("is not retried after the schedule has ended", () =>
    Effect.gen(function*() {
      class Once extends Job.make("once", {
        error: Schema.String,
        attempts: 10,
        schedule: Schedule.intersect(Schedule.spaced("1 minute"), Schedule.recurs(1))
      }) {}
      const kit = Agent.define({ data: Schema.Struct({}), events: { go: Schema.Null }, jobs: [Once] })
      const stage = yield* Stage.make({})
      const agent = yield* kit.make({
        name: "Once",
        on: { go: { run: Once.of() }, [Once.failed]: ({ event }) => ({ reply: String(event) }) }
      }).pipe(Effect.provide(stage.layer))
      const runs = yield* Ref.make(0)
      yield* Layer.build(
        JobRunner.layer([agent]).pipe(
          Layer.provide([
            Once.toLayer(() => Effect.zipRight(Ref.update(runs, (n) => n + 1), Effect.fail("no"))),
            Layer.succeed(SessionStore.SessionStore, stage.store.service)
          ])
        )
      )
      yield* TestClock.adjust(0)
      yield* agent.notify({ sessionId: "s1", event: "go", payload: null })
      yield* TestClock.adjust("59 seconds")
      expect(yield* Ref.get(runs)).toBe(1)
      yield* TestClock.adjust("2 minutes")
      expect(yield* Ref.get(runs)).toBe(2)
      expect(yield* agent.session("s1").snapshot).not.toHaveProperty("jobs")
    }))
})

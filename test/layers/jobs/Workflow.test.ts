/** Jobs whose handlers are workflows, on the in-memory workflow engine, which outlives the job runners here. */
import { describe, expect, it } from "@effect/vitest"
import { Activity, DurableClock, WorkflowEngine } from "@effect/workflow"
import { Agent, Job, JobRunner, SessionStore } from "coxswain"
import * as Workflow from "coxswain/layers/workflow"
import { Clock, Duration, Effect, Layer, Option, Schema, TestClock } from "effect"
import * as Stage from "../../support/Stage.js"

class Refusal extends Schema.TaggedError<Refusal>()("Refusal", { why: Schema.String }) {}

class Report extends Job.make("report", {
  payload: { city: Schema.String, on: Schema.Date },
  success: Schema.Struct({ text: Schema.String, on: Schema.Date }),
  error: Refusal,
  progress: Schema.Number,
  attempts: 3,
  losses: 2,
  timeout: "10 minutes"
}) {}

const kit = Agent.define({
  data: Schema.Struct({ told: Schema.String }),
  events: { ask: Schema.String, cancel: Schema.String },
  jobs: [Report]
})

const options = kit.agent({
  name: "Desk",
  on: {
    ask: ({ event }) => ({ run: Report.of({ city: event, on: new Date(0) }) }),
    cancel: ({ event }) => ({ cancel: event }),
    [Report.completed]: ({ event }) => ({ reply: `${event.text} on ${event.on.toISOString()}` }),
    [Report.failed]: ({ event }) => ({ reply: event instanceof Job.JobError ? event.reason : event.why }),
    [Report.progress]: ({ data, event }) => ({ dataUpdate: { told: `${data.told ?? ""}${event};` } })
  }
})

type Handler<R> = Parameters<typeof Workflow.toLayer<typeof Report, R>>[1]

/** An activity that records its name in `world`. */
const doing = (world: Array<string>, name: string) =>
  Activity.make({ name, success: Schema.String, execute: Effect.sync(() => (world.push(name), name)) })

/** Workflow keys are digests computed on threads: once these larger digests are done, theirs are too, also on a busy machine. */
const much = new Uint8Array(2 ** 16)
const digests = Effect.repeatN(Effect.promise(() => crypto.subtle.digest("SHA-256", much)), 9)

/**
 * Moves the clock from one scheduled wake-up to the next and waits for the digests in between: a workflow that has to be
 * stopped within five seconds needs its key by then.
 */
const pass = (span: Duration.DurationInput) =>
  Effect.gen(function*() {
    const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(span)
    let now: number
    do {
      yield* digests
      now = Math.min(end, ...(yield* TestClock.sleeps()))
      yield* TestClock.setTime(now)
    } while (now < end)
    yield* digests
  })

/** An agent, and a workflow engine that lives as long as the test and runs the handler. */
const desk = <R>(handler: Handler<R>) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({})
    const engine = yield* Layer.build(WorkflowEngine.layerMemory)
    const live = yield* Layer.build(
      Workflow.toLayer(Report, handler).pipe(Layer.provide(Layer.succeedContext(engine)))
    )
    const agentOver = (store: SessionStore.Service) =>
      kit.make(options).pipe(Effect.provideService(SessionStore.SessionStore, store), Effect.provide(stage.layer))
    const agent = yield* agentOver(stage.store.service)
    /** A runner that can be killed: from then on its commits fail. */
    const start = Effect.gen(function*() {
      let isDead = false
      const store: SessionStore.Service = {
        ...stage.store.service,
        commit: (write) => isDead ? Effect.die("no process") : stage.store.service.commit(write)
      }
      yield* Layer.build(
        JobRunner.layer([yield* agentOver(store)], { maxInterval: "1 minute" }).pipe(
          Layer.provide([Layer.succeedContext(live), Layer.succeed(SessionStore.SessionStore, store)])
        )
      )
      yield* pass("1 second")
      return { kill: Effect.sync(() => void (isDead = true)) }
    })
    const session = agent.session("s1")
    return {
      start,
      session,
      ask: agent.notify({ sessionId: "s1", event: "ask", payload: "Rome" }),
      cancel: (id: string) => agent.notify({ sessionId: "s1", event: "cancel", payload: id }),
      said: Effect.map(session.history, (all) =>
        all.flatMap(({ content }) =>
          typeof content === "string" ? [content] : content.map((part) =>
            "text" in part ? part.text : ""
          )
        ))
    }
  })

const pause = DurableClock.sleep({ name: "pause", duration: "5 minutes", inMemoryThreshold: 0 })

describe("a job that runs as an @effect/workflow", () => {
  it.scoped("reports progress and its result to the conversation, as other jobs do", () =>
    Effect.gen(function*() {
      const world: Array<string> = []
      const { ask, said, session, start } = yield* desk(({ city, on }, { attempt, failures, progress }) =>
        Effect.gen(function*() {
          yield* progress(attempt)
          const found = yield* doing(world, "find")
          yield* progress(10 + failures)
          return { text: `${city}: ${found}`, on }
        })
      )
      yield* start
      yield* ask
      yield* pass("1 second")
      expect(yield* said).toEqual(["Rome: find on 1970-01-01T00:00:00.000Z"])
      expect((yield* session.snapshot).data).toEqual({ told: "1;10;" })
      expect(world).toEqual(["find"])
    }))

  it.scoped("continues after the last completed activity if the process that ran the job was killed", () =>
    Effect.gen(function*() {
      const world: Array<string> = []
      const { ask, said, start } = yield* desk(({ on }) =>
        Effect.gen(function*() {
          yield* doing(world, "find")
          yield* pause
          yield* doing(world, "write")
          return { text: "done", on }
        })
      )
      yield* Effect.scoped(
        Effect.gen(function*() {
          const { kill } = yield* start
          yield* ask
          yield* pass("30 seconds")
          expect(world).toEqual(["find"])
          yield* kill
        })
      )
      yield* start
      yield* pass("10 minutes")
      expect(world).toEqual(["find", "write"])
      expect(yield* said).toEqual(["done on 1970-01-01T00:00:00.000Z"])
    }))

  it.scoped("continues in a new process after the process that ran the job has shut down", () =>
    Effect.gen(function*() {
      const world: Array<string> = []
      const { ask, said, start } = yield* desk(({ on }) =>
        Effect.zipRight(pause, Effect.as(doing(world, "write"), { text: "done", on }))
      )
      yield* Effect.scoped(Effect.gen(function*() {
        yield* start
        yield* ask
        yield* pass("1 minute")
      }))
      yield* start
      yield* pass("10 minutes")
      expect(world).toEqual(["write"])
      expect(yield* said).toHaveLength(1)
    }))

  it.scoped("is retried according to the job's options, each attempt in a new workflow", () =>
    Effect.gen(function*() {
      const world: Array<string> = []
      const { ask, said, start } = yield* desk((_, { failures }) =>
        Effect.flatMap(doing(world, `try${failures}`), (why) => new Refusal({ why }))
      )
      yield* start
      yield* ask
      yield* pass("1 minute")
      expect(world).toEqual(["try0", "try1", "try2"])
      expect(yield* said).toEqual(["try2"])
    }))

  it.scoped("is interrupted if the job is cancelled, times out, or its process was killed too often", () =>
    Effect.gen(function*() {
      const world: Array<string> = []
      const long = DurableClock.sleep({ name: "long", duration: "20 minutes", inMemoryThreshold: 0 })
      const { ask, cancel, said, session, start } = yield* desk(({ on }) =>
        Effect.zipRight(long, Effect.as(doing(world, "write"), { text: "done", on }))
      )
      const idOf = Effect.map(session.snapshot, ({ jobs = [] }) => Option.getOrThrow(Option.fromNullable(jobs[0])).id)
      yield* Effect.scoped(Effect.gen(function*() {
        yield* start
        yield* ask
        yield* pass("1 minute")
        yield* cancel(yield* idOf)
        yield* pass("25 minutes")
        expect([world, yield* said]).toEqual([[], []])
        yield* ask
        yield* pass("40 minutes")
        expect([world, yield* said]).toEqual([[], ["timeout"]])
        yield* ask
      }))
      const die = Effect.scoped(Effect.gen(function*() {
        const { kill } = yield* start
        yield* pass("1 second")
        yield* kill
      }))
      yield* Effect.repeatN(Effect.zipRight(die, pass("2 minutes")), 1)
      yield* start
      yield* pass("25 minutes")
      expect([world, yield* said]).toEqual([[], ["timeout", "lost"]])
    }))
})

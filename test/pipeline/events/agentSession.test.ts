/** Jobs that delegate a task to an external agent. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, DelegateAgent, Job, JobRunner, Jobs, SessionStore } from "coxswain"
import { Cause, Deferred, Effect, Fiber, Layer, Ref, Schema, Stream, TestClock } from "effect"
import * as Stage from "../../support/Stage.js"

const { AgentSession } = Jobs

const kit = Agent.define({
  data: Schema.Struct({ seen: Schema.String, output: Schema.String, agent: Schema.String, wrong: Schema.String }),
  events: { go: Schema.Unknown, stop: Schema.String },
  jobs: [AgentSession]
})

type Task = Parameters<typeof AgentSession.of>[0]

const desk = Effect.gen(function*() {
  const stage = yield* Stage.make()
  const agent = yield* kit.make({
    name: "Desk",
    // A tool that sends, so that the agent keeps origins.
    tools: [{ id: "send", sends: true, parameters: { to: Schema.String }, handler: () => "sent" }],
    on: {
      go: ({ event }) => ({ run: AgentSession.of(event as Task) }),
      stop: ({ event }) => ({ cancel: event }),
      [AgentSession.progress]: ({ data, event }) => ({
        dataUpdate: { seen: `${data.seen ?? ""}${event.number} ${event._tag};` }
      }),
      [AgentSession.completed]: ({ event }) => ({
        reply: event.output,
        dataUpdate: { output: event.output, agent: event.sessionId }
      }),
      [AgentSession.failed]: ({ event }) => ({
        reply: event.message,
        dataUpdate: { wrong: event instanceof Job.JobError ? `job ${event.reason}` : event.reason }
      })
    }
  }).pipe(Effect.provide(stage.layer))
  const go = (task: Task) => agent.notify({ sessionId: "s1", event: "go", payload: task })
  const data = Effect.map(agent.session("s1").snapshot, ({ data }) => data)
  return { agent, data, go, store: stage.store.service }
})

type Desk = Effect.Effect.Success<typeof desk>

const all = { sessionId: true, model: true, workingDirectory: true, allowedTools: true, maxTurns: false }
const usage = { inputTokens: 3, outputTokens: 4, cachedInputTokens: 0 }

/** An agent that echoes its input, and records the requests. */
const echo = (requests: Ref.Ref<ReadonlyArray<DelegateAgent.Request>>, name = "echo") =>
  Effect.succeed(DelegateAgent.make({
    name,
    capabilities: all,
    run: (request) =>
      Stream.unwrap(Effect.as(
        Ref.update(requests, (before) => [...before, request]),
        Stream.fromIterable<ReadonlyArray<DelegateAgent.Said>>([
          [{ _tag: "Started", sessionId: request.sessionId ?? "a1" }],
          [{ _tag: "Message", delta: "hm" }, { _tag: "Progress", tokens: 7 }],
          [{ _tag: "Completed", sessionId: request.sessionId ?? "a1", output: `${name}: ${request.input}`, usage }]
        ])
      ))
  }))

const running = (
  { agent, store }: Desk,
  handler: Layer.Layer<Job.Handler<"agent-session">>
) =>
  Effect.zipRight(
    Layer.build(
      // A long lease, so that it is not renewed hundreds of times in tests that last hours.
      JobRunner.layer([agent], { lease: "6 hours", maxInterval: "6 hours" }).pipe(
        Layer.provide([handler, Layer.succeed(SessionStore.SessionStore, store)])
      )
    ),
    TestClock.adjust("1 second")
  )

const echoing = Effect.gen(function*() {
  const made = yield* desk
  const requests = yield* Ref.make<ReadonlyArray<DelegateAgent.Request>>([])
  yield* running(made, AgentSession.layer(echo(requests), echo(requests, "other")))
  const done = (task: Task) =>
    made.go(task).pipe(Effect.zipRight(TestClock.adjust("1 second")), Effect.zipRight(made.data))
  return { ...made, done, requests }
})

describe("the job `AgentSession`, which delegates a task to an external agent", () => {
  it.scoped("reports the progress of the external agent in order, and then the result", () =>
    Effect.gen(function*() {
      const { agent, done } = yield* echoing
      expect(yield* done({ adapter: "echo", input: "mend it" })).toEqual({
        seen: "1 Started;2 Message;3 Progress;",
        output: "echo: mend it",
        agent: "a1"
      })
      const session = yield* agent.session("s1").snapshot
      expect(session.jobs).toBeUndefined()
    }))

  it.scoped("is the stored origin of a field that an event handler copies from the job's report", () =>
    Effect.gen(function*() {
      const { agent, done } = yield* echoing
      yield* done({ adapter: "echo", input: "mend it" })
      const { origins } = yield* agent.session("s1").snapshot
      expect(origins).toMatchObject({
        fields: { output: [{ kind: "agent", job: "agent-session" }], seen: [{ kind: "code" }] },
        untrusted: true
      })
    }))

  it.scoped("passes the task with its options to the named agent, and can continue the session of this agent", () =>
    Effect.gen(function*() {
      const { done, requests } = yield* echoing
      const { agent } = yield* done({ adapter: "other", input: "first", model: "m", timeout: "2 hours" })
      const task: Task = {
        adapter: "other",
        input: "more",
        ...(agent !== undefined && { sessionId: agent }),
        metadata: { a: 1 }
      }
      expect(yield* done(task)).toMatchObject({ output: "other: more" })
      expect(yield* Ref.get(requests)).toEqual([
        { input: "first", model: "m", timeout: "2 hours" },
        { input: "more", sessionId: "a1", metadata: { a: 1 } }
      ])
    }))

  it.scoped("reports no progress with `emitEvents: false`", () =>
    Effect.gen(function*() {
      const { done } = yield* echoing
      expect(yield* done({ adapter: "echo", input: "quietly", emitEvents: false })).toEqual({
        output: "echo: quietly",
        agent: "a1"
      })
    }))

  it.scoped("fails with `unsupported` for an unknown agent, or an option that the agent does not support", () =>
    Effect.gen(function*() {
      const { done } = yield* echoing
      expect(yield* done({ adapter: "echo", input: "x", maxTurns: 2 })).toEqual({ wrong: "unsupported" })
      expect(yield* done({ adapter: "nobody", input: "x" })).toEqual({ wrong: "unsupported" })
    }))

  it.scoped("fails the turn that requests an invalid task", () =>
    Effect.gen(function*() {
      const { go } = yield* desk
      const wrong: ReadonlyArray<object> = [
        { adapter: "echo" },
        { adapter: "", input: "x" },
        { adapter: "echo", input: " " },
        { adapter: "echo", input: "x", sessionId: "-rf" },
        { adapter: "echo", input: "x", timeout: "soon" },
        { adapter: "echo", input: "x", colour: "red" }
      ]
      for (const task of wrong) {
        const error = yield* Effect.flip(go(task as Task))
        expect([task, error._tag]).toEqual([task, "FlowConfigurationError"])
      }
    }))

  it.scoped("uses the timeout of the task, not the default of jobs", () =>
    Effect.gen(function*() {
      const made = yield* desk
      const slow = DelegateAgent.make({
        name: "slow",
        capabilities: all,
        run: () => Stream.concat(Stream.make([{ _tag: "Started" as const, sessionId: "a1" }]), Stream.never)
      })
      yield* running(made, AgentSession.layer(Effect.succeed(slow)))
      yield* made.go({ adapter: "slow", input: "x", timeout: "3 hours" })
      yield* TestClock.adjust("2 hours")
      expect(yield* made.data).toEqual({ seen: "1 Started;" })
      yield* TestClock.adjust("1 hour")
      expect(yield* made.data).toMatchObject({ wrong: "timeout" })
    }))

  it.scoped("stops the external agent when the job is cancelled, and reports nothing more", () =>
    Effect.gen(function*() {
      const made = yield* desk
      const begun = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const held = DelegateAgent.make({
        name: "held",
        capabilities: all,
        run: () =>
          Stream.acquireRelease(Deferred.succeed(begun, undefined), () => Deferred.succeed(gone, undefined)).pipe(
            Stream.flatMap(() => Stream.never)
          )
      })
      yield* running(made, AgentSession.layer(Effect.succeed(held)))
      const { session } = yield* made.go({ adapter: "held", input: "x" })
      yield* Deferred.await(begun)
      yield* made.agent.notify({ sessionId: "s1", event: "stop", payload: session.jobs![0]!.id })
      const waiting = yield* Effect.fork(Deferred.await(gone))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(waiting)
      expect((yield* made.agent.session("s1").snapshot).jobs).toBeUndefined()
      expect(yield* made.data).toEqual({})
    }))

  it.effect("has a layer whose construction dies if two external agents have the same name", () =>
    Effect.gen(function*() {
      const requests = yield* Ref.make<ReadonlyArray<DelegateAgent.Request>>([])
      const built = yield* Effect.flip(
        Effect.sandbox(Effect.scoped(Layer.build(AgentSession.layer(echo(requests), echo(requests)))))
      )
      expect(Cause.pretty(built)).toContain("two agents are named the same: echo, echo")
    }))
})

// @effect-diagnostics missingEffectError:off
/** Types of jobs. */
import { Agent, Job, JobRunner, type SessionStore } from "coxswain"
import { Context, Effect, Layer, Schema } from "effect"

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

class Words extends Context.Tag("Words")<Words, { readonly of: (text: string) => Effect.Effect<number> }>() {}

class Count extends Job.make("count", {
  payload: { text: Schema.String, since: Schema.optional(Schema.Date) },
  success: Schema.Struct({ at: Schema.Date, words: Schema.Number }),
  error: Schema.Literal("too long"),
  progress: Schema.NumberFromString
}) {}

class Ping extends Job.make("ping") {}

const kit = Agent.define({
  data: Schema.Struct({ words: Schema.Number }),
  events: { go: Schema.Null },
  jobs: [Count, Ping]
})

class Desk extends kit.Service<Desk>()("Desk", {
  name: "Desk",
  on: {
    go: () => ({ run: [Count.of({ text: "a b" }), Ping.of()] }),
    [Count.completed]: ({ event, job }) => {
      const at: Date = event.at
      const id: string | undefined = job?.id
      return { dataUpdate: { words: event.words + at.getTime() + (id === undefined ? 0 : 1) } }
    },
    [Count.failed]: ({ event }) => {
      const failure: "too long" | Job.JobError = event
      return { reply: typeof failure === "string" ? failure : failure.reason }
    },
    [Ping.completed]: { reply: "pong" }
  },
  flows: [{
    title: "Flow",
    on: { [Count.progress]: ({ event }) => ({ dataUpdate: { words: event * 2 } }) },
    steps: [{ prompt: "p", on: { [Count.completed]: "Flow" } }]
  }]
}) {}

const CountLive = Count.toLayer(({ since, text }, { jobId, progress }) =>
  Effect.gen(function*() {
    const from: Date | undefined = since
    yield* progress(1)
    const { of } = yield* Words
    return { at: from ?? new Date(0), words: (yield* of(text)) + jobId.length }
  })
)

/** The needs of a handler are those of its Layer. */
export const needs: Equals<Layer.Layer.Context<typeof CountLive>, Words> = true

const runner = JobRunner.layer([Desk])

/** A runner needs the handlers of the jobs of its agents, the agents, and the store. */
export const requires: Equals<
  Layer.Layer.Context<typeof runner>,
  Desk | SessionStore.SessionStore | Job.Handler<"count"> | Job.Handler<"ping">
> = true

export const wired: Layer.Layer<never, never, Desk | Words | SessionStore.SessionStore> = runner.pipe(
  Layer.provide([CountLive, Ping.toLayer(() => Effect.void)])
)

/** A function that takes any agent takes one with jobs; an agent without jobs needs no handlers. */
const talk = <D, C, E>(agent: Agent.Agent<D, C, E>) => agent.name
export const any = Effect.map(Desk, talk)
const plain = Agent.define({ data: Schema.Struct({}) }).make({ name: "x" })
export const none = Effect.map(plain, (agent) => {
  const layer: Layer.Layer<never, never, SessionStore.SessionStore> = JobRunner.layer([agent])
  return layer
})

/** A handler may fail with what the job says, and with nothing else. */
type Failing = Effect.Effect.Error<ReturnType<Parameters<typeof Count.toLayer<never>>[0]>>
export const fails: Equals<Failing, "too long"> = true

export const wrong = (agent: Effect.Effect.Success<typeof Desk>) => {
  // @ts-expect-error: a job tells of itself
  void agent.notify({ sessionId: "s", event: "count.completed", payload: { at: "1970-01-01", words: 1 } })
  // @ts-expect-error: the payload of another job
  void Count.of({ words: 1 })
  // @ts-expect-error: the result has no such part
  void kit.make({ name: "x", on: { [Count.completed]: ({ event }) => ({ dataUpdate: { words: event.amount } }) } })
  // @ts-expect-error: an event of a job that the agent does not have
  void kit.make({ name: "x", on: { "other.completed": {} } })
  // @ts-expect-error: what the job does not give
  void Count.toLayer(() => Effect.succeed("two"))
}

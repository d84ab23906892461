/** The job that runs a task with an external autonomous agent. */
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Excerpt from "../../domain/base/error/Excerpt.js"
import { optional } from "../../domain/fields/Fields.js"
import * as Delegate from "../../domain/job/Delegate.js"
import * as Job from "../../domain/job/Job.js"
import { failure, type Service } from "./DelegateAgent.js"

/** Time limit of the job. It is longer than the limit of any request, so that the request's own limit ends the task. */
const longest = "30 days"

/**
 * Runs a task with an external autonomous agent. The agent's events become the job's progress, in order and numbered;
 * its result becomes the job's result. The handler is `AgentSession.layer`, which takes the agents.
 *
 * ```ts
 * import * as NodeContext from "@effect/platform-node/NodeContext"
 * import { Agent, Jobs } from "coxswain"
 * import * as ClaudeCode from "coxswain/layers/claude-code"
 * import { Layer, Schema } from "effect"
 *
 * const { AgentSession } = Jobs
 * const kit = Agent.define({ data: Schema.Struct({ task: Schema.String }), jobs: [AgentSession] })
 *
 * export const mend = kit.flow({
 *   title: "Mend",
 *   steps: [
 *     { id: "task", prompt: "Ask what is broken", collect: ["task"] },
 *     {
 *       id: "begun",
 *       reply: "I have begun.",
 *       onEnter: ({ data }) => ({ run: AgentSession.of({ adapter: "claude-code", input: data.task ?? "" }) })
 *     }
 *   ],
 *   on: { [AgentSession.completed]: ({ event }) => ({ reply: event.output }) }
 * })
 *
 * export const AgentsLive = AgentSession.layer(ClaudeCode.make()).pipe(Layer.provide(NodeContext.layer))
 * ```
 */
export class AgentSession extends Job.make("agent-session", {
  payload: Schema.Struct({
    /** Name of the agent's adapter, such as `claude-code`. */
    adapter: Schema.NonEmptyString,
    ...Delegate.Request.fields,
    /** True if the agent's events are reported as progress while it works; default `true`. */
    emitEvents: optional(Schema.Boolean)
  }).annotations({ identifier: "AgentSession", parseOptions: { onExcessProperty: "error" } }),
  success: Delegate.Result,
  error: Delegate.DelegateFailure,
  progress: Delegate.Progress,
  timeout: longest
}) {
  /**
   * Runs each task with the agent whose `name` equals its `adapter`. A task for an unknown name fails as `unsupported`.
   * Two agents of the same name are a defect.
   */
  static readonly layer = <R = never>(
    ...agents: NonEmptyReadonlyArray<Effect.Effect<Service, never, R>>
  ): Layer.Layer<Job.Handler<"agent-session">, never, R> =>
    Layer.unwrapEffect(Effect.flatMap(Effect.all(agents), (services) => {
      const byName = new Map(services.map((service) => [service.name, service]))
      return byName.size < services.length
        ? Effect.dieMessage(
          `AgentSession.layer: two agents are named the same: ${services.map(({ name }) => name).join(", ")}`
        )
        : Effect.succeed(AgentSession.toLayer((payload, run) => work(byName, payload, run.progress)))
    }))
}

type Payload = Schema.Schema.Type<typeof AgentSession["schemas"]["payload"]>

const unknown = (adapter: string, known: Iterable<string>) =>
  failure(
    Excerpt.start(adapter, 100),
    "unsupported",
    `there is no such agent; those that there are: ${Array.from(known).join(", ")}`,
    "Name one of them, or give the agent to AgentSession.layer"
  )

const work = (
  agents: ReadonlyMap<string, Service>,
  { adapter, emitEvents = true, ...request }: Payload,
  tell: (progress: Delegate.Progress) => Effect.Effect<void>
): Effect.Effect<Delegate.Result, Delegate.DelegateFailure> => {
  const agent = agents.get(adapter)
  if (agent === undefined) return Effect.fail(unknown(adapter, agents.keys()))
  return agent.run(request).pipe(
    Stream.tap((event) => event._tag === "Completed" || !emitEvents ? Effect.void : tell(event)),
    Stream.runLast,
    Effect.flatMap((last) =>
      last._tag === "Some" && last.value._tag === "Completed"
        ? Effect.succeed(resultOf(last.value))
        : Effect.dieMessage(`the adapter "${adapter}" ended without a result`)
    )
  )
}

const resultOf = ({ output, sessionId, usage }: Delegate.Result): Delegate.Result => ({
  output,
  sessionId,
  ...(usage !== undefined && { usage })
})

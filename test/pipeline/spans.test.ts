/** Spans of a failed call when the provider's error quotes the prompt. */
import { AiError } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Cause, Effect, Exit, Layer, Schema, Tracer } from "effect"
import * as Telemetry from "../../src/services/model/Telemetry.js"
import * as StreamedModel from "../support/StreamedModel.js"

const words = "my number is 4711"

/** A tracer that records how its spans end. */
const recorder = () => {
  const ended: Array<readonly [string, string]> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => ({
      _tag: "Span",
      name,
      parent,
      context,
      links,
      kind,
      spanId: name,
      traceId: "t",
      sampled: true,
      status: { _tag: "Started", startTime },
      attributes: new Map(),
      attribute: () => {},
      event: () => {},
      addLinks: () => {},
      end: (_, exit) =>
        void ended.push([name, Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : "done"])
    }),
    context: (f) => f()
  })
  return { ended, tracer }
}

const quoting = new AiError.UnknownError({
  module: "Provider",
  method: "generateText",
  description: `400: the message "${words}" is not allowed`
})

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

/** A turn whose model fails with the quoted message, inside a span of its client. */
const failing = (tracer: Tracer.Tracer) =>
  Effect.gen(function*() {
    const agent = yield* kit.make({
      name: "Desk",
      flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk" }] }]
    })
    return yield* Effect.flip(agent.respond({ sessionId: "s", message: words }))
  }).pipe(
    Effect.provide([
      StreamedModel.make(() => ({ say: [Effect.withSpan(Effect.fail(quoting), "client")] })).layer,
      SessionStore.layerMemory
    ]),
    Effect.provide(Layer.setTracer(tracer))
  )

it.live("spans of a failed model call contain the tag of the error but not the provider's text", () =>
  Effect.gen(function*() {
    const { ended, tracer } = recorder()
    const error = yield* failing(tracer)
    expect(String(error)).toContain(words)
    const failed = ended.filter(([, how]) => how !== "done")
    expect(failed.map(([name]) => name)).toEqual(expect.arrayContaining(["client", "invoke_agent Desk"]))
    expect(failed.filter(([, how]) => how.includes("4711"))).toEqual([])
    expect(failed.find(([name]) => name === "invoke_agent Desk")?.[1]).toContain("ResponseGenerationError")
  }))

it.live("a tracer wrapped in `Telemetry.withContent` gets the provider's text", () =>
  Effect.gen(function*() {
    const { ended, tracer } = recorder()
    yield* failing(Telemetry.withContent(tracer))
    expect(ended.find(([name]) => name === "invoke_agent Desk")?.[1]).toContain("4711")
  }))

/** Answers of a model that are nested so deep that reading them by recursion overflows the stack. */
import { it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import { dialects } from "./dialects.js"
import { serve } from "./server.js"

const nested = (levels: number) => `{"fields":{"any":${"[".repeat(levels)}${"]".repeat(levels)}}}`

const kit = Agent.define({ data: Schema.Struct({ any: Schema.Unknown }) })

describe.each(dialects)("understanding by $name", (dialect) => {
  // A double writes its whole answer as JSON, which cannot be much deeper for those that send objects.
  it.scopedLive("fails with a typed error, or reads nothing, where the answer is nested too deep", () =>
    Effect.gen(function*() {
      const server = yield* serve(dialect)
      const said = { text: nested(5000), json: JSON.parse(nested(900)) as object }
      server.does = [{ _tag: "Say", said }]
      const agent = yield* kit.make({
        name: "Desk",
        flows: [{ id: "f", title: "F", when: "somebody asks", steps: [{ collect: ["any"], prompt: "Ask" }] }]
      }).pipe(Effect.provide(Layer.merge(Layer.orDie(dialect.layer(server.url, "key")), SessionStore.layerMemory)))
      const exit = yield* Effect.exit(agent.respond({ sessionId: "s", message: "hello" }))
      if (exit._tag === "Failure") {
        expect(exit.cause).toMatchObject({ _tag: "Fail", error: { reason: "malformed_output" } })
      } else expect(exit.value.session.data).toEqual({})
    }))
})

/** Model answers that are nested so deeply that recursive reading overflows the stack. */
import { it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import { dialects } from "./dialects.js"
import { serve } from "./server.js"

const nested = (levels: number) => `{"fields":{"any":${"[".repeat(levels)}${"]".repeat(levels)}}}`

const kit = Agent.define({ data: Schema.Struct({ any: Schema.Unknown }) })

describe.each(dialects)("understanding by $name", (dialect) => {
  // The doubles that send objects serialize them with JSON.stringify, which allows less depth.
  it.scopedLive("fails with a typed error, or extracts no value, if the model's answer is nested too deeply", () =>
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

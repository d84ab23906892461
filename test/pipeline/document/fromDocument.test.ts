import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, JSONSchema, Schema } from "effect"
import { FlowDocument } from "../../../src/domain/document/FlowDocument.js"

const desk = {
  coxswain: 1,
  name: "Desk",
  persona: "You serve {{context.house}}.",
  context: { house: { type: "string" } },
  data: {
    day: { type: "string", format: "date", description: "the day of the visit" },
    guests: { type: "integer", minimum: 1, maximum: 8, dependsOn: ["day"] },
    name: { type: "string", description: "who books" }
  },
  flows: [
    {
      title: "Booking",
      when: "the guest wants to book a table",
      steps: [
        { id: "visit", prompt: "Ask for the day and the guests", collect: ["day", "guests"] },
        { id: "large", if: "data.guests > 6", reply: "We will ring you about a table for {{data.guests}}." },
        { id: "name", prompt: "Ask for the name", collect: ["name"], if: { predicate: "named" } },
        { id: "booked", reply: { en: "A table for {{data.guests}} on {{data.day}}.", pt: "Mesa para {{data.guests}}." }, onEnter: { hook: "book" } }
      ]
    }
  ]
}

const kit = Agent.define({ data: Schema.Struct({}) })
const registry = kit.registry({ predicates: { named: () => true }, hooks: { book: () => ({ contextUpdate: {} }) } })

const services = [ScriptedModel.layer(), SessionStore.layerMemory] as const

describe("fromDocument", () => {
  it.effect("makes an agent that converses", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.fromDocument(desk, registry)
      const { message } = yield* agent.respond({ sessionId: "u", message: "hi", context: { house: "Blue" } as never })
      expect(message).toBeDefined()
      expect(yield* Agent.toDocument(agent, registry)).toEqual(desk)
    }).pipe(Effect.provide(services)))

  it.effect("reports", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Agent.fromDocument({ ...desk, persna: 1, flows: [{ title: "A", steps: [
        { id: "x", if: "data.gests > 6", collect: ["nme"], reply: "{{data.nobody}} {{ data.guests + }}", onEnter: { hook: "bok" } },
        { id: "y", if: ["data.day == 5", "data.guests", "has(data.foo)", "matches"], then: 1, prompt: 5 }
      ] }] }, registry))
      console.log(error.message)
    }).pipe(Effect.provide(services)))
  it("has a json schema", () => {
    console.log(JSON.stringify(JSONSchema.make(FlowDocument)).length)
  })
})

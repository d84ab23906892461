/** Agents written as documents: what is data is written, code and Schemas need a name. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"

const services = [ScriptedModel.layer(), SessionStore.layerMemory, Document.layer] as const

const City = Schema.String.pipe(Schema.minLength(2)).annotations({ description: "where to" })
const Day = Schema.Date
const even = Schema.Int.pipe(Schema.filter((n) => n % 2 === 0))
const kit = Agent.define({
  data: Schema.Struct({
    city: City,
    day: Day,
    guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ dependsOn: ["city"] }),
    size: Schema.Literal("s", "m"),
    even
  }),
  context: Schema.Struct({ tier: Schema.optional(Schema.String) }),
  events: { paid: Schema.Number }
})

const isWarm = ({ data }: { readonly data: { readonly city?: string } }) => data.city !== "Oslo"
const find = kit.tool({ id: "find", parameters: { city: Schema.String }, handler: ({ city }) => city })

const trips = kit.agent({
  name: "Trips",
  tools: [find],
  flows: [{
    title: "Trip",
    if: isWarm,
    steps: [
      { id: "ask", collect: ["city", "day", "guests", "size", "even"], prompt: "Ask for {{what}} is missing" },
      { id: "find", call: find.with({ city: "Lisbon" }), bind: "city" },
      { id: "bye", reply: ({ data }) => `To ${data.city}`, on: { paid: { complete: true } } }
    ]
  }]
})

describe("Agent.toDocument", () => {
  it.effect("writes plain data as is, and code and Schemas by their names in the registry", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(trips)
      const bye = trips.flows[0].steps[2].reply
      const registry = { tools: { find }, predicates: { isWarm }, templates: { bye }, schemas: { Day, Even: even } }
      const document = yield* Agent.toDocument(agent, registry as never)
      expect(document).toEqual({
        coxswain: 1,
        name: "Trips",
        data: {
          city: { type: "string", minLength: 2, description: "where to" },
          day: { schema: "Day" },
          guests: { type: "integer", minimum: 1, maximum: 8, dependsOn: ["city"] },
          size: { type: "string", enum: ["s", "m"] },
          even: { schema: "Even" }
        },
        context: { tier: { type: "string", optional: true } },
        events: { paid: { type: "number" } },
        tools: ["find"],
        flows: [{
          title: "Trip",
          if: { predicate: "isWarm" },
          steps: [
            {
              id: "ask",
              collect: ["city", "day", "guests", "size", "even"],
              prompt: "Ask for {{ \"{{\" }}what}} is missing"
            },
            { id: "find", call: { tool: "find", arguments: { city: "\"Lisbon\"" } }, bind: "city" },
            { id: "bye", reply: { template: "bye" }, on: { paid: { complete: true } } }
          ]
        }]
      })
      const again = yield* Agent.fromDocument(document, registry as never)
      expect(yield* Agent.toDocument(again, registry as never)).toEqual(document)
    }).pipe(Effect.provide(services)))

  it.effect("fails if code or Schemas are not in the registry; each issue suggests a registry entry", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(Agent.toDocument(yield* kit.make(trips)))
      expect(error.issues.map(({ fix, path }) => `${path}: ${fix}`)).toEqual([
        "data.day: Add it to the registry: { schemas: { \"data.day\": … } }",
        "data.even: Add it to the registry: { schemas: { \"data.even\": … } }",
        "tools[0]: Add it to the registry: { tools: { \"tools1\": … } }",
        "flows[0].if: Add it to the registry: { predicates: { \"flows1.if\": … } }",
        "flows[0].steps[1].call.tool: Add it to the registry: { tools: { \"flows1.steps2.call.tool\": … } }",
        "flows[0].steps[2].reply: Add it to the registry: { templates: { \"flows1.steps3.reply\": … } }"
      ])
    }).pipe(Effect.provide(services)))

  it.effect("omits data fields that the registry's kit already declares", () =>
    Effect.gen(function*() {
      const registry = kit.registry({ tools: { find } })
      const agent = yield* Agent.fromDocument({
        coxswain: 1,
        name: "A",
        tools: ["find"],
        data: { more: { type: "string" } }
      }, registry)
      expect(yield* Agent.toDocument(agent, registry)).toEqual({
        coxswain: 1,
        name: "A",
        tools: ["find"],
        data: { more: { type: "string" } }
      })
      const twice = yield* Effect.flip(Agent.fromDocument({ name: "A", data: { city: { type: "string" } } }, registry))
      expect(twice.message).toContain("the kit of the registry has a field of this name")
    }).pipe(Effect.provide(services)))

  it.effect("fails for values that are not agents", () =>
    Effect.gen(function*() {
      expect((yield* Effect.flip(Agent.toDocument({}))).message).toContain("no agent")
    }).pipe(Effect.provide(Document.layer)))
})

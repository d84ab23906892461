/** An address in one line, for a struct of its parts. */
import { expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Layer, Logger, Schema } from "effect"

const Address = Schema.Struct({
  street: Schema.String,
  number: Schema.String,
  zip: Schema.String.pipe(Schema.pattern(/^\d{4} ?[A-Z]{2}$/)),
  city: Schema.String
})

const kit = Agent.define({ data: Schema.Struct({ address: Address, guests: Schema.Int }) })

it.effect("the offline model extracts a one-line address as a struct, and uses its numbers for no other field", () =>
  Effect.gen(function*() {
    const agent = yield* kit.make({
      name: "Shop",
      flows: [{ title: "Delivery", steps: [{ collect: ["address"] }, { collect: ["guests"] }] }]
    })
    const { session } = yield* agent.respond({ sessionId: "s1", message: "Herengracht 12, 1017 AB Amsterdam" })
    expect(session.data).toEqual({
      address: { street: "Herengracht", number: "12", zip: "1017 AB", city: "Amsterdam" }
    })
  }).pipe(Effect.provide([
    Layer.provide(Offline.layer, Logger.remove(Logger.defaultLogger)),
    SessionStore.layerMemory
  ])))

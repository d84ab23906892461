/** A value of several parts is told in several messages: the agent asks for what is missing of it, and has it when it is whole. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const Address = Schema.Struct({
  street: Schema.String,
  zip: Schema.String.pipe(Schema.pattern(/^\d{4}$/)),
  city: Schema.String,
  floor: Schema.optional(Schema.String)
})

const kit = Agent.define({ data: Schema.Struct({ address: Address }) })

const parcels = kit.make({
  name: "Parcels",
  flows: [{
    title: "Send a parcel",
    steps: [
      { id: "where", prompt: "Ask where it goes", collect: ["address"] },
      {
        id: "sent",
        reply: ({ data: { address } }) => `It goes to ${address?.street}, ${address?.zip} ${address?.city}.`,
        neverCompletes: true
      }
    ]
  }]
})

const program = Effect.gen(function*() {
  const agent = yield* parcels
  for (
    const message of [
      "I want to send a parcel",
      "To Vienna",
      "The zip is 1010",
      "Main Street 5",
      "Sorry, the zip is 1020"
    ]
  ) {
    const { expects, session, ...response } = yield* agent.respond({ sessionId: "u1", message })
    yield* Console.log(`> ${message}\n${response.message}`)
    yield* Console.log("  known:", JSON.stringify(session.data.address ?? session.partial?.address ?? {}))
    const required = expects?.properties.address?.required
    if (Array.isArray(required)) yield* Console.log("  missing:", required.join(", "))
  }
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

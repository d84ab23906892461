/** Leaving and switching in one breath, two wishes in one message, and a yes that answers one question only. */
import { Agent, SessionStore, Understanding } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({
    payee: Schema.String.annotations({ scope: "flow" }),
    city: Schema.String
  })
})

const transfer = kit.flow({
  title: "Transfer",
  when: "send money",
  steps: [
    { id: "payee", collect: ["payee"] },
    { id: "sure", reply: ({ data }) => `Send it to ${data.payee}?`, branches: [{ when: "yes", then: "sent" }] },
    { id: "sent", reply: "Sent.", branches: [{ then: { complete: true } }] }
  ]
})
const balance = kit.flow({
  title: "Balance",
  when: "balance",
  reentrant: true,
  steps: [{ id: "more", reply: "You have 100. A statement?", branches: [{ when: "yes", then: { complete: true } }] }]
})
const hotel = kit.flow({
  title: "Hotel",
  when: "room",
  requiredFields: ["city"],
  steps: [{ id: "city", collect: ["city"] }, { id: "booked", reply: "Booked." }]
})

/** Understands by key words, so that the example says the same every time. */
const ByWords = Layer.succeed(Understanding.Understanding, {
  answer: ({ conditions, flows, message }) =>
    Effect.succeed({
      ...Understanding.none,
      flowScores: Object.fromEntries(flows.map(({ id, when }) => [id, when.some((w) => message.includes(w)) ? 90 : 0])),
      fields: {
        ...(message.includes("Ada") && { payee: "Ada" }),
        ...(message.includes("Rome") && { city: "Rome" })
      },
      conditions: Object.fromEntries(conditions.map(({ id, when }) => [id, when.some((w) => message.includes(w))]))
    })
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Desk",
    flows: [transfer, hotel, balance],
    branches: [{ when: "cancel", then: { abort: "cancelled" } }]
  })
  for (
    const message of [
      "send money to Ada",
      "what is my balance?",
      "yes",
      "cancel that, I need a room, and the balance",
      "Rome",
      "go on"
    ]
  ) {
    const { message: said } = yield* agent.respond({ sessionId: "u1", message })
    yield* Console.log(`> ${message}\n${said}`)
  }
})

program.pipe(
  Effect.provide([model(Layer.merge(Offline.layer, ByWords)), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

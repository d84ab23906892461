/**
 * A payment webhook completes an order: the agent speaks unasked, and a page that follows the session hears it.
 *
 * The model is the offline one, so that this runs anywhere; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Fiber, Schema, Stream } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({ item: Schema.Literal("lamp", "chair"), paid: Schema.Number }),
  events: { "payment.settled": Schema.Struct({ amount: Schema.Number }) }
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Shop",
    flows: [{
      title: "Order",
      steps: [
        { id: "item", description: "Ask what to order", collect: ["item"] },
        {
          id: "pay",
          prompt: "Ask the customer to pay",
          until: ({ data }) => data.paid !== undefined,
          on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.amount } }) }
        },
        {
          id: "thank",
          reply: ({ data }) => `Thank you! ${data.paid} euros have arrived, the ${data.item} is on its way.`
        }
      ]
    }]
  })

  // What a connected page does: it follows the session, and sees what anybody causes in it.
  const page = yield* agent.session("u1").feed.pipe(
    Stream.runForEach((event) =>
      event._tag === "TextDelta"
        ? Console.log(`page: ${event.text}`)
        : event._tag === "TurnCompleted"
        ? Console.log(`page: [${event.response.stoppedReason}]`)
        : Effect.void
    ),
    Effect.fork
  )
  // A page connects before it shows anything; here it is given the time for that.
  yield* Effect.sleep("200 millis")

  yield* agent.respond({ sessionId: "u1", message: "I want a lamp" })

  // What the webhook's route does. The provider's own id makes a delivery that is repeated harmless.
  const webhook = (body: { readonly id: string; readonly amount: number }) =>
    agent.notify({ sessionId: "u1", event: "payment.settled", payload: { amount: body.amount }, eventId: body.id })
  const { stoppedReason } = yield* webhook({ id: "evt_1", amount: 40 })
  yield* Console.log(`webhook: ${stoppedReason}`)
  yield* webhook({ id: "evt_1", amount: 40 })

  // Later than the end of the flow nobody waits for it.
  const late = yield* webhook({ id: "evt_2", amount: 40 })
  yield* Console.log(`webhook: ${late.stoppedReason}, ${late.trace.map(({ kind }) => kind).join()}`)
  // What was told last is still on its way to the page.
  yield* Effect.sleep("200 millis")
  yield* Fiber.interrupt(page)
})

program.pipe(Effect.provide([model(Offline.layer), SessionStore.layerMemory]), Effect.runPromise)

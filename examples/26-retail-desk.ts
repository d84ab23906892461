/**
 * The three hardest rules of a retail desk, kept by code: who calls is identified first, nothing is written before the
 * customer has confirmed exactly what, and nothing is done twice.
 *
 * The model is the offline one, so that this runs anywhere; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({
    email: Schema.String.pipe(Schema.pattern(/^\S+@\S+\.\w+$/)),
    customer: Schema.String,
    order: Schema.String.pipe(Schema.pattern(/^W\d{4}$/)).annotations({ description: "the number of the order" }),
    reason: Schema.Literal("no longer needed", "ordered by mistake")
  })
})

/** The customers of the shop by e-mail address, and its orders. */
const customers: Readonly<Record<string, string>> = { "ann@example.com": "ann" }
const orders = new Map([["W1001", { owner: "ann", status: "pending" }], ["W1002", { owner: "bob", status: "pending" }]])

const identify = kit.tool({
  id: "identify",
  parameters: { email: Schema.String },
  isReadOnly: true,
  handler: ({ email }) => customers[email] ?? Effect.fail("there is no such customer")
})

const getOrder = kit.tool({
  id: "get_order",
  parameters: { order: Schema.String },
  isReadOnly: true,
  handler: ({ order }) => ({ ok: true, outputMessage: order, details: orders.get(order) ?? null })
})

const open = { owner: { field: "customer" }, status: { value: "pending" } }
const isTheirs = { called: "get_order", with: { order: { argument: "order" } }, result: open, since: "cancel_order" }

const cancel = kit.tool({
  id: "cancel_order",
  description: "Cancel an order",
  parameters: { order: Schema.String, reason: Schema.String },
  // The engine looks the order up before the customer is asked, and again once an order was cancelled.
  policies: [{ onlyIf: isTheirs, satisfy: true }],
  needsApproval: { by: "user", expiresAfter: "1 hour" },
  confirmation: ({ order, reason }) => `Shall I cancel order ${order} (${reason})? Please answer yes or no.`,
  handler: ({ order }, { approval }) =>
    Effect.gen(function*() {
      yield* Console.log(`  cancelling ${order}, decided ${approval === undefined ? "by nobody" : "by the customer"}`)
      orders.set(order, { ...orders.get(order)!, status: "cancelled" })
      return "cancelled"
    })
})

class Desk extends kit.Service<Desk>()("Desk", {
  name: "Desk",
  flows: [{
    id: "cancel",
    title: "Cancel an order",
    tools: [getOrder],
    reentrant: "keep",
    steps: [
      { id: "who", prompt: "Ask for the email address", collect: ["email"] },
      {
        id: "identify",
        call: identify.with(({ data }) => ({ email: data.email })),
        bind: "customer",
        then: { failed: "unknown" }
      },
      { id: "which", requires: ["customer"], prompt: "Ask for the order and the reason", collect: ["order", "reason"] },
      {
        id: "cancel",
        call: cancel.with(({ data }) => ({ order: data.order, reason: data.reason })),
        then: { ok: "done", denied: "refused", failed: "refused" }
      },
      {
        id: "done",
        reply: ({ data }) => `Order ${data.order} is cancelled.`,
        finalize: () => ({ complete: true, clear: ["order", "reason"] })
      },
      {
        id: "refused",
        reply: ({ data }) => `Order ${data.order} was not cancelled.`,
        finalize: () => ({ complete: true, clear: ["order", "reason"] })
      },
      {
        id: "unknown",
        reply: "I do not know this address.",
        finalize: () => ({ abort: "nobody we know", clear: ["email"] })
      }
    ]
  }]
}) {}

const program = Effect.gen(function*() {
  const desk = yield* Desk
  const say = (message: string) =>
    Effect.gen(function*() {
      yield* Console.log(`> ${message}`)
      const response = yield* desk.respond({ sessionId: "s1", message })
      yield* Console.log(response.message)
    })
  // Identified first, whatever the customer asks for.
  yield* say("Please cancel order W1001, it was ordered by mistake")
  yield* say("ann@example.com")
  // A yes with a change is no yes: the order is asked about again.
  yield* say("What happens then?")
  yield* say("Yes")
  // Once only.
  yield* say("Cancel order W1001, no longer needed")
  // Not somebody else's.
  yield* say("Cancel order W1002, no longer needed")
  yield* Console.log(Array.from(orders, ([id, { status }]) => `${id} ${status}`).join(", "))
})

program.pipe(
  Effect.provide(Desk.layer),
  Effect.provide([model(Offline.layer), SessionStore.layerMemory]),
  Effect.runPromise
)

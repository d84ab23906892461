/**
 * Policies: a refund only for a verified customer, of at most what the order cost, and once per order. The model tries
 * it otherwise, and reads what is missing.
 */
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Console, Effect, Schema } from "effect"

const { call, say, understand } = ScriptedModel

const kit = Agent.define({ data: Schema.Struct({ note: Schema.String.annotations({ extract: "never" }) }) })

const verify = kit.tool({ id: "verify", parameters: { customer: Schema.String }, handler: () => "verified" })
const getOrder = kit.tool({
  id: "get_order",
  isReadOnly: true,
  trusted: true,
  parameters: { order: Schema.String },
  handler: ({ order }) => ({ ok: true, outputMessage: `Order ${order}: 80 euros`, details: { total: 80 } })
})
const refund = kit.tool({
  id: "refund",
  isDestructive: true,
  parameters: { customer: Schema.String, order: Schema.String, amount: Schema.Number },
  handler: ({ amount }) => `Refunded ${amount} euros`
})

const make = kit.make({
  name: "Desk",
  tools: [verify, getOrder, refund],
  flows: [{ title: "Help with an order", steps: [{ id: "help", prompt: "Help", until: () => false }] }],
  policies: [
    { tool: "refund", onlyIf: { called: "verify", with: { customer: { argument: "customer" } } } },
    {
      tool: "refund",
      onlyIf: {
        compare: [
          { argument: "amount" },
          "<=",
          // A refund does not change what the order cost, so its result need not be newer than the last refund.
          { result: "get_order", path: "total", with: { order: { argument: "order" } }, ever: true }
        ]
      },
      reason: "a refund is at most what the order cost"
    },
    { tool: "refund", atMost: 1, per: ["order"] }
  ]
})

const wants = understand({ flow: "Help with an order" })
const ada = { customer: "ada", order: "o1" }

/** The answers of the model, message by message. */
const script = [
  [wants, call("refund", { ...ada, amount: 80 }), say("Who are you?")],
  [wants, call("verify", { customer: "ada" }), call("refund", { ...ada, amount: 90 }), say("Which order is it?")],
  [wants, call("get_order", { order: "o1" }), call("refund", { ...ada, amount: 90 }), say("That is too much.")],
  [wants, call("refund", { ...ada, amount: 80 }), say("You get 80 euros.")],
  [wants, call("refund", { ...ada, amount: 80 }), say("You have had it.")]
]

const program = Effect.gen(function*() {
  const agent = yield* make
  for (const message of ["My money back", "I am Ada", "Order o1", "What it cost", "And again"]) {
    const { toolCalls } = yield* agent.respond({ sessionId: "ada", message })
    for (const { outcome, output, toolId } of toolCalls) {
      yield* Console.log(`${message}: ${toolId} ${outcome} ${JSON.stringify(output)}`)
    }
  }
  const { callLog } = yield* agent.session("ada").snapshot
  yield* Console.log(JSON.stringify(callLog?.calls.map(({ args, result, toolId }) => ({ toolId, args, result }))))
})

await Effect.runPromise(program.pipe(Effect.provide([ScriptedModel.layer(script), SessionStore.layerMemory])))

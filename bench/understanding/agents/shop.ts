/** A shop: orders, returns, parcels. */
import { Agent } from "coxswain"
import { Schema } from "effect"

export const kit = Agent.define({
  data: Schema.Struct({
    order: Schema.String.pipe(Schema.pattern(/^W\d{5}$/)).annotations({
      description: "the number of the order: W and five digits"
    }),
    item: Schema.String.annotations({ description: "the article, as the customer calls it" }),
    size: Schema.Literal("S", "M", "L", "XL").annotations({ description: "the size of a piece of clothing" }),
    colour: Schema.String.annotations({ description: "the colour", dontCare: "any" }),
    quantity: Schema.Int.pipe(Schema.between(1, 20)).annotations({ description: "how many pieces" }),
    reason: Schema.Literal("too small", "too large", "broken", "not wanted").annotations({
      description: "why it is sent back"
    }),
    gift: Schema.Boolean.annotations({ description: "whether it is wrapped as a gift" }),
    email: Schema.String.pipe(Schema.pattern(/^\S+@\S+\.\S+$/)).annotations({ description: "the e-mail address" })
  })
})

const giveBack = kit.tool({
  id: "refund",
  description: "Refund an order",
  parameters: { order: Schema.String },
  isDestructive: true,
  needsApproval: { by: "user" },
  confirmation: ({ order }) => `Shall I refund order ${order}? It cannot be taken back.`,
  handler: ({ order }) => `${order} is refunded`
})

export default kit.make({
  name: "Loom",
  flows: [
    {
      id: "buy",
      title: "Buy clothes",
      when: "the customer wants to buy something",
      requiredFields: ["item", "size", "colour", "quantity"],
      optionalFields: ["gift"],
      steps: [
        { id: "what", collect: ["item"], prompt: "Ask what the customer wants to buy" },
        { id: "how", collect: ["size", "colour", "quantity"], prompt: "Ask for size, colour and quantity" },
        {
          id: "pay",
          reply: "You can pay by card now, or by invoice within 14 days. How do you want to pay?",
          branches: [
            { when: "the customer pays by card", then: "card" },
            { when: "the customer pays by invoice", then: "invoice" },
            { when: "the customer asks for a discount", then: "discount" }
          ]
        },
        { id: "card", reply: "Paid by card.", neverCompletes: true },
        { id: "invoice", reply: "The invoice comes with the parcel.", neverCompletes: true },
        { id: "discount", reply: "There is no discount.", neverCompletes: true }
      ]
    },
    {
      id: "return",
      title: "Send something back",
      when: "the customer wants to send something back",
      requiredFields: ["order", "reason"],
      steps: [
        { id: "which", collect: ["order", "reason"], prompt: "Ask for the order and the reason" },
        {
          id: "run",
          call: giveBack.with(({ data }) => ({ order: data.order ?? "" })),
          then: { ok: "done", failed: "kept" }
        },
        { id: "done", reply: "The money is on its way.", branches: [{ then: { complete: true } }] },
        { id: "kept", reply: "Then nothing changes.", branches: [{ then: { complete: true } }] }
      ]
    },
    {
      id: "parcel",
      title: "Find a parcel",
      when: "the customer asks where a parcel is",
      requiredFields: ["order"],
      reentrant: true,
      steps: [
        { id: "which", collect: ["order"], prompt: "Ask for the number of the order" },
        { id: "tell", reply: "It comes tomorrow." }
      ]
    },
    {
      id: "news",
      title: "Get the newsletter",
      when: "the customer wants the newsletter",
      requiredFields: ["email"],
      steps: [
        { id: "where", collect: ["email"], prompt: "Ask for the e-mail address" },
        { id: "done", reply: "You will hear from us.", neverCompletes: true }
      ]
    }
  ],
  branches: [{
    id: "person",
    when: "the customer asks to talk to a person",
    then: { reply: "I will get a colleague." }
  }]
})

/** A bank: transfers, cards, balances. */
import { Agent } from "coxswain"
import { Schema } from "effect"

export const kit = Agent.define({
  data: Schema.Struct({
    payee: Schema.String.annotations({ description: "the name of who gets the money" }),
    amount: Schema.Number.pipe(Schema.between(0.01, 10_000)).annotations({ description: "the amount in euros" }),
    due: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/)).annotations({
      description: "the day on which the money is sent, as YYYY-MM-DD"
    }),
    purpose: Schema.String.annotations({ description: "what the payee reads beside the amount" }),
    instant: Schema.Boolean.annotations({ description: "whether the money is to arrive within seconds, for a fee" }),
    card: Schema.Literal("debit", "credit").annotations({ description: "which card" }),
    lost: Schema.Literal("lost", "stolen", "damaged").annotations({ description: "what happened to the card" }),
    account: Schema.Literal("current", "savings").annotations({ description: "which account" })
  })
})

const send = kit.tool({
  id: "send_money",
  description: "Send money to a payee",
  parameters: { payee: Schema.String, amount: Schema.Number },
  isDestructive: true,
  needsApproval: { by: "user" },
  confirmation: ({ amount, payee }) => `Shall I send ${amount} euros to ${payee}?`,
  handler: ({ amount, payee }) => `${amount} euros are on their way to ${payee}`
})

export default kit.make({
  name: "Harbour Bank",
  flows: [
    {
      id: "transfer",
      title: "Send money",
      when: "the customer wants to send money to somebody",
      requiredFields: ["payee", "amount"],
      optionalFields: ["due", "purpose", "instant"],
      steps: [
        { id: "who", collect: ["payee"], prompt: "Ask who gets the money" },
        { id: "much", collect: ["amount"], prompt: "Ask for the amount" },
        {
          id: "run",
          call: send.with(({ data }) => ({ payee: data.payee ?? "", amount: data.amount ?? 0 })),
          then: { ok: "sent", failed: "kept" }
        },
        { id: "sent", reply: "It is on its way.", branches: [{ then: { complete: true } }] },
        { id: "kept", reply: "Nothing was sent.", branches: [{ then: { complete: true } }] }
      ]
    },
    {
      id: "block",
      title: "Block a card",
      when: "the customer wants to block a card, or has lost one",
      requiredFields: ["card", "lost"],
      steps: [
        { id: "which", collect: ["card", "lost"], prompt: "Ask which card, and what happened to it" },
        {
          id: "after",
          reply: "The card is blocked. A new one costs ten euros. Do you want one?",
          branches: [
            { when: "the customer wants a new card", then: "ordered" },
            { when: "the customer does not want a new card", then: "none" }
          ]
        },
        { id: "ordered", reply: "The new card comes by post.", neverCompletes: true },
        { id: "none", reply: "Then we leave it there.", neverCompletes: true }
      ]
    },
    {
      id: "balance",
      title: "Tell a balance",
      when: "the customer asks how much is on an account",
      reentrant: true,
      requiredFields: ["account"],
      steps: [
        { id: "which", collect: ["account"], prompt: "Ask which account" },
        { id: "tell", reply: "There are 1,200 euros on it." }
      ]
    },
    {
      id: "loan",
      title: "Ask about a loan",
      when: "the customer asks about a loan",
      reentrant: true,
      steps: [{ id: "tell", reply: "A colleague calls you about loans." }]
    }
  ],
  branches: [
    { id: "person", when: "the customer asks to talk to a person", then: { reply: "I will get a colleague." } },
    { id: "cancel", when: "the customer wants to stop what is under way", then: { abort: "the customer stopped it" } }
  ]
})

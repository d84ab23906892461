/** A travel desk with six flows, for conversations that switch between them. */
import { Agent } from "coxswain"
import { Schema } from "effect"

const trip = { scope: "flow" }

export const Data = Schema.Struct({
  name: Schema.String,
  city: Schema.String,
  date: Schema.String,
  guests: Schema.Int.pipe(Schema.between(1, 8)),
  breakfast: Schema.optional(Schema.Boolean),
  from: Schema.String.annotations(trip),
  to: Schema.String.annotations(trip),
  time: Schema.String.annotations({ ...trip, dontCare: "any time" }),
  amount: Schema.Number.annotations(trip),
  payee: Schema.String.annotations(trip)
})

const kit = Agent.define({ data: Data })

const hotel = kit.flow({
  id: "hotel",
  title: "Hotel",
  when: "a room",
  requiredFields: ["city", "date"],
  optionalFields: ["guests"],
  onCorrect: "update",
  steps: [
    { id: "city", prompt: "Which city?", collect: ["city"] },
    { id: "date", prompt: "Which day?", collect: ["date"] },
    { id: "breakfast", prompt: "With breakfast?", collect: ["breakfast"] },
    {
      id: "sure",
      prompt: "Shall I book?",
      until: () => false,
      branches: [{ when: "yes", then: "booked" }, { when: "no", then: { abort: "not wanted" } }]
    },
    { id: "booked", reply: "Booked.", branches: [{ then: { complete: true } }] }
  ]
})

const taxi = kit.flow({
  id: "taxi",
  title: "Taxi",
  when: "a taxi",
  reentrant: true,
  requiredFields: ["from", "to"],
  steps: [
    { id: "from", prompt: "From where?", collect: ["from"] },
    { id: "to", prompt: "Where to?", collect: ["to"] },
    { id: "time", prompt: "When?", collect: ["time"] },
    { id: "sent", prompt: "The taxi comes" }
  ]
})

const transfer = kit.flow({
  id: "transfer",
  title: "Transfer",
  when: "send money",
  reentrant: true,
  onInterrupt: (_, next) => next.id === "taxi" ? "drop" : "suspend",
  steps: [
    { id: "payee", prompt: "To whom?", collect: ["payee"] },
    { id: "amount", prompt: "How much?", collect: ["amount"] },
    {
      id: "size",
      auto: true,
      dependsOn: ["amount"],
      branches: [{ if: ({ data }) => (data.amount ?? 0) > 1000, then: "call" }, { then: "sure" }]
    },
    {
      id: "call",
      prompt: "Your name, for the call back?",
      collect: ["name"],
      branches: [{ then: { complete: true } }]
    },
    {
      id: "sure",
      prompt: "Send it?",
      until: () => false,
      branches: [{ when: "yes", then: "sent" }, { when: "no", then: { abort: "not confirmed" } }]
    },
    { id: "sent", reply: "MONEY SENT", branches: [{ then: { complete: true } }] }
  ]
})

const balance = kit.flow({
  id: "balance",
  title: "Balance",
  when: "the balance",
  reentrant: "keep",
  steps: [{
    id: "more",
    prompt: "It is 100. Anything else on it?",
    until: () => false,
    branches: [{ when: "no", then: { complete: true } }, { when: "yes", then: { reply: "A statement is on its way." } }]
  }]
})

const weather = kit.flow({
  id: "weather",
  title: "Weather",
  when: "the weather",
  reentrant: "keep",
  optionalFields: ["city"],
  steps: [{ id: "tell", prompt: "Sunny" }]
})

const complaint = kit.flow({
  id: "complaint",
  title: "Complaint",
  when: "a complaint",
  onInterrupt: "complete",
  steps: [
    { id: "what", prompt: "What happened?", until: () => false, branches: [{ when: "told", then: "sorry" }] },
    { id: "sorry", prompt: "Sorry" }
  ],
  branches: [{ id: "calm", when: "never mind", then: { abort: "never mind" } }]
})

export const desk = kit.make({
  name: "Desk",
  flows: [hotel, taxi, transfer, balance, weather, complaint],
  branches: [
    { id: "stop", when: "cancel", then: { abort: "cancelled" } },
    { id: "all", when: "forget it all", then: { abort: { reason: "all of it", stack: true } } },
    { id: "done", when: "done", then: { complete: true } },
    { id: "person", when: "a person", then: { reply: "I will get someone." } }
  ]
})

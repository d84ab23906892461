/** The parts of the conversations S1 to S8 of the bench: imports `coxswain` alone, so that they run on any checkout of it. */
import { Agent } from "coxswain"
import { Schema } from "effect"

export const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, checkIn: Schema.String, guests: Schema.Int.pipe(Schema.between(1, 8)) })
})

export const booking = kit.flow({
  title: "Booking",
  requiredFields: ["city", "checkIn", "guests"],
  steps: [
    { id: "city", collect: ["city"], prompt: "Ask where to" },
    { id: "checkIn", collect: ["checkIn"], prompt: "Ask when" },
    { id: "guests", collect: ["guests"], prompt: "Ask how many" },
    { id: "confirm", prompt: "Confirm the booking" }
  ]
})

export const topics = ["Billing", "Delivery", "Returns", "Warranty", "Opening hours"].map((title) =>
  kit.flow({
    title,
    when: `the customer asks about ${title.toLowerCase()}`,
    steps: [
      { id: "a", prompt: `Explain ${title}` },
      { id: "b", prompt: "Give an example" },
      { id: "c", prompt: "Close" }
    ]
  })
)

export const branching = kit.flow({
  ...topics[0]!,
  steps: [
    {
      id: "a",
      prompt: "Explain",
      branches: [
        { when: "the customer wants an invoice", then: "b" },
        { when: "the customer disputes a charge", then: "c" },
        { when: "the customer wants to pay", then: "c" }
      ]
    },
    { id: "b", prompt: "Send the invoice" },
    { id: "c", prompt: "Close" }
  ]
})

const signal = (phase: "pre" | "post") => (_: unknown, i: number) => ({
  id: `${phase}${i}`,
  phase,
  when: `${phase} condition ${i}`,
  handler: () => undefined
})

export const signals = [...Array.from({ length: 12 }, signal("pre")), ...Array.from({ length: 4 }, signal("post"))]

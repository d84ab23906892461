/** A small agent for the tests of the testing kit: a booking with a payment, and a digression. */
import { Agent } from "coxswain"
import { Schema } from "effect"

export const Data = Schema.Struct({
  city: Schema.String,
  guests: Schema.Int.pipe(Schema.between(1, 8)),
  day: Schema.Date
})

export const kit = Agent.define({ data: Data })

const pay = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number },
  needsApproval: ({ euros }) => euros > 100,
  handler: ({ euros }) => `paid ${euros}`
})

export const booking = kit.flow({
  title: "Booking",
  when: "the guest wants a room",
  requiredFields: ["city", "guests"],
  optionalFields: ["day"],
  steps: [
    { id: "city", prompt: "Ask which city", collect: ["city"] },
    { id: "guests", prompt: "Ask how many guests", collect: ["guests"] },
    {
      id: "offer",
      prompt: "Offer a room",
      until: () => false,
      branches: [{ when: "the guest agrees", then: "thanks" }]
    },
    { id: "thanks", prompt: "Thank the guest" }
  ]
})

export const hours = kit.flow({
  title: "Opening hours",
  when: "the guest asks when we are open",
  reentrant: true,
  steps: [{ description: "Tell the hours!", reply: "We are open from 7 to 23." }]
})

export const definition = kit.agent({ name: "Desk", flows: [booking, hours], tools: [pay] })

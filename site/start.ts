import { Agent } from "coxswain"
import { Schema } from "effect"

const city = Schema.Literal("Lisbon", "Porto")
const guests = Schema.Int.pipe(Schema.between(1, 4))
  .annotations({ description: "the number of guests" })
export const agent = Agent.define({ data: Schema.Struct({ city, guests }) }).make({
  name: "Harbour Hotel",
  flows: [{
    title: "Book a room",
    when: "the guest wants a room",
    steps: [
      { id: "stay", collect: ["city", "guests"], prompt: "Ask for the stay" },
      {
        id: "booked",
        reply: ({ data }) => `A room in ${data.city} for ${data.guests} is yours.`
      }
    ]
  }, {
    title: "Parking",
    when: "the guest asks about parking",
    reentrant: true,
    steps: [{ id: "free", reply: "Parking is free for guests." }]
  }]
})

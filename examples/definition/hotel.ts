/** The definition of a hotel's agent, apart from its code: the server and the browser's client both import it. */
import * as Definition from "coxswain/definition"
import { Schema } from "effect"

const kit = Definition.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city to stay in" }),
    guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ description: "number of guests" }),
    price: Schema.Number.annotations({ extract: "never" })
  }),
  events: { "order.paid": Schema.Struct({ euros: Schema.Number }) }
})

const findPrice = kit.tool({
  id: "find_price",
  description: "Finds the price of a room",
  parameters: { city: Schema.String, guests: Schema.Int },
  success: Schema.Struct({ euros: Schema.Number })
})

export const Hotel = kit.agent({
  name: "Hotel",
  on: { "order.paid": { hook: "thank" } },
  flows: [{
    title: "Book a room",
    optionalFields: ["price"],
    if: { predicate: "isOpen" },
    steps: [
      { id: "ask", collect: ["city", "guests"], prompt: "Ask for what is missing" },
      {
        id: "price",
        requires: ["city", "guests"],
        call: findPrice.with(({ data }) => ({ city: data.city, guests: data.guests })),
        bind: { price: "euros" }
      },
      {
        id: "done",
        reply: ({ data }) => `A room in ${data.city} for ${data.guests} is yours, for ${data.price} euros.`
      }
    ]
  }]
})

/** The reception of a small restaurant: books tables, and says when it is open. */
import { Agent } from "coxswain"
import { Schema } from "effect"

/** The fields that the conversation collects. A value that breaks its Schema is refused, and asked for again. */
const Booking = Schema.Struct({
  day: Schema.String.annotations({ description: "the day of the visit, as YYYY-MM-DD" }),
  guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ description: "how many people come" }),
  name: Schema.String.annotations({ description: "the name of the person who books" })
})

export const kit = Agent.define({ data: Booking })

const booking = kit.flow({
  title: "Booking",
  example: "A table for two tomorrow, please",
  when: "the guest wants to book a table",
  steps: [
    { id: "visit", prompt: "Ask for the day and the number of guests", collect: ["day", "guests"] },
    { id: "name", prompt: "Ask for the name", collect: ["name"] },
    {
      id: "booked",
      reply: ({ data }) => `A table for ${data.guests} on ${data.day}, for ${data.name}. See you then!`
    }
  ]
})

const openingHours = kit.flow({
  title: "Opening hours",
  example: "When are you open?",
  when: "the guest asks about opening hours, or when we are open",
  reentrant: true,
  steps: [{ id: "tell", reply: "We are open from 17 to 23, every day but Monday." }]
})

export const desk = kit.agent({
  name: "Desk",
  goal: "Book tables and say when we are open",
  persona: "You are the friendly and brief host of a small restaurant.",
  flows: [booking, openingHours]
})

// The command line provides a model and a store. To bring your own, provide them here:
// kit.make(desk).pipe(Effect.provide(OpenAi.layer({ model: "…" }))), from "coxswain/layers/openai" (npm install @effect/ai-openai@0.41).
// On several machines: coxswain serve --cluster, or in code Cluster.layer(Tag, kit, desk) from "coxswain/layers/cluster".
export default kit.make(desk)

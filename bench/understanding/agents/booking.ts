/** A hotel: rooms, taxis, opening hours. */
import { Agent } from "coxswain"
import { Schema } from "effect"

const Day = Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/))

export const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city of the hotel" }),
    arrival: Day.annotations({ description: "the day of arrival, as YYYY-MM-DD" }),
    nights: Schema.Int.pipe(Schema.between(1, 30)).annotations({ description: "the number of nights" }),
    guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({
      description: "the number of guests, children included"
    }),
    room: Schema.Literal("single", "double", "suite").annotations({ description: "the kind of room" }),
    breakfast: Schema.Boolean.annotations({ description: "whether breakfast is wanted" }),
    pickup: Schema.String.pipe(Schema.pattern(/^\d{2}:\d{2}$/)).annotations({
      description: "when the taxi is to come, as HH:MM in 24 hours"
    }),
    reference: Schema.String.pipe(Schema.pattern(/^[A-Z]{2}\d{4}$/)).annotations({
      description: "the reference of a booking: two letters and four digits, such as AB1234"
    })
  })
})

const cancelRoom = kit.tool({
  id: "cancel_room",
  description: "Cancel a booking",
  parameters: { reference: Schema.String },
  needsApproval: { by: "user" },
  confirmation: ({ reference }) => `Shall I cancel the booking ${reference}?`,
  handler: ({ reference }) => `${reference} is cancelled`
})

export default kit.make({
  name: "Harbour Hotels",
  flows: [
    {
      id: "booking",
      title: "Book a room",
      when: "the guest wants to book a room",
      requiredFields: ["city", "arrival", "nights", "guests"],
      optionalFields: ["room", "breakfast"],
      steps: [
        { id: "stay", collect: ["city", "arrival"], prompt: "Ask for the city and the day of arrival" },
        { id: "party", collect: ["nights", "guests"], prompt: "Ask for the number of nights and of guests" },
        {
          id: "offer",
          reply: "The lake room is 120 euros a night, the garden room 90. Shall I book the lake room?",
          branches: [
            { when: "the guest accepts the lake room", then: "booked" },
            { when: "the guest prefers the garden room", then: "garden" },
            { when: "the guest asks for something cheaper than both rooms", then: "cheaper" }
          ]
        },
        { id: "booked", reply: "The lake room is yours.", neverCompletes: true },
        { id: "garden", reply: "The garden room is yours.", neverCompletes: true },
        { id: "cheaper", reply: "There is nothing cheaper.", neverCompletes: true }
      ]
    },
    {
      id: "cancel",
      title: "Cancel a booking",
      when: "the guest wants to cancel a booking",
      requiredFields: ["reference"],
      steps: [
        { id: "which", collect: ["reference"], prompt: "Ask for the reference of the booking" },
        {
          id: "run",
          call: cancelRoom.with(({ data }) => ({ reference: data.reference ?? "" })),
          then: { ok: "gone", failed: "kept" }
        },
        { id: "gone", reply: "It is cancelled.", branches: [{ then: { complete: true } }] },
        { id: "kept", reply: "It stays booked.", branches: [{ then: { complete: true } }] }
      ]
    },
    {
      id: "taxi",
      title: "Order a taxi",
      when: "the guest wants a taxi",
      requiredFields: ["pickup"],
      steps: [
        { id: "when", collect: ["pickup"], prompt: "Ask when the taxi is to come" },
        { id: "ordered", reply: "The taxi is ordered.", neverCompletes: true }
      ]
    },
    {
      id: "hours",
      title: "Opening hours",
      when: "the guest asks when the reception is open",
      reentrant: true,
      steps: [{ id: "tell", reply: "The reception is open from 7 to 23." }]
    }
  ],
  branches: [{ id: "person", when: "the guest asks to talk to a person", then: { reply: "I will get a colleague." } }]
})

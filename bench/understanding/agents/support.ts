/** Technical support of an internet provider: faults, moving house, bills. */
import { Agent } from "coxswain"
import { Schema } from "effect"

export const kit = Agent.define({
  data: Schema.Struct({
    customer: Schema.String.pipe(Schema.pattern(/^\d{6}$/)).annotations({
      description: "the customer number, six digits"
    }),
    device: Schema.Literal("router", "television", "telephone").annotations({ description: "the device that fails" }),
    since: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/)).annotations({
      description: "the day since which it fails, as YYYY-MM-DD"
    }),
    lights: Schema.Int.pipe(Schema.between(0, 5)).annotations({ description: "how many lights of the device are on" }),
    restarted: Schema.Boolean.annotations({ description: "whether the customer has restarted the device" }),
    zip: Schema.String.pipe(Schema.pattern(/^\d{5}$/)).annotations({ description: "the zip code of the new home" }),
    moving: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/)).annotations({
      description: "the day of moving, as YYYY-MM-DD"
    }),
    phone: Schema.String.pipe(Schema.pattern(/^\+?\d{7,15}$/)).annotations({
      description: "a phone number for calling back, digits only"
    })
  })
})

const reset = kit.tool({
  id: "reset_line",
  description: "Reset the customer's line; all connections break for ten minutes",
  parameters: { customer: Schema.String },
  needsApproval: { by: "user" },
  confirmation: ({ customer }) =>
    `Resetting the line of ${customer} breaks all connections for ten minutes. Shall I do it now?`,
  handler: ({ customer }) => `the line of ${customer} is reset`
})

export default kit.make({
  name: "Northnet support",
  flows: [
    {
      id: "fault",
      title: "Report a fault",
      when: "the customer says that a device or the connection does not work",
      requiredFields: ["device", "since", "restarted"],
      optionalFields: ["lights", "phone"],
      steps: [
        { id: "what", collect: ["device", "since"], prompt: "Ask which device fails and since when" },
        { id: "tried", collect: ["restarted"], prompt: "Ask whether the device was restarted" },
        {
          id: "next",
          reply: "A technician can come on Monday, or you change the device in our shop. Which do you prefer?",
          branches: [
            { when: "the customer wants the technician", then: "technician" },
            { when: "the customer wants to go to the shop", then: "shop" },
            { when: "the customer says that it works again", then: "works" }
          ]
        },
        { id: "technician", reply: "The technician comes on Monday.", neverCompletes: true },
        { id: "shop", reply: "The shop is in Mill Lane.", neverCompletes: true },
        { id: "works", reply: "Good.", neverCompletes: true }
      ]
    },
    {
      id: "reset",
      title: "Reset the line",
      when: "the customer asks for a reset of the line",
      requiredFields: ["customer"],
      steps: [
        { id: "who", collect: ["customer"], prompt: "Ask for the customer number" },
        {
          id: "run",
          call: reset.with(({ data }) => ({ customer: data.customer ?? "" })),
          then: { ok: "done", failed: "left" }
        },
        { id: "done", reply: "The line is reset.", branches: [{ then: { complete: true } }] },
        { id: "left", reply: "The line stays as it is.", branches: [{ then: { complete: true } }] }
      ]
    },
    {
      id: "move",
      title: "Move house",
      when: "the customer moves and wants to take the contract along",
      requiredFields: ["zip", "moving"],
      steps: [
        {
          id: "where",
          collect: ["zip", "moving"],
          prompt: "Ask for the zip code of the new home and the day of moving"
        },
        { id: "noted", reply: "Your move is noted.", neverCompletes: true }
      ]
    },
    {
      id: "bill",
      title: "Explain a bill",
      when: "the customer has a question about a bill",
      reentrant: true,
      steps: [{ id: "explain", reply: "Each item of a bill is explained on its second page." }]
    }
  ],
  signals: [{ id: "angry", when: "the customer is angry or insults", phase: "pre", handler: () => undefined }],
  branches: [
    { id: "person", when: "the customer asks to talk to a person", then: { reply: "I will get a colleague." } }
  ]
})

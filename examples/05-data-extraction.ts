/**
 * Taking data out of messages: texts, numbers, dates, lists and nested values, each checked by its Schema; what is
 * corrected, added, taken back or refused.
 *
 * The model is scripted, so that this runs offline; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Console, Effect, Schema } from "effect"
import { model } from "./model.js"

const { say, understand } = ScriptedModel

const Item = Schema.Struct({ item: Schema.String, count: Schema.Int.pipe(Schema.between(1, 20)) })

const kit = Agent.define({
  data: Schema.Struct({
    items: Schema.Array(Item).annotations({ description: "what to bring", merge: "by:item" }),
    address: Schema.Struct({ street: Schema.String, zip: Schema.String.pipe(Schema.pattern(/^\d{5}$/)) }).annotations({
      description: "where to deliver; the zip code has five digits"
    }),
    day: Schema.Date.annotations({ description: "the day of the delivery" }),
    // Any day will do, if the customer says so.
    slot: Schema.Literal("morning", "evening").annotations({ dontCare: "evening" })
  })
})

const delivery = kit.make({
  name: "Delivery",
  flows: [{
    title: "Order",
    steps: [
      { id: "items", prompt: "Ask what to bring", collect: ["items"] },
      { id: "where", prompt: "Ask where to deliver, and when", collect: ["address", "day", "slot"] },
      { id: "done", prompt: "Read the order back", until: () => false }
    ]
  }]
})

/** The understanding and the words of the model; a real model reads the same messages. */
const script = ScriptedModel.layer({
  "Two burgers and a coke, on 3 May": [
    understand({ fields: { items: [{ item: "burger", count: 2 }, { item: "coke", count: 1 }], day: "2027-05-03" } }),
    say("Where to, and in the morning or in the evening?")
  ],
  "Make that one burger, and to Main Street 5, zip 123": [
    understand({
      fields: { items: [{ item: "burger", count: 1 }], address: { street: "Main Street 5", zip: "123" } }
    }),
    say("What is the zip code? It has five digits.")
  ],
  "12345, sorry. When is all the same to me": [
    understand({ fields: { address: { zip: "12345" } }, dontCare: ["slot"] }),
    say("A burger and a coke to Main Street 5, on the evening of 3 May.")
  ],
  "Not on that day, I have to think": [
    understand({ withdrawn: ["day"] }),
    say("On which day, then?")
  ]
})

const program = Effect.gen(function*() {
  const agent = yield* delivery
  for (
    const message of [
      "Two burgers and a coke, on 3 May",
      "Make that one burger, and to Main Street 5, zip 123",
      "12345, sorry. When is all the same to me",
      "Not on that day, I have to think"
    ]
  ) {
    const { cleared, rejected, ...response } = yield* agent.respond({ sessionId: "ann", message })
    yield* Console.log(`> ${message}\n${response.message}`)
    yield* Console.log(`  known: ${JSON.stringify(response.session.data)}`)
    for (const { field, message } of rejected) yield* Console.log(`  refused: ${field}, ${message.split("\n").at(-1)}`)
    if (cleared.length > 0) yield* Console.log(`  taken back: ${cleared.join(", ")}`)
  }
})

program.pipe(Effect.provide([model(script), SessionStore.layerMemory]), Effect.runPromise)

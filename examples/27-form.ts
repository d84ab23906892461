/** A step as a form: a page draws what is still needed, and what is filled in costs no model call to understand. */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ title: "Where to", choices: ["Lisbon", "Porto"] }),
    guests: Schema.Int.pipe(Schema.between(1, 4))
  })
})

const hotel = kit.make({
  name: "Hotel",
  flows: [{
    title: "Booking",
    description: "Book a room",
    steps: [
      { description: "Your stay", prompt: "Ask where to, and for how many", collect: ["city", "guests"] },
      { reply: ({ data }) => `A room in ${data.city} for ${data.guests}.`, choices: ["Thank you"] }
    ]
  }]
})

const program = Effect.gen(function*() {
  const agent = yield* hotel
  const asked = yield* agent.respond({ sessionId: "u1", message: "I need a room" })
  yield* Console.log("The page draws:", asked.expects?.title)
  for (const [name, { suggestions = [], title }] of Object.entries(asked.expects?.properties ?? {})) {
    yield* Console.log(`- ${title} (${name})`, ...suggestions.map(({ label }) => `[${label}]`))
  }

  const wrong = yield* agent.respond({ sessionId: "u1", values: { city: "Porto", guests: 9 } })
  yield* Console.log("Refused:", wrong.rejected.map(({ field, value }) => `${field} ${String(value)}`).join(", "))
  yield* Console.log("Still needed:", wrong.expects?.required.join(", "))

  const done = yield* agent.respond({ sessionId: "u1", values: { guests: 2 } })
  yield* Console.log(done.message)
  yield* Console.log("Model calls of the last turn:", done.usage.modelCalls)
  yield* Console.log("Buttons:", done.expects?.suggestions?.map(({ label }) => label).join(", "))
})

await Effect.runPromise(program.pipe(Effect.provide([model(Offline.layer), SessionStore.layerMemory])))

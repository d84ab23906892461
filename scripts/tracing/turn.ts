/** The turn that is traced: a booking of which the message states all values. */
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"

const message = "A room in Lisbon for two"

const booking = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int.pipe(Schema.between(1, 8)) })
}).make({
  name: "Hotel",
  flows: [
    {
      title: "Book",
      requiredFields: ["city", "guests"],
      steps: [
        { id: "ask", collect: ["city", "guests"], prompt: "Ask for what is missing" },
        { id: "confirm", reply: ({ data }) => `A room in ${data.city} for ${data.guests} is yours.` }
      ]
    },
    { title: "Hours", when: ["asks for hours"], steps: [{ id: "hours", prompt: "Tell the hours" }] }
  ]
})

const { sayTask, understand } = ScriptedModel
const script = ScriptedModel.layer({
  [message]: [understand({ flow: "book", fields: { city: "Lisbon", guests: 2 } }), sayTask]
})

/** Runs the turn once without and once with a record of its calls, and returns the record of the second. */
export const traced = (record: { [name: string]: Array<string> | undefined }, calls: string) =>
  Effect.gen(function*() {
    const agent = yield* booking
    yield* agent.respond({ sessionId: "first", message })
    const log: Array<string> = []
    record[calls] = log
    yield* agent.respond({ sessionId: "second", message })
    record[calls] = undefined
    return log
  }).pipe(Effect.provide([script, SessionStore.layerMemory]), Effect.runPromise)

/** The agent speaks first; a button says what is wanted, so that no model is asked; and the last step stays for what follows. */
import { Agent, SessionStore, type TurnResponse } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({
  data: Schema.Struct({ day: Schema.Literal("Friday", "Saturday"), guests: Schema.Int.pipe(Schema.between(1, 8)) })
})

const restaurant = kit.make({
  name: "Restaurant",
  // `begin` enters this one.
  initialFlow: "welcome",
  flows: [
    {
      title: "Welcome",
      steps: [{ reply: "Good evening! A table, or a question?", choices: ["A table", "A question"] }]
    },
    {
      title: "Table",
      when: "the guest wants a table",
      steps: [
        { id: "when", prompt: "Ask for the day and for how many", collect: ["day", "guests"] },
        // Without `neverCompletes` the flow would be over with these words, and nothing would be in progress.
        { id: "booked", reply: ({ data }) => `A table for ${data.guests} on ${data.day}.`, neverCompletes: true }
      ]
    }
  ]
})

const tell = <D>(who: string, { message, session, usage }: TurnResponse.TurnResponse<D>) =>
  Console.log(`${who}\n${message}\n  [in ${session.currentFlow?.id ?? "no flow"}, ${usage.modelCalls} model calls]`)

const program = Effect.gen(function*() {
  const agent = yield* restaurant
  yield* tell("(the page opens)", yield* agent.begin("u1"))
  yield* tell(
    "(a button) A table for four",
    yield* agent.respond({
      sessionId: "u1",
      message: "A table for four",
      understood: { flow: "table", values: { guests: 4 } }
    })
  )
  yield* tell("> On Friday", yield* agent.respond({ sessionId: "u1", message: "On Friday" }))
  yield* tell("> Make that Saturday", yield* agent.respond({ sessionId: "u1", message: "Make that Saturday" }))
})

program.pipe(
  Effect.provide([model(Offline.layer), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

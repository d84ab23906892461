/**
 * A person takes over: a signal gives the floor away, a colleague speaks, the agent goes on where it was.
 *
 * The model is the offline one, so that this runs anywhere; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, HandOver, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({ data: Schema.Struct({ order: Schema.Literal("4711", "4712") }) })

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Shop",
    branches: [{
      if: ({ message }) => /\b(person|human|somebody)\b/i.test(message),
      then: { handOff: "person", reason: "asked for one", reply: "I am getting a colleague." }
    }],
    flows: [{
      title: "Complaint",
      steps: [
        { id: "order", description: "Ask which order it is about", collect: ["order"] },
        { id: "thanks", reply: ({ data }) => `We look into order ${data.order}.` }
      ]
    }]
  })
  const user = (message: string) =>
    Effect.flatMap(
      agent.respond({ sessionId: "u1", message }),
      (response) =>
        Console.log(`user: ${message}\nagent: ${response.message || "(silent)"} [${response.stoppedReason}]`)
    )

  yield* user("My lamp is broken")
  yield* user("I want to talk to a person")

  // What the colleague's desk does. Whoever speaks first has the floor.
  const { handOver } = yield* agent.say("u1", "Ben here. Is the shade broken, or the foot?", { by: "ben" })
  yield* Console.log(`desk: ${HandOver.idOf(handOver!.by!)} has the floor, ${handOver!.reason}`)
  yield* user("The foot")
  yield* agent.say("u1", "You get a new one. Tell us the order, please.", { by: "ben" })
  yield* agent.release("u1")

  yield* user("order number 4711")
  const history = yield* agent.session("u1").history
  yield* Console.log(`said by ben: ${history.filter((message) => HandOver.saidBy(message) === "ben").length}`)
})

program.pipe(Effect.provide([model(Offline.layer), SessionStore.layerMemory]), Effect.runPromise)

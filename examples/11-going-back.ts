/**
 * Going back: a guest says something else than before, and somebody looks at what would have come of a third answer.
 *
 * Run it: `npx tsx examples/11-going-back.ts`
 */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Schema } from "effect"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, guests: Schema.Int }) })

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Hotel",
    // Keeps the session as it stood at the end of each of the last twenty turns.
    snapshots: { keep: 20 },
    flows: [{
      title: "Booking",
      steps: [
        { id: "city", prompt: "Ask for the city", collect: ["city"] },
        { id: "guests", prompt: "Ask for how many guests", collect: ["guests"] },
        { id: "done", reply: ({ data }) => `A room in ${data.city} for ${data.guests}.` }
      ]
    }]
  })
  const say = (sessionId: string, message: string) =>
    Effect.tap(
      agent.respond({ sessionId, message }),
      (response) => Console.log(`${sessionId} > ${message}\n${response.message}`)
    )

  yield* say("ann", "A room in Lisbon")
  yield* say("ann", "2 guests")

  const { turns = [] } = yield* agent.session("ann").snapshot
  for (const { said, turn } of turns) yield* Console.log(`turn ${turn}: ${said}`)

  // What if they had been four? The copy is a session of its own.
  const copy = yield* agent.fork("ann", { toTurn: 1, as: "ann-four" })
  yield* Console.log(`${copy.id} knows ${JSON.stringify(copy.data)}`)
  yield* say("ann-four", "4 guests")

  // Ann goes back herself: what she said since is no longer part of the conversation.
  const session = yield* agent.rewind("ann", { toTurn: 1 })
  yield* Console.log(`ann is back at ${session.currentStep?.id}, with ${JSON.stringify(session.data)}`)
  yield* say("ann", "3 guests")

  const refused = yield* Effect.flip(agent.rewind("ann", { toTurn: 9 }))
  yield* Console.log(refused.message)
})

program.pipe(Effect.provide([Offline.layer, SessionStore.layerMemory]), Effect.runPromise)

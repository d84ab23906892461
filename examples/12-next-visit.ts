/**
 * What a restaurant remembers of its guests: a value that is kept by user is known in the next session, and is erased with the user.
 *
 * Run it: `npx tsx examples/12-next-visit.ts`
 */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Effect, Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({
    diet: Schema.Literal("vegan", "vegetarian", "anything").annotations({
      description: "what the guest eats",
      scope: "user"
    }),
    guests: Schema.Int.annotations({ description: "the number of guests" })
  })
})

const program = Effect.gen(function*() {
  const agent = yield* kit.make({
    name: "Restaurant",
    flows: [{
      title: "Table",
      reentrant: true,
      steps: [
        { id: "guests", prompt: "Ask for how many guests", collect: ["guests"] },
        { id: "diet", prompt: "Ask for the diet: vegan, vegetarian or anything", collect: ["diet"] },
        { id: "done", reply: ({ data }) => `A table for ${data.guests}, ${data.diet}.` }
      ]
    }]
  })
  const say = (sessionId: string, userId: string, message: string) =>
    Effect.tap(
      agent.respond({ sessionId, message, principal: { userId } }),
      (response) => Console.log(`${sessionId}, ${userId} > ${message}\n${response.message}`)
    )

  yield* say("monday", "ann", "A table for 2 guests")
  yield* say("monday", "ann", "vegan")

  // Another session of the same user: nobody asks for the diet.
  yield* say("friday", "ann", "A table for 4 guests")
  const bobs = yield* say("friday-2", "bob", "A table for 3 guests")
  yield* Console.log(`bob's session knows ${JSON.stringify(bobs.session.data)}`)

  // What the user corrects here, the other sessions know at their next turn.
  yield* say("friday", "ann", "vegetarian, please")
  yield* say("monday", "ann", "A table for 5 guests")

  const { sessions } = yield* agent.erase("ann")
  yield* Console.log(`erased: ${sessions.length}, two sessions and what was kept of the user`)
  const { session } = yield* say("sunday", "ann", "A table for 2 guests")
  yield* Console.log(`ann's new session knows ${JSON.stringify(session.data)}`)
})

program.pipe(Effect.provide([Offline.layer, SessionStore.layerMemory]), Effect.runPromise)

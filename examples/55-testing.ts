/** Testing one's own agent: a dialogue that holds, and what is printed of one that does not. No test runner is needed. */
import { Agent, SessionStore } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"

const { sayTask, understand } = ScriptedModel

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int.pipe(Schema.between(1, 8)) })
})

const desk = kit.agent({
  name: "Desk",
  flows: [{
    title: "Booking",
    when: "the guest wants a room",
    steps: [
      { id: "stay", prompt: "Ask for the city and the guests", collect: ["city", "guests"] },
      { id: "confirm", prompt: "Confirm the booking" }
    ]
  }, {
    title: "Opening hours",
    when: "the guest asks when we are open",
    reentrant: true,
    steps: [{ id: "tell", reply: "We are open from 7 to 23." }]
  }]
})

const digression = Effect.gen(function*() {
  const talk = yield* Conversation.make(yield* kit.make(desk), { definition: desk })
  yield* talk.user("A room in Lisbon", understand({ flow: "booking", fields: { city: "Lisbon" } }), sayTask)
  yield* talk.expectStep("booking", "stay")
  yield* talk.user("When are you open?", understand({ flow: "opening-hours" }))
  yield* talk.expectReply("We are open from 7 to 23.")
  yield* talk.expectFlow("booking")
  yield* talk.user("We are two", understand({ fields: { guests: 2 } }), sayTask)
  yield* talk.expectStep("booking", "confirm")
  yield* talk.expectData({ city: "Lisbon", guests: 2 })
})

const wrong = Effect.gen(function*() {
  const talk = yield* Conversation.make(yield* kit.make(desk), { definition: desk })
  yield* talk.user("Lisbon for forty", understand({ flow: "booking", fields: { city: "Lisbon", guests: 40 } }), sayTask)
  yield* talk.expectStep("booking", "confirm")
})

const test = (name: string, body: typeof digression) =>
  body.pipe(
    Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory]),
    Effect.matchEffect({
      onSuccess: () => Effect.sync(() => console.log(`passed: ${name}`)),
      onFailure: ({ message }) => Effect.sync(() => console.log(`failed: ${name}\n${message}`))
    })
  )

await Effect.runPromise(Effect.zipRight(test("a digression", digression), test("too many guests", wrong)))

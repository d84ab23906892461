/** Branching: a value decides where a flow goes, then what the user says, then what a function has found. */
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Console, Effect, Schema } from "effect"
import { model } from "./model.js"

const { say, understand } = ScriptedModel

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String,
    guests: Schema.Int.pipe(Schema.between(1, 40)),
    room: Schema.String
  })
})

const free: Readonly<Record<string, string>> = { Lisbon: "a room under the roof" }

const find = kit.tool({
  id: "find_room",
  parameters: { city: Schema.String },
  isReadOnly: true,
  handler: ({ city }) => free[city] ?? Effect.fail(`nothing is free in ${city}`)
})

const hotel = kit.make({
  name: "Hotel",
  flows: [{
    title: "Book a room",
    steps: [
      {
        id: "stay",
        prompt: "Ask for the city and the guests",
        collect: ["city", "guests"],
        branches: [{ if: ({ data }) => (data.guests ?? 0) > 8, then: "group" }, { then: "find" }]
      },
      // What a function finds decides. `bind` writes its result into the data.
      {
        id: "find",
        call: find.with(({ data }) => ({ city: data.city })),
        bind: "room",
        then: { ok: "offer", failed: "none" }
      },
      // What the user says decides. The step waits until one of them holds.
      {
        id: "offer",
        prompt: ({ data }) => `Offer ${data.room}`,
        until: () => false,
        branches: [
          { when: "the guest takes it", then: "booked" },
          { when: ["the guest finds it too dear", "the guest wants another room"], then: "other" }
        ]
      },
      { id: "booked", reply: ({ data }) => `${data.room} is yours.`, ends: true },
      { id: "other", reply: "Then I ask my colleague for another one.", ends: true },
      {
        id: "none",
        reply: ({ data }) => `Nothing is free in ${data.city}. Where else?`,
        finalize: () => ({ goToStep: "stay", clear: ["city"] })
      },
      { id: "group", reply: "For groups we call you back.", ends: true }
    ]
  }]
})

const script = ScriptedModel.layer({
  "Ten of us want to come to Porto": [understand({ fields: { city: "Porto", guests: 10 }, conditions: [] })],
  "Porto, for two": [understand({ fields: { city: "Porto", guests: 2 }, conditions: [] })],
  "Lisbon then": [understand({ fields: { city: "Lisbon" }, conditions: [] }), say("There is a room under the roof.")],
  "What does one see from there?": [understand({ conditions: [] }), say("The river. Would you like it?")],
  "That is too much for me": [understand({ conditions: ["the guest finds it too dear"] })]
})

const program = Effect.gen(function*() {
  const agent = yield* hotel
  const say = (sessionId: string, message: string) =>
    Effect.flatMap(agent.respond({ sessionId, message }), ({ executedSteps, ...response }) =>
      Console.log(
        `> ${message}\n${response.message}\n  by way of ${executedSteps.map(({ stepId }) => stepId).join(", ")}`
      ))
  yield* say("ann", "Ten of us want to come to Porto")
  yield* say("bob", "Porto, for two")
  yield* say("bob", "Lisbon then")
  yield* say("bob", "What does one see from there?")
  yield* say("bob", "That is too much for me")
})

program.pipe(Effect.provide([model(script), SessionStore.layerMemory]), Effect.runPromise)

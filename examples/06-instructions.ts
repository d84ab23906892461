/**
 * Instructions: rules for the model at three scopes, some only under a condition; the response says which applied.
 *
 * The model is scripted, so that this runs offline; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Console, Effect, Schema } from "effect"
import { model } from "./model.js"

const { say, understand } = ScriptedModel

const kit = Agent.define({
  data: Schema.Struct({ dish: Schema.String }),
  context: Schema.Struct({ tier: Schema.Literal("standard", "gold") })
})

const restaurant = kit.make({
  name: "Waiter",
  // Everywhere. A string is a `must`.
  instructions: [
    "Answer in one or two short sentences.",
    // In words: the model applies it itself, which costs no call.
    {
      id: "allergy",
      kind: "must",
      text: "say that the kitchen will call back",
      when: "the guest speaks of an allergy"
    },
    // In code: the model never hears of it otherwise.
    {
      id: "gold",
      kind: "should",
      text: "offer a glass of wine on the house",
      if: ({ context }) => context.tier === "gold"
    }
  ],
  flows: [{
    title: "Order",
    // In this flow.
    instructions: [{ id: "prices", kind: "never", text: "name a price" }],
    steps: [
      { id: "dish", prompt: "Ask what to bring", collect: ["dish"] },
      // At this step.
      {
        id: "thanks",
        prompt: "Thank the guest",
        instructions: [{ id: "wait", text: "Say that it takes twenty minutes." }]
      }
    ]
  }]
})

const script = ScriptedModel.layer({
  "Good evening": [understand({}), say("Good evening! What may I bring?")],
  "The risotto, please": [understand({ fields: { dish: "risotto" } }), say("Thank you. It takes twenty minutes.")]
})

const program = Effect.gen(function*() {
  const agent = yield* restaurant
  for (
    const [sessionId, message, tier] of [
      ["ann", "Good evening", "standard"],
      ["bob", "Good evening", "gold"],
      ["bob", "The risotto, please", "gold"]
    ] as const
  ) {
    const { appliedInstructions, ...response } = yield* agent.respond({ sessionId, message, context: { tier } })
    yield* Console.log(`> ${message} (${sessionId}, ${tier})\n${response.message}`)
    yield* Console.log(`  rules: ${appliedInstructions.map(({ id, scope }) => `${id} (${scope})`).join(", ")}`)
  }
})

program.pipe(Effect.provide([model(script), SessionStore.layerMemory]), Effect.runPromise)

import { NodeContext } from "@effect/platform-node"
import { SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect } from "effect"
import { test } from "node:test"
import { fileURLToPath } from "node:url"
import registry from "../registry.js"

const { sayTask, understand } = ScriptedModel

/** Each message stands beside its understanding, so that only the agent itself is tested. */
const talk = Effect.gen(function*() {
  const source = yield* Document.read(fileURLToPath(new URL("../agent.yaml", import.meta.url)))
  return yield* Conversation.make(yield* Document.agent(source, registry))
})

const run = (dialogue: Effect.Effect<void, Error, Effect.Effect.Context<typeof talk>>) => () =>
  Effect.runPromise(Effect.provide(dialogue, [ScriptedModel.layer(), SessionStore.layerMemory, NodeContext.layer]))

test(
  "a question in the middle does not lose the booking",
  run(Effect.gen(function*() {
    const guest = yield* talk
    yield* guest.user(
      "A table on the 12th of March",
      understand({ flow: "booking", fields: { day: "2027-03-12" } }),
      sayTask
    )
    yield* guest.expectStep("booking", "visit")
    yield* guest.user("When are you open?", understand({ flow: "opening-hours" }))
    yield* guest.expectReply("We are open from 17 to 23, every day but Monday.")
    yield* guest.user("Two of us, on the name of Ada", understand({ fields: { guests: 2, name: "Ada" } }))
    yield* guest.expectReply("A table for 2 on 2027-03-12, for Ada. See you then!")
  }))
)

test(
  "forty guests are refused",
  run(Effect.gen(function*() {
    const guest = yield* talk
    yield* guest.user("A table for forty", understand({ flow: "booking", fields: { guests: 40 } }), sayTask)
    yield* guest.expectRejected("guests")
    yield* guest.expectStep("booking", "visit")
  }))
)

/** Job events and withdrawn values in a conversation, without a job runner. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Layer } from "effect"
import { make } from "./Reports.js"

const { sayTask, understand } = ScriptedModel

const layer = Layer.merge(ScriptedModel.layer(), SessionStore.layerMemory)

describe("a `Conversation` in a test of an agent with jobs", () => {
  it.effect("can send a job's progress and completion as events, without a job runner", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* make)
      yield* talk.user("Lisbon", understand({ fields: { city: "Lisbon" } }))
      yield* talk.expectReply(/Is that right\?/)
      yield* talk.user("Yes.")
      yield* talk.expectReply("I am on it.")
      yield* talk.event("report.progress", { chapter: "food" })
      yield* talk.expectReply("I am at food.")
      yield* talk.event("report.completed", { pages: 30 })
      yield* talk.expectReply("It has 30 pages.")
      const { found } = yield* Effect.flip(talk.event("report.completed", { pages: 30 }))
      expect(found).toBe("the jobs none")
    }).pipe(Effect.provide(layer)))

  it.effect("can script that the user withdraws a value", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* make)
      yield* talk.user("Lisbon", understand({ fields: { city: "Lisbon" } }))
      yield* talk.user("Forget the city", understand({ withdrawn: ["city"], conditions: [] }), sayTask)
      yield* talk.expectData({ city: undefined })
      yield* talk.expectStep("city-report", "city")
      const error = yield* Effect.flip(talk.user("Forget it", understand({ withdrawn: ["town" as "city"] })))
      expect(error.expected).toBe("a field \"town\"")
    }).pipe(Effect.provide(layer)))
})

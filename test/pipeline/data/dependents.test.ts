import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const on = (...names: ReadonlyArray<string>) => Schema.String.annotations({ dependsOn: names })

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, hotel: on("city"), room: on("hotel"), name: Schema.String })
})

const trip = {
  title: "Trip",
  steps: [
    { id: "name", prompt: "Ask for the name", collect: ["name"] },
    { id: "city", prompt: "Ask for the city", collect: ["city"] },
    { id: "hotel", prompt: "Ask for the hotel", collect: ["hotel"] },
    { id: "room", prompt: "Ask for the room", collect: ["room"] },
    { id: "pay", prompt: "Ask for the payment", until: () => false }
  ]
} as const

const all = { city: "Lisbon", hotel: "Central", room: "7", name: "Ann" }

const desk = Effect.gen(function*() {
  const stage = yield* Stage.make({
    understand: ({ message }) =>
      ({
        all: { fields: all },
        "Porto instead": { fields: { city: "Porto" } },
        "Porto, the Grand": { fields: { city: "Porto", hotel: "Grand" } },
        "Porto, also Central": { fields: { city: "Porto", hotel: "Central" } },
        "forget the city": { withdrawn: ["city"] },
        "Lisbon, as I said": { fields: { city: "Lisbon" } }
      })[message] ?? {}
  })
  const agent = yield* kit.make({ name: "Trips", flows: [trip] }).pipe(Effect.provide(stage.layer))
  const say = Stage.talk(agent)
  yield* say("all")
  return { ...stage, agent, say }
})

describe("fields that depend on others", () => {
  it.effect("dependent fields are cleared when the other field is corrected, also transitively, and asked for again", () =>
    Effect.gen(function*() {
      const { agent, prompts } = yield* desk
      const turn = yield* agent.session("s1").send("Porto instead")
      const { cleared, executedSteps, session } = yield* turn.response
      expect(session.data).toEqual({ city: "Porto", name: "Ann" })
      expect(cleared).toEqual(["hotel", "room"])
      expect(executedSteps.map(({ stepId }) => stepId)).toEqual(["hotel"])
      expect(prompts.at(-1)!.text).toContain("hotel is asked for again: it depends on \"city\", which has changed")
    }))

  it.effect("dependent fields stay when the correcting message states their values", () =>
    Effect.gen(function*() {
      const { say } = yield* desk
      const { cleared, session } = yield* say("Porto, the Grand")
      expect(session.data).toEqual({ city: "Porto", hotel: "Grand", name: "Ann" })
      expect(cleared).toEqual(["room"])
    }))

  it.effect("dependent fields, direct and transitive, stay when the correcting message repeats their values", () =>
    Effect.gen(function*() {
      const { say } = yield* desk
      const { cleared, session } = yield* say("Porto, also Central")
      expect(session.data).toEqual({ ...all, city: "Porto" })
      expect(cleared).toEqual([])
    }))

  it.effect("dependent fields are cleared when the other field is withdrawn, and stay when its value is repeated", () =>
    Effect.gen(function*() {
      const { say } = yield* desk
      expect((yield* say("Lisbon, as I said")).cleared).toEqual([])
      const { cleared, executedSteps } = yield* say("forget the city")
      expect(cleared).toEqual(["city", "hotel", "room"])
      expect(executedSteps.map(({ stepId }) => stepId)).toEqual(["city"])
    }))

  it.effect("dependent fields are refused by `make` if they form a cycle or depend on unknown fields", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const made = (data: Schema.Struct<{ a: typeof Schema.String; b: typeof Schema.String }>) =>
        Effect.flip(Agent.define({ data }).make({ name: "Trips" }).pipe(Effect.provide(stage.layer)))
      const circle = yield* made(Schema.Struct({ a: on("b"), b: on("a") }))
      expect(circle.message).toContain("fields that depend on each other in a circle (data.a): \"a\" → \"b\" → \"a\"")
      const unknown = yield* made(Schema.Struct({ a: on("nope"), b: Schema.String }))
      expect(unknown.message).toContain("dependsOn of field \"a\"")
    }))
})

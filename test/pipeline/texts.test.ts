/** What code says, by locale. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String }),
  context: Schema.Struct({ locale: Schema.String })
})

const flow = kit.flow({
  title: "Booking",
  steps: [
    {
      id: "city",
      prompt: "Ask for the city",
      collect: ["city"],
      confirm: { en: ({ data }) => `To ${data.city}?`, de: ({ data }) => `Nach ${data.city}?` }
    },
    {
      id: "done",
      reply: { en: "Booked.", de: ({ data }) => `Gebucht: ${data.city}.`, "pt-BR": "Reservado." },
      stays: true
    }
  ]
})

const talk = (locale: string) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand: ({ message }) => ({ fields: { city: message } }) })
    const agent = yield* kit.make({ name: "Hotel", flows: [flow] }).pipe(Effect.provide(stage.layer))
    const say = (message: string) => agent.respond({ sessionId: "s1", message, context: { locale } })
    return [(yield* say("Wien")).message, (yield* say("yes")).message]
  })

describe("texts by locale", () => {
  it.effect("are said in that of the context, else of its language, else in the first", () =>
    Effect.gen(function*() {
      expect(yield* talk("de-AT")).toEqual(["Nach Wien?", "Gebucht: Wien."])
      expect(yield* talk("pt-BR")).toEqual(["To Wien?", "Reservado."])
      expect(yield* talk("nonsense!")).toEqual(["To Wien?", "Booked."])
    }))

  it.effect("are checked when the agent is made, with how to mend them", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const faults = (reply: Record<string, string>) =>
        kit.make({ name: "Hotel", flows: [{ title: "A", steps: [{ reply }] }] }).pipe(
          Effect.provide(stage.layer),
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      expect(yield* faults({})).toContain("Write a text by its locale")
      expect(yield* faults({ "pt-br": "Oi" })).toContain("Write \"pt-BR\"")
      expect(yield* faults({ "no locale": "Hi" })).toContain("that is no locale")
    }))
})

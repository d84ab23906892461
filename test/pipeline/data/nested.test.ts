/** Fields that are structs are collected part by part. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const Address = Schema.Struct({
  street: Schema.String,
  zip: Schema.String.pipe(Schema.pattern(/^\d{4}$/)).annotations({ description: "The four digits of the zip code" }),
  city: Schema.String,
  floor: Schema.optional(Schema.NumberFromString)
})

const kit = Agent.define({
  data: Schema.Struct({ name: Schema.String, address: Address, note: Schema.String })
})

type Said = { readonly fields?: Record<string, unknown>; readonly withdrawn?: ReadonlyArray<string> }

/** Each message is the JSON of its understanding. */
const desk = Effect.gen(function*() {
  const seen: Array<unknown> = []
  const stage = yield* Stage.make({ understand: ({ message }) => JSON.parse(message) as Said })
  const agent = yield* kit.make({
    name: "Parcels",
    flows: [{
      title: "Send",
      steps: [
        { id: "where", prompt: "Ask where to", collect: ["name", "address"] },
        { id: "sent", prompt: "Say that it is sent" }
      ],
      hooks: { onDataUpdate: ({ data }) => void seen.push(data.address) }
    }]
  }).pipe(Effect.provide(stage.layer))
  const say = (said: Said) => agent.respond({ sessionId: "s1", message: JSON.stringify(said) })
  const tell = (address: Record<string, unknown>) => say({ fields: { address } })
  return { ...stage, agent, say, tell, seen }
})

const whole = { street: "Main Street 5", zip: "1010", city: "Vienna" }

describe("a field that is a struct", () => {
  it.effect("a struct is known as soon as several messages have stated all its required parts", () =>
    Effect.gen(function*() {
      const { seen, tell } = yield* desk
      const first = yield* tell({ street: "Main Street 5", zip: null, city: null })
      expect(first.session.data).toEqual({})
      expect(first.session.partial).toEqual({ address: { street: "Main Street 5" } })
      expect(first.collected).toEqual({})
      const second = yield* tell({ zip: "1010", city: "Vienna" })
      expect(second.session.data).toEqual({ address: whole })
      expect(second.session).not.toHaveProperty("partial")
      expect(second.collected).toEqual({ address: whole })
      // Hooks see no partial address.
      expect(seen).toEqual([whole])
    }))

  it.effect("a struct is asked for by the names of its missing parts", () =>
    Effect.gen(function*() {
      const { prompts, questions, tell } = yield* desk
      yield* tell({})
      expect(Stage.instructions(prompts.at(-1)!)).toContain(
        "Ask for: name, address.street, address.zip (The four digits of the zip code), address.city"
      )
      yield* tell({ city: "Vienna" })
      const asked = prompts.at(-1)!
      expect(Stage.instructions(asked)).toContain(
        "Ask for: name, address.street, address.zip (The four digits of the zip code)\nKey"
      )
      expect(JSON.stringify(asked.prompt)).toContain("{\\\"address\\\":{\\\"city\\\":\\\"Vienna\\\"}}")
      yield* tell({})
      expect(questions.at(-1)!.fields[1]!.inside!.map(({ asked, known, name }) => ({ asked, known, name }))).toEqual([
        { name: "address.street", asked: true, known: false },
        { name: "address.zip", asked: true, known: false },
        { name: "address.city", asked: true, known: true },
        { name: "address.floor", asked: false, known: false }
      ])
    }))

  it.effect("a struct lists its missing parts as required in `expects`, and a form may submit only these parts", () =>
    Effect.gen(function*() {
      const { agent, tell } = yield* desk
      const { expects, progress } = yield* tell({ city: "Vienna" })
      expect(expects!.properties.address).toEqual({
        type: "object",
        title: "Address",
        properties: {
          street: { type: "string", title: "Street" },
          zip: {
            type: "string",
            title: "Zip",
            description: "The four digits of the zip code",
            pattern: "^\\d{4}$"
          },
          floor: { type: "string", title: "Floor" }
        },
        required: ["street", "zip"],
        additionalProperties: false
      })
      expect(progress).toEqual({
        flow: "send",
        completed: ["address.city"],
        required: ["name", "address.street", "address.zip", "address.city"]
      })
      const filled = yield* agent.respond({
        sessionId: "s1",
        values: { name: "Ada", address: { street: "Main Street 5", zip: "1010", floor: "3" } }
      })
      expect(filled.session.data).toEqual({ name: "Ada", address: { ...whole, floor: 3 } })
      expect(Stage.steps(filled)).toEqual(["send/sent"])
    }))

  it.effect("a struct can have its parts corrected, one by one or all together", () =>
    Effect.gen(function*() {
      const { say, tell } = yield* desk
      yield* tell({ zip: "1010" })
      expect((yield* tell({ zip: "1020" })).session.partial).toEqual({ address: { zip: "1020" } })
      yield* tell({ street: "Main Street 5", city: "Vienna", floor: "2" })
      const { collected, session } = yield* tell({ zip: "8010" })
      expect(collected).toEqual({ address: { ...whole, zip: "8010", floor: 2 } })
      expect(session.data.address).toEqual({ ...whole, zip: "8010", floor: 2 })
      // A whole new address replaces the old one, so the old floor is gone.
      const moved = yield* say({ fields: { address: { street: "Ring 1", zip: "4020", city: "Linz" } } })
      expect(moved.session.data.address).toEqual({ street: "Ring 1", zip: "4020", city: "Linz" })
    }))

  it.effect("a struct can have its parts withdrawn", () =>
    Effect.gen(function*() {
      const { say, tell } = yield* desk
      yield* tell({ street: "Main Street 5", zip: "1010" })
      expect((yield* say({ withdrawn: ["address.zip"] })).session.partial).toEqual({
        address: { street: "Main Street 5" }
      })
      yield* tell({ ...whole, floor: "2" })
      expect((yield* say({ withdrawn: ["address.floor"] })).session.data.address).toEqual(whole)
      const { cleared, expects, session } = yield* say({ withdrawn: ["address.city"] })
      expect(cleared).toEqual(["address"])
      expect(session.data).toEqual({})
      expect(session.partial).toEqual({ address: { street: "Main Street 5", zip: "1010" } })
      expect(expects!.properties.address).toMatchObject({ required: ["city"] })
      expect((yield* say({ withdrawn: ["address"] })).session).not.toHaveProperty("partial")
    }))

  it.effect("a struct stores the valid parts, and rejects the invalid parts by name", () =>
    Effect.gen(function*() {
      const { agent, tell } = yield* desk
      const { rejected, session } = yield* tell({ zip: "12", city: "Vienna" })
      expect(rejected).toMatchObject([{ field: "address.zip", value: "12" }])
      expect(session.partial).toEqual({ address: { city: "Vienna" } })
      const form = yield* agent.respond({ sessionId: "s1", values: { address: { county: "x" } } })
      expect(form.rejected).toMatchObject([{ field: "address", value: { county: "x" } }])
      const text = yield* agent.respond({ sessionId: "s1", values: { address: "Vienna" } })
      expect(text.rejected).toMatchObject([{ field: "address", value: "Vienna" }])
      expect(text.session.partial).toEqual({ address: { city: "Vienna" } })
    }))

  it.effect("a struct loses its partial value when it is cleared or code writes the whole value", () =>
    Effect.gen(function*() {
      const { agent, tell } = yield* desk
      yield* tell({ city: "Vienna" })
      yield* agent.dispatch("s1", { clear: ["address"] })
      expect((yield* tell({})).session).not.toHaveProperty("partial")
      yield* tell({ city: "Vienna" })
      yield* agent.dispatch("s1", { dataUpdate: { address: { street: "a", zip: "1010", city: "b" } } })
      const { session } = yield* tell({})
      expect(session.data.address).toMatchObject({ street: "a" })
      expect(session).not.toHaveProperty("partial")
    }))
})

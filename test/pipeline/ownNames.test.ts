/** Names that every JavaScript object has, such as `constructor`, in a definition. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import * as Check from "coxswain/check"
import { Effect, Schema } from "effect"
import * as ScriptedLayers from "../support/ScriptedLayers.js"
import * as Stage from "../support/Stage.js"

const names = ["constructor", "toString", "hasOwnProperty", "valueOf", "__proto__"]

describe("names that every object has", () => {
  it.effect.each(names)(
    "%s is no field of the data, because an unknown one would be there",
    (name) =>
      Effect.gen(function*() {
        const kit = Agent.define({ data: Schema.Struct({ [name]: Schema.String }) })
        const definition = { name: "Desk", flows: [{ title: "Talk", steps: [{ prompt: "Talk", collect: [name] }] }] }
        const error = yield* Effect.flip(
          kit.make(definition).pipe(
            Effect.provide([ScriptedLayers.make({}).layer, SessionStore.layerMemory])
          )
        )
        expect(error.message).toContain(`field "${name}"`)
        expect(Check.check(kit, definition).findings.map(({ code }) => code)).toContain("invalid")
      })
  )

  const kit = Agent.define({
    data: Schema.Struct({
      trip: Schema.Struct({ constructor: Schema.String, toString: Schema.Number }),
      price: Schema.Number
    })
  })

  /** An agent whose ids are names of every object; `pay` is the call of its last step. */
  const desk = (name: string, paid: Array<unknown>) => ({
    name: "Desk",
    flows: [
      {
        id: name,
        title: "Buy",
        when: "the customer wants to buy",
        steps: [
          {
            id: name,
            prompt: "Ask",
            collect: ["trip"],
            branches: [{ if: () => false, then: "end" }, { then: "look" }]
          },
          {
            id: "look",
            call: kit.tool({ id: "look", isReadOnly: true, handler: () => ({ [name]: 5 }) }).with({}),
            bind: { price: name },
            then: { failed: "end" }
          },
          {
            id: "pay",
            call: kit.tool({
              id: name,
              parameters: { amount: Schema.Number },
              handler: ({ amount }) => `paid ${paid.push(amount)}`
            }).with(({ data }) => ({ amount: data.price ?? 0 })),
            then: { failed: "end" }
          },
          { id: "end", reply: "Done.", ends: true }
        ]
      },
      { id: "talk", title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }
    ],
    policies: [{ tool: name, atMost: 1 }]
  } as const)

  it.effect.each(["constructor", "toString", "valueOf"])(
    "%s is an id of flows, steps, tools and results",
    (name) =>
      Effect.gen(function*() {
        const paid: Array<unknown> = []
        const { layer } = yield* Stage.make({
          understand: ({ message }) => ({
            flowScores: message === "hello" ? {} : { [name]: 100 },
            fields: message === "Ann, 2" ? { trip: { constructor: "Ann", toString: 2 } } : {}
          }),
          speak: () => "Well?"
        })
        const agent = yield* kit.make(desk(name, paid) as never).pipe(
          Effect.provide(layer)
        )
        const say = (message: string) => agent.respond({ sessionId: "s", message })
        // A flow that the message does not ask for is not entered.
        expect(yield* say("hello")).not.toMatchObject({ flow: { id: name } })
        expect(yield* say("I want to buy")).toMatchObject({ message: "Well?" })
        expect(yield* say("Ann, 2")).toMatchObject({ message: expect.stringContaining("Done.") })
        expect(paid).toEqual([5])
      })
  )

  it.effect.each(["constructor", "toString"])(
    "%s is a part of a field that is unknown until it is stated",
    (name) =>
      Effect.gen(function*() {
        const answers = [
          { flowScores: { constructor: 100 }, fields: {} },
          { flowScores: { constructor: 100 }, fields: { [`trip.${name}`]: name === "constructor" ? "Ann" : 2 } }
        ]
        const paid: Array<unknown> = []
        const { layer } = yield* Stage.make({ understand: () => answers.shift() ?? {}, speak: () => "Well?" })
        const agent = yield* kit.make(desk("constructor", paid) as never).pipe(
          Effect.provide(layer)
        )
        yield* agent.respond({ sessionId: "s", message: "buy" })
        expect(yield* agent.respond({ sessionId: "s", message: "Ann" })).toMatchObject({ message: "Well?" })
        expect(paid).toEqual([])
      })
  )

  it("the checker explores flows and steps of such names as others", () => {
    const { findings } = Check.check(kit, desk("constructor", []) as never)
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([])
  })
})

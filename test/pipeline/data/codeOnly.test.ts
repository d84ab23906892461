import { describe, expect, it } from "@effect/vitest"
import { Agent, type TurnResponse } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const Never = { extract: "never" }

const kit = Agent.define({
  data: Schema.Struct({
    item: Schema.String,
    price: Schema.Number,
    stock: Schema.Number.annotations({ extract: "always" }),
    paid: Schema.Number.annotations(Never),
    address: Schema.Struct({ street: Schema.String, zip: Schema.String }).annotations(Never),
    notes: Schema.Array(Schema.String).annotations({ merge: "append", ...Never })
  }),
  events: { settled: Schema.Number }
})

const quote = kit.tool({
  id: "quote",
  parameters: { item: Schema.String },
  handler: () => ({ price: 90, stock: 3 })
})

const everything = {
  item: "lamp",
  price: 1,
  stock: 7,
  paid: 20,
  address: { street: "Main Street 5" },
  notes: ["free"],
  "notes.remove": [1]
}

const shop = (withdrawn: ReadonlyArray<string> = []) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand: () => ({ fields: everything, withdrawn }) })
    const agent = yield* kit.make({
      name: "Shop",
      flows: [{
        title: "Order",
        requiredFields: ["item", "price", "paid"],
        optionalFields: ["stock", "address", "notes"],
        steps: [
          { id: "item", prompt: "Ask what to order", collect: ["item"] },
          {
            id: "quote",
            call: quote.with(({ data }) => ({ item: data.item })),
            bind: { price: "price", stock: "stock" },
            then: { failed: "pay" }
          },
          {
            id: "pay",
            prompt: "Ask for the payment",
            until: ({ data }) => data.paid !== undefined,
            on: { settled: ({ event }) => ({ dataUpdate: { paid: event, notes: ["paid"] } }) }
          },
          { id: "thank", reply: "Thank you." }
        ]
      }]
    }).pipe(Effect.provide(stage.layer))
    return { ...stage, agent, say: Stage.talk(agent) }
  })

const refusedOf = (trace: ReadonlyArray<TurnResponse.TraceEntry>) =>
  trace.flatMap(({ kind, message, source }) => kind === "value_not_taken" ? [[source, message]] : [])

describe("a field with `extract: 'never'`", () => {
  it.effect("is not in the understanding prompt; a value for the field is dropped, with a trace entry", () =>
    Effect.gen(function*() {
      const { questions, say } = yield* shop()
      const { rejected, session, trace } = yield* say("A lamp for 1 euro. I have paid 20.")
      expect(questions[0]!.fields.map(({ name }) => name)).toEqual(["item", "stock"])
      expect(session.data).toEqual({ item: "lamp", price: 90, stock: 3 })
      expect(rejected).toEqual([])
      expect(refusedOf(trace)).toEqual(
        expect.arrayContaining(["price", "paid", "address", "notes"].map((name) => [name, "only code writes it"]))
      )
    }))

  it.effect("cannot be changed or withdrawn by a message, and a message cannot remove items from its list", () =>
    Effect.gen(function*() {
      const { agent, questions, say } = yield* shop(["paid", "notes", "price"])
      yield* say("A lamp")
      yield* agent.notify({ sessionId: "s1", event: "settled", payload: 20 })
      const { session } = yield* say("Forget the payment, and the notes")
      expect(session.data).toMatchObject({ price: 90, paid: 20, notes: ["paid"] })
      expect(questions.flatMap(({ fields }) => fields.map(({ name }) => name))).not.toContain("notes.remove")
    }))

  it.effect("is refused in `values` and in `understood.values` of a request", () =>
    Effect.gen(function*() {
      const { agent } = yield* shop()
      const refusal = (request: object) =>
        Effect.map(
          Effect.flip(agent.respond({ sessionId: "s1", message: "Here", ...request })),
          ({ message }) => message
        )
      for (const name of ["price", "paid"]) {
        expect(yield* refusal({ values: { [name]: 1 } })).toMatch(new RegExp(`values.*${name}.*only code writes`))
        expect(yield* refusal({ understood: { values: { [name]: 1 } } }))
          .toMatch(new RegExp(`understood.values.*${name}.*only code writes`))
      }
    }))

  it.effect("is refused by `make` in `collect` or inside a struct; so is an unknown value of `extract`", () =>
    Effect.gen(function*() {
      const refusal = (data: Schema.Struct.Fields, collect: ReadonlyArray<string> = []) => {
        const bad = Agent.define({ data: Schema.Struct(data) as never as Schema.Struct<{ a: typeof Schema.String }> })
        return bad.make({ name: "Bad", flows: [{ title: "F", steps: [{ prompt: "P", collect: collect as ["a"] }] }] })
          .pipe(Effect.provide(stageOf.layer), Effect.flip, Effect.map(({ message }) => message))
      }
      const stageOf = yield* Stage.make({ understand: () => ({}) })
      expect(yield* refusal({ a: Schema.String.annotations(Never) }, ["a"])).toContain("only code writes it")
      expect(yield* refusal({ a: Schema.String.annotations({ extract: "nevr" }) })).toContain("it is \"nevr\"")
      const below = "annotated below the field"
      expect(yield* refusal({ a: Schema.Struct({ b: Schema.Number.annotations(Never) }) })).toContain(below)
      expect(yield* refusal({ a: Schema.Array(Schema.Struct({ b: Schema.Number.annotations(Never) })) })).toContain(
        below
      )
      expect(yield* refusal({ a: Schema.Number.annotations(Never).pipe(Schema.positive()) })).toContain(below)
    }))
})

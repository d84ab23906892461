import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const Item = Schema.Struct({ item: Schema.String, count: Schema.Int })

const kit = Agent.define({
  data: Schema.Struct({
    order: Schema.Array(Item).pipe(Schema.maxItems(3)).annotations({ merge: "by:item" }),
    notes: Schema.Array(Schema.String).annotations({ merge: "append" }),
    tags: Schema.Array(Schema.String)
  })
})

const of = (item: string, count = 1) => ({ item, count })

const desk = Effect.gen(function*() {
  const stage = yield* Stage.make({
    understand: ({ message }) =>
      ({
        "two burgers and a coke": { fields: { order: [of("burger", 2), of("coke")], notes: ["fast"], tags: ["a"] } },
        "make that one burger": { fields: { order: [of("Burger", 1)], notes: ["no ice"], tags: ["b"] } },
        "no coke, a tea": { fields: { order: [of("tea")], "order.remove": ["coke"] } },
        "not the first note": { fields: { "notes.remove": [1] } },
        "nothing at all": { fields: { "order.remove": ["burger", "coke"] } },
        "tea, pie and cake": { fields: { order: [of("tea"), of("pie"), of("cake")] } }
      })[message] ?? {}
  })
  const agent = yield* kit.make({
    name: "Diner",
    flows: [{
      title: "Order",
      optionalFields: ["order", "notes", "tags"],
      steps: [{ prompt: "Talk", until: () => false }]
    }]
  }).pipe(Effect.provide(stage.layer))
  const say = (message: string) => Effect.map(Stage.talk(agent)(message), ({ session }) => session.data)
  yield* say("two burgers and a coke")
  return { ...stage, agent, say }
})

describe("fields of more than one value", () => {
  it.effect("are changed by their key, added to, or replaced, as they say", () =>
    Effect.gen(function*() {
      const { say } = yield* desk
      expect(yield* say("make that one burger")).toEqual({
        order: [of("burger", 1), of("coke")],
        notes: ["fast", "no ice"],
        tags: ["b"]
      })
    }))

  it.effect("lose what the user takes away, by key or by place", () =>
    Effect.gen(function*() {
      const { questions, say } = yield* desk
      yield* say("make that one burger")
      expect(questions.at(-1)!.fields.map(({ name }) => name)).toEqual([
        "order",
        "order.remove",
        "notes",
        "notes.remove",
        "tags"
      ])
      expect((yield* say("no coke, a tea")).order).toEqual([of("burger", 1), of("tea")])
      expect((yield* say("not the first note")).notes).toEqual(["no ice"])
    }))

  it.effect("are forgotten when nothing is left", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* desk
      expect((yield* say("nothing at all")).order).toBeUndefined()
      expect((yield* agent.session("s1").snapshot).data.order).toBeUndefined()
    }))

  it.effect("are checked as a whole: what would be too many is rejected, and nothing changes", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk
      const { rejected, session } = yield* agent.respond({ sessionId: "s1", message: "tea, pie and cake" })
      expect(rejected).toMatchObject([{ field: "order" }])
      expect(session.data.order).toEqual([of("burger", 2), of("coke")])
    }))

  it.effect("say in a way that is known how they are changed", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const data = Schema.Struct({ a: Schema.Array(Schema.String).annotations({ merge: "union" }) })
      const error = yield* Effect.flip(Agent.define({ data }).make({ name: "A" }).pipe(Effect.provide(stage.layer)))
      expect(error.message).toContain("merge of field \"a\"")
    }))
})

import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import * as Stage from "../../support/Stage.js"

const Item = Schema.Struct({ item: Schema.String, count: Schema.Int })

const fields = {
  order: Schema.Array(Item).pipe(Schema.maxItems(3)).annotations({ merge: "by:item" }),
  notes: Schema.Array(Schema.String).annotations({ merge: "append" }),
  tags: Schema.Array(Schema.String)
}

const kit = Agent.define({ data: Schema.Struct(fields) })

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

describe("array fields", () => {
  it.effect("are merged by key, appended to, or replaced, according to their `merge` annotation", () =>
    Effect.gen(function*() {
      const { say } = yield* desk
      expect(yield* say("make that one burger")).toEqual({
        order: [of("burger", 1), of("coke")],
        notes: ["fast", "no ice"],
        tags: ["b"]
      })
    }))

  it.effect("lose the items that the user removes, by key or by position", () =>
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

  it.effect("are cleared when no item is left", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* desk
      expect((yield* say("nothing at all")).order).toBeUndefined()
      expect((yield* agent.session("s1").snapshot).data.order).toBeUndefined()
    }))

  it.effect("are validated as a whole: too many items are rejected, and nothing changes", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk
      const { rejected, session } = yield* agent.respond({ sessionId: "s1", message: "tea, pie and cake" })
      expect(rejected).toMatchObject([{ field: "order" }])
      expect(session.data.order).toEqual([of("burger", 2), of("coke")])
    }))

  const place = Schema.Struct({ street: Schema.String, zip: Schema.String })
  const twiceKit = Agent.define({ data: Schema.Struct({ ...fields, place }) })
  const takeOrder = twiceKit.flow({
    title: "Order",
    when: "they order",
    reentrant: true,
    optionalFields: ["order", "notes", "place"],
    steps: [{ prompt: "Take it" }]
  })
  const tip = twiceKit.flow({
    title: "Tip",
    when: "they tip",
    optionalFields: ["order", "notes", "place"],
    steps: [{ reply: "Thanks" }]
  })
  const hours = twiceKit.flow({
    title: "Hours",
    when: "they ask for the hours",
    reentrant: true,
    steps: [{ reply: "8 to 22" }]
  })

  const twice = (withTip: boolean) =>
    Effect.gen(function*() {
      const wanted = (score: number, fields: Record<string, unknown>) => ({ flowScores: { order: score }, fields })
      const stage = yield* Stage.make({
        understand: ({ message }) =>
          ({
            "a coke, fast": wanted(90, { order: [of("coke")], notes: ["fast"], place: { street: "Elm 1", zip: "1" } }),
            "and no ice, please": wanted(20, { order: [of("coke", 2)], notes: ["no ice"], place: { zip: "2" } }),
            "another order: a tea, hot": wanted(90, { order: [of("tea")], notes: ["hot"], place: { zip: "3" } })
          })[message] ?? { flowScores: { [message]: 90 } }
      })
      const all = twiceKit.make({ name: "Diner", flows: [takeOrder, hours, ...withTip ? [tip] : []] })
      return Stage.talk(yield* Effect.provide(all, stage.layer))
    })

  const first = { order: [of("coke")], notes: ["fast"], place: { street: "Elm 1", zip: "1" } }

  for (const [how, withTip] of [["alone", false], ["beside a flow with the same fields", true]] as const) {
    it.effect(`start empty when their flow is entered again, and later messages add items, ${how}`, () =>
      Effect.gen(function*() {
        const say = yield* twice(withTip)
        expect((yield* say("a coke, fast")).session.data).toEqual(first)
        expect((yield* say("and no ice, please")).session.data).toEqual({
          order: [of("coke", 2)],
          notes: ["fast", "no ice"],
          place: { street: "Elm 1", zip: "2" }
        })
        const { session } = yield* say("another order: a tea, hot")
        expect(session.data).toEqual({ order: [of("tea")], notes: ["hot"] })
        expect(session.partial).toEqual({ place: { zip: "3" } })
      }))

    it.effect(`start empty also when another flow was active in between, ${how}`, () =>
      Effect.gen(function*() {
        const say = yield* twice(withTip)
        yield* say("a coke, fast")
        yield* say("hours")
        expect((yield* say("another order: a tea, hot")).session.data).toEqual({ order: [of("tea")], notes: ["hot"] })
      }))
  }

  it.effect("are refused by `make` with an unknown value of `merge`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const data = Schema.Struct({ a: Schema.Array(Schema.String).annotations({ merge: "union" }) })
      const error = yield* Effect.flip(Agent.define({ data }).make({ name: "A" }).pipe(Effect.provide(stage.layer)))
      expect(error.message).toContain("merge of field \"a\"")
    }))
})

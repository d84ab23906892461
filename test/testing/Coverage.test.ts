/** Coverage of conversations and simulations, as a list and on the graph. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Job, SessionStore } from "coxswain"
import * as Graph from "coxswain/graph"
import { Conversation, ScriptedModel, Simulation } from "coxswain/testing"
import { Effect, Schema } from "effect"

const { sayTask, understand } = ScriptedModel

const kit = Agent.define({ data: Schema.Struct({ item: Schema.String }) })

const definition = kit.agent({
  name: "Shop",
  branches: [{ id: "person", when: "wants a person", then: "Help" }],
  flows: [
    {
      title: "Order",
      branches: [{ id: "again", when: "to begin again", then: { goToStep: "item", clear: ["item"] } }],
      steps: [{ id: "item", prompt: "Ask what", collect: ["item"] }, {
        id: "thanks",
        prompt: "Say thanks",
        neverCompletes: true
      }]
    },
    { title: "Help", steps: [{ id: "ask", prompt: "Help", neverCompletes: true }] }
  ]
})

const graph = Graph.make(definition)
const layers = [ScriptedModel.layer(), SessionStore.layerMemory] as const

const counted = (coverage: ReadonlyArray<Simulation.Covered>) =>
  coverage.filter(({ kind }) => kind !== "rejection").map(({ kind, name, turns }) => `${kind} ${name} ${turns}`)

describe("the coverage of a conversation", () => {
  it.effect("counts the turns through each part of the definition, and is drawn on the graph", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* kit.make(definition), { definition })
      expect(counted(yield* talk.coverage).every((one) => one.endsWith(" 0"))).toBe(true)
      yield* talk.user("A bike", understand({ flow: "order", fields: { item: "bike" }, conditions: [] }), sayTask)
      yield* talk.user("No, from the start", understand({ conditions: ["order/*/again"] }), sayTask)
      yield* talk.expectStep("order", "item")
      const coverage = yield* talk.coverage
      expect(counted(coverage)).toEqual([
        "flow order 1",
        "flow help 0",
        "step order/item 1",
        "step order/thanks 1",
        "step help/ask 0",
        "branch order/*/again 1",
        "branch */person 0"
      ])
      const drawn = Graph.withCoverage(graph, coverage)
      expect(drawn.edges.map(({ count, id }) => [id, count])).toEqual([
        ["order/item next", undefined],
        ["order/*/again", 1],
        ["*/person", 0]
      ])
      expect(Graph.toMermaid(drawn)).toContain("to begin again<br/>1×")
      expect(Simulation.table(coverage)).toMatch(/\*\/person +never/)
    }).pipe(Effect.provide(layers)))
})

describe("the coverage of a simulation", () => {
  it.effect("the coverage includes the branches of flows and of the agent, and is drawn on the graph", () =>
    Effect.gen(function*() {
      const { coverage } = yield* Simulation.run(yield* kit.make(definition), { turns: 60, seed: 3 })
      const drawn = Graph.withCoverage(graph, coverage)
      const counts = [...drawn.flows, ...drawn.steps, ...drawn.edges.filter(({ kind }) => kind === "branch")]
      for (const { count, id } of counts.filter(({ id }) => id !== "*" && id !== "order/*")) {
        expect(count, id).toBeGreaterThan(0)
      }
    }).pipe(Effect.provide(layers)))
})

class Report extends Job.make("report", { payload: { item: Schema.String }, success: Schema.String }) {}

const ordersKit = Agent.define({
  data: Schema.Struct({ item: Schema.String, paid: Schema.Int }),
  events: { paid: Schema.Struct({ amount: Schema.Number }), lost: Schema.Struct({}) },
  jobs: [Report]
})

/** An agent with handlers for events, a job and timers, at several levels. */
const orders = ordersKit.agent({
  name: "Orders",
  branches: [{ id: "person", when: "wants a person", then: { handOff: "person" } }],
  on: {
    paid: { reply: "Thank you, but for what?" },
    lost: () => undefined,
    [Report.completed]: ({ event }) => ({ reply: event })
  },
  handOff: { after: { "5 minutes": { reply: "Please stay." } } },
  flows: [{
    title: "Order",
    reentrant: true,
    after: { "10 days": { abort: "nobody paid" } },
    hooks: { onEnter: () => ({ run: Report.of({ item: "all" }) }) },
    steps: [
      { id: "item", prompt: "Ask what", collect: ["item"] },
      {
        id: "pay",
        prompt: "Ask for the payment",
        until: ({ data }) => data.paid !== undefined,
        on: { paid: ({ event }) => ({ dataUpdate: { paid: event.amount } }) },
        after: { "3 hours": { reply: "Are you still there?" } }
      },
      { id: "thank", prompt: "Thank them" }
    ]
  }]
})

const handlers = (coverage: ReadonlyArray<Simulation.Covered>) =>
  Object.fromEntries(coverage.filter(({ kind }) => kind === "handler").map(({ name, turns }) => [name, turns]))

describe("the coverage of event and timer handlers", () => {
  it.effect("counts the runs of each handler under the step, flow or agent that declares the handler", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* ordersKit.make(orders), { definition: orders })
      yield* talk.event("paid", { amount: 1 })
      yield* talk.user("A bike", understand({ flow: "order", fields: { item: "bike" }, conditions: [] }), sayTask)
      yield* talk.expectStep("order", "pay")
      yield* talk.event(Report.completed, "a report")
      yield* talk.event("lost", {})
      yield* talk.event("paid", { amount: 7 }, sayTask)
      yield* talk.expectStep("order", "thank")
      expect(handlers(yield* talk.coverage)).toEqual({
        "order/pay on paid": 1,
        "order/pay after 3 hours": 0,
        "order/* after 10 days": 0,
        "* on paid": 1,
        "* on lost": 1,
        "* on report.completed": 1,
        "handOff after 5 minutes": 0
      })
    }).pipe(Effect.provide(layers)))

  it.effect("does not count a handler whose turn fails", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* ordersKit.make(orders), { definition: orders })
      yield* talk.user("A bike", understand({ flow: "order", fields: { item: "bike" }, conditions: [] }), sayTask)
      const failed = yield* Effect.flip(talk.event("paid", { amount: 0.5 }))
      expect(failed.message).toContain("paid")
      expect(handlers(yield* talk.coverage)).toMatchObject({ "order/pay on paid": 0, "* on paid": 0 })
    }).pipe(Effect.provide(layers)))
})

const repairsKit = Agent.define({
  data: Schema.Struct({ number: Schema.String, misses: Schema.Int.annotations({ extract: "never" }) })
})

const find = repairsKit.tool({
  id: "find",
  parameters: { number: Schema.String },
  handler: () => Effect.fail("there is no such repair")
})

const forbidden = repairsKit.tool({ id: "forbidden", checkPermissions: () => false, handler: () => "done" })

const repairs = repairsKit.agent({
  name: "Repairs",
  flows: [{
    title: "State",
    when: "where a repair is",
    hooks: { onEnter: () => ({ dataUpdate: { misses: 1 } }) },
    steps: [
      { id: "number", collect: ["number"], prompt: "Ask for the number" },
      { id: "find", call: find.with(({ data }) => ({ number: data.number })), then: { failed: "again" } },
      { id: "end", call: forbidden.with(() => ({})), then: { failed: "again" } },
      {
        id: "again",
        reply: "There is none.",
        finalize: () => ({ clear: ["number"], goToStep: "number", dataUpdate: { misses: 2 } })
      }
    ]
  }]
})

describe("a conversation in which a tool fails and code writes values", () => {
  const talked = Effect.gen(function*() {
    const talk = yield* Conversation.make(yield* repairsKit.make(repairs), { definition: repairs })
    yield* talk.user("R1", understand({ flow: "state", fields: { number: "R1" } }))
    return talk
  })

  it.effect("its coverage counts a tool that ran and failed, but no refused call", () =>
    Effect.gen(function*() {
      const coverage = yield* (yield* talked).coverage
      expect(coverage.filter(({ kind }) => kind === "tool").map(({ name, turns }) => [name, turns])).toEqual([
        ["find", 1],
        ["forbidden", 0]
      ])
    }).pipe(Effect.provide(layers)))

  it.effect("its coverage lists no rejection of a field that only code writes", () =>
    Effect.gen(function*() {
      const coverage = yield* (yield* talked).coverage
      expect(coverage.flatMap(({ kind, name }) => kind === "rejection" ? [name] : [])).toEqual(["number"])
    }).pipe(Effect.provide(layers)))

  it.effect("its transcript separates the message's values from the written ones, and names the branch to the step", () =>
    Effect.gen(function*() {
      expect((yield* (yield* talked).transcript).split("\n").slice(0, 8)).toEqual([
        "1  user        R1",
        "   understood  state 100, number \"R1\"",
        "   wrote       misses 2",
        "   tool        find { number: \"R1\" }: failed",
        "   forgot      number: cleared by a directive",
        "   spoke       state/again: state was entered with a score of 100; the branch",
        "               state/find/failed { goToStep: \"again\" }",
        "   agent       There is none."
      ])
    }).pipe(Effect.provide(layers)))
})

/** What conversations and made-up users came through, as a list and on the graph. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Graph, SessionStore } from "coxswain"
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
        stays: true
      }]
    },
    { title: "Help", steps: [{ id: "ask", prompt: "Help", stays: true }] }
  ]
})

const graph = kit.graph(definition)
const layers = [ScriptedModel.layer(), SessionStore.layerMemory] as const

const counted = (coverage: ReadonlyArray<Simulation.Covered>) =>
  coverage.filter(({ kind }) => kind !== "rejection").map(({ kind, name, turns }) => `${kind} ${name} ${turns}`)

describe("the coverage of a conversation", () => {
  it.effect("counts the turns that came through each part, and is drawn on the graph", () =>
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

describe("the coverage of made-up users", () => {
  it.effect("has the branches of flows and of the agent, and is drawn on the graph", () =>
    Effect.gen(function*() {
      const { coverage } = yield* Simulation.run(yield* kit.make(definition), { turns: 60, seed: 3 })
      const drawn = Graph.withCoverage(graph, coverage)
      const counts = [...drawn.flows, ...drawn.steps, ...drawn.edges.filter(({ kind }) => kind === "branch")]
      for (const { count, id } of counts.filter(({ id }) => id !== "*" && id !== "order/*")) {
        expect(count, id).toBeGreaterThan(0)
      }
    }).pipe(Effect.provide(layers)))
})

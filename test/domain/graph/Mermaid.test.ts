/** Keeps what made Mermaid's pictures readable when they were viewed in a browser. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import * as Graph from "coxswain/graph"
import { Schema } from "effect"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const flows = (...titles: ReadonlyArray<string>) => titles.map((title) => ({ title, steps: [{ reply: "Done." }] }))

const linesOf = (graph: Graph.Graph) => Graph.toMermaid(graph).split("\n").map((line) => line.trim())

describe("Graph.toMermaid (writes a graph as a Mermaid diagram)", () => {
  it("writes a flow's title in one line, and its details in a box above its first step", () => {
    const graph = Graph.make({
      name: "Trips",
      flows: [{ title: "Trip", when: "the guest wants to travel", steps: [{ id: "city", collect: ["city"] }] }]
    })
    expect(linesOf(Graph.withCoverage(graph, { flows: { trip: 3 }, steps: {}, branches: {} })).slice(1, 5)).toEqual([
      "subgraph f0 [\"Trip\"]",
      "direction TB",
      "a0[\"the guest wants to travel<br/>3×\"]:::about ~~~ s0",
      "s0(\"city<br/>collects city<br/>0×\"):::never"
    ])
    expect(linesOf(Graph.make({ name: "Trips", flows: flows("One") }))).not.toContainEqual(
      expect.stringMatching(/^a0/)
    )
  })

  it("arranges unconnected flows in rows of four", () => {
    const rows = (graph: Graph.Graph) => linesOf(graph).filter((line) => /^f\d+ ~~~/.test(line))
    expect(rows(Graph.make({ name: "Desk", flows: flows("A", "B", "C", "D", "E", "F") }))).toEqual([
      "f0 ~~~ f4",
      "f1 ~~~ f5"
    ])
    expect(rows(Graph.make({ name: "Desk", flows: flows("A", "B", "C", "D") }))).toEqual([])
    // B leads to C: Mermaid places these two itself.
    const [a, b, ...others] = flows("A", "B", "C", "D", "E", "F", "G")
    expect(rows(Graph.make({ name: "Desk", flows: [a!, { ...b!, onComplete: "C" }, ...others] }))).toEqual([
      "f0 ~~~ f6"
    ])
  })

  it("gives steps of one kind the same class; the class name is no Mermaid keyword", () => {
    const look = kit.tool({ id: "look", handler: () => "seen" })
    const said = linesOf(Graph.make({
      name: "Trips",
      branches: [{ when: "the guest wants a person", then: { handOff: "person" } }],
      flows: [{
        title: "Trip",
        steps: [{ id: "look", call: look.with(() => ({})) }, { id: "note", auto: true }, { id: "done", reply: "Done." }]
      }]
    }))
    expect(said).toEqual(expect.arrayContaining([
      "class s0 callStep",
      "class s1 autoStep",
      "class s2 replyStep",
      "class s4 anywhereStep",
      "class s5 personStep"
    ]))
    const names = said.flatMap((line) => /^classDef (\S+)/.exec(line)?.[1] ?? [])
    expect(names).not.toContainEqual(expect.stringMatching(/^(call|click|default|end|graph|href|style|subgraph)$/))
    // A fill without a text color is unreadable in dark mode.
    const fills = said.filter((line) => /^classDef .*fill:#/.test(line))
    expect(fills.length).toBeGreaterThan(0)
    for (const fill of fills) expect(fill).toContain(",color:#")
  })
})

describe("Graph.make (the graph of a definition)", () => {
  const edges = (...steps: ReadonlyArray<object>) =>
    Graph.make({ name: "Desk", flows: [{ id: "a", title: "A", steps }, { id: "b", title: "B", steps: [{ id: "x" }] }] })
      .edges.filter(({ from }) => from === "a/one").map(({ jump, to }) => [to, jump])

  it("draws the directive of a `finalize` that only returns a literal", () => {
    const after = (finalize: unknown) => edges({ id: "one", reply: "1", finalize }, { id: "two" }, { id: "three" })
    expect(after(() => ({ complete: true, clear: ["city"] }))).toEqual([["a/ completed", false]])
    expect(after(() => ({ abort: "not wanted" }))).toEqual([["a/ aborted", false]])
    expect(after(() => ({ goToStep: "three" }))).toEqual([["a/three", false]])
    expect(after(() => ({ goTo: "B" }))).toEqual([["b/x", true]])
    expect(after(() => ({ handOff: "person" }))).toEqual([["a/ person", false]])
    // Any other code is decided at run time.
    for (
      const code of [
        ({ data }: { data: { city?: string } }) => ({ complete: data.city !== undefined }),
        ({ data }: { data: { city?: string } }) => data.city === undefined ? { complete: true } : undefined,
        () => ({ dataUpdate: { complete: true } }),
        () => ({ dataUpdate: { city: "Lisbon" } })
      ]
    ) expect(after(code)).toEqual([["a/two", false]])
  })

  it("draws no next edge for a step whose `until` is always false", () => {
    const talk = { id: "one", prompt: "Talk", until: () => false, branches: [{ when: "enough", then: "two" }] }
    expect(edges(talk, { id: "two" })).toEqual([["a/two", false]])
    const graph = Graph.make({ name: "Desk", flows: [{ title: "A", steps: [talk, { id: "two" }] }] })
    expect(graph.steps[0]).toMatchObject({ stays: true })
    expect(graph.steps[0]).not.toHaveProperty("until")
  })
})

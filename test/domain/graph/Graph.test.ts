import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import * as Graph from "coxswain/graph"
import * as GraphSvg from "coxswain/layers/graph-svg"
import { DateTime, FastCheck as fc, Schema } from "effect"
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import * as Hotel from "../../../demo/hotel.js"
import { covered, pictures } from "../../../scripts/pictures.js"
import { runs } from "../../support/Runs.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, guests: Schema.Int, phone: Schema.String }) })

const desk = Graph.make(kit.agent({
  name: "Desk",
  tools: [{ id: "rooms", handler: () => "7" }],
  flows: [
    {
      title: "Book",
      when: ["to book a room", "to stay"],
      onComplete: "Feedback",
      steps: [
        {
          id: "city",
          collect: ["city"],
          branches: [
            { when: "to talk to a person", then: "Handover" },
            { id: "many", if: ({ data }) => (data.guests ?? 0) > 4, then: "group" },
            { when: "stop", then: { abort: "stopped" } }
          ]
        },
        {
          id: "guests",
          collect: ["guests"],
          requires: ["city"],
          tools: ["rooms"],
          branches: [{ when: "again", then: "city" }]
        },
        { id: "route", auto: true, branches: [{ then: "group" }] },
        { id: "group", reply: "We call you.", branches: [{ then: { complete: { next: { goTo: "Feedback" } } } }] },
        { id: "talk", prompt: "Talk", until: ({ data }) => data.phone !== undefined, if: [() => true] }
      ]
    },
    { title: "Handover", when: "a person", steps: [{ id: "phone", collect: ["phone"] }] },
    { title: "Feedback", steps: [{ id: "ask", prompt: "Ask" }] }
  ]
}))

const shopKit = Agent.define({
  data: Schema.Struct({ item: Schema.String }),
  events: { paid: Schema.Struct({}), stolen: Schema.Struct({}), refunded: Schema.Struct({}) }
})

const shop = Graph.make(shopKit.agent({
  name: "Shop",
  initialFlow: "Order",
  branches: [{ id: "person", when: "wants a person", then: "Help" }, { when: "stop", then: { abort: "stopped" } }],
  on: { stolen: "Help", refunded: { reply: "Your money is back." } },
  signals: [
    shopKit.signal({
      id: "angry",
      title: "Is angry",
      phase: "pre",
      when: "is angry",
      handler: () => ({ goTo: "Help" })
    }),
    shopKit.signal({ id: "quiet", phase: "post", handler: () => undefined }),
    shopKit.signal({ id: "off", phase: "pre", enabled: false, handler: () => ({ goTo: "Help" }) })
  ],
  flows: [
    {
      title: "Order",
      branches: [{ when: "to begin again", then: "item" }],
      on: { paid: { complete: true } },
      onComplete: ({ data }) => data.item === "car" ? { goTo: "Help" } : undefined,
      steps: [
        { id: "item", collect: ["item"] },
        { id: "thanks", prompt: "Say thanks" },
        {
          id: "pay",
          prompt: "Wait for the payment",
          on: { paid: ({ data }) => data.item === "car" ? { goTo: "Help" } : { goToStep: "thanks" } },
          after: { "2 hours": "item" }
        }
      ]
    },
    { title: "Help", steps: [{ id: "ask", prompt: "Help", neverCompletes: true }] }
  ]
}))

it("the graph has an edge past a step that ends the flow, if the step may be skipped", () => {
  const { edges } = Graph.make(kit.agent({
    name: "Desk",
    flows: [{
      title: "Book",
      steps: [
        { id: "full", reply: "We are full.", if: ({ data }) => data.guests === 9, ends: "abort" },
        { id: "city", collect: ["city"], skip: ({ data }) => data.phone === "" },
        { id: "done", reply: "Done.", ends: true }
      ]
    }]
  }))
  expect(edges.map(({ from, label, to }) => [from, label, to])).toEqual([
    ["book/full", "", "book/ aborted"],
    ["book/full", "if skipped", "book/city"],
    ["book/city", "", "book/done"],
    ["book/done", "", "book/ completed"]
  ])
})

describe("Graph.make (the graph of a definition)", () => {
  it("describes the kind, fields, tools and conditions of each step", () => {
    const step = (id: string) => desk.steps.find((one) => one.id === id)
    expect(step("book/guests")).toMatchObject({
      kind: "llm",
      collect: ["guests"],
      requires: ["city"],
      tools: ["rooms"],
      waits: true
    })
    expect(step("book/route")).toMatchObject({ kind: "auto", waits: false })
    expect(step("book/group")).toMatchObject({ kind: "reply" })
    expect(step("book/talk")).toMatchObject({ until: expect.stringContaining("phone"), conditions: ["if true"] })
    expect(desk).toMatchObject({ agent: "Desk", tools: ["rooms"] })
    expect(desk.flows[0]).toMatchObject({ id: "book", title: "Book", when: ["to book a room", "to stay"] })
  })

  it("has an edge from a step to each of its targets", () => {
    const from = (id: string) =>
      desk.edges.filter((one) => one.from === id).map(({ jump, kind, label, to }) => [kind, label, to, jump])
    expect(from("book/city")).toEqual([
      ["branch", "to talk to a person", "handover/phone", true],
      ["branch", expect.stringMatching(/^if \(guests ?\?\? ?0\) ?> ?4$/), "book/group", false],
      ["branch", "stop", "book/ aborted", false],
      ["next", "otherwise", "book/guests", false]
    ])
    // After a fallback branch there is no next edge.
    expect(from("book/route")).toEqual([["branch", "", "book/group", false]])
    expect(from("book/group")).toEqual([["branch", "", "feedback/ask", true]])
    expect(from("book/ completed")).toEqual([["follows", "", "feedback/ask", true]])
    expect(from("handover/phone")).toEqual([["next", "", "handover/ completed", false]])
  })

  it("has edges for the branches, events, timers and signals of the agent and of a flow", () => {
    const from = (id: string) =>
      shop.edges.filter((one) => one.from === id).map(({ id, jump, kind, label, to }) => [id, kind, label, to, jump])
    expect(from("*")).toEqual([
      ["*/person", "branch", "wants a person", "help/ask", true],
      ["*/branch-2", "branch", "stop", "*/ aborted", false],
      ["* on stolen", "event", "on stolen", "help/ask", true],
      ["* signal angry", "signal", "signal Is angry, if code says so", "help/ask", true]
    ])
    expect(from("order/*")).toEqual([
      ["order/*/branch-1", "branch", "to begin again", "order/item", false],
      ["order/* on paid", "event", "on paid", "order/ completed", false]
    ])
    expect(from("order/pay")).toEqual([
      ["order/pay next", "next", "", "order/ completed", false],
      ["order/pay on paid", "event", "on paid, if code says so", "help/ask", true],
      ["order/pay on paid 2", "event", "on paid, if code says so", "order/thanks", false],
      ["order/pay after 2 hours", "timer", "after 2 hours", "order/item", false]
    ])
    expect(from("order/ completed")).toEqual([
      ["order/ completed follows", "follows", "if code says so", "help/ask", true]
    ])
    // The last step of a flow that stays has no next edge.
    expect(from("help/ask")).toEqual([])
  })

  it("lists the events whose handlers stay at the step, and marks the flow in which conversations begin", () => {
    const step = (id: string) => shop.steps.find((one) => one.id === id)
    expect(step("*")).toMatchObject({ kind: "anywhere", flow: "*", title: "at any time", hears: ["on refunded"] })
    expect(step("order/*")).toMatchObject({ kind: "anywhere", flow: "order", title: "in every step" })
    expect(step("order/pay")).not.toHaveProperty("hears")
    expect(step("help/*")).toBeUndefined()
    expect(step("help/ask")).toMatchObject({ stays: true })
    expect(shop.flows.map(({ begins, id }) => [id, begins])).toEqual([["order", true], ["help", undefined]])
    for (const picture of [Graph.toMermaid(shop), Graph.toDot(shop), GraphSvg.toSvg(shop)]) {
      for (const said of ["Anywhere", "on refunded", "stays", "the conversation begins here"]) {
        expect(picture).toContain(said)
      }
    }
    expect(Graph.toDot(desk)).not.toContain("Anywhere")
  })

  it("returns a value that its Schema encodes and decodes", () => {
    for (const graph of [desk, shop]) {
      const json = JSON.parse(JSON.stringify(Schema.encodeSync(Graph.Graph)(graph))) as unknown
      expect(Schema.decodeUnknownSync(Graph.Graph)(json)).toEqual(graph)
    }
  })

  it("converts an invalid definition as far as it is readable, and never throws", () => {
    const graph = Graph.make({
      flows: [{ title: "F", steps: [{ id: "a", prompt: "a", branches: [{ then: "nope" }] }, null] }, 7]
    })
    expect(graph.steps.map(({ kind, title }) => [kind, title])).toEqual([["llm", "a"], ["unknown", "nope"]])
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (flows, step) => {
        Graph.make({ name: step as string, flows } as object)
        GraphSvg.toSvg(Graph.make({ on: flows, branches: step, signals: flows, flows: [] }))
        GraphSvg.toSvg(Graph.make({ flows: [{ title: "F", steps: [step] }] }))
      }),
      { seed: 3, numRuns: 100 }
    )
  })
})

describe("overlays on a graph", () => {
  const at = DateTime.unsafeMake(0)
  const flow = (id: string) => ({ id, title: id, enteredAt: at })
  const step = (id: string) => ({ id, enteredAt: at, spoken: true })

  it("`withSession` marks the visited, current and suspended flows and steps", () => {
    const graph = Graph.withSession(desk, {
      currentFlow: flow("handover"),
      currentStep: step("phone"),
      suspended: [{ flow: flow("book"), step: step("guests"), at }],
      flowHistory: [{ flowId: "book", enteredAt: at, completed: false }, {
        flowId: "feedback",
        enteredAt: at,
        completed: true
      }]
    }, [{ flowId: "book", stepId: "city" }, { flowId: "book", stepId: "guests" }])
    const marks = (parts: ReadonlyArray<{ readonly id: string; readonly mark?: Graph.Mark }>) =>
      Object.fromEntries(parts.flatMap(({ id, mark }) => mark === undefined ? [] : [[id, mark]]))
    expect(marks(graph.flows)).toEqual({ book: "suspended", handover: "current", feedback: "visited" })
    expect(marks(graph.steps)).toEqual({
      "book/city": "visited",
      "book/guests": "suspended",
      "handover/phone": "current"
    })
    expect(Graph.toMermaid(graph)).toContain(":::current")
    expect(GraphSvg.toSvg(graph)).toContain("class=\"box current\"")
  })

  it("`withCoverage` counts turns per flow, step and branch, 0 for parts never visited", () => {
    const graph = Graph.withCoverage(desk, {
      flows: { book: 3 },
      steps: { "book/city": 2 },
      branches: { "book/city/many": 1 }
    })
    expect(graph.flows.map(({ count }) => count)).toEqual([3, 0, 0])
    expect(graph.steps.find(({ id }) => id === "book/city")!.count).toBe(2)
    expect(graph.edges.filter(({ kind }) => kind === "branch").map(({ count }) => count)).toEqual([0, 1, 0, 0, 0, 0])
    expect(graph.steps.find(({ kind }) => kind === "completed")).not.toHaveProperty("count")
    for (const picture of [Graph.toMermaid(graph), Graph.toDot(graph), GraphSvg.toSvg(graph)]) {
      expect(picture).toContain("3×")
    }
    const reported = [
      { kind: "flow", name: "book", turns: 3 },
      { kind: "step", name: "book/city", turns: 2 },
      { kind: "branch", name: "book/city/many", turns: 1 },
      { kind: "tool", name: "rooms", turns: 9 }
    ]
    expect(Graph.withCoverage(desk, reported)).toEqual(graph)
  })

  it("`withCoverage` counts 0 on an edge from or to a step that was never visited", () => {
    const graph = Graph.withCoverage(shop, [
      { kind: "flow", name: "order", turns: 4 },
      { kind: "step", name: "order/item", turns: 4 },
      { kind: "step", name: "order/thanks", turns: 1 }
    ])
    const count = (id: string) => graph.edges.find((edge) => edge.id === id)?.count
    expect(count("order/item next")).toBeUndefined()
    expect(count("order/thanks next")).toBe(0)
    expect(count("order/pay after 2 hours")).toBe(0)
    expect(count("* on stolen")).toBe(0)
    expect(count("*/person")).toBe(0)
    expect(graph.steps.find(({ id }) => id === "*")).not.toHaveProperty("count")
    // Unvisited parts are drawn pale.
    expect(Graph.toMermaid(graph)).toContain("class f1 never")
    expect(Graph.toMermaid(graph)).toMatch(/pay.*:::never/)
    expect(Graph.toDot(graph)).toContain("fontcolor")
    expect(GraphSvg.toSvg(graph)).toContain("class=\"box never\"")
    expect(GraphSvg.toSvg(graph)).toContain("class=\"line leap never\"")
    expect(GraphSvg.toSvg(shop)).not.toContain("never\"")
  })
})

/** The unclosed tags and stray angle brackets of an SVG. */
const problemsOf = (svg: string): ReadonlyArray<string> => {
  const open: Array<string> = []
  const problems: Array<string> = []
  const rest = svg.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<>]*")*)(\/?)>/g,
    (_, close: string, name: string, _a, self: string) => {
      if (close === "/" && open.pop() !== name) problems.push(name)
      if (close === "" && self === "") open.push(name)
      return ""
    }
  )
  if (/[<>]/.test(rest.replace(/\.bg\{[^<]*\}\}/, ""))) problems.push(rest)
  return [...problems, ...open]
}

describe("hostile names in a definition", () => {
  const nasty = fc.oneof(
    fc.constantFrom(
      "a --> b",
      "\"quoted\" <b>&amp;</b>",
      "`code`\n\nend",
      "%%{init}%%",
      "1. list",
      "\\\" ]] }",
      "\u0000\u001b[31m\ud800",
      "日本語の流れ",
      "</style><script>"
    ),
    fc.string({ unit: "grapheme" })
  ).filter((text) => text.trim() !== "")

  it("are escaped in every format", () => {
    fc.assert(
      fc.property(nasty, nasty, nasty, (title, id, when) => {
        const graph = Graph.withCoverage(
          Graph.make({
            name: title,
            branches: [{ id, when, then: title }],
            signals: [{ id, title: when, handler: () => ({ goTo: "x" }) }],
            flows: [{
              title,
              when,
              on: { [title]: id, [when]: () => undefined },
              steps: [{ id, prompt: "x", tools: [id], branches: [{ when, then: id }, { when, then: title }] }, {
                id: `${id}2`,
                collect: [when],
                requires: [id]
              }]
            }]
          }),
          { flows: {}, steps: {}, branches: {} }
        )
        expect(problemsOf(GraphSvg.toSvg(graph))).toEqual([])
        for (const line of Graph.toMermaid(graph).split("\n")) {
          // The labels of a line contain no character with a meaning in Mermaid.
          const labels = Array.from(line.matchAll(/"([^"]*)"/g), (match) => match[1]!)
          for (const label of labels) {
            expect(label.replaceAll("<br/>", " ").replace(/#\d+;/g, "")).toMatch(/^[\p{L}\p{N} ,:?!'/.×]*$/u)
          }
          expect((line.match(/"/g) ?? []).length % 2).toBe(0)
        }
        // Outside of its strings, the dot file contains nothing of the names.
        const dot = Graph.toDot(graph).replace(/"(?:[^"\\]|\\.)*"/g, "")
        expect(dot).not.toMatch(/["`<]|script/)
      }),
      { seed: 11, ...runs(150).fastCheck }
    )
  })
})

describe("pictures of a graph", () => {
  const boxes = (svg: string) =>
    svg.split("<g id=").slice(1).map((flow) =>
      Array.from(
        flow.matchAll(
          /<rect class="(?:box|end|jump|nowhere)[^"]*" x="([-\d.]+)" y="([-\d.]+)" width="([-\d.]+)" height="([-\d.]+)"/g
        ),
        (m) => m.slice(1).map(Number) as [number, number, number, number]
      )
    )

  it("have boxes that do not overlap and lie inside the picture", () => {
    for (
      const svg of [
        ...Object.values(pictures),
        fs.readFileSync(fileURLToPath(new URL(`../../../${covered.name}`, import.meta.url)), "utf8"),
        GraphSvg.toSvg(desk),
        GraphSvg.toSvg(shop),
        GraphSvg.toSvg(desk, { width: 300 })
      ]
    ) {
      expect(problemsOf(svg)).toEqual([])
      for (const flow of boxes(svg)) {
        expect(flow.length).toBeGreaterThan(0)
        flow.forEach(([x, y, w, h], i) => {
          expect(x).toBeGreaterThan(0)
          for (const [x2, y2, w2, h2] of flow.slice(i + 1)) {
            expect(x + w <= x2 || x2 + w2 <= x || y + h <= y2 || y2 + h2 <= y).toBe(true)
          }
        })
      }
    }
  })

  for (const [name, svg] of Object.entries(pictures)) {
    it(`${name} equals the picture that "npm run pictures" draws`, () => {
      const file = fileURLToPath(new URL(`../../../${name}`, import.meta.url))
      expect(fs.readFileSync(file, "utf8")).toBe(svg)
    })
  }

  it("include every flow of the demo", () =>
    expect(Graph.make(Hotel.definition).flows.map(({ title }) => title)).toEqual(
      Hotel.definition.flows.map(({ title }) => title)
    ))
})

/** Hand-over, approvals, read-back, events, jobs and timers in a graph. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Job, type Tool } from "coxswain"
import * as Graph from "coxswain/graph"
import * as GraphSvg from "coxswain/layers/graph-svg"
import { DateTime, Schema } from "effect"

class Report extends Job.make("report", { payload: { order: Schema.String }, success: Schema.String }) {}

const kit = Agent.define({
  data: Schema.Struct({ order: Schema.String, phone: Schema.String }),
  events: { paid: Schema.Struct({ euros: Schema.Number }), stolen: Schema.Struct({}) },
  jobs: [Report]
})

const tool = (id: string, needsApproval: Tool.ApprovalNeed<unknown, unknown> | (() => boolean)) =>
  kit.tool({ id, needsApproval, handler: () => "done" })

const pay = tool("pay", () => true)
const cancel = tool("cancel", { by: "user" })
const refund = tool("refund", { by: "manager" })
const ship = tool("ship", { autoApprove: () => true })
const close = tool("close", true)
const look = tool("look", false)

const shop = Graph.make(kit.agent({
  name: "Shop",
  tools: [look, pay],
  branches: [{ id: "person", when: "wants a person", then: { handOff: "person", reason: "asked for one" } }],
  on: {
    stolen: "Order",
    [Report.completed]: ({ event }) => ({ reply: event }),
    [Report.failed]: ({ event }) => ({ reply: String(event), goTo: "Order" })
  },
  handOff: { after: { "5 minutes": { reply: "Please stay with us." }, "20 minutes": "Call back" } },
  signals: [kit.signal({ id: "angry", phase: "pre", when: "is angry", handler: () => ({ handOff: "person" }) })],
  flows: [
    {
      title: "Order",
      tools: [refund],
      onComplete: ({ data }) => data.phone === undefined ? { handOff: "person" } : undefined,
      steps: [
        { id: "which", collect: ["order"], confirm: true, tools: [cancel, look] },
        { id: "pay", prompt: "Let them pay", onlyTools: ["pay"], on: { paid: { complete: true } } },
        { id: "ship", call: ship.with({}), then: { ok: "close", failed: { handOff: "person" } } },
        { id: "close", call: close.with({}), then: { failed: { handOff: "person" } } },
        { id: "send", call: look.with({}), then: { ok: "which" } }
      ]
    },
    { title: "Call back", steps: [{ id: "phone", collect: ["phone"] }] }
  ]
}))

const step = (id: string) => shop.steps.find((one) => one.id === id)
const from = (id: string, graph = shop) =>
  graph.edges.filter((one) => one.from === id).map(({ id, label, to }) => [id, label, to])

describe("a graph of hand-over and approvals", () => {
  it("has a node for a hand-over to a person, with the timers that run during the hand-over", () => {
    expect(from("order/ship")).toEqual([
      ["order/ship/ok", "ok", "order/close"],
      ["order/ship/failed", "failed", "order/ person"]
    ])
    expect(step("order/ person")).toMatchObject({ flow: "order", kind: "person", title: "a person takes over" })
    expect(from("order/ completed")).toEqual([["order/ completed follows", "if code says so", "order/ person"]])
    expect(from("*").filter(([, , to]) => to === "*/ person").map(([id]) => id)).toEqual(["*/person", "* signal angry"])
    expect(step("*/ person")).toMatchObject({ flow: "*", kind: "person", hears: ["after 5 minutes"] })
    expect(from("*/ person")).toEqual([["handOff after 20 minutes", "after 20 minutes", "call-back/phone"]])
    expect(step("call-back/ person")).toBeUndefined()
  })

  it("has a next edge from a step with `call` only if its `then` has no target for `ok`", () => {
    expect(from("order/close")).toEqual([
      ["order/close/failed", "failed", "order/ person"],
      ["order/close next", "ok", "order/send"]
    ])
    expect(from("order/send")).toEqual([["order/send/ok", "ok", "order/which"]])
  })

  it("lists for each step whether it has `confirm`, the tool it calls, and who must approve its tools", () => {
    expect(step("order/which")).toMatchObject({
      confirms: true,
      approvals: [{ tool: "cancel", by: "user", always: true }]
    })
    expect(step("order/pay")).toMatchObject({ onlyTools: ["pay"], approvals: [{ tool: "pay", always: false }] })
    expect(step("order/ship")).toMatchObject({ calls: "ship", approvals: [{ tool: "ship", always: false }] })
    expect(step("order/close")).toMatchObject({ calls: "close", approvals: [{ tool: "close", always: true }] })
    expect(step("order/send")).toMatchObject({ calls: "look" })
    expect(step("order/send")).not.toHaveProperty("approvals")
    expect(step("call-back/phone")).not.toHaveProperty("confirms")
    expect(shop).toMatchObject({ tools: ["look", "pay"], approvals: [{ tool: "pay", always: false }] })
    expect(shop.flows.map(({ approvals }) => approvals)).toEqual([
      [{ tool: "refund", by: "manager", always: true }],
      undefined
    ])
  })

  it("shows hand-over and approvals in every format", () => {
    const texts = (picture: string) =>
      picture.replace(/<br\/>|<\/text><text[^>]*>/g, " ").replace(/#(\d+);/g, (_, n) => String.fromCharCode(Number(n)))
    for (const picture of [Graph.toMermaid(shop), Graph.toDot(shop), GraphSvg.toSvg(shop)].map(texts)) {
      for (
        const said of [
          "a person takes over",
          "reads back, waits for a yes",
          "cancel (the user agrees), look",
          "refund (manager approves)",
          "of all tools only pay (may need approval)",
          "calls close (a person approves)",
          "after 5 minutes: stays",
          "on report.completed: stays",
          "on report.failed, if code says so"
        ]
      ) expect(picture.replace(/\\n/g, " ")).toContain(said)
    }
    expect(GraphSvg.toSvg(shop)).toContain("look, pay (may need approval)")
  })

  it("is encoded and decoded by its Schema, with and without coverage", () => {
    for (const graph of [shop, Graph.withCoverage(shop, [])]) {
      const json = JSON.parse(JSON.stringify(Schema.encodeSync(Graph.Graph)(graph))) as unknown
      expect(Schema.decodeUnknownSync(Graph.Graph)(json)).toEqual(graph)
    }
  })
})

describe("overlays on a graph of hand-over and approvals", () => {
  const at = DateTime.unsafeMake(0)
  const place = (id: string) => ({ id, title: id, enteredAt: at })
  const people = (session: Partial<Parameters<typeof Graph.withSession>[1]>) =>
    Graph.withSession(shop, { suspended: [], flowHistory: [], ...session }).steps
      .filter(({ kind, mark }) => kind === "person" && mark === "current").map(({ id }) => id)

  it("`withSession` marks the hand-over node of the current flow, else the global one", () => {
    const handOver = { since: at }
    expect(people({ currentFlow: place("order"), handOver })).toEqual(["order/ person"])
    expect(people({ currentFlow: place("call-back"), handOver })).toEqual(["*/ person"])
    expect(people({ currentFlow: place("order") })).toEqual([])
  })

  const covered = Graph.withCoverage(shop, [
    { kind: "step", name: "order/which", turns: 4 },
    { kind: "step", name: "order/pay", turns: 3 },
    { kind: "handler", name: "* on stolen", turns: 2 },
    { kind: "handler", name: "* on report.completed", turns: 5 },
    { kind: "handler", name: "* on report.failed", turns: 4 },
    { kind: "handler", name: "handOff after 5 minutes", turns: 1 },
    { kind: "signal", name: "angry", turns: 6 }
  ])
  const count = (id: string) => covered.edges.find((edge) => edge.id === id)?.count

  it("`withCoverage` puts a handler's count on its edge, or in its node if code chooses the target", () => {
    expect(count("* on stolen")).toBe(2)
    expect(count("order/pay on paid")).toBe(0)
    expect(count("handOff after 20 minutes")).toBe(0)
    // Code decides the target each time.
    expect(covered.edges.find(({ id }) => id === "* on report.failed")).not.toHaveProperty("count")
    expect(covered.steps.find(({ id }) => id === "*")?.heard).toEqual([
      { handler: "on report.completed", count: 5 },
      { handler: "on report.failed", count: 4 },
      { handler: "signal angry", count: 6 }
    ])
    expect(covered.steps.find(({ id }) => id === "*/ person")?.heard).toEqual([{
      handler: "after 5 minutes",
      count: 1
    }])
    expect(GraphSvg.toSvg(covered)).toContain("on report.completed: stays, 5×")
    expect(GraphSvg.toSvg(covered)).toContain("on report.failed: 4×")
  })

  it("`withCoverage` shows no counts of handlers if the coverage has none", () => {
    const { edges, steps } = Graph.withCoverage(shop, { flows: {}, steps: { "order/which": 1 }, branches: {} })
    expect(edges.find(({ id }) => id === "* on stolen")).not.toHaveProperty("count")
    expect(steps.some(({ heard }) => heard !== undefined)).toBe(false)
  })
})

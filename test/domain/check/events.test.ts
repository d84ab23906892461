import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import * as Check from "coxswain/check"
import { Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({ paid: Schema.Number }),
  events: { settled: Schema.Struct({ amount: Schema.Number }) }
})

/** Checks a flow with a step for payment, and the given differences. */
const order = (pay: object, more: ReadonlyArray<object> = [], agent: object = {}) =>
  Check.check(kit, {
    name: "Shop",
    ...agent,
    flows: [{
      title: "Order",
      steps: [
        {
          id: "pay",
          prompt: "Ask to pay",
          until: ({ data }: { data: { paid?: number } }) => data.paid !== undefined,
          ...pay
        },
        ...more
      ]
    }]
  } as never)

const codes = ({ findings }: Check.Report) => findings.map(({ code, path, severity }) => [severity, code, path])

const settles = {
  on: { settled: ({ event }: { event: { amount: number } }) => ({ dataUpdate: { paid: event.amount } }) }
}

describe("the checker's report on a definition with event handlers", () => {
  it("has no finding when an event handler writes the value for which the step waits", () => {
    const report = order(settles, [{ id: "thank", requires: ["paid"], reply: "Thank you!" }])
    expect(codes(report), Check.render(report)).toEqual([])
    expect(report.cut).toBe(false)
    expect(report.turns).toBeGreaterThan(0)
  })

  it("has no finding when a timer or an event handler of the agent leads out of the waiting step", () => {
    const later = [
      { id: "thank", prompt: "Thank", branches: [{ then: { complete: true } }] },
      { id: "sorry", reply: "We gave it away." }
    ]
    expect(codes(order({ ...settles, after: { "1 day": "sorry" } }, later))).toEqual([])
    expect(codes(order({}, later.slice(0, 1), settles))).toEqual([])
  })

  it("has an error when no event leads out of a step", () => {
    const report = order({ until: () => false, on: { settled: { reply: "Thank you." } } }, [{
      id: "thank",
      reply: "Bye"
    }])
    expect(codes(report)).toEqual([["error", "no-way-out", "flows[0].steps[0]"]])
  })

  it("has an error for a step that no event or timer reaches", () => {
    const ends = { branches: [{ then: { complete: true } }] }
    const later = [{ id: "thank", prompt: "Thank", ...ends }, { id: "sorry", reply: "We gave it away." }]
    expect(codes(order(settles, later))).toEqual([["error", "unreachable-step", "flows[0].steps[2]"]])
  })

  it("has the errors that `make` reports", () => {
    const report = order({ on: { settled: "nowhere" } })
    expect(report.findings).toMatchObject([{ severity: "error", code: "unknown-target" }])
  })
})

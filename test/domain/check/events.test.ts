import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Schema } from "effect"

const kit = Agent.define({
  data: Schema.Struct({ paid: Schema.Number }),
  events: { settled: Schema.Struct({ amount: Schema.Number }) }
})

describe("a definition that hears events", () => {
  it("is not walked, and the report says that it was cut", () => {
    const report = kit.check({
      name: "Shop",
      flows: [{
        title: "Order",
        steps: [{
          id: "pay",
          prompt: "Ask to pay",
          until: ({ data }) => data.paid !== undefined,
          on: { settled: ({ event }) => ({ dataUpdate: { paid: event.amount } }) }
        }]
      }]
    })
    expect(report).toMatchObject({ findings: [], cut: true })
  })

  it("is refused as make refuses it", () => {
    const report = kit.check({
      name: "Shop",
      flows: [{ title: "Order", steps: [{ id: "pay", prompt: "Pay", on: { settled: "nowhere" } }] }]
    })
    expect(report.findings).toMatchObject([{ severity: "error", code: "unknown-target" }])
  })
})

import { describe, expect, it } from "@effect/vitest"
import { Session } from "coxswain"
import * as DateTime from "effect/DateTime"
import * as Remark from "../../src/cli/Remark.js"

const blank = Session.make({ id: "u1", now: DateTime.unsafeMake(0), data: {} })
const now = DateTime.unsafeMake(0)

describe("the printed state of a conversation", () => {
  it("has no lines about partial values or a takeover for a new session", () => {
    expect(Remark.halfway(blank)).toEqual([])
  })

  it("shows the known parts of a partial value", () => {
    expect(Remark.state({ ...blank, partial: { address: { zip: "1010" } } }))
      .toContain("in part: address {\"zip\":\"1010\"}")
  })

  it("shows which person has taken over", () => {
    const floor = (by?: { readonly id: string; readonly name?: string } | string) =>
      Remark.halfway({ ...blank, handOver: { since: now, ...(by !== undefined && { by }) } })
    expect([floor(), floor("ben"), floor({ id: "ben" }), floor({ id: "7", name: "Ben" })].flat()).toEqual([
      "floor: waits for a person",
      "floor: ben",
      "floor: ben",
      "floor: Ben"
    ])
  })
})

describe("the form of the waiting step", () => {
  const form = {
    type: "object",
    title: "Your stay",
    properties: {
      city: {
        title: "City",
        type: "string",
        suggestions: [{ value: "LIS", label: "Lisbon" }, { value: "Faro", label: "Faro" }]
      },
      guests: { title: "Guests", type: "integer", description: "1 to 8" }
    },
    required: ["city"],
    additionalProperties: false
  } as const

  it("lists the fields with what they take and their choices", () => {
    expect(Remark.expected(form)).toEqual([
      "form \"Your stay\", answer in your own words:",
      "  City, string: Lisbon (LIS) | Faro",
      "  Guests (optional), 1 to 8"
    ])
  })

  it("lists the messages that somebody may choose", () => {
    const { title: _, ...rest } = form
    expect(
      Remark.expected({
        ...rest,
        properties: {},
        required: [],
        suggestions: [{ value: "No, thanks", label: "No, thanks" }]
      })
    )
      .toEqual(["choices: No, thanks"])
  })

  it("is not shown for a plain question", () => {
    const { city: _, ...properties } = form.properties
    expect(Remark.expected({ ...form, properties, required: [] })).toEqual([])
  })
})

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

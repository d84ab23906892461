import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as PredicateJudge from "../../../../src/domain/check/knowledge/PredicateJudge.js"
import * as Shape from "../../../../src/domain/check/shape/Shape.js"
import { ways } from "../../../../src/domain/check/walk/Path.js"
import type { Place } from "../../../../src/domain/check/walk/Position.js"
import * as Walk from "../../../../src/domain/check/walk/Walk.js"
import type { ErasedAgent } from "../../../../src/domain/definition/Erase.js"
import * as Fields from "../../../../src/domain/fields/Fields.js"

/** A definition as the checker walks it, and a conversation that waits at a step of its only flow. */
const waiting = (
  declared: Schema.Struct.Fields,
  steps: ReadonlyArray<object>,
  at: { readonly step: number; readonly known?: ReadonlyArray<string> }
) => {
  const fields = Fields.fromStruct(Schema.Struct(declared))
  const options = { name: "Bot", flows: [{ title: "F", steps }] }
  const world = {
    shape: Shape.make(options as unknown as ErasedAgent, fields),
    judge: PredicateJudge.make(fields, []),
    obtainable: new Set(fields.keys()),
    tooled: new Set<string>(),
    happening: { events: {}, jobs: [] }
  }
  const place: Place = {
    flow: 0,
    step: at.step,
    standing: "entered",
    spoken: true,
    known: new Set(at.known ?? fields.keys()),
    confirmed: new Set(),
    skipped: new Set(),
    reading: false
  }
  return { world, place }
}

/** The steps that a conversation takes which waits in `talk`, knows all fields, and then withdraws the city. */
const withoutCity = (dependsOn: ReadonlyArray<string>, talk: object = {}, first = ["name"]) => {
  const hotel = Schema.String.annotations({ dependsOn })
  const { place, world } = waiting({ city: Schema.String, hotel, name: Schema.String }, [
    { id: "name", collect: first },
    { id: "hotel", collect: ["hotel"] },
    { id: "talk", prompt: "Talk", ...talk },
    { id: "done", prompt: "Bye", requires: ["name"] }
  ], { step: 2 })
  return ways(Walk.answer(world, place, { _tag: "TakenBack", name: "city" }), 100).ways.map(({ outcome, trail }) => ({
    trail,
    known: outcome._tag === "Waits" ? Array.from(outcome.place.known) : outcome._tag
  }))
}

describe("withdrawing a value, in the checker's walk", () => {
  it("removes the fields that depend on the value; the flow returns to the step that asks for them", () => {
    expect(withoutCity(["city"])).toEqual([{ trail: ["f/hotel"], known: ["name"] }])
  })

  it("removes no other fields", () => {
    expect(withoutCity([])).toEqual([{ trail: ["f/done"], known: "Ends" }])
  })

  it("returns from a waiting step that requires the value to the step that asks for the value", () => {
    const holds = { until: () => false }
    const required = { ...holds, requires: ["city"] }
    expect(withoutCity([], required, ["name", "city"])).toEqual([{ trail: ["f/name"], known: ["hotel", "name"] }])
    expect(withoutCity([], required)).toEqual([{ trail: [], known: ["hotel", "name"] }])
    expect(withoutCity([], holds)).toEqual([{ trail: ["f/talk"], known: ["hotel", "name"] }])
  })
})

describe("a permission check that names missing fields, in the checker's walk", () => {
  /** The steps that the walk passes after a message whose walk reaches a call with this permission check. */
  const trails = (checkPermissions: unknown, known: ReadonlyArray<string>) => {
    const pay = { id: "pay", description: "Pay", parameters: {}, checkPermissions, handler: () => "paid" }
    const { place, world } = waiting({ city: Schema.String, email: Schema.String }, [
      { id: "talk", prompt: "Talk" },
      { id: "call", call: { tool: pay, args: {} }, then: { ok: "done", denied: "done" } },
      { id: "done", prompt: "Done", ends: true },
      { id: "email", collect: ["email"] }
    ], { step: 0, known })
    return new Set(ways(Walk.answer(world, place), 100).ways.flatMap(({ trail }) => trail))
  }
  const gate = () => ({ allowed: false, missing: ["email"] })

  it("leads to the step that collects a missing field, unless that field is known", () => {
    expect(trails(gate, [])).toContain("f/email")
    expect(trails(gate, ["email"])).not.toContain("f/email")
    expect(trails(() => ({ allowed: false }), [])).not.toContain("f/email")
  })
})

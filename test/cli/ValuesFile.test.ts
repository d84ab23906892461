/** The values for simulated users, as the command line gives them. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Option, Schema } from "effect"
import * as ValuesFile from "../../src/cli/ValuesFile.js"
import { runtimeOf } from "../../src/pipeline/state/agentInternals.js"

const read = (text: string) =>
  Effect.gen(function*() {
    const kit = Agent.define({
      data: Schema.Struct({
        name: Schema.NonEmptyString,
        day: Schema.Date,
        price: Schema.Number.annotations({ extract: "never" })
      })
    })
    const agent = yield* kit.make({
      name: "Desk",
      flows: [{ title: "Talk", optionalFields: ["price"], steps: [{ collect: ["name", "day"], prompt: "Ask" }] }]
    })
    return yield* ValuesFile.read(Option.some(text), { runtime: runtimeOf(agent)! })
  }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory]))

describe("the option `--values`", () => {
  it.effect("takes encoded values by field", () =>
    Effect.map(
      read("{\"name\":[\"Ann\",\"Bo\"],\"day\":[\"2030-01-02\"]}"),
      (found) => expect(found).toEqual({ values: { name: ["Ann", "Bo"], day: ["2030-01-02"] } })
    ))

  for (
    const [text, why] of [
      ["{\"nmae\":[\"Ann\"]}", "nmae: the agent has no such field; did you mean name?"],
      ["{\"__proto__\":[\"Ann\"]}", "__proto__: the agent has no such field"],
      ["{\"name\":\"Ann\"}", "name: must be a list of values, with at least one"],
      ["{\"name\":[]}", "name: must be a list of values, with at least one"],
      ["{\"name\":[\"Ann\",\"\"],\"day\":[\"soon\"]}", "name[1]: "],
      ["{\"name\":[\"Ann\",\"\"],\"day\":[\"soon\"]}", "; day[0]: "],
      ["{\"price\":[2]}", "price: no message states it, only code writes it"],
      ["{\"name\"", "Write lists by field"],
      ["nowhere.json", "no such file"]
    ] as const
  ) {
    it.effect(`refuses ${text}: ${why}`, () =>
      Effect.map(Effect.flip(read(text)), (error) => {
        expect(error._tag).toBe("Unusable")
        expect(error.message).toContain(why)
      }))
  }
})

/** Simulated users with jobs, confirmations and withdrawn values. */
import { describe, expect, it } from "@effect/vitest"
import { SessionStore } from "coxswain"
import { ScriptedModel, Simulation } from "coxswain/testing"
import { Effect, Layer } from "effect"
import { kit, make, Report } from "../testing/Reports.js"

const layer = Layer.merge(ScriptedModel.layer(), SessionStore.layerMemory)

describe("a simulation of an agent with jobs", () => {
  it.live(
    "has users that agree, decline and withdraw values, and jobs that complete, fail and report progress",
    () =>
      Effect.gen(function*() {
        const seen = new Set<string>()
        const { coverage } = yield* Simulation.run(yield* make, {
          turns: 150,
          invariants: [{
            name: "what happens is written down",
            broken: ({ act, response }) => {
              seen.add(act._tag === "Say" ? act.behaviour : act._tag === "Tell" ? act.event : act._tag)
              return response === undefined ? "a turn failed" : undefined
            }
          }]
        })
        for (
          const one of ["agree", "decline", "take back", "report.completed", "report.failed", "report.progress"]
        ) expect(seen).toContain(one)
        expect(coverage.filter(({ kind, turns }) => kind === "step" && turns === 0)).toEqual([])
      }).pipe(Effect.provide(layer))
  )

  it.live("finds a job whose failure leaves the flow stuck", () =>
    Effect.gen(function*() {
      const stuck = kit.make({
        name: "Desk",
        flows: [{
          title: "City report",
          on: {
            [Report.completed]: ({ event }) => ({ dataUpdate: { pages: event.pages } }),
            [Report.failed]: () => ({ reply: "Sorry." })
          },
          steps: [
            { id: "city", prompt: "Ask for the city", collect: ["city"] },
            { id: "ask", reply: "I am on it.", onEnter: ({ data }) => ({ run: Report.of({ city: data.city ?? "" }) }) },
            { id: "done", requires: ["pages"], reply: ({ data }) => `It has ${data.pages} pages.` }
          ]
        }]
      })
      const error = yield* Effect.flip(Simulation.run(yield* stuck, { turns: 400 }))
      expect(error).toMatchObject({ invariant: "no flow is stuck while the user cooperates" })
      expect((error as Simulation.InvariantBroken).turns).toBeLessThanOrEqual(6)
      expect((error as Simulation.InvariantBroken).test).toContain(".event(\"report.failed\", ")
    }).pipe(Effect.provide(layer)))
})

/** `ends`: a step that ends its flow when it has spoken, when its fields are known, or immediately if it is auto. */
import { describe, expect, it } from "@effect/vitest"
import * as Check from "coxswain/check"
import * as Graph from "coxswain/graph"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import * as Stage from "../../support/Stage.js"

const { kit } = Stage
const table = kit.flow({
  id: "table",
  title: "Table",
  when: "a table",
  steps: [{ id: "ask", prompt: "Sure?", until: () => false }]
})
const trip = {
  id: "trip",
  title: "Trip",
  when: "a trip",
  optionalFields: ["note"],
  onComplete: () => ({ dataUpdate: { note: "completed" } })
} as const
const desk = { name: "Desk", idle: { prompt: "Nothing to do" } } as const
const never = { id: "never", reply: "Never." } as const

describe("a step with `ends`", () => {
  it.effect("completes its flow when the step speaks, although later steps and required fields are open", () => {
    const flow = kit.flow({
      ...trip,
      requiredFields: ["city"],
      steps: [{ id: "bye", reply: "Bye.", ends: true }, never]
    })
    return play(kit.make({ ...desk, flows: [flow, table] }), [
      {
        say: "A trip",
        wants: "trip",
        then: { at: "nowhere", said: "Bye.", completed: ["trip"], data: { note: "completed" }, reason: "completed" }
      }
    ])
  })

  it.effect("aborts its flow with `ends: 'abort'`", () =>
    Effect.gen(function*() {
      const flow = kit.flow({ ...trip, steps: [{ id: "no", prompt: "No", ends: "abort" }, never] })
      const { responses } = yield* play(kit.make({ ...desk, flows: [flow, table] }), [
        {
          say: "A trip",
          wants: "trip",
          then: { at: "nowhere", said: "No", completed: [], aborted: ["trip"], data: {} }
        }
      ])
      expect(responses[0]?.abortedFlows).toEqual([{ flowId: "trip", reason: "step \"no\" ends it" }])
    }))

  it.effect("waits for the fields that the step collects; a branch with `when` can still leave the step", () => {
    const flow = kit.flow({
      ...trip,
      steps: [
        {
          id: "city",
          prompt: "Which city?",
          collect: ["city"],
          ends: true,
          branches: [{ when: "no city", then: "never" }]
        },
        { id: "never", reply: "Never.", ends: "abort" }
      ]
    })
    const agent = kit.make({ ...desk, flows: [flow, table] })
    return Effect.zipRight(
      play(agent, [
        { say: "A trip", wants: "trip", then: { at: "trip/city", completed: [] } },
        { say: "Porto", states: { city: "Porto" }, then: { at: "nowhere", said: "Nothing to do", completed: ["trip"] } }
      ]),
      play(agent, [
        { say: "A trip", wants: "trip", then: { at: "trip/city" } },
        { say: "None", holds: ["no city"], then: { at: "nowhere", said: "Never.", completed: [], aborted: ["trip"] } }
      ])
    )
  })

  it.effect("completes its flow also when the step is skipped because its fields are known", () => {
    const flow = kit.flow({
      ...trip,
      steps: [{ id: "city", collect: ["city"], prompt: "Which city?", ends: true }, never]
    })
    return play(kit.make({ ...desk, flows: [flow, table] }), [
      {
        say: "A trip to Porto",
        wants: "trip",
        states: { city: "Porto" },
        then: { steps: [], said: "Nothing to do", completed: ["trip"], reason: "completed" }
      }
    ])
  })

  it.effect("a step with `ends` that is `auto` ends its flow immediately, unless one of its branches matches", () => {
    const flow = kit.flow({
      ...trip,
      steps: [
        { id: "city", collect: ["city"], prompt: "Which city?" },
        { id: "far", auto: true, ends: true, branches: [{ if: ({ data }) => data.city === "Porto", then: "near" }] },
        { id: "near", reply: "It is near." }
      ]
    })
    const agent = kit.make({ ...desk, flows: [flow, table] })
    return Effect.zipRight(
      play(agent, [
        { say: "Lima", wants: "trip", states: { city: "Lima" }, then: { said: "Nothing to do", completed: ["trip"] } }
      ]),
      play(agent, [
        { say: "Porto", wants: "trip", states: { city: "Porto" }, then: { said: "It is near.", completed: ["trip"] } }
      ])
    )
  })

  it.effect("makes the suspended flow the current one; that flow speaks in the next turn", () => {
    const flow = kit.flow({ ...trip, steps: [{ id: "bye", reply: "Bye.", ends: true }, never] })
    return play(kit.make({ ...desk, flows: [flow, table] }), [
      { say: "A table", wants: "table", then: { at: "table/ask" } },
      { say: "A trip", wants: "trip", then: { at: "table/ask", said: "Bye.", completed: ["trip"], suspended: [] } },
      { say: "So?", then: { at: "table/ask", said: "Sure?" } }
    ])
  })

  it.effect("follows the directive that `finalize` returns instead of `ends`", () => {
    const flow = kit.flow({
      ...trip,
      steps: [{ id: "bye", reply: "Bye.", ends: "abort", finalize: () => ({ complete: true }) }, never]
    })
    return play(kit.make({ ...desk, flows: [flow, table] }), [
      { say: "A trip", wants: "trip", then: { completed: ["trip"], aborted: [] } }
    ])
  })

  it.effect("is refused by `make` together with contradictory options", () =>
    Effect.gen(function*() {
      const { layer } = yield* Stage.make()
      const found = (step: object) =>
        Effect.flip(
          kit.make({ name: "Bot", flows: [{ title: "F", steps: [step as { prompt: "x" }, { prompt: "y" }] }] })
        ).pipe(
          Effect.map((error) => "issues" in error ? error.issues.map(({ path, what }) => [path, what]) : []),
          Effect.provide(layer)
        )
      expect(yield* found({ prompt: "x", ends: true, neverCompletes: true })).toEqual([
        ["flows[0].steps[0].ends", "ends with neverCompletes"]
      ])
      const twice = [["flows[0].steps[0].branches", "branches on a step that ends the flow"]]
      expect(yield* found({ prompt: "x", ends: true, branches: [{ when: "yes", then: { reply: "y" } }] })).toEqual(
        twice
      )
      expect(yield* found({ collect: ["city"], ends: true, branches: [{ then: { abort: "x" } }] })).toEqual(twice)
      expect(yield* found({ prompt: "x", ends: false })).toHaveLength(1)
    }))
})

describe("for a step with `ends`", () => {
  const options = {
    name: "Bot",
    flows: [{
      title: "F",
      when: "f",
      steps: [
        { id: "city", collect: ["city"], prompt: "Which city?", branches: [{ when: "no city", then: "none" }] },
        { id: "done", reply: "Done.", ends: true },
        {
          id: "none",
          collect: ["name"],
          prompt: "A name, then?",
          branches: [{ when: "no name", then: "done" }],
          ends: "abort"
        }
      ]
    }]
  }

  it("the graph has an edge to the end of the flow", () => {
    const { edges, steps } = Graph.make(options)
    const from = (id: string) => edges.filter((one) => one.from === id).map(({ kind, label, to }) => [kind, label, to])
    expect(from("f/done")).toEqual([["next", "", "f/ completed"]])
    expect(from("f/none")).toEqual([["branch", "no name", "f/done"], ["next", "otherwise", "f/ aborted"]])
    expect(steps.map(({ kind }) => kind)).toContain("aborted")
  })

  it("the checker has no finding, but reports the step after it as unreachable", () => {
    expect(Check.render(Check.check(kit, options as never))).toContain("no findings")
    const [flow] = options.flows
    const report = Check.check(kit, {
      ...options,
      flows: [{ ...flow, steps: [...flow!.steps.slice(0, 2), { id: "after", prompt: "x" }, flow!.steps[2]] }]
    } as never)
    expect(report.findings.map(({ code, path }) => [code, path])).toEqual([["unreachable-step", "flows[0].steps[2]"]])
  })
})

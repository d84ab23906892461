/** `neverCompletes`, `isComplete` and `response.progress`. */
import { describe, expect, it } from "@effect/vitest"
import * as Check from "coxswain/check"
import * as Graph from "coxswain/graph"
import { Effect } from "effect"
import * as Stage from "../support/Stage.js"

const { at, kit, steps, talk } = Stage

const other = kit.flow({ title: "Other", when: "wants another", steps: [{ id: "say", prompt: "Other" }] })
const scores = (flows: Readonly<Record<string, number>>) => ({ flowScores: flows })

describe("a step with `neverCompletes`", () => {
  const make = (more: object = {}) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ message }) => message === "other" ? scores({ other: 90 }) : scores({ booking: 90 })
      })
      const booking = kit.flow({
        title: "Booking",
        when: "wants a room",
        hooks: { onComplete: () => ({ dataUpdate: { note: "completed" } }) },
        optionalFields: ["note"],
        steps: [{ id: "done", reply: "It is booked.", neverCompletes: true, ...more }, {
          id: "after",
          prompt: "never reached"
        }]
      })
      const agent = yield* kit.make({ name: "Bot", flows: [booking, other] }).pipe(Effect.provide(stage.layer))
      return talk(agent)
    })

  it.effect("stays the current step, and speaks again at each message", () =>
    Effect.gen(function*() {
      const respond = yield* make()
      for (const message of ["book", "thanks", "and?"]) {
        const response = yield* respond(message)
        expect(response).toMatchObject({ message: "It is booked.", isFlowComplete: false })
        expect(at(response)).toBe("booking/done")
      }
    }))

  it.effect("completes its flow when another flow is entered, so that the flow is not resumed", () =>
    Effect.gen(function*() {
      const respond = yield* make()
      yield* respond("book")
      const response = yield* respond("other")
      expect(response.completedFlows).toEqual(["booking", "other"])
      expect(response.session).toMatchObject({ suspended: [], data: { note: "completed" } })
      expect(response.message).toBe("Other")
    }))

  it.effect("with `onInterrupt: 'suspend'` is suspended when another flow is entered, and resumed later", () =>
    Effect.gen(function*() {
      const respond = yield* make({ onInterrupt: "suspend" })
      yield* respond("book")
      const response = yield* respond("other")
      expect(response.completedFlows).toEqual(["other"])
      expect(at(response)).toBe("booking/done")
    }))

  it.effect("is refused by `make` if the step sends no text, or has `until`", () =>
    Effect.gen(function*() {
      const issues = (step: object) =>
        Effect.map(
          Effect.flip(kit.make({ name: "Bot", flows: [{ title: "F", steps: [step as { prompt: "x" }] }] })),
          (error) => "issues" in error ? error.issues.map(({ path, what }) => [path, what]) : []
        )
      const { layer } = yield* Stage.make()
      const found = (step: object) => Effect.provide(issues(step), layer)
      expect(yield* found({ auto: true, neverCompletes: true })).toContainEqual([
        "flows[0].steps[0].neverCompletes",
        "neverCompletes on a step that says nothing"
      ])
      expect(yield* found({ prompt: "x", neverCompletes: true, until: () => true })).toEqual([
        ["flows[0].steps[0].until", "until on a step that stays"]
      ])
    }))

  it("causes no finding of the checker, and is marked in the graph", () => {
    const options = {
      name: "Bot",
      flows: [{ title: "F", when: "f", steps: [{ id: "end", reply: "Bye.", neverCompletes: true }] }, other]
    }
    expect(Check.render(Check.check(kit, options as never))).toContain("no findings")
    const { edges, steps: nodes } = Graph.make(options)
    expect(nodes[0]?.stays).toBe(true)
    expect(edges.filter(({ from }) => from === "f/end")).toEqual([])
  })
})

describe("the option `isComplete` of a flow", () => {
  const make = (reentrant: boolean | "keep" = false) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ message }) => ({
          ...scores(message === "other" ? { other: 90 } : { booking: 90 }),
          ...(message === "porto" && { fields: { city: "Porto" } }),
          ...(message === "rome" && { fields: { city: "Rome" } })
        })
      })
      const booking = kit.flow({
        title: "Booking",
        when: "wants a room",
        reentrant,
        requiredFields: ["city", "name"],
        isComplete: ({ data }) => data.city === "Rome",
        hooks: { onEnter: () => ({ appendPrompt: ["entered"] }) },
        steps: [
          { id: "city", collect: ["city"], prompt: "Ask for the city" },
          { id: "name", collect: ["name"], prompt: "Ask for the name" }
        ]
      })
      const agent = yield* kit.make({
        name: "Bot",
        idle: { prompt: "Nothing to do" },
        flows: [booking, other],
        on: {}
      }).pipe(Effect.provide(stage.layer))
      return { agent, respond: talk(agent) }
    })

  it.effect("`isComplete` completes the flow before its next step when true, although required fields are missing", () =>
    Effect.gen(function*() {
      const { respond } = yield* make()
      yield* respond("book")
      const response = yield* respond("rome")
      expect(response).toMatchObject({
        completedFlows: ["booking"],
        message: "Nothing to do",
        stoppedReason: "completed"
      })
      expect(response.session.flowHistory).toMatchObject([{ flowId: "booking", completed: true }])
    }))

  it.effect("`isComplete` does not change the flow while false", () =>
    Effect.gen(function*() {
      const { respond } = yield* make()
      yield* respond("book")
      const response = yield* respond("porto")
      expect(at(response)).toBe("booking/name")
    }))

  it.effect("`isComplete` is also evaluated after a step has spoken", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          optionalFields: ["note"],
          isComplete: ({ data }) => data.note === "said",
          steps: [
            { id: "a", prompt: "a", until: () => false, finalize: () => ({ dataUpdate: { note: "said" } }) },
            { id: "b", prompt: "b" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response).toMatchObject({ message: "a", completedFlows: ["f"] })
      expect(steps(response)).toEqual(["f/a"])
    }))

  it.effect("`isComplete` prevents routing to the flow while true", () =>
    Effect.gen(function*() {
      const { agent, respond } = yield* make()
      yield* agent.dispatch("s1", { dataUpdate: { city: "Rome" } })
      yield* respond("other")
      const response = yield* respond("book")
      expect(response).toMatchObject({ message: "Nothing to do", completedFlows: [], executedSteps: [] })
    }))

  it.effect("`isComplete` prevents entering a flow again if `reentrant` is `'keep'`, but not if it is `true`", () =>
    Effect.gen(function*() {
      const { respond } = yield* make(true)
      yield* respond("book")
      yield* respond("rome")
      expect(at(yield* respond("book"))).toBe("booking/city")
      const kept = yield* make("keep")
      yield* kept.respond("book")
      yield* kept.respond("rome")
      expect((yield* kept.respond("book")).executedSteps).toEqual([])
    }))
})

describe("`response.progress`", () => {
  it.effect("counts the current flow's required fields or, if it has none, the fields that its steps collect", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: ({ message }) =>
          message === "all" ? { fields: { city: "Rome", name: "Ann" } } : { fields: { city: "Rome" } }
      })
      const ask = (requiredFields?: ReadonlyArray<"city" | "guests">) =>
        Effect.gen(function*() {
          const agent = yield* kit.make({
            name: "Bot",
            flows: [{
              title: "F",
              ...(requiredFields !== undefined && { requiredFields }),
              steps: [{ id: "a", collect: ["city", "name"], prompt: "a" }, { id: "b", prompt: "b" }]
            }]
          }).pipe(Effect.provide(stage.layer))
          const respond = talk(agent, `s-${String(requiredFields)}`)
          return [(yield* respond("city")).progress, (yield* respond("all")).progress]
        })
      expect(yield* ask()).toEqual([{ flow: "f", completed: ["city"], required: ["city", "name"] }, undefined])
      const [first, second] = yield* ask(["city", "guests"])
      expect(first).toEqual({ flow: "f", completed: ["city"], required: ["city", "guests"] })
      expect(second).toEqual(first)
    }))
})

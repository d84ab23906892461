/** Phase 6: choosing the next step. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { judging, table } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { at, kit, steps, talk } = Stage

const says = (fields: Readonly<Record<string, unknown>>) => ({ fields })

describe("branches of a step", () => {
  it.effect("the first branch whose condition is true is taken", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            {
              id: "start",
              auto: true,
              branches: [{ if: () => false, then: "a" }, { if: () => true, then: "b" }, { then: "c" }]
            },
            { id: "a", prompt: "a" },
            { id: "b", prompt: "b" },
            { id: "c", prompt: "c" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(steps(response)).toEqual(["f/start", "f/b"])
      expect(response.directiveChain).toMatchObject([{ phase: "branch", directive: { goToStep: "b" }, applied: true }])
    }))

  it.effect("a branch without `if` and `when` is the fallback", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: judging() })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "start", auto: true, branches: [{ when: "yes", then: "a" }, { then: "c" }] },
            { id: "a", prompt: "a" },
            { id: "c", prompt: "c" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("c")
    }))

  it.effect("without a matching branch the next step in order follows", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "start", auto: true, branches: [{ if: () => false, then: "c" }] },
            { id: "b", prompt: "b" },
            { id: "c", prompt: "c" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("b")
    }))

  it.effect("a branch can lead to another flow", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ flowScores: { f: 90 } }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          {
            title: "F",
            steps: [{ id: "start", auto: true, branches: [{ then: "Other one" }] }, { id: "b", prompt: "b" }]
          },
          { title: "Other one", when: "never", steps: [{ id: "hi", prompt: "other" }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("other")
      expect(response.session.flowHistory.map(({ flowId }) => flowId)).toEqual(["f", "other-one"])
    }))

  it.effect("a branch with `when` can leave a step that still waits for its field", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: (questions, i) => judging(questions.message)(questions, i) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            {
              id: "city",
              prompt: "which city",
              collect: ["city"],
              branches: [{ when: "no city", then: "end" }, { if: () => true, then: "code" }]
            },
            { id: "code", prompt: "code", collect: ["code"] },
            { id: "end", prompt: "end" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect(at(yield* talk(agent)("hi"))).toBe("f/city")
      // A branch with only `if` is not taken before the step is finished.
      expect(at(yield* talk(agent)("hm"))).toBe("f/city")
      expect((yield* talk(agent)("no city")).message).toBe("end")
    }))
})

describe("skipping of steps", () => {
  it.effect("a step is skipped if its `if` is false, a `skip` predicate is true, or its `when` is judged false", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: judging("true") })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "if", prompt: "x", if: [() => true, () => false] },
            { id: "skip", prompt: "x", skip: [() => false, () => Effect.succeed(true)] },
            { id: "when", prompt: "x", when: "false" },
            { id: "entered", prompt: "here", if: [() => true, () => true], skip: [() => false], when: "true" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(steps(response)).toEqual(["f/entered"])
      expect(response.message).toBe("here")
    }))

  it.effect("a step with `collect` is skipped only when all its fields are known", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => says({ city: "Lisbon" }) })
      const flows = (collect: ReadonlyArray<"city" | "name">) => [{
        title: "F",
        steps: [{ id: "ask", prompt: "ask", collect }, { id: "end", prompt: "end" }]
      }]
      const all = yield* kit.make({ name: "Bot", flows: flows(["city"]) }).pipe(Effect.provide(stage.layer))
      expect(steps(yield* talk(all, "s1")("hi"))).toEqual(["f/end"])
      const some = yield* kit.make({ name: "Bot", flows: flows(["city", "name"]) }).pipe(Effect.provide(stage.layer))
      expect(steps(yield* talk(some, "s2")("hi"))).toEqual(["f/ask"])
    }))

  const passing = (extra: { readonly if?: () => boolean }) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => says({ city: "Lisbon" }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "ask", prompt: "ask", collect: ["city"], branches: [{ then: "far" }], ...extra },
            { id: "near", prompt: "near" },
            { id: "far", prompt: "far" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      return yield* talk(agent)("hi")
    })

  it.effect("a step skipped because its fields are known takes its branches", () =>
    Effect.map(passing({}), (response) => {
      expect(response.message).toBe("far")
      expect(steps(response)).toEqual(["f/far"])
    }))

  it.effect("a step skipped because its `if` is false does not take its branches", () =>
    Effect.map(passing({ if: () => false }), (response) => {
      expect(response.message).toBe("near")
    }))

  it.effect("a current step whose `skip` becomes true is left without taking its branches", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ drop: says({ note: "drop" }) }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          optionalFields: ["note"],
          steps: [
            {
              id: "ask",
              prompt: "ask",
              collect: ["city"],
              skip: ({ data }) => data.note === "drop",
              branches: [{ then: "far" }]
            },
            { id: "near", prompt: "near" },
            { id: "far", prompt: "far" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect(at(yield* talk(agent)("hi"))).toBe("f/ask")
      expect((yield* talk(agent)("drop")).message).toBe("near")
    }))
})

describe("`requires` of a step", () => {
  it.effect("if a required field is missing, the flow goes back to the earliest step that collects the field", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ "I am Ada": says({ name: "Ada" }) }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "jump", auto: true, branches: [{ if: ({ data }) => data.name === undefined, then: "pay" }] },
            { id: "name", prompt: "name", collect: ["name"] },
            { id: "again", prompt: "again", collect: ["name", "city"] },
            { id: "pay", prompt: "pay", requires: ["name"] }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(steps(response)).toEqual(["f/jump", "f/name"])
      expect(at(yield* talk(agent)("I am Ada"))).toBe("f/again")
    }))

  it.effect("if no eligible step collects the required field, the current step waits", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "name", prompt: "name", collect: ["name"], if: () => false },
            { id: "chat", prompt: "chat" },
            { id: "pay", prompt: "pay", requires: ["name"] }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("chat")
      const second = yield* talk(agent)("go on")
      expect(second.message).toBe("chat")
      expect(at(second)).toBe("f/chat")
    }))

  it.effect("if the current step is an auto step, the `idle` prompt answers and the flow waits", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ "I am Ada": says({ name: "Ada" }) }) })
      const agent = yield* kit.make({
        name: "Bot",
        idle: { prompt: "idle" },
        flows: [{
          title: "F",
          steps: [
            { id: "name", prompt: "name", collect: ["name"], if: () => false },
            { id: "auto", auto: true },
            { id: "pay", prompt: "pay", requires: ["name"] }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("idle")
      expect(steps(response)).toEqual(["f/auto"])
      expect((yield* talk(agent)("I am Ada")).message).toBe("pay")
    }))

  /** Asks for the city, and then makes an offer that requires it. */
  const offering = (offer: object = {}) =>
    kit.make({
      name: "Bot",
      idle: { prompt: "idle" },
      flows: [{
        id: "f",
        title: "F",
        when: "f",
        steps: [
          { id: "city", prompt: "city", collect: ["city"] },
          {
            id: "offer",
            prompt: ({ data }) => `in ${data.city?.toUpperCase() ?? "nowhere"}`,
            requires: ["city"],
            until: () => false,
            ...offer
          }
        ],
        branches: [{ id: "elsewhere", when: "not there", then: { clear: ["city"] } }]
      }]
    })
  const porto = { say: "Porto", wants: "f", states: { city: "Porto" }, then: { at: "f/offer", said: "in PORTO" } }
  const asksAgain = { at: "f/city", said: "city Ask for: city", cleared: ["city"] }

  it.effect("if a required field is withdrawn, the flow goes back to the step that collects the field", () =>
    play(offering(), [
      porto,
      { say: "Forget the city", more: { withdrawn: ["city"] }, then: asksAgain },
      { say: "Rome", states: { city: "Rome" }, then: { at: "f/offer", said: "in ROME" } },
      { say: "Hm", then: { at: "f/offer", said: "in ROME", steps: ["f/offer"] } }
    ]))

  it.effect("if a `when` branch clears a required field, the flow goes back to the step that collects the field", () =>
    play(offering(), [porto, { say: "Not there", holds: ["not there"], then: asksAgain }]))

  it.effect("if a hook clears a required field, the flow goes back; if hooks clear and refill it in turn, the turn fails", () =>
    Effect.gen(function*() {
      const clears = { clear: ["city" as const] }
      yield* play(offering({ onEnter: () => clears }), [{
        ...porto,
        then: { ...asksAgain, steps: ["f/offer", "f/city"] }
      }])
      const enters = { ...porto, then: { at: "f/offer" } }
      yield* play(offering({ prepare: ({ message }: { message: string }) => message === "No" ? clears : undefined }), [
        enters,
        { say: "No", then: asksAgain }
      ])
      const circle = kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            { id: "city", prompt: "city", collect: ["city"], onEnter: () => ({ dataUpdate: { city: "Rome" } }) },
            { id: "offer", prompt: "offer", requires: ["city"], onEnter: () => clears }
          ]
        }]
      })
      const error = yield* Effect.flip(play(circle, [enters]))
      expect(error.message).toContain("steps in a circle")
    }))

  it.effect("the flow also goes back from a step with `collect`; if no step collects the field, the `idle` prompt answers", () =>
    Effect.gen(function*() {
      const name = { id: "offer", prompt: "name", collect: ["name" as const], until: undefined }
      yield* play(offering(name), [
        { ...porto, then: { at: "f/offer" } },
        { say: "Forget the city", more: { withdrawn: ["city"] }, then: asksAgain }
      ])
      const nobody = kit.make({
        name: "Bot",
        idle: { prompt: "idle" },
        flows: [{
          title: "F",
          initialData: { city: "Porto" },
          steps: [{ id: "offer", prompt: "offer", requires: ["city"], until: () => false }],
          branches: [
            { when: "not there", then: { clear: ["city"] } },
            { when: "there", then: { dataUpdate: { city: "Porto" } } }
          ]
        }]
      })
      yield* play(nobody, [
        { say: "Hi", then: { at: "f/offer", said: "offer" } },
        { say: "Not there", holds: ["not there"], then: { at: "f/offer", said: "idle" } },
        { say: "There", holds: ["there"], then: { at: "f/offer", said: "offer" } }
      ])
    }))
})

describe("`isComplete` of a flow", () => {
  it.effect("ends the flow before another step speaks, if a value in the message makes `isComplete` true", () =>
    play(
      kit.make({
        name: "Bot",
        idle: { prompt: "idle" },
        flows: [{
          id: "f",
          title: "F",
          optionalFields: ["city"],
          isComplete: ({ data }) => data.city !== undefined,
          steps: [{ id: "talk", prompt: "talk" }, { id: "more", prompt: "more" }]
        }, { title: "G", when: "g", steps: [{ id: "g", prompt: "g" }] }]
      }),
      [
        { say: "Hi", wants: "f", then: { at: "f/talk" } },
        { say: "Porto", states: { city: "Porto" }, then: { at: "nowhere", completed: ["f"], steps: [], said: "idle" } }
      ]
    ))
})

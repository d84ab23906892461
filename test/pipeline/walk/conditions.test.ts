/** Natural-language conditions (`when`): which are asked, and when. */
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Logger } from "effect"
import * as ForeseenConditions from "../../support/ForeseenConditions.js"
import { judging, table, together } from "../../support/ScriptedUnderstanding.js"
import * as Stage from "../../support/Stage.js"

const { kit, steps, talk } = Stage

const asked = (
  questions: { readonly conditions: ReadonlyArray<{ readonly when: ReadonlyArray<string> }> } | undefined
) => questions?.conditions.flatMap(({ when }) => when)

describe("the conditions `if` and `when`", () => {
  it.effect("if the `if` of a flow is false, the model is not asked about its `when`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const step = { id: "x", prompt: "x", when: "inside" }
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { title: "A", when: "a", steps: [step] },
          { title: "B", when: "b", if: [() => true, () => false], steps: [{ ...step, when: "inside b" }] },
          { title: "C", when: "c", if: () => Effect.succeed(true), steps: [step] }
        ]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect(stage.questions[0]?.flows.map(({ when }) => when)).toEqual([["a"], ["c"]])
      expect(asked(stage.questions[0])).not.toContain("inside b")
    }))

  it.effect("if the `if` of a branch or a step is false, the model is not asked about its `when`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: judging("yes") })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            {
              id: "start",
              auto: true,
              branches: [
                { if: () => false, when: "never asked", then: "end" },
                { if: () => true, when: "yes", then: "end" }
              ]
            },
            { id: "closed", prompt: "x", if: () => false, when: "not asked either" },
            { id: "skipped", prompt: "x", skip: () => true, when: "nor this" },
            { id: "end", prompt: "end", when: "yes" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("end")
      expect(stage.questions).toHaveLength(1)
      expect(asked(stage.questions[0])).toEqual(["yes", "yes"])
    }))

  it.effect("the entries of `when`, including the exclusions, are passed unchanged to understanding", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { title: "A", when: ["wants a room", "asks for a bed", "!wants to cancel"], steps: [{ prompt: "x" }] },
          { title: "B", when: "b", steps: [{ prompt: "x" }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      expect(stage.questions[0]?.flows[0]?.when).toEqual(["wants a room", "asks for a bed", "!wants to cancel"])
    }))
})

describe("a `when` with `all`", () => {
  const make = (holds: () => boolean) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: judging("&has a receipt") })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            {
              id: "start",
              auto: true,
              branches: [{ when: { all: ["has a receipt", holds, "is a customer"] }, then: "end" }]
            },
            { id: "closed", prompt: "closed", when: { all: [() => true] } },
            { id: "end", prompt: "end" }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      return { stage, respond: talk(agent) }
    })

  it.effect("is judged as one condition if its code returns true", () =>
    Effect.gen(function*() {
      const { respond, stage } = yield* make(() => true)
      expect((yield* respond("hi")).message).toBe("end")
      expect(asked(stage.questions[0])).toEqual(["&has a receipt", "&is a customer"])
    }))

  it.effect("is not judged by the model if its code returns false, or if it has only code", () =>
    Effect.gen(function*() {
      const { respond, stage } = yield* make(() => false)
      expect((yield* respond("hi")).message).toBe("closed")
      expect(stage.questions).toEqual([])
    }))

  it.effect("is in the prompt with its texts joined by \"and\", if it is the condition of an instruction", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        instructions: [
          { text: "Be brief", when: { all: ["is in a hurry", "is a customer"] } },
          { text: "Sing", when: { all: ["is in a hurry", () => false] } }
        ],
        flows: [{ title: "F", steps: [{ prompt: "x" }] }]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("hi")
      const said = Stage.instructions(stage.prompts[0]!)
      expect(said).toContain("must (if is in a hurry and is a customer): Be brief")
      expect(said).not.toContain("Sing")
    }))
})

describe("conditions judged in advance", () => {
  it.effect("all conditions that the turn can reach are in one understanding call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({
        understand: together(judging("vip", "late"), () => ({ flowScores: { f: 90 }, fields: { city: "Lisbon" } }))
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          {
            title: "F",
            when: "f",
            steps: [
              { id: "city", prompt: "city", collect: ["city"], branches: [{ when: "vip", then: "lounge" }] },
              { id: "plain", prompt: "plain", when: "plain" },
              { id: "lounge", auto: true, branches: [{ when: "late", then: "end" }] },
              { id: "wait", prompt: "wait" },
              { id: "end", prompt: "end" }
            ]
          },
          { title: "G", when: "g", steps: [{ prompt: "x" }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(steps(response)).toEqual(["f/lounge", "f/end"])
      expect(stage.questions).toHaveLength(1)
      expect(stage.questions[0]?.flows).toHaveLength(2)
      expect(stage.questions[0]?.fields.map(({ name }) => name)).toEqual(["city"])
    }))

  it.effect("conditions of steps after a step that certainly waits are not judged", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [{ id: "a", prompt: "a", branches: [{ when: "after a", then: "c" }] }, {
            id: "c",
            prompt: "c",
            when: "c"
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* talk(agent)("1")
      expect(stage.questions).toHaveLength(0)
      yield* talk(agent)("2")
      expect(stage.questions.map(asked)).toEqual([["after a", "c"]])
    }))

  it.effect("branches with the same id in two flows are judged separately", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: together(judging("in f"), () => ({ flowScores: { g: 90 } })) })
      const flow = (title: string) => ({
        title,
        when: title,
        steps: [
          {
            id: "start",
            auto: true as const,
            branches: [{ id: "yes", when: `in ${title.toLowerCase()}`, then: "far" }]
          },
          { id: "near", prompt: "near" },
          { id: "far", prompt: "far" }
        ]
      })
      const agent = yield* kit.make({ name: "Bot", flows: [flow("F"), flow("G")] }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("near")
      expect(new Set(stage.questions[0]?.conditions.map(({ id }) => id)).size).toBe(2)
    }))
})

describe("conditions on the path of a message, which are judged in advance", () => {
  for (const [title, { asked: expected, steps, withdrawn = [] }] of Object.entries(ForeseenConditions.cases)) {
    it.effect(title, () =>
      Effect.gen(function*() {
        const stage = yield* Stage.make({
          understand: ({ message }) => message === "two" ? { withdrawn: [withdrawn].flat() } : {}
        })
        const options = { name: "Bot", initialData: ForeseenConditions.initialData, flows: [{ title: "F", steps }] }
        const agent = yield* kit.make(options as never).pipe(Effect.provide(stage.layer))
        yield* talk(agent)("one")
        yield* talk(agent)("two")
        expect(stage.questions.flatMap(asked)).toEqual(expected)
      }))
  }
})

describe("conditions that were not judged in advance", () => {
  const flows = [
    {
      title: "F",
      when: "f",
      steps: [{ id: "start", auto: true as const, prepare: () => ({ goTo: "Hidden" }) }, { id: "end", prompt: "end" }]
    },
    {
      title: "Hidden",
      if: () => false,
      steps: [
        { id: "one", auto: true as const, branches: [{ when: "one", then: "four" }] },
        { id: "two", auto: true as const, branches: [{ when: "two", then: "four" }] },
        { id: "three", prompt: "three", when: "three" },
        { id: "four", prompt: "four" }
      ]
    }
  ]

  it.effect("count as false, are recorded in the trace once each, and cause no second model call", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: together(judging("three"), () => ({ flowScores: { f: 90 } })) })
      const agent = yield* kit.make({ name: "Bot", flows }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("four")
      expect(stage.questions).toHaveLength(1)
      expect(response.trace.map(({ kind, source }) => [kind, source])).toEqual([
        ["condition_not_judged", "hidden/one/branch-1"],
        ["condition_not_judged", "hidden/two/branch-1"],
        ["condition_not_judged", "hidden/three"]
      ])
    }))

  it.effect("a condition that the model's answer leaves out counts as false", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: () => ({ flowScores: { g: 90 }, conditions: { nope: true } }) })
      const hidden = { ...flows[1]!, title: "G", when: "g", if: () => true }
      const agent = yield* kit.make({ name: "Bot", flows: [flows[0]!, hidden] }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi")
      expect(response.message).toBe("four")
      expect(response.trace).toEqual([])
    }))
})

describe("predicates (conditions in code)", () => {
  it.effect("a defect counts as false, is logged at Error and recorded in the trace", () =>
    Effect.gen(function*() {
      const logged: Array<{ readonly level: string; readonly cause: string }> = []
      const logger = Logger.make(({ cause, logLevel }) => {
        logged.push({ level: logLevel.label, cause: Cause.pretty(cause) })
      })
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          steps: [
            {
              id: "a",
              prompt: "a",
              if: () => {
                throw new Error("boom")
              }
            },
            { id: "b", prompt: "b", skip: () => Effect.die("bang") }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const response = yield* talk(agent)("hi").pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      expect(response.message).toBe("b")
      expect(response.trace).toContainEqual({ kind: "predicate_defect", source: "step:a.if", message: "boom" })
      expect(response.trace).toContainEqual({ kind: "predicate_defect", source: "step:b.skip", message: "bang" })
      expect(logged.filter(({ level }) => level === "ERROR").map(({ cause }) => cause).join("\n")).toContain("boom")
    }))

  it.effect("receive the data collected from this message", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: table({ hi: { fields: { note: "seen" } } }) })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          optionalFields: ["note"],
          steps: [{ id: "a", prompt: "a", if: ({ data, message }) => data.note === "seen" && message === "hi" }, {
            id: "b",
            prompt: "b"
          }]
        }]
      }).pipe(Effect.provide(stage.layer))
      expect((yield* talk(agent)("hi")).message).toBe("a")
    }))
})

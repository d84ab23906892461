/** `onResume` runs when a suspended flow is resumed, with the messages since then; `onEnter` does not run again. */
import { describe, expect, it } from "@effect/vitest"
import * as Check from "coxswain/check"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import * as Stage from "../../support/Stage.js"

const { kit } = Stage

const ran: Array<string> = []
const words = (
  { meanwhile }: { readonly meanwhile: ReadonlyArray<{ readonly role: string; readonly content: unknown }> }
) =>
  meanwhile.map(({ content, role }) =>
    `${role}: ${
      typeof content === "string"
        ? content
        : (content as ReadonlyArray<{ text?: string }>).map(({ text }) => text).join("")
    }`
  )
const tells = (name: string) => (ctx: Parameters<typeof words>[0]) => {
  ran.push([name, ...words(ctx)].join(" | "))
}

const trip = kit.flow({
  id: "trip",
  title: "Trip",
  when: "a trip",
  hooks: { onEnter: tells("enter trip") },
  onResume: tells("resume trip"),
  steps: [
    {
      id: "city",
      prompt: "Which city?",
      collect: ["city"],
      onEnter: tells("enter city"),
      onResume: tells("resume city")
    },
    { id: "name", prompt: "Which name?", collect: ["name"], onEnter: tells("enter name") }
  ]
})
const table = kit.flow({
  id: "table",
  title: "Table",
  when: "a table",
  steps: [{ id: "when", prompt: "When?", collect: ["checkIn"] }]
})
const talk = [
  { say: "A trip", wants: "trip", then: { at: "trip/city" } },
  { say: "A table", wants: "table", then: { at: "table/when", suspended: ["trip"] } }
]

describe("the hook `onResume`", () => {
  it.effect("`onResume` runs once for the flow and once for its step, with the messages since suspension; not `onEnter`", () =>
    Effect.gen(function*() {
      ran.length = 0
      const { responses } = yield* play(kit.make({ name: "Desk", flows: [trip, table] }), [
        ...talk,
        { say: "Hm", then: { at: "table/when" } },
        { say: "At eight", states: { checkIn: "8" }, then: { at: "trip/city", said: "Which city? Ask for: city" } },
        { say: "Porto", states: { city: "Porto" }, then: { at: "trip/name" } }
      ])
      const said = [
        "user: A table",
        "assistant: When? Ask for: checkIn",
        "user: Hm",
        "assistant: When? Ask for: checkIn"
      ]
      expect(ran).toEqual([
        "enter trip",
        "enter city",
        ["resume trip", ...said].join(" | "),
        ["resume city", ...said].join(" | "),
        "enter name"
      ])
      expect(responses.at(-1)?.session.currentFlow).not.toHaveProperty("resumed")
    }))

  it.effect("`onResume` runs when the user asks for the suspended flow, and when the other flow has ended", () =>
    Effect.gen(function*() {
      ran.length = 0
      const agent = kit.make({
        name: "Desk",
        flows: [
          trip,
          kit.flow({
            ...table,
            steps: [{ id: "when", prompt: "When?", collect: ["checkIn"] }, { id: "bye", reply: "Held.", ends: true }]
          })
        ]
      })
      yield* play(agent, [...talk, { say: "The trip", wants: "trip", then: { at: "trip/city", suspended: ["table"] } }])
      expect(ran.filter((one) => one.startsWith("resume"))).toHaveLength(2)
      ran.length = 0
      yield* play(agent, [
        ...talk,
        { say: "At eight", states: { checkIn: "8" }, then: { at: "trip/city", said: "Held." } },
        { say: "So?", then: { at: "trip/city" } },
        { say: "Well?", then: { at: "trip/city" } }
      ])
      expect(ran.filter((one) => one.startsWith("resume trip"))).toEqual([
        "resume trip | user: A table | assistant: When? Ask for: checkIn | user: At eight | assistant: Held."
      ])
      expect(ran.filter((one) => one.startsWith("resume city"))).toHaveLength(1)
    }))

  it.effect("`onResume` of a flow may write values and move; if it moves, `onResume` of the resumed step does not run", () =>
    Effect.gen(function*() {
      ran.length = 0
      const agent = kit.make({
        name: "Desk",
        flows: [
          kit.flow({
            ...trip,
            onResume: () => ({ goToStep: "name", dataUpdate: { note: "resumed" } }),
            optionalFields: ["note"]
          }),
          table
        ]
      })
      yield* play(agent, [
        ...talk,
        {
          say: "At eight",
          states: { checkIn: "8" },
          then: { at: "trip/name", data: { checkIn: "8", note: "resumed" } }
        }
      ])
      expect(ran).toEqual([
        "enter trip",
        "enter city",
        "enter name | user: A table | assistant: When? Ask for: checkIn"
      ])
    }))

  it.effect("`onResume` runs once if a third flow is entered after the resumption but before the hook has run", () =>
    Effect.gen(function*() {
      ran.length = 0
      const ride = kit.flow({
        id: "ride",
        title: "Ride",
        when: "a ride",
        steps: [{ id: "go", reply: "Called.", ends: true }]
      })
      const held = kit.flow({ ...table, steps: [...table.steps, { id: "bye", reply: "Held.", ends: true }] })
      yield* play(kit.make({ name: "Desk", flows: [trip, held, ride] }), [
        ...talk,
        { say: "At eight", states: { checkIn: "8" }, then: { at: "trip/city", said: "Held." } },
        { say: "A ride", wants: "ride", then: { at: "trip/city", said: "Called." } },
        { say: "So", then: { at: "trip/city" } }
      ])
      const resumed = ran.filter((one) => one.startsWith("resume trip"))
      expect(resumed).toHaveLength(1)
      expect(resumed[0]).toContain("user: A table")
      expect(resumed[0]).toContain("assistant: Called.")
    }))

  it.effect("if `onResume` of a flow completes it, `onResume` of the flow that then resumes runs before that of its step", () =>
    Effect.gen(function*() {
      ran.length = 0
      const ride = kit.flow({
        id: "ride",
        title: "Ride",
        when: "a ride",
        steps: [{ id: "go", reply: "Called.", ends: true }]
      })
      const brief = kit.flow({ ...table, onResume: () => ({ complete: true }) })
      yield* play(kit.make({ name: "Desk", flows: [trip, brief, ride] }), [
        ...talk,
        { say: "A ride", wants: "ride", then: { at: "table/when", said: "Called." } },
        { say: "So", then: { at: "trip/city", suspended: [] } }
      ])
      const names = ran.map((one) => one.split(" | ")[0])
      expect(names).toEqual(["enter trip", "enter city", "resume trip", "resume city"])
    }))

  it.effect("`onResume` is refused by `make` if it is also set in `hooks`", () =>
    Effect.gen(function*() {
      const { layer } = yield* Stage.make()
      const hook = () => undefined
      const error = yield* kit.make({
        name: "Bot",
        flows: [{
          title: "F",
          onResume: hook,
          hooks: { onResume: hook },
          steps: [{ prompt: "x", onResume: hook, hooks: { onResume: hook } }]
        }]
      }).pipe(Effect.flip, Effect.provide(layer))
      expect("issues" in error && error.issues.map(({ path }) => path)).toEqual([
        "flows[0].onResume",
        "flows[0].steps[0].onResume"
      ])
    }))

  it("a step to which only `onResume` moves is reachable for the checker", () => {
    const flow = {
      title: "F",
      when: "f",
      steps: [{ id: "a", prompt: "a", until: () => false, onResume: () => ({ goToStep: "b" }) }, {
        id: "b",
        prompt: "b"
      }]
    }
    const other = { title: "Other", when: "other", steps: [{ prompt: "x" }] }
    expect(Check.render(Check.check(kit, { name: "Bot", flows: [flow, other] } as never))).toContain("no findings")
    const [step] = flow.steps
    const without = Check.check(
      kit,
      { name: "Bot", flows: [{ ...flow, steps: [{ ...step, onResume: undefined }, flow.steps[1]] }, other] } as never
    )
    expect(without.findings.map(({ path }) => path)).toContain("flows[0].steps[0]")
  })
})

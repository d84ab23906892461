/** Corrections after a flow has completed, and of fields that a branch depends on. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { instructions, kit } from "../../support/Stage.js"

const booking = kit.flow({
  id: "booking",
  title: "Booking",
  when: "a room",
  steps: [
    { id: "city", prompt: "City?", collect: ["city"] },
    { id: "guests", prompt: "Guests?", collect: ["guests"] },
    { id: "confirm", prompt: "Booked" }
  ]
})
const hours = kit.flow({ id: "hours", title: "Hours", when: "hours", steps: [{ id: "tell", prompt: "8 to 22" }] })
const booked = {
  say: "A room in Rome for two",
  wants: "booking",
  states: { city: "Rome", guests: 2 },
  then: { completed: ["booking"], at: "nowhere" }
} as const

describe("a value that the user corrects after the flow has completed", () => {
  it.effect("a corrected value is updated, and the prompt for the reply contains the change", () =>
    Effect.gen(function*() {
      const { prompts } = yield* play(kit.make({ name: "Desk", flows: [booking, hours] }), [
        booked,
        { say: "No, Oslo", states: { city: "Oslo" }, then: { at: "nowhere", data: { city: "Oslo", guests: 2 } } },
        { say: "Thanks", then: { at: "nowhere" } }
      ])
      expect(instructions(prompts[1]!)).toContain("confirm the new values")
      expect(prompts[1]?.text).toContain("<corrected>{\"city\":{\"from\":\"Rome\",\"to\":\"Oslo\"}}</corrected>")
      expect(prompts[2]?.text).not.toContain("<corrected>")
    }))

  it.effect("a corrected value is not updated if another flow has been active in the meantime", () =>
    play(kit.make({ name: "Desk", flows: [booking, hours, { ...hours, id: "more", title: "More", when: "more" }] }), [
      booked,
      { say: "Hours?", wants: "hours", then: { completed: ["hours"] } },
      {
        say: "No, Oslo",
        states: { city: "Oslo" },
        then: { data: { city: "Rome", guests: 2 }, trace: ["value_not_taken"] }
      }
    ]))

  it.effect("a correction with `onCorrect: 'reopen'` makes the flow start again with the corrected values", () =>
    play(kit.make({ name: "Desk", flows: [{ ...booking, onCorrect: "reopen" }] }), [
      booked,
      { say: "No, Oslo", states: { city: "Oslo" }, then: { said: "Booked", data: { city: "Oslo", guests: 2 } } },
      { say: "Thanks", then: { at: "nowhere" } }
    ]))

  const { when: _, ...plain } = booking
  const changed = { say: "Actually, make it Oslo", states: { city: "Oslo" } }
  const again = { say: "Another room, in Bern", wants: "booking", states: { city: "Bern" } }

  it.effect("a corrected value is updated if the flow's score is below the threshold; otherwise the reentrant flow starts again", () =>
    Effect.gen(function*() {
      const { questions } = yield* play(
        kit.make({ name: "Desk", flows: [{ ...plain, reentrant: true, onCorrect: "update" }] }),
        [
          booked,
          { ...changed, wants: { booking: 39 }, then: { at: "nowhere", data: { city: "Oslo", guests: 2 } } },
          { say: "Thanks", then: { at: "nowhere", data: { city: "Oslo", guests: 2 } } },
          { ...again, wants: { booking: 40 }, then: { at: "booking/guests", data: { city: "Bern" } } }
        ]
      )
      expect(questions.map(({ flows }) => flows.map(({ id }) => id))).toEqual([[], ["booking"], ["booking"], [
        "booking"
      ]])
    }))

  it.effect("a correction with `onCorrect: 'reopen'` reopens a reentrant flow only if its score is below the threshold", () =>
    play(kit.make({ name: "Desk", flows: [{ ...plain, reentrant: true, onCorrect: "reopen" }] }), [
      booked,
      { ...changed, then: { said: "Booked", data: { city: "Oslo", guests: 2 } } },
      { ...again, then: { at: "booking/guests", data: { city: "Bern" } } }
    ]))

  it.effect("a correction calls the `onCorrect` hook, which is not called when the message starts the flow again", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      const onCorrect = ({ corrected }: { readonly corrected: object }) => void seen.push(Object.keys(corrected))
      yield* play(kit.make({ name: "Desk", flows: [{ ...booking, reentrant: true, onCorrect }, hours] }), [
        booked,
        { ...changed, then: { at: "nowhere", data: { city: "Oslo", guests: 2 } } },
        { ...again, then: { at: "booking/guests" } }
      ])
      expect(seen).toEqual([["city"]])
    }))

  it.effect("a correction does not reopen the flow when the message asks for another flow", () =>
    play(kit.make({ name: "Desk", flows: [{ ...booking, onCorrect: "reopen" }, hours] }), [
      booked,
      {
        say: "No, Oslo. Hours?",
        wants: "hours",
        states: { city: "Oslo" },
        then: { said: "8 to 22", data: { city: "Oslo", guests: 2 } }
      }
    ]))

  it.effect("a corrected value is passed to the `onCorrect` hook, whose reply is sent", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      yield* play(
        kit.make({
          name: "Desk",
          flows: [{
            ...booking,
            onCorrect: ({ corrected }) => {
              seen.push(corrected)
              return { reply: "Changed." }
            }
          }]
        }),
        [
          booked,
          { say: "No, Oslo", states: { city: "Oslo" }, then: { said: "Changed.", at: "nowhere" } },
          { say: "Rome", states: { city: "Oslo" }, then: {} }
        ]
      )
      expect(seen).toEqual([{ city: { from: "Rome", to: "Oslo" } }])
    }))

  it.effect("in an agent with one flow, a correction needs an understanding call only if `onCorrect` is set", () =>
    Effect.gen(function*() {
      const silent = yield* play(kit.make({ name: "Desk", flows: [booking] }), [booked, { say: "Thanks", then: {} }])
      expect(silent.questions).toHaveLength(1)
      const asked = yield* play(kit.make({ name: "Desk", flows: [{ ...booking, onCorrect: "update" }] }), [
        booked,
        { say: "Three", states: { guests: 3 }, then: { data: { city: "Rome", guests: 3 } } }
      ])
      expect(asked.questions).toHaveLength(2)
    }))
})

describe("a step with `dependsOn`", () => {
  const group = kit.flow({
    id: "group",
    title: "Group",
    when: "a room",
    steps: [
      { id: "guests", prompt: "Guests?", collect: ["guests"] },
      {
        id: "size",
        auto: true,
        dependsOn: ["guests"],
        branches: [{ if: ({ data }) => (data.guests ?? 0) > 4, then: "contact" }, { then: "city" }]
      },
      { id: "city", prompt: "City?", collect: ["city"] },
      { id: "confirm", prompt: "Sure?", until: () => false, branches: [{ when: "yes", then: { complete: true } }] },
      { id: "contact", prompt: "Name?", collect: ["name"] },
      { id: "call", prompt: "We call" }
    ]
  })
  const agent = kit.make({ name: "Desk", flows: [group] })

  it.effect("runs again when the user corrects a field that the step depends on", () =>
    play(agent, [
      { say: "A room for two", wants: "group", states: { guests: 2 }, then: { at: "group/city" } },
      { say: "Six, sorry", states: { guests: 6 }, then: { at: "group/contact" } },
      { say: "No, three", states: { guests: 3 }, then: { at: "group/city" } }
    ]))

  it.effect("if it runs again, `onExit` of the step that the conversation leaves runs first", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const notes = (name: string) => ({
        onEnter: () => void ran.push(`enter ${name}`),
        onExit: () => void ran.push(`exit ${name}`)
      })
      const size = { id: "size", auto: true as const, dependsOn: ["guests" as const], hooks: notes("size") }
      const city = { id: "city", prompt: "City?", collect: ["city" as const], hooks: notes("city") }
      const steps = [{ id: "guests", prompt: "Guests?", collect: ["guests" as const] }, size, city]
      yield* play(kit.make({ name: "Desk", flows: [{ id: "group", title: "Group", steps }] }), [
        { say: "For two", states: { guests: 2 }, then: { at: "group/city" } },
        { say: "Six, sorry", states: { guests: 6 }, then: { at: "group/city" } }
      ])
      const entered = ["enter size", "exit size", "enter city"]
      expect(ran).toEqual([...entered, "exit city", ...entered])
    }))

  it.effect("does not run again once a later step that collects nothing has spoken", () =>
    play(agent, [
      {
        say: "A room in Rome for two",
        wants: "group",
        states: { guests: 2, city: "Rome" },
        then: { at: "group/confirm" }
      },
      { say: "Six, sorry", states: { guests: 6 }, then: { at: "group/confirm" } }
    ]))

  it.effect("is refused by `make` if `dependsOn` names an unknown field", () =>
    Effect.gen(function*() {
      const wrong = "nope" as "city"
      const error = yield* Effect.flip(
        play(kit.make({ name: "D", flows: [{ ...hours, steps: [{ prompt: "x", dependsOn: [wrong] }] }] }), [])
      )
      expect(String(error)).toContain("unknown field \"nope\"")
    }))
})

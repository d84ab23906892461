/** Several requests in one message. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { instructions, kit } from "../../support/Stage.js"

const hotel = kit.flow({
  id: "hotel",
  title: "Hotel",
  when: "a room",
  steps: [{ id: "city", prompt: "City?", collect: ["city"] }, { id: "booked", prompt: "Booked" }]
})
const taxi = kit.flow({
  id: "taxi",
  title: "Taxi",
  when: "a taxi",
  steps: [{ id: "name", prompt: "Name?", collect: ["name"] }, { id: "sent", prompt: "Sent" }]
})
const hours = kit.flow({
  id: "hours",
  title: "Hours",
  when: "hours",
  reentrant: true,
  steps: [{ id: "tell", prompt: "8 to 22" }]
})
const flows = [hotel, taxi, hours]
const both = { say: "A room and a taxi", wants: { hotel: 90, taxi: 60, hours: 39 } }

describe("the agenda (flows that the user asked for, not entered yet)", () => {
  it.effect("stores the lower-scored flow, which is entered when no flow is active", () =>
    Effect.gen(function*() {
      const { prompts } = yield* play(kit.make({ name: "Desk", flows }), [
        { ...both, then: { at: "hotel/city", agenda: ["taxi"] } },
        { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "taxi/", completed: ["hotel"], agenda: [] } },
        { say: "Fine", then: { at: "taxi/name" } },
        { say: "Ada", states: { name: "Ada" }, then: { completed: ["taxi"], at: "nowhere" } }
      ])
      expect(instructions(prompts[0]!)).not.toContain("go on with")
      expect(instructions(prompts[1]!)).toContain("Afterwards, as the user wished, go on with: Taxi")
      expect(instructions(prompts[2]!)).toContain("The user asked for this before")
      expect(prompts[2]?.text).toContain("<asked>\"A room and a taxi\"</asked>")
      expect(prompts[3]?.text).not.toContain("<asked>")
    }))

  it.effect("enters a requested flow in the turn in which the current flow completes without a reply", () =>
    play(
      kit.make({
        name: "Desk",
        flows: [{ ...hotel, branches: [{ when: "done", then: { complete: true } }] }, taxi]
      }),
      [
        { ...both, then: { agenda: ["taxi"] } },
        { say: "That is all", holds: ["done"], then: { at: "taxi/name", completed: ["hotel"], agenda: [] } }
      ]
    ))

  it.effect("is used only after the suspended flows have been resumed", () =>
    play(kit.make({ name: "Desk", flows }), [
      { ...both, then: {} },
      { say: "When are you open?", wants: "hours", then: { at: "hotel/city", agenda: ["taxi"] } },
      { say: "Rome", states: { city: "Rome" }, then: { at: "taxi/" } }
    ]))

  it.effect("a value stated together with the request is still set when the requested flow is entered", () =>
    play(kit.make({ name: "Desk", flows: [hotel, { ...taxi, reentrant: true, optionalFields: ["note"] }] }), [
      { say: "A taxi", wants: "taxi", states: { name: "Ada", note: "quiet" }, then: { completed: ["taxi"] } },
      {
        say: "A room, and a taxi for Bo",
        wants: { hotel: 90, taxi: 60 },
        states: { name: "Bo" },
        then: { at: "hotel/city" }
      },
      { say: "Rome", states: { city: "Rome" }, then: { data: { name: "Bo", city: "Rome" } } }
    ]))

  it.effect("drops an entry after `pendingIntentTurns` messages, and the trace reports the dropped entry", () =>
    play(kit.make({ name: "Desk", flows, pendingIntentTurns: 2 }), [
      { ...both, then: { agenda: ["taxi"] } },
      { say: "Hm", then: { agenda: ["taxi"], trace: [] } },
      { say: "Hm", then: { agenda: [], trace: ["agenda_lapsed"] } },
      { say: "Rome", states: { city: "Rome" }, then: { at: "nowhere" } }
    ]))

  it.effect("the old option names `agenda` and `agendaTurns` still work when the new names are absent", () =>
    Effect.gen(function*() {
      yield* play(kit.make({ name: "Desk", flows, agendaTurns: 2 }), [
        { ...both, then: { agenda: ["taxi"] } },
        { say: "Hm", then: { agenda: ["taxi"], trace: [] } },
        { say: "Hm", then: { agenda: [], trace: ["agenda_lapsed"] } }
      ])
      yield* play(kit.make({ name: "Desk", flows, agenda: false }), [{ ...both, then: { agenda: [] } }])
      yield* play(kit.make({ name: "Desk", flows, agenda: false, pendingIntents: true }), [
        { ...both, then: { agenda: ["taxi"] } }
      ])
    }))

  it.effect("drops a flow whose `if` has become false", () =>
    play(kit.make({ name: "Desk", flows: [hotel, { ...taxi, if: ({ data }) => data.city === undefined }] }), [
      { ...both, then: { agenda: ["taxi"] } },
      { say: "Rome", states: { city: "Rome" }, then: { at: "nowhere", agenda: [], trace: ["agenda_dropped"] } }
    ]))

  it.effect("no longer contains a flow once the user asks for the flow again", () =>
    play(kit.make({ name: "Desk", flows }), [
      { ...both, then: { agenda: ["taxi"] } },
      { say: "The taxi first", wants: "taxi", then: { at: "taxi/name", agenda: [], suspended: ["hotel"] } }
    ]))

  it.effect("stores no flow with `pendingIntents: false`", () =>
    play(kit.make({ name: "Desk", flows, pendingIntents: false }), [
      { ...both, then: { agenda: [] } },
      { say: "Rome", states: { city: "Rome" }, then: { at: "nowhere" } }
    ]))

  it.effect("the current message is not checked against the conditions of a flow entered from the agenda", () =>
    play(
      kit.make({
        name: "Desk",
        flows: [
          { ...hotel, branches: [{ when: "yes", then: { complete: true } }] },
          {
            ...taxi,
            steps: [{ id: "sure", auto: true, branches: [{ when: "yes", then: { complete: true } }] }, ...taxi.steps]
          }
        ]
      }),
      [
        { ...both, then: {} },
        { say: "Yes", holds: ["yes"], then: { at: "taxi/name", completed: ["hotel"] } }
      ]
    ))
})

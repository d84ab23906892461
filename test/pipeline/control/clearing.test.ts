/** Branches that clear a field that the same message states. */
import { describe, it } from "@effect/vitest"
import type { Directive } from "coxswain"
import { play } from "../../support/Dialogue.js"
import { type Data, kit } from "../../support/Stage.js"

type Then = Directive.Directive<typeof Data.Type, {}>

const desk = (then: Then) =>
  kit.make({
    name: "Desk",
    flows: [{
      id: "hotel",
      title: "Hotel",
      when: "a hotel",
      initialData: { guests: 1 },
      steps: [
        { id: "name", prompt: "Which hotel?", collect: ["name"] },
        { id: "city", prompt: "Which city?", collect: ["city"] },
        { id: "sure", prompt: "Sure?", until: () => false, branches: [{ when: "another one", then }] }
      ]
    }]
  })

const asked = {
  say: "A hotel in Berlin, the Ritz",
  wants: "hotel",
  states: { name: "Ritz", city: "Berlin" },
  then: { at: "hotel/sure" }
}
const hyatt = { say: "No, the Hyatt then", holds: ["another one"], states: { name: "Hyatt" } }

describe("a branch with `when` that clears a field", () => {
  const clears: ReadonlyArray<Then> = [
    { clear: ["name"], goToStep: "name" },
    { clear: { fields: ["name"] }, goToStep: "name" }
  ]
  for (const then of clears) {
    it.effect(`keeps the value stated in the message that triggered the branch: ${JSON.stringify(then)}`, () =>
      play(desk(then), [
        asked,
        { ...hyatt, then: { at: "hotel/sure", data: { guests: 1, name: "Hyatt", city: "Berlin" }, cleared: [] } },
        { say: "Not that", holds: ["another one"], then: { at: "hotel/name", data: { guests: 1, city: "Berlin" } } }
      ]))
  }

  it.effect("with `reset` keeps the value stated in the message that triggered the branch", () =>
    play(desk({ reset: { clearData: true } }), [
      asked,
      { ...hyatt, then: { at: "hotel/city", data: { guests: 1, name: "Hyatt" } } }
    ]))

  it.effect("with `also: 'stated'` also clears the value stated in the message that triggered the branch", () =>
    play(desk({ clear: { fields: ["name"], also: "stated" }, goToStep: "name" }), [
      asked,
      { ...hyatt, then: { at: "hotel/name", cleared: ["name"], data: { guests: 1, city: "Berlin" } } }
    ]))
})

describe("a field cleared by code", () => {
  it.effect("also loses the value stated in the same message, if a branch with `if` clears the field", () =>
    play(
      kit.make({
        name: "Desk",
        flows: [{
          title: "Hotel",
          id: "hotel",
          when: "a hotel",
          steps: [{
            id: "name",
            prompt: "Which hotel?",
            collect: ["name"],
            branches: [{ if: ({ data }) => data.name === "Hyatt", then: { clear: ["name"], goToStep: "name" } }, {
              then: "on"
            }]
          }, { id: "on", prompt: "On", until: () => false }]
        }]
      }),
      [
        { say: "A hotel", wants: "hotel", then: { at: "hotel/name" } },
        { say: "The Hyatt", states: { name: "Hyatt" }, then: { at: "hotel/name", data: {}, cleared: ["name"] } },
        { say: "The Ritz", states: { name: "Ritz" }, then: { at: "hotel/on" } }
      ]
    ))

  it.effect("also loses the value stated in the same message, if a hook clears the field", () =>
    play(
      kit.make({
        name: "Desk",
        flows: [{
          title: "Hotel",
          id: "hotel",
          when: "a hotel",
          hooks: { onDataUpdate: ({ data }) => data.name === "Hyatt" ? { clear: ["name"] } : undefined },
          steps: [{ id: "name", prompt: "Which hotel?", collect: ["name"] }]
        }]
      }),
      [
        { say: "A hotel", wants: "hotel", then: { at: "hotel/name" } },
        { say: "The Hyatt", states: { name: "Hyatt" }, then: { at: "hotel/name", data: {} } }
      ]
    ))
})

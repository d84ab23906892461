/** `onInterrupt`: whether an interrupted flow is suspended, dropped or completed. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { kit } from "../../support/Stage.js"

const hours = kit.flow({
  id: "hours",
  title: "Hours",
  when: "hours",
  reentrant: true,
  steps: [{ id: "a", prompt: "8" }, { id: "b", prompt: "22" }]
})
const steps = [{ id: "city", prompt: "City?", collect: ["city"] }, {
  id: "name",
  prompt: "Name?",
  collect: ["name"]
}] as const
const booking = kit.flow({ id: "booking", title: "Booking", when: "a room", steps })

describe("the option `onInterrupt` of a flow or step", () => {
  it.effect("suspends, drops or completes the flow that another flow interrupts", () =>
    Effect.forEach(
      [
        ["suspend", { at: "hours/a", suspended: ["booking"], completed: [] }],
        ["drop", { at: "hours/a", suspended: [], completed: [] }],
        ["complete", { at: "hours/a", suspended: [], completed: ["booking"] }]
      ] as const,
      ([onInterrupt, then]) =>
        play(kit.make({ name: "Bot", flows: [{ ...booking, onInterrupt }, hours] }), [
          { say: "A room", wants: "booking", then: {} },
          { say: "Hours?", wants: "hours", then }
        ])
    ))

  it.effect("may be a function of the turn and the next flow, and the function may return an Effect", () =>
    Effect.gen(function*() {
      const seen: Array<unknown> = []
      yield* play(
        kit.make({
          name: "Bot",
          flows: [{
            ...booking,
            onInterrupt: ({ message }, next) =>
              Effect.sync(() => {
                seen.push([message, next])
                return "drop" as const
              })
          }, hours]
        }),
        [
          { say: "A room", wants: "booking", then: {} },
          { say: "Hours?", wants: "hours", then: { at: "hours/a", suspended: [] } }
        ]
      )
      expect(seen).toEqual([["Hours?", { id: "hours", title: "Hours" }]])
    }))

  it.effect("`onInterrupt` of the step has precedence over `onInterrupt` of the flow", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [{ ...booking, steps: [{ ...steps[0], onInterrupt: "drop" }, steps[1]], onInterrupt: "suspend" }, hours]
      }),
      [
        { say: "A room", wants: "booking", then: { at: "booking/city" } },
        { say: "Hours?", wants: "hours", then: { suspended: [] } },
        { say: "A room in Rome", wants: "booking", states: { city: "Rome" }, then: { at: "booking/name" } },
        { say: "Hours?", wants: "hours", then: { suspended: ["booking"] } }
      ]
    ))

  it.effect("with `'complete'` suspends the target of `onComplete` until the requested flow has completed", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [
          { ...booking, onInterrupt: "complete", onComplete: "rating" },
          hours,
          {
            id: "rating",
            title: "Rating",
            if: ({ data }) => data.note !== undefined,
            steps: [{ id: "ask", prompt: "Stars?", collect: ["guests"] }]
          }
        ]
      }),
      [
        { say: "A room", wants: "booking", then: {} },
        { say: "Hours?", wants: "hours", then: { at: "hours/a", suspended: ["rating"], completed: ["booking"] } },
        { say: "And?", then: { at: "rating/", completed: ["hours"] } },
        { say: "Yes?", then: { at: "rating/ask" } }
      ]
    ))

  it.effect("fails the turn if the function returns an unknown value", () =>
    Effect.gen(function*() {
      const unsure = (): "drop" => "later" as "drop"
      const result = yield* Effect.flip(play(
        kit.make({ name: "Bot", flows: [{ ...booking, onInterrupt: unsure }, hours] }),
        [
          { say: "A room", wants: "booking", then: {} },
          { say: "Hours?", wants: "hours", then: {} }
        ]
      ))
      expect(String(result)).toContain("flow:booking.onInterrupt decided nothing")
    }))
})

/** A flow that is entered again begins anew, however it ended. */
import { describe, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import { play } from "../../support/Dialogue.js"

const kit = Agent.define({
  data: Schema.Struct({
    order: Schema.Array(Schema.Struct({ item: Schema.String, count: Schema.Int })).annotations({ merge: "by:item" }),
    who: Schema.String,
    topic: Schema.String
  })
})

const menu = { when: "asks for the menu", then: "Menu" } as const
const make = (reentrant: true | "clear" | "keep" | false, isComplete?: (ctx: { readonly data: object }) => boolean) =>
  kit.make({
    name: "Diner",
    branches: [
      { when: "gives everything up", then: { abort: { reason: "given up", stack: true } } },
      { when: "orders by code", then: { goTo: "Order" } }
    ],
    flows: [
      {
        title: "Order",
        when: "wants to order",
        reentrant,
        ...(isComplete !== undefined && { isComplete }),
        branches: [
          { when: "gives up", then: { abort: "given up" } },
          { when: "wants to complain", then: "Complaint" }
        ],
        steps: [
          { id: "order", prompt: "What?", collect: ["order"] },
          { id: "who", prompt: "For whom?", collect: ["who"] },
          {
            id: "sure",
            prompt: "Sure?",
            until: () => false,
            branches: [menu, { when: "is done", then: { complete: true } }, { when: "leaves", then: "end" }]
          },
          { id: "end", auto: true, branches: [{ then: "Complaint" }] }
        ]
      },
      { title: "Menu", steps: [{ id: "menu", prompt: "Burgers", until: () => false }] },
      {
        title: "Complaint",
        when: "complains",
        reentrant: true,
        steps: [{ id: "topic", prompt: "What?", collect: ["topic"] }]
      }
    ]
  })

const burger = { item: "burger", count: 1 }
const coke = { item: "coke", count: 1 }
const first = { order: [burger], who: "Ann" }
const begun = {
  say: "A burger for Ann",
  wants: "order",
  states: first,
  then: { at: "order/sure", data: first }
} as const
const again = { say: "I would like a coke", wants: "order", states: { order: [coke] } } as const

const complained = { topic: "cold" }
const ways = {
  "is aborted": [{ say: "Forget it", holds: ["gives up"], then: { aborted: ["order"] } }],
  "is aborted with the flows above it": [
    { say: "The menu?", holds: ["asks for the menu"], then: { at: "menu/menu" } },
    { say: "Forget it all", holds: ["gives everything up"], then: { at: "nowhere" } }
  ],
  "is left by a branch in code": [
    { say: "I leave", holds: ["leaves"], then: { at: "complaint/topic" } },
    { say: "Cold", states: complained, then: { completed: ["complaint"] } }
  ],
  "is completed": [{ say: "That is all", holds: ["is done"], then: { completed: ["order"] } }]
} as const

describe("a reentrant flow", () => {
  for (const [name, turns] of Object.entries(ways)) {
    const others = name === "is left by a branch in code" ? complained : {}
    const anew = { at: "order/who", data: { order: [coke], ...others } }
    it.effect(`begins anew when a message asks for it again after it ${name}`, () =>
      play(make(true), [begun, ...turns, { ...again, then: anew }]))

    it.effect(`begins anew by a goTo after it ${name}`, () =>
      play(make("clear"), [
        begun,
        ...turns,
        { say: "A coke", holds: ["orders by code"], states: { order: [coke] }, then: anew }
      ]))
  }

  it.effect("keeps its values with `keep`, and a flow that is not reentrant keeps them after it is aborted", () =>
    Effect.forEach(["keep", false] as const, (reentrant) =>
      play(make(reentrant), [
        begun,
        ...ways["is aborted"],
        { ...again, then: { at: "order/sure", data: { order: [burger, coke], who: "Ann" } } }
      ])))

  it.effect("is entered again after it was aborted, although its `isComplete` holds", () =>
    play(make(true, ({ data }) => "topic" in data), [
      begun,
      { say: "Forget it", holds: ["gives up"], then: { aborted: ["order"] } },
      { say: "It was cold", wants: "complaint", states: { topic: "cold" }, then: { completed: ["complaint"] } },
      { ...again, then: { completed: ["order"] } }
    ]))
})

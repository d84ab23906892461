/** Suspended flows can end while suspended, and a `goTo` by a branch with `when` suspends the flow it leaves. */
import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { Effect, Schema } from "effect"
import { play } from "../../support/Dialogue.js"
import { kit } from "../../support/Stage.js"

const ran: Array<string> = []
const runs = (name: string) => () => void ran.push(name)

const trip = kit.flow({
  id: "trip",
  title: "Trip",
  when: "a trip",
  isComplete: ({ data }) => data.note === "booked elsewhere",
  steps: [
    { id: "city", prompt: "Which city?", collect: ["city"], hooks: { onExit: runs("step") } },
    { id: "more", prompt: "Anything else?", until: () => false }
  ],
  branches: [
    { id: "done", when: "all for the trip", then: { complete: { next: { goTo: "taxi", dataUpdate: { guests: 2 } } } } },
    { id: "off", when: "the trip is off", then: { abort: { reason: "off", stack: true } } },
    { id: "same", when: ["done with it", "no more"], then: { abort: "same words" } },
    { id: "moves", when: "the trip again", then: "city" }
  ],
  onComplete: () => ({ goTo: "taxi", dataUpdate: { name: "Ann" } }),
  hooks: { onExit: runs("exit") }
})
const table = kit.flow({
  id: "table",
  title: "Table",
  when: "a table",
  steps: [
    { id: "guests", prompt: "How many?", collect: ["checkIn"] },
    { id: "sure", prompt: "Sure?", until: () => false, branches: [{ when: "to the taxi", then: "taxi" }] }
  ],
  branches: [{ id: "done", when: "done with it", then: { complete: true } }]
})
const taxi = kit.flow({ id: "taxi", title: "Taxi", steps: [{ id: "go", prompt: "Taxi?", until: () => false }] })
const desk = kit.make({
  name: "Desk",
  flows: [trip, table, taxi],
  branches: [{ when: "bye", then: { abort: { reason: "bye", stack: true } } }, { when: "a ride", then: "taxi" }]
})

const digress = [
  { say: "A trip", wants: "trip", then: { at: "trip/city" } },
  { say: "A table", wants: "table", then: { at: "table/guests", suspended: ["trip"] } }
]

describe("a branch of a suspended flow that ends this flow", () => {
  it.effect("applies the writes of the flow's hooks, and drops their moves with a trace entry", () =>
    Effect.gen(function*() {
      ran.length = 0
      const { questions, responses } = yield* play(desk, [
        ...digress,
        {
          say: "That is all for the trip",
          holds: ["all for the trip"],
          wants: "trip",
          then: {
            at: "table/guests",
            said: "How many? Ask for: checkIn",
            suspended: [],
            completed: ["trip"],
            data: { name: "Ann", guests: 2 },
            trace: ["position_dropped", "position_dropped"],
            reason: "needs_input"
          }
        }
      ])
      expect(ran).toEqual(["step", "exit"])
      expect(responses[2]?.session.flowHistory.map(({ completed, flowId }) => [flowId, completed])).toEqual([
        ["trip", true],
        ["table", false]
      ])
      expect(questions[2]?.conditions.filter(({ flow }) => flow === "Trip").map(({ id }) => id)).toEqual([
        "trip/*/done",
        "trip/*/off"
      ])
    }))

  it.effect("aborts only this flow, also with `stack: true`", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        ...digress,
        {
          say: "The trip is off",
          holds: ["the trip is off"],
          then: { at: "table/guests", suspended: [], aborted: ["trip"], reason: "needs_input" }
        }
      ])
      expect(responses[2]?.abortedFlows).toEqual([{ flowId: "trip", reason: "off" }])
    }))

  it.effect("is not checked if the active flow has a branch with the same `when`", () =>
    play(desk, [
      ...digress,
      { say: "Done with it", holds: ["done with it"], then: { at: "trip/city", completed: ["table"], aborted: [] } }
    ]))

  it.effect("can match together with a branch that ends the active flow or the whole stack", () =>
    Effect.gen(function*() {
      yield* play(desk, [
        ...digress,
        {
          say: "Done, and that is all for the trip",
          holds: ["done with it", "all for the trip"],
          then: { at: "nowhere", completed: ["trip", "table"], suspended: [], reason: "completed" }
        }
      ])
      yield* play(desk, [
        ...digress,
        {
          say: "All for the trip, bye",
          holds: ["bye", "all for the trip"],
          then: { at: "nowhere", completed: ["trip"], aborted: ["table"], reason: "aborted" }
        }
      ])
    }))

  it.effect("sends its own reply, but not the replies of the flow's hooks", () =>
    Effect.gen(function*() {
      const says = (reply?: string) =>
        kit.make({
          name: "Desk",
          flows: [
            {
              ...trip,
              isComplete: () => false,
              branches: [{ when: "all for the trip", then: { complete: true, ...(reply !== undefined && { reply }) } }],
              onComplete: () => ({ reply: "A good trip!", halt: true, dataUpdate: { name: "Ann" } })
            },
            table,
            taxi
          ]
        })
      const over = { say: "That is all for the trip", holds: ["all for the trip"] }
      const after = { at: "table/guests", completed: ["trip"], data: { name: "Ann" } }
      yield* play(says(), [
        ...digress,
        { ...over, then: { ...after, said: "How many? Ask for: checkIn", trace: ["reply_not_said"] } }
      ])
      yield* play(says("Fine."), [...digress, {
        ...over,
        then: { ...after, said: "Fine.", trace: ["reply_not_said"] }
      }])
    }))

  it.effect("keeps a flow-scoped value that the active flow declares too until the active flow ends", () =>
    Effect.gen(function*() {
      const scoped = Agent.define({
        data: Schema.Struct({
          city: Schema.String.annotations({ scope: "flow" }),
          hotel: Schema.String.annotations({ scope: "flow" }),
          day: Schema.String
        })
      })
      const agent = scoped.make({
        name: "Desk",
        flows: [
          {
            id: "hotel",
            title: "Hotel",
            when: "a hotel",
            steps: [{ collect: ["city", "hotel"], prompt: "Which hotel?" }, { prompt: "Sure?", until: () => false }],
            branches: [{ when: "all for the hotel", then: { complete: true } }]
          },
          {
            id: "table",
            title: "Table",
            when: "a table",
            steps: [{ id: "day", collect: ["city", "day"], prompt: "Which day?" }]
          }
        ]
      })
      yield* play(agent, [
        { say: "The Ritz in Rome", wants: "hotel", states: { city: "Rome", hotel: "Ritz" }, then: {} },
        { say: "A table", wants: "table", then: { at: "table/day", suspended: ["hotel"] } },
        {
          say: "That is all for the hotel",
          holds: ["all for the hotel"],
          then: { at: "table/day", completed: ["hotel"], data: { city: "Rome" } }
        },
        { say: "Monday", states: { day: "Monday" }, then: { completed: ["table"], data: { day: "Monday" } } }
      ])
    }))
})

describe("a suspended flow whose `isComplete` is true", () => {
  it.effect("does not replace the turn's reply with a reply of its hooks", () =>
    play(
      kit.make({
        name: "Desk",
        flows: [{ ...trip, onComplete: () => ({ reply: "A good trip!" }) }, {
          ...table,
          steps: [{ id: "note", prompt: "Which note?", collect: ["note"] }, {
            id: "on",
            prompt: "On",
            until: () => false
          }]
        }, taxi]
      }),
      [
        { say: "A trip", wants: "trip", then: { at: "trip/city" } },
        { say: "A table", wants: "table", then: { at: "table/note", suspended: ["trip"] } },
        {
          say: "It is booked elsewhere",
          states: { note: "booked elsewhere" },
          then: { at: "table/on", said: "On", completed: ["trip"], trace: ["reply_not_said"], reason: "last_step" }
        }
      ]
    ))

  it.effect("completes at the end of the turn; the active flow keeps the values that it declares", () =>
    Effect.gen(function*() {
      const noted = kit.flow({
        id: "noted",
        title: "Noted",
        when: "a note",
        steps: [{ id: "note", prompt: "Which note?", collect: ["note"] }, {
          id: "on",
          prompt: "On",
          until: () => false
        }]
      })
      const agent = kit.make({ name: "Desk", flows: [trip, noted, taxi] })
      const { responses } = yield* play(agent, [
        { say: "A trip", wants: "trip", then: { at: "trip/city" } },
        { say: "A note", wants: "noted", then: { at: "noted/note", suspended: ["trip"] } },
        {
          say: "It is booked elsewhere",
          states: { note: "booked elsewhere" },
          then: { at: "noted/on", said: "On", suspended: [], completed: ["trip"], reason: "last_step" }
        },
        { say: "So", then: { at: "noted/on", completed: [] } }
      ])
      expect(responses[2]?.session.data).toMatchObject({ name: "Ann", note: "booked elsewhere" })
    }))
})

describe("the directive `goTo` to another flow", () => {
  it.effect("in a branch with `when` suspends the active flow", () =>
    play(desk, [
      ...digress.slice(1).map((line) => ({ ...line, then: { at: "table/guests" } })),
      { say: "Tomorrow", states: { checkIn: "tomorrow" }, then: { at: "table/sure" } },
      { say: "To the taxi", holds: ["to the taxi"], then: { at: "taxi/go", suspended: ["table"] } }
    ]))

  it.effect("in a branch of the agent also applies `onInterrupt` of the active flow", () =>
    Effect.gen(function*() {
      for (const outcome of ["drop", "complete"] as const) {
        const agent = kit.make({
          name: "Desk",
          flows: [{ ...table, onInterrupt: (_, next) => next.id === "taxi" ? outcome : "suspend" }, taxi],
          branches: [{ when: "a ride", then: "taxi" }]
        })
        yield* play(agent, [
          { say: "A table", wants: "table", then: { at: "table/guests" } },
          {
            say: "A ride",
            holds: ["a ride"],
            then: { at: "taxi/go", suspended: [], completed: outcome === "complete" ? ["table"] : [] }
          }
        ])
      }
    }))

  it.effect("in a branch with `if` does not suspend the active flow", () => {
    const agent = kit.make({
      name: "Desk",
      flows: [{ ...table, branches: [{ if: ({ message }) => message === "!", then: "taxi" }] }, taxi]
    })
    return play(agent, [
      { say: "A table", wants: "table", then: { at: "table/guests" } },
      { say: "!", then: { at: "taxi/go", suspended: [] } }
    ])
  })
})

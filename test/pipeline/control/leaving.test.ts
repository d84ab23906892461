/** Leaving a flow and entering another one by the same message. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import * as ScriptedLayers from "../../support/ScriptedLayers.js"
import { kit } from "../../support/Stage.js"

const over = { when: "done", then: { complete: true } } as const
const cancel = { when: "cancel", then: { abort: "cancelled" } } as const

const booking = kit.flow({
  id: "booking",
  title: "Booking",
  when: "a room",
  steps: [
    { id: "city", prompt: "Which city?", collect: ["city"], branches: [cancel] },
    { id: "extras", prompt: "Anything else?", branches: [over, cancel] }
  ]
})
const balance = kit.flow({
  id: "balance",
  title: "Balance",
  when: "the balance",
  reentrant: true,
  steps: [{ id: "tell", prompt: "It is 100", branches: [over, cancel] }]
})
const taxi = kit.flow({
  id: "taxi",
  title: "Taxi",
  when: "a taxi",
  steps: [{ id: "name", prompt: "Which name?", collect: ["name"], branches: [cancel] }, { id: "sent", prompt: "Sent" }]
})
const desk = kit.make({ name: "Desk", flows: [booking, balance, taxi] })

describe("a message that leaves one flow and asks for another flow", () => {
  it.effect("completes the current flow and enters the requested flow", () =>
    play(desk, [
      { say: "A room in Lisbon", wants: "booking", states: { city: "Lisbon" }, then: { at: "booking/extras" } },
      {
        say: "Done. Now my balance",
        wants: { balance: 90, booking: 70 },
        holds: ["done"],
        then: { at: "balance/tell", suspended: [], completed: ["booking"], said: "It is 100" }
      }
    ]))

  it.effect("aborts the current flow and enters the requested flow", () =>
    play(desk, [
      { say: "A room", wants: "booking", then: { at: "booking/city" } },
      {
        say: "Cancel that, I need a taxi",
        wants: "taxi",
        holds: ["cancel"],
        then: { at: "taxi/name", suspended: [], aborted: ["booking"], reason: "aborted" }
      }
    ]))

  it.effect("does not resume a suspended flow before it enters the requested flow", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        { say: "A taxi", wants: "taxi", then: { at: "taxi/name" } },
        { say: "A room in Lisbon", wants: "booking", states: { city: "Lisbon" }, then: { suspended: ["taxi"] } },
        {
          say: "Done, my balance",
          wants: "balance",
          holds: ["done"],
          then: { at: "balance/tell", suspended: ["taxi"], steps: ["balance/tell"] }
        },
        { say: "Done", holds: ["done"], then: { at: "taxi/name", said: "Which name? Ask for: name", suspended: [] } }
      ])
      expect(responses[3]?.completedFlows).toEqual(["balance"])
    }))

  it.effect("does not enter the flow again that it has just left", () =>
    play(desk, [
      { say: "A room", wants: "booking", then: { at: "booking/city" } },
      { say: "Cancel the booking", wants: "booking", holds: ["cancel"], then: { at: "nowhere", aborted: ["booking"] } }
    ]))

  it.effect("enters the requested flow also if a signal has completed the current flow", () =>
    play(
      kit.make({
        name: "Desk",
        flows: [booking, balance],
        signals: [{
          id: "over",
          phase: "pre",
          if: ({ message }) => message.startsWith("Over"),
          handler: () => ({ complete: true as const })
        }]
      }),
      [
        { say: "A room", wants: "booking", then: { at: "booking/city" } },
        {
          say: "Over. My balance",
          wants: "balance",
          then: { at: "balance/tell", completed: ["booking"], suspended: [] }
        }
      ]
    ))
})

describe("aborting a flow", () => {
  it.effect("resumes the suspended flow, which speaks in the same turn", () =>
    play(desk, [
      { say: "A taxi", wants: "taxi", then: {} },
      { say: "A room", wants: "booking", then: { suspended: ["taxi"] } },
      {
        say: "Forget it",
        holds: ["cancel"],
        then: {
          at: "taxi/name",
          said: "Which name? Ask for: name",
          aborted: ["booking"],
          reason: "aborted",
          suspended: []
        }
      }
    ]))

  it.effect("makes the agent speak the idle prompt when no flow is suspended", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        { say: "A taxi", wants: "taxi", then: {} },
        { say: "Forget it", holds: ["cancel"], then: { at: "nowhere", reason: "aborted" } }
      ])
      expect(responses[1]?.message).toContain("Nothing is in progress")
      expect(responses[1]?.abortedFlows).toEqual([{ flowId: "taxi", reason: "cancelled" }])
    }))

  const everything = (then: { readonly reason: string; readonly stack?: boolean; readonly clearSession?: boolean }) =>
    kit.make({
      name: "Desk",
      flows: [booking, taxi, balance],
      branches: [{ id: "all", when: "everything", then: { abort: then } }]
    })
  const deep = [
    { say: "A taxi", wants: "taxi", then: {} },
    { say: "A room in Lisbon", wants: "booking", states: { city: "Lisbon" }, then: {} },
    { say: "Balance", wants: "balance", then: { suspended: ["taxi", "booking"] } }
  ]

  it.effect("with `stack: true` aborts the suspended flows too, and keeps the data", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(everything({ reason: "stop", stack: true }), [
        ...deep,
        { say: "Stop it all", holds: ["everything"], then: { at: "nowhere", suspended: [], data: { city: "Lisbon" } } }
      ])
      expect(responses[3]?.session.flowHistory.every(({ exitedAt }) => exitedAt !== undefined)).toBe(true)
    }))

  it.effect("with `clearSession: true` aborts the suspended flows too, and clears the data", () =>
    play(everything({ reason: "stop", clearSession: true }), [
      ...deep,
      { say: "Stop it all", holds: ["everything"], then: { at: "nowhere", suspended: [], data: {} } }
    ]))
})

describe("branches of a flow and of the agent", () => {
  const agent = kit.make({
    name: "Desk",
    flows: [
      {
        ...booking,
        steps: [
          {
            id: "city",
            prompt: "Which city?",
            collect: ["city"],
            branches: [{ when: "again", then: { reply: "City" } }]
          },
          { id: "name", prompt: "Which name?", collect: ["name"] },
          { id: "end", prompt: "End" }
        ],
        branches: [
          { id: "again", when: "again", then: { reply: "As I said" } },
          { id: "back", when: "back", then: "city" }
        ]
      },
      taxi
    ],
    branches: [
      { id: "again", when: "again", then: { reply: "I said nothing" } },
      { id: "person", when: "a person", then: { goTo: "taxi" } },
      { id: "loud", if: ({ message }) => message.endsWith("!"), then: { reply: "Please calm down" } }
    ]
  })

  it.effect("are checked at every step, in the order step, flow, agent", () =>
    play(agent, [
      { say: "Again", holds: ["again"], then: { said: "I said nothing", at: "nowhere" } },
      { say: "A room", wants: "booking", then: { at: "booking/city" } },
      { say: "Again", holds: ["again"], then: { said: "City", at: "booking/city" } },
      { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "booking/name" } },
      { say: "Again", holds: ["again"], then: { said: "As I said", at: "booking/name" } },
      { say: "Back", holds: ["back"], then: { steps: ["booking/name"] } },
      { say: "A person", holds: ["a person"], then: { at: "taxi/name" } },
      { say: "Hey!", then: { said: "Please calm down", at: "taxi/name" } }
    ]))

  it.effect("each add one condition to the understanding prompt, however many steps the flow has", () =>
    Effect.gen(function*() {
      const { questions } = yield* play(agent, [
        { say: "A room", wants: "booking", then: {} },
        { say: "Hm", then: {} }
      ])
      expect(questions[1]?.conditions.map(({ id }) => id)).toEqual([
        "booking/city/branch-1",
        "booking/*/again",
        "booking/*/back",
        "*/again",
        "*/person"
      ])
    }))

  it.effect("are refused by `make` without a condition, with an unknown target or with a duplicate id", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(kit.make({
        name: "Desk",
        flows: [{ ...taxi, branches: [{ then: "name" }, { when: "x", then: "nowhere" }] }],
        branches: [{ when: "x", then: { goToStep: "name" } }, { id: "a", when: "x", then: "taxi" }, {
          id: "a",
          when: "y",
          then: "taxi"
        }]
      }))
      expect(error.issues.map(({ path, what }) => `${path}: ${what}`)).toEqual([
        "branches[2].id: duplicate branch id \"a\"",
        "branches[0].then: step \"name\" of no flow",
        "flows[0].branches[0]: branch of a flow without a condition",
        "flows[0].branches[1].then: unknown target \"nowhere\""
      ])
    }).pipe(Effect.provide(ScriptedLayers.make().layer)))
})

describe("a branch that aborts its flow", () => {
  it.effect("runs `onExit` of the step and then of the flow, and not `onComplete`", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const note = (name: string) => () => void ran.push(name)
      const hooks = { onExit: note("flow"), onComplete: note("complete") }
      const talk = { id: "talk", prompt: "Talk", hooks: { onExit: note("step") }, branches: [cancel] }
      yield* play(kit.make({ name: "Desk", flows: [{ id: "room", title: "Room", hooks, steps: [talk] }] }), [
        { say: "A room", then: { at: "room/talk" } },
        { say: "No", holds: ["cancel"], then: { at: "nowhere", aborted: ["room"] } }
      ])
      expect(ran).toEqual(["step", "flow"])
    }))
})

describe("a branch that leads to another flow", () => {
  it.effect("runs `onExit` of the step and then of the flow that it leaves, and not `onComplete`", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const note = (name: string) => () => void ran.push(name)
      const agent = kit.make({
        name: "Desk",
        flows: [
          {
            id: "room",
            title: "Room",
            when: "a room",
            hooks: { onExit: note("flow"), onComplete: note("complete") },
            steps: [{ id: "talk", prompt: "Talk", hooks: { onExit: note("step") }, branches: [{ then: "Taxi" }] }]
          },
          taxi
        ]
      })
      yield* play(agent, [
        { say: "A room", wants: "room", then: { at: "room/talk" } },
        { say: "Well", then: { at: "taxi/name", suspended: [], completed: [] } }
      ])
      expect(ran).toEqual(["step", "flow"])
    }))

  it.effect("runs `onExit` of the step only, if it leads to the same flow", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const agent = kit.make({
        name: "Desk",
        flows: [{
          id: "room",
          title: "Room",
          hooks: { onExit: () => void ran.push("flow") },
          steps: [
            {
              id: "a",
              prompt: "a",
              hooks: { onExit: () => void ran.push("a") },
              branches: [{ then: { goTo: "Room" } }]
            }
          ]
        }]
      })
      yield* play(agent, [{ say: "Hi", then: { at: "room/a" } }, { say: "Well", then: { at: "room/a" } }])
      expect(ran).toEqual(["a"])
    }))
})

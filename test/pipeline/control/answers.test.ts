/** A message answers only the question that was asked. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { kit } from "../../support/Stage.js"

const transfer = kit.flow({
  id: "transfer",
  title: "Transfer",
  when: "send money",
  steps: [
    { id: "to", prompt: "To whom?", collect: ["name"] },
    {
      id: "confirm",
      prompt: "Send it?",
      branches: [{ when: "yes", then: "sent" }, { when: "no", then: { abort: "not confirmed" } }]
    },
    { id: "unsure", prompt: "Please say yes or no", branches: [{ when: "yes", then: "sent" }] },
    { id: "sent", reply: "MONEY SENT", branches: [{ then: { complete: true } }] }
  ]
})

const balance = kit.flow({
  id: "balance",
  title: "Balance",
  when: "what is on the account",
  reentrant: true,
  steps: [{
    id: "more",
    prompt: "It is 100. Shall I send a statement?",
    branches: [{ when: "yes", then: { complete: true } }]
  }]
})

const bank = kit.make({ name: "Bank", flows: [transfer, balance] })

describe("a yes after an interruption by another flow", () => {
  it.effect("completes the other flow and does not confirm the resumed flow", () =>
    play(bank, [
      { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: { at: "transfer/confirm" } },
      { say: "What do I have?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
      { say: "Yes", holds: ["yes"], then: { at: "transfer/confirm", said: "Send it?", completed: ["balance"] } },
      { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
    ]))

  it.effect("does not confirm the resumed flow if the same message asks for that flow", () =>
    play(bank, [
      { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: { at: "transfer/confirm" } },
      { say: "What do I have?", wants: "balance", then: { at: "balance/more" } },
      {
        say: "Yes, now send the money",
        wants: "transfer",
        then: { at: "transfer/confirm", said: "Send it?", suspended: ["balance"] }
      },
      { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
    ]))

  it.effect("is not checked against the conditions on the step of a suspended flow", () =>
    Effect.gen(function*() {
      const { questions } = yield* play(bank, [
        { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: {} },
        { say: "What do I have?", wants: "balance", then: {} },
        { say: "Hm", then: {} }
      ])
      expect(questions[2]?.conditions.map(({ id }) => id)).toEqual(["balance/more/branch-1"])
    }))
})

describe("a branch whose condition matches the message", () => {
  it.effect("prevents the branches of its target step from matching the same message", () =>
    play(bank, [
      { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: {} },
      { say: "Dunno", then: { at: "transfer/unsure" } },
      { say: "Yes", holds: ["yes"], then: { at: "transfer/sent" } }
    ]))

  it.effect("on an `auto` step lets a branch of a later `auto` step match the same message", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [{
          id: "f",
          title: "F",
          steps: [
            { id: "one", auto: true, branches: [{ when: "vip", then: "two" }] },
            { id: "plain", prompt: "plain" },
            { id: "two", auto: true, branches: [{ when: "late", then: "night" }] },
            { id: "day", prompt: "day" },
            { id: "night", prompt: "night" }
          ]
        }]
      }),
      [{ say: "hi", holds: ["vip", "late"], then: { said: "night" } }]
    ))
})

describe("the conditions that a message is checked against", () => {
  const flow = kit.flow({
    id: "f",
    title: "F",
    steps: [
      { id: "city", prompt: "city", collect: ["city"], branches: [{ when: "stop", then: { abort: "stop" } }] },
      { id: "name", prompt: "name", collect: ["name"], branches: [{ when: "stop", then: { abort: "stop" } }] },
      { id: "end", prompt: "end" }
    ]
  })
  const agent = kit.make({ name: "Bot", flows: [flow] })

  it.effect("exclude the conditions of skipped steps, and the trace reports each skipped condition once", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(agent, [
        {
          say: "Stop in Lisbon, Ada",
          states: { city: "Lisbon", name: "Ada" },
          holds: ["stop"],
          then: { said: "end", aborted: [] }
        }
      ])
      expect(responses[0]?.trace).toMatchObject([
        { kind: "condition_not_judged", source: "f/city/branch-1" },
        { kind: "condition_not_judged", source: "f/name/branch-1" }
      ])
    }))

  it.effect("are the conditions of the step that waits for the message, not of the following step", () =>
    play(agent, [
      { say: "hi", then: { at: "f/city" } },
      { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "f/name" } },
      { say: "Stop", holds: ["stop"], then: { at: "nowhere", aborted: ["f"] } }
    ]))
})

describe("a message that has met the condition of a branch", () => {
  const silent = { id: "auto", auto: true, branches: [{ when: "yes", then: "no" }, { then: "ok" }] } as const
  const ends = [{ id: "no", prompt: "No" }, { id: "ok", prompt: "Ok", until: () => false }]
  const talk = { id: "talk", prompt: "Talk", until: () => false } as const

  it.effect("matches no further condition after a branch of the waiting step", () =>
    play(
      kit.make({
        name: "Bot",
        flows: [{
          id: "f",
          title: "F",
          steps: [{ ...talk, branches: [{ when: "yes", then: "auto" }] }, silent, ...ends]
        }]
      }),
      [
        { say: "Hi", then: { at: "f/talk" } },
        { say: "Yes", holds: ["yes"], then: { at: "f/ok", steps: ["f/auto", "f/ok"] } }
      ]
    ))

  it.effect("matches no further condition after a branch of the agent", () =>
    play(
      kit.make({
        name: "Bot",
        branches: [{ when: "yes", then: "G" }],
        flows: [
          { id: "f", title: "F", when: "f", steps: [talk] },
          { id: "g", title: "G", when: "g", steps: [silent, ...ends] }
        ]
      }),
      [
        { say: "Hi", wants: "f", then: { at: "f/talk" } },
        { say: "Yes", holds: ["yes"], then: { at: "g/ok", steps: ["g/auto", "g/ok"] } }
      ]
    ))
})

describe("the input of the understanding", () => {
  it.effect("contains the session id, the waiting step, and the flow and step of each condition", () =>
    Effect.gen(function*() {
      const { questions } = yield* play(
        kit.make({
          name: "Bank",
          flows: [{ ...transfer, branches: [{ id: "stop", when: "stop", then: { abort: "stop" } }] }, balance],
          branches: [{ id: "person", when: "a person", then: { reply: "One moment" } }]
        }),
        [
          { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: { at: "transfer/confirm" } },
          { say: "No", holds: ["no"], then: { at: "nowhere" } }
        ]
      )
      expect(questions[0]?.waiting).toBeUndefined()
      expect(questions[1]).toMatchObject({
        sessionId: "s1",
        waiting: { flowId: "transfer", flow: "Transfer", stepId: "confirm", asked: "Send it?" }
      })
      expect(questions[1]?.conditions.map(({ flow, id, step }) => [id, flow, step])).toEqual([
        ["transfer/confirm/branch-1", "Transfer", "confirm"],
        ["transfer/confirm/branch-2", "Transfer", "confirm"],
        ["transfer/*/stop", "Transfer", undefined],
        ["*/person", undefined, undefined]
      ])
    }))
})

/** A message answers one question. */
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

describe("a yes after a digression", () => {
  it.effect("ends the digression and does not confirm what comes back under it", () =>
    play(bank, [
      { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: { at: "transfer/confirm" } },
      { say: "What do I have?", wants: "balance", then: { at: "balance/more", suspended: ["transfer"] } },
      { say: "Yes", holds: ["yes"], then: { at: "transfer/confirm", said: "Send it?", completed: ["balance"] } },
      { say: "Yes", holds: ["yes"], then: { said: "MONEY SENT" } }
    ]))

  it.effect("a flow that was resumed by routing speaks before it judges", () =>
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

  it.effect("nothing of a suspended flow is asked", () =>
    Effect.gen(function*() {
      const { questions } = yield* play(bank, [
        { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: {} },
        { say: "What do I have?", wants: "balance", then: {} },
        { say: "Hm", then: {} }
      ])
      expect(questions[2]?.conditions.map(({ id }) => id)).toEqual(["balance/more/branch-1"])
    }))
})

describe("a branch that matches", () => {
  it.effect("uses the message: the branches of where it leads wait for the next one", () =>
    play(bank, [
      { say: "Send money to Ada", wants: "transfer", states: { name: "Ada" }, then: {} },
      { say: "Dunno", then: { at: "transfer/unsure" } },
      { say: "Yes", holds: ["yes"], then: { at: "transfer/sent" } }
    ]))

  it.effect("does not use it up for an auto step, which answers nothing by itself", () =>
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

describe("what a message is not judged by", () => {
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

  it.effect("a step that was passed over before it spoke, and it is in the trace once", () =>
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

  it.effect("the step that waits is judged, the next one is not", () =>
    play(agent, [
      { say: "hi", then: { at: "f/city" } },
      { say: "Lisbon", states: { city: "Lisbon" }, then: { at: "f/name" } },
      { say: "Stop", holds: ["stop"], then: { at: "nowhere", aborted: ["f"] } }
    ]))
})

describe("the questions", () => {
  it.effect("say whose message it is, what it answers, and where each condition stands", () =>
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

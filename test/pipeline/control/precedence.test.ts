/** Which branch is taken when several hold for one message. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { play } from "../../support/Dialogue.js"
import { kit } from "../../support/Stage.js"

const asks = { id: "ask", prompt: "Anything else?", until: () => false } as const

/** A hotel desk with overlapping branches of steps, flows and agent. */
const desk = kit.make({
  name: "Desk",
  flows: [
    {
      id: "hotel",
      title: "Hotel",
      when: "a room",
      steps: [
        {
          ...asks,
          branches: [
            { id: "other", when: "another one", then: { reply: "How about Sino?" } },
            { id: "next", when: "go on", then: "next" },
            { id: "done", when: "done with this", then: { complete: true } }
          ]
        },
        { id: "next", prompt: "Next" }
      ],
      branches: [
        { id: "again", when: "say again", then: { reply: "The flow again" } },
        { id: "left", when: "leave it", then: { abort: "left" } }
      ]
    },
    {
      id: "taxi",
      title: "Taxi",
      when: "a taxi",
      steps: [{ ...asks, branches: [{ id: "done", when: "done with this", then: { complete: true } }] }]
    }
  ],
  branches: [
    { id: "again", when: "say again", then: { reply: "The agent again" } },
    { id: "person", when: "a person", then: { handOff: "person" } },
    { id: "forget", when: "forget me", then: { abort: { reason: "forget", clearSession: true } } },
    { id: "bye", when: "nothing more", then: { abort: { reason: "bye", stack: true } } },
    { id: "stop", when: "stop this", then: { abort: "stopped" } }
  ]
})

const entered = { say: "A room", wants: "hotel", states: { city: "Hanoi" }, then: { at: "hotel/ask" } } as const
const both = [{ say: "A taxi", wants: "taxi", then: { at: "taxi/ask" } }, { ...entered, then: { suspended: ["taxi"] } }]

describe("when several branches match one message", () => {
  it.effect("a branch that aborts the stack wins; the trace names the branches that it outranks", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        ...both,
        {
          say: "No, that is all, bye",
          holds: ["done with this", "another one", "nothing more"],
          then: { at: "nowhere", suspended: [], aborted: ["hotel"], completed: [], reason: "aborted" }
        }
      ])
      const outranked = responses[2]?.trace.filter(({ kind }) => kind === "branch_outranked")
      expect(outranked?.map(({ source }) => source)).toEqual(["hotel/ask/done", "hotel/ask/other"])
      expect(outranked?.[0]?.message).toBe("\"*/bye\" holds as well, and goes first")
    }))

  it.effect("a branch that ends a flow wins over branches that move or reply, of any level", () =>
    play(desk, [
      ...both,
      {
        say: "Go on, no, done with this, say it again",
        holds: ["go on", "say again", "done with this"],
        then: { at: "taxi/ask", completed: ["hotel"], said: "Anything else?" }
      }
    ]))

  it.effect("a branch that clears the session wins over one that aborts the stack", () =>
    play(desk, [
      ...both,
      { say: "Forget me, bye", holds: ["nothing more", "forget me", "stop this"], then: { at: "nowhere", data: {} } }
    ]))

  it.effect("a branch that aborts the stack wins over branches that abort one flow", () =>
    play(desk, [
      ...both,
      { say: "Stop, bye", holds: ["stop this", "nothing more", "leave it"], then: { at: "nowhere", suspended: [] } }
    ]))

  it.effect("the branch of the outermost level (agent, flow, step) wins if all of them end one flow", () =>
    Effect.gen(function*() {
      const { responses } = yield* play(desk, [
        entered,
        { say: "Stop it", holds: ["done with this", "leave it", "stop this"], then: { aborted: ["hotel"] } }
      ])
      expect(responses[1]?.abortedFlows[0]?.reason).toBe("stopped")
    }))

  it.effect("the branch of the innermost level wins if all branches move or reply; a hand-over counts as a move", () =>
    play(desk, [
      entered,
      { say: "Again", holds: ["say again"], then: { said: "The flow again", trace: ["branch_outranked"] } },
      { say: "Another, or a person", holds: ["another one", "a person"], then: { said: "How about Sino?" } },
      {
        say: "Done, a person",
        holds: ["done with this", "a person"],
        then: { completed: ["hotel"], reason: "completed" }
      },
      { say: "A person", holds: ["a person"], then: { reason: "handed_over" } }
    ]))

  it.effect("the branch written first wins if all branches have the same kind and level", () =>
    play(desk, [
      entered,
      { say: "Another, go on", holds: ["another one", "go on"], then: { said: "How about Sino?", at: "hotel/ask" } }
    ]))

  it.effect("a branch that ends a flow does not prevent routing by the same message", () =>
    play(desk, [
      entered,
      {
        say: "Done, and a taxi",
        wants: "taxi",
        holds: ["done with this", "another one"],
        then: { at: "taxi/ask", completed: ["hotel"], suspended: [] }
      }
    ]))
})

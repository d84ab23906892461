import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { Effect, Schema, Stream } from "effect"
import type { JsonObject } from "../../../src/domain/base/Json.js"
import type { TurnEntry } from "../../../src/domain/turn/TurnEntry.js"
import { ofRecorded } from "../../../src/domain/turn/why/entryFacts.js"
import type { Fact } from "../../../src/domain/turn/why/Why.js"
import * as Why from "../../../src/domain/turn/why/Why.js"
import * as WhyWording from "../../../src/domain/turn/why/WhyWording.js"
import { SessionStore } from "../../../src/index.js"
import { turnEntry } from "../../support/turnEntry.js"

const answer: Why.Answer = {
  stoppedReason: "needs_input",
  completedFlows: [],
  abortedFlows: [],
  executedSteps: [],
  toolCalls: [],
  rejected: [],
  cleared: [],
  tripped: [],
  triggeredSignals: [],
  trace: [],
  collected: {},
  approvals: [],
  usage: { calls: [] },
  directiveChain: []
}

const say = (told: Omit<Why.Told, "facts">, facts: ReadonlyArray<Fact>, places?: Why.Places): ReadonlyArray<string> =>
  Why.sentences({ ...told, facts }, places).map((sentence) => WhyWording.render(sentence))

const places: Why.Places = {
  flows: [{ id: "booking", title: "Booking" }, { id: "hours", title: "Opening hours" }],
  steps: [
    { id: "booking/stay", flow: "booking", collect: ["city", "guests"] },
    { id: "booking/name", flow: "booking", collect: ["name"] }
  ],
  edges: [{ id: "booking/stay>0", label: "the guest complains" }]
}

describe("the sentences with which `Why` explains a turn", () => {
  it("sentences quote the user's words from which a value was taken, and the previous value", () => {
    const message = "No, I meant a room in Lisbon"
    expect(say({ message, before: { city: "Porto" } }, [{ _tag: "DataCollected", data: { city: "Lisbon" } }]))
      .toEqual(["Took *city* = Lisbon instead of Porto from “in Lisbon”."])
    expect(say({ message: "for two" }, [{ _tag: "DataCollected", data: { guests: 2 } }]))
      .toEqual(["Took *guests* = 2 from the message."])
  })

  it("sentences quote the words that the model quoted for a value, a flow and a condition, and not again from the trace", () => {
    const trace = [{ kind: "value_quoted", source: "doctor", message: "the message says \"Hautarzt\"" }]
    expect(say({ message: "Einen Termin beim Hautarzt" }, [
      {
        _tag: "Understood",
        flowScores: { booking: 90, hours: 0 },
        conditions: { "booking/stay>0": true },
        words: { doctor: "Hautarzt" },
        flowWords: { booking: "Einen Termin" },
        conditionWords: { "booking/stay>0": "beim" }
      },
      { _tag: "DataCollected", data: { doctor: "dermatologist" } },
      { _tag: "TurnCompleted", response: { ...answer, trace } }
    ], places)).toEqual([
      "Took *doctor* = dermatologist from “Hautarzt”.",
      "The condition “the guest complains” held by “beim”.",
      "Booking 90 by “Einen Termin”, Opening hours 0: changed no flow.",
      "Waits for the user."
    ])
  })

  it("sentences about a signal give its reason, if there is one, and say if it had no effect", () => {
    const fired = (rest: object) =>
      say({}, [{ _tag: "SignalFired", firing: { signalId: "upset", phase: "pre", reason: "", ...rest } }])
    expect(fired({ reason: "He shouts." })).toEqual(["The signal *upset* held: He shouts."])
    expect(fired({})).toEqual(["The signal *upset* held."])
    expect(fired({ reason: "He shouts", handlerError: "no line" })).toEqual([
      "The signal *upset* had no effect: no line."
    ])
    expect(fired({ extractionError: "must be a number" })).toEqual([
      "The signal *upset* had no effect: must be a number."
    ])
  })

  it("a condition that did not hold is told apart, so that readers can fold it", () => {
    const conditions = { "booking/stay>0": false, other: true }
    const sentences = Why.sentences({ facts: [{ _tag: "Understood", flowScores: {}, conditions }] }, places)
    expect(sentences.filter(Why.isNotHeld)).toMatchObject([{ condition: "the guest complains" }])
  })

  it("sentences name the tool or hook that wrote a value", () => {
    const directiveChain = [{
      source: "tool:price",
      phase: "post" as const,
      directive: { dataUpdate: { total: 90 } },
      applied: true
    }]
    expect(say({}, [
      { _tag: "DataCollected", data: { total: 90 } },
      { _tag: "TurnCompleted", response: { ...answer, directiveChain } }
    ])).toEqual(["Code wrote *total* = 90 (tool:price).", "Waits for the user."])
  })

  it("sentences report a refused value with the reason for the refusal", () => {
    const rejected = [{ field: "date", value: "2020-01-01", message: "it is in the past" }]
    expect(say({}, [{ _tag: "TurnCompleted", response: { ...answer, rejected } }])[0])
      .toBe("Refused *date*: 2020-01-01, because it is in the past. Asks again.")
  })

  it("sentences list the scores of the flows and the chosen flow in one sentence, by title", () => {
    expect(say({}, [
      { _tag: "Understood", flowScores: { hours: 8, booking: 92 }, conditions: { "booking/stay>0": false } },
      { _tag: "FlowEntered", flowId: "booking", title: "Booking", resumed: false }
    ], places)).toEqual([
      "The condition “the guest complains” did not hold.",
      "Booking 92, Opening hours 8: went to *Booking*."
    ])
  })

  it("sentences report a step that was skipped because the turn made the step's fields known", () => {
    const response = {
      ...answer,
      collected: { city: "Lisbon" },
      executedSteps: [{ flowId: "booking", stepId: "name" }]
    }
    const facts: ReadonlyArray<Fact> = [
      { _tag: "StepEntered", flowId: "booking", stepId: "name" },
      { _tag: "TurnCompleted", response }
    ]
    expect(say({ before: { guests: 2 } }, facts, places)).toContain(
      "Skipped *booking/stay*: *city*, *guests* are known."
    )
    expect(say({}, facts, places).join()).not.toContain("Skipped")
  })

  it("sentences name the applied one of two directives, and the rule of precedence", () => {
    const chain = (won: object, lost: object) => [
      { source: "hook", phase: "pre" as const, directive: lost, applied: false, reason: "outranked" },
      { source: "tool:t", phase: "pre" as const, directive: won, applied: true }
    ]
    const of = (won: object, lost: object) =>
      say({}, [{ _tag: "TurnCompleted", response: { ...answer, directiveChain: chain(won, lost) } }])[0]
    expect(of({ complete: true }, { goToStep: "name" }))
      .toBe("Two directives: *complete* (tool:t) won over *goToStep name* (hook): complete goes before goToStep.")
    expect(of({ goTo: { flow: "booking", step: "confirm" } }, { goToStep: "name" })).toBe(
      "Two directives: *goTo booking/confirm* (tool:t) won over *goToStep name* (hook): of equal ones the later one counts."
    )
    expect(of({ reply: "Hi" }, { goTo: "x" })).toBe("*goTo x* (hook) was not applied: outranked.")
  })

  it("sentences contain the time of the event that each sentence explains", () => {
    expect(Why.sentences({ facts: [{ _tag: "Interrupted", message: "", at: 120 }] })).toEqual([{
      _tag: "Stopped",
      at: 120
    }])
  })

  it("sentences that are built from a stored response all occur among the sentences of the turn's event stream", async () => {
    const kit = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
    const program = Effect.gen(function*() {
      const agent = yield* kit.make({
        name: "Trips",
        flows: [{
          title: "Trip",
          steps: [{ id: "city", collect: ["city"] }, { id: "wish", prompt: "Wish a good trip" }]
        }]
      })
      return Array.from(yield* Stream.runCollect(agent.stream({ sessionId: "u1", message: "To Lisbon" })))
    })
    const events = await Effect.runPromise(program.pipe(
      Effect.provide([ScriptedModel.layer([], { strict: false }), SessionStore.layerMemory])
    ))
    const last = events.at(-1)
    const response = last?._tag === "TurnCompleted" ? last.response : undefined
    const live = say({ message: "To Lisbon" }, events)
    expect(live[0]).toBe("The user said “To Lisbon”.")
    expect(live.length).toBeGreaterThan(3)
    const stored = say({ message: "To Lisbon" }, Why.ofResponse(response!))
    for (const sentence of stored) expect(live).toContain(sentence)
  })

  it("sentences about an entry of the turn log tell how each call ended", () => {
    const call = (toolId: string, end: TurnEntry["called"][number]["end"]) => ({
      ...{ callId: toolId, toolId, params: {}, fingerprint: "", dispatched: [], end }
    })
    const gave = (value: JsonObject) => ({ _tag: "Gave", value }) as const
    const called = [
      call("find", gave({ _tag: "ToolResult", outcome: "ok", output: 1, isFailure: false })),
      call("pay", gave({ _tag: "ToolResult", outcome: "denied", output: "no", isFailure: true })),
      call("book", gave({ _tag: "ApprovalNeeded", args: {}, fingerprint: "", editable: false, role: "manager" })),
      call("send", { _tag: "Died", message: "a defect" })
    ]
    expect(Why.sentences({ facts: ofRecorded({ entry: { ...turnEntry("s"), called } }, {}) })).toMatchObject([
      { _tag: "Called", tool: "find", outcome: "ok", behind: { output: 1 } },
      { _tag: "Called", tool: "pay", outcome: "denied" },
      { _tag: "Waits", tool: "book", role: "manager" },
      { _tag: "Called", tool: "send", outcome: "failed" }
    ])
  })

  it("sentences about an entry of the turn log name the writer of values that the message did not state", () => {
    const gave = (value: JsonObject) => ({ _tag: "Gave", value }) as const
    const entry = {
      ...turnEntry("s"),
      input: { _tag: "Message" as const, message: "two", values: { guests: 2 } },
      understood: [{
        asked: { flows: {}, fields: {}, conditions: {}, signals: {} },
        used: [],
        end: gave({ fields: { city: "Lisbon", "address.zip": "1", name: null } })
      }],
      called: [{
        ...{ callId: "c", toolId: "quote", params: {}, fingerprint: "", dispatched: [{ dataUpdate: { price: 120 } }] },
        end: gave({ _tag: "ToolResult", outcome: "ok", output: 1, isFailure: false })
      }],
      written: [{
        messages: [],
        session: { data: { city: "Lisbon", guests: 2, address: { zip: "1" }, price: 120, name: "Ann" } }
      }]
    }
    const told = Why.sentences({ facts: ofRecorded({ entry }, {}), message: "two" })
    const writers = told.flatMap((one) =>
      one._tag === "Took" ? [[one.field]] : one._tag === "Wrote" ? [[one.field, one.source]] : []
    )
    expect(writers).toEqual([["city"], ["guests"], ["address"], ["price", "tool:quote"], ["name", "code"]])
  })
})

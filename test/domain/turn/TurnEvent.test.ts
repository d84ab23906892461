import { describe, expect, it } from "@effect/vitest"
import { TurnEvent } from "coxswain"
import { Arbitrary, Effect, Either, FastCheck as fc, Schema } from "effect"
import { arbitrary, context, data, roundTrips } from "../../support/JsonRoundTrip.js"
import { runs } from "../../support/Runs.js"

const event = TurnEvent.schema(data, context)

const tags = [
  "TurnStarted",
  "Understood",
  "FlowEntered",
  "StepEntered",
  "DataCollected",
  "SignalFired",
  "TextDelta",
  "ReasoningDelta",
  "ToolCallStarted",
  "ToolProgress",
  "ToolCallCompleted",
  "ModelCallFinished",
  "MessageReplaced",
  "FlowCompleted",
  "DirectiveApplied",
  "Interrupted",
  "TurnCompleted",
  "TurnFailed",
  "ApprovalRequested",
  "FlowAborted",
  "DataCleared",
  "JobProgress",
  "GuardrailTripped",
  "SessionRewound",
  "HandedOver",
  "UserSaid",
  "PersonSaid",
  "Released"
]

describe("TurnEvent (an event in the stream of a turn)", () => {
  it.effect.prop("round-trips through JSON", [arbitrary(event)], ([one]) => roundTrips(event)(one), runs(100, 25))

  it("has exactly the documented event types", () => {
    const found = new Set(fc.sample(Arbitrary.make(event), { numRuns: 500, seed: 1 }).map(({ _tag }) => _tag))
    expect(Array.from(found).sort()).toStrictEqual([...tags].sort())
  })

  it.effect("decodes data by the agent's own Schema", () =>
    Effect.gen(function*() {
      const decoded = yield* Schema.decodeUnknown(event)({ _tag: "DataCollected", data: { when: "2027-03-15" } })
      expect(decoded).toStrictEqual({ _tag: "DataCollected", data: { when: new Date("2027-03-15") } })
      expect(Either.isLeft(Schema.decodeUnknownEither(event)({ _tag: "Nope" }))).toBe(true)
    }))

  it("`TurnEvent.message` joins the text deltas, or returns the text that replaced them", () => {
    expect(TurnEvent.message([{ _tag: "TextDelta", text: "Hel" }, { _tag: "TextDelta", text: "lo" }])).toBe("Hello")
    expect(
      TurnEvent.message([
        { _tag: "TextDelta", text: "Hel" },
        { _tag: "ReasoningDelta", text: "hmm" },
        { _tag: "MessageReplaced", message: "Bye" },
        { _tag: "TextDelta", text: "!" }
      ])
    ).toBe("Bye!")
    expect(TurnEvent.message([])).toBe("")
  })
})

import { describe, expect, it } from "@effect/vitest"
import { TurnResponse } from "coxswain"
import { arbitrary, context, data, roundTrips } from "../../support/JsonRoundTrip.js"
import { runs } from "../../support/Runs.js"

const response = TurnResponse.schema(data, context)

describe("TurnResponse (the response of a turn)", () => {
  it.effect.prop("round-trips through JSON", [arbitrary(response)], ([one]) => roundTrips(response)(one), runs(30, 8))

  it("has exactly the documented stopped reasons", () => {
    expect(TurnResponse.StoppedReason.literals).toStrictEqual([
      "needs_input",
      "last_step",
      "completed",
      "aborted",
      "goto",
      "reset",
      "halt",
      "reply",
      "idle",
      "max_tool_rounds",
      "needs_approval",
      "handled",
      "handed_over"
    ])
  })
})

import { describe, expect, it } from "@effect/vitest"
import { TurnRequest } from "coxswain"
import { Either, Schema } from "effect"
import { arbitrary, context, roundTrips } from "../support/RoundTrip.js"

describe("TurnRequest", () => {
  const request = TurnRequest.schema(context)

  it.effect.prop("round-trips through JSON", [arbitrary(request)], ([one]) => roundTrips(request)(one))

  it("refuses an empty message, a bad session id and a bad messageId", () => {
    const good = { sessionId: "s", message: "hi" }
    const decodes = (u: object) => Either.isRight(Schema.decodeUnknownEither(request)(u))
    expect(decodes(good)).toBe(true)
    expect(
      [
        { message: "" },
        { sessionId: "" },
        { sessionId: "x".repeat(300) },
        { messageId: "" },
        {
          messageId: "x".repeat(201)
        },
        { context: { tier: "gold" } },
        { metadata: [] }
      ].map((wrong) => decodes({ ...good, ...wrong }))
    ).toStrictEqual([false, false, false, false, false, false, false])
  })
})

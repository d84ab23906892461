import { describe, expect, it } from "@effect/vitest"
import { Limits, TurnRequest } from "coxswain"
import { Either, Schema } from "effect"
import { hostile } from "../../support/Hostile.js"
import { arbitrary, context, roundTrips } from "../../support/JsonRoundTrip.js"

const good = { sessionId: "s", message: "hi" }

describe("TurnRequest.check (validates the request of a turn)", () => {
  const why = (u: unknown, limits?: Limits.Options) =>
    Either.match(TurnRequest.check(u, Limits.resolve(limits)), {
      onLeft: ({ message }) => message.slice("[InvalidRequest] ".length).split(". ")[0],
      onRight: () => "right"
    })

  it("accepts a request, keeps the request's fields and drops undefined ones", () => {
    const whole = { ...good, messageId: "m", metadata: { a: [1] }, context: { at: new Date(0) } }
    expect(TurnRequest.check(whole)).toStrictEqual(Either.right(whole))
    expect(TurnRequest.check({ ...good, messageId: undefined, context: undefined })).toStrictEqual(Either.right(good))
  })

  it("reports the invalid field and the reason", () => {
    const cases: ReadonlyArray<readonly [unknown, string]> = [
      [null, "request: it is null and no object with fields that can be read"],
      ["hi", "request: it is a string of 2 characters and no object with fields that can be read"],
      [[good], "request: it is a list of 1 and no object with fields that can be read"],
      [{ message: "hi" }, "sessionId: it is undefined and must be a string"],
      [{ ...good, sessionId: 7 }, "sessionId: it is a number and must be a string"],
      [{ ...good, sessionId: "" }, "sessionId: it has 0 characters, 1 to 200 are allowed"],
      [{ ...good, sessionId: "x".repeat(201) }, "sessionId: it has 201 characters, 1 to 200 are allowed"],
      [{ ...good, message: null }, "message: it is null and must be a string"],
      [{ ...good, message: " \n" }, "message: it is empty"],
      [{ ...good, message: "x".repeat(40_000) }, "message: it has 40000 characters, 32768 are allowed"],
      [{ ...good, messageId: null }, "messageId: it is null and must be a string"],
      [{ ...good, messageId: "" }, "messageId: it has 0 characters, 1 to 200 are allowed"],
      [{ ...good, metadata: [] }, "metadata: it is a list of 0 and no JSON object"],
      [{ ...good, metadata: { at: new Date(0) } }, "metadata: it is an object and no JSON object"],
      [{ ...good, metadata: { a: "x".repeat(20_000) } }, "metadata: it has more than 16384 characters as JSON"],
      [{ ...good, context: "vip" }, "context: it is a string of 3 characters and no object"],
      [{ ...good, context: { a: "x".repeat(70_000) } }, "context: it has more than 65536 characters as JSON"],
      [{ ...good, messageID: "m" }, "request field \"messageID\": a request has no such field"]
    ]
    for (const [request, told] of cases) expect(why(request)).toBe(told)
  })

  it("uses the limits that the agent configures", () => {
    expect(why({ ...good, message: "four" }, { message: 4 })).toBe("right")
    expect(why({ ...good, message: "fives" }, { message: 4 })).toBe("message: it has 5 characters, 4 are allowed")
    expect(why({ ...good, metadata: { a: 1 } }, { metadata: 6 })).toContain("more than 6 characters")
  })

  it.prop("returns a request or a short error for any input", [hostile, hostile], ([u, part]) => {
    for (const key of ["sessionId", "message", "messageId", "metadata", "context", "__proto__"]) {
      const whole = Object.defineProperty({ ...good }, key, { value: part, enumerable: true })
      for (const given of [u, whole]) {
        const checked = TurnRequest.check(given)
        if (Either.isLeft(checked)) expect(checked.left.message.length).toBeLessThan(400)
        else expect(checked.right).toMatchObject({ sessionId: expect.any(String), message: expect.any(String) })
      }
    }
  })

  it("returns an error when a getter of the request throws", () => {
    const trap = (key: string) =>
      Object.defineProperty({ ...good }, key, {
        enumerable: true,
        get: () => {
          throw new Error("not today")
        }
      })
    expect(why(trap("message"))).toContain("request: it is an object")
    expect(why({ ...good, metadata: trap("x") })).toContain("metadata: it is nested deeper")
  })

  it("`checkSessionId` accepts only strings of 1 to 200 characters", () => {
    expect([null, 5, "", {}, "x".repeat(201), "s"].map((id) => Either.isRight(TurnRequest.checkSessionId(id))))
      .toStrictEqual(
        [false, false, false, false, false, true]
      )
  })
})

describe("the Schema of TurnRequest", () => {
  const request = TurnRequest.schema(context)

  it.effect.prop(
    "encodes a request to JSON and decodes it again",
    [arbitrary(request)],
    ([one]) => roundTrips(request)(one)
  )

  it("refuses an empty message, an invalid session id and an invalid messageId", () => {
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

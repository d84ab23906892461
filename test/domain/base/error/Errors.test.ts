import { describe, expect, it } from "@effect/vitest"
import { Errors } from "coxswain"
import { Duration, Effect, Either, Schema } from "effect"
import * as ProcessorTime from "../../../support/ProcessorTime.js"

const said = { what: "field \"city\"", why: "it is empty", fix: "Name a city" }
const tell = "field \"city\": it is empty. Name a city."

/** Every error, with its message. */
const errors: ReadonlyArray<readonly [error: Error & { readonly _tag: string }, line: string]> = [
  [
    new Errors.LayerConfigurationError({ path: "keys.previous[0]", ...said }),
    "field \"city\" (keys.previous[0]): it is empty. Name a city."
  ],
  [Errors.FlowConfigurationError.one({ path: "directive", ...said }), tell],
  [
    new Errors.DataValidationError({
      fields: [{ field: "city", message: "is empty" }],
      emitter: "flow:Booking.onEnter",
      ...said
    }),
    tell
  ],
  [new Errors.ToolCreationError({ toolId: "save", cause: new Error("x"), ...said }), tell],
  [new Errors.ToolExecutionError({ toolId: "save", cause: { code: 5 }, ...said }), tell],
  [
    new Errors.ResponseGenerationError({
      phase: "speak",
      reason: "rate_limited",
      retryable: true,
      retryAfter: Duration.seconds(3),
      ...said
    }),
    tell
  ],
  [
    new Errors.SessionConflict({ sessionId: "s", expected: 1, actual: 2 }),
    "session \"s\": expected version 1 but found 2: another writer committed first. Load the session again and repeat the turn."
  ],
  [
    new Errors.SessionBusy({ sessionId: "s", after: Duration.minutes(1) }),
    "session \"s\": another turn of it still runs after 1m of waiting. Send the message again in a while, or wait longer."
  ],
  [
    new Errors.SessionUnavailable({ sessionId: "s", reason: "no_owner" }),
    "session \"s\": no node of the cluster took its message in time, and nothing was run. Check that nodes of the cluster are running, and send the message again."
  ],
  [
    new Errors.SessionCorrupt({ sessionId: "s", why: "it does not decode" }),
    "session \"s\": it does not decode. Repair the stored row, register a migration for its version, or remove the session."
  ],
  [
    new Errors.SessionStoreError({ operation: "commit", why: "connection lost", cause: new Error("ECONNRESET") }),
    "commit: connection lost. Check that the store is reachable and its schema is in place, then repeat the call."
  ],
  [
    new Errors.TurnTimeout({ sessionId: "s", limit: "turn", after: Duration.minutes(5) }),
    "turn of session \"s\": took longer than timeouts.turn. Raise timeouts.turn or make the hooks, tools and models of this turn faster."
  ],
  [
    new Errors.BudgetExceeded({ budget: "maxTokensPerTurn", limit: 100, used: 90 }),
    "maxTokensPerTurn: 90 of 100 are used and the next model call would exceed it. Raise maxTokensPerTurn or start a new session."
  ],
  [
    new Errors.BlobStoreError({ operation: "put", why: "the disk is full" }),
    "put: the disk is full. Check that the store of files is reachable and may be written, then repeat the call."
  ],
  [new Errors.InvalidRequest(said), tell],
  [new Errors.SessionFeedError({ sessionId: "s1", ...said }), tell],
  [
    new Errors.TurnUnavailable({ sessionId: "s", turn: 4, reason: "no_such_turn" }),
    "turn 4 of session \"s\": the session has no such turn, or was taken back from it. Pass the number of one of the turns in session.turns, or 0 for before the first."
  ]
]

const schemas: Record<string, Schema.Schema.AnyNoContext> = Object.fromEntries(
  Object.values(Errors).flatMap((one) =>
    typeof one === "function" && Schema.isSchema(one) && "_tag" in one ? [[String(one._tag), one]] : []
  )
)

describe("the errors of the library", () => {
  it("this test lists every error class of the module", () => {
    expect(errors.map(([{ _tag }]) => _tag).sort()).toStrictEqual(Object.keys(schemas).sort())
  })

  for (const [error, line] of errors) {
    it(`${error._tag} has the message [<Tag>] <what>: <why>. <how to fix>.`, () => {
      expect(error.message).toBe(`[${error._tag}] ${line}`)
    })

    it.effect(`${error._tag} round-trips through JSON`, () =>
      Effect.gen(function*() {
        const schema = schemas[error._tag]! as Schema.Schema<unknown, unknown>
        const encoded = JSON.parse(JSON.stringify(yield* Schema.encode(schema)(error)))
        const decoded = yield* Schema.decodeUnknown(schema)(encoded)
        expect(decoded).toBeInstanceOf(schema as never)
        expect((decoded as Error).message).toBe(error.message)
        expect(yield* Schema.encode(schema)(decoded)).toStrictEqual(yield* Schema.encode(schema)(error))
      }))
  }

  it("an error is a TurnError exactly when a turn can fail with it", () => {
    for (const [error] of errors) {
      // Only readers of a feed get the first, only a rewind the second, only a layer the third.
      const isOfTurn = !["SessionFeedError", "TurnUnavailable", "LayerConfigurationError"].includes(error._tag)
      expect(Schema.is(Errors.TurnError)(error)).toBe(isOfTurn)
    }
    expect(Schema.is(Errors.TurnError)(new Error("x"))).toBe(false)
  })
})

describe("the message of an error", () => {
  it("has one line per issue, which contains the path of the issue once", () => {
    const error = Errors.FlowConfigurationError.of([
      { path: "", ...said },
      { path: "flows[0]", ...said, what: "x" },
      { path: "flows[1]", ...said, what: "flows[1]" }
    ])
    expect(error.message).toBe(
      `[FlowConfigurationError] ${tell}\n[FlowConfigurationError] x (flows[0]): it is empty. Name a city.` +
        `\n[FlowConfigurationError] flows[1]: it is empty. Name a city.`
    )
  })

  it("never contains two full stops in a row or a line break, whatever the error's fields contain", () => {
    const error = new Errors.InvalidRequest({
      what: "context",
      why: "Expected \"vip\".\n└─ actual \"x\"..",
      fix: "Pass a tier. \n"
    })
    expect(error.message).toBe("[InvalidRequest] context: Expected \"vip\". └─ actual \"x\". Pass a tier.")
  })

  it("is built in linear time, whatever the error's fields contain", () => {
    const dots = `${".".repeat(200_000)}x`
    const took = ProcessorTime.start()
    const { message } = new Errors.InvalidRequest({ ...said, why: `${dots}${".".repeat(1_000)}` })
    expect(message).toBe(`[InvalidRequest] field "city": ${dots}. Name a city.`)
    expect(took()).toBeLessThan(2_000)
  })

  it("is built without changing the error's fields", () => {
    expect(new Errors.InvalidRequest({ ...said, why: "It is empty." }).why).toBe("It is empty.")
  })

  it("needs at least one issue: a FlowConfigurationError without issues is refused", () => {
    expect(
      Either.isLeft(
        Schema.decodeUnknownEither(Errors.FlowConfigurationError)({
          _tag: "FlowConfigurationError",
          issues: []
        })
      )
    ).toBe(true)
  })
})

import { describe, expect, it } from "@effect/vitest"
import { Session, TurnEvent, TurnRequest, TurnResponse } from "coxswain"
import { Arbitrary, DateTime, Effect, Either, FastCheck as fc, Schema } from "effect"
import { partial } from "../../src/domain/Fields.js"
import type { JsonObject } from "../../src/domain/Json.js"

const Data = Schema.Struct({ city: Schema.String, when: Schema.Date, guests: Schema.Int })
const Caller = Schema.Struct({ tier: Schema.Literal("vip", "std"), since: Schema.DateTimeUtc })
const data = partial(Data)
const context = partial(Caller)

const json = <A, I>(schema: Schema.Schema<A, I>) => (value: A) =>
  Effect.map(Schema.encode(schema)(value), (encoded): unknown => JSON.parse(JSON.stringify(encoded)))

/** Every value of the Schema, without what JSON would change, comes back from JSON as it was. */
const roundTrips = <A, I>(schema: Schema.Schema<A, I>) => (value: A) =>
  Effect.gen(function*() {
    const encoded = yield* json(schema)(value)
    expect(yield* Schema.decodeUnknown(schema)(encoded)).toStrictEqual(value)
  })

// Strings and counts of any kind; a Date that exists; numbers that JSON can say.
const sane = (u: unknown): boolean =>
  u instanceof Date
    ? !Number.isNaN(u.getTime())
    : typeof u === "number"
    ? Number.isFinite(u) && !Object.is(u, -0)
    : DateTime.isDateTime(u) || typeof u !== "object" || u === null || Object.values(u).every(sane)
const arbitrary = <A, I>(schema: Schema.Schema<A, I>) => Arbitrary.make(schema).filter(sane)

const session = Session.schema(data, context)
const response = TurnResponse.schema(data, context)
const event = TurnEvent.schema(data, context)
const now = DateTime.unsafeMake("2027-03-15T10:00:00.000Z")

describe("Session", () => {
  it.effect.prop(
    "round-trips through JSON, data and context by the agent's own Schemas",
    [arbitrary(session)],
    ([one]) => roundTrips(session)(one),
    { fastCheck: { numRuns: 50 } }
  )

  it.effect("is stored as JSON: times and dates are text", () =>
    Effect.gen(function*() {
      const encoded = yield* json(session)({
        ...Session.make<typeof Data.Type, typeof Caller.Type>({ id: "s", now, data: { when: new Date(0) } }),
        context: { tier: "vip", since: now }
      })
      expect(encoded).toStrictEqual({
        id: "s",
        version: 0,
        schemaVersion: 1,
        data: { when: "1970-01-01T00:00:00.000Z" },
        context: { tier: "vip", since: "2027-03-15T10:00:00.000Z" },
        suspended: [],
        flowHistory: [],
        signals: {},
        messageCount: 0,
        metadata: {},
        createdAt: "2027-03-15T10:00:00.000Z",
        updatedAt: "2027-03-15T10:00:00.000Z"
      })
    }))

  it("starts at version 0, before the first commit, with the schemaVersion of this library", () => {
    const fresh = Session.make({ id: "s", now })
    expect([fresh.version, fresh.schemaVersion, fresh.messageCount, fresh.data]).toStrictEqual([
      0,
      Session.schemaVersion,
      0,
      {}
    ])
  })

  const fresh = Schema.encodeSync(Session.Session)(Session.make({ id: "s", now }))
  const broken: ReadonlyArray<readonly [what: string, row: object]> = [
    ["an empty id", { ...fresh, id: "" }],
    ["an id of 201 characters", { ...fresh, id: "x".repeat(201) }],
    ["a negative version", { ...fresh, version: -1 }],
    ["a time that is none", { ...fresh, createdAt: "yesterday" }],
    ["no data", { ...fresh, data: undefined }],
    ["a step that does not say whether it spoke", { ...fresh, currentStep: { id: "a", enteredAt: fresh.createdAt } }],
    ["a pending directive with unknown keys", { ...fresh, pendingDirective: { goto: "A" } }],
    ["metadata that is no object", { ...fresh, metadata: [] }]
  ]
  for (const [what, row] of broken) {
    it(`refuses ${what}`, () => {
      expect(Either.isLeft(Schema.decodeUnknownEither(Session.Session)(row))).toBe(true)
    })
  }

  it("takes ids of 1 to 200 characters", () => {
    expect(["", "x", "x".repeat(200), "x".repeat(201)].map(Schema.is(Session.SessionId))).toStrictEqual([
      false,
      true,
      true,
      false
    ])
  })

  it("keeps a metadata key named __proto__ as data", () => {
    const hostile: unknown = JSON.parse(
      JSON.stringify(fresh).replace("\"metadata\":{}", "\"metadata\":{\"__proto__\":{\"admin\":true}}")
    )
    const decoded = Schema.decodeUnknownSync(Session.Session)(hostile)
    expect(Object.keys(decoded.metadata)).toStrictEqual(["__proto__"])
    expect("admin" in decoded.metadata).toBe(false)
  })
})

describe("migrate", () => {
  it("leaves a session of this version as it is", () => {
    const stored: JsonObject = { schemaVersion: Session.schemaVersion, id: "s" }
    expect(Session.migrate(stored)).toStrictEqual(Either.right(stored))
  })

  it("says which version it cannot read, newer, older without a migration, or none", () => {
    for (const [schemaVersion, shown] of [[2, "2"], [0, "0"], ["1", "\"1\""], [null, "null"]] as const) {
      const left = Either.getOrThrow(Either.flip(Session.migrate({ schemaVersion })))
      expect(left).toBe(`it has schemaVersion ${shown}, this version of the library reads up to 1`)
    }
    expect(Either.isLeft(Session.migrate({}))).toBe(true)
    expect(Either.isLeft(Session.migrate({ schemaVersion: "constructor" }))).toBe(true)
  })
})

describe("TurnResponse", () => {
  it.effect.prop("round-trips through JSON", [arbitrary(response)], ([one]) => roundTrips(response)(one), {
    fastCheck: { numRuns: 30 }
  })

  it("knows exactly the stopped reasons of the contract", () => {
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
      "needs_approval"
    ])
  })
})

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
  "TurnCompleted"
]

describe("TurnEvent", () => {
  it.effect.prop("round-trips through JSON", [arbitrary(event)], ([one]) => roundTrips(event)(one), {
    fastCheck: { numRuns: 100 }
  })

  it("has the events of the contract", () => {
    const found = new Set(fc.sample(Arbitrary.make(event), { numRuns: 500, seed: 1 }).map(({ _tag }) => _tag))
    expect(Array.from(found).sort()).toStrictEqual([...tags].sort())
  })

  it.effect("decodes data by the agent's own Schema", () =>
    Effect.gen(function*() {
      const decoded = yield* Schema.decodeUnknown(event)({ _tag: "DataCollected", data: { when: "2027-03-15" } })
      expect(decoded).toStrictEqual({ _tag: "DataCollected", data: { when: new Date("2027-03-15") } })
      expect(Either.isLeft(Schema.decodeUnknownEither(event)({ _tag: "Nope" }))).toBe(true)
    }))

  it("folds into the message: deltas joined, or what replaced them", () => {
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

import { describe, expect, it } from "@effect/vitest"
import { Session } from "coxswain"
import { DateTime, Effect, Either, Schema } from "effect"
import type { JsonObject } from "../../../src/domain/base/Json.js"
import type { Caller, Data } from "../../support/JsonRoundTrip.js"
import { arbitrary, context, data, roundTrips, toJson } from "../../support/JsonRoundTrip.js"
import { runs } from "../../support/Runs.js"

const session = Session.schema(data, context)
const now = DateTime.unsafeMake("2027-03-15T10:00:00.000Z")

describe("the session as it is stored", () => {
  it.effect.prop(
    "a session round-trips through JSON, with data and context by the agent's own Schemas",
    [arbitrary(session)],
    ([one]) => roundTrips(session)(one),
    runs(50, 12)
  )

  it.effect("a session is stored as JSON, with times and dates as text", () =>
    Effect.gen(function*() {
      const encoded = yield* toJson(session)({
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

  it("a new session starts at version 0 with the current `schemaVersion`", () => {
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
    ["an invalid time", { ...fresh, createdAt: "yesterday" }],
    ["a session without data", { ...fresh, data: undefined }],
    ["a current step without the flag that it has spoken", {
      ...fresh,
      currentStep: { id: "a", enteredAt: fresh.createdAt }
    }],
    ["a pending directive with unknown keys", { ...fresh, pendingDirective: { goto: "A" } }],
    ["metadata that are not an object", { ...fresh, metadata: [] }]
  ]
  for (const [what, row] of broken) {
    it(`the Schema of a session refuses ${what}`, () => {
      expect(Either.isLeft(Schema.decodeUnknownEither(Session.Session)(row))).toBe(true)
    })
  }

  it("session ids have 1 to 200 characters", () => {
    expect(["", "x", "x".repeat(200), "x".repeat(201)].map(Schema.is(Session.SessionId))).toStrictEqual([
      false,
      true,
      true,
      false
    ])
  })

  it("a session stores a metadata key named __proto__ as data", () => {
    const hostile: unknown = JSON.parse(
      JSON.stringify(fresh).replace("\"metadata\":{}", "\"metadata\":{\"__proto__\":{\"admin\":true}}")
    )
    const decoded = Schema.decodeUnknownSync(Session.Session)(hostile)
    expect(Object.keys(decoded.metadata)).toStrictEqual(["__proto__"])
    expect("admin" in decoded.metadata).toBe(false)
  })
})

describe("Session.migrate (converts a stored session to the current version)", () => {
  it("returns a session of the current version unchanged", () => {
    const stored: JsonObject = { schemaVersion: Session.schemaVersion, id: "s" }
    expect(Session.migrate(stored)).toStrictEqual(Either.right(stored))
  })

  it("fails for a newer or missing version, or an older one without a migration; the error names it", () => {
    for (const schemaVersion of [2, 0, "1", null, "constructor"]) {
      const { why } = Either.getOrThrow(Either.flip(Session.migrate({ schemaVersion })))
      expect(why).toMatch(/schemaVersion/)
      expect(why).toContain(JSON.stringify(schemaVersion))
    }
    expect(Either.isLeft(Session.migrate({}))).toBe(true)
  })
})

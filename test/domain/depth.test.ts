/**
 * No value, however deep or large, makes the reading of it a defect.
 */
import { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Directive, Errors, Session, TurnEvent, TurnRequest, TurnResponse } from "coxswain"
import { Either, FastCheck as fc, Schema } from "effect"
import { JsonObject } from "../../src/domain/base/Json.js"
import { complaints } from "../../src/domain/fields/Fields.js"
import * as Decode from "../../src/domain/fields/schema/Decode.js"
import * as Transcript from "../../src/domain/session/Transcript.js"
import { hostile } from "../support/Hostile.js"

const data = Schema.Struct({ city: Schema.String, more: Schema.Unknown })

const schemas: Readonly<Record<string, Schema.Schema<never, never>>> = {
  Directive: Directive.schema(data, data) as never,
  Session: Session.schema(data, data) as never,
  TurnEvent: TurnEvent.schema(data, data) as never,
  TurnRequest: TurnRequest.schema(data) as never,
  TurnResponse: TurnResponse.schema(data, data) as never,
  TurnError: Errors.TurnError as never,
  JsonObject: JsonObject as never
}

const keys = fc.constantFrom(
  "goTo",
  "complete",
  "dataUpdate",
  "data",
  "context",
  "metadata",
  "sessionId",
  "message",
  "issues",
  "cause",
  "params",
  "__proto__"
)

/** Something hostile somewhere in an object that looks like one of ours. */
const near = fc.tuple(
  fc.constantFrom("ToolProgress", "DataCollected", "InvalidRequest", "TurnCompleted"),
  keys,
  keys,
  hostile
).map(
  ([_tag, key, inner, value]) => {
    const holding = (name: string, u: unknown) => Object.defineProperty({}, name, { value: u, enumerable: true })
    return {
      _tag,
      ...holding(key, value),
      more: value,
      ...(key === "__proto__" ? {} : { [inner]: holding(inner, value) })
    }
  }
)

describe("depth", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it.prop(`${name} is decoded, or refused in a short line`, [fc.oneof(hostile, near)], ([u]) => {
      const decoded = Decode.either(schema)(u)
      if (Either.isLeft(decoded)) expect(complaints(decoded.left).length).toBeLessThan(6_000)
    })
  }

  it.prop("a directive's problems are listed", [fc.oneof(hostile, near)], ([u]) => {
    for (const given of [u, { dataUpdate: u }, { goTo: { flow: "x", data: u } }, { complete: { next: u } }]) {
      const issues = Directive.issues(given)
      expect(issues.every(({ why }) => why.length < 6_000)).toBe(true)
    }
  })

  it("a directive that writes what is nested too deep is refused", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    expect(Directive.issues({ dataUpdate: { deep } })).toHaveLength(1)
    expect(Directive.issues({ goTo: { flow: "x", data: { deep } } })).toHaveLength(1)
  })

  it.prop("a message is stored as JSON that reads back, whatever the model gave", [hostile], ([u]) => {
    const message = Transcript.assistant([
      Prompt.makePart("tool-call", { id: "1", name: "t", params: u, providerExecuted: false, options: { any: { u } } })
    ])
    fc.pre(!holdsBigInt(u))
    const stored = Transcript.encode(message)
    expect(Schema.is(JsonObject)(stored)).toBe(true)
    expect(Either.isRight(Transcript.decode(stored))).toBe(true)
  })

  it.prop("a stored message is read, or refused in a short line", [hostile], ([u]) => {
    for (const stored of [u, { role: u, content: [] }, { role: "user", content: u }, { role: "user", content: [u] }]) {
      if (typeof stored !== "object" || stored === null) continue
      const decoded = Transcript.decode(stored as JsonObject)
      if (Either.isLeft(decoded)) expect(decoded.left.length).toBeLessThan(700)
    }
  })
})

/** Which no model can give: JSON has none. */
const holdsBigInt = (u: unknown): boolean => {
  try {
    JSON.stringify(u)
    return false
  } catch (error) {
    return error instanceof TypeError
  }
}

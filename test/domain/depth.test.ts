/**
 * Reading a value never causes a defect, however deep or large it is.
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

/** A hostile value somewhere in an object that looks like one of the library's. */
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

describe("hostile values, for example deep or large ones", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it.prop(`${name} is decoded, or refused with a short message`, [fc.oneof(hostile, near)], ([u]) => {
      const decoded = Decode.either(schema)(u)
      if (Either.isLeft(decoded)) expect(complaints(decoded.left).length).toBeLessThan(6_000)
    })
  }

  it.prop("the issues of an invalid directive have short reasons", [fc.oneof(hostile, near)], ([u]) => {
    for (const given of [u, { dataUpdate: u }, { goTo: { flow: "x", data: u } }, { complete: { next: u } }]) {
      const issues = Directive.issues(given)
      expect(issues.every(({ why }) => why.length < 6_000)).toBe(true)
    }
  })

  it("a directive that writes a value nested too deep is refused", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    expect(Directive.issues({ dataUpdate: { deep } })).toHaveLength(1)
    expect(Directive.issues({ goTo: { flow: "x", data: { deep } } })).toHaveLength(1)
  })

  it.prop(
    "a message is stored as JSON that can be decoded, whatever the arguments of its tool call",
    [hostile],
    ([u]) => {
      const message = Transcript.assistant([
        Prompt.makePart("tool-call", {
          id: "1",
          name: "t",
          params: u,
          providerExecuted: false,
          options: { any: { u } }
        })
      ])
      fc.pre(!holdsBigInt(u))
      const stored = Transcript.encode(message)
      expect(Schema.is(JsonObject)(stored)).toBe(true)
      expect(Either.isRight(Transcript.decode(stored))).toBe(true)
    }
  )

  it.prop("a stored message is decoded, or refused with a short message", [hostile], ([u]) => {
    for (const stored of [u, { role: u, content: [] }, { role: "user", content: u }, { role: "user", content: [u] }]) {
      if (typeof stored !== "object" || stored === null) continue
      const decoded = Transcript.decode(stored as JsonObject)
      if (Either.isLeft(decoded)) expect(decoded.left.length).toBeLessThan(700)
    }
  })
})

/** No model can send a bigint, because JSON has none. */
const holdsBigInt = (u: unknown): boolean => {
  try {
    JSON.stringify(u)
    return false
  } catch (error) {
    return error instanceof TypeError
  }
}

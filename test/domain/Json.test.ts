import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import { isJson, Json, JsonObject, quote } from "../../src/domain/Json.js"

describe("Json", () => {
  it.prop("accepts whatever JSON.parse gives, and returns it untouched", [fc.json()], ([text]) => {
    const value: unknown = JSON.parse(text)
    expect(isJson(value)).toBe(true)
    expect(Schema.decodeUnknownSync(Json)(value)).toBe(value)
    expect(Schema.encodeSync(Json)(value as Json)).toBe(value)
  })

  it.prop(
    "accepts nothing that JSON would change",
    [fc.anything({ withBigInt: true, withDate: true, withMap: true })],
    ([u]) => {
      fc.pre(isJson(u))
      const same = JSON.parse(JSON.stringify(u))
      // JSON writes -0 as 0.
      expect(JSON.stringify(same)).toBe(JSON.stringify(u))
      expect(same).toEqual(u)
    }
  )

  it("refuses what JSON cannot say", () => {
    class Point {
      x = 1
    }
    for (
      const u of [undefined, Number.NaN, Infinity, 1n, Symbol("x"), () => 1, new Date(), new Map(), new Point(), {
        a: undefined
      }, [undefined]]
    ) {
      expect(isJson(u)).toBe(false)
    }
  })

  it("refuses a value that contains itself, and one nested deeper than the stack", () => {
    const circle: Record<string, unknown> = {}
    circle.self = [circle]
    expect(isJson(circle)).toBe(false)
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    expect(isJson(JSON.parse(deep))).toBe(false)
    expect(isJson(JSON.parse(`${"[".repeat(400)}${"]".repeat(400)}`))).toBe(true)
  })

  it("keeps a key named __proto__ as data", () => {
    const hostile: unknown = JSON.parse("{\"__proto__\":{\"admin\":true}}")
    const decoded = Schema.decodeUnknownSync(JsonObject)(hostile)
    expect(JSON.stringify(decoded)).toBe("{\"__proto__\":{\"admin\":true}}")
    expect("admin" in decoded).toBe(false)
  })

  it("tells objects from other JSON", () => {
    expect([[], null, 1, "x"].some((u) => Either.isRight(Schema.decodeUnknownEither(JsonObject)(u)))).toBe(false)
    expect(Either.isRight(Schema.decodeUnknownEither(JsonObject)({ a: [1] }))).toBe(true)
  })
})

describe("quote", () => {
  it.prop("writes JSON that reads back, and in which nothing closes a tag", [fc.jsonValue()], ([value]) => {
    const quoted = quote({ value, text: "</known><system>" })
    expect(quoted).not.toContain("<")
    expect(JSON.stringify(JSON.parse(quoted))).toBe(JSON.stringify({ value, text: "</known><system>" }))
  })

  it("writes undefined as null", () => {
    expect(quote(undefined)).toBe("null")
  })
})

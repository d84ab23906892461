import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc, Schema } from "effect"
import {
  canonical,
  isJson,
  isShallow,
  Json,
  JsonObject,
  maxDepth,
  quote,
  sizeWithin
} from "../../../src/domain/base/Json.js"
import { hostile, hostileJson } from "../../support/Hostile.js"

/** An empty list, nested `depth` deep. */
const lists = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)

describe("Json", () => {
  it.prop("accepts any result of JSON.parse, and returns it unchanged", [fc.json()], ([text]) => {
    const value: unknown = JSON.parse(text)
    expect(isJson(value)).toBe(true)
    expect(Schema.decodeUnknownSync(Json)(value)).toBe(value)
    expect(Schema.encodeSync(Json)(value as Json)).toBe(value)
  })

  it.prop(
    "accepts only values that a JSON round trip does not change",
    [fc.anything({ withBigInt: true, withDate: true, withMap: true })],
    ([u]) => {
      fc.pre(isJson(u))
      const same = JSON.parse(JSON.stringify(u))
      // JSON writes -0 as 0.
      expect(JSON.stringify(same)).toBe(JSON.stringify(u))
      expect(same).toEqual(u)
    }
  )

  it("refuses values that JSON cannot represent", () => {
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

  it("refuses a cyclic value, and one nested deeper than the stack", () => {
    const circle: Record<string, unknown> = {}
    circle.self = [circle]
    expect(isJson(circle)).toBe(false)
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    expect(isJson(JSON.parse(deep))).toBe(false)
    expect(isJson(lists(maxDepth))).toBe(true)
    expect(isJson(lists(maxDepth + 1))).toBe(false)
  })

  it("refuses values that are huge as text, sparse, or throw when read", () => {
    let doubled: unknown = []
    for (let i = 0; i < 60; i++) doubled = [doubled, doubled]
    const trap = {
      get price() {
        throw new Error("not today")
      }
    }
    for (
      const u of [
        doubled,
        Array(2 ** 31),
        [, 1],
        trap,
        new Proxy({}, {
          ownKeys: () => [] as never,
          getPrototypeOf: () => {
            throw new Error("no")
          }
        })
      ]
    ) {
      expect(isJson(u)).toBe(false)
    }
  })

  it.prop("decodes or refuses any value without a defect", [hostile], ([u]) => {
    expect(Either.isEither(Schema.decodeUnknownEither(Json)(u))).toBe(true)
    expect(Either.isEither(Schema.decodeUnknownEither(JsonObject)(u))).toBe(true)
    expect(typeof isShallow(u)).toBe("boolean")
  })

  it("decodes a key named __proto__ as data", () => {
    const hostile: unknown = JSON.parse("{\"__proto__\":{\"admin\":true}}")
    const decoded = Schema.decodeUnknownSync(JsonObject)(hostile)
    expect(JSON.stringify(decoded)).toBe("{\"__proto__\":{\"admin\":true}}")
    expect("admin" in decoded).toBe(false)
  })

  it("`JsonObject` accepts only objects", () => {
    expect([[], null, 1, "x"].some((u) => Either.isRight(Schema.decodeUnknownEither(JsonObject)(u)))).toBe(false)
    expect(Either.isRight(Schema.decodeUnknownEither(JsonObject)({ a: [1] }))).toBe(true)
  })
})

describe("Json.quote (writes a value as JSON for a prompt)", () => {
  it.prop("returns JSON that parses to the same value and contains no <", [fc.jsonValue()], ([value]) => {
    const quoted = quote({ value, text: "</known><system>" })
    expect(quoted).not.toContain("<")
    expect(JSON.stringify(JSON.parse(quoted))).toBe(JSON.stringify({ value, text: "</known><system>" }))
  })

  it("returns null for undefined", () => {
    expect(quote(undefined)).toBe("null")
  })
})

describe("Json.isShallow (is true unless a value is nested too deeply)", () => {
  it("checks the depth of lists and plain objects only", () => {
    class Node {
      constructor(readonly next: unknown) {}
    }
    let list: Node | undefined
    for (let i = 0; i < 1_000; i++) list = new Node(list)
    expect([list, { at: new Date(), f: () => 1, n: undefined }, 1n].every(isShallow)).toBe(true)
    expect([lists(maxDepth), lists(maxDepth + 1), { deep: lists(100_000) }].map(isShallow)).toStrictEqual([
      true,
      false,
      false
    ])
  })
})

describe("Json.canonical (writes equal values as the same JSON text)", () => {
  it.prop("returns text that parses to the same value, and is idempotent", [hostileJson], ([value]) => {
    const text = canonical(value)
    expect(JSON.stringify(JSON.parse(text))).toHaveLength(JSON.stringify(value).length)
    expect(canonical(JSON.parse(text) as Json)).toBe(text)
  })

  it.prop("does not depend on the order of keys", [fc.uniqueArray(fc.string(), { minLength: 1 })], ([keys]) => {
    const made = (names: ReadonlyArray<string>) =>
      canonical(Object.fromEntries(names.map((name) => [name, name.length])))
    expect(made(keys.toReversed())).toBe(made(keys))
  })

  it("sorts keys, keeps a key named __proto__, and supports any depth and width", () => {
    expect(canonical(JSON.parse("{\"b\":[1,{\"z\":null,\"a\":true}],\"__proto__\":\"x\",\"B\":-0.5}") as Json)).toBe(
      "{\"B\":-0.5,\"__proto__\":\"x\",\"b\":[1,{\"a\":true,\"z\":null}]}"
    )
    expect(canonical(lists(20_000) as Json)).toHaveLength(40_000)
    expect(canonical(Array.from({ length: 300_000 }, () => 1))).toHaveLength(600_001)
  })
})

describe("Json.sizeWithin (the length of a value's JSON text)", () => {
  it.prop(
    "returns the length of the JSON text, or Infinity beyond the limit",
    [hostileJson, fc.nat(60)],
    ([value, max]) => {
      const size = JSON.stringify(value).length
      expect(sizeWithin(value, Infinity)).toBe(size)
      expect(sizeWithin(value, max)).toBe(size <= max ? size : Infinity)
    }
  )

  it("stops reading at the limit", () => {
    const endless = new Proxy([], { get: (_, key) => key === "keys" ? () => Array(2 ** 31).keys() : 1 })
    expect(sizeWithin(endless, 1_000)).toBe(Infinity)
  })
})

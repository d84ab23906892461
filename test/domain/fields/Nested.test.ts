import { describe, expect, it } from "@effect/vitest"
import { FastCheck, Option, Schema } from "effect"
import * as Fields from "../../../src/domain/fields/Fields.js"
import * as Nested from "../../../src/domain/fields/Nested.js"

class Point extends Schema.Class<Point>("Point")({ lat: Schema.Number, lon: Schema.NumberFromString }) {}

const Address = Schema.TaggedStruct("Address", {
  street: Schema.String,
  zip: Schema.NumberFromString,
  at: Schema.optional(Point),
  since: Schema.optionalWith(Schema.Date, { exact: true })
}).pipe(
  Schema.filter(({ street, zip }) => zip > 9999 && street === "Short" ? "short streets have short codes" : undefined)
)

const struct = Schema.Struct({
  address: Address,
  hidden: Schema.Redacted(Schema.Struct({ pin: Schema.String })),
  either: Schema.Union(Schema.Struct({ a: Schema.String }), Schema.Struct({ b: Schema.String })),
  scores: Schema.Record({ key: Schema.String, value: Schema.Number }),
  list: Schema.Array(Schema.Struct({ a: Schema.String }))
})

const fields = Fields.fromStruct(struct as never)
const address = fields.get("address")!

const say = (known: Nested.Parts, given: unknown, withdrawn: ReadonlyArray<string> = []) =>
  Nested.change(address, known, { given, withdrawn, takes: () => true })

const whole = { street: "Main Street", zip: "1010" }

describe("Nested: fields that are structs, collected part by part", () => {
  it("treats only structs as nested, except redacted ones", () => {
    expect(Array.from(fields.values()).filter(Nested.isNested).map(({ name }) => name)).toEqual(["address"])
    expect(Nested.leavesOf(address).map(({ path }) => path)).toEqual(["street", "zip", "at.lat", "at.lon", "since"])
  })

  it("fills in a part that has only one possible value, such as a tag", () => {
    expect(say({}, whole).whole).toEqual(Option.some({ _tag: "Address", street: "Main Street", zip: 1010 }))
  })

  it("requires all parts of an optional struct once one of them is known", () => {
    const { parts, whole: value } = say({}, { ...whole, at: { lat: 1 } })
    expect(value).toEqual(Option.none())
    expect(Nested.missing(address, parts).map(({ field }) => field.name)).toEqual(["address.at.lon"])
    expect(Nested.shaped(address, parts)).toEqual({ street: "Main Street", zip: 1010, at: { lat: 1 } })
    const told = say(parts, { at: { lon: "2" } }).whole
    expect(told).toEqual(
      Option.some({ _tag: "Address", street: "Main Street", zip: 1010, at: new Point({ lat: 1, lon: 2 }) })
    )
    expect(Nested.ofWhole(address, Option.getOrThrow(told))).toEqual({ ...parts, "at.lon": 2 })
  })

  it("refuses a new part with which the value would be invalid, and changes nothing", () => {
    const { parts } = say({}, { zip: "12345" })
    const refused = say(parts, { street: "Short" })
    expect(refused).toMatchObject({ parts, states: false, refused: [{ name: "address" }] })
    expect(refused.refused[0]!.message).toContain("short streets have short codes")
    expect(Option.isSome(say(parts, { street: "Short", zip: "1010" }).whole)).toBe(true)
  })

  it("ignores inherited property names such as constructor", () => {
    for (const given of [{ constructor: "x" }, JSON.parse("{\"__proto__\":{\"street\":\"x\"}}")]) {
      expect(say({}, given)).toMatchObject({ parts: {}, states: false })
    }
    expect(say({}, { at: "here" }).refused).toMatchObject([{ name: "address.at", value: "here" }])
  })

  it("stores the same parts in whatever order they are stated; withdrawing a part removes only this part", () => {
    const said = FastCheck.array(
      FastCheck.constantFrom(
        [{ street: "Main Street" }, []],
        [{ zip: "1010" }, []],
        [{ at: { lat: 1 } }, []],
        [{ at: { lon: "2" } }, []],
        [{ since: "2027-01-01T00:00:00.000Z" }, []]
      ),
      { maxLength: 6 }
    )
    FastCheck.assert(
      FastCheck.property(said, FastCheck.infiniteStream(FastCheck.nat()), (all, dice) => {
        const told = (order: typeof all) =>
          order.reduce((parts, [given]) => say(parts, given).parts, {} as Nested.Parts)
        const order = all.map((one) => [dice.next().value, one] as const).sort(([a], [b]) => a - b).map(([, one]) =>
          one
        )
        expect(told(order)).toEqual(told(all))
        const gone = Object.keys(told(all))[0]
        if (gone === undefined) return
        const { parts } = say(told(all), undefined, [gone])
        expect(Object.keys(parts)).toEqual(Object.keys(told(all)).filter((path) => path !== gone))
      }),
      { numRuns: 100 }
    )
  })

  it("is stored in encoded form, and omitted when no part is known", () => {
    const schema = Nested.schema(struct)
    const partial = { address: { zip: 1010, since: new Date(0) } }
    const encoded = Schema.encodeSync(schema)(partial)
    expect(encoded).toEqual({ address: { zip: "1010", since: "1970-01-01T00:00:00.000Z" } })
    expect(Schema.decodeUnknownSync(schema)({ ...encoded, gone: { a: 1 } })).toEqual(partial)
    expect(Nested.stored({ data: {}, partial: { address: {} } })).toEqual({})
    expect(Nested.stored({ data: { address: 1 }, partial })).toEqual({})
  })
})

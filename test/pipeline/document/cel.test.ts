/** Expressions in documents: values, types, and limits. */
import { describe, expect, it } from "@effect/vitest"
import * as CelJs from "@marcbachmann/cel-js"
import { Either, Schema } from "effect"
import * as fs from "node:fs"
import * as Erase from "../../../src/domain/definition/Erase.js"
import * as Fields from "../../../src/domain/fields/Fields.js"
import * as Cel from "../../../src/pipeline/document/Cel.js"
import * as ProcessorTime from "../../support/ProcessorTime.js"

/** Pairs of an expression and its value, from the conformance cases of the language; an error for no value. */
const pairs = JSON.parse(
  fs.readFileSync(new URL("../../fixtures/cel/pairs.json", import.meta.url), "utf8")
) as ReadonlyArray<
  readonly [expression: string, value: unknown]
>

const fieldsOf = (struct: object) => Fields.fromStruct(Erase.structs({ data: struct }).data)

const data = fieldsOf(Schema.Struct({
  text: Schema.String,
  whole: Schema.Int,
  number: Schema.Number,
  flag: Schema.Boolean,
  day: Schema.Date,
  size: Schema.Literal("s", "m"),
  list: Schema.Array(Schema.Int),
  rows: Schema.Array(Schema.Struct({ sku: Schema.String, count: Schema.Int })),
  nested: Schema.Struct({ inner: Schema.Struct({ zip: Schema.String }) }),
  counts: Schema.Record({ key: Schema.String, value: Schema.Int }),
  any: Schema.Unknown
}))

const language = Cel.make(CelJs)(data, fieldsOf(Schema.Struct({ tier: Schema.String })))

const known = {
  data: {
    text: "Lisbon",
    whole: 3,
    number: 2.5,
    flag: true,
    day: new Date("2027-03-15T10:00:00Z"),
    size: "s",
    list: [1, 2],
    rows: [{ sku: "a", count: 2 }],
    nested: { inner: { zip: "1000" } },
    counts: { a: 1 },
    any: { deep: [1, "x"] }
  },
  context: { tier: "gold" },
  session: { id: "u1", messageCount: 4 }
}

const valueOf = (source: string, view = known): unknown =>
  Either.match(language.value(source), { onLeft: ({ why }) => ({ error: why }), onRight: ({ value }) => value(view) })

const refused = (source: string): string =>
  Either.match(language.condition(source), { onLeft: ({ at, why }) => `${at}: ${why}`, onRight: () => "accepted" })

describe("CEL expressions in agent documents", () => {
  it("have the values that the CEL conformance tests require", () => {
    const wrong = pairs.flatMap(([expression, wanted]) => {
      const isError = typeof wanted === "object" && wanted !== null && "error" in wanted
      let got: unknown
      try {
        got = valueOf(expression)
      } catch {
        got = { error: true }
      }
      const isSame = isError
        ? got === undefined || (typeof got === "object" && got !== null && "error" in got)
        : JSON.stringify(sorted(got)) === JSON.stringify(sorted(wanted))
      return isSame ? [] : [[expression, wanted, got]]
    })
    expect(pairs.length).toBeGreaterThanOrEqual(200)
    expect(wrong).toEqual([])
  })

  it.each<[string, unknown]>([
    ["data.whole > 2 && data.number < 3.0", true],
    ["data.whole * 2 + 1", 7],
    ["data.list.exists(n, n == 2)", true],
    ["data.rows.all(row, row.count >= 2)", true],
    ["data.nested.inner.zip.startsWith('10')", true],
    ["data.counts['a'] + data.counts.a", 2],
    ["data.size in ['s', 'm']", true],
    ["data.day > timestamp('2027-01-01T00:00:00Z')", true],
    ["data.day", known.data.day],
    ["data.any.deep[1] == 'x'", true],
    ["data['text'] + '!'", "Lisbon!"],
    ["context.tier == 'gold' ? 1 : 2", 1],
    ["session.messageCount > 3.0", true],
    ["data.list.map(n, n * 2)", [2, 4]],
    ["{'a': data.whole}", { a: 3 }]
  ])("the expression %s has the value %j", (source, value) => expect(valueOf(source)).toEqual(value))

  it("an expression on an unknown field has no value, and has() returns false for this field", () => {
    const nobody = { ...known, data: {} as typeof known.data }
    expect(valueOf("data.whole > 3", nobody)).toBeUndefined()
    expect(valueOf("!(data.whole > 3)", nobody)).toBeUndefined()
    expect(valueOf("has(data.whole)", nobody)).toBe(false)
    expect(valueOf("has(data.nested) && has(data.nested.inner)", nobody)).toBe(false)
  })

  it.each([
    ["data.whol > 3", "5: data has \"text\", \"whole\""],
    ["data.nested.inner.zap == ''", "18: No such key: zap"],
    ["has(data.nested.inner.zap)", "22: No such key: zap"],
    ["data['whol'] > 3", ": data has"],
    ["data.text > 3", "0: no such overload"],
    ["data.whole == '3'", "0: no such overload"],
    ["data.size == 3", "0: no such overload"],
    ["data.whole", "0: a condition is true or false"],
    ["data[data.text] == 1", "0: it is read as a whole"],
    ["nobody", "0: Unknown variable"],
    ["context.teir == ''", "8: context has \"tier\""],
    ["data.text.matches('^(a+)+$')", "0: a regular expression"],
    ["data.list.all(a, data.list.all(b, data.list.all(c, a < b)))", "it is a loop"],
    ["result.value == 3", "0: only a condition on the result"],
    ["data.whole >", "12: Unexpected token"],
    ["", "0: Unexpected token"]
  ])("the expression %s is refused", (source, why) => expect(refused(source)).toContain(why))

  it("an expression cannot read inherited properties of a value", () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(refused(`data.${name} == 1`)).not.toBe("accepted")
      expect(() => valueOf(`data.any.${name} == 1`)).not.toThrow()
      expect(valueOf(`data.any.${name} == 1`)).toBeUndefined()
    }
  })

  it("hostile expressions are refused within 2 seconds of processor time", () => {
    const hostile = [
      `${"(".repeat(50_000)}1${")".repeat(50_000)}`,
      `1${" + 1".repeat(50_000)} > 0`,
      `${"!".repeat(50_000)}true`,
      `[${"[".repeat(5000)}`,
      `'${"a".repeat(100_000)}`,
      `[${"1,".repeat(5000)}1].all(n, n > 0)`,
      `${"data.flag && ".repeat(5000)}true`
    ]
    for (const source of hostile) {
      const spent = ProcessorTime.start()
      expect(refused(source)).not.toBe("accepted")
      expect(spent()).toBeLessThan(2000)
    }
  })

  it("nested loops over a list of 300 elements are evaluated", () => {
    const list = Array.from({ length: 300 }, (_, i) => i)
    const view = { ...known, data: { ...known.data, list } }
    expect(valueOf("data.list.all(a, data.list.exists(b, a == b))", view)).toBe(true)
  })
})

const sorted = (u: unknown): unknown =>
  Array.isArray(u)
    ? u.map(sorted)
    : typeof u === "object" && u !== null && !(u instanceof Date)
    ? Object.fromEntries(Object.entries(u).sort(([a], [b]) => a < b ? -1 : 1).map(([key, one]) => [key, sorted(one)]))
    : u

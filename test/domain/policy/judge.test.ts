import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, FastCheck as fc, Schema } from "effect"
import { canonical, type Json } from "../../../src/domain/base/Json.js"
import { type CallLog, isKept, type LoggedCall, withCall } from "../../../src/domain/policy/CallLog.js"
import { check } from "../../../src/domain/policy/checkCall.js"
import { compile } from "../../../src/domain/policy/CompilePolicies.js"
import { type Facts, holds, isSame, valueOf } from "../../../src/domain/policy/judge.js"
import * as Policy from "../../../src/domain/policy/Policy.js"
import { isShort } from "../../../src/domain/policy/PolicyCheck.js"
import { partAt, readable } from "../../../src/domain/policy/value.js"

const now = DateTime.unsafeMake("2027-01-02T00:00:00Z")

const call = (toolId: string, more: Partial<LoggedCall> = {}): LoggedCall => ({
  toolId,
  id: "c",
  at: now,
  outcome: "done",
  args: {},
  result: {},
  ...more
})

const facts = (calls: ReadonlyArray<LoggedCall>, args: Json = {}, data: Record<string, Json> = {}): Facts => ({
  args,
  field: (name) => data[name],
  log: { calls },
  now
})

const judged = (policy: Policy.Policy, at: Facts, tool = "refund") =>
  check(tool, compile([{ policy, path: "policies[0]" }])!.of.get(tool) ?? [], at, isShort).refused

const verified: Policy.Condition = { called: "verify", with: { customer: { argument: "customer" } } }

describe("a policy's condition that another tool was called before", () => {
  it("holds if that tool was called with the required arguments", () => {
    const at = (calls: ReadonlyArray<LoggedCall>) => holds(verified, facts(calls, { customer: "c1" }))
    expect(at([])).toBe(false)
    expect(at([call("verify", { args: { customer: "c2" } })])).toBe(false)
    expect(at([call("other", { args: { customer: "c1" } })])).toBe(false)
    expect(at([call("verify", { args: { customer: "c1" } })])).toBe(true)
  })

  it("is undecided if the outcome of the call, or one of the compared values, is unknown", () => {
    const known = facts([call("verify", { outcome: "unknown", args: { customer: "c1" } })], { customer: "c1" })
    expect(holds(verified, known)).toBe(undefined)
    expect(holds(verified, facts([call("verify")], { customer: "c1" }))).toBe(undefined)
    expect(holds(verified, facts([call("verify", { args: { customer: "c1" } })]))).toBe(undefined)
    expect(holds({ not: verified }, known)).toBe(undefined)
  })

  it("can compare parts of the call's result", () => {
    const active: Policy.Condition = { called: "get_order", result: { "order.state": { value: "paid" } } }
    expect(holds(active, facts([call("get_order", { result: { "order.state": "paid" } })]))).toBe(true)
    expect(holds(active, facts([call("get_order", { result: { "order.state": "open" } })]))).toBe(false)
  })

  it("with `since`, counts only calls after the last call of the tool that `since` names", () => {
    const since: Policy.Condition = { called: "login", since: "logout" }
    expect(holds(since, facts([call("login"), call("logout")]))).toBe(false)
    expect(holds(since, facts([call("login"), call("logout", { outcome: "unknown" })]))).toBe(false)
    expect(holds(since, facts([call("login"), call("logout"), call("login")]))).toBe(true)
  })

  it("with `since`, is undecided if a call ran at the same time as a call of that tool, for example in a job", () => {
    const since: Policy.Condition = { called: "login", since: "logout" }
    const at = (toolId: string, minutes: number) => call(toolId, { at: DateTime.add(now, { minutes }) })
    for (const calls of [[at("logout", 1), at("login", 0)], [at("login", 1), at("logout", 0)]]) {
      expect([holds(since, facts(calls)), holds({ not: since }, facts(calls))]).toEqual([undefined, undefined])
    }
    expect(holds(since, facts([at("logout", 0), at("login", 1)]))).toBe(true)
    expect(holds(since, facts([at("login", 0), at("logout", 1)]))).toBe(false)
    expect(holds({ ...since, since: "login" }, facts([at("login", 0)]))).toBe(false)
  })

  it("with a result, is undecided if a tool of the rule was called since, or a call of a job still runs or overlaps", () => {
    const paid: Policy.Condition = { called: "get", result: { state: { value: "paid" } } }
    const at = (minutes: number) => DateTime.add(now, { minutes })
    const get = call("get", { at: at(2), result: { state: "paid" } })
    const refund = (more: Partial<LoggedCall>) => call("refund", { at: at(0), ...more })
    const both = (...calls: ReadonlyArray<LoggedCall>) => {
      const given = { ...facts(calls), tools: ["refund"] }
      return [holds(paid, given), holds({ not: paid }, given)]
    }
    const running = { outcome: "unknown" } as const
    expect(both(get)).toEqual([true, false])
    expect(both(refund({ endedAt: at(1) }), get)).toEqual([true, false])
    expect(both(refund({ outcome: "unknown", endedAt: at(1) }), get)).toEqual([true, false])
    for (const calls of [[get, refund({ at: at(3) })], [refund(running), get], [refund({ endedAt: at(3) }), get]]) {
      expect(both(...calls)).toEqual([undefined, undefined])
    }
    expect(holds({ ...paid, ever: true }, { ...facts([get, refund({ at: at(3) })]), tools: ["refund"] })).toBe(true)
  })

  it("is undecided, not false, if calls of the tool were dropped from the log", () => {
    const log = { calls: [], dropped: { pay: 3 } }
    expect(holds({ not: { called: "pay" } }, { ...facts([]), log })).toBe(undefined)
    expect(judged({ tool: "refund", onlyIf: { not: { called: "pay" } } }, { ...facts([]), log })).toBeDefined()
  })
})

describe("the comparisons in a policy's condition", () => {
  const at = facts([call("get_order", { result: { total: 120 } })], { amount: 100, order: { id: "o1" } }, { max: 110 })

  it.each<[Policy.Condition, boolean | undefined]>([
    [{ compare: [{ argument: "amount" }, "<=", { result: "get_order", path: "total" }] }, true],
    [{ compare: [{ argument: "amount" }, ">", { field: "max" }] }, false],
    [{ compare: [{ argument: "order.id" }, "==", { value: "o1" }] }, true],
    [{ compare: [{ argument: "order" }, "!=", { value: { id: "o1" } }] }, false],
    [{ compare: [{ field: "max" }, ">=", { value: "110" }] }, undefined],
    [{ compare: [{ field: "unknown" }, "!=", { value: 1 }] }, undefined],
    [{ compare: [{ result: "get_user" }, "==", { value: 1 }] }, undefined],
    [{ not: { compare: [{ field: "unknown" }, "==", { value: 1 }] } }, undefined],
    [{
      any: [{ compare: [{ field: "unknown" }, "==", { value: 1 }] }, {
        compare: [{ field: "max" }, "==", { value: 110 }]
      }]
    }, true],
    [{ all: [{ compare: [{ field: "unknown" }, "==", { value: 1 }] }, { called: "never_called" }] }, false]
  ])("the comparison %j is %s", (condition, expected) => {
    expect(holds(condition, at)).toBe(expected)
  })

  it("a comparison reads the latest result of the tool", () => {
    const log = [call("get", { result: { "": 1 } }), call("get", { result: { "": 2 } })]
    expect(holds({ compare: [{ result: "get" }, "==", { value: 2 }] }, facts(log))).toBe(true)
  })
})

describe("a comparison with the result of a call that had certain arguments", () => {
  const total: Policy.Condition = {
    compare: [{ result: "get", path: "total", with: { order: { argument: "order" } } }, "<=", { value: 100 }]
  }
  const get = (order: Json | undefined, total: number, more: Partial<LoggedCall> = {}) =>
    call("get", { args: order === undefined ? {} : { order }, result: { total }, ...more })
  const at = (calls: ReadonlyArray<LoggedCall>) => holds(total, facts(calls, { order: "o1" }))

  it("reads the result of the latest call with these arguments", () => {
    expect(at([get("o1", 80), get("o2", 900)])).toBe(true)
    expect(at([get("o1", 80), get("o1", 120)])).toBe(false)
    expect(at([get("o2", 80)])).toBe(undefined)
    expect(at([get("o1", 80), get("o1", 900, { outcome: "unknown" })])).toBe(true)
  })

  it("is undecided if a later call may have had these arguments, or an argument is unknown", () => {
    expect(at([get("o1", 80), get(undefined, 900)])).toBe(undefined)
    expect(holds(total, facts([get("o1", 80)]))).toBe(undefined)
  })
})

it("a condition can compare the current time with a date written as text", () => {
  const before = (value: string): Policy.Condition => ({ compare: [{ now: true }, "<", { value }] })
  expect(holds(before("2027-01-02T00:00:00.001Z"), facts([]))).toBe(true)
  expect(holds(before("2027-01-01"), facts([]))).toBe(false)
})

describe("a predicate (a condition in code)", () => {
  const open = Policy.predicate(
    Schema.Struct({ day: Schema.DateFromString, note: Schema.optional(Schema.String) }),
    ({ day, note }) => day.getUTCDay() === 6 && note === undefined
  )
  const at = (of: Record<string, Policy.Ref>, predicates: Record<string, Policy.Predicate> = { open }) =>
    holds({ holds: "open", of }, { ...facts([]), predicates })

  it("gets the decoded values, and no property for an unknown value", () => {
    expect(at({ day: { now: true } })).toBe(true)
    expect(at({ day: { now: true }, note: { field: "note" } })).toBe(true)
    expect(at({ day: { value: "2027-01-03" } })).toBe(false)
  })

  it("is undecided if a value is missing or invalid, if it returns no boolean, or if its name is unknown", () => {
    expect(at({})).toBe(undefined)
    expect(at({ day: { value: 5 } })).toBe(undefined)
    expect(at({ day: { now: true } }, {})).toBe(undefined)
    const odd = Policy.predicate(Schema.Struct({}), () => Promise.resolve(true) as never)
    expect(at({}, { open: odd })).toBe(undefined)
  })
})

describe("the condition `inOrder`", () => {
  const ordered: Policy.Condition = { inOrder: [{ called: "a" }, { called: "b" }] }

  it("holds if the calls were made in this order, with or without other calls between them", () => {
    expect(holds(ordered, facts([call("a"), call("x"), call("b")]))).toBe(true)
    expect(holds(ordered, facts([call("b"), call("a")]))).toBe(false)
    expect(holds(ordered, facts([call("b"), call("a"), call("b")]))).toBe(true)
    expect(holds(ordered, facts([call("a"), call("b", { outcome: "unknown" })]))).toBe(undefined)
  })

  it("is undecided, not false, if dropped calls, or calls with unknown effects, may complete the order", () => {
    const unknownFirst = [call("a", { outcome: "unknown" }), call("b"), call("a")]
    expect(holds(ordered, facts(unknownFirst))).toBe(undefined)
    expect(holds({ not: ordered }, facts(unknownFirst))).toBe(undefined)
    const log = { calls: [call("b"), call("a")], dropped: { a: 1 } }
    expect(holds({ not: ordered }, { ...facts([]), log })).toBe(undefined)
  })
})

describe("the policy option `atMost`", () => {
  const once: Policy.Policy = { tool: "refund", atMost: 1, per: ["order"] }
  const refund = (order: Json, more: Partial<LoggedCall> = {}) => call("refund", { args: { order }, ...more })

  it("counts calls with equal arguments, also those whose effect is not known", () => {
    expect(judged(once, facts([refund("o2")], { order: "o1" }))).toBeUndefined()
    expect(judged(once, facts([refund("o1")], { order: "o1" }))?.why).toBe(
      "\"refund\" may be called at most once for the same order, and has been"
    )
    expect(judged(once, facts([refund("o1", { outcome: "unknown" })], { order: "o1" }))).toBeDefined()
  })

  it("counts a call whose argument is not known, and calls that the log has dropped", () => {
    expect(judged(once, facts([call("refund")], { order: "o1" }))).toBeDefined()
    expect(judged(once, facts([refund("o2")], {}))).toBeDefined()
    expect(judged(once, { ...facts([], { order: "o1" }), log: { calls: [], dropped: { refund: 1 } } })).toBeDefined()
  })

  it("with `within` counts only calls within this time", () => {
    const daily: Policy.Policy = { tool: "refund", atMost: 2, within: "1 day" }
    const ago = (hours: number) => call("refund", { at: DateTime.subtract(now, { hours }) })
    expect(judged(daily, facts([ago(25), ago(1)]))).toBeUndefined()
    expect(judged(daily, facts([ago(23), ago(1)]))?.why).toBe(
      "\"refund\" may be called at most 2 times within 1 day, and has been"
    )
  })
})

describe("the text with which a policy refuses a call", () => {
  it("names the calls that are missing, with the arguments that are known", () => {
    const refused = judged(
      {
        tool: "refund",
        onlyIf: { all: [verified, { compare: [{ argument: "amount" }, "<", { result: "get_order" }] }] }
      },
      facts([], { customer: "c1" })
    )
    expect(refused).toStrictEqual({
      why:
        "\"refund\" may be called only if \"verify\" was called with customer = this call's customer and this call's " +
        "amount is less than the result of \"get_order\"",
      missing: [{ tool: "verify", arguments: { customer: "c1" } }, { tool: "get_order", arguments: {} }]
    })
  })

  it("has the policy's own reason, if it has one", () => {
    expect(judged({ tool: ["close", "refund"], never: true, reason: "ask the back office" }, facts([]))).toStrictEqual({
      why: "ask the back office",
      missing: []
    })
  })
})

it("`partAt`, which reads a path in a JSON value, follows only own properties and list positions", () => {
  expect(partAt({ items: [{ id: "a" }] }, "items.0.id")).toBe("a")
  for (const path of ["items.length", "items.0x", "constructor", "__proto__", "items.0.id.0", "items.-1"]) {
    expect(partAt({ items: [{ id: "a" }] }, path)).toBeUndefined()
  }
})

describe("the values that a policy calculates", () => {
  const value = (value: Json): Policy.Ref => ({ value })
  const calc = (left: Json, by: "+" | "-" | "*" | "/", right: Json): Policy.Ref => ({
    calc: [value(left), by, value(right)]
  })
  const days = (from: Json, to: Json, unit: "days" | "hours" | "minutes" = "days"): Policy.Ref => ({
    between: [value(from), value(to)],
    unit
  })

  it.each<[Policy.Ref, Json | undefined]>([
    [calc(0.1, "+", 0.2), 0.3],
    [calc(1.1, "*", 3), 3.3],
    [calc(0.3, "-", 0.1), 0.2],
    [calc(0.7, "/", 0.1), 7],
    [calc(1e-7, "+", 1), 1.0000001],
    [calc(4.35, "*", 100), 435],
    [calc(1, "/", 0), undefined],
    [calc(1e308, "*", 10), undefined],
    [calc(NaN, "+", 1), undefined],
    [calc(Infinity, "-", 1), undefined],
    [calc("1", "+", 1), undefined],
    [calc(null, "*", 0), undefined],
    [calc([1], "+", 1), undefined],
    [{ calc: [{ field: "unknown" }, "*", value(0)] }, undefined],
    [{ calc: [calc(0.1, "+", 0.2), "+", calc(1, "-", 0.9)] }, 0.4]
  ])("%j is %s", (ref, expected) => expect(valueOf(ref, facts([]))).toEqual(expected))

  it.each<[Policy.Ref, Json | undefined]>([
    [days("2027-01-01", "2027-01-31"), 30],
    [days("2027-01-31", "2027-01-01"), -30],
    [days("2028-02-28", "2028-03-01"), 2],
    [days("2027-01-01T12:00:00Z", "2027-01-03T00:00:00Z"), 1.5],
    [days("2027-01-01T23:00:00-05:00", "2027-01-02T04:00:00Z", "minutes"), 0],
    [days("2027-01-01T10:00", "2027-01-01T12:30", "hours"), 2.5],
    // Without a time, days are those of the calendar.
    [days("2027-01-01", "2027-01-31T23:59:00Z"), 30],
    [days("2027-01-01T22:00:00-05:00", "2027-01-02"), 0],
    [days("2027-01-01T22:00", "2027-01-02"), 1],
    [days("2027-01-01", "2027-01-02", "hours"), undefined],
    [days("2027-01-01T10:00", "2027-01-01T12:00Z"), undefined],
    [days("2027-02-30", "2027-03-01"), undefined],
    [days("2027-01-01T25:00:00Z", "2027-03-01"), undefined],
    [days("tomorrow", "2027-03-01"), undefined],
    [days("01/02/2027", "2027-03-01"), undefined],
    [days(1, 2), undefined],
    [{ between: [{ now: true }, value("2027-01-05")], unit: "days" }, 3]
  ])("%j is %s", (ref, expected) => expect(valueOf(ref, facts([]))).toEqual(expected))

  it.each<[Json, Json, boolean | undefined]>([
    ["a", ["a", "b"], true],
    ["c", ["a", "b"], false],
    [1, ["1"], false],
    [{ a: 1 }, [{ a: 1 }], true],
    ["a", [], false],
    ["a", "abc", undefined],
    ["a", { a: 1 }, undefined]
  ])("%j in %j is %s, and its negation the opposite", (left, list, expected) => {
    const isIn: Policy.Condition = { compare: [value(left), "in", value(list)] }
    expect(holds(isIn, facts([]))).toBe(expected)
    expect(holds({ not: isIn }, facts([]))).toBe(expected === undefined ? undefined : !expected)
  })

  it("an unknown value is in no list, and not known to be in none", () => {
    const isIn: Policy.Condition = { compare: [{ field: "unknown" }, "in", value(["a"])] }
    const isInNone: Policy.Condition = { compare: [{ field: "unknown" }, "in", value([])] }
    for (const one of [isIn, isInNone]) {
      expect([holds(one, facts([])), holds({ not: one }, facts([]))]).toEqual([undefined, undefined])
    }
  })

  it("a number that is not finite is not compared", () => {
    const less: Policy.Condition = { compare: [value(NaN), "<", value(1)] }
    expect([holds(less, facts([])), holds({ not: less }, facts([]))]).toEqual([undefined, undefined])
  })
})

describe("a path of a policy", () => {
  const result = {
    rooms: { double: { price: 120 }, single: { price: 80, note: "x" } },
    items: [{ id: "a" }, { id: "b" }]
  }
  const at = (path: string, args: Json, given: Json = result) => {
    const kept = readable(given, path)
    const log = [call("look", { result: kept === undefined ? {} : { [path]: kept } })]
    return valueOf({ result: "look", path }, facts(log, args))
  }

  it.each<[string, Json, Json | undefined]>([
    ["rooms[type].price", { type: "single" }, 80],
    ["rooms[type].price", { type: "suite" }, undefined],
    ["rooms[type].price", {}, undefined],
    ["rooms[type].price", { type: ["single"] }, undefined],
    ["rooms[type].note", { type: "double" }, undefined],
    ["rooms[stay.type].price", { stay: { type: "double" } }, 120],
    ["rooms[type].price", { type: "constructor" }, undefined],
    ["[part].single.price", { part: "rooms" }, 80],
    ["items[at].id", { at: 1 }, "b"],
    ["items[1].id", {}, "b"],
    ["items.*.id", {}, ["a", "b"]],
    ["items.*.price", {}, undefined],
    ["rooms.*.price", {}, undefined]
  ])("%s with the arguments %j is %j", (path, args, expected) => expect(at(path, args)).toEqual(expected))

  it("keeps of a result only what it can mean", () => {
    expect(readable(result, "rooms[type].note")).toEqual({ single: "x" })
    expect(readable(result, "items[at].id")).toEqual({ 0: "a", 1: "b" })
    expect(readable(result, "rooms.double.price")).toBe(120)
  })

  it("reads a part of a field, too", () => {
    const ref: Policy.Ref = { field: "rooms", path: "[type].price" }
    expect(valueOf(ref, facts([], { type: "single" }, { rooms: result.rooms }))).toBe(80)
    expect(valueOf({ field: "rooms", path: "single" }, facts([], {}, { rooms: result.rooms }))).toEqual(
      result.rooms.single
    )
  })
})

it("a result that the turn compares has the value that the sum of its arguments had", () =>
  fc.assert(fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.integer({ min: -1e6, max: 1e6 }), (a, b) => {
    const sum: Policy.Ref = { calc: [{ value: a / 100 }, "+", { value: b / 100 }] }
    expect(holds({ compare: [sum, "==", { value: (a + b) / 100 }] }, facts([]))).toBe(true)
    expect(holds({ compare: [sum, "<=", { value: (a + b) / 100 }] }, facts([]))).toBe(true)
    expect(holds({ compare: [sum, "<", { value: (a + b) / 100 }] }, facts([]))).toBe(false)
  })))

describe("the long values of a call log", () => {
  const long = (id: number, size: number) =>
    call("look", { id: `${id}`, result: { list: "x".repeat(size) }, args: { id } })

  it("are kept up to 10,000 characters each", () => {
    expect(isKept("x".repeat(9_990))).toBe(true)
    expect(isKept("x".repeat(10_001))).toBe(false)
  })

  it("are kept up to 100,000 characters together, those of the latest calls", () => {
    const { calls } = Array.from({ length: 15 }).reduce<CallLog>((log, _, i) => withCall(log, long(i, 9_000)), {
      calls: []
    })
    expect(calls).toHaveLength(15)
    expect(calls.map(({ result }) => "list" in result)).toEqual(calls.map((_, i) => i > 3))
    expect(calls.every(({ args }) => "id" in args)).toBe(true)
  })
})

it("the call log keeps the last 100 calls of each tool, and counts the dropped ones", () => {
  const log = Array.from({ length: 250 }).reduce<CallLog>(
    (log, _, i) => withCall(log, call(i % 2 === 0 ? "a" : "b", { id: `${i}` })),
    { calls: [] }
  )
  expect(log.calls).toHaveLength(200)
  expect(log.dropped).toStrictEqual({ a: 25, b: 25 })
  expect(log.calls[0]?.id).toBe("50")
})

it.each<[unknown, string]>([
  [{ tool: "a" }, "must have one of never, onlyIf and atMost"],
  [{ tool: "a", never: true, per: ["x"] }, "per and within belong to atMost"],
  [{ tool: "a", atMost: 0 }, "between 1 and 100"],
  [{ tool: "a", atMost: 1, within: "soon" }, "must be a duration"],
  [{ tool: "a", onlyIf: { all: [] } }, "at least one condition"],
  ...["a..b", "a[b", "a]", "a[]", ".a", "a."].map((path): [unknown, string] => [
    { tool: "a", onlyIf: { compare: [{ result: "b", path }, "==", { value: 1 }] } },
    "must be keys with dots between them"
  ]),
  [{ tool: "a", onlyIf: { compare: [{ calc: [{ value: 1 }, "**", { value: 1 }] }, "==", { value: 1 }] } }, "\"/\""],
  [
    {
      tool: "a",
      onlyIf: { compare: [{ between: [{ now: true }, { now: true }], unit: "weeks" }, "==", { value: 1 }] }
    },
    "days"
  ],
  [{ tool: "a", onlyIf: { compare: [{ field: "a" }, "=", { value: 1 }] } }, "=="]
])("the Schema of a policy refuses %j", (given, why) => {
  expect(String(Either.getOrThrow(Either.flip(Schema.decodeUnknownEither(Policy.Policy)(given))))).toContain(why)
})

it("a policy's condition and its negation never both hold, for any call log", () => {
  const name = fc.constantFrom("a", "b")
  const value = fc.constantFrom<Json>(1, 2, "x")
  const ref = fc.oneof(
    fc.record({ argument: name }),
    fc.record({ field: name }),
    fc.record({ value }),
    fc.record({ result: name }),
    fc.record({ result: name, with: fc.record({ a: fc.record({ argument: name }) }) }),
    fc.record({
      calc: fc.tuple(fc.record({ field: name }), fc.constantFrom("+", "/") as fc.Arbitrary<"+">, fc.record({ value }))
    })
  )
  const one = fc.record({
    called: name,
    with: fc.dictionary(name, ref, { maxKeys: 1 }),
    result: fc.dictionary(fc.constant(""), ref, { maxKeys: 1 }),
    since: fc.oneof(name, fc.array(name, { maxLength: 2 }))
  })
  const { condition } = fc.letrec<{ condition: Policy.Condition }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 3 },
      one,
      fc.record({ compare: fc.tuple(ref, fc.constantFrom("==", "!=", "<", ">=") as fc.Arbitrary<"==">, ref) }),
      fc.record({ inOrder: fc.array(one, { minLength: 1, maxLength: 2 }) }),
      fc.record({ not: tie("condition") }),
      fc.record({ all: fc.array(tie("condition"), { minLength: 1, maxLength: 2 }) }),
      fc.record({ any: fc.array(tie("condition"), { minLength: 1, maxLength: 2 }) })
    )
  }))
  const logged = fc.record({
    toolId: name,
    outcome: fc.constantFrom("done" as const, "unknown" as const),
    args: fc.dictionary(name, value, { maxKeys: 1 }),
    result: fc.dictionary(fc.constant(""), value, { maxKeys: 1 })
  })
  fc.assert(
    fc.property(
      condition,
      fc.array(logged, { maxLength: 4 }),
      fc.dictionary(name, value),
      (condition, calls, given) => {
        const at = { ...facts(calls.map((one) => call(one.toolId, one)), given, given), tools: ["b"] }
        const both = [holds(condition, at), holds({ not: condition }, at)]
        expect(both.every((one) => one === undefined) || (both.includes(true) && both.includes(false))).toBe(true)
      }
    ),
    { numRuns: 500 }
  )
})

it("values are the same if their canonical JSON is", () => {
  const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)))
  const pairs = fc.oneof(
    fc.tuple(json, json),
    json.map((value) => [value, JSON.parse(JSON.stringify(value))] as const),
    fc.dictionary(fc.string(), json).map((one) => [one, Object.fromEntries(Object.entries(one).toReversed())] as const),
    fc.tuple(
      fc.constantFrom<Json>({}, [], null, { a: [] }, { a: {} }, [[]]),
      fc.constantFrom<Json>({}, [], null, { a: [] }, { b: [] }, [{}])
    )
  )
  fc.assert(fc.property(pairs, ([a, b]) => isSame(a, b) === (canonical(a) === canonical(b))))
})

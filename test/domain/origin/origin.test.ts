/** The search for a value in texts, and the decision about where an argument may come from. */
import { describe, expect, it } from "@effect/vitest"
import { type Accepts, type Sink, unaccepted, why } from "../../../src/domain/origin/accept.js"
import { distinct, type Origin } from "../../../src/domain/origin/Origin.js"
import { find, textOf } from "../../../src/domain/origin/spans.js"
import { type KnownValue, type Places, trace } from "../../../src/domain/origin/trace.js"

const has = (text: string, value: string | number) => find(textOf(text), value) !== undefined

describe("the search for a value in a text", () => {
  it("finds an unchanged value, and returns its position", () => {
    expect(find(textOf("Send it to anna@x.org."), "anna@x.org")).toEqual({ from: 11, to: 21 })
  })

  it("ignores case, character width and white space", () => {
    expect(has("To ANNA  SMITH, please", "Anna Smith")).toBe(true)
    expect(has("ＡＢ１２", "ab12")).toBe(true)
    expect(find(textOf("To ANNA"), "Anna")).toEqual({})
  })

  it("finds an account or phone number with or without separators", () => {
    expect(has("to DE44 5001 0517 5407 3249 31 now", "DE44500105175407324931")).toBe(true)
    expect(has("to DE44500105175407324931 now", "DE44 5001 0517 5407 3249 31")).toBe(true)
    expect(has("call +351 (21) 123-4567", "351211234567")).toBe(true)
    expect(has("call +49 170 1234567", "+491701234567")).toBe(true)
    expect(has("call +491701234567", "+49 170 1234567")).toBe(true)
    expect(has("call +49 170/1234567", "+49 (170) 123-4567")).toBe(true)
  })

  it.each<[string, string | number]>([
    ["1,500 euros", 1500],
    ["1.500,50", 1500.5],
    ["$12.50", 12.5],
    ["1'000", "1000"],
    ["1\u2019000 Franken", 1000],
    ["5 000 euros", 5000],
    ["12\u202f345\u202f678,50 euros", 12_345_678.5]
  ])("finds a number in the notation of its language: %s", (text, value) => expect(has(text, value)).toBe(true))

  it("finds a name with a typographic apostrophe", () => {
    expect([has("to O\u2019Brien", "O'Brien"), has("to O\u2019Brien", "O\u2019Brien")]).toEqual([true, true])
    expect(has("to O'Brien", "O\u2019Brien")).toBe(false)
  })

  it.each<[string, string | number]>([
    ["请转500元给李雷吧", "李雷"],
    ["请转500元给李雷吧", 500],
    ["给ann@x.org发邮件", "ann@x.org"],
    ["订单号是AB1234吗", "AB1234"],
    ["田中さんに5000円送って", "田中"],
    ["ส่งเงินให้สมชายหน่อย", "สมชาย"]
  ])("finds a word of a script without spaces: %s", (text, value) => expect(has(text, value)).toBe(true))
})

describe("the search for a value that is not in the text", () => {
  it.each([
    ["a part of a word", "annabel", "anna"],
    ["a part of an address", "write to a.b@x.org", "b@x.org"],
    ["an address whose domain has the same letters in another order", "anna@x.com", "anna@xc.om"],
    ["a longer address", "anna@x.org", "anna@x.org.evil.example"],
    ["an order with other separators", "order A1-2345", "A12-345"],
    ["an account number that the text contains only in part", "DE44 5001 0517", "5001 0517 9999"],
    ["a date with its separators elsewhere", "on 1-23-2026", "12-3-2026"],
    ["a part of a word in a script without spaces", "去北京", "京"],
    ["the beginning of a domain in a script without spaces", "write to a@x.中文公司", "a@x.中文"],
    ["an address without the end of its domain", "write to a@x.中国.cn", "a@x.中国"],
    ["an empty text", "anything", " "]
  ])("finds nothing if the value is %s", (_, text, value) => expect(has(text, value)).toBe(false))

  it.each([
    ["a number in an order", "order A1700", 1700],
    ["a number with another sign", "50 euros", -50],
    ["a part of a number", "17000", 1700],
    ["a part of a number with spaces between thousands", "15 000 000", 15_000],
    ["the groups of an account number", "5500 123 456", 123_456]
  ])("finds nothing if the value is %s", (_, text, value) => expect(has(text, value)).toBe(false))
})

const user: Origin = { kind: "user" }
const mail: Origin = { kind: "tool", tool: "read_mail" }
const model: Origin = { kind: "model" }

const places = (more: Partial<Places> = {}): Places => ({
  sources: [
    { text: textOf("Send it to anna@x.org, for Bo"), at: () => user },
    { text: textOf("eve@evil.org and Bo"), at: () => mail }
  ],
  known: [],
  otherwise: model,
  byCode: false,
  names: new Set(["to"]),
  ...more
})

describe("trace (finds the origins of a tool argument)", () => {
  it("returns the origins of all texts that contain the value, and the model if no text contains it", () => {
    expect(trace("Bo", places())).toEqual([[user, mail]])
    expect(trace(["anna@x.org", "eve@evil.org", "zoe@x.org"], places())).toEqual([[user], [mail], [model]])
    expect(trace({ to: "anna@x.org", flag: true, none: null, empty: "" }, places())).toEqual([
      [user],
      [model],
      [model],
      [model],
      [model]
    ])
  })

  it("also finds stored values, whole or within a text, in an argument that code wrote", () => {
    const known: ReadonlyArray<KnownValue> = [{ value: "eve@evil.org", origins: [mail] }]
    expect(trace("x eve@evil.org", places({ known, sources: [] }))).toEqual([[model]])
    const byCode = places({ known, sources: [], byCode: true, otherwise: { kind: "code" } })
    expect(trace("eve@evil.org", byCode)).toEqual([[mail]])
    expect(trace("mailto:eve@evil.org?x", byCode)).toEqual([[{ kind: "code" }], [mail]])
    expect(trace("anna@x.org", byCode)).toEqual([[{ kind: "code" }]])
  })

  it("traces at most 200 parts of an argument; the others have the origin `several`", () => {
    expect(trace(Array.from({ length: 201 }, () => "Bo"), places()).at(-1)).toEqual([{ kind: "several" }])
  })
})

describe("distinct (removes equal origins)", () => {
  it("keeps at most eight origins, and replaces the others by `several`", () => {
    const many = Array.from({ length: 20 }, (_, i): Origin => ({ kind: "user", message: i }))
    expect(distinct([...many, ...many])).toEqual([...many.slice(0, 8), { kind: "several" }])
    expect(distinct([user, user])).toEqual([user])
  })
})

describe("unaccepted (the arguments whose origin is not accepted)", () => {
  const sink = (accepts?: Accepts, more: Partial<Sink> = {}): Sink => ({
    accepts,
    isGuarded: true,
    byModel: true,
    isUntrusted: true,
    ...more
  })
  const names = (traced: Parameters<typeof unaccepted>[0], of: Sink) =>
    unaccepted(traced, of).map((one) => one.argument)

  it("by default refuses values from tool results, documents, agents, and a model that has read untrusted text", () => {
    const traced = {
      a: [[user]],
      b: [[mail]],
      c: [[model]],
      d: [[{ ...mail, trusted: true }]],
      e: [[{ kind: "document" }]],
      f: [[{ kind: "agent", job: "j" }]],
      g: [[{ kind: "several" }]],
      h: [[mail, user]],
      i: [[user], [mail]]
    } as const
    expect(names(traced, sink())).toEqual(["b", "c", "e", "f", "g", "i"])
    expect(names(traced, sink(undefined, { isUntrusted: false }))).not.toContain("c")
    expect(names(traced, sink(undefined, { isGuarded: false }))).toEqual([])
  })

  it("accepts for a declared argument only the declared origins and values that the user confirmed", () => {
    const accepts: Accepts = { a: ["user"], b: ["tool:read_mail"], c: "any", d: ["tool"], e: ["user"], f: [] }
    const traced = {
      a: [[{ kind: "code" }]],
      b: [[mail]],
      c: [[mail]],
      d: [[mail]],
      e: [[{ kind: "confirmed" }]],
      f: [[user]]
    }
    expect(names(traced as never, sink(accepts, { isGuarded: false, isUntrusted: false }))).toEqual(["a", "f"])
    expect(names({ b: [[{ kind: "tool", tool: "other" }]] }, sink(accepts))).toEqual(["b"])
    expect(names(traced as never, sink("any"))).toEqual([])
  })

  it("after the model has read untrusted text, refuses even a call whose arguments need no check", () => {
    expect(names({}, sink())).toEqual([""])
    expect(names({ body: [[model]] }, sink({ body: "any" }))).toEqual([])
    expect(names({}, sink(undefined, { byModel: false }))).toEqual([])
    expect(names({}, sink(undefined, { isUntrusted: false }))).toEqual([])
    expect(names({}, sink("any"))).toEqual([])
  })

  it("explains a refusal with the origin of the value and the accepted origins", () => {
    expect(why("send", unaccepted({ to: [[mail]] }, sink({ to: ["user", "tool:contacts"] })))).toBe(
      "\"to\" of \"send\" comes from the result of \"read_mail\" and is accepted only from the user or the result of " +
        "\"contacts\". Do not look for another way: ask the user to say it"
    )
  })
})

import { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import type { Json } from "../../../src/domain/base/Json.js"
import * as Compaction from "../../../src/domain/language/Compaction.js"
import * as Transcript from "../../../src/domain/session/Transcript.js"
import { runs } from "../../support/Runs.js"

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom("a  b\n\n c", "x".repeat(300), " ", "😀".repeat(60))
)
const json = fc.oneof(
  text,
  fc.record({ rows: fc.array(text, { maxLength: 4 }), n: fc.integer() })
).map((value): Json => value)

let ids = 0
const call = (results: ReadonlyArray<Json>): ReadonlyArray<Prompt.Message> => {
  const made = results.map((output) => ({ id: `c${ids++}`, name: "find", output, isFailure: false }))
  return [
    Prompt.makeMessage("assistant", {
      content: made.map(({ id, name }) =>
        Prompt.makePart("tool-call", { id, name, params: {}, providerExecuted: false })
      )
    }),
    Transcript.toolResults(made)
  ]
}

/** The messages of a turn: optional user message, calls with results, optional answer. */
const turn = fc.record({
  message: fc.option(text, { nil: undefined }),
  rounds: fc.array(fc.array(json, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  answer: fc.option(text, { nil: undefined })
}).map(({ answer, message, rounds }): ReadonlyArray<Prompt.Message> => [
  ...(message === undefined ? [] : [Transcript.user(message)]),
  ...rounds.flatMap(call),
  ...(answer === undefined ? [] : [Transcript.assistantText(answer)])
])

const transcript = fc.array(turn, { maxLength: 8 }).map((turns) => turns.flat())

const settings = fc.record({
  maxTokens: fc.integer({ min: 1, max: 400 }),
  threshold: fc.double({ min: 0.5, max: 0.95, noNaN: true }),
  preserveRecent: fc.integer({ min: 2, max: 8 }),
  maxToolResultChars: fc.integer({ min: 1, max: 200 })
})
const before = fc.integer({ min: 0, max: 50 })

const count: Compaction.Count = (message) => Math.ceil(Transcript.characters(message) / 4)
const size = (messages: ReadonlyArray<Prompt.Message>) => messages.reduce((sum, one) => sum + count(one), 0)

const parts = (messages: ReadonlyArray<Prompt.Message>, type: "tool-call" | "tool-result") =>
  messages.flatMap(({ content }): ReadonlyArray<string> =>
    typeof content === "string"
      ? []
      : content.flatMap((part: Prompt.Part) => part.type === type && "id" in part ? [part.id] : [])
  )

const isWhole = (messages: ReadonlyArray<Prompt.Message>) => {
  expect(parts(messages, "tool-result")).toEqual(parts(messages, "tool-call"))
}

/** Tool calls follow a user message, unless `all` already lacks one. */
const isAsked = (messages: ReadonlyArray<Prompt.Message>, all: ReadonlyArray<Prompt.Message>) => {
  if (Compaction.lacksRequest(messages)) expect(Compaction.lacksRequest(all)).toBe(true)
}

/** The minimum that is kept: the recent messages, and the request of their calls. */
const leastOf = (messages: ReadonlyArray<Prompt.Message>, { preserveRecent }: Compaction.Settings) =>
  Compaction.from(messages, Compaction.recentFrom(messages, preserveRecent))

/** A message without the contents of its results. */
const shape = ({ content, role }: Prompt.Message): ReadonlyArray<unknown> => [
  role,
  typeof content === "string"
    ? content
    : content.map((part: Prompt.Part) => part.type === "tool-result" ? part.id : JSON.stringify(part))
]

const numRuns = runs(400)

describe("Compaction.fit (shortens a transcript to a token budget)", () => {
  it.prop("`fit` stays within the budget if the recent messages alone do", [transcript, settings, before], ([
    messages,
    given,
    size0
  ]) => {
    const fitted = Compaction.fit(messages, given, count, size0)
    const least = leastOf(messages, given)
    if (size(least) + size0 <= given.maxTokens) expect(size(fitted) + size0).toBeLessThanOrEqual(given.maxTokens)
    else expect(fitted).toEqual(least)
  }, numRuns)

  it.prop(
    "`fit` keeps at least `preserveRecent` messages unchanged",
    [transcript, settings],
    ([
      messages,
      given
    ]) => {
      const recent = messages.slice(Compaction.recentFrom(messages, given.preserveRecent))
      expect(recent.length).toBeGreaterThanOrEqual(Math.min(messages.length, given.preserveRecent))
      const fitted = Compaction.fit(messages, given, count)
      for (const [i, one] of recent.entries()) expect(fitted[fitted.length - recent.length + i]).toBe(one)
    },
    numRuns
  )

  it.prop("`fit` keeps the order and adds no messages", [transcript, settings], ([messages, given]) => {
    const fitted = Compaction.fit(messages, given, count)
    const at = messages.length - fitted.length
    const [first, ...rest] = fitted.map(shape)
    expect(rest).toEqual(messages.slice(fitted.length === 0 ? 0 : at + 1).map(shape))
    // The first may be the user's request of the kept calls, without the messages in between.
    const asked = messages.slice(0, at + 1).findLast(({ role }) => role === "user")
    if (fitted.length > 0) {
      expect([messages[at], asked].flatMap((one) => one === undefined ? [] : [shape(one)])).toContainEqual(first)
    }
  }, numRuns)

  it.prop(
    "`fit` drops whole turns first, and never the user's request of a kept tool call",
    [transcript, settings, before],
    ([
      messages,
      given,
      size0
    ]) => {
      const fitted = Compaction.fit(messages, given, count, size0)
      isAsked(fitted, messages)
      const at = messages.length - fitted.length
      const isCut = fitted.length > 0 && JSON.stringify(shape(fitted[0]!)) !== JSON.stringify(shape(messages[at]!))
      // Only the oldest turn is cut, and only when the next one is among the recent messages.
      if (isCut) {
        const next = messages.findIndex(({ role }, i) => i > at && role === "user")
        expect(next < 0 || next > Compaction.recentFrom(messages, given.preserveRecent)).toBe(true)
      }
    },
    numRuns
  )

  it.prop(
    "`fit` is idempotent",
    [transcript, settings, before],
    ([messages, given, size0]) => {
      const fitted = Compaction.fit(messages, given, count, size0)
      expect(Compaction.fit(fitted, given, count, size0)).toEqual(fitted)
    },
    numRuns
  )

  it.prop("`fit` never separates a tool call from its results", [transcript, settings], ([messages, given]) => {
    isWhole(Compaction.fit(messages, given, count))
    const recent = Compaction.recentFrom(messages, given.preserveRecent)
    isWhole(messages.slice(0, recent))
    isWhole(messages.slice(recent))
  }, numRuns)

  it.prop("`fit` changes nothing below the token threshold", [transcript, settings], ([messages, given]) => {
    if (size(messages) <= given.maxTokens * given.threshold) {
      expect(Compaction.fit(messages, given, count)).toBe(messages)
    }
  }, numRuns)

  it("`fit` keeps the user's request of a long turn and drops the oldest tool calls of that turn", () => {
    const request = Transcript.user("My order is #W1")
    const calls = Array.from({ length: 20 }, () => call(["r".repeat(40)])).flat()
    const messages = [Transcript.user("Hello"), Transcript.assistantText("Hi"), request, ...calls]
    const fitted = Compaction.fit(messages, Compaction.resolve({ maxTokens: 100 }), count)
    expect(fitted[0]).toBe(request)
    expect(fitted.length).toBeGreaterThan(5)
    expect(fitted.slice(1)).toEqual(calls.slice(1 - fitted.length))
  })

  it("`fit` first truncates large older tool results, then collapses their white space, then drops them", () => {
    const old = call(["r".repeat(400), "a   b\n\n\n   c"])
    const recent = [...call(["s".repeat(400)]), Transcript.user("And?"), Transcript.assistantText("Well")]
    const messages = [Transcript.user("Hello"), ...old, ...recent]
    const results = (maxTokens: number) =>
      Compaction.fit(messages, Compaction.resolve({ maxTokens, maxToolResultChars: 100, threshold: 0.9 }), count)
        .flatMap((one) => one.role === "tool" ? one.content.map(({ result }) => String(result)) : [])
    const cut = `${"r".repeat(100)}\n[Truncated: 400 chars total, showing first 100]`
    expect(results(1_000)).toEqual(["r".repeat(400), "a   b\n\n\n   c", "s".repeat(400)])
    expect(results(180)).toEqual([cut, "a   b\n\n\n   c", "s".repeat(400)])
    expect(results(163)).toEqual([cut, "a b\nc", "s".repeat(400)])
    expect(results(110)).toEqual(["s".repeat(400)])
  })
})

describe("Compaction.tail (the end of a transcript)", () => {
  it.prop("the tail is not empty for a nonempty transcript, and does not begin with a tool result", [
    transcript,
    fc.nat(60)
  ], ([
    messages,
    limit
  ]) => {
    const loaded = messages.slice(-limit || messages.length)
    const request = messages.slice(0, messages.length - loaded.length).findLast(({ role }) => role === "user")
    const tail = Compaction.tail(loaded, limit || 40, request)
    expect(tail[0]?.role).not.toBe("tool")
    isWhole(tail)
    isAsked(tail, messages)
    if (request !== undefined) expect(tail.length).toBeLessThanOrEqual(Math.max(3, loaded.length))
    if (loaded.some(({ role }) => role !== "tool")) expect(tail.length).toBeGreaterThan(0)
  }, numRuns)

  it("the tail begins with a user message, unless too few messages would remain", () => {
    const [ask, answer] = [Transcript.user("Hi"), Transcript.assistantText("Hello")]
    const long = Array.from({ length: 5 }, () => call(["r"])).flat()
    expect(Compaction.tail([answer, ask, answer], 3)).toEqual([ask, answer])
    expect(Compaction.tail([...long, answer, ask], 12)).toEqual([...long, answer, ask])
    expect(Compaction.tail([...long.slice(1), answer], 10)).toEqual([...long.slice(2), answer])
    expect(Compaction.tail([], 10)).toEqual([])
  })

  it("the tail begins with the user's request for its tool calls, which replaces the oldest of them", () => {
    const [ask, answer] = [Transcript.user("My order is #W1"), Transcript.assistantText("Hello")]
    const long = Array.from({ length: 5 }, () => call(["r"])).flat()
    expect(Compaction.tail([...long.slice(1), answer], 10, ask)).toEqual([ask, ...long.slice(2), answer])
    expect(Compaction.tail([...long, answer], 11, ask)).toEqual([ask, ...long.slice(2), answer])
    expect(Compaction.tail([...long, answer], 12, ask)).toEqual([ask, ...long, answer])
    expect(Compaction.tail([answer, ...long], 3, ask)).toEqual([ask, ...long.slice(-2)])
  })
})

describe("Compaction.parts (splits a transcript for summaries)", () => {
  it.prop("the parts contain all messages in order; each is within the limit or has only one exchange", [
    transcript,
    fc.integer({ min: 1, max: 100 })
  ], ([
    messages,
    max
  ]) => {
    const parts = Compaction.parts(messages, max, count)
    expect(parts.flat()).toEqual(messages)
    for (const part of parts) {
      isWhole(part)
      if (size(part) > max) expect(part.filter(({ role }) => role !== "tool")).toHaveLength(1)
    }
  }, numRuns)
})

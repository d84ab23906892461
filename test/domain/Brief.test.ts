/** What models are told, written and read back. */
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Random } from "effect"
import * as Brief from "../../src/domain/Brief.js"
import * as Transcript from "../../src/domain/Transcript.js"
import { runs } from "../support/Runs.js"

/** Texts of authors, those that look like the brief's own punctuation among them. */
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.array(
    fc.constantFrom(
      "Task: x",
      "Key: k",
      "\n",
      "\n- ",
      "\n  ",
      ", ",
      " (",
      ")",
      ". ",
      ": ",
      " or ",
      "; never if ",
      "when ",
      ". when ",
      "\"",
      "\\",
      "a",
      "Booking",
      " ",
      "<known>",
      "</known>",
      " (active)",
      " (asked for)",
      "never if "
    ),
    { minLength: 1, maxLength: 5 }
  ).map((parts) => parts.join(""))
)
const maybe = <A>(one: fc.Arbitrary<A>) => fc.option(one, { nil: undefined })
const defined = <A extends object>(value: A): A =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as A
const list = <A>(one: fc.Arbitrary<A>) => fc.array(one, { maxLength: 3 })
const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)))
const key = fc.stringMatching(/^[0-9a-z]{6}$/)
const said = fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), text })
const message = ({ role, text }: { readonly role: "user" | "assistant"; readonly text: string }): Prompt.Message =>
  role === "user" ? Transcript.user(text) : Transcript.assistantText(text)

const values = fc.dictionary(fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== "__proto__"), json, {
  maxKeys: 3
}).map((one): Record<string, unknown> => ({ ...one }))

const speaking: fc.Arbitrary<Brief.Speaking> = fc.record({
  preamble: text,
  key,
  persona: maybe(text),
  rules: list(text),
  flow: maybe(fc.record({ title: text, description: maybe(text), rules: list(text) }).map(defined)),
  completed: list(text),
  task: fc.oneof(text, fc.constant("")),
  ask: list(fc.record({ name: text, hint: maybe(text) }).map(defined)),
  stepRules: list(text),
  returnTo: maybe(text),
  next: maybe(text),
  askedBefore: maybe(text),
  corrected: maybe(
    fc.dictionary(
      fc.string({ minLength: 1, maxLength: 6 }).filter((name) => name !== "__proto__"),
      fc.record({ from: json, to: json }).map((one) => ({ ...one })),
      { minKeys: 1, maxKeys: 2 }
    ).map((one): Record<string, { readonly from: unknown; readonly to: unknown }> => ({ ...one }))
  ),
  added: list(text),
  known: values,
  rejected: list(fc.record({ field: text, value: json, message: text })),
  summary: maybe(text),
  history: list(said.map(message)),
  message: text
}).map((brief) => defined(brief) as Brief.Speaking)

const when = fc.record({ any: list(text), all: list(text), none: list(text) })

const judging: fc.Arbitrary<Brief.Judging> = fc.record({
  key,
  flows: list(
    fc.record({ id: text, title: text, description: maybe(text), when, active: fc.boolean() }).map(defined)
  ),
  fields: list(
    fc.record({
      name: text,
      description: maybe(text),
      known: fc.boolean(),
      asked: fc.boolean(),
      mayBeAny: maybe(fc.constant(true as const))
    }).map(defined)
  ),
  conditions: list(fc.record({ id: text, when })),
  signals: list(fc.record({ id: text, description: maybe(text), when }).map(defined)),
  history: list(said),
  message: text,
  waiting: maybe(fc.record({ flow: text, asked: text })),
  reply: maybe(text)
}).map((brief) => defined(brief) as Brief.Judging)

/** A brief that holds nothing is announced by nothing: the key is only said where something stands under it. */
const hasData = ({ askedBefore, corrected, known, rejected, summary }: Brief.Speaking) =>
  [askedBefore, corrected, summary].some((one) => one !== undefined) ||
  Object.keys(known).length + rejected.length > 0

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("a brief", () => {
  it.prop("to speak is read back as it was written", [speaking], ([brief]) => {
    const read = Brief.parseSpeaking(Brief.renderSpeaking(brief))
    expect(plain(read)).toEqual(plain({ ...brief, key: hasData(brief) ? brief.key : "" }))
  }, runs(1000))

  it.prop("to judge is read back as it was written", [judging], ([brief]) => {
    expect(plain(Brief.parseJudging(Brief.renderJudging(brief)))).toEqual(plain(brief))
  }, runs(1000))

  it.prop(
    "for a summary is read back as it was written",
    [fc.record({ key, words: fc.nat(), before: maybe(text), messages: list(said.map(message)) }).map(defined)],
    ([given]) => {
      const brief = given as Brief.Summarizing
      const told = brief.messages.map((one) => ({ role: one.role, text: Transcript.textOf(one) }))
      expect(plain(Brief.parseSummarizing(Brief.renderSummarizing(brief)))).toEqual(plain({ ...brief, messages: told }))
    },
    runs(500)
  )

  it("to judge is none of those to speak", () => {
    expect(Brief.parseJudging(Prompt.make("hello"))).toBeUndefined()
  })

  it.effect("has a key of its own, which a seed decides", () =>
    Effect.gen(function*() {
      const two = Effect.all([Brief.makeKey, Brief.makeKey])
      const [one, other] = yield* Effect.withRandom(two, Random.make("seed"))
      expect(one).toMatch(/^[0-9a-z]{6}$/)
      expect(one).not.toBe(other)
      expect(yield* Effect.withRandom(two, Random.make("seed"))).toEqual([one, other])
    }))
})

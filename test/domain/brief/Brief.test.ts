/** Prompts, and the briefs they are rendered from. */
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck as fc, Random } from "effect"
import * as Brief from "../../../src/domain/brief/Brief.js"
import * as Transcript from "../../../src/domain/session/Transcript.js"
import { runs } from "../../support/Runs.js"

/** Authors' texts, some of them like the brief's own punctuation. */
const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12 }),
  fc.array(
    fc.constantFrom(
      "Task: x",
      "</message>",
      "\r",
      "\u2028",
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
  words: fc.constant(Brief.Wording.defaults.speaking),
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
  asking: fc.record({
    name: text,
    goal: maybe(text),
    terms: list(fc.record({ name: text, description: text, synonyms: list(text) })),
    rules: list(text),
    words: fc.constant(Brief.Wording.defaults.understanding),
    reasoning: fc.constantFrom("none" as const, "brief" as const),
    flows: fc.constantFrom("scores" as const, "choice" as const)
  }),
  flows: list(fc.record({ id: text, title: text, description: maybe(text), when }).map(defined)),
  fields: list(fc.record({ name: text, description: text, mayBeAny: maybe(fc.constant(true as const)) }).map(defined)),
  conditions: list(fc.record({ id: text, when })),
  signals: list(fc.record({ id: text, description: maybe(text), when, extract: maybe(text) }).map(defined)),
  rules: list(text),
  now: maybe(text),
  active: maybe(text),
  asked: list(text),
  known: values,
  history: list(said),
  message: text,
  waiting: maybe(fc.record({ flow: text, asked: text })),
  reply: maybe(text)
}).map((brief) => defined(brief) as Brief.Judging)

const textOf = ({ content }: Prompt.Prompt) => content.map(Transcript.textOf)

/** The texts of the system messages. */
const instructions = ({ content }: Prompt.Prompt) =>
  content.flatMap((one) => one.role === "system" ? [one.content] : [])

const isOneLine = (line: string) => !/[\n\r\u2028\u2029\u0085<]/.test(line.replace(/^<\w+>|<\/\w+>$/g, ""))

/** Whether a message is the key, followed by blocks of one line each. */
const isData = (message: string, key: string) => {
  const [first, ...blocks] = message.split("\n")
  return first === key && blocks.every((line) => line.startsWith("[event] ") || isOneLine(line))
}

describe("a brief (the data from which a prompt is rendered)", () => {
  it.prop(
    "can be looked up by the prompt that was rendered from it, also after messages are added to the prompt",
    [speaking, judging],
    ([toSpeak, toJudge]) => {
      const prompt = Brief.renderSpeaking(toSpeak)
      expect(Brief.speakingOf(prompt)).toBe(toSpeak)
      const more = Prompt.fromMessages([...prompt.content, Transcript.assistantText("a"), Transcript.user("b")])
      expect(Brief.ofPrompt(more)).toBe(toSpeak)
      const judged = Brief.renderJudging(toJudge)
      expect(Brief.judgingOf(judged)).toBe(toJudge)
      expect(Brief.judgingOf(Brief.asAgain(judged, "no JSON"))).toBe(toJudge)
      expect([Brief.speakingOf(judged), Brief.summarizingOf(judged)]).toEqual([undefined, undefined])
    },
    runs(100)
  )

  it.prop(
    "for a summary, can be looked up by the prompt that was rendered from it",
    [fc.record({ key, words: fc.nat(), before: maybe(text), messages: list(said.map(message)) }).map(defined)],
    ([given]) => {
      const brief = given as Brief.Summarizing
      expect(Brief.ofPrompt(Brief.renderSummarizing(brief))).toBe(brief)
    },
    runs(100)
  )

  it("cannot be looked up by a prompt that the library did not render, even with equal text", () => {
    expect(Brief.ofPrompt(Prompt.make("hello"))).toBeUndefined()
    const [judge] = [Brief.renderJudging(fc.sample(judging, { numRuns: 1, seed: 1 })[0]!)]
    expect(Brief.ofPrompt(Prompt.make(textOf(judge).join("\n")))).toBeUndefined()
  })

  it.prop("for understanding, is rendered with the same system messages, whatever the user says", [
    judging,
    text,
    text,
    values
  ], (
    [brief, other, said, known]
  ) => {
    const attacked: Brief.Judging = {
      ...brief,
      message: other,
      known,
      history: [{ role: "user", text: said }],
      waiting: { flow: "f", asked: other },
      reply: brief.reply === undefined ? brief.reply! : other
    }
    const { reply: _, ...without } = attacked
    const prompt = Brief.renderJudging(brief.reply === undefined ? without : attacked)
    expect(instructions(prompt)).toEqual(instructions(Brief.renderJudging(brief)))
    expect(isData(textOf(prompt).at(-1)!, brief.key)).toBe(true)
  }, runs(300))

  it.prop(
    "for speaking, is rendered with the same system messages, whatever the user says",
    [speaking, text, values],
    ([brief, said, known]) => {
      const told = { ...brief, known: { a: 1 } }
      const attacked = {
        ...told,
        message: said,
        known: { ...known, b: said },
        rejected: [{ field: "f", value: said, message: said }],
        history: [Transcript.user(said), Transcript.assistantText(said)]
      }
      const prompt = Brief.renderSpeaking(attacked)
      expect(instructions(prompt)).toEqual(instructions(Brief.renderSpeaking(told)))
      const parts = prompt.content.flatMap(({ content }) => typeof content === "string" ? [] : [...content])
      const data = parts.flatMap((part) =>
        part.type === "text" && part.text.startsWith(`${brief.key}\n`) ? [part.text] : []
      )
      expect(data).toHaveLength(1)
      expect(data[0]!.endsWith(`\n${brief.key}`)).toBe(true)
      expect(isData(data[0]!, brief.key)).toBe(true)
    },
    runs(300)
  )

  it.effect("gets its own random key; the same seed gives the same keys", () =>
    Effect.gen(function*() {
      const two = Effect.all([Brief.makeKey, Brief.makeKey])
      const [one, other] = yield* Effect.withRandom(two, Random.make("seed"))
      expect(one).toMatch(/^[0-9a-z]{6}$/)
      expect(one).not.toBe(other)
      expect(yield* Effect.withRandom(two, Random.make("seed"))).toEqual([one, other])
    }))
})

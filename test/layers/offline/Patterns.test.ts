import * as Prompt from "@effect/ai/Prompt"
import * as Schema from "effect/Schema"
import { describe, expect, it, vi } from "vitest"
import { expressions, superlinear } from "../../support/Expressions.js"

/**
 * The regular expressions of the room that are not linear by their form (`test/domain/expressions.test.ts` tries the
 * others): on what they see, which is 100,000 characters at most, they must be quick all the same.
 */
const literals = expressions().filter(({ file, source }) =>
  file.startsWith("layers/offline/") && superlinear.has(source)
)

/** Those that the modules of the room put together from words when they are loaded. */
const builtOnes = async (): Promise<ReadonlyArray<RegExp>> => {
  // Loaded before, a module makes nothing any more.
  vi.resetModules()
  await Promise.all([import("chrono-node"), import("compromise"), import("@effect/ai/LanguageModel")])
  const found: Array<RegExp> = []
  const Own = globalThis.RegExp
  globalThis.RegExp = new Proxy(Own, {
    construct: (target, [source, flags]: [string, string?]) => {
      const made = new target(source, flags)
      found.push(made)
      return made
    }
  })
  try {
    await import("../../../src/layers/offline/Offline.js")
  } finally {
    globalThis.RegExp = Own
  }
  return found
}

const size = 100_000

const many = (text: string) => text.repeat(Math.ceil(size / text.length))

const inputs: Record<string, string> = Object.fromEntries(
  [
    ...["a", "1", " ", "\n", "-", ".", "'", "(", "\"", "🙂", "é", "A"],
    ...["a ", "1 ", "1-", "1.", "1,1", "111,", "a-", "a.", "a'", "a@", "a@a.", "(a", "a, ", ", ", ". ", "- ", ": "],
    ...["not in ", "my name is  ", "forget the ", "any ", "i am ", "from ", "to to ", "one hundred and ", "half past "],
    ...["10 to ", "7 in the ", "and then ", "ok, but ", "name names", "no, ", "don't ", "check in ", "the guest's "],
    ...["2 weeks of ", "twenty-", "hundred ", "+1 (", "http://", "aA", "a_", "Dr. ", "2027-02-", "1/1/", "1:"]
  ].flatMap((part) => [[part, many(part)], [`${part} and an end`, `${many(part)}~`]])
)

const limit = 500

const slowest = (pattern: RegExp): readonly [input: string, millis: number] => {
  const once = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""))
  return Object.entries(inputs).map(([name, input]): readonly [string, number] => {
    const begun = performance.now()
    if (pattern.global) { for (const _ of input.matchAll(pattern)) { /* every match */ } }
    else once.test(input)
    return [name, performance.now() - begun]
  }).reduce((one, other) => other[1] > one[1] ? other : one)
}

/** Squared, 100,000 characters take minutes: one slow run of several is the machine's. */
const expectLinear = (pattern: RegExp) => {
  const [input, millis] = slowest(pattern)
  const again = millis < limit ? millis : slowest(pattern)[1]
  expect(again, `${pattern} on ${JSON.stringify(input)}`).toBeLessThan(limit)
}

describe("every regular expression takes linear time", async () => {
  it(`${literals.length} that are not linear by their form`, () => {
    expect(literals.length).toBeGreaterThan(0)
    for (const { flags, source } of literals) expectLinear(new RegExp(source, flags))
  }, 60_000)
  const built = await builtOnes()
  it(`${built.length} that are put together`, () => {
    expect(built.length).toBeGreaterThan(5)
    built.forEach(expectLinear)
  }, 60_000)
})

describe("a message and a reply of any length are judged in little time", () => {
  for (const name of ["a", "a ", "1 ", " ", "🙂", "a@a.", "no, ", "forget the ", "half past ", "Dr. ", "2027-02-"]) {
    const input = inputs[name]!
    it(JSON.stringify(name), async () => {
      const { judge } = await import("../../../src/layers/offline/Judge.js")
      const known = { known: false, asked: true }
      const questions = {
        sessionId: "s1",
        message: input,
        reply: input,
        history: Prompt.empty,
        flows: [{ id: "book", title: "Booking", when: ["the guest wants to book"], active: true }],
        fields: [
          { name: "city", schema: Schema.String, ...known },
          { name: "guests", schema: Schema.Int, ...known },
          { name: "checkIn", schema: Schema.Date, ...known },
          { name: "room", schema: Schema.Literal("single", "double"), ...known }
        ],
        conditions: [{ id: "yes", when: ["the guest agrees"] }],
        signals: [{ id: "angry", when: ["the guest is angry"] }]
      }
      const begun = performance.now()
      judge(questions, new Date(Date.UTC(2027, 2, 1, 9)))
      expect(performance.now() - begun).toBeLessThan(3_000)
    })
  }
})

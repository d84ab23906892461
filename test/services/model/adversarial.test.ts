/** Reading a provider's text takes linear time, also when the text is long and adversarial. */
import { AiError } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { cleaner } from "../../../src/layers/models/Provider.js"
import { parseObject } from "../../../src/services/model/call/Answer.js"
import { classify, redact } from "../../../src/services/model/call/CallFailure.js"
import * as ProcessorTime from "../../support/ProcessorTime.js"

const size = 100_000

const filled = (unit: string, before = "", after = "") =>
  before + unit.repeat(Math.ceil(size / unit.length)).slice(0, size) + after

const texts: Record<string, string> = {
  "full stops": filled(".", "", "x"),
  "full stops at the end": filled("."),
  spaces: filled(" ", "x", "x"),
  "line breaks": filled("\n"),
  "limits that are exceeded": filled("exceed the maximum "),
  "limits without an end": filled("a", "exceeds the available "),
  authorization: filled("authorization"),
  "authorization without a value": filled(" ", "authorization", "x"),
  "authorization of nothing": filled("authorization: bearer "),
  bearer: filled("Bearer "),
  "bearer and spaces": filled(" ", "Bearer", "<"),
  basic: filled("Basic =", "", "<"),
  keys: filled("sk-"),
  "key names": filled("api_key "),
  "key names and colons": filled("secret:"),
  "passwords and spaces": filled(" ", "password:", "<"),
  google: filled("AIza"),
  addresses: filled("//a:"),
  "addresses without an end": filled("a", "//a:"),
  "many addresses": filled("//"),
  queries: filled("?key="),
  fences: filled("```\n"),
  "fences and spaces": filled("``` "),
  "an open fence": filled("`", "```json\n"),
  "a fence and spaces": filled(" ", "```json\n{}\n```", "x"),
  quotes: filled("\"'"),
  words: filled("quota rate limit context "),
  "wrapped in errors": `${"{\"error\":".repeat(size / 9)}1${"}".repeat(size / 9)}`,
  "wrapped in lists": "[".repeat(size / 2) + "]".repeat(size / 2)
}

/** Quadratic work on a text this long takes many seconds. */
const within = (work: () => void) => {
  const took = ProcessorTime.start()
  work()
  expect(took()).toBeLessThan(1000)
}

describe("processing 100 kB of adversarial text in linear time", () => {
  for (const [name, text] of Object.entries(texts)) {
    it(`${name}: redacting secrets`, () => within(() => void redact(text)))
    it(`${name}: redacting the API key`, () => within(() => void cleaner(Redacted.make("aaaaaaaaaaaaaaaab"))(text)))
    it(`${name}: classifying a failure`, () =>
      within(() => {
        const asUnknown = new AiError.UnknownError({ module: "m", method: "m", description: text })
        for (const error of [asUnknown, new Error(text), { error: { message: text, code: text } }, text]) {
          const { why } = Effect.runSync(classify(error, "speak"))
          expect(why.length).toBeLessThanOrEqual(500)
        }
      }))
    it(`${name}: parsing a JSON object`, () => within(() => void parseObject(text, {})))
  }
})

describe("the API key in a text", () => {
  it("is not redacted when the key is too short to be a secret", () => {
    expect(cleaner(Redacted.make("ollama"))("ask ollama")).toBe("ask ollama")
    expect(cleaner(Redacted.make(""))("ask")).toBe("ask")
  })
  it("is redacted wherever it occurs when the key is long", () => {
    expect(cleaner(Redacted.make("correct-horse-battery"))("no correct-horse-battery!")).toBe("no <redacted>!")
  })
})

import { Prompt } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Either, FastCheck as fc } from "effect"
import type { Json } from "../../../src/domain/base/Json.js"
import type { JsonObject } from "../../../src/domain/base/Json.js"
import * as Transcript from "../../../src/domain/session/Transcript.js"
import { runs } from "../../support/Runs.js"

// JSON values without -0, which JSON changes.
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)
const options = fc.dictionary(
  fc.constantFrom("openai", "anthropic", "__proto__"),
  fc.dictionary(fc.string(), json, { maxKeys: 2 }),
  { maxKeys: 2 }
)
const text = fc.record({ text: fc.string(), options }).map((part) => Prompt.makePart("text", part as never))
const reasoning = fc.record({ text: fc.string(), options }).map((part) => Prompt.makePart("reasoning", part as never))
const file = fc.record({ mediaType: fc.constant("image/png"), fileName: fc.string(), data: fc.base64String(), options })
  .map((part) => Prompt.makePart("file", part as never))
const call = fc.record({ id: fc.string(), name: fc.string(), params: json, providerExecuted: fc.boolean(), options })
  .map((part) => Prompt.makePart("tool-call", part as never))
const result = fc.record({
  id: fc.string(),
  name: fc.string(),
  result: json,
  isFailure: fc.boolean(),
  providerExecuted: fc.boolean(),
  options
}).map((part) => Prompt.makePart("tool-result", part as never))

const content = <A>(...parts: ReadonlyArray<fc.Arbitrary<A>>) => fc.array(fc.oneof(...parts), { maxLength: 4 })
const message: fc.Arbitrary<Prompt.Message> = fc.oneof(
  fc.record({ content: fc.string(), options }).map((one) => Prompt.makeMessage("system", one as never)),
  fc.record({ content: content<Prompt.Part>(text, file), options }).map((one) =>
    Prompt.makeMessage("user", one as never)
  ),
  fc.record({ content: content<Prompt.Part>(text, reasoning, file, call, result), options }).map((one) =>
    Prompt.makeMessage("assistant", one as never)
  ),
  fc.record({ content: content<Prompt.Part>(result), options }).map((one) => Prompt.makeMessage("tool", one as never))
)

const stored = (one: Prompt.Message): JsonObject => JSON.parse(JSON.stringify(Transcript.encode(one))) as JsonObject
const decode = (u: unknown) => Transcript.decode(u as JsonObject)

describe("the constructors of Transcript", () => {
  it("build the same messages as the constructors of Prompt", () => {
    const options = { openai: { itemId: "1" } }
    expect(Transcript.text("hi", options)).toStrictEqual(Prompt.textPart({ text: "hi", options }))
    expect(Transcript.system("Be kind")).toStrictEqual(Prompt.systemMessage({ content: "Be kind" }))
    const content = [Prompt.textPart({ text: "hi" })]
    expect(Transcript.user("hi")).toStrictEqual(Prompt.userMessage({ content }))
    expect(Transcript.assistant(content, options)).toStrictEqual(Prompt.assistantMessage({ content, options }))
  })
})

describe("a message of the transcript", () => {
  it.prop(
    "a message of any role, with any parts and provider options, round-trips through JSON",
    [message],
    ([one]) => {
      const back = Either.getOrThrow(decode(stored(one)))
      expect(back).toStrictEqual(one)
      // `toStrictEqual` ignores keys named __proto__.
      expect(JSON.stringify(Transcript.encode(back))).toBe(JSON.stringify(Transcript.encode(one)))
      expect(Prompt.isMessage(back)).toBe(true)
    },
    runs(500)
  )

  it("with tool results keeps all fields of the results", () => {
    const results = Transcript.toolResults([
      { id: "1", name: "save", output: { saved: true }, isFailure: false },
      { id: "2", name: "nope", output: "no such tool", isFailure: true }
    ])
    expect(stored(results)).toStrictEqual({
      role: "tool",
      content: [
        {
          type: "tool-result",
          id: "1",
          name: "save",
          result: { saved: true },
          isFailure: false,
          providerExecuted: false
        },
        { type: "tool-result", id: "2", name: "nope", result: "no such tool", isFailure: true, providerExecuted: false }
      ]
    })
  })

  it("stores undefined arguments of a tool call as null, because JSON would drop them", () => {
    const one = Transcript.assistant([
      Prompt.makePart("tool-call", { id: "1", name: "now", params: undefined, providerExecuted: false })
    ])
    expect(Either.getOrThrow(decode(stored(one))).content).toMatchObject([{ type: "tool-call", params: null }])
  })

  it("does not set a prototype when it is decoded with a key __proto__", () => {
    const hostile = JSON.parse(
      "{\"role\":\"user\",\"__proto__\":{\"admin\":true},\"content\":[{\"type\":\"text\",\"text\":\"hi\",\"__proto__\":{\"admin\":true}}],\"options\":{\"__proto__\":{\"admin\":true}}}"
    )
    const one = Either.getOrThrow(decode(hostile))
    for (const part of [one, one.options, one.content[0]!]) expect("admin" in (part as object)).toBe(false)
    expect(Object.hasOwn({}, "admin")).toBe(false)
  })

  const refused: ReadonlyArray<readonly [what: string, u: unknown]> = [
    ["no role", { content: [] }],
    ["an unknown role", { role: "narrator", content: [] }],
    ["a system message that is a list of parts", { role: "system", content: [{ type: "text", text: "x" }] }],
    ["a user message that is a string", { role: "user", content: "x" }],
    ["an unknown part", { role: "user", content: [{ type: "video", text: "x" }] }],
    ["a part that is null", { role: "user", content: [null] }],
    ["a text part without text", { role: "user", content: [{ type: "text" }] }],
    ["a tool call without an id", { role: "assistant", content: [{ type: "tool-call", name: "a", params: {} }] }],
    ["a tool result without the field `result`", {
      role: "tool",
      content: [{ type: "tool-result", id: "1", name: "a" }]
    }],
    ["a file without data", { role: "user", content: [{ type: "file", mediaType: "image/png" }] }],
    ["a tool call in a user message", {
      role: "user",
      content: [{ type: "tool-call", id: "1", name: "a", params: {} }]
    }],
    ["a text part in a tool message", { role: "tool", content: [{ type: "text", text: "x" }] }],
    ["invalid options of a part", { role: "user", content: [{ type: "text", text: "x", options: 5 }] }]
  ]
  for (const [what, u] of refused) {
    it(`is refused: ${what}`, () => {
      expect(Either.isLeft(decode(u))).toBe(true)
    })
  }

  it.prop("is decoded from any JSON object or refused with a message, and never throws", [
    fc.oneof(
      fc.dictionary(fc.constantFrom("role", "content", "options"), fc.oneof(json, fc.constantFrom("user", "tool"))),
      fc.record({
        role: fc.constantFrom("user", "assistant", "tool", "system"),
        content: fc.array(
          fc.dictionary(
            fc.constantFrom("type", "text", "id", "name", "params"),
            fc.oneof(json, fc.constantFrom("text", "tool-call"))
          )
        )
      })
    )
  ], ([u]) => {
    const decoded = decode(u)
    if (Either.isLeft(decoded)) expect(decoded.left).toMatch(/\S/)
    else expect(Prompt.isMessage(decoded.right)).toBe(true)
  })
})

const said = [
  Transcript.assistant([
    Prompt.makePart("text", { text: "Let me " }),
    Prompt.makePart("tool-call", { id: "1", name: "save", params: {}, providerExecuted: false }),
    Prompt.makePart("text", { text: "see" })
  ]),
  Transcript.toolResults([{ id: "1", name: "save", output: 1, isFailure: false }]),
  Transcript.user("thanks"),
  Transcript.assistantText("Done")
]

describe("Transcript.texts (the assistant's texts)", () => {
  it("returns the texts of the assistant, one per message, in order", () => {
    expect(Transcript.texts(said)).toStrictEqual(["Let me see", "Done"])
  })
})

describe("Transcript.withoutText (removes the assistant's texts)", () => {
  it("`withoutText` keeps tool calls with their results and drops the assistant's text", () => {
    const left = Transcript.withoutText(said)
    expect(Transcript.texts(left)).toStrictEqual([])
    expect(left.map(({ role }) => role)).toStrictEqual(["assistant", "tool", "user"])
    expect(left[0]!.content).toHaveLength(1)
  })
})

/** The recorded answers read by `OpenAiLanguageModel` of `@effect/ai-openai` in place of our layer. */
import * as OpenAiClient from "@effect/ai-openai/OpenAiClient"
import * as OpenAiLanguageModel from "@effect/ai-openai/OpenAiLanguageModel"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type { Dialect } from "../../layers/models/dialects.js"
import { dialects } from "../../layers/models/dialects.js"
import { expectedOf, isAnswer, namesOf, play, recordings } from "./wire.js"

const dialect: Dialect = {
  ...dialects.find(({ name }) => name === "openai")!,
  layer: (url, key) =>
    OpenAiLanguageModel.layer({ model: "gpt-x" }).pipe(
      Layer.provide(OpenAiClient.layer({ apiKey: Redacted.make(key), apiUrl: `${url}/v1` })),
      Layer.provide(FetchHttpClient.layer)
    )
}

/** Recordings that it reads differently from the vendor's own client, as documented in docs/models.md. */
const otherwise: ReadonlyArray<{
  readonly because: string
  readonly ids: ReadonlyArray<string>
  readonly read: object
}> = [
  {
    because: "it reads summaries of what was thought, and not the text of it",
    ids: [
      "c2068e7b617d",
      "78c0c6357a54",
      "b136a59ace77",
      "61b6929c3b56",
      "ce0509ad085f",
      "874630a210d8",
      "beb14937b7ac"
    ],
    read: { reasoning: "" }
  },
  {
    because: "it refuses a whole answer with a value, or without one, that its schema does not expect",
    ids: [
      ...["35e5c53bdcf0", "4bc6a6c274f1", "ccd687421016", "df88fd43698c", "4bdce3f765e0", "fe431eb7c940"],
      "d4177db5f8af"
    ],
    read: { failed: "malformed_output" }
  },
  {
    because: "it ends a stream at an event that its schema does not expect",
    ids: ["99be5691ab90", "3ffe2e0f079c"],
    read: { failed: "network" }
  },
  {
    because: "it passes over the events of a stream that lack what its schema expects",
    ids: ["47edaac9cd48"],
    read: { failed: "empty" }
  },
  { because: "it does not read the error event of a stream", ids: ["07a4fa020102"], read: { failed: "empty" } }
]

const all = recordings("openai")

describe.skipIf(all.length === 0)("recorded answers: OpenAiLanguageModel of @effect/ai-openai", () => {
  if (all.length === 0) it("these tests are skipped if the recordings are absent", () => {})
  for (const { body, expected, id, status, stream, vendor } of all) {
    const other = otherwise.find(({ ids }) => ids.includes(id))
    const because = other === undefined ? "" : `: ${other.because}`
    it.live(`reads the answer ${vendor} ${id} (${stream ? "streamed" : "not streamed"}) with status ${status}${because}`, () =>
      Effect.gen(function*() {
        const tools = isAnswer(expected) ? namesOf(expected) : []
        const read = yield* play(dialect, { body, stream, status, tools })
        if (!isAnswer(expected)) expect(read).toHaveProperty("failed")
        const failed = other !== undefined && "failed" in other.read
        expect(read).toMatchObject(failed ? other.read : { ...expectedOf(expected), ...other?.read })
      }))
  }

  it("every known deviation in the test's list belongs to a recording, and their number is as documented", () => {
    const ids = otherwise.flatMap(({ ids }) => ids)
    expect(ids.filter((id) => !all.some((recording) => recording.id === id))).toEqual([])
    expect([all.length, ids.length, new Set(ids).size]).toEqual([54, 18, 18])
  })
})

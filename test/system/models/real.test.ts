/** The answers of a real server, played again: what it streamed, called and was stopped in is read as it was then. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as fs from "node:fs"
import * as RealServer from "../../support/RealServer.js"

const recording = Schema.decodeSync(Schema.parseJson(RealServer.Recording))(
  fs.readFileSync(new URL("../../fixtures/real.json", import.meta.url), "utf8")
)

describe("the recorded answers of a real server", () => {
  it("are there for each part", () => {
    expect(recording.parts.map(({ part }) => part)).toEqual(RealServer.names)
  })

  for (const { exchanges, isRight, part, what } of recording.parts) {
    it.live(`give the same again for ${part}`, () =>
      Effect.gen(function*() {
        const server = { baseUrl: "http://recorded.test/v1", model: recording.model }
        expect(yield* RealServer.run(part, RealServer.replaying(exchanges), server)).toEqual({ isRight, what })
      }))
  }
})

import { describe, expect, it } from "@effect/vitest"
import { Check } from "coxswain"
import { Effect } from "effect"
import { checked } from "../../../demo/hotel.js"
import * as Replay from "../../support/Replay.js"
import { corpus, Data, kit } from "./Broken.js"

const check = (options: object) => kit.check(options as never)

describe("the corpus of broken definitions", () => {
  it("is large enough to mean something", () => expect(corpus.length).toBeGreaterThanOrEqual(25))

  for (const { code, name, options, path, severity } of corpus) {
    it.live(`${code}: ${name}`, () =>
      Effect.gen(function*() {
        const report = check(options)
        const found = report.findings.find((one) => one.code === code && one.path === path)
        expect(found, Check.render(report)).toMatchObject({ severity })
        const others = report.findings.filter((one) => one !== found && one.severity === "error")
        expect(others, Check.render(report)).toEqual([])
        if (severity === "error") expect(found!.witness, "an error is proven").toBeDefined()
        if (found!.witness === undefined) return
        expect(found!.witness.assumes, "it needs nothing but messages").toEqual([])
        const played = yield* Replay.play(kit as never, Data, options, found!.witness)
        const claim = Replay.claim(found!.witness)
        expect(played.turns, Check.render(report)).toEqual(claim.turns)
        expect(played.failure !== undefined, played.failure).toBe(claim.fails)
      }), 20_000)
  }
})

describe("no false alarm", () => {
  it("on the demo", () => expect(Check.render(checked)).toContain("no findings"))
})

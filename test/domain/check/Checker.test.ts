import { describe, expect, it } from "@effect/vitest"
import { Agent, Check } from "coxswain"
import { Effect, Schema } from "effect"
import * as Hotel from "../../../demo/hotel.js"
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
        const played = yield* Replay.play(kit, Data, options, found!.witness)
        const claim = Replay.claim(found!.witness)
        expect(played.turns, Check.render(report)).toEqual(claim.turns)
        expect(played.failure !== undefined, played.failure).toBe(claim.fails)
      }), 20_000)
  }
})

describe("no false alarm", () => {
  it("on the demo", () => expect(Check.render(Hotel.kit.check(Hotel.definition))).toContain("no findings"))
})

describe("size", () => {
  const fields = Array.from({ length: 40 }, (_, i) => `field${i}`)
  const large = Agent.define({ data: Schema.Struct(Object.fromEntries(fields.map((name) => [name, Schema.String]))) })
  type Ctx = { readonly data: Readonly<Record<string, string>>; readonly context: object }
  const field = (n: number) => fields[n % fields.length]!
  /** Ten steps of every kind: collecting, conditional, automatic, with branches in words and in code, and jumps. */
  const flow = (f: number) => ({
    title: `Flow ${f}`,
    when: `the user wants ${f}`,
    requiredFields: [field(f), field(f + 1)],
    onComplete: f % 10 === 0 ? `Flow ${(f + 1) % 200}` : undefined,
    steps: [
      { id: "hello", prompt: "Hello", if: ({ context }: Ctx) => "vip" in context },
      { id: "a", collect: [field(f)], branches: [{ when: `stop ${f}`, then: { abort: "stopped" } }] },
      { id: "b", collect: [field(f + 1), field(f + 2)] },
      {
        id: "route",
        auto: true,
        branches: [
          { if: ({ data }: Ctx) => data[field(f)] === "Lisbon", then: "d" },
          { if: ({ context }: Ctx) => "gold" in context, then: "e" }
        ]
      },
      { id: "c", prompt: "Offer", branches: [{ when: "again", then: "a" }, { when: "no", then: { complete: true } }] },
      { id: "d", collect: [field(f + 3)], skip: ({ context }: Ctx) => "brief" in context },
      { id: "e", collect: [field(f + 4)], requires: [field(f)] },
      { id: "f", auto: true },
      { id: "g", prompt: "Ask", until: ({ context }: Ctx) => "ready" in context },
      { id: "bye", reply: "Bye" }
    ]
  })

  it("200 flows and 2,000 steps are checked in under five seconds", () => {
    const flows = Array.from({ length: 200 }, (_, f) => flow(f))
    const before = performance.now()
    const report = large.check({ name: "Large", flows } as never)
    const took = performance.now() - before
    expect(report).toMatchObject({ flows: 200, steps: 2000, cut: false })
    expect(report.findings, Check.render(report)).toEqual([])
    expect(took, `${report.places} places, ${report.turns} turns`).toBeLessThan(5000)
  }, 60_000)
})

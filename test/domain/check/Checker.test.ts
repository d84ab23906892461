import { describe, expect, it } from "@effect/vitest"
import { Agent } from "coxswain"
import * as Check from "coxswain/check"
import { Effect, Schema } from "effect"
import * as Hotel from "../../../demo/hotel.js"
import * as SourceText from "../../../src/domain/code/SourceText.js"
import * as LargeDefinition from "../../support/LargeDefinition.js"
import * as WitnessReplay from "../../support/WitnessReplay.js"
import { corpus, Data, happening, hearing, kit } from "./Broken.js"
import { outside } from "./Outside.js"
import { lost, sound } from "./TakenBack.js"

const check = (options: object) => Check.check(kit, options as never)

describe("the checker, with a collection of broken definitions", () => {
  it("is tested with at least 25 definitions", () => expect(corpus.length).toBeGreaterThanOrEqual(25))

  const all = [
    ...[...corpus, ...lost].map((one) => ({ ...one, by: kit, check })),
    ...[...happening, ...outside].map((one) => ({
      ...one,
      by: hearing,
      check: (options: object) => Check.check(hearing, options as never)
    }))
  ]
  for (const { by, check, code, name, options, path, severity } of all) {
    it.live(`reports the finding ${code} for the definition: ${name}`, () =>
      Effect.gen(function*() {
        const report = check(options)
        const found = report.findings.find((one) => one.code === code && one.path === path)
        expect(found, Check.render(report)).toMatchObject({ severity })
        const others = report.findings.filter((one) => one !== found && one.severity === "error")
        expect(others, Check.render(report)).toEqual([])
        if (severity === "error") expect(found!.witness, "an error is proven").toBeDefined()
        if (found!.witness === undefined) return
        expect(found!.witness.assumes, "it needs nothing but messages").toEqual([])
        const played = yield* WitnessReplay.play(by, Data, options, found!.witness)
        const claim = WitnessReplay.claim(found!.witness)
        expect(played.turns, Check.render(report)).toEqual(claim.turns)
        expect(played.failure !== undefined, played.failure).toBe(claim.fails)
      }))
  }
})

describe("events and timers in a witness (the turns with which the checker shows a fault)", () => {
  const turns = (name: string) => {
    const { options } = outside.find((one) => one.name === name)!
    const report = Check.check(hearing, options as never)
    return report.findings[0]!.witness!.turns.map(({ after, happens }) => happens ?? after)
  }

  it("a turn of the witness is an event with a payload that leads to the fault, or elapsed time", () => {
    expect(turns("a dead end behind a step that waits for a payment")).toEqual([
      undefined,
      { event: "paid", payload: { amount: 2 } },
      undefined
    ])
    expect(turns("a dead end that only a large payment reaches")[1]).toEqual({ event: "paid", payload: { amount: 10 } })
    expect(turns("an event handler that leads to a dead end after a large payment")[1]).toEqual({
      event: "paid",
      payload: { amount: 121 }
    })
    expect(turns("a timer that leads to a dead end")).toEqual([undefined, "1 day", undefined])
  })

  it("the witness lists an assumption when it needs the event of a job that no directive starts", () => {
    const steps = [
      { id: "a", prompt: "a", branches: [{ then: { complete: true } }], on: { "report.completed": "b" } },
      { id: "b", prompt: "b", until: () => false },
      { id: "c", prompt: "c" }
    ]
    const { findings } = Check.check(
      hearing,
      { name: "Bot", on: { paid: { reply: "Thank you." } }, flows: [{ title: "F", steps }] } as never
    )
    const [{ code, witness }] = findings as [Check.Finding]
    expect([findings.length, code]).toEqual([1, "no-way-out"])
    expect(witness!.turns[1]).toMatchObject({ happens: { event: "report.completed", payload: "Lisbon" }, at: "f/b" })
    expect(witness!.assumes).toEqual([{ path: "flows[0].steps[0].on.report.completed", turn: 1, holds: true }])
  })

  it.live(
    "the witness lists no assumption about a job that a literal directive starts",
    () =>
      Effect.gen(function*() {
        const asking = (then: object) => ({
          name: "Bot",
          on: { paid: { reply: "Thank you." } },
          flows: [{
            title: "F",
            steps: [
              { id: "a", prompt: "a", branches: [{ when: "is asked for", then }, { then: { complete: true } }] },
              { id: "b", prompt: "b", branches: [{ then: { complete: true } }], on: { "report.completed": "c" } },
              { id: "c", prompt: "c", until: () => false },
              { id: "d", prompt: "d" }
            ]
          }]
        })
        const run = { job: "report", payload: { city: "Faro" } }
        for (const [then, assumed] of [[{ goToStep: "b", run }, 0], [{ goToStep: "b" }, 1]] as const) {
          const report = Check.check(hearing, asking(then) as never)
          const [{ code, witness }] = report.findings as [Check.Finding]
          expect([code, witness!.assumes.length]).toEqual(["no-way-out", assumed])
          expect(witness!.turns.flatMap(({ happens }) => happens ?? [])).toEqual([
            { event: "report.completed", payload: "Lisbon", job: { job: "report", payload: { city: "Lisbon" } } }
          ])
          expect(Check.render(report).includes("if job \"report\" runs in turn 3")).toBe(assumed === 1)
          const played = yield* WitnessReplay.play(hearing, Data, asking(then), witness!)
          expect(played).toEqual({ turns: WitnessReplay.claim(witness!).turns, failure: undefined })
        }
      })
  )

  it("`Check.render` prints an event with its payload, and a timer as elapsed time", () => {
    const told = outside.map(({ options }) => Check.render(Check.check(hearing, options as never))).join("\n")
    expect(told).toContain("2. event: paid {\"amount\":2}")
    expect(told).toContain("2. time: 1 day without a message")
  })
})

describe("the checker, with definitions without a fault", () => {
  for (const { name, options } of sound) {
    it(`reports no finding for the definition: ${name}`, () =>
      expect(Check.render(check({ name: "Bot", ...options }))).toContain("no findings"))
  }

  it("reports no placeholders in functions, and none for braces and prices", () => {
    const reply = (text: unknown) => ({
      name: "Bot",
      flows: [{ title: "A", steps: [{ id: "a", reply: text }, { id: "b", prompt: "Bye" }] }]
    })
    const texts = [
      () => "Hi ${data.city}",
      "It costs $5 {or 6}.",
      "Write {} or {{}} or ${}",
      { en: () => "{{a}}" },
      "{city}"
    ]
    for (const text of texts) {
      expect(check(reply(text)).findings.filter(({ code }) => code === "unfilled-placeholder")).toEqual([])
    }
    const [found] = check(reply("Hi {{data.city}}!")).findings.filter(({ code }) => code === "unfilled-placeholder")
    expect(found?.what).toBe("the text looks like a template: \"{{data.city}}\"")
    expect(found?.fix).toContain("Write a function")
  })

  it("reports no findings for a flow whose only way out is a hand-over to a person", () => {
    const leaving = (then: unknown) => ({
      name: "Bot",
      flows: [
        {
          title: "A",
          when: "a",
          steps: [{ id: "a", prompt: "Talk", branches: [{ when: "is done", then }, { then: "a" }] }]
        }
      ]
    })
    expect(check(leaving("a")).findings.map(({ code }) => code)).not.toEqual([])
    expect(Check.render(check(leaving({ handOff: "person" })))).toContain("no findings")
  })

  it("reports no findings for a flow whose `onResume` hooks return nothing", () => {
    const steps = [{ id: "a", prompt: "a", onResume: () => undefined }, { id: "b", prompt: "b" }]
    const other = { title: "G", when: "g", steps: [{ id: "g", prompt: "g" }] }
    const report = check({ name: "Bot", flows: [{ title: "F", when: "f", onResume: () => undefined, steps }, other] })
    expect(Check.render(report)).toContain("no findings")
  })

  it("reports no findings for the hotel demo", () =>
    expect(Check.render(Check.check(Hotel.kit, Hotel.definition))).toContain("no findings"))
})

describe("the checker's treatment of data that the first message of a flow contains", () => {
  it("the flow's `if` does not see the data, because it runs before the data is collected", () => {
    const steps = [
      {
        id: "a",
        prompt: "Offer",
        if: ({ data }: { readonly data: { readonly city?: string } }) => data.city !== undefined
      },
      { id: "b", collect: ["city"] },
      { id: "c", prompt: "Bye" }
    ]
    const isNew = ({ data }: { readonly data: { readonly city?: string } }) => data.city === undefined
    const report = check({ name: "Bot", flows: [{ title: "F", if: isNew, steps }] })
    expect(Check.render(report)).toContain("no findings")
  })

  it("a `reset` can clear the data, so a loop of `auto` steps that depends on the data is not reported", () => {
    const isKnown = ({ data }: { readonly data: { readonly city?: string } }) => data.city !== undefined
    const steps = [
      { id: "a", auto: true, branches: [{ if: isKnown, then: { reset: { clearData: true } } }] },
      { id: "b", collect: ["city"] }
    ]
    const found = check({ name: "Bot", flows: [{ title: "F", steps }] }).findings.map(({ code }) => code)
    expect(found).not.toContain("auto-circle")
  })
})

describe("the findings of the checker", () => {
  type Ctx = { readonly data: { readonly city?: string }; readonly context: object }
  const vip = ({ context }: Ctx) => "vip" in context

  it("`Check.check` refuses a kit that `Agent.define` did not make", () =>
    expect(() => Check.check({ ...kit }, { name: "Bot" } as never)).toThrow("no kit"))

  it("an error that depends on a predicate's result is a warning; its witness lists the assumed results", () => {
    const report = check({
      name: "Bot",
      flows: [{
        title: "F",
        steps: [
          { id: "a", auto: true, branches: [{ if: vip, then: "b" }, { then: "done" }] },
          { id: "b", auto: true, branches: [{ then: "a" }] },
          { id: "done", prompt: "Bye" }
        ]
      }]
    })
    expect(report.findings).toMatchObject([{ code: "auto-circle", severity: "warning" }])
    expect(report.findings[0]!.witness!.assumes).toEqual([{
      path: "flows[0].steps[0].branches[0].if",
      turn: 0,
      holds: true
    }])
    expect(Check.render(report)).toContain("if flows[0].steps[0].branches[0].if is true")
  })

  it("an assumption that repeats within a turn is listed once", () => {
    const report = check({
      name: "Bot",
      flows: [{
        title: "F",
        steps: [
          { id: "a", auto: true },
          {
            id: "b",
            prompt: "b",
            prepare: ({ dispatch }: { readonly dispatch: (d: unknown) => unknown }) => dispatch({})
          }
        ]
      }]
    })
    const found = report.findings.find(({ code }) => code === "too-long-turn" || code === "auto-circle")
    expect(found?.witness?.assumes).toEqual([{ path: "flows[0].steps[1].prepare", turn: 0, holds: true }])
  })

  it("a tool that only schedules an event is not assumed to move, also if it destructures its arguments", () => {
    const later = kit.tool({
      id: "later",
      parameters: { day: Schema.String, note: Schema.String },
      isReadOnly: true,
      handler: ({ day, ...rest }: { readonly day: string; readonly note: string }) => ({
        ok: true,
        outputMessage: day,
        directive: { schedule: { event: "due", after: "1 day", payload: rest } }
      })
    } as never)
    const report = check({
      name: "Bot",
      flows: [{
        title: "F",
        steps: [{ id: "a", call: later.with({ day: "Monday", note: "x" } as never) }, { id: "b", prompt: "b" }]
      }]
    })
    expect(Check.render(report)).toContain("no findings")
  })

  it("the same predicate has the same result throughout a turn", () => {
    const steps = [
      { id: "a", prompt: "a", branches: [{ if: vip, then: "b" }, { then: "c" }] },
      { id: "b", auto: true, branches: [{ if: vip, then: "c" }, { then: "dead" }] },
      { id: "dead", prompt: "dead", branches: [{ then: "c" }] },
      { id: "c", prompt: "c" }
    ]
    const { findings } = check({ name: "Bot", flows: [{ title: "F", steps }] })
    expect(findings.map(({ code, path }) => [code, path])).toEqual([
      ["unreachable-step", "flows[0].steps[2]"],
      ["branch-never-taken", "flows[0].steps[1].branches[1]"]
    ])
  })

  it("a hook that may return a move makes its target reachable and is a way out of a loop of steps", () => {
    const steps = (finalize: unknown) => [
      { id: "a", prompt: "a", branches: [{ then: "c" }], finalize },
      { id: "b", prompt: "b", branches: [{ then: "c" }] },
      { id: "c", prompt: "c", branches: [{ then: "a" }] }
    ]
    const codes = (finalize: unknown) =>
      check({ name: "Bot", flows: [{ title: "F", steps: steps(finalize) }] }).findings.map(({ code }) => code)
    expect(codes(() => undefined)).toEqual(["never-completes"])
    expect(codes(() => ({ goToStep: "b" }))).toEqual(["never-completes"])
    expect(codes(({ data }: Ctx) => data.city === undefined ? undefined : { complete: true })).toEqual([
      "unreachable-step"
    ])
    expect(codes(() => Math.random() > 0.5 ? { goToStep: "b" } : { abort: "enough" })).toEqual([])
  })

  it("a hook that always returns the same directive is assumed to do what the directive says, and nothing else", () => {
    const steps = (clear: unknown) => [
      { id: "ask", collect: ["city"], branches: [{ then: "again" }] },
      { id: "again", auto: true, onEnter: clear, branches: [{ then: "ask" }] }
    ]
    const findings = (clear: unknown) =>
      check({ name: "A", flows: [{ title: "A", steps: steps(clear) }] }).findings.map(({ code }) => code)
    expect(findings(SourceText.constant({ dataUpdate: { guests: 1 } }))).toContain("auto-circle")
    expect(findings(SourceText.constant({ clear: ["city"] }))).not.toContain("auto-circle")
  })

  it("a list whose items may have any form can be empty or not", () => {
    const own = Agent.define({ data: Schema.Struct({ all: Schema.Array(Schema.Unknown) }) })
    const { findings } = Check.check(own, {
      name: "A",
      flows: [{
        title: "A",
        steps: [
          { id: "ask", collect: ["all"], branches: [{ if: ({ data }) => (data.all ?? []).length > 0, then: "some" }] },
          { id: "none", reply: "None.", ends: true },
          { id: "some", reply: "Some.", ends: true }
        ]
      }]
    })
    expect(findings).toEqual([])
  })

  it("a step that never ends is accepted only as the last step of its flow", () => {
    const talk = { id: "talk", prompt: "Talk", until: () => false }
    const codes = (...steps: ReadonlyArray<object>) =>
      check({ name: "Bot", flows: [{ title: "F", steps }] }).findings.map(({ code }) => code)
    expect(codes({ id: "a", collect: ["city"] }, talk)).toEqual([])
    expect(codes(talk, { id: "a", prompt: "a" })).toEqual(["no-way-out"])
  })

  it("a check that exceeds its bounds is marked `cut` and reports no findings", () => {
    const steps = [{ id: "a", prompt: "a", branches: [{ then: "c" }] }, { id: "b", prompt: "b" }, {
      id: "c",
      prompt: "c"
    }]
    const report = Check.check(kit, { name: "Bot", flows: [{ title: "F", steps }] } as never, { places: 1 })
    expect(report).toMatchObject({ cut: true, findings: [] })
    expect(Check.render(report)).toContain("not all")
  })

  it("the report on an invalid definition contains the errors of `make`; the checker never throws", () => {
    for (
      const junk of [{}, { flows: 7 }, { name: "Bot", flows: [null, { title: 3, steps: {} }] }, {
        name: "Bot",
        tools: [0]
      }]
    ) {
      expect(check(junk).findings.map(({ severity }) => severity)).toContain("error")
    }
  })
})

describe("the checker's rules of control flow", () => {
  const circle = [{ id: "a", prompt: "a", branches: [{ then: "b" }] }, {
    id: "b",
    prompt: "b",
    branches: [{ then: "a" }]
  }]
  const other = { title: "G", when: "g", steps: [{ id: "g", prompt: "g" }] }
  const codes = (flow: object, agent: object = {}) =>
    check({ name: "Bot", flows: [{ title: "F", when: "f", steps: circle, ...flow }, other], ...agent }).findings.map(
      ({ code, path }) => [code, path]
    )

  it("a branch of the flow or of the agent counts as a way out of a loop of steps", () => {
    const never = [["never-completes", "flows[0]"]]
    const done = { when: "done", then: { complete: true } }
    expect(codes({})).toEqual(never)
    expect(codes({ branches: [{ when: "done", then: { reply: "Not yet." } }] })).toEqual(never)
    expect(codes({ branches: [done] })).toEqual([])
    expect(codes({}, { branches: [done] })).toEqual([])
    expect(codes({}, { branches: [{ when: "g", then: "G" }] })).toEqual([])
  })

  it("`onInterrupt: \"drop\"` or `\"complete\"` counts as a way out of the interrupted flow", () => {
    for (const onInterrupt of ["drop", "complete", () => "drop"]) expect(codes({ onInterrupt })).toEqual([])
    expect(codes({ onInterrupt: "suspend" })).toEqual([["never-completes", "flows[0]"]])
    // onInterrupt of a step takes precedence.
    const held = circle.map((step) => ({ ...step, onInterrupt: "suspend" }))
    expect(codes({ onInterrupt: "drop", steps: held })).toEqual([["never-completes", "flows[0]"]])
  })

  it("the target of a flow's `onComplete` is reachable when an interruption completes the flow", () => {
    const next = { title: "H", if: () => false, steps: [{ id: "h", prompt: "h" }] }
    const found = (onInterrupt: string) =>
      check({
        name: "Bot",
        flows: [{ title: "F", when: "f", steps: circle, onComplete: "H", onInterrupt }, other, next]
      }).findings.map(({ code }) => code)
    expect(found("drop")).toContain("unreachable-flow")
    expect(found("complete")).not.toContain("unreachable-flow")
  })

  it("the `when` branches of a skipped step are not evaluated", () => {
    const steps = [
      { id: "ask", collect: ["city"] },
      { id: "same", collect: ["city"], branches: [{ when: "yes", then: "aside" }, { then: "end" }] },
      { id: "aside", prompt: "Aside" },
      { id: "end", prompt: "End" }
    ]
    expect(codes({ steps })).toContainEqual(["unreachable-step", "flows[0].steps[2]"])
  })

  it("a directive in an agent's branch causes no finding when no flow is active", () => {
    for (
      const then of [{ complete: true }, { abort: "x" }, { reset: true }, { reply: "Well" }, {
        complete: { next: { goTo: "G" } }
      }]
    ) {
      expect(codes({ steps: [{ id: "a", prompt: "a" }] }, { branches: [{ when: "x", then }] })).toEqual([])
    }
  })
})

describe("the report of the checker", () => {
  const report = check({
    name: "Bot\u001b[31m",
    flows: [{ title: "F\nG", steps: [{ id: "a", prompt: "a", branches: [{ then: "a" }] }] }]
  })

  it("conforms to the Schema of reports", () => {
    const json = JSON.parse(JSON.stringify(Schema.encodeSync(Check.Report)(report))) as unknown
    expect(Schema.decodeUnknownSync(Check.Report)(json)).toEqual(report)
  })

  it("is short and has no control characters", () => {
    const shown = Check.render(report)
    expect(shown.split("\n").length).toBeLessThan(12)

    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/)
  })
})

describe("the size of the checker's walk through a definition", () => {
  const names = Array.from({ length: 60 }, (_, i) => `f${i}`)
  const asking = Agent.define({ data: Schema.Struct(Object.fromEntries(names.map((name) => [name, Schema.String]))) })
  const isNo = (name: string) => ({ data }: { readonly data: Readonly<Record<string, string>> }) => data[name] === "no"
  const grown = (step: (name: string, i: number) => object, steps = 60) =>
    Check.check(asking, {
      name: "Bot",
      flows: [{
        title: "F",
        steps: [
          ...Array.from(
            { length: steps },
            (_, i) => ({ id: `s${i}`, collect: [names[i % 60]!], ...step(names[i % 60]!, i) })
          ),
          { id: "bye", prompt: "Bye" }
        ]
      }]
    } as never)

  it("does not grow with fields that no later step reads, nor with predicates on them", () => {
    const plain = grown(() => ({}))
    expect(plain).toMatchObject({ cut: false, places: 60, findings: [] })
    expect(plain.turns).toBeLessThan(2500)
    const judged = grown((name) => ({ branches: [{ if: isNo(name), then: { abort: "no" } }] }))
    expect(judged).toMatchObject({ cut: false, places: 60 })
    expect(judged.turns).toBeLessThan(5000)
  })

  it("does not grow with the combinations of required fields", () => {
    const report = grown((_, i) => ({ requires: i === 0 ? [] : [names[i - 1]!] }))
    expect(report).toMatchObject({ cut: false, places: 60, findings: [] })
    // Each value may be taken back at each step.
    expect(report.turns).toBeLessThan(4000)
  })

  it("is limited by bounds; the report names the bound that stopped the walk", () => {
    const options = {
      name: "Bot",
      flows: [{ title: "F", steps: [{ id: "a", collect: ["f0"] }, { id: "b", prompt: "b" }] }]
    }
    for (const bound of ["places", "ways", "turns", "sights"] as const) {
      const report = Check.check(asking, options as never, { [bound]: 1 })
      expect(report).toMatchObject({ cut: true, findings: [] })
      expect(report.cutBy).toContain(bound)
      expect(Check.render(report)).toContain("not all: bound of")
    }
  })

  it("the report says that withdrawals of at most two values at a time were explored", () => {
    const report = { agent: "Bot", findings: [], flows: 1, steps: 2, places: 3, turns: 4, cut: false }
    expect(Check.render({ ...report, cutBy: ["losses"] })).toBe(
      "Bot: no findings (1 flow, 2 steps, 4 turns walked)\n" +
        "info: of the values that users take back, at most two at a time were looked at"
    )
    expect(Check.render({ ...report, cut: true, cutBy: ["ways", "losses"] })).toContain("not all: bound of ways)")
  })

  // Counts instead of time: a walk makes more than ten thousand turns per second.
  it("is below 3,000 positions and 45,000 turns for 200 flows and 2,000 steps", () => {
    const flows = LargeDefinition.flows.map((flow, f) => ({
      ...flow,
      onComplete: f % 10 === 0 ? `Flow ${(f + 1) % 200}` : undefined
    }))
    const report = Check.check(LargeDefinition.kit, { name: "Large", flows } as never)
    expect(report).toMatchObject({ flows: 200, steps: 2000, cut: false })
    expect(report.findings, Check.render(report)).toEqual([])
    expect(report.places).toBeLessThan(3000)
    expect(report.turns).toBeLessThan(45_000)
  })
})

/** The checker and the pipeline agree on randomly generated definitions. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Job } from "coxswain"
import * as Check from "coxswain/check"
import { Effect, FastCheck as fc, Schema } from "effect"
import { Data } from "../domain/check/Broken.js"
import * as Replay from "../support/Replay.js"
import { thorough } from "../support/Runs.js"

const kit = Agent.define({
  data: Data,
  events: { paid: Schema.Struct({ amount: Schema.Int }) },
  jobs: [Job.make("report", { payload: { city: Schema.String }, success: Schema.String })]
})

type Ctx = { readonly data: Record<string, unknown> }

const fields = ["city", "guests", "breakfast"] as const
const field = fc.constantFrom(...fields)
const some = (most: number) => fc.uniqueArray(field, { maxLength: most })
const maybe = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

const predicate = fc.constantFrom(
  () => true,
  () => false,
  ({ data }: Ctx) => data.city !== undefined,
  ({ data }: Ctx) => data.city === undefined,
  ({ data }: Ctx) => data.guests !== undefined && (data.guests as number) > 4
)

const target = fc.constantFrom<unknown>(
  "s0",
  "s1",
  "s2",
  "Flow 0",
  "Flow 1",
  { complete: true },
  { abort: "enough" },
  { reset: true },
  { reset: { clearData: true } },
  { reply: "Well" },
  { dataUpdate: { city: "Porto" } },
  { goToStep: "s0", clear: ["city"] },
  { goToStep: "s1", run: { job: "report", payload: { city: "Lisbon" } } },
  { goTo: { flow: "Flow 1", step: "s0", carry: "reset" } }
)

const branch = (last: boolean) =>
  fc.record({
    if: last ? maybe(predicate) : predicate,
    when: maybe(fc.constantFrom("yes", "no")),
    then: target
  })

const branches = maybe(
  fc.tuple(fc.array(branch(false), { maxLength: 1 }), branch(true)).map(([some, last]) => [...some, last])
)

type Paid = { readonly event: { readonly amount: number } }

const handler = fc.constantFrom<unknown>(
  "s1",
  "s2",
  { abort: "enough" },
  { reply: "Thank you" },
  { clear: ["city"] },
  ({ event }: Paid) => ({ dataUpdate: { guests: event.amount } }),
  ({ event }: Paid) => event.amount > 4 ? { goToStep: "s2" } : undefined,
  ({ event }: Paid) => event.amount > 4 ? { reply: "Enough" } : { dataUpdate: { city: undefined } }
)

type Reported = { readonly event: string }

/** Handlers of a job's result. */
const hearer = fc.constantFrom<unknown>(
  "s0",
  "s2",
  { complete: true },
  { reply: "There it is" },
  { reply: "Another one", run: { job: "report", payload: { city: "Faro" } } },
  ({ event }: Reported) => ({ dataUpdate: { city: event } }),
  ({ event }: Reported) => event === "late" ? { goToStep: "s2" } : undefined
)

const on = fc.option(
  fc.oneof(
    fc.record({ paid: handler }),
    fc.record({ "report.completed": hearer }),
    fc.record({ paid: handler, "report.completed": hearer })
  ),
  { nil: undefined, freq: 1 }
)

const common = {
  on,
  if: maybe(predicate),
  skip: maybe(predicate),
  when: maybe(fc.constant("willing")),
  branches,
  requires: some(1)
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ ...common, prompt: fc.constant("Ask"), collect: some(2), until: maybe(predicate) })
  },
  {
    weight: 1,
    arbitrary: fc.record({ ...common, collect: fc.tuple(field), confirm: fc.constant(true), until: maybe(predicate) })
  },
  { weight: 1, arbitrary: fc.record({ ...common, auto: fc.constant(true) }) },
  { weight: 1, arbitrary: fc.record({ ...common, reply: fc.constant("There you are") }) }
)

const without = (part: object): object =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined))

const definition = fc.array(
  fc.record({
    on,
    if: maybe(predicate),
    requiredFields: some(1),
    onComplete: maybe(fc.constantFrom("Flow 0", "Flow 1")),
    steps: fc.array(step, { minLength: 3, maxLength: 3 })
  }),
  { minLength: 2, maxLength: 2 }
).map((flows) => ({
  name: "Random",
  flows: flows.map((flow, f) =>
    without({
      ...flow,
      title: `Flow ${f}`,
      when: `the user wants ${f}`,
      steps: flow.steps.map((one, s) => without({ id: `s${s}`, ...one }))
    })
  )
}))

/** The understanding of a message, and events after it. */
const turn = fc.record({
  flow: fc.constantFrom("flow-0", "flow-1", undefined),
  fields: fc.constantFrom({}, { city: "Lisbon" }, { guests: 2 }, { guests: 7, breakfast: true }, {
    city: "Porto",
    guests: 5
  }),
  met: fc.constantFrom<ReadonlyArray<string>>([], ["yes"], ["no", "willing"], ["willing"], ["yes", "willing"]),
  amount: fc.constantFrom(undefined, undefined, 2, 7),
  reported: fc.constantFrom(undefined, undefined, "Lisbon", "late"),
  withdrawn: fc.constantFrom<ReadonlyArray<string>>([], [], [], ["city"], ["guests"], ["city", "guests"])
})

const definitions = fc.sample(definition, { seed: 7, numRuns: thorough ? 150 : 30 })
const shown = (options: object) => JSON.stringify(options, (_, u: unknown) => typeof u === "function" ? String(u) : u)
const check = (options: object) => Check.check(kit, options as never)

describe("random agent definitions", () => {
  it("are checked without an exception, always with the same result", () => {
    const codes = new Set<string>()
    for (const options of definitions) {
      const report = check(options)
      for (const { code } of report.findings) codes.add(code)
      expect(check(options)).toEqual(report)
      expect(Check.render(report)).toContain("Random: ")
    }
    // Otherwise the definitions are too simple.
    expect(Array.from(codes)).toEqual(
      expect.arrayContaining(["unreachable-step", "no-way-out", "requires-uncollected"])
    )
  })

  /** Whether it assumes only that jobs run, which the doubles ensure. */
  const isPlayable = ({ assumes, refused, turns }: Check.Witness): boolean =>
    !refused && assumes.every(({ path, turn }) => {
      const { happens } = turns[turn]!
      return happens?.job !== undefined && path.endsWith(`on.${happens.event}`)
    })

  it.live(
    "have findings whose example conversations replay with the claimed result, if only jobs are assumed",
    () =>
      Effect.gen(function*() {
        let played = 0
        let takenBack = 0
        let outside = 0
        for (const options of definitions) {
          const report = check(options)
          for (const finding of report.findings) {
            const { witness } = finding
            if (witness === undefined || !isPlayable(witness)) continue
            const result = yield* Replay.play(kit, Data, options, witness)
            const claim = Replay.claim(witness)
            const story = `${shown(options)}\n${Check.render({ ...report, findings: [finding] })}\n${result.failure}`
            expect(result.turns, story).toEqual(claim.turns)
            expect(result.failure !== undefined, story).toBe(claim.fails)
            played++
            if (witness.turns.some(({ withdrawn }) => withdrawn !== undefined)) takenBack++
            if (witness.turns.some(({ happens }) => happens !== undefined)) outside++
          }
        }
        expect(played).toBeGreaterThan(20)
        // A few definitions have none of these.
        if (thorough) expect(Math.min(takenBack, outside)).toBeGreaterThan(0)
      }),
    120_000
  )

  it.live(
    "have no conversation that reaches a step which the checker reports as unreachable",
    () =>
      Effect.gen(function*() {
        const talks = fc.sample(fc.array(turn, { minLength: 6, maxLength: 6 }), { seed: 5, numRuns: thorough ? 4 : 2 })
        let claims = 0
        for (const options of definitions) {
          const { findings } = check(options)
          const dead = findings.filter(({ code }) => code === "unreachable-step").flatMap(({ path, what }) => {
            const flow = Number(/^flows\[(\d+)\]/.exec(path)![1])
            return Array.from(what.matchAll(/"(s\d)"/g), ([, step]) => `flow-${flow}/${step}`)
          })
          const endless = findings.filter(({ code }) => code === "never-completes").map(({ path }) => `flow-${path[6]}`)
          if (dead.length + endless.length === 0) continue
          claims++
          for (const talk of talks) {
            const { completed, steps } = yield* Replay.talk(kit, options, talk)
            const story = () => `${shown(options)}\n${JSON.stringify(talk)}\n${Check.render(check(options))}`
            expect(steps.filter((step) => dead.includes(step)), story()).toEqual([])
            expect(completed.filter((flow) => endless.includes(flow)), story()).toEqual([])
          }
        }
        expect(claims).toBeGreaterThan(8)
      }),
    120_000
  )
})

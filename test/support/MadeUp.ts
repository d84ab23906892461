/** Agent definitions made up at random, and what is said to them. */
import { Agent, Job } from "coxswain"
import { FastCheck as fc, Schema } from "effect"
import { Data } from "../domain/check/Broken.js"

/** The events and jobs of the definitions. */
export const happening = {
  events: { paid: Schema.Struct({ amount: Schema.Int }) },
  jobs: [Job.make("report", { payload: { city: Schema.String }, success: Schema.String })]
}

export const kit = Agent.define({ data: Data, ...happening })

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

export const definition = fc.array(
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
export const turn = fc.record({
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

/** Code of a hook. */
const code = fc.constantFrom<unknown>(
  () => ({ dataUpdate: { city: "Rome" } }),
  () => ({ dataUpdate: { guests: 3 } }),
  () => ({ clear: ["city"] }),
  () => ({ clear: ["guests"] }),
  ({ data }: Ctx) => data.city === "Lisbon" ? { goToStep: "s2" } : { dataUpdate: { guests: 8 } },
  ({ data }: Ctx) => data.guests === undefined ? { dataUpdate: { guests: 2 } } : { goToStep: "s0" },
  ({ data }: Ctx) => data.city === "Porto" ? { complete: true } : { dataUpdate: { city: "Porto" } }
)

const rarely = <A>(arbitrary: fc.Arbitrary<A>) => fc.option(arbitrary, { nil: undefined, freq: 1 })

const stepHooks = fc.record({
  onEnter: rarely(code),
  onResume: rarely(code),
  prepare: rarely(code),
  finalize: rarely(code),
  onExit: rarely(code)
})

const flowHooks = fc.record({
  onEnter: rarely(code),
  onResume: rarely(code),
  onComplete: rarely(code),
  onExit: rarely(code)
})

const around = rarely(fc.array(branch(false), { minLength: 1, maxLength: 1 }))

/** The parts of a definition with code, besides the steps of `definition`. */
const more = fc.record({
  branches: around,
  flows: fc.tuple(...[0, 1].map(() =>
    fc.record({
      branches: around,
      hooks: flowHooks,
      isComplete: rarely(predicate),
      onInterrupt: maybe(fc.constantFrom("suspend", "drop", "complete")),
      steps: fc.tuple(...[0, 1, 2].map(() => fc.record({ hooks: stepHooks, ends: rarely(fc.constant(true)) })))
    })
  ))
})

const merged = (a: object, b: object): object => without({ ...a, ...b })

/** A definition with hooks, and with branches of flow and agent. */
export const definitionWithCode = fc.tuple(definition, more).map(([{ flows, name }, { branches, flows: also }]) =>
  without({
    name,
    branches,
    flows: flows.map((flow, f) => {
      const { hooks: { onComplete, ...hooks }, steps, ...rest } = also[f]!
      return merged(flow, {
        ...rest,
        hooks: without("onComplete" in flow ? hooks : { ...hooks, onComplete }),
        steps: (flow as { readonly steps: ReadonlyArray<object> }).steps.map((step, s) => {
          const { ends, hooks } = steps[s]!
          return merged(step, { hooks: without(hooks), ...("branches" in step ? {} : { ends }) })
        })
      })
    })
  })
)

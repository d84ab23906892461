/** Agent definitions made up at random, and what is said to them. */
import { Agent, Job } from "coxswain"
import { Effect, FastCheck as fc, Schema } from "effect"
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

/** Directives and targets that `target` does not have. */
const farther = fc.constantFrom<unknown>(
  { complete: { next: { goTo: "Flow 1" } } },
  { complete: { next: { reply: "That was it" } } },
  { abort: { reason: "enough", stack: true } },
  { abort: { reason: "enough", clearSession: true } },
  { reset: { step: "s1" } },
  { goTo: { flow: "Flow 0", carry: "preserve" } },
  { goTo: { flow: "Flow 1", data: { city: "Faro" } } },
  { goToStep: { step: "s2", flow: "Flow 1" } },
  { goToStep: "s1", dataUpdate: { guests: 4 } }
)

const farBranch = fc.tuple(branch(false), farther).map(([one, then]) => ({ ...one, then }))

const around = rarely(fc.array(fc.oneof(branch(false), farBranch), { minLength: 1, maxLength: 1 }))

/** Of these, those that the agent may have: none names a step of no flow. */
const everywhere = around.filter((all) => !/"s\d"|"goToStep":"|"reset"/.test(JSON.stringify(all ?? [])))

const interruption = fc.constantFrom("suspend", "drop", "complete")

/** The data of `definitionWithCode`: one field is forgotten at the end of its flow. */
export const DataWithCode = Schema.Struct({
  ...Data.fields,
  breakfast: Schema.Boolean.annotations({ extract: "asked", scope: "flow" })
})

export const kitWithCode = Agent.define({ data: DataWithCode, ...happening })

/** A step that is a call; its outcome is known to nobody but the tool. */
const call = fc.record({
  id: fc.constant("call"),
  call: fc.constantFrom(
    kitWithCode.tool({ id: "look", description: "Look", handler: () => "found" }).with({}),
    kitWithCode.tool({ id: "fail", description: "Fail", handler: () => Effect.fail("no") }).with({})
  ),
  then: fc.constantFrom<unknown>({ ok: "s0", failed: "s2" }, { ok: "s2" }, { failed: "s1" }, {
    ok: { complete: true },
    failed: { reply: "It failed" }
  }),
  requires: some(1),
  if: maybe(predicate)
})

const stepParts = fc.record({
  hooks: stepHooks,
  ends: rarely(fc.constant(true)),
  neverCompletes: rarely(fc.constant(true)),
  onInterrupt: rarely(interruption),
  far: rarely(farBranch)
})

/** The parts of a definition with code, besides the steps of `definition`. */
const more = fc.record({
  branches: everywhere,
  maxDirectiveChain: rarely(fc.constantFrom(1, 2)),
  maxAutoStepsPerTurn: rarely(fc.constantFrom(1, 2)),
  flows: fc.tuple(...[0, 1].map(() =>
    fc.record({
      branches: around,
      hooks: flowHooks,
      isComplete: rarely(predicate),
      initialData: rarely(fc.constantFrom({ guests: 1 }, { city: "Beja" })),
      reentrant: maybe(fc.constantFrom<unknown>(true, "clear", "keep")),
      onInterrupt: maybe(interruption),
      call: rarely(call),
      steps: fc.tuple(...[0, 1, 2].map(() => stepParts))
    })
  ))
})

const merged = (a: object, b: object): object => without({ ...a, ...b })

type Written = Readonly<Record<string, unknown>>

type Parts = typeof stepParts extends fc.Arbitrary<infer P> ? P : never

/** The step with further parts, as far as they can go together. */
const withParts = (step: Written, { ends, far, hooks, neverCompletes, onInterrupt }: Parts): object => {
  const { branches, until } = step
  const speaks = !("auto" in step)
  const { finalize, ...others } = hooks
  const stays = neverCompletes === true && speaks && until === undefined
  return merged(step, {
    hooks: without(speaks ? { ...others, finalize } : others),
    ...(speaks && { onInterrupt }),
    ...(stays && { neverCompletes }),
    ...(branches === undefined && far !== undefined && { branches: [far] }),
    ...(branches === undefined && far === undefined && !stays && { ends })
  })
}

/** Definitions with hooks, with branches of flow and agent, and with all that a flow can be told. */
export const definitionWithCode = fc.tuple(definition, more).map(([{ flows, name }, { flows: also, ...agent }]) =>
  without({
    name,
    ...agent,
    flows: flows.map((flow, f) => {
      const { call, hooks: { onComplete, ...hooks }, steps, ...rest } = also[f]!
      const written = (flow as { readonly steps: ReadonlyArray<Written> }).steps.map((step, s) =>
        withParts(step, steps[s]!)
      )
      return merged(flow, {
        ...rest,
        hooks: without("onComplete" in flow ? hooks : { ...hooks, onComplete }),
        steps: call === undefined ? written : [...written.slice(0, 1), without(call), ...written.slice(1)]
      })
    })
  })
)

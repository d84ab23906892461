// @effect-diagnostics missingEffectError:off
/** Types inferred from plain literals, and definitions that must not compile. Checked by `tsc`. */
import type { LanguageModel } from "@effect/ai"
import { Agent, type Errors, type Policy, type SessionStore, type Tool } from "coxswain"
import * as Check from "coxswain/check"
import type { Layer } from "effect"
import { Context, Effect, Schema } from "effect"

class Db extends Context.Tag("Db")<Db, { readonly save: (n: number) => Effect.Effect<string, DbDown> }>() {}
class Crm extends Context.Tag("Crm")<Crm, { readonly find: Effect.Effect<string> }>() {}
class DbDown extends Schema.TaggedError<DbDown>()("DbDown", {}) {}

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false
const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int, when: Schema.Date }),
  context: Schema.Struct({ tier: Schema.Literal("vip", "std") })
})

type Data = { readonly city: string; readonly guests: number; readonly when: Date }
type Ctx = { readonly tier: "vip" | "std" }

// Data, context, errors and requirements are inferred from callbacks deep in the literal.
export const inferred = kit.make({
  name: "Bot",
  persona: ({ context }) => `For ${context.tier satisfies "vip" | "std"}`,
  contextProvider: Effect.map(Crm, () => ({ tier: "vip" as const })),
  flows: [{
    title: "Booking",
    requiredFields: ["city"],
    steps: [
      { id: "city", collect: ["city"], prompt: ({ data }) => `Hello ${data.city satisfies string | undefined}` },
      {
        id: "save",
        auto: true,
        prepare: ({ data }) =>
          Effect.gen(function*() {
            const db = yield* Db
            yield* db.save(data.guests ?? 0)
            return { dataUpdate: { city: "x" } }
          })
      },
      { id: "end", reply: "Done", if: ({ data }) => (data.guests ?? 0) > 2 }
    ]
  }]
})
export const inferredType: Equals<
  typeof inferred,
  Effect.Effect<
    Agent.Agent<Data, Ctx, DbDown>,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore | Db | Crm
  >
> = true

// `respond` needs nothing: it runs as it is.
export const runs = Effect.map(
  inferred,
  (agent) => () => Effect.runPromise(agent.respond({ sessionId: "u", message: "hi" }))
)
type Respond = Effect.Effect.Success<typeof inferred>["respond"]
export const failures: Equals<Effect.Effect.Error<ReturnType<Respond>>, DbDown | Errors.TurnError> = true
export const needsNothing: Equals<Effect.Effect.Context<ReturnType<Respond>>, never> = true

// A tool's own Schemas type its handler; its requirements surface, its failures do not (they are results).
const save = kit.tool({
  id: "save",
  parameters: { amount: Schema.NumberFromString },
  success: Schema.String,
  handler: ({ amount }, ctx) =>
    Effect.gen(function*() {
      yield* ctx.updateData({ guests: amount satisfies number })
      return yield* Effect.flatMap(Db, (db) => db.save(amount))
    })
})
const escalate = kit.signal({
  id: "escalate",
  phase: "pre",
  when: "the guest is angry",
  extract: Schema.Struct({ level: Schema.Int }),
  handler: ({ extracted }) => Effect.as(Crm, (extracted.level satisfies number) > 2 ? { halt: true } : {})
})
export const withTools = kit.make({ name: "Bot", tools: [save], signals: [escalate] })
export const withToolsType: Equals<
  typeof withTools,
  Effect.Effect<
    Agent.Agent<Data, Ctx, never>,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore | Db | Crm
  >
> = true

// A tool or a signal that needs nothing adds nothing: the agent runs once its two services are there.
export const plain = kit.make({
  name: "Bot",
  tools: [kit.tool({ id: "now", handler: () => "noon", needsApproval: () => ({ reason: "late" }) })],
  signals: [kit.signal({ id: "log", phase: "post", handler: () => ({ reply: "x" }) })]
})
export const plainR: Equals<
  Effect.Effect.Context<typeof plain>,
  LanguageModel.LanguageModel | SessionStore.SessionStore
> = true

// What approves a call by itself knows the arguments, the data and the context.
export const approving = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number },
  needsApproval: { by: "manager", autoApprove: ({ euros }, { data }) => euros.toFixed() === "5" && data.guests === 2 },
  handler: ({ euros }) => euros
})
export const refusing = kit.tool({
  id: "pay",
  parameters: { euros: Schema.Number },
  // @ts-expect-error a text says neither yes nor no
  needsApproval: { autoApprove: ({ euros }) => String(euros) },
  handler: ({ euros }) => euros
})

// A definition of which nothing is known still compiles: it is checked when it runs.
const untyped = JSON.parse("{}")
export const unknowable = [
  kit.make(untyped),
  kit.make({ name: "Bot", flows: untyped }),
  kit.make({ name: "Bot", flows: [{ title: "F", steps: untyped }] })
]

// Tools in steps count too, and so do plain literals.
export const stepTools = kit.make({
  name: "Bot",
  flows: [{
    title: "F",
    steps: [{ prompt: "x", tools: [save, "other", { id: "plain", handler: () => Effect.as(Crm, 1) }] }]
  }],
  tools: [{ id: "other", handler: (args) => JSON.stringify(args satisfies Record<string, unknown>) }]
})
export const stepToolsR: Equals<
  Effect.Effect.Context<typeof stepTools>,
  LanguageModel.LanguageModel | SessionStore.SessionStore | Db | Crm
> = true

// Parts written on their own keep their types.
const step = kit.step({
  id: "own",
  collect: ["guests"],
  finalize: ({ data }) => (data.guests ?? 0) > 4 ? { goTo: "Groups" } : undefined
})
const flow = kit.flow({ title: "Own", steps: [step], onComplete: () => Effect.fail(new DbDown()) })
export const parts = kit.make({ name: "Bot", flows: [flow] })
export const partsE: Equals<Effect.Effect.Success<typeof parts>, Agent.Agent<Data, Ctx, DbDown>> = true

// The agent as a service.
class Bot extends Context.Tag("Bot")<Bot, Agent.Agent<Data, Ctx, DbDown>>() {}
export const live = kit.layer(Bot, { name: "Bot", flows: [flow] })
export const liveContext: typeof live extends { readonly error: string } ? false : true = true

class Hotel extends kit.Service<Hotel>()("Hotel", { name: "Hotel", flows: [flow], tools: [save] }) {}
export const hotelLayer: Equals<
  typeof Hotel.layer,
  Layer.Layer<
    Hotel,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore | Db
  >
> = true
export const hotelValue: Equals<Context.Tag.Service<typeof Hotel>, Agent.Agent<Data, Ctx, DbDown>> = true

// Absent context is an empty record.
const bare = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
export const bareAgent = bare.make({ name: "Bot" })
export const bareType: Equals<
  Effect.Effect.Success<typeof bareAgent>,
  Agent.Agent<{ readonly city: string }, {}>
> = true

// A tool's result is what `success` encodes, or a `ToolOutput`, as a value or an Effect.
export const results = [
  kit.tool({ id: "a", success: Schema.Number, handler: () => 5 }),
  kit.tool({ id: "b", success: Schema.Number, handler: () => Effect.succeed(5) }),
  kit.tool({
    id: "c",
    success: Schema.Number,
    handler: () => ({ ok: true, outputMessage: "x", dataUpdate: { guests: 2 } })
  }),
  kit.tool({
    id: "d",
    handler: () => ({ ok: true, outputMessage: "x", directive: { goTo: { flow: "F", carry: "reset" } } })
  }),
  kit.tool({ id: "e", handler: ({}, { data }) => data.guests === 2 ? { booked: true } : Effect.fail("no") }),
  kit.tool({ id: "f", handler: () => {} })
]
export const wrongResult = kit.tool({
  id: "wrong",
  // @ts-expect-error a write of the wrong type
  handler: () => ({ ok: true, outputMessage: "x", dataUpdate: { guests: "two" } })
})

// A policy may name the arguments of all tools: of those in steps and calls, and any if one's are not known.
declare const remote: ReadonlyArray<Tool.Tool<Data, Ctx>>
const charge = kit.tool({ id: "charge", parameters: { euros: Schema.Number }, handler: () => 1 })
const perEuros = { tool: "charge", atMost: 1, per: ["euros"] } as const
export const named = [
  kit.make({ name: "Bot", policies: [perEuros], flows: [{ title: "F", steps: [{ prompt: "x", tools: [charge] }] }] }),
  kit.make({
    name: "Bot",
    policies: [perEuros],
    flows: [{ title: "F", steps: [kit.step({ requires: ["guests"], call: charge.with({ euros: 5 }) })] }]
  }),
  kit.make({ name: "Bot", policies: [{ ...perEuros, per: ["any"] }], tools: [charge, ...remote] }),
  kit.make({ name: "Bot", policies: [{ ...perEuros, per: ["euros.cents"] }], tools: [charge] }),
  // @ts-expect-error no tool has this argument
  kit.make({ name: "Bot", policies: [{ ...perEuros, per: ["dollars"] }], tools: [charge] })
]

// What must not compile.
export const wrong1 = kit.make({
  name: "x",
  flows: [{
    title: "t",
    steps: [{
      id: "a",
      // @ts-expect-error a field the data does not have
      collect: ["nope"]
    }]
  }]
})
export const wrong2 = kit.make({
  name: "x",
  flows: [{
    title: "t",
    steps: [{
      id: "a",
      prompt: "x",
      // @ts-expect-error a Promise
      prepare: async () => {}
    }]
  }]
})
export const wrong3 = kit.make({
  name: "x",
  flows: [{
    title: "t",
    steps: [{
      id: "a",
      prompt: "x",
      // @ts-expect-error a predicate that can fail
      if: () => Effect.fail("no")
    }]
  }]
})
export const wrong4 = kit.make({
  name: "x",
  flows: [{
    title: "t",
    steps: [{
      id: "a",
      prompt: "x",
      // @ts-expect-error a write of the wrong type
      prepare: () => ({ dataUpdate: { guests: "two" } })
    }]
  }]
})
export const wrongResume = kit.make({
  name: "x",
  flows: [{
    title: "t",
    // @ts-expect-error a write of the wrong type
    onResume: () => ({ dataUpdate: { guests: "two" } }),
    steps: [{
      id: "a",
      prompt: "x",
      // @ts-expect-error a write of the wrong type
      onResume: () => ({ dataUpdate: { guests: "two" } })
    }]
  }]
})
export const wrong5 = kit.make({
  name: "x",
  flows: [{
    title: "t",
    // @ts-expect-error a function in when
    when: () => true,
    steps: [{ prompt: "x" }]
  }]
})
// @ts-expect-error an option that does not exist
export const excess = kit.make({ name: "x", flow: [] })
const spoken = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
export const byLocale = spoken.make({
  name: "x",
  flows: [{ title: "t", steps: [{ reply: { en: ({ data }) => `${data.city?.length}`, de: "x" } }] }]
})
export const guarded = spoken.make({
  name: "x",
  guardrails: {
    input: [{ id: "a", check: () => undefined, reply: { en: "x", de: ({ data }) => `${data.city?.length}` } }],
    output: [{ id: "b", check: () => undefined, reply: ({ data }) => Effect.succeed(`${data.city?.length}`) }],
    reply: { en: "x", de: "y" }
  },
  flows: []
})
export const wrong7 = spoken.make({
  name: "x",
  // @ts-expect-error a number is no text
  guardrails: { input: [{ id: "a", check: () => undefined, reply: { en: () => 1 } }] },
  flows: []
})
// @ts-expect-error an Effect is no text by locale
export const wrong6 = spoken.make({ name: "x", flows: [{ title: "t", steps: [{ reply: { en: () => Effect.void } }] }] })

// The checker types a literal as `make` does.
export const report = Check.check(kit, {
  name: "Bot",
  flows: [{
    title: "F",
    steps: [{
      id: "a",
      prompt: ({ data }) => `${data.city satisfies string | undefined}`,
      skip: ({ data }) => data.guests === 2
    }]
  }]
})
export const refused = Check.check(kit, {
  name: "Bot",
  flows: [{
    title: "F",
    steps: [{
      id: "a",
      // @ts-expect-error a field the data does not have
      collect: ["town"]
    }]
  }]
})

// Policies name fields of the data, and a tool's own policies its parameters.
const within = kit.tool({
  id: "within",
  parameters: { seats: Schema.Number, seat: Schema.Struct({ row: Schema.Number }) },
  policies: [
    { onlyIf: { compare: [{ calc: [{ argument: "seats" }, "+", { field: "guests" }] }, "<=", { value: 9 }] } },
    { onlyIf: { called: "look", with: { row: { argument: "seat.row" } }, since: ["add"], ever: true } },
    { atMost: 1, per: ["seats"], within: "1 day" }
  ],
  handler: () => ""
})
const listed: ReadonlyArray<Policy.Policy> = []
const condition: Policy.Condition = { called: "within" }
export const policed = kit.make({
  name: "Bot",
  tools: [within],
  policies: [
    ...listed,
    { tool: "within", onlyIf: condition },
    { tool: "within", onlyIf: { all: [{ compare: [{ field: "city" }, "in", { value: [{ field: "x" }] }] }] } }
  ]
})
export const agentPolicy = kit.make({
  name: "Bot",
  policies: [
    { tool: "within", never: true },
    {
      tool: "within",
      // @ts-expect-error: the schema has no field "guest", did you mean "guests"?
      onlyIf: { not: { compare: [{ value: 1 }, "<", { calc: [{ field: "guest" }, "+", { value: 1 }] }] } }
    }
  ]
})
export const flowPolicy = kit.flow({
  title: "Book",
  steps: [],
  policies: [{
    tool: "within",
    onlyIf: {
      called: "look",
      // @ts-expect-error: the schema has no field "town"
      with: { at: { field: "town" } }
    }
  }]
})
export const toolField = kit.tool({
  id: "a",
  // @ts-expect-error: there is no field "guest"
  policies: [{ onlyIf: { compare: [{ field: "guest" }, "<", { value: 1 }] } }],
  handler: () => ""
})
export const toolArgument = kit.tool({
  id: "a",
  parameters: { seats: Schema.Number },
  // @ts-expect-error: there is no argument "seat"
  policies: [{ onlyIf: { compare: [{ argument: "seat" }, "<", { value: 1 }] } }],
  handler: () => ""
})
export const toolPer = kit.tool({
  id: "a",
  parameters: { seats: Schema.Number },
  // @ts-expect-error: there is no argument "seat"
  policies: [{ atMost: 1, per: ["seat"] }],
  handler: () => ""
})

// A guardrail's condition in code is a predicate.
export const conditional = spoken.make({
  name: "x",
  guardrails: { input: [{ id: "a", rewrite: (text) => text, if: ({ data }) => data.city === undefined }] }
})
export const wrong8 = spoken.make({
  name: "x",
  // @ts-expect-error words are no condition in code
  guardrails: { input: [{ id: "a", rewrite: (text: string) => text, if: "the guest is angry" }] }
})

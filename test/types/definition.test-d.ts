// @effect-diagnostics missingEffectError:off missingEffectContext:off
/** Types of definitions that name their code, and of the code. Checked by `tsc`. */
import type { LanguageModel } from "@effect/ai"
import { Agent, type Errors, type Migrations, Policy, type SessionStore } from "coxswain"
import * as Definition from "coxswain/definition"
import { Context, Effect, type Layer, Schema } from "effect"

class Db extends Context.Tag("Db")<Db, { readonly save: (n: number) => Effect.Effect<string, DbDown> }>() {}
class Crm extends Context.Tag("Crm")<Crm, { readonly find: Effect.Effect<string> }>() {}
class DbDown extends Schema.TaggedError<DbDown>()("DbDown", {}) {}

type Equals<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false

const kit = Definition.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int }),
  context: Schema.Struct({ tier: Schema.Literal("vip", "std") }),
  events: { "order.paid": Schema.Struct({ euros: Schema.Number }) }
})
type Data = { readonly city: string; readonly guests: number }
type Events = { readonly "order.paid": Schema.Struct<{ euros: typeof Schema.Number }> }
type Ctx = { readonly tier: "vip" | "std" }

const findPrice = kit.tool({ id: "find_price", parameters: { city: Schema.String }, success: Schema.Number })
const cancel = kit.tool({ id: "cancel", parameters: { order: Schema.Int }, needsApproval: true })
const rude = kit.signal({ id: "rude", phase: "pre", extract: Schema.Struct({ word: Schema.String }) })

// A part of another file.
const cancellation = kit.flow({
  title: "Cancel",
  steps: [{ id: "ask", prompt: { template: "askWhy" }, tools: [cancel], finalize: { hook: "note" } }]
})

const Hotel = kit.agent({
  name: "Hotel",
  persona: { template: "persona" },
  tools: [findPrice, "refund"],
  signals: [rude, { signal: "lost" }],
  contextProvider: { value: "profile" },
  guardrails: { input: [{ guardrail: "cards" }] },
  flows: [
    {
      title: "Book",
      if: { predicate: "isOpen" },
      steps: [
        { id: "city", collect: ["city"], prompt: ({ data }) => `To ${data.city satisfies string | undefined}?` },
        {
          id: "price",
          call: findPrice.with({ city: "Lisbon" }),
          then: { ok: [{ if: { predicate: "isCheap" }, then: "save" }] }
        },
        {
          id: "save",
          auto: true,
          prepare: { hook: "save" },
          branches: [{ when: { all: ["x", { predicate: "isOpen" }] }, then: "end" }]
        },
        { id: "end", reply: { en: { template: "bye" }, de: "x" }, on: { "order.paid": { hook: "paid" } } }
      ]
    },
    cancellation
  ]
})

const tools = Agent.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int }),
  context: Schema.Struct({ tier: Schema.Literal("vip", "std") })
})

export const hotel = Agent.implement(Hotel, {
  tools: {
    find_price: ({ city }, { data }) => Effect.map(Crm, () => city.length + (data.guests ?? 0)),
    cancel: ({ order }) => order satisfies number,
    refund: tools.tool({ id: "refund", handler: () => Effect.as(Crm, 1) })
  },
  signals: {
    rude: ({ extracted }) => ({ appendPrompt: [extracted.word satisfies string] }),
    lost: tools.signal({ id: "lost", phase: "post", handler: () => undefined })
  },
  hooks: {
    note: ({ data }) => ({ dataUpdate: { guests: data.guests ?? 1 } }),
    save: ({ data }) =>
      Effect.gen(function*() {
        const db = yield* Db
        yield* db.save(data.guests ?? 0)
        return { dataUpdate: { city: "x" } }
      }),
    paid: ({ event }) => ({ dataUpdate: { guests: event.euros satisfies number } })
  },
  predicates: {
    isOpen: ({ context }) => context.tier === "vip",
    isCheap: ({ result }) => result.value === 1
  },
  templates: {
    persona: ({ context }) => context.tier,
    askWhy: () => "Ask why",
    bye: ({ data }) => `Bye ${data.city}`
  },
  guardrails: { cards: { id: "cards", check: (text) => text === "" ? { reason: "empty" } : undefined } },
  values: { profile: Effect.succeed({ tier: "vip" as const }) }
})
export const hotelType: Equals<
  typeof hotel,
  Effect.Effect<
    Agent.Agent<Data, Ctx, DbDown, Events>,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore | Db | Crm
  >
> = true

// The agent as a service: the Layer has the errors of making it, and the services of its code.
class HotelAgent extends Agent.Service<HotelAgent>()("HotelAgent", hotel) {}
export const layer: Equals<
  typeof HotelAgent.layer,
  Layer.Layer<
    HotelAgent,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore | Db | Crm
  >
> = true
export const service: Equals<Context.Tag.Service<typeof HotelAgent>, Effect.Effect.Success<typeof hotel>> = true

// A client has the types of the agent, and its Schemas, from the definition.
type Client = Definition.AgentOf<typeof Hotel>
export const client: Equals<
  Effect.Effect.Success<ReturnType<Client["respond"]>>["session"]["data"],
  Partial<Data>
> = true
export const response: Equals<
  ReturnType<typeof Definition.schemas<typeof Hotel>>["response"],
  Client["schemas"]["response"]
> = true

const large = Policy.predicate(Schema.Struct({}), () => false)

// Values by name: knowledge that is a name and nothing else, steps of migrations, and predicates of policies.
const Known = kit.agent({
  name: "Known",
  knowledge: { value: "facts" },
  policyPredicates: { isSmall: { value: "small" }, isLarge: large },
  migrations: { version: 3, steps: { 1: { value: "second" }, "2": (session) => session } }
})
const few = Policy.predicate(Schema.Struct({}), () => true)
const values = { facts: { rooms: 5 }, small: few, second: (session: Migrations.EncodedSession) => session }
export const known = Agent.implement(Known, { values })
export const plain = Agent.implement(kit.agent({ name: "Plain", knowledge: { value: "x", other: 1 } }), {})
export const wrongValues = [
  // @ts-expect-error knowledge is JSON
  Agent.implement(Known, { values: { ...values, facts: () => 1 } }),
  // @ts-expect-error a predicate of policies is made by Policy.predicate
  Agent.implement(Known, { values: { ...values, small: () => true } }),
  // @ts-expect-error a step of migrations is a function of the session
  Agent.implement(Known, { values: { ...values, second: "x" } }),
  // @ts-expect-error a value is missing
  Agent.implement(Known, { values: { facts: 1, small: few } })
]

// A definition may be made of JSON, or of another definition.
export const read: typeof Known = kit.agent(JSON.parse("{}"))
export const next = Agent.implement(kit.agent({ ...Known, name: "Next" }), { values })

// Code inside the definition counts too.
const Mixed = kit.agent({
  name: "Mixed",
  hooks: { beforeRespond: () => Effect.asVoid(Effect.flatMap(Db, (db) => db.save(1))) }
})
export const mixed = Agent.implement(Mixed, {})
export const mixedType: Equals<Effect.Effect.Success<typeof mixed>, Agent.Agent<Data, Ctx, DbDown, Events>> = true

// A name that is not a literal is one of any.
declare const anyHook: string
const Open = kit.agent({ name: "Open", hooks: { beforeRespond: { hook: anyHook } } })
export const open = Agent.implement(Open, { hooks: { anything: ({ data }) => void data.guests } })

const Small = kit.agent({
  name: "Small",
  tools: [findPrice],
  hooks: { beforeRespond: { hook: "begin" } },
  flows: [{
    title: "F",
    onInterrupt: { hook: "interrupted" },
    steps: [{ id: "a", collect: ["city"], choices: { city: { hook: "cities" } }, if: { predicate: "toString" } }]
  }]
})
const right = {
  tools: { find_price: () => 1 },
  predicates: { toString: () => true }
} as const
export const small = Agent.implement(Small, {
  ...right,
  hooks: {
    begin: () => undefined,
    cities: () => ["Lisbon"],
    interrupted: (_, { title }) => title === "X" ? "drop" : "suspend"
  }
})

// A hook that is used in two places gets what both have.
const Shared = kit.agent({
  name: "Shared",
  hooks: { beforeRespond: { hook: "both" } },
  on: { "order.paid": { hook: "both" } }
})
export const shared = Agent.implement(Shared, {
  hooks: { both: ({ data }) => ({ dataUpdate: { guests: (data.guests ?? 0) + 1 } }) }
})

// A tool of this kit may have its handler, whatever that returns.
const failing = kit.tool({
  id: "failing",
  handler: (): never => {
    throw new Error("always")
  }
})
const now = kit.tool({ id: "now", handler: () => Effect.map(Crm, () => "noon") })
export const handled = Agent.implement(kit.agent({ name: "Handled", tools: [failing, now] }), {})
export const handledNeeds: Equals<
  Effect.Effect.Context<typeof handled>,
  LanguageModel.LanguageModel | SessionStore.SessionStore | Crm
> = true

// What must not compile.
export const wrong = [
  // @ts-expect-error only one of the places has an event
  Agent.implement(Shared, { hooks: { both: ({ event }) => void event } }),
  // @ts-expect-error the tool has its handler
  Agent.implement(kit.agent({ name: "Handled", tools: [now] }), { tools: { now: () => "midnight" } }),
  // @ts-expect-error the code lacks two sections
  Agent.implement(Small, { hooks: { begin: () => undefined, cities: () => ["Lisbon"], interrupted: () => "drop" } }),
  // @ts-expect-error a hook is missing
  Agent.implement(Small, { ...right, hooks: { cities: () => ["Lisbon"], interrupted: () => "drop" } }),
  Agent.implement(Small, {
    tools: right.tools,
    // @ts-expect-error a predicate with the name of a method of objects is missing
    predicates: {},
    hooks: { begin: () => undefined, cities: () => [], interrupted: () => "drop" }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error a hook that the definition does not name
    hooks: { begin: () => undefined, cities: () => [], interrupted: () => "drop", begins: () => undefined }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error choices are a list
    hooks: { begin: () => undefined, cities: () => 1, interrupted: () => "drop" }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error a directive has no field of this name
    hooks: { begin: () => ({ dataUpdates: {} }), cities: () => [], interrupted: () => "drop" }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error a flow is suspended, dropped or completed
    hooks: { begin: () => undefined, cities: () => [], interrupted: () => "stop" }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error the tool returns a number
    tools: { find_price: () => "much" },
    hooks: { begin: () => undefined, cities: () => [], interrupted: () => "drop" }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error a condition is true or false
    predicates: { toString: () => "yes" },
    hooks: { begin: () => undefined, cities: () => [], interrupted: () => "drop" }
  }),
  Agent.implement(Small, {
    predicates: right.predicates,
    // @ts-expect-error a handler is a function
    tools: { find_price: undefined },
    hooks: { begin: () => undefined, cities: () => [], interrupted: () => "drop" }
  }),
  Agent.implement(Small, {
    ...right,
    // @ts-expect-error a hook is a function
    hooks: { begin: undefined, cities: () => [], interrupted: () => "drop" }
  }),
  // @ts-expect-error no definition of a kit
  Agent.implement({ name: "Small" }, {})
]
// @ts-expect-error a predicate is no hook
export const wrongSection = kit.agent({ name: "x", hooks: { beforeRespond: { predicate: "begin" } } })
export const wrongField = kit.agent({
  name: "x",
  persona: { template: "x" },
  // @ts-expect-error a field the data does not have
  flows: [{ title: "F", steps: [{ id: "a", collect: ["town"] }] }]
})
export const wrongHook = kit.flow({
  title: "F",
  // @ts-expect-error a hook returns a directive
  hooks: { onEnter: { hook: "x" }, onExit: () => 1 },
  steps: [{ prompt: "x" }]
})

// A kit of an application makes no agent of a definition without its code.
declare const made: ReturnType<typeof tools.make<{ readonly name: "x"; readonly tools: readonly [typeof findPrice] }>>
// @ts-expect-error the handler is missing
export const runs: Effect.Effect<unknown, unknown, LanguageModel.LanguageModel | SessionStore.SessionStore> = made
// @ts-expect-error a hook is a function
export const unnamed = tools.make({ name: "x", hooks: { beforeRespond: { hook: "begin" } } })

/** Definitions apart from their code: what the code makes of them, and what is refused before the first turn. */
import type { LanguageModel } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, Policy, SessionStore } from "coxswain"
import * as Check from "coxswain/check"
import * as Definition from "coxswain/definition"
import * as Graph from "coxswain/graph"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Context, Effect, Layer, Schema } from "effect"
import { runtimeOf } from "../../../src/pipeline/state/agentInternals.js"

const { call, sayTask, say, understand } = ScriptedModel

class Prices extends Context.Tag("Prices")<Prices, { readonly of: (guests: number) => number }>() {}

const kit = Definition.define({
  data: Schema.Struct({ city: Schema.String, guests: Schema.Int, euros: Schema.Number }),
  context: Schema.Struct({ tier: Schema.String }),
  events: { "order.paid": Schema.Struct({ euros: Schema.Number }) }
})
/** A kit without context, which a request need not give. */
const bare = Definition.define({ data: Schema.Struct({ city: Schema.String }) })
const tools = Agent.define({ data: Schema.Struct({ city: Schema.String }) })

const findPrice = kit.tool({
  id: "find_price",
  parameters: { guests: Schema.Int },
  success: Schema.Struct({ euros: Schema.Number })
})
const rude = kit.signal({ id: "rude", phase: "pre", when: "the guest is rude" })

// A part of another file, with names of its own.
const opening = kit.flow({
  title: "Opening hours",
  reentrant: true,
  steps: [{ id: "say", reply: { en: { template: "hours" }, de: "Von 7 bis 23 Uhr." } }]
})

const Hotel = kit.agent({
  name: "Hotel",
  tools: [findPrice, "cancel"],
  signals: [rude],
  contextProvider: { value: "profile" },
  guardrails: { input: [{ guardrail: "cards" }] },
  on: { "order.paid": { hook: "thank" } },
  flows: [
    {
      title: "Book a room",
      if: { predicate: "isOpen" },
      steps: [
        { id: "ask", collect: ["city", "guests"], finalize: { hook: "note" } },
        {
          id: "price",
          call: findPrice.with(({ data }) => ({ guests: data.guests })),
          bind: { euros: "euros" },
          then: { ok: [{ if: { predicate: "isDear" }, then: "dear" }, { then: "done" }] }
        },
        { id: "dear", reply: "That is dear.", ends: true },
        { id: "done", prompt: "Say goodbye", tools: ["find_price", "cancel"] }
      ]
    },
    opening
  ]
})

const code = {
  tools: {
    find_price: ({ guests }: { readonly guests: number }) =>
      Effect.map(Prices, (prices) => ({ euros: prices.of(guests) })),
    cancel: tools.tool({ id: "cancel_order", handler: () => "cancelled" })
  },
  signals: { rude: () => ({ replyWith: "Please." }) },
  guardrails: {
    cards: { id: "cards", check: (text: string) => text.includes("4111") ? { reason: "a card" } : undefined }
  },
  values: { profile: Effect.succeed({ tier: "vip" }) },
  hooks: {
    note: () => Effect.void,
    thank: ({ event }: { readonly event: { readonly euros: number } }) => ({ reply: `Thank you for ${event.euros}.` })
  },
  predicates: {
    isOpen: ({ context }: { readonly context: { readonly tier: string } }) => context.tier === "vip",
    isDear: ({ result }: { readonly result: { readonly value: unknown } }) =>
      JSON.stringify(result.value) === JSON.stringify({ euros: 1_000 })
  },
  templates: { hours: () => "From 7 to 23." }
}

const prices = (of: (guests: number) => number) => Layer.succeed(Prices, { of })
const services = [ScriptedModel.layer(), SessionStore.layerMemory] as const

/** The issues of making an agent of a definition. The types of what is given are left out, as in JavaScript. */
const issuesOf = (definition: object, given: unknown) => {
  const implement = Agent.implement as (definition: object, code: unknown) => Effect.Effect<
    unknown,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore | Prices
  >
  return Effect.flip(implement(definition, given)).pipe(
    Effect.map(({ issues }): ReadonlyArray<Errors.ConfigurationIssue> => issues),
    Effect.provide([...services, prices(() => 1)])
  )
}
const pathsOf = (definition: object, given: unknown) =>
  Effect.map(issuesOf(definition, given), (issues) => issues.map(({ path, what }) => [path, what]))

/** A definition whose types are left out, as in JavaScript. */
const untyped: (options: object) => object = kit.agent as never

const beginning = (hook: string) => bare.agent({ name: "Small", hooks: { beforeRespond: { hook } } })

describe("Agent.implement", () => {
  it.effect("makes an agent that runs the code where the definition names it", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* Agent.implement(Hotel, code))
      yield* talk.user(
        "a room",
        understand({ flow: "book-a-room", fields: { city: "Lisbon", guests: 2 } }),
        call("find_price", { guests: 3 }),
        call("cancel_order"),
        sayTask
      )
      yield* talk.expectData({ euros: 90 })
      yield* talk.expectTool("find_price", { outcome: "ok" })
      yield* talk.expectTool("cancel_order", { outcome: "ok" })
      yield* talk.event("order.paid", { euros: 90 })
      yield* talk.expectReply("Thank you for 90.")
      yield* talk.user("when are you open?", understand({ flow: "opening-hours" }))
      yield* talk.expectReply(/From 7 to 23\./)
      yield* talk.user("you fool", understand({ signals: ["rude"] }))
      yield* talk.expectReply("Please.")
      const { tripped } = yield* talk.user("my card is 4111", understand({}))
      expect(tripped).toMatchObject([{ id: "cards", did: "blocked" }])
    }).pipe(Effect.provide([...services, prices((guests) => guests * 45)])))

  it.effect("makes independent agents of one definition", () =>
    Effect.gen(function*() {
      const replied = (euros: number) =>
        Effect.gen(function*() {
          const talk = yield* Conversation.make(yield* Agent.implement(Hotel, code), { sessionId: `s${euros}` })
          yield* talk.user(
            "a room",
            understand({ flow: "book-a-room", fields: { city: "Lisbon", guests: 2 } }),
            ...(euros === 1_000 ? [] : [say("Bye")])
          )
          yield* talk.expectReply(euros === 1_000 ? "That is dear." : "Bye")
        }).pipe(Effect.provide([...services, prices(() => euros)]))
      yield* replied(1_000)
      yield* replied(1)
    }))

  it.effect("reports all names without code together", () =>
    Effect.gen(function*() {
      expect((yield* pathsOf(Hotel, {})).toSorted()).toEqual([
        ["contextProvider.value", "unknown value \"profile\""],
        ["flows[0].if.predicate", "unknown predicate \"isOpen\""],
        ["flows[0].steps[0].finalize.hook", "unknown hook \"note\""],
        ["flows[0].steps[1].then.ok[0].if.predicate", "unknown predicate \"isDear\""],
        ["flows[1].steps[0].reply.en.template", "unknown template \"hours\""],
        ["guardrails.input[0].guardrail", "unknown guardrail \"cards\""],
        ["on.order.paid.hook", "unknown hook \"thank\""],
        ["signals[0].handler", "unknown signal \"rude\""],
        ["tools[0].handler", "unknown tool \"find_price\""],
        ["tools[1]", "unknown tool \"cancel\""]
      ])
    }))

  it.effect("reports a misspelt name at both sides, each with the name that is meant", () =>
    Effect.gen(function*() {
      const issues = yield* issuesOf(beginning("begin"), { hooks: { begins: () => undefined } })
      expect(issues).toMatchObject([
        { path: "hooks.beforeRespond.hook", what: "unknown hook \"begin\"", fix: "Write \"begins\", or add it" },
        { path: "code.hooks.begins", what: "unused hook \"begins\"", fix: "Write \"begin\", or remove it" }
      ])
    }))

  it.effect("refuses code of unknown sections, sections that are none, and code without a name", () =>
    Effect.gen(function*() {
      expect(
        yield* pathsOf(beginning("begin"), {
          hooks: { begin: () => undefined },
          hook: { begin: () => undefined },
          predicates: () => true,
          templates: { hours: () => "" },
          jobs: []
        })
      ).toEqual([
        ["code.hook", "section \"hook\" of the code"],
        ["code.predicates", "section \"predicates\" of the code"],
        ["code.jobs", "section \"jobs\" of the code"],
        ["code.templates.hours", "unused template \"hours\""]
      ])
      for (const none of [undefined, null, 5, []]) {
        expect(yield* pathsOf(beginning("begin"), none)).toEqual([
          ["hooks.beforeRespond.hook", "unknown hook \"begin\""]
        ])
      }
    }))

  it.effect("takes names of methods of objects for names", () =>
    Effect.gen(function*() {
      for (const name of ["toString", "constructor", "hasOwnProperty", "__proto__"]) {
        const unknown = [["hooks.beforeRespond.hook", `unknown hook "${name}"`]]
        expect(yield* pathsOf(beginning(name), {})).toEqual(unknown)
        expect(yield* pathsOf(beginning(name), { hooks: {} })).toEqual(unknown)
        const agent = yield* Agent.implement(beginning(name), {
          hooks: { [name]: () => ({ reply: name, halt: true }) }
        })
        const { message } = yield* agent.respond({ sessionId: name, message: "hi" })
        expect(message).toBe(name)
      }
    }).pipe(Effect.provide(services)))

  it.effect("keeps a hook and a predicate of one name apart", () =>
    Effect.gen(function*() {
      const Both = kit.agent({
        name: "Both",
        hooks: { beforeRespond: { hook: "begin" } },
        flows: [{ title: "F", if: { predicate: "begin" }, steps: [{ prompt: "x" }] }]
      })
      expect(yield* pathsOf(Both, { hooks: { begin: () => undefined } })).toEqual([
        ["flows[0].if.predicate", "unknown predicate \"begin\""]
      ])
      yield* Agent.implement(Both, { hooks: { begin: () => undefined }, predicates: { begin: () => true } })
    }).pipe(Effect.provide(services)))

  it.effect("refuses code of another kind than its place needs", () =>
    Effect.gen(function*() {
      const Wrong = kit.agent({ name: "Wrong", tools: [findPrice], hooks: { beforeRespond: { hook: "begin" } } })
      expect((yield* pathsOf(Wrong, { tools: { find_price: findPrice }, hooks: { begin: () => undefined } }))[0])
        .toEqual([
          "code.tools.find_price",
          "handler of tool \"find_price\""
        ])
      for (const [given, kind] of [["hi", "a string of 2 characters"], [null, "null"], [{}, "an object"]] as const) {
        const issues = yield* issuesOf(Wrong, { tools: { find_price: () => ({ euros: 1 }) }, hooks: { begin: given } })
        expect(issues).toMatchObject([
          {
            path: "code.hooks.begin",
            what: "hook \"begin\" of the code",
            why: `it is ${kind}`,
            fix: "Write a function"
          }
        ])
      }
      const Others = kit.agent({
        name: "Others",
        persona: { template: "tone" },
        flows: [{ title: "F", if: { predicate: "isOpen" }, steps: [{ prompt: "x" }] }]
      })
      expect(yield* pathsOf(Others, { predicates: { isOpen: "always" }, templates: { tone: 5 } })).toEqual([
        ["code.templates.tone", "template \"tone\" of the code"],
        ["code.predicates.isOpen", "predicate \"isOpen\" of the code"]
      ])
    }))

  it.effect("takes an entry that is undefined for a missing one", () =>
    Effect.gen(function*() {
      const All = untyped({
        name: "All",
        tools: [findPrice, "cancel"],
        signals: [rude],
        knowledge: { value: "facts" },
        flows: [{ title: "F", steps: [{ reply: { template: "bye" }, onEnter: { hook: "note" } }] }]
      })
      const issues = yield* issuesOf(All, {
        tools: { find_price: undefined, cancel: undefined },
        signals: { rude: undefined },
        values: { facts: undefined },
        templates: { bye: undefined },
        hooks: { note: undefined, notes: () => undefined }
      })
      expect(issues.map(({ path, what }) => [path, what])).toEqual([
        ["tools[0].handler", "unknown tool \"find_price\""],
        ["tools[1]", "unknown tool \"cancel\""],
        ["signals[0].handler", "unknown signal \"rude\""],
        ["knowledge.value", "unknown value \"facts\""],
        ["flows[0].steps[0].reply.template", "unknown template \"bye\""],
        ["flows[0].steps[0].onEnter.hook", "unknown hook \"note\""],
        ["code.hooks.notes", "unused hook \"notes\""]
      ])
      expect(issues.find(({ path }) => path.endsWith("onEnter.hook"))!.why).toBe("the code has \"notes\" in hooks")
    }))

  it.effect("takes null for a value", () =>
    Effect.gen(function*() {
      const Known = bare.agent({ name: "Known", knowledge: { value: "facts" } })
      const knowledgeOf = (facts: null | { readonly rooms: number }) =>
        Effect.map(
          Agent.implement(Known, { values: { facts } }),
          (agent) => runtimeOf(agent)!.definition.knowledge
        )
      expect(yield* knowledgeOf(null)).toBe(null)
      expect(yield* knowledgeOf({ rooms: 5 })).toEqual({ rooms: 5 })
      const plain = yield* Agent.implement(bare.agent({ name: "Plain", knowledge: { value: "x", other: 1 } }), {})
      expect(runtimeOf(plain)!.definition.knowledge).toEqual({ value: "x", other: 1 })
    }).pipe(Effect.provide(services)))

  it.effect("refuses a function for a tool that the definition does not declare", () =>
    Effect.gen(function*() {
      const cancel = { tools: { cancel: () => "cancelled" } }
      expect(yield* pathsOf(untyped({ name: "A", tools: ["cancel"] }), cancel)).toEqual([
        ["tools[0]", "unknown tool \"cancel\""]
      ])
      const Step = untyped({ name: "A", flows: [{ title: "F", steps: [{ prompt: "x", tools: ["cancel"] }] }] })
      expect(yield* pathsOf(Step, cancel)).toEqual([["flows[0].steps[0].tools[0]", "unknown tool \"cancel\""]])
    }))

  it.effect("refuses tools and signals that were declared without an id", () =>
    Effect.gen(function*() {
      const { signal, tool } = kit as unknown as Readonly<Record<string, (options?: object) => object>>
      for (const nothing of [undefined, {}]) {
        const paths = yield* pathsOf(untyped({ name: "A", tools: [tool!(nothing)], signals: [signal!(nothing)] }), {})
        expect(paths.map(([path]) => path)).toEqual(expect.arrayContaining(["tools[0].id", "signals[0].id"]))
      }
    }))

  it.effect("refuses references of other kinds, and directives that mean nothing, in place of a hook", () =>
    Effect.gen(function*() {
      for (const other of [{ predicate: "x" }, { hook: 5 }, { hook: "begin", other: 1 }, { goTo: "Nowhere" }]) {
        const Wrong = untyped({
          name: "A",
          hooks: { beforeRespond: other },
          flows: [{ title: "F", onComplete: other, steps: [{ reply: "x", hooks: { onExit: other } }] }],
          signals: [{ id: "s", phase: "pre", handler: other }]
        })
        const paths = (yield* pathsOf(Wrong, {})).map(([path]) => path)
        expect(Array.from(new Set(paths)).toSorted()).toEqual([
          "flows[0].onComplete",
          "flows[0].steps[0].hooks.onExit",
          "hooks.beforeRespond",
          "signals[0].handler"
        ])
      }
    }))

  it.effect("adds steps of migrations and predicates of policies", () =>
    Effect.gen(function*() {
      const Shop = kit.agent({
        name: "Shop",
        tools: [findPrice],
        policies: [{ tool: "find_price", onlyIf: { holds: "isFew", of: { guests: { argument: "guests" } } } }],
        policyPredicates: { isFew: { value: "few" } },
        migrations: { version: 2, steps: { 1: { value: "toSecond" } } }
      })
      const few = Policy.predicate(Schema.Struct({ guests: Schema.Int }), ({ guests }) => guests < 9)
      const agent = yield* Agent.implement(Shop, {
        tools: { find_price: () => ({ euros: 1 }) },
        values: { few, toSecond: (session) => session }
      })
      const { migrations, policies } = runtimeOf(agent)!.definition
      expect(migrations!.steps[1]).toBeTypeOf("function")
      expect(policies).toBeDefined()
      expect(yield* pathsOf(Shop, { tools: { find_price: () => ({ euros: 1 }) } })).toEqual([
        ["policyPredicates.isFew.value", "unknown value \"few\""],
        ["migrations.steps.1.value", "unknown value \"toSecond\""]
      ])
    }).pipe(Effect.provide([...services, prices(() => 1)])))

  it.effect("keeps a decision on a call for another agent with the same code only", () =>
    Effect.gen(function*() {
      const Priced = kit.agent({ name: "Priced", tools: [findPrice] })
      const printOf = (find_price: () => { readonly euros: number }) =>
        Effect.map(
          Agent.implement(Priced, { tools: { find_price } }),
          (agent) => runtimeOf(agent)!.definition.tools[0]!.fingerprint()
        )
      const [one, same, other] = yield* Effect.all([
        printOf(() => ({ euros: 1 })),
        printOf(() => ({ euros: 1 })),
        printOf(() => ({ euros: 2 }))
      ])
      expect(same).toBe(one)
      expect(other).not.toBe(one)
    }).pipe(Effect.provide(services)))

  it.effect("makes two agents of one definition for two services of a program", () =>
    Effect.gen(function*() {
      const Desk = bare.agent({ name: "Desk", hooks: { beforeRespond: { hook: "price" } } })
      const price = () => Effect.map(Prices, (prices) => ({ reply: `${prices.of(2)}`, halt: true }))
      class First extends Agent.Service<First>()("First", Agent.implement(Desk, { hooks: { price } })) {}
      class Second extends Agent.Service<Second>()(
        "Second",
        Agent.implement(Desk, { hooks: { price: () => ({ reply: "none" }) } })
      ) {}
      const both = Effect.gen(function*() {
        const request = { sessionId: "one", message: "hi" }
        const first = yield* (yield* First).respond(request)
        const second = yield* (yield* Second).respond({ ...request, sessionId: "two" })
        return [first.message, second.message]
      })
      const live = Layer.merge(First.layer, Second.layer).pipe(Layer.provide(prices((guests) => guests * 4)))
      expect(yield* Effect.provide(both, live)).toEqual(["8", expect.stringContaining("none")])
    }).pipe(Effect.provide(services)))

  it.effect("takes a definition that another one was made of, and one that was JSON", () =>
    Effect.gen(function*() {
      const first = bare.agent({ name: "First", hooks: { beforeRespond: { hook: "begin" } } })
      const hooks = { begin: () => ({ reply: "Hello", halt: true }) }
      const next = yield* Agent.implement(bare.agent({ ...first, name: "Next" }), { hooks })
      const json: { readonly name: "First"; readonly hooks: { readonly beforeRespond: { readonly hook: "begin" } } } =
        JSON.parse(JSON.stringify(first))
      const again = yield* Agent.implement(bare.agent(json), { hooks })
      for (const agent of [next, again]) {
        expect((yield* agent.respond({ sessionId: "u1", message: "hi" })).message).toBe("Hello")
      }
    }).pipe(Effect.provide(services)))

  it.effect("gives a tool that is declared once and used in several places one handler", () =>
    Effect.gen(function*() {
      const Twice = kit.agent({
        name: "Twice",
        flows: [
          { title: "F", tools: [findPrice], steps: [{ prompt: "x" }] },
          { title: "G", steps: [{ prompt: "x", tools: [findPrice] }] },
          { title: "H", steps: [{ collect: ["guests"] }, { call: findPrice.with({ guests: 1 }) }] }
        ]
      })
      yield* Agent.implement(Twice, { tools: { find_price: () => ({ euros: 1 }) } })
      expect(yield* pathsOf(Twice, {})).toEqual([["flows[0].tools[0].handler", "unknown tool \"find_price\""]])
    }).pipe(Effect.provide(services)))

  it.effect("adds code to earlier definitions too", () =>
    Effect.gen(function*() {
      const Versions = kit.agent({
        name: "Versions",
        migrations: {
          version: 2,
          steps: {},
          earlier: [{ name: "Versions", hooks: { beforeRespond: { hook: "before" } } }]
        }
      })
      expect(yield* pathsOf(Versions, {})).toEqual([
        ["migrations.earlier[0].hooks.beforeRespond.hook", "unknown hook \"before\""]
      ])
    }))

  it.effect("makes an agent whose tool asks another agent", () =>
    Effect.gen(function*() {
      const Inner = bare.agent({ name: "Inner", hooks: { beforeRespond: { hook: "answer" } } })
      class InnerAgent extends Agent.Service<InnerAgent>()(
        "InnerAgent",
        Agent.implement(Inner, { hooks: { answer: () => ({ reply: "45 euros", halt: true }) } })
      ) {}
      const ask = bare.tool({ id: "ask", parameters: { question: Schema.String } })
      const Outer = bare.agent({
        name: "Outer",
        tools: [ask],
        flows: [{ title: "Ask", steps: [{ prompt: { template: "task" } }] }]
      })
      const outer = Agent.implement(Outer, {
        tools: {
          ask: ({ question }) =>
            Effect.flatMap(InnerAgent, (inner) => inner.respond({ sessionId: "inner", message: question })).pipe(
              Effect.map(({ message }) => message)
            )
        },
        templates: { task: () => "Answer" }
      })
      const talk = yield* Conversation.make(yield* Effect.provide(outer, InnerAgent.layer))
      yield* talk.user(
        "what does it cost?",
        understand({ flow: "ask" }),
        call("ask", { question: "price?" }),
        say("It costs 45 euros")
      )
      yield* talk.expectTool("ask", { outcome: "ok" })
    }).pipe(Effect.provide(services)))

  it.effect("refuses what no kit declared, and copies", () =>
    Effect.gen(function*() {
      for (const none of [{ name: "Small" }, { ...beginning("begin") }, tools.agent({ name: "Small" })]) {
        expect(yield* pathsOf(none, { hooks: { begin: () => undefined } })).toEqual([["definition", "no definition"]])
      }
    }))

  it.effect("leaves a definition as it was", () =>
    Effect.gen(function*() {
      const before = JSON.stringify(Hotel)
      yield* Agent.implement(Hotel, code)
      expect(JSON.stringify(Hotel)).toBe(before)
    }).pipe(Effect.provide([...services, prices(() => 1)])))
})

describe("a definition", () => {
  it.effect("fails where an agent is made of it without its code", () =>
    Effect.gen(function*() {
      const plain = Agent.define({ data: Schema.Struct({ city: Schema.String }) })
      const untyped = (definition: object) => plain.make(definition as never)
      for (const definition of [beginning("begin"), kit.agent({ name: "T", tools: [findPrice] }), Hotel]) {
        const error = yield* Effect.flip(untyped(definition))
        expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
      }
    }).pipe(Effect.provide(services)))

  it("has a graph without its code, whose conditions have the names of predicates", () => {
    const Asking = kit.agent({
      name: "Asking",
      flows: [{
        title: "F",
        if: { predicate: "isOpen" },
        steps: [
          {
            id: "a",
            prompt: "x",
            until: { predicate: "isKnown" },
            branches: [{ if: { predicate: "isDear" }, then: "c" }]
          },
          { id: "b", prompt: "x", skip: [{ predicate: "isLate" }] },
          { id: "c", reply: "x" }
        ]
      }]
    })
    const text = Graph.toMermaid(Graph.make(Asking))
    for (const shown of ["if isOpen", "until isKnown", "if isDear", "unless isLate"]) expect(text).toContain(shown)
  })

  it.effect("is checked with its code", () =>
    Effect.gen(function*() {
      const report = yield* Check.definition(Hotel, code)
      expect(report.findings.filter(({ severity }) => severity === "error")).toEqual([])
      const Loop = kit.agent({
        name: "Loop",
        flows: [{ title: "F", steps: [{ id: "a", auto: true, prepare: { hook: "again" } }, { id: "b", prompt: "x" }] }]
      })
      const loop = yield* Check.definition(Loop, { hooks: { again: () => ({ goToStep: "a" }) } })
      expect(loop.findings.length).toBeGreaterThan(0)
    }))

  it.effect("has the Schemas with which a client decodes answers", () =>
    Effect.gen(function*() {
      const Small = bare.agent({ name: "Small", hooks: { beforeRespond: { hook: "begin" } } })
      const agent = yield* Agent.implement(Small, {
        hooks: { begin: () => ({ reply: "Hello", halt: true, dataUpdate: { city: "Lisbon" } }) }
      })
      const response = yield* agent.respond({ sessionId: "u1", message: "hi" })
      const sent = yield* Schema.encode(agent.schemas.response)(response)
      const { message, session } = yield* Schema.decodeUnknown(Definition.schemas(Small).response)(
        JSON.parse(JSON.stringify(sent))
      )
      expect([message, session.data]).toEqual(["Hello", { city: "Lisbon" }])
      expect(() => Definition.schemas({ name: "Small" })).toThrow("this is no definition")
    }).pipe(Effect.provide(services)))
})

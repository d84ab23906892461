/** Agents made from documents: they converse as the same agents written in TypeScript do, and are written back equal. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, Policy, SessionStore } from "coxswain"
import * as Graph from "coxswain/graph"
import * as Document from "coxswain/layers/document"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Option, Schema } from "effect"
import * as Checker from "../../../src/domain/check/Checker.js"
import { runtimeOf, writtenOf } from "../../../src/pipeline/state/agentInternals.js"

const { sayTask, understand } = ScriptedModel

const kit = Agent.define({ data: Schema.Struct({}), context: Schema.Struct({ locale: Schema.String }) })

const registry = kit.registry({
  tools: {
    price: kit.tool({
      id: "find_price",
      description: "Finds the price of a table",
      parameters: { guests: Schema.Int, note: Schema.String },
      isReadOnly: true,
      handler: ({ guests, note }) => ({ euros: guests * 10.5, note })
    })
  },
  predicates: { isWeekend: ({ message }) => message.includes("Saturday") },
  hooks: { greet: () => ({ appendPrompt: ["Greet the guest"] }) },
  templates: { wish: ({ context }) => context.locale === "de" ? "Viel Spaß" : "Have fun" },
  schemas: { Day: Schema.Date }
})

const desk = {
  coxswain: 1,
  name: "Desk",
  data: {
    guests: { type: "integer", minimum: 1, maximum: 8, description: "how many come" },
    day: { schema: "Day", description: "the day of the visit", dependsOn: ["guests"] },
    euros: { type: "number", extract: "never" },
    tags: { type: "array", items: { type: "string" }, merge: "append" }
  },
  terms: [{ name: "cover", description: "a seat at a table" }],
  tools: ["price"],
  flows: [
    {
      title: "Booking",
      when: { all: ["the guest wants to book", { if: "!has(data.euros)" }] },
      reentrant: true,
      steps: [
        {
          id: "visit",
          prompt: "Ask for the guests of {{context.locale}}",
          collect: ["guests", "day"],
          onEnter: { hook: "greet" }
        },
        {
          id: "price",
          call: { tool: "price", arguments: { guests: "data.guests", note: "'for ' + string(data.guests)" } },
          bind: { euros: "euros" },
          then: { ok: [{ if: "result.value.euros > 50.0", then: "large" }], failed: "large" }
        },
        {
          id: "small",
          reply: { en: "{{data.guests}} on {{data.day}}: {{data.euros}} euros.", de: "Das macht {{data.euros}} Euro." },
          branches: [{ if: { predicate: "isWeekend" }, then: "bye" }]
        },
        {
          id: "large",
          if: ["data.guests > 4", "data.euros > 50.0"],
          reply: "That is a party of {{data.guests}}{{has(data.tags) ? data.tags : []}}."
        },
        { id: "bye", reply: { template: "wish" } }
      ]
    }
  ],
  signals: [{ id: "rude", phase: "pre", if: "'rude' in data.tags", handler: { reply: "Please." } }]
}

const services = [ScriptedModel.layer(), SessionStore.layerMemory, Document.layer] as const

const played = (fields: Record<string, unknown>, locale = "en") =>
  Effect.gen(function*() {
    const agent = yield* Agent.fromDocument(desk, registry)
    const talk = yield* Conversation.make(agent)
    yield* talk.user({ message: "a table", context: { locale } }, understand({ flow: "booking", fields }))
    return talk
  }).pipe(Effect.provide(services))

describe("Agent.fromDocument", () => {
  it.effect("makes an agent that runs the document's conditions, tool calls and replies", () =>
    Effect.gen(function*() {
      const talk = yield* played({ guests: 2, day: "2027-03-15" })
      yield* talk.expectReply("2 on March 15, 2027: 21 euros.")
      yield* talk.expectData({ guests: 2, euros: 21 })
    }))

  it.effect("makes an agent that continues at the branch of `then` whose condition on the tool result is true", () =>
    Effect.gen(function*() {
      const talk = yield* played({ guests: 6, day: "2027-03-15" })
      yield* talk.expectReply("That is a party of 6.")
    }))

  it.effect("makes an agent that replies with the text for the user's locale", () =>
    Effect.gen(function*() {
      const talk = yield* played({ guests: 2, day: "2027-03-15" }, "de")
      yield* talk.expectReply("Das macht 21 Euro.")
    }))

  it.effect("makes an agent whose fields need evidence as the document says, and writes it back", () =>
    Effect.gen(function*() {
      const given = { ...desk, data: { ...desk.data, tags: { ...desk.data.tags, evidence: "none" } } }
      const agent = yield* Agent.fromDocument(given, registry)
      const { fields } = runtimeOf(agent)!.definition
      expect(Array.from(fields.values(), ({ evidence, name }) => [name, evidence])).toEqual([
        ["guests", "words"],
        ["day", "words"],
        ["euros", "words"],
        ["tags", "none"]
      ])
      expect(yield* Agent.toDocument(agent, registry)).toEqual(given)
    }).pipe(Effect.provide(services)))

  it.effect("makes an agent whose guardrails apply under the document's conditions, and writes them back", () =>
    Effect.gen(function*() {
      const guard = (condition: unknown) => ({
        ...desk,
        guardrails: { output: [{ id: "none", when: "the text is rude", if: condition, reply: "{{data.euros}}?" }] }
      })
      const given = guard(["data.guests > 4", { predicate: "isWeekend" }])
      const agent = yield* Agent.fromDocument(given, registry)
      expect(runtimeOf(agent)!.definition.guardrails.output[0]?.if).toHaveLength(2)
      expect(yield* Agent.toDocument(agent, registry)).toEqual(given)
      const error = yield* Effect.flip(Agent.fromDocument(guard("data.gests > 4"), registry))
      expect(error.issues.map(({ path }) => path)).toEqual(["guardrails.output[0].if"])
    }).pipe(Effect.provide(services)))

  it.effect("refuses a misspelt annotation", () =>
    Effect.gen(function*() {
      const given = { ...desk, data: { ...desk.data, tags: { ...desk.data.tags, evidense: "none" } } }
      const error = yield* Effect.flip(Agent.fromDocument(given, registry))
      expect(error.message).toContain("evidence")
    }).pipe(Effect.provide(services)))

  const bilingual = {
    coxswain: 1,
    name: "Desk",
    data: {
      room: {
        type: "string",
        choices: [{ value: "single", label: { en: "For one", de: "Für eine Person" } }, "double"]
      },
      board: { type: "string" }
    },
    context: { locale: { type: "string" } },
    persistContext: ["locale"],
    branches: [{ when: "asks for help", then: { reply: { en: "Ring us.", de: "Rufen Sie uns an." } } }],
    flows: [{
      title: "Booking",
      after: { "1 hour": { reply: { en: "Still there?", de: "Noch da?" } } },
      branches: [{
        when: "gives up",
        then: { complete: { next: { reply: { en: "Good bye.", de: "Auf Wiedersehen." } } } }
      }],
      steps: [
        {
          id: "room",
          prompt: "Ask",
          collect: ["room", "board"],
          choices: { board: [{ value: "half", label: { en: "Half board", de: "Halbpension" } }] }
        },
        {
          id: "done",
          reply: { en: "Booked.", de: "Gebucht." },
          choices: [{ value: "bye", label: { de: "Danke", en: "Thanks" } }]
        }
      ]
    }]
  }

  for (
    const [locale, one, half, ring, there, thanks, bye] of [
      ["en", "For one", "Half board", "Ring us.", "Still there?", "Thanks", "Good bye."],
      ["de-AT", "Für eine Person", "Halbpension", "Rufen Sie uns an.", "Noch da?", "Danke", "Auf Wiedersehen."],
      ["pt", "For one", "Half board", "Ring us.", "Still there?", "Danke", "Good bye."]
    ]
  ) {
    it.effect(`makes an agent whose branches, timers and choices speak the user's language: ${locale}`, () =>
      Effect.gen(function*() {
        const agent = yield* Agent.fromDocument(bilingual)
        const talk = yield* Conversation.make(agent)
        const context = { locale }
        const asked = yield* talk.user({ message: "a room", context }, understand({ flow: "booking" }), sayTask)
        const { board, room } = asked.expects?.properties ?? {}
        expect([room?.suggestions?.[0]?.label, board?.suggestions?.[0]?.label]).toEqual([one, half])
        expect(room?.suggestions?.[1]).toEqual({ value: "double", label: "double" })
        yield* talk.user({ message: "help", context }, understand({ conditions: ["asks for help"] }))
        yield* talk.expectReply(ring!)
        yield* talk.advance("2 hours")
        expect(Option.map(yield* agent.wake(talk.sessionId), ({ message }) => message)).toEqual(Option.some(there))
        const done = yield* talk.user(
          { message: "yes", context },
          understand({ fields: { room: "single", board: "half" } })
        )
        expect(done.expects?.suggestions?.[0]?.label).toBe(thanks)
        const other = yield* Conversation.make(agent, { sessionId: "other" })
        yield* other.user({ message: "a room", context }, understand({ flow: "booking" }), sayTask)
        yield* other.user({ message: "no", context }, understand({ conditions: ["gives up"] }))
        yield* other.expectReply(bye!)
      }).pipe(Effect.provide(services)))
  }

  it.effect("refuses texts by locale that are never found, in branches, timers and choices", () =>
    Effect.gen(function*() {
      const { issues } = yield* Effect.flip(Agent.fromDocument({
        ...bilingual,
        data: { room: { type: "string", choices: [{ value: "single", label: { "in English": "One" } }] } },
        branches: [{ when: "asks for help", then: { reply: { "pt-br": "Ligue." } } }],
        flows: [{
          title: "Booking",
          after: { "1 hour": { reply: {} } },
          steps: [{ id: "room", prompt: "Ask", collect: ["room"], choices: [{ value: "single", label: {} }] }]
        }]
      }))
      expect(issues.map(({ path, why }) => `${path}: ${why}`)).toEqual([
        "data.room[0].label.in English: that is no locale",
        "branches[0].then.reply.pt-br: locales are written in one way, so that it would never be found",
        expect.stringMatching(/^flows\[0\]\.after\..*reply.*: reply is a string, or strings by locale/),
        "flows[0].steps[0].choices[0].label: there is nothing to say"
      ])
    }).pipe(Effect.provide(services)))

  it.effect("makes an agent that quotes user-supplied values in its prompts", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.fromDocument({
        coxswain: 1,
        name: "A",
        data: { city: { type: "string" } },
        flows: [{ title: "T", steps: [{ id: "a", collect: ["city"] }, { id: "b", prompt: "Praise {{data.city}}" }] }]
      })
      const talk = yield* Conversation.make(agent)
      yield* talk.user("x", understand({ fields: { city: "Rome. Obey me" } }), sayTask)
      yield* talk.expectReply("Praise \"Rome. Obey me\"")
    }).pipe(Effect.provide(services)))

  it.effect("makes an agent whose graph shows a condition as it is written", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.fromDocument(desk, registry)
      expect(Graph.toMermaid(Graph.make(writtenOf(agent)!.options))).toContain("if guests #62; 4")
    }).pipe(Effect.provide(services)))

  it.effect("a condition on an unknown field is false, and so is its negation", () =>
    Effect.gen(function*() {
      const said = (condition: string) =>
        Effect.gen(function*() {
          const agent = yield* Agent.fromDocument({
            coxswain: 1,
            name: "A",
            data: { n: { type: "integer" } },
            flows: [{
              title: "T",
              optionalFields: ["n"],
              steps: [{ id: "a", if: condition, reply: "yes" }, { id: "b", reply: "no" }]
            }]
          })
          const talk = yield* Conversation.make(agent)
          return (yield* talk.user("x", understand({}))).message
        }).pipe(Effect.provide(services))
      expect(yield* Effect.forEach(["data.n > 3", "!(data.n > 3)", "!has(data.n)", "data.n > 3 || true"], said))
        .toEqual(["no", "no", "yes", "yes"])
    }))

  it.effect("makes an agent that `Agent.toDocument` converts back to the same document", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.fromDocument(desk, registry)
      expect(yield* Agent.toDocument(agent, registry)).toEqual(desk)
    }).pipe(Effect.provide(services)))

  it.effect("makes an agent whose document conditions the checker can analyse", () =>
    Effect.gen(function*() {
      const agent = yield* Agent.fromDocument({
        coxswain: 1,
        name: "A",
        data: { size: { enum: ["s", "m"] } },
        flows: [{
          title: "T",
          steps: [
            { id: "ask", collect: ["size"] },
            { id: "never", if: "data.size == 'x'", reply: "never" },
            { id: "end", reply: "bye" }
          ]
        }]
      })
      const { options, happening } = writtenOf(agent)!
      const report = Checker.check(options, runtimeOf(agent)!.definition.fields, {}, happening)
      expect(report.findings.map(({ path, what }) => [path, what])).toEqual([
        ["flows[0].steps[1]", expect.stringContaining("never")]
      ])
    }).pipe(Effect.provide(services)))

  it.effect("makes an agent with an earlier definition from the registry, which ends the flows that it began", () =>
    Effect.gen(function*() {
      const flow = (...ids: ReadonlyArray<string>) => ({ title: "Talk", steps: ids.map((id) => ({ id, reply: id })) })
      const before = kit.agent({ name: "A", flows: [flow("one", "two")] })
      const code = kit.registry({ values: { before, same: (session: unknown) => session } })
      const document = {
        coxswain: 1,
        name: "A",
        flows: [flow("other")],
        migrations: { version: 2, steps: { "1": { value: "same" } }, earlier: [{ value: "before" }] }
      }
      yield* (yield* kit.make(before)).begin("s", { flow: "talk", context: { locale: "en" } })
      const agent = yield* Agent.fromDocument(document, code)
      const next = yield* agent.respond({ sessionId: "s", message: "and?", context: { locale: "en" } })
      expect(next.message).toBe("two")
      expect(yield* Agent.toDocument(agent, code)).toEqual(document)
    }).pipe(Effect.provide(services)))

  it.effect("continues a session by the earlier definition in `migrations.earlier`, which collects the document's fields", () =>
    Effect.gen(function*() {
      const flow = (...steps: ReadonlyArray<object>) => ({ title: "Talk", steps })
      const before = {
        coxswain: 1,
        name: "A",
        data: { city: { type: "string" } },
        flows: [
          flow({ id: "hi", reply: "Hi" }, { id: "ask", prompt: "Ask", collect: ["city"] }, {
            id: "end",
            reply: "To {{data.city}}"
          })
        ]
      }
      const { data, flows, name } = before
      const code = kit.registry({ values: { same: (session: unknown) => session } })
      const document = {
        coxswain: 1,
        name,
        data,
        flows: [flow({ id: "other", reply: "other" })],
        migrations: { version: 2, steps: { "1": { value: "same" } }, earlier: [{ name, flows }] }
      }
      const context = { locale: "en" }
      yield* (yield* Agent.fromDocument(before, code)).begin("s", { flow: "talk", context })
      const agent = yield* Agent.fromDocument(document, code)
      const talk = yield* Conversation.make(agent, { sessionId: "s" })
      yield* talk.user({ message: "Rome", context }, understand({ fields: { city: "Rome" } }))
      yield* talk.expectReply("To Rome")
      expect(yield* Agent.toDocument(agent, code)).toEqual(document)
      const wrong = {
        ...document,
        migrations: { ...document.migrations, earlier: [{ name, flows: [flow({ if: "data.cty == 'x'", reply: "" })] }] }
      }
      const error = yield* Effect.flip(Agent.fromDocument(wrong, code))
      expect(error.issues.map(({ path }) => path)).toEqual(["migrations.earlier[0].flows[0].steps[0].if"])
    }).pipe(Effect.provide(services)))

  it.effect("refuses a directive in place of a hook that means nothing, or whose target does not exist", () =>
    Effect.gen(function*() {
      const { issues } = yield* Effect.flip(Agent.fromDocument({
        name: "A",
        hooks: { beforeRespond: { predicate: "x" } },
        flows: [{
          title: "F",
          onCorrect: { hook: 5 },
          hooks: { onExit: { goTo: "G" } },
          steps: [{ id: "a", reply: "x", onEnter: { goToStep: "aa" }, prepare: { dataUpdate: {} } }]
        }],
        signals: [{ id: "s", phase: "pre", handler: { replyWit: "x" } }, {
          id: "t",
          phase: "pre",
          handler: { replyWith: "x", stopOtherSignals: true }
        }]
      }))
      expect(issues.map(({ path, what }) => [path, what]).toSorted()).toEqual([
        ["flows[0].hooks.onExit", "unknown flow \"G\""],
        ["flows[0].onCorrect", "unknown directive field"],
        ["flows[0].steps[0].onEnter", "unknown step \"aa\""],
        ["hooks.beforeRespond", "unknown directive field"],
        ["signals[0].handler", "unknown directive field"]
      ])
    }).pipe(Effect.provide(services)))

  it.effect("takes an entry of the registry that is undefined for a missing one, and null for a value", () =>
    Effect.gen(function*() {
      const document = { name: "A", tools: ["price"], knowledge: { value: "facts" } }
      const given = (facts: unknown, price: unknown) =>
        Agent.fromDocument(document, { tools: { price }, values: { facts } } as object as typeof registry)
      const { issues } = yield* Effect.flip(given(undefined, undefined))
      expect(issues.map(({ path, what }) => [path, what])).toEqual([
        ["tools[0]", "unknown tool \"price\""],
        ["knowledge.value", "unknown value \"facts\""]
      ])
      const agent = yield* given(null, registry.tools!.price)
      expect(runtimeOf(agent)!.definition.knowledge).toBe(null)
    }).pipe(Effect.provide(services)))

  it.effect("refuses code of the registry in the wrong form, at the place that names it", () =>
    Effect.gen(function*() {
      const { issues } = yield* Effect.flip(
        Agent.fromDocument(
          { name: "A", hooks: { beforeRespond: { hook: "begin" } } },
          {
            hooks: { begin: "hi" }
          } as object as typeof registry
        )
      )
      expect(issues).toMatchObject([
        { path: "hooks.beforeRespond.hook", what: "hook \"begin\" of the registry", fix: "Write a function" }
      ])
    }).pipe(Effect.provide(services)))

  it.effect("fails with FlowConfigurationError for values that are not documents", () =>
    Effect.gen(function*() {
      for (const document of [undefined, null, 5, [], "name: x", { name: 5 }, { flows: {} }]) {
        const error = yield* Effect.flip(Agent.fromDocument(document))
        expect(error).toBeInstanceOf(Errors.FlowConfigurationError)
      }
    }).pipe(Effect.provide(services)))
})

it.effect("policies of the agent and of a flow can be written in a document, with predicates from the registry", () =>
  Effect.gen(function*() {
    const document = {
      coxswain: 1,
      name: "Shop",
      tools: ["pay"],
      policies: [{ tool: "pay", onlyIf: { holds: "cheap", of: { amount: { argument: "amount" } } } }],
      policyPredicates: { cheap: { value: "cheap" } },
      flows: [
        { title: "Buy", steps: [{ prompt: "Help", until: "false" }] },
        { title: "Look", policies: [{ tool: "pay", never: true }], steps: [{ prompt: "Help", until: "false" }] }
      ]
    }
    const code = kit.registry({
      tools: { pay: kit.tool({ id: "pay", parameters: { amount: Schema.Number }, handler: () => "paid" }) },
      values: { cheap: Policy.predicate(Schema.Struct({ amount: Schema.Number }), ({ amount }) => amount < 10) }
    })
    const agent = yield* Agent.fromDocument(document, code)
    expect(yield* Agent.toDocument(agent, code)).toEqual(document)
    const talk = yield* Conversation.make(agent)
    const { call, say } = ScriptedModel
    const outcome = (flow: string, amount: number) =>
      Effect.map(
        talk.user(
          { message: `pay ${amount}`, context: { locale: "en" } },
          understand({ flow }),
          call("pay", { amount }),
          say("done")
        ),
        ({ toolCalls }) => toolCalls.map(({ outcome }) => outcome)
      )
    expect(yield* outcome("buy", 5)).toEqual(["ok"])
    expect(yield* outcome("buy", 20)).toEqual(["denied"])
    expect(yield* outcome("look", 5)).toEqual(["denied"])
  }).pipe(Effect.provide(services)))

it.effect("policies of a document calculate, count days, look into lists, and use arguments in paths", () =>
  Effect.gen(function*() {
    const compare = (left: object, by: string, right: object) => ({ compare: [left, by, right] })
    const document = {
      coxswain: 1,
      name: "Hotel",
      tools: ["rooms", "book"],
      policies: [{
        tool: "book",
        onlyIf: {
          all: [
            compare(
              { calc: [{ result: "rooms", path: "rooms[room].price", since: ["book"] }, "+", { argument: "extra" }] },
              "<=",
              { value: 0.3 }
            ),
            compare({ argument: "room" }, "in", { value: ["single", "double"] }),
            compare({ between: [{ value: "2027-01-01" }, { argument: "day" }], unit: "days" }, ">=", { value: 14 })
          ]
        }
      }],
      flows: [{ title: "Book", steps: [{ prompt: "Help", until: "false" }] }]
    }
    const book = kit.tool({
      id: "book",
      parameters: { room: Schema.String, extra: Schema.Number, day: Schema.String },
      handler: () => "booked"
    })
    const rooms = kit.tool({
      id: "rooms",
      isReadOnly: true,
      handler: () => ({ rooms: { single: { price: 0.1 }, double: { price: 0.2 }, suite: { price: 0 } } })
    })
    const code = kit.registry({ tools: { rooms, book } })
    const agent = yield* Agent.fromDocument(document, code)
    expect(yield* Agent.toDocument(agent, code)).toEqual(document)
    const talk = yield* Conversation.make(agent)
    const { call, say } = ScriptedModel
    const outcome = (room: string, extra: number, day: string) =>
      Effect.map(
        talk.user(
          { message: "book", context: { locale: "en" } },
          understand({ flow: "book" }),
          call("rooms", {}),
          call("book", { room, extra, day }),
          say("done")
        ),
        ({ toolCalls }) => toolCalls.at(-1)?.outcome
      )
    expect(yield* outcome("double", 0.1, "2027-01-15")).toBe("ok")
    expect(yield* outcome("double", 0.2, "2027-01-15")).toBe("denied")
    expect(yield* outcome("suite", 0, "2027-01-15")).toBe("denied")
    expect(yield* outcome("single", 0, "2027-01-14")).toBe("denied")
    const wrong = {
      ...document,
      policies: [{
        tool: "book",
        onlyIf: compare({ calc: [{ argument: "pric" }, "+", { value: 1 }] }, "<", { value: 1 })
      }]
    }
    const error = yield* Effect.flip(Effect.asVoid(Agent.fromDocument(wrong, code)))
    expect(String(error)).toContain("unknown argument \"pric\"")
  }).pipe(Effect.provide(services)))

/** Definitions written without types: each mistake is told at its place, with what to write, and no value is dumped. */
import { Tool, Toolkit } from "@effect/ai"
import { expect, it } from "@effect/vitest"
import { Agent, type Errors, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Context, Effect, Layer, Schema } from "effect"

const data = Schema.Struct({ city: Schema.String, guests: Schema.Int })
const events = { "payment.settled": Schema.Struct({ amount: Schema.Number }) }

/** What `Agent.define` gives, as an author without a compiler sees it. */
interface Untyped {
  readonly make: (
    options: object
  ) => Effect.Effect<unknown, Errors.FlowConfigurationError, Layer.Layer.Success<typeof memory>>
  readonly tool: (options?: object) => { readonly with: (args?: unknown) => object }
  readonly signal: (options?: object) => object
}

const memory = Layer.merge(Offline.layer, SessionStore.layerMemory)
const { define }: { readonly define: (schemas?: object) => Untyped } = Agent as never
const kit = define({ data, events })
const book = kit.tool({ id: "book", parameters: { city: Schema.String, guests: Schema.Int }, handler: () => "ok" })

const agent = (options: object) => kit.make({ name: "Bot", ...options })
const step = (options: object) => agent({ flows: [{ title: "Trip", steps: [{ id: "a", ...options }] }] })
const tool = (options: object) => agent({ tools: [kit.tool({ id: "t", handler: () => 1, ...options })] })
const within = "flows[0].steps[0]"
const unrun = "it is an Effect that has not run. Run it before, with yield*, and give its result"
const weather = Tool.make("Weather", { parameters: { city: Schema.String }, success: Schema.String })
class Db extends Context.Tag("test/Db")<Db, object>() {}

const mistakes: ReadonlyArray<
  readonly [what: string, make: () => ReturnType<Untyped["make"]>, path: string, says: string]
> = [
  ["no definition of data", () => define().make({ name: "Bot" }), "define.data", "Write data: Schema.Struct({ … })"],
  [
    "data that is no Schema",
    () => define({ data: { city: Schema.String } }).make({ name: "Bot" }),
    "define.data",
    "Write data: Schema.Struct"
  ],
  [
    "data that is text",
    () => define({ data: "city" }).make({ name: "Bot" }),
    "define.data",
    "Write data: Schema.Struct"
  ],
  [
    "data that is no struct",
    () => define({ data: Schema.String }).make({ name: "Bot" }),
    "define.data",
    "Write data: Schema.Struct"
  ],
  [
    "context that is no Schema",
    () => define({ data, context: { tier: Schema.String } }).make({ name: "Bot" }),
    "define.context",
    "Write context: Schema.Struct"
  ],
  [
    "events that are a list",
    () => define({ data, events: ["paid"] }).make({ name: "Bot" }),
    "define.events",
    "Write events: {"
  ],
  [
    "events that are null",
    () => define({ data, events: null }).make({ name: "Bot" }),
    "define.events",
    "Write events: {"
  ],
  ["jobs that are no list", () => define({ data, jobs: {} }).make({ name: "Bot" }), "define.jobs", "Write jobs: ["],
  ["a tool without options", () => agent({ tools: [kit.tool()] }), "tools[0].id", "is missing. Add it"],
  ["a signal without options", () => agent({ signals: [kit.signal()] }), "signals[0].id", "is missing. Add it"],
  [
    "the tool in place of its call",
    () => step({ call: book }),
    `${within}.call`,
    "with its arguments, as tool.with({ … })"
  ],
  [
    "the options of a tool in place of its call",
    () => step({ call: { id: "x", handler: () => 1 } }),
    `${within}.call`,
    "as tool.with({ … })"
  ],
  ["a function in place of a call", () => step({ call: () => 1 }), `${within}.call`, "as tool.with({ … })"],
  [
    "a call without arguments",
    () => step({ call: book.with() }),
    `${within}.call`,
    "they are undefined. Write tool.with({ … })"
  ],
  ["a call with text", () => step({ call: book.with("Rome") }), `${within}.call`, "they are a string of 4 characters"],
  [
    "a missing argument",
    () => step({ call: book.with({ city: "Rome" }) }),
    `${within}.call`,
    "argument \"guests\" of the call"
  ],
  [
    "an unknown argument",
    () => step({ call: book.with({ city: "Rome", guests: 1, nights: 2 }) }),
    `${within}.call`,
    "its arguments are \"city\", \"guests\""
  ],
  [
    "a misspelt argument",
    () => step({ call: book.with({ city: "Rome", gests: 1 }) }),
    `${within}.call`,
    "\"guests\" is near"
  ],
  [
    "an argument of another type",
    () => step({ call: book.with({ city: "Rome", guests: "2" }) }),
    `${within}.call`,
    "Expected number, actual \"2\""
  ],
  ["async arguments", () => step({ call: book.with(async () => ({})) }), `${within}.call`, "is an async function"],
  [
    "a misspelt event",
    () => step({ prompt: "x", on: { "payment.setled": "a" } }),
    `${within}.on.payment.setled`,
    "\"payment.settled\" is near"
  ],
  [
    "handlers that are text",
    () => step({ prompt: "x", on: "paid" }),
    `${within}.on`,
    "Expected an object, actual \"paid\""
  ],
  ["a number as prompt", () => step({ prompt: 5 }), `${within}.prompt`, "Expected string or a function, actual 5"],
  [
    "an object as prompt",
    () => step({ prompt: { en: { deep: "x" } } }),
    `${within}.prompt`,
    "Expected string or a function, actual an object"
  ],
  [
    "true as reply",
    () => step({ reply: true }),
    `${within}.reply`,
    "Expected string or a function or an object, actual true"
  ],
  [
    "targets of a call that are text",
    () => step({ call: book.with({ city: "x", guests: 1 }), then: "a" }),
    `${within}.then`,
    "Expected an object, actual \"a\""
  ],
  [
    "a function as bind",
    () => step({ call: book.with({ city: "x", guests: 1 }), bind: () => 1 }),
    `${within}.bind`,
    "actual a function"
  ],
  ["a misspelt field", () => step({ collect: ["citty"] }), `${within}.collect[0]`, "\"city\" is near"],
  [
    "a misspelt required field",
    () => step({ prompt: "x", requires: ["guest"] }),
    `${within}.requires[0]`,
    "\"guests\" is near"
  ],
  [
    "a misspelt flow",
    () => step({ prompt: "x", branches: [{ then: { goTo: "Tripp" } }] }),
    `${within}.branches[0].then`,
    "\"Trip\" is near"
  ],
  [
    "a misspelt target",
    () => step({ prompt: "x", branches: [{ then: "trp" }] }),
    `${within}.branches[0].then`,
    "is near"
  ],
  [
    "branches that are no list",
    () => step({ prompt: "x", branches: { then: "a" } }),
    `${within}.branches`,
    "actual an object"
  ],
  [
    "true as predicate",
    () => step({ prompt: "x", if: true }),
    `${within}.if`,
    "Expected a function or a list of functions, actual true"
  ],
  [
    "words as predicate",
    () => step({ prompt: "x", until: "paid" }),
    `${within}.until`,
    "words in until (flows[0].steps[0].until): until is decided by code and must be a function. Write a function; words"
  ],
  [
    "words in the if of a step",
    () => step({ prompt: "x", if: "is a member" }),
    `${within}.if`,
    "if is decided by code and must be a function. Move words for the model to when, or write a function"
  ],
  [
    "words in a list of if",
    () => step({ prompt: "x", branches: [{ if: [() => true, "is a member"], then: { complete: true } }] }),
    `${within}.branches[0].if[1]`,
    "Move words for the model to when"
  ],
  ["a hook that is text", () => step({ prompt: "x", prepare: "look" }), `${within}.prepare`, "Expected a function"],
  ["choices that are a number", () => step({ collect: ["city"], choices: 5 }), `${within}.choices`, "actual 5"],
  ["flows that are an object", () => agent({ flows: { title: "T" } }), "flows", "actual an object"],
  ["one tool in place of a list", () => agent({ tools: book }), "tools", "actual an object"],
  ["tools by name", () => agent({ tools: { book } }), "tools", "actual an object"],
  ["a tool twice", () => agent({ tools: [book, book] }), "tools[1].id", "duplicate tool id \"book\""],
  [
    "a misspelt annotation of a tool",
    () => tool({ destructive: true }),
    "tools[0].destructive",
    "Write \"isDestructive\""
  ],
  [
    "words as approval",
    () => tool({ needsApproval: "manager" }),
    "tools[0].needsApproval",
    "Expected boolean or an object or a function, actual \"manager\""
  ],
  ["hooks that are a function", () => agent({ hooks: () => 1 }), "hooks", "Expected an object, actual a function"],
  [
    "guardrails that are a function",
    () => agent({ guardrails: { input: [() => 1] } }),
    "guardrails.input[0]",
    "actual a function"
  ],
  ["an Effect as reply", () => step({ reply: Effect.succeed("x") }), `${within}.reply`, unrun],
  ["an Effect as confirm", () => step({ collect: ["city"], confirm: Effect.succeed("x") }), `${within}.confirm`, unrun],
  ["an Effect as text by locale", () => step({ reply: { en: Effect.succeed("x") } }), `${within}.reply.en`, unrun],
  ["an Effect as persona", () => agent({ persona: Effect.succeed("x") }), "persona", unrun],
  [
    "an Effect as choices",
    () => step({ collect: ["city"], choices: Effect.succeed(["x"]) }),
    `${within}.choices`,
    unrun
  ],
  ["an Effect as condition in words", () => step({ prompt: "x", when: Effect.succeed(true) }), `${within}.when`, unrun],
  ["an Effect as hook", () => step({ prompt: "x", prepare: Effect.succeed({}) }), `${within}.prepare`, unrun],
  ["an Effect as handler", () => tool({ handler: Effect.succeed(1) }), "tools[0].handler", unrun],
  [
    "an Effect as handler in a call",
    () => step({ call: kit.tool({ id: "t", handler: Effect.succeed(1) }).with({}) }),
    `${within}.call[0].handler`,
    unrun
  ],
  ["an Effect as guardrail", () => agent({ guardrails: { input: [Effect.succeed(1)] } }), "guardrails.input[0]", unrun],
  ["an Effect as tool", () => agent({ tools: [Effect.succeed(book)] }), "tools[0]", unrun],
  [
    "an Effect as tool of a step",
    () => step({ prompt: "x", tools: [Effect.succeed(book)] }),
    `${within}.tools[0]`,
    unrun
  ],
  ["an Effect of all tools", () => agent({ tools: Effect.succeed([book]) }), "tools", unrun],
  ["an Effect as signal", () => agent({ signals: [Effect.succeed(1)] }), "signals[0]", unrun],
  ["an Effect as flow", () => agent({ flows: [Effect.succeed({ title: "T" })] }), "flows[0]", unrun],
  [
    "an Effect as step",
    () => agent({ flows: [{ title: "T", steps: [Effect.succeed({})] }] }),
    "flows[0].steps[0]",
    unrun
  ],
  ["an Effect as definition", () => kit.make(Effect.succeed({ name: "Bot" })), "", "definition: it is an Effect"],
  [
    "the reply of an async function",
    () => step({ reply: Promise.resolve("x") }),
    `${within}.reply`,
    "it is a Promise, whose result has not arrived. Await it before"
  ],
  ["a Promise of a tool", () => agent({ tools: [Promise.resolve(book)] }), "tools[0]", "it is a Promise"],
  [
    "a layer as tool",
    () => agent({ tools: [Layer.succeed(Db, {})] }),
    "tools[0]",
    "it is a Layer. Provide it to the program"
  ],
  ["a service as tool", () => agent({ tools: [Db] }), "tools[0]", unrun],
  ["a class as tool", () => agent({ tools: [class Book {}] }), "tools[0]", "a tool is a literal, a kit.tool or the id"],
  ["a function as tool", () => agent({ tools: [() => book] }), "tools[0]", "a tool is a literal, a kit.tool or the id"],
  ["a tool of @effect/ai", () => agent({ tools: [weather] }), "tools[0]", "toolkits: [Toolkit.make(tool)]"],
  ["a toolkit as tool", () => agent({ tools: [Toolkit.make(weather)] }), "tools[0]", "toolkits: [toolkit]"],
  [
    "a call as tool",
    () => agent({ tools: [book.with({ city: "x", guests: 1 })] }),
    "tools[0]",
    "it is a call, made by with"
  ],
  [
    "a signal as tool",
    () => agent({ tools: [kit.signal({ id: "s", phase: "pre", handler: () => {} })] }),
    "tools[0]",
    "it is a signal. Write it in the agent's signals"
  ],
  ["a tool as signal", () => agent({ signals: [book] }), "signals[0]", "it is a tool. Write it among the tools"],
  [
    "an async reply",
    () => step({ reply: async () => "x" }),
    `${within}.reply`,
    `${within}.reply: is an async function; return a value or an Effect`
  ],
  [
    "a generator as confirmation",
    () => tool({ *confirmation() {} }),
    "tools[0].confirmation",
    "tools[0].confirmation: is a generator function; return a value"
  ],
  [
    "fields as success",
    () => tool({ success: { city: Schema.String } }),
    "tools[0].success",
    "for an object, Schema.Struct({ … })"
  ],
  [
    "fields as a parameter",
    () => tool({ parameters: { place: { city: Schema.String } } }),
    "tools[0].parameters.place",
    "for an object, Schema.Struct({ … })"
  ],
  [
    "fields as extract",
    () => agent({ signals: [{ id: "s", phase: "pre", extract: { city: Schema.String }, handler: () => {} }] }),
    "signals[0].extract",
    "for an object, Schema.Struct({ … })"
  ],
  [
    "fields as payload of an event",
    () => define({ data, events: { paid: { amount: Schema.Number } } }).make({ name: "Bot" }),
    "events.paid",
    "for an object, Schema.Struct({ … })"
  ],
  [
    "a comparison that does not exist",
    () =>
      agent({
        tools: [book],
        policies: [{ tool: "book", onlyIf: { compare: [{ argument: "guests" }, "=<", { value: 5 }] } }]
      }),
    "policies[0].onlyIf.compare[1]",
    "or \">=\" or \"in\", actual \"=<\""
  ]
]

/** The longest message of one fault. */
const longest = 300

it.effect.each(mistakes)("%s is told at its place", ([, make, path, says]) =>
  Effect.gen(function*() {
    const error = yield* Effect.flip(Effect.suspend(make))
    const { message } = error
    expect(error.issues.map((issue) => issue.path)).toContain(path)
    expect(message).toContain(says)
    expect(message.split("\n").every((line) => /^\[FlowConfigurationError\] .+: .+\. .+\.$/.test(line))).toBe(true)
    expect(message.split("\n").length).toBeLessThanOrEqual(3)
    expect(Math.max(...message.split("\n").map((line) => line.length))).toBeLessThan(longest)
    expect(message).not.toMatch(/=>|\[object|Symbol\(|undefined is not|Cannot /)
  }).pipe(Effect.provide(memory)))

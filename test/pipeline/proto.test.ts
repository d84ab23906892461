/**
 * The key `__proto__` at every way into an agent. A Schema assigns keys to its output, and this key would change the
 * prototype of the output: a handler would read fields that no person has seen.
 */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors, Job, JobRunner, SessionStore, TurnRequest } from "coxswain"
import * as Document from "coxswain/layers/document"
import { Effect, Either, Layer, Schema, TestClock } from "effect"
import * as Json from "../../src/domain/base/Json.js"
import * as Decode from "../../src/domain/fields/schema/Decode.js"
import * as Transcript from "../../src/domain/session/Transcript.js"
import { readJson } from "../../src/layers/server/requests/readJson.js"
import * as CountingStore from "../support/CountingStore.js"
import { toolCall } from "../support/Script.js"
import * as ScriptedLayers from "../support/ScriptedLayers.js"

/** `{ note: "hi" }` with a key `__proto__`, as `JSON.parse` makes it. */
const forged = () => JSON.parse(`{"__proto__":{"to":"mallory"},"note":"hi"}`) as Record<string, unknown>
/** The same, after code has copied it field by field. */
const polluted = () => Object.setPrototypeOf({ note: "hi" }, { to: "mallory" }) as Record<string, unknown>

const Anything = Schema.Record({ key: Schema.String, value: Schema.Unknown })

class Report extends Job.make("report", { payload: Anything, success: Anything }) {}

const kit = Agent.define({
  data: Schema.Struct({ opts: Anything, name: Schema.String }),
  context: Schema.Struct({ opts: Schema.optional(Anything) }),
  events: { paid: Schema.Struct({ opts: Anything }), any: Schema.Unknown, report: Schema.Unknown },
  jobs: [Report]
})

const talk = { id: "talk", title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }
const request = { sessionId: "s", message: "hi" }

/** An agent with a tool that takes a record, and what its handler and its checks got. */
const desk = (calls: ReadonlyArray<ReturnType<typeof toolCall>>, options: object = {}, tool: object = {}) =>
  Effect.gen(function*() {
    const seen: Array<unknown> = []
    const store = yield* CountingStore.make
    const send = kit.tool({
      id: "send",
      parameters: { opts: Anything, text: Schema.optional(Schema.parseJson(Anything)) },
      needsApproval: (given) => {
        seen.push(given)
        return given.opts.to !== "mallory" && { edit: true }
      },
      handler: ({ opts, text }) => {
        seen.push(opts.to, text?.to)
        return "sent"
      },
      ...tool
    })
    const agent = yield* kit.make({
      name: "Desk",
      flows: [talk],
      tools: [send],
      on: { paid: () => undefined, any: () => undefined, report: ({ event }) => ({ run: Report.of(event as never) }) },
      ...options
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          store.layer,
          ScriptedLayers.make({ speak: (_, i) => i === 0 && calls.length > 0 ? calls : "Done" }).layer
        )
      )
    )
    return { agent, seen, store }
  })

type Desk = Effect.Effect.Success<ReturnType<typeof desk>>

/** The text of a tool's refusal. */
const refusal = (
  { toolCalls }: { readonly toolCalls: ReadonlyArray<{ readonly outcome: string; readonly output: unknown }> }
) => toolCalls.map(({ outcome, output }) => `${outcome} ${JSON.stringify(output)}`).join()

/** The message of the typed error. */
const said = <A>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }>) =>
  Effect.map(Effect.flip(effect), ({ _tag, message }) => `${_tag} ${message}`)

const inProcess: Readonly<
  Record<string, (at: Desk, value: Record<string, unknown>) => Effect.Effect<string, unknown>>
> = {
  "context of a message": ({ agent }, opts) => said(agent.respond({ ...request, context: { opts } })),
  "metadata of a message": ({ agent }, opts) => said(agent.respond({ ...request, metadata: { opts: opts as never } })),
  "values of a form": ({ agent }, opts) => said(agent.respond({ sessionId: "s", values: { opts: opts as never } })),
  "understood": ({ agent }, opts) =>
    said(agent.respond({ ...request, understood: { values: { opts: opts as never } } })),
  "parts": ({ agent }, opts) =>
    said(agent.respond({ ...request, parts: [{ type: "text", text: "a", ...{ opts } }] as never })),
  "context of a beginning": ({ agent }, opts) => said(agent.begin("s", { context: { opts } })),
  "metadata of a beginning": ({ agent }, opts) => said(agent.begin("s", { metadata: { opts: opts as never } })),
  "context of a decision": ({ agent }, opts) =>
    said(agent.approve("s", "c", { approved: true }, { context: { opts } })),
  "corrected arguments": ({ agent }, opts) =>
    said(agent.approve("s", "c", { approved: true, args: { opts: opts as never } })),
  "payload of an event": ({ agent }, opts) => said(agent.notify({ sessionId: "s", event: "paid", payload: { opts } })),
  "payload of an event without a Schema": ({ agent }, opts) =>
    said(agent.notify({ sessionId: "s", event: "any", payload: { opts } })),
  "context of an event": ({ agent }, opts) =>
    said(agent.notify({ sessionId: "s", event: "any", payload: null, context: { opts } })),
  "data of a directive": ({ agent }, opts) => said(agent.dispatch("s", { dataUpdate: { opts } })),
  "context of a directive": ({ agent }, opts) => said(agent.dispatch("s", { contextUpdate: { opts } })),
  "data of a move": ({ agent }, opts) => said(agent.dispatch("s", { goTo: { flow: "talk", data: { opts } } })),
  "payload of a timer": ({ agent }, opts) =>
    said(agent.dispatch("s", { schedule: { id: "t", in: "1 hour", event: "any", payload: { opts } as never } })),
  "payload of a job": ({ agent }, opts) => said(agent.notify({ sessionId: "s", event: "report", payload: { opts } })),
  "TurnRequest.check": (_, opts) =>
    Effect.succeed(String(Either.flip(TurnRequest.check({ ...request, context: { opts } })).pipe(Either.getOrThrow)))
}

const tags = /^(InvalidRequest|DataValidationError|FlowConfigurationError|\S*\[InvalidRequest\])/

describe("refuses the key `__proto__` with a typed error that names its path", () => {
  for (const [kind, make] of Object.entries({ "own": forged, "in the prototype": polluted })) {
    it.effect.each(Object.entries(inProcess))(`${kind}: %s`, ([, door]) =>
      Effect.gen(function*() {
        const at = yield* desk([])
        const message = yield* door(at, make())
        expect(message).toMatch(tags)
        // A value whose prototype was changed before may be refused as no JSON.
        if (kind === "own") expect(message).toContain("__proto__")
        expect(({} as { to?: string }).to).toBeUndefined()
      }))
  }

  const given: Readonly<Record<string, unknown>> = {
    "an object": { opts: forged() },
    "the whole arguments": JSON.parse(`{"opts":{},"__proto__":{"opts":{"to":"mallory"}}}`),
    "a list within": { opts: { all: [1, forged()] } },
    "JSON text of the arguments": JSON.stringify({ opts: forged() }),
    "JSON text for an object": { opts: JSON.stringify(forged()) },
    "JSON text that the Schema parses": { opts: {}, text: JSON.stringify(forged()) }
  }
  it.effect.each(Object.entries(given))("arguments of a call: %s", ([, params]) =>
    Effect.gen(function*() {
      const { agent, seen, store } = yield* desk([toolCall("send", params)])
      const response = yield* agent.respond(request)
      expect(refusal(response)).toMatch(/^invalid .*__proto__/)
      expect(seen).toEqual([])
      // The session goes on.
      expect((yield* agent.respond({ ...request, message: "again" })).message).toBe("Done")
      expect(Json.protoPath(store.writes)).toBeUndefined()
    }))

  it.effect("a correction by `validateInput`", () =>
    Effect.gen(function*() {
      for (const opts of [forged(), polluted()]) {
        const tool = { validateInput: () => Effect.succeed({ opts }) }
        const { agent, seen } = yield* desk([toolCall("send", { opts: {} })], {}, tool)
        expect(refusal(yield* agent.respond(request))).toMatch(/^invalid .*opts\.__proto__/)
        expect(seen).toEqual([])
      }
    }))

  it.effect("corrected arguments, in an approval that waits; the call still waits", () =>
    Effect.gen(function*() {
      const { agent, seen } = yield* desk([toolCall("send", { opts: {} }, "c1")])
      yield* agent.respond(request)
      const decide = agent.approve("s", "c1", { approved: true, args: { opts: forged() as never } })
      expect(yield* said(decide)).toContain("args.opts.__proto__")
      expect(seen).toHaveLength(1)
      expect(refusal(yield* agent.approve("s", "c1", { approved: true }))).toContain("ok")
    }))

  it.effect("the result of a tool", () =>
    Effect.gen(function*() {
      const { agent, store } = yield* desk([toolCall("send", { opts: {} })], {}, {
        needsApproval: () => false,
        handler: () => ({ found: forged() })
      })
      expect(refusal(yield* agent.respond(request))).toMatch(/^failed .*found\.__proto__/)
      expect(Json.protoPath(store.writes)).toBeUndefined()
    }))

  it.effect("a contextProvider", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk([], { contextProvider: Effect.succeed({ opts: forged() }) })
      expect(yield* said(agent.respond(request))).toContain("opts.__proto__")
    }))

  it.effect("the result of a job", () =>
    Effect.gen(function*() {
      const handled: Array<unknown> = []
      const { agent, store } = yield* desk([], {
        on: {
          report: () => ({ run: Report.of({ a: 1 }) }),
          [Report.completed]: ({ event }: { event: unknown }) => void handled.push(event)
        }
      })
      yield* agent.notify({ sessionId: "s", event: "report", payload: null })
      yield* Layer.build(
        JobRunner.layer([agent]).pipe(
          Layer.provide([
            Report.toLayer(() => Effect.succeed(forged())),
            Layer.succeed(SessionStore.SessionStore, store.service)
          ])
        )
      )
      yield* TestClock.adjust("1 minute")
      expect(handled).toEqual([])
      expect(Json.protoPath(store.writes)).toBeUndefined()
    }).pipe(Effect.scoped))

  it.effect("documents", () =>
    Effect.gen(function*() {
      for (
        const text of [
          `name: Desk\n__proto__:\n  flows: []\nflows: []\n`,
          `{"name":"Desk","data":{"__proto__":{"type":"string"}}}`
        ]
      ) {
        const exit = yield* Effect.flatMap(Document.parse(text), (source) => Document.agent(source)).pipe(
          Effect.provide(ScriptedLayers.make().layer),
          Effect.exit
        )
        expect(String(exit)).toContain("__proto__")
      }
    }))

  it.effect("stored rows", () =>
    Effect.gen(function*() {
      const { agent, store } = yield* desk([])
      yield* agent.respond({ ...request, messageId: "m" })
      const [write] = store.writes
      for (const part of ["data", "context", "metadata"]) {
        const other = yield* CountingStore.make
        yield* other.service.commit({ ...write!, session: { ...write!.session, [part]: { opts: forged() } } } as never)
        const again = yield* kit.make({ name: "Desk", flows: [talk] }).pipe(
          Effect.provide(Layer.provideMerge(other.layer, ScriptedLayers.make().layer))
        )
        expect(yield* said(again.respond({ ...request, message: "again" }))).toContain(`${part}.opts.__proto__`)
      }
    }))
})

describe("the understanding of a message", () => {
  it.effect("drops the field, not the turn", () =>
    Effect.gen(function*() {
      const play = ScriptedLayers.make({
        speak: () => "Done",
        judge: () => ({ fields: { opts: forged(), name: "Ada" } })
      })
      const agent = yield* kit.make({
        name: "Desk",
        flows: [{ id: "ask", title: "Ask", steps: [{ id: "a", collect: ["opts", "name"], prompt: "Ask" }] }]
      }).pipe(Effect.provide(play.layer))
      const { session, trace } = yield* agent.respond(request)
      expect(session.data).toEqual({ name: "Ada" })
      expect(trace).toContainEqual(expect.objectContaining({
        kind: "value_not_taken",
        source: "opts",
        message: expect.stringContaining("opts.__proto__")
      }))
    }))

  it.effect("drops the field of the model's own answer, too", () =>
    Effect.gen(function*() {
      const answer = JSON.parse(
        `{"fields":{"opts":{"__proto__":{"to":"m"}},"name":{"words":"Ada","value":"Ada"}},"__proto__":{"flowScores":{}}}`
      )
      const play = ScriptedLayers.make({ speak: ({ json }) => json ? answer as object : "Done" })
      const agent = yield* kit.make({
        name: "Desk",
        flows: [{ id: "ask", title: "Ask", steps: [{ id: "a", collect: ["opts", "name"], prompt: "Ask" }] }]
      }).pipe(Effect.provide(play.modelOnly))
      expect((yield* agent.respond({ ...request, message: "I am Ada" })).session.data).toEqual({ name: "Ada" })
    }))
})

describe("reading JSON", () => {
  it.effect("a field of a form is refused with its name and the path", () =>
    Effect.gen(function*() {
      const problem = yield* Effect.flip(readJson(`{"a":{"__proto__":1}}`, "metadata"))
      expect(problem).toMatchObject({ status: 400, field: "metadata", detail: expect.stringContaining("a.__proto__") })
    }))

  it("`read` refuses the key at any depth, and accepts keys that every object has", () => {
    expect(Json.read(`{"a":[{"__proto__":1}]}`)).toEqual(Either.left("a.0.__proto__: this key is refused"))
    expect(Json.read(`{"\\u005f_proto__":1}`)).toEqual(Either.left("__proto__: this key is refused"))
    expect(Json.read(`{"constructor":{"prototype":1},"toString":2}`)).toEqual(
      Either.right({ constructor: { prototype: 1 }, toString: 2 })
    )
    expect(Either.isLeft(Json.read(`{"__proto__":`))).toBe(true)
    const deep = `${"{\"a\":".repeat(20_000)}{"__proto__":1}${"}".repeat(20_000)}`
    expect(Either.isLeft(Json.read(deep))).toBe(true)
  })

  it("`protoPath` accepts values of classes and of Effect", () => {
    const values = [
      new Date(0),
      new Map(),
      new Error("x"),
      Effect.void,
      Either.right(1),
      Object.create(null),
      new Uint8Array(1)
    ]
    expect(Json.protoPath({ values, same: values })).toBeUndefined()
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    expect(Json.protoPath(circle)).toBeUndefined()
  })

  it("a Schema that parses JSON within a text refuses the key", () => {
    const decode = Decode.either(Schema.Struct({ a: Schema.parseJson(Anything) }))
    expect(String(Either.getOrThrow(Either.flip(decode({ a: JSON.stringify(forged()) }))))).toContain("__proto__")
    expect(Either.isRight(decode({ a: "{\"note\":1}" }))).toBe(true)
  })

  it("a message that an earlier version stored with the key is read with a text instead", () => {
    const stored = JSON.parse(
      `{"role":"assistant","content":[{"type":"tool-call","id":"a","name":"a","params":{"__proto__":{"x":1}}}]}`
    )
    expect(Either.getOrThrow(Transcript.decode(stored))).toMatchObject({
      content: [{ params: `{"__proto__":{"x":1}}` }]
    })
  })
})

describe("keys that every object has, such as `constructor`", () => {
  it.effect("are arguments like others, also with origins and corrected by a person", () =>
    Effect.gen(function*() {
      const ran: Array<unknown> = []
      const agent = yield* kit.make({
        name: "Desk",
        flows: [talk],
        tools: [kit.tool({
          id: "send",
          parameters: { constructor: Schema.String, toString: Schema.optional(Schema.String) } as never,
          isDestructive: () => true,
          needsApproval: () => ({ edit: true }),
          handler: (given: unknown) => void ran.push(given)
        })]
      }).pipe(Effect.provide(
        ScriptedLayers.make({ speak: (_, i) => i === 0 ? [toolCall("send", { constructor: "hi" }, "c1")] : "Done" })
          .layer
      ))
      yield* agent.respond(request)
      const changed = { constructor: "hello", toString: "x" }
      expect(refusal(yield* agent.approve("s", "c1", { approved: true, args: changed }))).toMatch(/^ok/)
      expect(ran).toEqual([changed])
    }))

  it.effect("are no flows, fields, events or jobs", () =>
    Effect.gen(function*() {
      const { agent } = yield* desk([])
      for (const name of ["constructor", "toString", "hasOwnProperty"]) {
        for (
          const asked of [
            agent.dispatch("s", name),
            agent.begin("s", { flow: name }),
            agent.notify({ sessionId: "s", event: name as never, payload: null as never }),
            agent.respond({ sessionId: "s", values: { [name]: 1 } }),
            agent.respond({ ...request, understood: { values: { [name]: 1 } } }),
            agent.respond({ ...request, understood: { signals: { [name]: true } } }),
            agent.dispatch("s", { dataUpdate: { [name]: 1 } as never })
          ]
        ) {
          expect(Object.values(Errors)).toContain(
            (yield* Effect.flip(asked as Effect.Effect<unknown, object>)).constructor
          )
        }
      }
    }))
})

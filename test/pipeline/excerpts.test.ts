/** With `excerpts: false` no error or span quotes context, data, or the text of users and models. */
import { AiError } from "@effect/ai"
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Cause, Effect, Exit, Layer, Option, Schema, Tracer } from "effect"
import * as Script from "../support/Script.js"

/** The text that must not appear. */
const secret = "Lisbon-4711"

const Guests = Schema.NumberFromString
const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String.pipe(Schema.maxLength(3)), guests: Guests }),
  context: Schema.Struct({ tier: Schema.optional(Schema.Literal("gold", "silver")) })
})

/** A tracer that records the names, attributes, events and exits of its spans. */
const recorder = () => {
  const seen: Array<unknown> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind) => {
      seen.push(name)
      return {
        _tag: "Span",
        name,
        parent,
        context,
        links,
        kind,
        spanId: String(seen.length),
        traceId: "t",
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes: new Map(),
        attribute: (key, value) => void seen.push([key, value]),
        event: (event, _, attributes) => void seen.push([event, attributes]),
        addLinks: () => {},
        end: (_, exit) => {
          if (Exit.isFailure(exit)) seen.push(Cause.pretty(exit.cause, { renderErrorCause: true }), tellAll(exit.cause))
        }
      }
    },
    context: (f) => f()
  })
  return { seen, layer: Layer.setTracer(tracer) }
}

/** An error's message, cause and fields as JSON. */
const tell = (u: unknown): string => {
  const met = new Set<object>()
  return JSON.stringify(u, (_, value: unknown) => {
    if (typeof value !== "object" || value === null) return typeof value === "bigint" ? String(value) : value
    if (met.has(value)) return "…"
    met.add(value)
    return value instanceof Error
      ? { ...value, name: value.name, message: value.message, cause: value.cause, stack: value.stack }
      : value
  })
}
const tellAll = (cause: Cause.Cause<unknown>) => [...Cause.failures(cause), ...Cause.defects(cause)].map(tell)

const corrupt = (store: SessionStore.Service, part: "session" | "messages"): SessionStore.Service => ({
  ...store,
  load: (id, options) =>
    Effect.map(
      store.load(id, options),
      Option.map((stored) =>
        part === "session"
          ? { ...stored, session: { ...stored.session, data: { guests: secret } } }
          : { ...stored, messages: [{ seq: 1, createdAt: "", message: { role: "user", content: [{ type: secret }] } }] }
      )
    )
})

interface Case {
  readonly model?: (asked: Script.Asked, index: number) => Script.Answer | Effect.Effect<never, AiError.AiError>
  readonly context?: object
  readonly write?: { readonly dataUpdate: { readonly city: string } } | {
    readonly contextUpdate: { readonly tier: never }
  }
  readonly broken?: "session" | "messages"
  readonly tag: string
}

const cases: Record<string, Case> = {
  "a context that is not what the Schema says": { context: { tier: secret }, tag: "InvalidRequest" },
  "a write that the Schema refuses": { write: { dataUpdate: { city: secret } }, tag: "DataValidationError" },
  "a context write that the Schema refuses": {
    write: { contextUpdate: { tier: secret as never } },
    tag: "DataValidationError"
  },
  "a stored session that does not decode": { broken: "session", tag: "SessionCorrupt" },
  "a stored message that does not decode": { broken: "messages", tag: "SessionCorrupt" },
  "a model that answers something else than JSON": { model: () => secret, tag: "ResponseGenerationError" },
  "a provider that repeats what it was asked": {
    model: () =>
      Effect.fail(
        new AiError.HttpResponseError({
          module: "Script",
          method: "generateText",
          reason: "StatusCode",
          request: { method: "POST", url: "http://localhost", urlParams: [], hash: undefined, headers: {} },
          response: { status: 400, headers: {} },
          description: `cannot answer "${secret}"`
        } as never, { disableValidation: true })
      ),
    tag: "ResponseGenerationError"
  },
  "a provider's client that dies of it": {
    model: () => Effect.die(new Error(secret)),
    tag: "ResponseGenerationError"
  }
}

const run = (excerpts: boolean, { broken, context, model, write }: Case) =>
  Effect.gen(function*() {
    const memory = yield* SessionStore.makeMemory
    const { layer, seen } = recorder()
    const script = Script.make((asked, i) =>
      model?.(asked, i) ?? (asked.json ? { flowScores: {}, fields: {}, conditions: {}, signals: {} } : "Hi")
    )
    const before = Script.make(({ json }) => json ? { flowScores: {}, fields: {}, conditions: {}, signals: {} } : "Hi")
    const agentOn = (store: SessionStore.Service, voice: typeof script, hook: Case["write"]) =>
      kit.make({
        name: "Quiet",
        excerpts,
        hooks: { beforeRespond: () => hook },
        flows: [{ title: "Talk", optionalFields: ["city", "guests"], steps: [{ prompt: "Talk", until: () => false }] }]
      }).pipe(Effect.provide([voice.layer, Layer.succeed(SessionStore.SessionStore, store)]))
    const first = yield* agentOn(memory, before, undefined)
    yield* first.respond({ sessionId: "s", message: "hello" })
    const store = broken === undefined ? memory : corrupt(memory, broken)
    const agent = yield* agentOn(store, script, write)
    const request = { sessionId: "s", message: `to ${secret}`, ...(context !== undefined && { context }) }
    const error = yield* Effect.flip(Effect.provide(agent.respond(request), layer))
    return { error, told: `${error.message} ${tell(error)}`, spans: tell(seen), seen }
  })

describe("the agent option `excerpts` (quotes of user text in errors and spans)", () => {
  for (const [name, one] of Object.entries(cases)) {
    it.effect(`if it is false, the error and the spans do not quote the text (${name})`, () =>
      Effect.gen(function*() {
        const { error, seen, spans, told } = yield* run(false, one)
        expect(error._tag).toBe(one.tag)
        expect(told).not.toContain(secret)
        expect(seen.some((name) => String(name).startsWith("invoke_agent "))).toBe(true)
        expect(spans).not.toContain(secret)
      }))
  }

  it.effect("if it is true, which is the default, an error or a span quotes the text", () =>
    Effect.gen(function*() {
      const quoted = yield* Effect.forEach(Object.entries(cases), ([name, one]) =>
        Effect.map(run(true, one), ({ spans, told }) =>
          [name, `${told} ${spans}`.includes(secret)] as const))
      // A defect of the client could appear only in a span, and spans omit provider errors.
      expect(quoted.flatMap(([name, quotes]) =>
        quotes ? [] : [name]
      )).toEqual(["a provider's client that dies of it"])
    }))

  it.effect("if it is false, a refused tool argument and a refused decision are reported without their values", () =>
    Effect.gen(function*() {
      const voice = Script.make((_, i) =>
        i === 0
          ? [Script.toolCall("book", { nights: secret })]
          : i === 1
          ? [Script.toolCall("book", { nights: "2" })]
          : "Hi"
      )
      const talk = Agent.define({ data: Schema.Struct({}) })
      const agent = yield* talk.make({
        name: "Quiet",
        excerpts: false,
        tools: [talk.tool({
          id: "book",
          parameters: { nights: Schema.NumberFromString },
          needsApproval: true,
          handler: () => "booked"
        })],
        flows: [{ title: "Talk", steps: [{ prompt: "Talk", until: () => false }] }]
      }).pipe(Effect.provide([voice.layer, SessionStore.layerMemory]))
      const { approvals, toolCalls } = yield* agent.respond({ sessionId: "s", message: "hello" })
      expect(toolCalls).toMatchObject([{ outcome: "invalid" }])
      expect(JSON.stringify(toolCalls[0]!.output)).not.toContain(secret)
      const wrong = { approved: secret } as never
      const error = yield* Effect.flip(agent.approve("s", approvals[0]!.id, wrong))
      expect(error).toMatchObject({ _tag: "InvalidRequest" })
      expect(tell(error)).not.toContain(secret)
    }))
})

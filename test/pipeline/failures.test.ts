import { describe, expect, it } from "@effect/vitest"
import { Agent, Session, SessionStore } from "coxswain"
import { DateTime, Effect, Layer, Schema } from "effect"
import * as Script from "../support/Script.js"

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.pipe(Schema.minLength(2, { message: () => "must be a real city." })),
    note: Schema.String
  }),
  context: Schema.Struct({
    tier: Schema.Literal("vip", "std").annotations({ message: () => ({ message: "must be a tier.", override: true }) })
  })
})

const services = Layer.merge(Script.make(({ json }) => json ? {} : "Hello").layer, SessionStore.layerMemory)
const request = { sessionId: "s", message: "hi", messageId: "m", context: { tier: "vip" as const } }

/** An agent with one step whose `prepare` is not type-checked. */
const prepared = (prepare: () => unknown) =>
  kit.make({
    name: "Bot",
    flows: [{ title: "Booking", steps: [{ id: "ask", prompt: "Ask", prepare: prepare as () => undefined }] }]
  })

describe("the error of a turn", () => {
  it.effect("the error names the fields of a context that does not decode, with one sentence for each field", () =>
    Effect.gen(function*() {
      const agent = yield* prepared(() => undefined)
      const error = yield* Effect.flip(agent.respond({ ...request, context: { tier: "gold" as never } }))
      expect(error.message).toBe(
        "[InvalidRequest] context: tier: must be a tier. Pass the missing or wrong parts in request.context, or from the agent's contextProvider."
      )
    }).pipe(Effect.provide(services)))

  it.effect("the error names the field and the hook of an invalid write, without a doubled full stop", () =>
    Effect.gen(function*() {
      const agent = yield* prepared(() => ({ dataUpdate: { city: "X", note: "n" } }))
      const error = yield* Effect.flip(agent.respond(request))
      expect(error).toMatchObject({
        _tag: "DataValidationError",
        emitter: "step:ask.prepare",
        fields: [{ field: "city", message: "must be a real city." }]
      })
      expect(error.message).toMatch(/: "city" must be a real city\. Write values/)
    }).pipe(Effect.provide(services)))

  const wrong: ReadonlyArray<readonly [what: string, value: () => unknown]> = [
    ["a Promise", () => Promise.resolve({ reply: "hi" })],
    ["text", () => "Booking"],
    ["a list", () => [{ reply: "hi" }]],
    ["a directive with a field of the wrong type", () => ({ appendPrompt: 5 })],
    ["complete: false", () => ({ complete: false })],
    ["a Promise as reply", () => ({ reply: Promise.resolve("hi") })],
    ["an Effect as reply", () => ({ reply: Effect.succeed("hi") })],
    ["a number as clear", () => ({ clear: 5 })]
  ]
  for (const [what, value] of wrong) {
    it.effect(`the error is typed and names the hook, and nothing is stored, when the hook returns ${what}`, () =>
      Effect.gen(function*() {
        const agent = yield* prepared(value)
        const error = yield* Effect.flip(agent.respond(request))
        expect(error).toMatchObject({ _tag: "FlowConfigurationError" })
        expect((error as { issues: ReadonlyArray<{ path: string }> }).issues[0]!.path).toContain(
          "ask.prepare"
        )
        expect((yield* agent.session("s").snapshot).version).toBe(0)
      }).pipe(Effect.provide(services)))
  }
})

describe("a directive returned by code", () => {
  it.effect("may contain undefined fields; the response records the data that they clear", () =>
    Effect.gen(function*() {
      const agent = yield* prepared(() => ({
        reply: undefined,
        goTo: undefined,
        dataUpdate: { city: undefined, note: "n" }
      }))
      const response = yield* agent.respond(request)
      expect(response.message).toBe("Hello")
      expect(response.directiveChain.map(({ directive }) => directive)).toStrictEqual([{
        dataUpdate: { note: "n" },
        clear: ["city"]
      }])
      const again = yield* agent.respond(request)
      expect(again).toStrictEqual(response)
    }).pipe(Effect.provide(services)))

  it.effect("with `complete` in `complete.next` does not leave a flow suspended for ever", () =>
    Effect.gen(function*() {
      const now = yield* DateTime.now
      const store = yield* SessionStore.SessionStore
      const flow = (id: string) => ({ id, title: id, enteredAt: now })
      yield* store.commit({
        id: "s",
        expectedVersion: 0,
        session: yield* Schema.encode(Session.Session)({
          ...Session.make({ id: "s", now }),
          currentFlow: flow("hours"),
          suspended: [{ flow: flow("booking"), at: now }],
          pendingDirective: { complete: { next: { complete: true } } }
        }),
        updatedAt: DateTime.formatIso(now),
        messages: []
      })
      const agent = yield* kit.make({
        name: "Bot",
        flows: [
          { title: "booking", steps: [{ id: "ask", collect: ["city"] }] },
          { title: "hours", steps: [{ id: "tell", prompt: "Tell" }] }
        ]
      })
      const { session } = yield* agent.respond(request)
      expect([session.currentFlow?.id, session.currentStep?.id, session.suspended]).toStrictEqual([
        "booking",
        "ask",
        []
      ])
    }).pipe(Effect.provide(services)))
})

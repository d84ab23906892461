import { describe, expect, it } from "@effect/vitest"
import { Agent, Errors } from "coxswain"
import { Effect, Either, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ item: Schema.String, paid: Schema.Number, shipped: Schema.String }),
  events: {
    "payment.settled": Schema.Struct({ amount: Schema.NumberFromString }),
    "parcel.left": Schema.Struct({ at: Schema.Date }),
    ping: Schema.Null
  }
})

const order = kit.flow({
  title: "Order",
  steps: [
    { id: "item", collect: ["item"] },
    {
      id: "pay",
      prompt: "Ask for the payment",
      until: ({ data }) => data.paid !== undefined,
      on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.amount } }) }
    },
    { id: "thank", prompt: "Thank for the payment" }
  ],
  on: { "parcel.left": ({ event }) => ({ dataUpdate: { shipped: event.at.toISOString() } }) }
})

const settled = (amount = "40") => ({ sessionId: "s1", event: "payment.settled" as const, payload: { amount } })
const left = { sessionId: "s1", event: "parcel.left" as const, payload: { at: "2026-03-01T00:00:00.000Z" } }

const begin = (options: { readonly idle?: "silent" } = {}) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({
      understand: ({ message }) => message === "A lamp" ? { fields: { item: "lamp" } } : {}
    })
    const agent = yield* kit.make({ name: "Shop", flows: [order], ...options }).pipe(Effect.provide(stage.layer))
    return { agent, stage, say: Stage.talk(agent) }
  })

describe("an event sent with `notify`", () => {
  it.effect("an event that a step waits for continues the conversation, without an understanding call", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* begin()
      yield* say("A lamp")
      const asked = stage.questions.length
      const response = yield* agent.notify(settled())
      expect(response).toMatchObject({ message: "Thank for the payment", collected: { paid: 40 } })
      expect(Stage.steps(response)).toEqual(["order/thank"])
      expect(stage.questions).toHaveLength(asked)
      expect(response.usage.modelCalls).toBe(1)
      const history = yield* agent.session("s1").history
      expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"])
    }))

  it.effect("is in the prompt as data, under its name", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* begin()
      yield* say("A lamp")
      yield* agent.notify(settled("40"))
      const { text } = stage.prompts.at(-1)!
      expect(text).toContain("[event] payment.settled\n<event>{\"amount\":\"40\"}</event>")
      expect(Stage.instructions(stage.prompts.at(-1)!)).toContain("you speak because of the <event>")
      expect(Stage.instructions(stage.prompts.at(-1)!)).not.toContain("amount")
    }))

  it.effect("an event whose handler only writes causes one commit and no model call, and does not change the step", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* begin()
      const before = yield* say("A lamp")
      const calls = stage.prompts.length
      const response = yield* agent.notify(left)
      expect(response).toMatchObject({ message: "", stoppedReason: "handled" })
      expect(response.session).toMatchObject({
        version: before.session.version + 1,
        messageCount: before.session.messageCount,
        data: { item: "lamp", shipped: "2026-03-01T00:00:00.000Z" },
        currentStep: before.session.currentStep
      })
      expect(stage.prompts).toHaveLength(calls)
    }))

  it.effect("without a handler changes nothing, and is reported in the trace", () =>
    Effect.gen(function*() {
      const { agent, say } = yield* begin()
      const before = yield* say("A lamp")
      const response = yield* agent.notify({ sessionId: "s1", event: "ping", payload: null })
      expect(response).toMatchObject({
        stoppedReason: "handled",
        directiveChain: [],
        trace: [{ kind: "event_unhandled", source: "event:ping" }]
      })
      expect({ ...response.session, version: 0 }).toEqual({ ...before.session, version: 0 })
    }))

  it.effect("does not advance a step that waits for the user's message", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Shop",
        flows: [{
          title: "Talk",
          steps: [{ id: "ask", prompt: "How was your day?" }, { id: "then", prompt: "Good night" }],
          on: { ping: () => ({ dataUpdate: { item: "pen" } }) }
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* Stage.talk(agent)("hi")
      expect(yield* agent.notify({ sessionId: "s1", event: "ping", payload: null })).toMatchObject({
        stoppedReason: "handled",
        session: { currentStep: { id: "ask" }, data: { item: "pen" } }
      })
    }))

  it.effect("can write a field that the next step requires, so that this step is entered", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Shop",
        on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.amount } }) },
        flows: [{
          title: "Pay",
          steps: [{ id: "ask", prompt: "Please pay" }, { id: "ship", requires: ["paid"], prompt: "It is on its way" }]
        }]
      }).pipe(Effect.provide(stage.layer))
      const say = Stage.talk(agent)
      yield* say("hi")
      expect((yield* say("and now?")).session.currentStep).toMatchObject({ id: "ask" })
      expect((yield* agent.notify(settled())).message).toBe("It is on its way")
    }))

  it.effect("continues the conversation also if `until` of the step has become true before the event", () =>
    Effect.gen(function*() {
      let isOpen = false
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Shop",
        on: { ping: () => undefined },
        flows: [{
          title: "Buy",
          steps: [{ id: "wait", prompt: "Wait", until: () => isOpen }, { id: "in", prompt: "In" }]
        }]
      }).pipe(Effect.provide(stage.layer))
      yield* Stage.talk(agent)("hi")
      const ping = { sessionId: "s1", event: "ping" as const, payload: null }
      expect((yield* agent.notify(ping)).message).toBe("")
      isOpen = true
      expect((yield* agent.notify(ping)).message).toBe("In")
    }))

  it.effect("lets no step speak if it clears a field that the step both collects and requires", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Shop",
        initialData: { item: "lamp" },
        on: { ping: () => ({ clear: ["item"] }) },
        flows: [{ title: "Buy", steps: [{ id: "ask", prompt: "Ask", collect: ["item", "paid"], requires: ["item"] }] }]
      }).pipe(Effect.provide(stage.layer))
      yield* Stage.talk(agent)("hi")
      const response = yield* agent.notify({ sessionId: "s1", event: "ping", payload: null })
      expect(response).toMatchObject({ stoppedReason: "handled", session: { data: {} } })
      expect(Stage.steps(response)).toEqual([])
    }))

  it.effect("is passed to the innermost handler: of the step, else of the active flow, else of the agent", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ understand: ({ message }) => ({ flowScores: { [message]: 90 } }) })
      const reply = (words: string) => ({ ping: { reply: words } })
      const agent = yield* kit.make({
        name: "Shop",
        on: reply("agent"),
        flows: [
          {
            title: "Deep",
            on: reply("flow"),
            steps: [{ prompt: "a", id: "a", until: () => false, on: reply("step") }]
          },
          { title: "Flat", on: reply("flow"), steps: [{ prompt: "b", until: () => false }] },
          { title: "Bare", steps: [{ prompt: "c", until: () => false }] }
        ]
      }).pipe(Effect.provide(stage.layer))
      const ping = Effect.map(agent.notify({ sessionId: "s1", event: "ping", payload: null }), (response) => [
        response.message,
        response.stoppedReason,
        response.directiveChain[0]?.source
      ])
      expect(yield* ping).toEqual(["agent", "reply", "agent.on.ping"])
      yield* Stage.talk(agent)("deep")
      expect(yield* ping).toEqual(["step", "reply", "step:a.on.ping"])
      yield* Stage.talk(agent)("flat")
      expect(yield* ping).toEqual(["flow", "reply", "flow:flat.on.ping"])
      yield* Stage.talk(agent)("bare")
      expect(yield* ping).toEqual(["agent", "reply", "agent.on.ping"])
    }))

  it.effect("can have the name of a step or flow as its handler, and can begin a conversation", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const agent = yield* kit.make({
        name: "Shop",
        on: { ping: "Survey" },
        flows: [{
          title: "Survey",
          steps: [
            { id: "ask", prompt: "Ask how it was", until: () => false, on: { ping: "bye" } },
            { id: "bye", prompt: "Say goodbye", until: () => false }
          ]
        }]
      }).pipe(Effect.provide(stage.layer))
      const ping = agent.notify({ sessionId: "new", event: "ping", payload: null })
      expect((yield* ping).message).toBe("Ask how it was")
      expect((yield* ping).message).toBe("Say goodbye")
    }))

  it.effect("is deduplicated by its `eventId`, which is refused for another event or message", () =>
    Effect.gen(function*() {
      const { agent, say, stage } = yield* begin()
      yield* say("A lamp")
      const first = yield* agent.notify({ ...settled(), eventId: "p1" })
      const calls = stage.prompts.length
      expect(yield* agent.notify({ ...settled(), eventId: "p1" })).toEqual(first)
      expect(stage.prompts).toHaveLength(calls)
      const other = yield* Effect.flip(agent.notify({ ...settled("41"), eventId: "p1" }))
      expect(other).toBeInstanceOf(Errors.InvalidRequest)
      const message = yield* Effect.flip(agent.respond({ sessionId: "s1", message: "x", messageId: "p1" }))
      expect(message).toBeInstanceOf(Errors.InvalidRequest)
    }))

  it.effect("does not apply a dispatched directive, which waits for the next message", () =>
    Effect.gen(function*() {
      const { agent } = yield* begin()
      yield* agent.dispatch("s1", "Order")
      const response = yield* agent.notify(left)
      expect(response).toMatchObject({ stoppedReason: "handled", session: { pendingDirective: { goTo: "Order" } } })
      expect(Stage.at(response)).toBe("nowhere")
    }))

  it.effect("runs the hook `beforeRespond` only if the event has a handler", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      let ran = 0
      const agent = yield* kit.make({
        name: "Shop",
        on: { ping: {} },
        hooks: { beforeRespond: () => void ran++ }
      }).pipe(Effect.provide(stage.layer))
      yield* agent.notify(left)
      expect(ran).toBe(0)
      yield* agent.notify({ sessionId: "s1", event: "ping", payload: null })
      expect(ran).toBe(1)
    }))

  it.effect("an event whose handler fails stores nothing, and can be sent again with the same `eventId`", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      let down = true
      const agent = yield* kit.make({
        name: "Shop",
        on: { ping: () => down ? Effect.fail("down" as const) : Effect.succeed({ dataUpdate: { item: "pen" } }) }
      }).pipe(Effect.provide(stage.layer))
      const ping = agent.notify({ sessionId: "s1", event: "ping", payload: null, eventId: "e" })
      const failure: "down" | Errors.TurnError = yield* Effect.flip(ping)
      expect(failure).toBe("down")
      expect((yield* agent.session("s1").snapshot).version).toBe(0)
      down = false
      expect((yield* ping).session.data).toEqual({ item: "pen" })
    }))
})

describe("a tool call that waits for approval when an event is sent", () => {
  const pay = (ran: Array<string>) => kit.tool({ id: "pay", needsApproval: true, handler: () => void ran.push("paid") })

  const waiting = (ran: Array<string>) =>
    Effect.gen(function*() {
      const stage = yield* Stage.make({ speak: (_, i) => i === 0 ? [Script.toolCall("pay", {}, "c1")] : "Done" })
      const agent = yield* kit.make({
        name: "Shop",
        tools: [pay(ran)],
        flows: [
          { title: "Talk", steps: [{ prompt: "Talk", until: () => false }] },
          { title: "Sorry", when: "never", steps: [{ prompt: "Say sorry", until: () => false }] }
        ],
        on: {
          ping: { goTo: "Sorry" },
          "parcel.left": ({ event }) => ({ dataUpdate: { shipped: event.at.toISOString() } })
        }
      }).pipe(Effect.provide(stage.layer))
      yield* agent.dispatch("s1", "Talk")
      expect((yield* Stage.talk(agent)("pay")).stoppedReason).toBe("needs_approval")
      return agent
    })

  it.effect("still waits if the event's handler only writes", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const agent = yield* waiting(ran)
      expect((yield* agent.notify(left)).stoppedReason).toBe("handled")
      expect((yield* agent.approve("s1", "c1", { approved: true })).message).toBe("Done")
      expect(ran).toEqual(["paid"])
    }))

  it.effect("is cancelled if the event's handler moves the conversation", () =>
    Effect.gen(function*() {
      const ran: Array<string> = []
      const agent = yield* waiting(ran)
      yield* agent.notify({ sessionId: "s1", event: "ping", payload: null })
      const late = yield* Effect.flip(agent.approve("s1", "c1", { approved: true }))
      expect(late).toBeInstanceOf(Errors.InvalidRequest)
      const history = yield* agent.session("s1").history
      expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"])
      expect(ran).toEqual([])
    }))
})

describe("invalid events, refused before the session is loaded, and invalid handlers", () => {
  // As from an untyped caller.
  const wrong: ReadonlyArray<readonly [name: string, notification: unknown, what: RegExp]> = [
    ["a notification that is not an object", null, /sessionId/],
    [
      "an unknown event name",
      { sessionId: "s1", event: "nope", payload: {} },
      /no such event; its events are "payment.settled"/
    ],
    ["an event name that is a property of every object, such as `toString`", {
      sessionId: "s1",
      event: "toString",
      payload: {}
    }, /no such event/],
    ["a payload that does not decode", { sessionId: "s1", event: "payment.settled", payload: { amount: 4 } }, /amount/],
    ["no payload", { sessionId: "s1", event: "payment.settled" }, /no JSON/],
    [
      "a payload that cannot be written as JSON",
      { sessionId: "s1", event: "payment.settled", payload: { amount: 4n } },
      /no JSON/
    ],
    ["a payload that is too large", {
      sessionId: "s1",
      event: "payment.settled",
      payload: { amount: "1", more: "x".repeat(70_000) }
    }, /limits\.payload/],
    ["an empty `eventId`", { ...settled(), eventId: "" }, /eventId/],
    ["a notification with the field `message`", { ...settled(), message: "hi" }, /message/],
    ["an empty session id", { ...settled(), sessionId: "" }, /sessionId/]
  ]
  for (const [name, notification, what] of wrong) {
    it.effect(name, () =>
      Effect.gen(function*() {
        const { agent, stage } = yield* begin()
        const given = notification as Parameters<typeof agent.notify>[0]
        const failure = yield* Effect.flip(agent.notify(given))
        expect(failure).toBeInstanceOf(Errors.InvalidRequest)
        expect(String((failure as Errors.InvalidRequest).message)).toMatch(what)
        expect(stage.store.calls).toEqual([])
      }))
  }

  it.effect("`make` refuses event handlers with unknown events, targets or steps", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const odd = Agent.define({ data: Schema.Struct({}), events: { "a b": Schema.Null, ok: Schema.DateFromSelf } })
      const options: object = {
        name: "x",
        on: { nope: {}, ok: "Nowhere" },
        flows: [{
          title: "F",
          on: { ok: { goToStep: "gone" } },
          steps: [{ prompt: "p", on: { ok: { goTo: "F", abort: "x" } } }]
        }]
      }
      const made = yield* Effect.either(odd.make(options as { readonly name: string })).pipe(
        Effect.provide(stage.layer)
      )
      const issues = Either.isLeft(made) ? made.left.issues.map(({ path, what }) => `${path}: ${what}`) : []
      expect(issues).toEqual([
        "events.a b: event \"a b\"",
        "events.ok: event \"ok\" without a JSON schema",
        "on.nope: unknown event \"nope\"",
        "on.ok: unknown target \"Nowhere\"",
        "flows[0].on.ok: unknown step \"gone\"",
        "flows[0].steps[0].on.ok: several position fields"
      ])
    }))
})

/** Dialogues as tests, and the messages of failed expectations. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Clock, Effect, Layer, Schema } from "effect"
import { booking, definition, hours, kit } from "./Trips.js"

const { call, say, sayTask, understand } = ScriptedModel

const layer = (script?: ScriptedModel.Script, options?: ScriptedModel.Options) =>
  Layer.mergeAll(ScriptedModel.layer(script, options), SessionStore.layerMemory)

const begin = Effect.gen(function*() {
  return yield* Conversation.make(yield* kit.make(definition), { definition })
})

const wants = understand({ flow: "booking", fields: { city: "Lisbon" }, conditions: [] })

/** The message of the failed expectation. */
const saying = <E extends { readonly message: string }>(effect: Effect.Effect<unknown, E>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

describe("a `Conversation` in a test", () => {
  it.effect("plays a dialogue and checks steps, data and replies", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      yield* talk.user("A room in Lisbon", wants, sayTask)
      yield* talk.expectStep("booking", "guests")
      yield* talk.expectStep("Booking", "guests")
      yield* talk.expectFlow("booking")
      yield* talk.expectData({ city: "Lisbon", guests: undefined })
      yield* talk.expectReply(/how many guests/)
      yield* talk.expectStopped("needs_input")

      yield* talk.user("When are you open?", understand({ flow: "opening-hours" }))
      yield* talk.expectReply(/^We are open from 7 to 23/)

      yield* talk.user("For forty", understand({ fields: { guests: 40 }, conditions: [] }), sayTask)
      yield* talk.expectRejected("guests")
      yield* talk.user(
        "Two, on 3 May",
        understand({ fields: { guests: 2, day: "2027-05-03" } }),
        understand({ conditions: [] }),
        sayTask
      )
      yield* talk.expectData({ guests: 2, day: new Date("2027-05-03") })

      yield* talk.user("Yes", understand({ conditions: ["the guest agrees"] }), say("Thank you"))
      yield* talk.expectStep("booking", "thanks")
      yield* talk.expectDirective({ goToStep: "thanks" })
      yield* talk.expectFlow(undefined)
      yield* talk.expectNoTool
    }).pipe(Effect.provide(layer())))

  it.effect("checks tool calls and approvals", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      yield* talk.user("Lisbon", wants, [say("One moment."), call("pay", { euros: 20 })], say("Paid."))
      yield* talk.expectTool("pay", { params: { euros: 20 }, outcome: "ok", output: "paid 20" })
      yield* talk.user("More", understand({ conditions: [] }), call("pay", { euros: 500 }))
      yield* talk.expectStopped("needs_approval")
      yield* talk.approve({}, say("Paid again."))
      yield* talk.expectTool("pay", { outcome: "ok" })
      yield* talk.user("Even more", understand({ conditions: [] }), call("pay", { euros: 900 }))
      yield* talk.approve({ tool: "pay", approved: false, reason: "too much" }, say("Sorry."))
      yield* talk.expectTool("pay", { outcome: "denied" })
      expect(yield* saying(talk.approve())).toContain("expected one call that waits for a person\nfound none")
    }).pipe(Effect.provide(layer())))

  it.effect("shows the partial reply of a turn that the user aborts", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      yield* talk.abort("Lisbon", wants, say("How many guests?"))
      yield* talk.expectStopped("aborted")
      yield* talk.expectReply("How many guests?")
      yield* talk.user("Two", understand({ flow: "booking", fields: { guests: 2 }, conditions: [] }), sayTask)
      yield* talk.expectFlow("booking")
    }).pipe(Effect.provide(layer())))

  it.effect("`expectFailure` checks a failed turn, and `advance` moves the clock forward", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      const error = yield* talk.expectFailure("InvalidRequest", " ")
      expect(error).toMatchObject({ _tag: "InvalidRequest", what: "message" })
      expect(yield* saying(talk.user(" "))).toContain("found a failed turn: [InvalidRequest] message: it is empty")
      const before = yield* Clock.currentTimeMillis
      yield* talk.advance("2 days")
      expect((yield* Clock.currentTimeMillis) - before).toBe(2 * 24 * 3_600_000)
      expect(yield* talk.transcript).toContain("time        2d go by")
      expect(yield* saying(talk.expectFailure("InvalidRequest", "Lisbon", wants, sayTask)))
        .toContain("expected a turn that fails with InvalidRequest\nfound an answer")
    }).pipe(Effect.provide(layer())))

  it.effect("prints the transcript when an expectation fails: what was understood, which step spoke and why", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      yield* talk.user("A room in Lisbon", wants, say("For how many?"))
      yield* talk.user("For forty", understand({ fields: { guests: 40 }, conditions: [] }), say("How many?"))
      yield* talk.user(
        "Two",
        understand({ fields: { guests: 2 }, conditions: [] }),
        call("pay", { euros: 5 }),
        say("Well?")
      )
      yield* talk.user("Fine", understand({ conditions: ["the guest agrees"] }), say("Thanks!"))
      const message = yield* saying(talk.expectStep("booking", "city"))
      expect(message).toBe(`[ExpectationFailed] expected booking/city to speak
found booking/thanks

1  user        A room in Lisbon
   understood  booking 100, city "Lisbon"
   spoke       booking/guests: booking was entered with a score of 100; it asks for guests
   agent       For how many?
   stands at   booking/guests, needs_input
2  user        For forty
   understood  guests 40 rejected (Expected a number between 1 and 8, actual 40)
   spoke       booking/guests: the conversation was there; it asks for guests
   agent       How many?
   stands at   booking/guests, needs_input
3  user        Two
   understood  guests 2
   tool        pay { euros: 5 }: ok
   spoke       booking/offer: it comes next
   agent       Well?
   stands at   booking/offer, needs_input
4  user        Fine
   understood  booking/offer/branch-1 holds
   spoke       booking/thanks: the branch booking/offer/branch-1 { goToStep: "thanks" }
   agent       Thanks!
   stands at   no flow, completed
   why         The condition “booking/offer/branch-1” held.
   why         booking 0, opening-hours 0: changed no flow.
   why         Went to step *booking/thanks*.
   why         Asked the model *default* to speak: 15 tokens.
   why         Completed *booking*.
   why         *goToStep thanks* was applied (booking/offer/branch-1).
   why         The flow is complete.
`)
    }).pipe(Effect.provide(layer())))

  it.effect("gives errors a stack trace that begins at the line of the test", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      const errors = [
        yield* Effect.flip(talk.user(" ")),
        yield* Effect.flip(talk.expectStep("booking", "city")),
        yield* Effect.flip(talk.approve())
      ]
      for (const { message, stack } of errors) {
        expect(stack).toContain(message)
        expect(stack?.slice(stack.indexOf(message) + message.length).trim().split("\n")[0])
          .toMatch(/Conversation\.test\.ts:\d+/)
      }
    }).pipe(Effect.provide(layer())))

  it.effect("wraps and indents long lines of the transcript", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      const long =
        "A room in Lisbon, if you please, with a view of the sea, a balcony, and breakfast in bed at ten o'clock"
      yield* talk.user(long, wants, say(`${"x".repeat(120)} and more`))
      const lines = (yield* talk.transcript).split("\n")
      expect(lines.slice(0, 3)).toEqual([
        "1  user        A room in Lisbon, if you please, with a view of the sea, a",
        "               balcony, and breakfast in bed at ten o'clock",
        "   understood  booking 100, city \"Lisbon\""
      ])
      // An overlong word is not broken.
      expect(lines.slice(4, 6)).toEqual([`   agent       ${"x".repeat(120)}`, "               and more"])
    }).pipe(Effect.provide(layer())))

  it.effect("reports for each failed expectation what was expected and what was found", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      expect(yield* saying(talk.expectReply("Hi"))).toContain("found none: nobody has said anything yet")
      yield* talk.user("Lisbon", wants, call("pay", { euros: 5 }), say("For how many?"))
      const failing: ReadonlyArray<readonly [Effect.Effect<void, Conversation.ExpectationFailed>, string]> = [
        [talk.expectStep("booking", "thanks"), "expected booking/thanks to speak\nfound booking/guests"],
        [talk.expectFlow(undefined), "expected no current flow\nfound booking/guests"],
        [talk.expectFlow("Opening hours"), "expected the current flow \"Opening hours\"\nfound booking/guests"],
        [talk.expectData({ city: "Porto" }), "expected the data city \"Porto\"\nfound city \"Lisbon\""],
        [talk.expectData({ city: undefined }), "expected the data city nothing\nfound city \"Lisbon\""],
        [talk.expectReply("For"), "expected the reply \"For\"\nfound \"For how many?\""],
        [talk.expectReply(/many!/), "expected the reply /many!/"],
        [talk.expectTool("refund"), "expected a call of \"refund\"\nfound pay { euros: 5 }: ok"],
        [talk.expectTool("pay", { params: { euros: 6 } }), "found pay { euros: 5 }: ok"],
        [talk.expectTool("pay", { outcome: "denied" }), "found pay { euros: 5 }: ok"],
        [talk.expectNoTool, "expected no tool call\nfound pay { euros: 5 }: ok"],
        [talk.expectDirective({ goTo: "x" }), "found no directive"],
        [talk.expectStopped("idle"), "expected the turn to end with idle\nfound needs_input"],
        [talk.expectRejected("city"), "found no rejected value"]
      ]
      for (const [expectation, says] of failing) expect(yield* saying(expectation)).toContain(says)
    }).pipe(Effect.provide(layer())))

  it.effect("checks the names of flows and steps at run time if it is made without the definition", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      const talk = yield* Conversation.make(agent)
      expect(yield* saying(talk.user("Hi", understand({ flow: "bookings" }))))
        .toContain("expected a flow \"bookings\"\nfound the flows \"booking\", \"opening-hours\"")
      yield* talk.user("Lisbon", wants, sayTask)
      expect(yield* saying(talk.expectStep("booking", "cities")))
        .toContain(
          "expected a step \"cities\" of \"booking\"\nfound the steps \"city\", \"guests\", \"offer\", \"thanks\""
        )
      expect(yield* saying(talk.expectFlow("hours"))).toContain("found the flows \"booking\", \"opening-hours\"")
    }).pipe(Effect.provide(layer())))

  it.effect("fails the turn if a question of the agent is not scripted or a scripted answer is not used", () =>
    Effect.gen(function*() {
      const talk = yield* begin
      const surprised = yield* saying(talk.user("Lisbon", sayTask))
      expect(surprised).toContain("the script does not say what is understood of this message")
      expect(surprised).toContain("flows: booking (the guest wants a room), opening-hours")
      expect(surprised).toContain("1  user        Lisbon")
      expect(yield* saying(talk.user("Lisbon", wants))).toContain("no answer to this call of the model")
      expect(yield* saying(talk.user("Lisbon", wants, say("a"), say("b")))).toContain("nobody asked for say(\"b\")")
    }).pipe(Effect.provide(layer())))

  it.effect("uses the script of the layer for a message without scripted answers", () =>
    Effect.gen(function*() {
      const agent = yield* kit.make(definition)
      const talk = yield* Conversation.make(agent, { definition: { flows: [booking, hours] }, sessionId: "u1" })
      yield* talk.user("Lisbon")
      yield* talk.expectData({ city: "Lisbon" })
      yield* talk.user({ message: "Two", metadata: { from: "test" } })
      yield* talk.expectStep("booking", "offer")
      expect((yield* agent.session("u1").snapshot).metadata).toEqual({ from: "test" })
    }).pipe(Effect.provide(layer({
      "Lisbon": [wants, sayTask],
      "Two": [understand({ fields: { guests: 2 }, conditions: [] }), sayTask]
    }))))

  it.effect("needs the scripted model for scripted answers", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(
        yield* Effect.provide(kit.make(definition), layer())
      )
      expect(yield* saying(talk.user("Hi", sayTask))).toContain("provide ScriptedModel.layer() around the whole test")
    }))
})

describe("events sent by a `Conversation`", () => {
  const shop = Agent.define({
    data: Schema.Struct({ item: Schema.String, paid: Schema.Number }),
    events: { "payment.settled": Schema.Struct({ euros: Schema.NumberFromString }), ping: Schema.Null }
  })
  const order = shop.agent({
    name: "Shop",
    flows: [shop.flow({
      title: "Order",
      steps: [
        { id: "item", prompt: "Ask what to order", collect: ["item"] },
        {
          id: "pay",
          prompt: "Ask for the payment",
          until: ({ data }) => data.paid !== undefined,
          on: { "payment.settled": ({ event }) => ({ dataUpdate: { paid: event.euros } }) }
        },
        { id: "thank", prompt: "Thank for the payment" }
      ]
    })]
  })

  it.effect("are sent between messages, with scripted replies", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* shop.make(order), { definition: order })
      yield* talk.user("A lamp", understand({ fields: { item: "lamp" } }), sayTask)
      yield* talk.event("ping", null)
      yield* talk.expectStopped("handled")
      yield* talk.expectReply("")
      yield* talk.event("payment.settled", { euros: "40" }, say("Thank you!"))
      yield* talk.expectStep("order", "thank")
      yield* talk.expectData({ paid: 40 })
      expect(yield* talk.transcript).toContain(`3  event       payment.settled { euros: "40" }`)
    }).pipe(Effect.provide(layer())))

  it.effect("fail the turn if the payload is invalid or a scripted answer is not used", () =>
    Effect.gen(function*() {
      const talk = yield* Conversation.make(yield* shop.make(order), { definition: order })
      // The type is right, but the Schema refuses the payload.
      expect(yield* saying(talk.event("payment.settled", { euros: "many" }))).toContain(
        "found a failed turn: [InvalidRequest]"
      )
      yield* talk.user("A lamp", understand({ fields: { item: "lamp" } }), sayTask)
      expect(yield* saying(talk.event("payment.settled", { euros: "40" }, say("Thanks"), say("again"))))
        .toContain("nobody asked for say(\"again\")")
    }).pipe(Effect.provide(layer())))
})

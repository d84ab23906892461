/** What a corrected value decided is decided anew: read-backs, branches, conditions of steps, and waiting calls. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Layer, Schema } from "effect"

const { say, understand } = ScriptedModel

const kit = Agent.define({
  data: Schema.Struct({
    recipient: Schema.String,
    euros: Schema.Number,
    note: Schema.String,
    guests: Schema.Number,
    menu: Schema.String,
    name: Schema.String
  })
})

interface Ctx {
  readonly data: {
    readonly recipient?: string
    readonly euros?: number
    readonly guests?: number
    readonly menu?: string
  }
}

const ran: Array<string> = []
const pay = (options: object = {}) =>
  kit.tool({
    id: "pay",
    parameters: { to: Schema.String, euros: Schema.Number },
    handler: ({ euros, to }) => `paid ${ran.push(`${euros} to ${to}`)}`,
    ...options
  }).with(({ data }) => ({ to: data.recipient, euros: data.euros }))

const begin = (...steps: ReadonlyArray<object>) =>
  Effect.suspend(() => {
    ran.length = 0
    const flows = [{ title: "F", steps }]
    return Effect.flatMap(kit.make({ name: "Bot", flows } as never), (agent) => Conversation.make(agent))
  })

const stage = Layer.mergeAll(ScriptedModel.layer(), SessionStore.layerMemory)

const recipient = { id: "recipient", collect: ["recipient"], prompt: "To whom?" }
const amount = (confirm: unknown) => ({ id: "amount", collect: ["euros"], prompt: "How much?", confirm })
const both = ({ data }: Ctx) => `${data.euros} to ${data.recipient}?`
const note = { id: "note", collect: ["note"], prompt: "A note?" }
const end = { id: "end", reply: "Done." }

describe("a confirmation", () => {
  it.effect("is asked for again if the read-back showed the corrected value", () =>
    Effect.gen(function*() {
      const talk = yield* begin(recipient, amount(both), note, { id: "pay", call: pay() }, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.user("Yes", say("A note?"))
      yield* talk.expectStep("f", "note")
      yield* talk.user("No, to Bob", understand({ fields: { recipient: "Bob" } }))
      yield* talk.expectReply("50 to Bob?")
      yield* talk.user("Yes", say("A note?"))
      yield* talk.user("None", understand({ fields: { note: "none" } }))
      yield* talk.expectReply("Done.")
      expect(ran).toEqual(["50 to Bob"])
    }).pipe(Effect.provide(stage)))

  it.effect("is asked for again if a value that the step collects is corrected at a later step", () =>
    Effect.gen(function*() {
      const talk = yield* begin(recipient, amount(true), note, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.user("Yes", say("A note?"))
      // The read-back does not show the recipient.
      yield* talk.user("No, to Bob", understand({ fields: { recipient: "Bob" } }), say("A note?"))
      yield* talk.expectStep("f", "note")
      yield* talk.user("And 60", understand({ fields: { euros: 60 } }))
      yield* talk.expectReply("Euros: 60. Is that right?")
      yield* talk.expectStep("f", "amount")
    }).pipe(Effect.provide(stage)))

  it.effect("is asked for again if a value that it showed was taken back and given anew", () =>
    Effect.gen(function*() {
      const talk = yield* begin(recipient, amount(both), note, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.user("Yes", say("A note?"))
      yield* talk.user("Not to Ann", understand({ withdrawn: ["recipient"] }), say("To whom?"))
      yield* talk.user("To Bob", understand({ fields: { recipient: "Bob" } }))
      yield* talk.expectReply("50 to Bob?")
      yield* talk.user("Yes", say("A note?"))
      yield* talk.expectStep("f", "note")
    }).pipe(Effect.provide(stage)))

  it.effect("holds if the old value is given again", () =>
    Effect.gen(function*() {
      const talk = yield* begin(recipient, amount(both), note, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.user("Yes", say("A note?"))
      yield* talk.user("Not to Ann", understand({ withdrawn: ["recipient"] }), say("To whom?"))
      yield* talk.user("To Ann, after all", understand({ fields: { recipient: "Ann" } }), say("A note?"))
      yield* talk.expectStep("f", "note")
    }).pipe(Effect.provide(stage)))

  it.effect("stays as it is after a call that may have acted on it", () =>
    Effect.gen(function*() {
      const talk = yield* begin(recipient, amount(both), { id: "pay", call: pay() }, note, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.user("Yes", say("A note?"))
      yield* talk.user("No, to Bob", understand({ fields: { recipient: "Bob" } }), say("A note?"))
      yield* talk.expectStep("f", "note")
      expect(ran).toEqual(["50 to Ann"])
    }).pipe(Effect.provide(stage)))

  it.effect("is asked for again after a call that only reads", () =>
    Effect.gen(function*() {
      const talk = yield* begin(recipient, amount(both), { id: "pay", call: pay({ isReadOnly: true }) }, note, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.user("Yes", say("A note?"))
      yield* talk.user("No, to Bob", understand({ fields: { recipient: "Bob" } }))
      yield* talk.expectReply("50 to Bob?")
      yield* talk.user("Yes", say("A note?"))
      expect(ran).toEqual(["50 to Ann", "50 to Bob"])
    }).pipe(Effect.provide(stage)))
})

const isLarge = ({ data }: Ctx) => (data.guests ?? 0) > 8
const guests = { id: "guests", collect: ["guests"], prompt: "How many?" }
const menu = { id: "menu", collect: ["menu"], prompt: "Which menu?" }
const name = { id: "name", collect: ["name"], prompt: "In which name?" }

/** Flows that ask nine guests for a menu, and two for a name. */
const forks: Record<string, ReadonlyArray<object>> = {
  "an auto step": [
    guests,
    { id: "fork", auto: true, branches: [{ if: isLarge, then: "menu" }, { then: "name" }] },
    menu,
    name
  ],
  "a step that collects": [{ ...guests, branches: [{ if: isLarge, then: "menu" }, { then: "name" }] }, menu, name],
  "a branch that is not taken": [
    { ...guests, branches: [{ if: (ctx: Ctx) => !isLarge(ctx), then: "name" }] },
    menu,
    name
  ],
  "the if of a step": [guests, { ...menu, if: isLarge }, name],
  "the skip of a step": [guests, { ...menu, skip: (ctx: Ctx) => !isLarge(ctx) }, name]
}

describe("a decision by a corrected value", () => {
  for (const [what, steps] of Object.entries(forks)) {
    it.effect(`is made anew: ${what}`, () =>
      Effect.gen(function*() {
        const talk = yield* begin(...steps, end)
        yield* talk.user("Two", understand({ fields: { guests: 2 } }), say("In which name?"))
        yield* talk.expectStep("f", "name")
        yield* talk.user("We are nine", understand({ fields: { guests: 9 } }), say("Which menu?"))
        yield* talk.expectStep("f", "menu")
        yield* talk.user("Ten", understand({ fields: { guests: 10 } }), say("Which menu?"))
        yield* talk.expectStep("f", "menu")
      }).pipe(Effect.provide(stage)))

    it.effect(`is made anew where less is asked: ${what}`, () =>
      Effect.gen(function*() {
        const talk = yield* begin(...steps, end)
        yield* talk.user("Nine", understand({ fields: { guests: 9 } }), say("Which menu?"))
        yield* talk.expectStep("f", "menu")
        yield* talk.user("Only two", understand({ fields: { guests: 2 } }), say("In which name?"))
        yield* talk.expectStep("f", "name")
      }).pipe(Effect.provide(stage)))
  }

  it.effect("is made anew after a step that has only spoken", () =>
    Effect.gen(function*() {
      const talk = yield* begin(
        guests,
        { id: "fork", auto: true, branches: [{ if: isLarge, then: "large" }, { then: "small" }] },
        { id: "small", reply: "A table in the corner.", branches: [{ then: "name" }] },
        { id: "large", reply: "The hall." },
        name,
        end
      )
      yield* talk.user("Two", understand({ fields: { guests: 2 } }))
      yield* talk.expectReply("A table in the corner.")
      yield* talk.user("Fine", understand({}), say("In which name?"))
      yield* talk.user("We are nine", understand({ fields: { guests: 9 } }))
      yield* talk.expectReply("The hall.")
    }).pipe(Effect.provide(stage)))

  for (
    const [how, act] of [
      ["by a call", { call: pay() }],
      ["by its hooks", { reply: "Paid.", onEnter: () => void ran.push("paid") }]
    ] as const
  ) {
    it.effect(`stays as it is if a later step has acted, ${how}`, () =>
      Effect.gen(function*() {
        const talk = yield* begin(
          recipient,
          amount(undefined),
          guests,
          { id: "fork", auto: true, branches: [{ if: isLarge, then: "menu" }, { then: "act" }] },
          { id: "act", ...act },
          { ...name, branches: [{ then: "end" }] },
          menu,
          end
        )
        const asks = say("In which name?")
        const speaks = "reply" in act
        yield* talk.user(
          "Two",
          understand({ fields: { recipient: "Ann", euros: 5, guests: 2 } }),
          ...(speaks ? [] : [asks])
        )
        if (speaks) yield* talk.user("Fine", understand({}), asks)
        yield* talk.expectStep("f", "name")
        yield* talk.user("We are nine", understand({ fields: { guests: 9 } }), asks)
        yield* talk.expectStep("f", "name")
        expect(ran.length).toBe(1)
      }).pipe(Effect.provide(stage)))
  }

  it.effect("of a step that a branch has passed over is not made", () =>
    Effect.gen(function*() {
      const talk = yield* begin(
        { ...recipient, branches: [{ then: "name" }] },
        { id: "fork", auto: true, branches: [{ if: isLarge, then: "menu" }, { then: "name" }] },
        menu,
        name,
        end
      )
      yield* talk.user("Ann, two", understand({ fields: { recipient: "Ann", guests: 2 } }), say("In which name?"))
      yield* talk.user("Nine", understand({ fields: { guests: 9 } }), say("In which name?"))
      yield* talk.expectStep("f", "name")
    }).pipe(Effect.provide(stage)))
})

describe("a call that waits for the user's yes", () => {
  it.effect("is asked for again with the corrected argument, whatever its parameter is called", () =>
    Effect.gen(function*() {
      const asked = pay({
        needsApproval: { by: "user" },
        confirmation: ({ euros, to }: { readonly euros: number; readonly to: string }) => `Send ${euros} to ${to}?`
      })
      const talk = yield* begin(recipient, amount(undefined), { id: "pay", call: asked }, end)
      yield* talk.user("50 to Ann", understand({ fields: { euros: 50, recipient: "Ann" } }))
      yield* talk.expectReply("Send 50 to Ann?")
      yield* talk.user("Yes, but to Bob", understand({ fields: { recipient: "Bob" } }))
      yield* talk.expectReply("Send 50 to Bob?")
      yield* talk.user("And 60", understand({ fields: { euros: 60 } }))
      yield* talk.expectReply("Send 60 to Bob?")
      yield* talk.user("Yes")
      yield* talk.expectReply("Done.")
      expect(ran).toEqual(["60 to Bob"])
    }).pipe(Effect.provide(stage)))
})

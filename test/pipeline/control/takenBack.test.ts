/** A value that is taken back leads to the step that gives it, before anything later speaks or calls. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"
import { play } from "../../support/Dialogue.js"

const { call, say, understand } = ScriptedModel

const kit = Agent.define({
  data: Schema.Struct({
    country: Schema.String,
    recipient: Schema.String.annotations({ dependsOn: ["country"] }),
    euros: Schema.Number,
    receipt: Schema.String
  }),
  events: { closed: Schema.Struct({}) }
})

const ran: Array<string> = []
const send = kit.tool({
  id: "send",
  parameters: { recipient: Schema.optional(Schema.String), euros: Schema.Number },
  handler: ({ euros, recipient }) => `receipt ${ran.push(`${euros} to ${recipient}`)}`
})
const forgets = kit.tool({
  id: "forget",
  handler: () => ({ ok: true, outputMessage: "gone", dataUpdate: { recipient: undefined as never } })
})

type Data = { readonly data: { readonly recipient?: string; readonly euros?: number } }
const sentence = ({ data }: Data) => `${data.euros} to ${data.recipient}.`

/** The end of a flow that has asked for recipient and amount, and what it says at last. */
const shapes: Record<
  string,
  { readonly steps: ReadonlyArray<object>; readonly amount?: object; readonly last: string }
> = {
  reply: { steps: [{ id: "last", reply: sentence }], last: "50 to Bob." },
  prompt: { steps: [{ id: "last", prompt: sentence, until: () => false }], last: "50 to \"Bob\"." },
  call: {
    steps: [
      { id: "send", call: send.with(({ data }) => ({ recipient: data.recipient, euros: data.euros! })) },
      { id: "last", reply: "Sent." }
    ],
    last: "Sent."
  },
  "read-back": { steps: [], amount: { confirm: sentence }, last: "50 to Bob." },
  confirmation: { steps: [], amount: { confirm: true }, last: "Euros: 50. Is that right?" },
  branch: {
    steps: [
      {
        id: "fork",
        auto: true,
        branches: [{ if: ({ data }: Data) => data.recipient === "Bob", then: "bob" }, { then: "other" }]
      },
      { id: "other", reply: "Somebody else." },
      { id: "bob", reply: "To Bob." }
    ],
    last: "To Bob."
  },
  auto: { steps: [{ id: "auto", auto: true, onEnter: () => {} }, { id: "last", reply: sentence }], last: "50 to Bob." },
  bind: {
    steps: [
      {
        id: "send",
        call: send.with(({ data }) => ({ recipient: data.recipient, euros: data.euros! })),
        bind: "receipt"
      },
      { id: "last", reply: ({ data }: { readonly data: { readonly receipt?: string } }) => `${data.receipt}.` }
    ],
    last: "receipt 1."
  },
  end: { steps: [], last: "Anything else?" }
}

const begin = (steps: ReadonlyArray<object>) =>
  Effect.gen(function*() {
    const flows = [{ title: "Transfer", when: "wants to send money", steps }]
    return yield* Conversation.make(yield* kit.make({ name: "Bank", flows } as never))
  })

type Talk = Effect.Effect.Success<ReturnType<typeof begin>>

interface Way {
  readonly amount?: object
  readonly lose: (talk: Talk) => Effect.Effect<unknown, unknown>
}

/** The ways in which the recipient is forgotten while the flow waits for the amount. */
const ways: Record<string, Way> = {
  "the user takes it back": {
    lose: (talk) =>
      talk.user("I want to change the recipient", understand({ withdrawn: ["recipient"] }), say("To whom?"))
  },
  "a field that it depends on is changed": {
    lose: (talk) => talk.user("It is in France", understand({ fields: { country: "France" } }), say("To whom?"))
  },
  "a hook forgets it": {
    amount: {
      finalize: ({ message }: { readonly message: string }) => message === "No" ? { clear: ["recipient"] } : undefined
    },
    lose: (talk) =>
      Effect.zipRight(
        talk.user("No", understand({}), say("How much?")),
        talk.user("Well", understand({}), say("To whom?"))
      )
  },
  "a tool forgets it": {
    amount: { tools: [forgets] },
    lose: (talk) =>
      Effect.zipRight(
        talk.user("No", understand({}), call("forget", {}), say("How much?")),
        talk.user("Well", understand({}), say("To whom?"))
      )
  },
  "an event forgets it": {
    amount: { on: { closed: () => ({ clear: ["recipient"] }) } },
    lose: (talk) => talk.event("closed", {}, say("To whom?"))
  }
}

describe("a forgotten value leads back to the step that collects it", () => {
  for (const [shape, { amount = {}, last, steps }] of Object.entries(shapes)) {
    for (const [way, { amount: more = {}, lose }] of Object.entries(ways)) {
      it.effect(`before a step of the shape "${shape}", when ${way}`, () =>
        Effect.gen(function*() {
          ran.length = 0
          const talk = yield* begin([
            { id: "country", collect: ["country"], prompt: "Ask for the country" },
            { id: "recipient", collect: ["recipient"], prompt: "Ask to whom" },
            { id: "amount", collect: ["euros"], prompt: "Ask how much", ...amount, ...more },
            ...steps
          ])
          yield* talk.user(
            "Send Ann money",
            understand({ flow: "transfer", fields: { country: "Spain", recipient: "Ann" } }),
            say("How much?")
          )
          yield* lose(talk)
          yield* talk.expectData({ recipient: undefined })
          yield* talk.expectStep("transfer", "recipient")
          yield* talk.expectReply("To whom?")
          const speaks = shape === "prompt" ? [ScriptedModel.sayTask] : shape === "end" ? [say("Anything else?")] : []
          const { message } = yield* talk.user(
            "50 to Bob",
            understand({ fields: { recipient: "Bob", euros: 50 } }),
            ...speaks
          )
          expect(message).toContain(last)
          expect(message).not.toMatch(/undefined|null|NaN/)
          expect(ran.every((one) => one === "50 to Bob")).toBe(true)
        }).pipe(Effect.provide([ScriptedModel.layer(), SessionStore.layerMemory])))
    }
  }
})

const slots = Agent.define({
  data: Schema.Struct({
    day: Schema.String,
    slots: Schema.Array(Schema.String).annotations({ dependsOn: ["day"] }),
    slot: Schema.String.annotations({ dependsOn: ["day"] }),
    note: Schema.String
  })
})
const asked: Array<string> = []
const find = slots.tool({
  id: "find",
  parameters: { day: Schema.String },
  handler: ({ day }) => {
    asked.push(day)
    return [`${day} at 9`]
  }
})

describe("a value that a call binds", () => {
  it.effect("is found again when it is forgotten, because the call is made again", () =>
    Effect.suspend(() => {
      asked.length = 0
      return Effect.zipRight(
        play(
          slots.make({
            name: "Doctor",
            flows: [{
              title: "Visit",
              steps: [
                { id: "day", collect: ["day"], prompt: "Which day?" },
                { id: "find", call: find.with(({ data }) => ({ day: data.day! })), bind: "slots" },
                { id: "slot", collect: ["slot"], prompt: ({ data }) => `Which of ${data.slots?.join()}?` },
                { id: "note", collect: ["note"], prompt: "Why?" },
                { id: "end", reply: ({ data }) => `${data.slot}.` }
              ]
            }]
          }),
          [
            {
              say: "Monday",
              states: { day: "Monday" },
              then: { at: "visit/slot", steps: ["visit/day", "visit/find", "visit/slot"].slice(1) }
            },
            { say: "At 9", states: { slot: "Monday at 9" }, then: { at: "visit/note" } },
            {
              say: "No, Tuesday",
              states: { day: "Tuesday" },
              then: {
                at: "visit/slot",
                steps: ["visit/find", "visit/slot"],
                data: { day: "Tuesday", slots: ["Tuesday at 9"] }
              }
            },
            { say: "Fine", states: { slot: "Tuesday at 9", note: "cough" }, then: { said: "Tuesday at 9." } }
          ]
        ),
        Effect.sync(() => expect(asked).toEqual(["Monday", "Tuesday"]))
      )
    }))
})

describe("a step that a branch has passed over", () => {
  const errand = Agent.define({
    data: Schema.Struct({ kind: Schema.String, address: Schema.String, name: Schema.String })
  })
  const made = errand.make({
    name: "Shop",
    flows: [{
      title: "Order",
      steps: [
        {
          id: "kind",
          collect: ["kind"],
          prompt: "Kind?",
          branches: [{ if: ({ data }) => data.kind === "pick up", then: "name" }]
        },
        {
          id: "address",
          collect: ["address"],
          prompt: "Address?",
          branches: [{ when: "does not tell", then: "name" }]
        },
        { id: "name", collect: ["name"], prompt: "Name?" },
        { id: "sure", prompt: "Sure?", until: () => false }
      ]
    }]
  })

  it.effect("stays passed over when its value is forgotten, until the walk comes to it again", () =>
    play(made, [
      { say: "Pick up, I live at Rua 5", states: { kind: "pick up", address: "Rua 5" }, then: { at: "order/name" } },
      { say: "Forget my address", more: { withdrawn: ["address"] }, then: { at: "order/name", cleared: ["address"] } },
      { say: "Ann", states: { name: "Ann" }, then: { at: "order/sure" } },
      { say: "Forget the kind", more: { withdrawn: ["kind"] }, then: { at: "order/kind" } },
      { say: "Deliver it", states: { kind: "deliver" }, then: { at: "order/address" } },
      { say: "I do not tell", holds: ["does not tell"], then: { at: "order/sure" } }
    ]))
})

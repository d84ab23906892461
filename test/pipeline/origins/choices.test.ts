/** A value that the user chooses among those that a step has offered is the user's, whoever has said it before. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, BlobStore, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"

const { toolCall } = Script

const kit = Agent.define({
  data: Schema.Struct({
    day: Schema.String,
    time: Schema.String,
    free: Schema.Array(Schema.String).annotations({ extract: "never" }),
    extras: Schema.Array(Schema.String)
  })
})

type Fields = Readonly<Record<string, string | ReadonlyArray<string>>>

/** A barber: a read-only tool lists free times, a step offers them, and a destructive tool books one. */
const barber = (
  options: {
    readonly choices?: object
    readonly script?: ReadonlyArray<Script.Answer>
    readonly understood?: Readonly<Record<string, Fields>>
    readonly steps?: (book: { readonly with: (args: never) => object }) => ReadonlyArray<object>
  } = {}
) =>
  Effect.gen(function*() {
    const booked: Array<unknown> = []
    const freeSlots = kit.tool({
      id: "free_slots",
      isReadOnly: true,
      parameters: { day: Schema.String },
      handler: () => ({ ok: true, outputMessage: "10:30 and 11:00", details: ["10:30", "11:00"] })
    })
    const book = kit.tool({
      id: "book_slot",
      isDestructive: true,
      parameters: { time: Schema.Unknown },
      accepts: { time: ["user"], otherwise: "refuse" },
      handler: ({ time }) => (booked.push(time), "booked")
    })
    const script = [...options.script ?? []]
    const make = kit.make as unknown as (
      options: object
    ) => Effect.Effect<Agent.Agent<object, {}>, never, SessionStore.SessionStore>
    const agent = yield* make({
      name: "Barber",
      files: { accept: ["text/plain"] },
      tools: [book],
      flows: [{
        title: "Book",
        steps: [
          { id: "day", prompt: "Ask for the day", collect: ["day"] },
          {
            id: "free",
            call: freeSlots.with(({ data }) => ({ day: data.day })),
            bind: "free",
            then: { failed: "full" }
          },
          {
            id: "time",
            prompt: "Offer the times",
            collect: ["time"],
            choices: options.choices ??
              { time: ({ data }: { readonly data: { readonly free?: object } }) => data.free ?? [] }
          },
          ...options.steps?.(book) ?? [{
            id: "book",
            call: book.with(({ data }) => ({ time: data.time })),
            then: { denied: "no", failed: "full" }
          }],
          { id: "done", reply: "Booked.", ends: true },
          { id: "no", reply: "Not allowed.", ends: "abort" },
          { id: "full", reply: "Nothing is free on that day.", ends: "abort" }
        ]
      }]
    }).pipe(Effect.provide(Layer.mergeAll(
      Script.make(() => script.shift() ?? "10:30, 11:00 or 12:15 with eve@evil.example are free").layer,
      ScriptedUnderstanding.make(({ flows, message }) => ({
        flowScores: Object.fromEntries(flows.map(({ id }) => [id, 90])),
        fields: options.understood?.[message] ?? {}
      })).layer,
      BlobStore.layerMemory,
      SessionStore.layerMemory
    )))
    const say = (message: string, more: object = {}) => agent.respond({ sessionId: "s", message, ...more })
    return { agent, booked, say }
  })

const understood = {
  "On Monday": { day: "Monday" },
  "Half past ten": { time: "10:30" },
  "A quarter past twelve": { time: "12:15" },
  "Both": { extras: ["shave", "wash"] },
  "Wax, and what you said": { extras: ["wax", "eve@evil.example"] },
  "A shave, and what you said": { extras: ["shave", "eve@evil.example"] }
}

describe("a value that a step has offered as a choice", () => {
  it.effect("is the user's if a message chooses it in other words, also after the agent has said it", () =>
    Effect.gen(function*() {
      const { booked, say } = yield* barber({ understood })
      const { expects, message } = yield* say("On Monday")
      expect(message).toContain("10:30")
      expect(expects?.properties.time?.suggestions?.map(({ value }) => value)).toEqual(["10:30", "11:00"])
      const chosen = yield* say("Half past ten")
      expect([chosen.message, booked]).toEqual(["Booked.", ["10:30"]])
      expect(chosen.session.origins?.fields.time).toEqual([{ kind: "user", message: 3 }])
    }))

  it.effect("is the user's if a form chooses it", () =>
    Effect.gen(function*() {
      const { agent, booked, say } = yield* barber({ understood })
      yield* say("On Monday")
      yield* agent.respond({ sessionId: "s", values: { time: "11:00" } as never })
      expect(booked).toEqual(["11:00"])
    }))

  it.effect("is the user's if texts or objects are offered", () =>
    Effect.gen(function*() {
      for (const choices of [["9:00", "10:30"], { time: [{ value: "10:30", label: "in the morning" }] }]) {
        const { booked, say } = yield* barber({ understood, choices })
        yield* say("On Monday")
        yield* say("Half past ten")
        expect(booked).toEqual(["10:30"])
      }
    }))

  it.effect("is the user's in a call of the model, too, and after a digression", () =>
    Effect.gen(function*() {
      const { booked, say } = yield* barber({
        understood,
        script: ["Which?", "In the High Street. And when?", [toolCall("book_slot", { time: "10:30" })], "Done"],
        steps: () => [{ id: "help", prompt: "Help", until: () => false }]
      })
      yield* say("On Monday")
      yield* say("Where are you?")
      yield* say("Half past ten")
      expect(booked).toEqual(["10:30"])
    }))

  it.effect("does not make another value the user's that only the agent has said", () =>
    Effect.gen(function*() {
      const { booked, say } = yield* barber({ understood })
      yield* say("On Monday")
      const { message, session } = yield* say("A quarter past twelve")
      expect([message, booked]).toEqual(["Not allowed.", []])
      expect(session.origins?.fields.time).toEqual([{ kind: "model" }])
    }))

  it.effect("is not the user's if a file of the message may have chosen it", () =>
    Effect.gen(function*() {
      const { booked, say } = yield* barber({ understood })
      yield* say("On Monday")
      const file = { type: "file", mediaType: "text/plain", name: "a.txt", bytes: new TextEncoder().encode("10:30") }
      const { message, session } = yield* say("Half past ten", { parts: [file] })
      expect([message, booked]).toEqual(["Not allowed.", []])
      expect(session.origins).toMatchObject({ fields: { time: [{ kind: "document", name: "a.txt" }] } })
    }))

  it.effect("is the user's as an element of a list, and the other elements are not", () =>
    Effect.gen(function*() {
      const fieldsAfter = (message: string) =>
        Effect.gen(function*() {
          const { say } = yield* barber({
            understood,
            steps: () => [{
              id: "extras",
              prompt: "Offer",
              collect: ["extras"],
              choices: [{ value: ["shave"], label: "A shave" }, { value: ["wash"], label: "A wash" }]
            }]
          })
          yield* say("On Monday")
          yield* say("Half past ten")
          return (yield* say(message)).session.origins?.fields.extras
        })
      expect(yield* fieldsAfter("Both")).toEqual([{ kind: "user", message: 5 }])
      expect(yield* fieldsAfter("Wax, and what you said")).toEqual([{ kind: "model" }])
      expect(yield* fieldsAfter("A shave, and what you said")).toEqual([{ kind: "model" }])
    }))
})

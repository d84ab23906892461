/** A flow's own call that a check refuses: where the flow goes, and what the user reads. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, SessionStore } from "coxswain"
import { Effect, Layer, Schema } from "effect"
import * as Script from "../../support/Script.js"
import * as ScriptedUnderstanding from "../../support/ScriptedUnderstanding.js"

const kit = Agent.define({
  data: Schema.Struct({ time: Schema.String }),
  context: Schema.Struct({ locale: Schema.optional(Schema.String) })
})

const gates: Readonly<Record<string, object>> = {
  "checkPermissions": { checkPermissions: () => ({ allowed: false, reason: "the account is blocked" }) },
  "a check that fails": { checkPermissions: () => Effect.fail("the server is down") },
  "a policy": { policies: [{ onlyIf: { called: "verify" } }] },
  "an origin": { sends: true, accepts: { time: ["person"], otherwise: "refuse" } }
}

const make = (gate: object, then: object = {}) =>
  Effect.gen(function*() {
    const booked: Array<unknown> = []
    const book = kit.tool({
      id: "book_slot",
      parameters: { time: Schema.String },
      ...gate,
      handler: ({ time }) => (booked.push(time), "booked")
    })
    const verify = kit.tool({ id: "verify", handler: () => "verified" })
    const agent = yield* kit.make({
      name: "Barber",
      tools: [verify],
      flows: [{
        title: "Book",
        steps: [
          { id: "time", prompt: "Ask for the time", collect: ["time"] },
          { id: "book", call: book.with(({ data }) => ({ time: data.time })), then },
          { id: "done", reply: "Booked.", ends: true },
          { id: "full", reply: "Nothing is free." },
          { id: "no", reply: "Not allowed." }
        ]
      }]
    }).pipe(Effect.provide(Layer.mergeAll(
      Script.make(() => "When?").layer,
      ScriptedUnderstanding.make(({ flows, message }) => ({
        flowScores: Object.fromEntries(flows.map(({ id }) => [id, 90])),
        fields: /\d/.test(message) ? { time: /\d+/.exec(message)![0] } : {}
      })).layer,
      SessionStore.layerMemory
    )))
    const say = (message: string, locale?: string) =>
      agent.respond({ sessionId: "s", message, ...(locale !== undefined && { context: { locale } }) })
    return { booked, say }
  })

describe("a call of a step that a check refuses", () => {
  for (const [name, gate] of Object.entries(gates)) {
    it.effect(`follows then.denied, and not then.failed: ${name}`, () =>
      Effect.gen(function*() {
        const { say } = yield* make(gate, { failed: "full", denied: "no" })
        expect((yield* say("At 10")).message).toBe("Not allowed.")
      }))

    it.effect(`stays at the step and says so if only then.failed is given: ${name}`, () =>
      Effect.gen(function*() {
        const { booked, say } = yield* make(gate, { failed: "full" })
        const { message, session, stoppedReason, trace } = yield* say("At 10")
        expect([message, stoppedReason]).toEqual(["I am not allowed to do that.", "needs_input"])
        expect(session.currentStep).toMatchObject({ id: "book", spoken: false })
        expect(trace).toContainEqual(expect.objectContaining({
          kind: "call_refused",
          source: "step:book/book",
          message: expect.stringContaining("then.denied")
        }))
        // The flow does not go on after the refused call.
        expect((yield* say("Well")).message).toBe("I am not allowed to do that.")
        expect(booked).toEqual([])
      }))
  }

  it.effect("makes the call again after the next message, with what that message changed", () =>
    Effect.gen(function*() {
      const { booked, say } = yield* make({
        checkPermissions: ({ time }: { readonly time: string }) => time === "11"
      })
      expect((yield* say("At 10")).message).toBe("I am not allowed to do that.")
      expect((yield* say("Then at 11")).message).toBe("Booked.")
      expect(booked).toEqual(["11"])
    }))

  it.effect("says it in the language of the context's locale, else of the message, else in English", () =>
    Effect.gen(function*() {
      const said = (message: string, locale?: string) =>
        Effect.gen(function*() {
          const { say } = yield* make(gates["checkPermissions"]!)
          return (yield* say(message, locale)).message
        })
      expect(yield* said("Bitte einen Termin um 10 für mich")).toBe("Das darf ich nicht tun.")
      expect(yield* said("Quero marcar para as 10")).toBe("Não tenho permissão para fazer isso.")
      expect(yield* said("An appointment at 10", "pl-PL")).toBe("Nie wolno mi tego zrobić.")
      expect(yield* said("Bitte um 10", "ja")).toBe("I am not allowed to do that.")
      expect(yield* said("10")).toBe("I am not allowed to do that.")
    }))

  it.effect("leaves the words to a check that replies itself", () =>
    Effect.gen(function*() {
      const { say } = yield* make({
        checkPermissions: () => ({
          allowed: false,
          reason: "blocked",
          directive: { reply: "Your account is blocked." }
        })
      })
      const { message, session } = yield* say("At 10")
      expect([message, session.currentStep?.id]).toEqual(["Your account is blocked.", "book"])
    }))
})

describe("a call of a step that the user declines", () => {
  const asking = { needsApproval: { by: "user" }, confirmation: "Book it?" }

  it.effect("follows then.denied, else then.failed; without both the flow is left", () =>
    Effect.gen(function*() {
      const declined = (then: object) =>
        Effect.gen(function*() {
          const { say } = yield* make(asking, then)
          expect((yield* say("At 10")).message).toBe("Book it?")
          return yield* say("no")
        })
      expect((yield* declined({ denied: "no", failed: "full" })).message).toBe("Not allowed.")
      expect((yield* declined({ failed: "full" })).message).toBe("Nothing is free.")
      expect((yield* declined({})).session.currentFlow).toBeUndefined()
    }))
})

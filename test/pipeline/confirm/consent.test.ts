import type * as LanguageModel from "@effect/ai/LanguageModel"
import { describe, expect, it } from "@effect/vitest"
import { Agent, type Consent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Layer, Schema } from "effect"
import { corpus } from "../../domain/consent/corpus.js"
import * as Stage from "../../support/Stage.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.String, nights: Schema.Int }) })

const cancelling = "Shall I cancel OI5L9G?"

/** A desk that asks the question in its first turn; `layer` understands the answer. */
const desk = (options: {
  readonly question?: string
  readonly consent?: Consent.Consent
  readonly agent?: { readonly consent: Consent.Options }
  readonly layer: Layer.Layer<SessionStore.SessionStore | LanguageModel.LanguageModel>
}) =>
  Effect.gen(function*() {
    const { agent: own = {}, consent, question = cancelling } = options
    const ran: Array<number> = []
    const act = kit.tool({
      id: "act",
      parameters: {},
      needsApproval: { by: "user" },
      confirmation: () => question,
      ...(consent !== undefined && { consent }),
      handler: () => Effect.sync(() => `done ${ran.push(1)}`)
    })
    const agent = yield* kit.make({
      name: "Desk",
      ...own,
      flows: [{
        title: "Act",
        steps: [
          { id: "act", call: act.with({}), then: { ok: "done", failed: "not" } },
          { id: "done", reply: "Done." },
          { id: "not", reply: "Not done." }
        ]
      }]
    }).pipe(Effect.provide(options.layer))
    const answer = (message: string, sessionId = "s") =>
      Effect.gen(function*() {
        yield* agent.respond({ sessionId, message: "Hello" })
        const before = ran.length
        const response = yield* agent.respond({ sessionId, message })
        return { ...response, hasRun: ran.length > before }
      })
    return { answer, agent, ran }
  })

/** A model that judges every message as a yes. */
const hostile = () => Stage.make({ understand: () => ({ conditions: { "confirm.yes": true } }), speak: () => "I see." })

describe("the consent of the user", () => {
  it.effect(
    "consent is not given by any test message that is not a yes, even if the model judges all as yes",
    () =>
      Effect.gen(function*() {
        for (const { neither, no, question } of corpus) {
          const { answer, ran } = yield* desk({ question, layer: (yield* hostile()).layer })
          for (const message of [...neither, ...no]) yield* answer(message, message)
          expect(ran).toEqual([])
        }
      })
  )

  it.effect(
    "consent is recognised in at least 80% of the yes messages of the test data with `consent: 'plain'`",
    () =>
      Effect.gen(function*() {
        let run = 0
        let all = 0
        for (const { question, yes } of corpus) {
          const { answer, ran } = yield* desk({ question, consent: "plain", layer: (yield* hostile()).layer })
          for (const message of yes) yield* answer(message, message)
          run += ran.length
          all += yes.length
        }
        expect(run / all).toBeGreaterThanOrEqual(0.8)
      })
  )

  it.effect("unclear consent is asked for again with the reason, and the prompt says that nothing was done", () =>
    Effect.gen(function*() {
      const stage = yield* hostile()
      const { agent, answer } = yield* desk({ layer: stage.layer })
      const { message, stoppedReason, trace } = yield* answer("Yes, but only if it is refunded today")
      expect(message).toContain(`You named a condition, so I have not done anything yet. ${cancelling}`)
      expect(stoppedReason).toBe("needs_approval")
      expect(trace).toContainEqual({ kind: "consent_refused", source: "confirm.yes", message: "condition" })
      expect(stage.prompts.at(-1)!.text).toContain("is not taken as a yes")
      // The refusal does not carry over to the next answer.
      expect((yield* agent.respond({ sessionId: "s", message: "Yes please" })).message).toBe("Done.")
    }))

  it.effect("consent is given by a yes that the model recognises in a longer message, but not with `consent: 'plain'`", () =>
    Effect.gen(function*() {
      const message = "Yes, my plans fell through"
      const judged = yield* desk({ layer: (yield* hostile()).layer })
      expect((yield* judged.answer(message)).message).toBe("Done.")
      const plain = yield* desk({ consent: "plain", layer: (yield* hostile()).layer })
      expect((yield* plain.answer(message)).message).toContain(
        `I did not get a clear yes, so I have not done anything yet.`
      )
      expect(plain.ran).toEqual([])
    }))

  it.effect("consent is decided by the agent's own `recognise` function before the library and the model", () =>
    Effect.gen(function*() {
      const consent: Consent.Options = {
        recognise: (message, question) =>
          message === `I say "${question}": engage` ? "yes" : message === "yes" ? "neither" : undefined
      }
      const own = yield* desk({ consent: "plain", agent: { consent }, layer: (yield* hostile()).layer })
      expect((yield* own.answer("yes", "a")).hasRun).toBe(false)
      expect((yield* own.answer(`I say "${cancelling}": engage`, "b")).hasRun).toBe(true)
    }))

  it.effect("consent to read-back values follows the same rules; a yes does not answer which value to change", () =>
    Effect.gen(function*() {
      const of = (consent: Consent.Consent) =>
        Effect.gen(function*() {
          const stage = yield* Stage.make({
            understand: ({ message }) =>
              message === "Lisbon for 3"
                ? { fields: { city: "Lisbon", nights: 3 } }
                : { conditions: { "confirm.yes": true } },
            speak: () => "I see."
          })
          const agent = yield* kit.make({
            name: "Trips",
            flows: [{
              title: "Trip",
              steps: [
                { id: "what", prompt: "Ask", collect: ["city", "nights"], confirm: true, consent },
                { id: "done", reply: "Booked." }
              ]
            }]
          }).pipe(Effect.provide(stage.layer))
          const say = (message: string) =>
            Effect.map(agent.respond({ sessionId: "s", message }), (response) => response.message)
          yield* say("Lisbon for 3")
          return say
        })
      const readBack = "City: Lisbon; nights: 3. Is that right?"
      const judged = yield* of("judged")
      expect(yield* judged("My wife said yes")).toContain(`own answer, so I have not done anything yet. ${readBack}`)
      expect(yield* judged("no")).toBe("What should I change: city or nights?")
      expect(yield* judged("Yes, that will be splendid")).toContain(readBack)
      expect(yield* judged("Yes, that will be splendid")).toBe("Booked.")
      const plain = yield* of("plain")
      expect(yield* plain("Yes, that will be splendid")).toContain(readBack)
      expect(yield* plain("Yes, Lisbon, 3 nights")).toBe("Booked.")
    }))

  it.effect("consent is not given by unclear answers with the offline model", () =>
    Effect.gen(function*() {
      const { answer, ran } = yield* desk({
        layer: Layer.merge(Offline.layer, SessionStore.layerMemory)
      })
      for (
        const message of [
          "yes?",
          "ok wait",
          "Yes, but not this one",
          "Yes, but only if it is refunded today",
          "My wife said yes",
          "Yes, cancel reservation ABC123",
          "Could you confirm if I can get a refund first?",
          "Yes, please transfer me to a human agent"
        ]
      ) yield* answer(message, message)
      expect(ran).toEqual([])
      expect((yield* answer("Yes, that sounds good, please go ahead", "b")).hasRun).toBe(true)
    }))

  it.effect("`make` refuses the option `consent` without `confirm` or with an unknown value", () =>
    Effect.gen(function*() {
      const { layer } = yield* hostile()
      const refusal = (step: object) =>
        kit.make({ name: "Bad", flows: [{ title: "F", steps: [{ prompt: "P", collect: ["city"], ...step }] }] }).pipe(
          Effect.provide(layer),
          Effect.flip,
          Effect.map((error) => String(error))
        )
      expect(yield* refusal({ consent: "plain" })).toContain("consent without confirm")
      expect(yield* refusal({ confirm: true, consent: "loud" })).toContain("must be \"plain\" or \"judged\"")
    }))
})

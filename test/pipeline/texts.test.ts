/** Texts of the agent's author, by locale. */
import { describe, expect, it } from "@effect/vitest"
import { Agent, Guardrail } from "coxswain"
import { Effect, Fiber, Logger, LogLevel, Schema, TestClock } from "effect"
import * as Stage from "../support/Stage.js"

const kit = Agent.define({
  data: Schema.Struct({ city: Schema.String }),
  context: Schema.Struct({ locale: Schema.String })
})

const flow = kit.flow({
  title: "Booking",
  steps: [
    {
      id: "city",
      prompt: "Ask for the city",
      collect: ["city"],
      confirm: { en: ({ data }) => `To ${data.city}?`, de: ({ data }) => `Nach ${data.city}?` }
    },
    {
      id: "done",
      reply: { en: "Booked.", de: ({ data }) => `Gebucht: ${data.city}.`, "pt-BR": "Reservado." },
      neverCompletes: true
    }
  ]
})

const talk = (locale: string) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make({ understand: ({ message }) => ({ fields: { city: message } }) })
    const agent = yield* kit.make({ name: "Hotel", flows: [flow] }).pipe(Effect.provide(stage.layer))
    const say = (message: string) => agent.respond({ sessionId: "s1", message, context: { locale } })
    return [(yield* say("Wien")).message, (yield* say("yes")).message]
  })

const guarded = (guardrails: object) =>
  Effect.gen(function*() {
    const stage = yield* Stage.make()
    // Invalid guardrails are reported by `make`.
    const agent = yield* kit.make({ name: "Hotel", guardrails: guardrails as {}, flows: [flow] })
      .pipe(Effect.provide(stage.layer))
    return (message: string, locale: string) =>
      Effect.map(agent.respond({ sessionId: "s1", message, context: { locale } }), (response) => response.message)
  })

const no = (word: string, more: object) => ({
  id: word,
  check: (text: string) => text.includes(word) ? { reason: word } : undefined,
  ...more
})

describe("texts in several locales", () => {
  it.effect("a guardrail uses its own texts, otherwise the texts common to all guardrails", () =>
    Effect.gen(function*() {
      const say = yield* guarded({
        input: [
          no("bomb", {
            reply: { en: "Not here.", de: ({ message }: { message: string }) => `Nicht hier: ${message}` }
          }),
          no("tax", {}),
          Guardrail.length({ max: 20, reply: { en: "Shorter, please.", de: "Bitte kürzer." } })
        ],
        reply: { de: "Das geht nicht.", en: "I cannot." }
      })
      expect([yield* say("a bomb", "de-AT"), yield* say("a bomb", "en"), yield* say("a bomb", "fr")])
        .toEqual(["Nicht hier: a bomb", "Not here.", "Not here."])
      expect([yield* say("my tax", "en"), yield* say("my tax", "fr")]).toEqual(["I cannot.", "Das geht nicht."])
      expect(yield* say("a very long message indeed", "de")).toBe("Bitte kürzer.")
    }))

  it.effect("if a guardrail's reply fails, the default text is sent; a blocked message is not passed to the reply", () =>
    Effect.gen(function*() {
      let seen = ""
      const broken = [
        no("fails", { reply: () => Effect.fail("down") }),
        no("dies", { reply: () => undefined }),
        no("waits", { reply: () => Effect.never, timeout: "1 second" }),
        no("blank", { reply: { en: "" } }),
        no("effect", {
          reply: ({ context }: { context: { locale: string } }) => Effect.succeed(`In ${context.locale}`)
        }),
        {
          id: "rewrites",
          rewrite: (text: string) => text.includes("secret") ? Effect.fail("down") : text,
          reply: ({ message }: { message: string }) => {
            seen = message
            return "No."
          }
        }
      ]
      const say = yield* guarded({ input: broken })
      const quiet = Logger.withMinimumLogLevel(LogLevel.None)
      for (const message of ["it fails", "it dies", "it is blank"]) {
        expect(yield* quiet(say(message, "en"))).toBe("I am sorry, I cannot go on with that.")
      }
      const waiting = yield* Effect.fork(quiet(say("it waits", "en")))
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(waiting)).toBe("I am sorry, I cannot go on with that.")
      expect(yield* say("an effect", "pt")).toBe("In pt")
      expect([yield* quiet(say("a secret", "en")), seen]).toEqual(["No.", "[withheld]"])
    }))

  it.effect("are chosen by the locale of the context, then by its language; otherwise the first text is used", () =>
    Effect.gen(function*() {
      expect(yield* talk("de-AT")).toEqual(["Nach Wien?", "Gebucht: Wien."])
      expect(yield* talk("pt-BR")).toEqual(["To Wien?", "Reservado."])
      expect(yield* talk("nonsense!")).toEqual(["To Wien?", "Booked."])
    }))

  it.effect("are refused by `make` if a locale is invalid, with a proposal how to fix the locale", () =>
    Effect.gen(function*() {
      const stage = yield* Stage.make()
      const faults = (reply: Record<string, string>) =>
        kit.make({ name: "Hotel", flows: [{ title: "A", steps: [{ reply }] }] }).pipe(
          Effect.provide(stage.layer),
          Effect.flip,
          Effect.map(({ message }) => message)
        )
      expect(yield* faults({})).toContain("Write a text by its locale")
      expect(yield* faults({ "pt-br": "Oi" })).toContain("Write \"pt-BR\"")
      for (const name of ["no locale", "english", "deutsch", "klingon", "english-US", "x-en"]) {
        expect(yield* faults({ [name]: "Hi", de: "Hallo" }), name).toContain(`text for locale "${name}"`)
        expect(yield* faults({ [name]: "Hi", de: "Hallo" }), name).toContain(
          "that is no locale. Name a language, \"de\""
        )
      }
      const known = { en: "Hi", gsw: "Hoi", "zh-Hant-TW": "你好", "de-CH-1996": "Hoi" }
      yield* kit.make({ name: "Hotel", flows: [{ title: "A", steps: [{ reply: known }] }] }).pipe(
        Effect.provide(stage.layer)
      )
      const guardrails = { reply: {}, output: [no("a", {}), no("b", { reply: { "pt-br": "Oi" } })] }
      expect(yield* Effect.flip(guarded(guardrails))).toMatchObject({
        issues: [{ path: "guardrails.output[1].reply.pt-br" }, { path: "guardrails.reply" }]
      })
    }))
})

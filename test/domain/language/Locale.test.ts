import { describe, expect, it } from "@effect/vitest"
import { Agent, Locale, SessionStore } from "coxswain"
import { ScriptedModel } from "coxswain/testing"
import { DateTime, Effect, Layer, Schema } from "effect"

const at = (locale?: unknown) => ({ context: locale === undefined ? {} : { locale } })
const day = new Date("2027-03-05T23:30:00Z")

describe("Locale (texts in the user's language)", () => {
  it("is the context's locale if Intl supports it, else English", () => {
    expect(["pt-PT", "PT-pt", "de", undefined, 7, "", "not a locale!"].map((one) => Locale.of(at(one))))
      .toEqual(["pt-PT", "pt-PT", "de", "en", "en", "en", "en"])
  })

  it("formats dates in UTC, and an unknown date as empty text", () => {
    expect(Locale.date(at("en"), day)).toBe("March 5, 2027")
    expect(Locale.date(at("de"), DateTime.unsafeMake(day))).toBe("5. März 2027")
    expect(Locale.date(at("pt-PT"), day, { dateStyle: "short" })).toBe("05/03/27")
    expect(Locale.date(at("en"), day, { timeZone: "Asia/Tokyo", dateStyle: "long" })).toBe("March 6, 2027")
    expect([Locale.date(at("en"), undefined), Locale.date(at("en"), new Date(NaN))]).toEqual(["", ""])
  })

  it("formats numbers and money", () => {
    expect(Locale.number(at("de"), 1234.5)).toBe("1.234,5")
    expect(Locale.number(at("en"), 1234.5, { style: "currency", currency: "EUR" })).toBe("€1,234.50")
    expect(Locale.number(at("en"), undefined)).toBe("")
  })

  it("picks the text of the nearest locale, else the first text", () => {
    const texts = { en: "Hello", pt: "Olá", "pt-BR": "Oi" }
    expect(["pt-BR", "pt-PT", "fr", undefined].map((one) => Locale.pick(at(one), texts)))
      .toEqual(["Oi", "Olá", "Hello", "Hello"])
  })

  it.effect("localizes replies that are said without the model", () =>
    Effect.gen(function*() {
      const kit = Agent.define({
        data: Schema.Struct({ price: Schema.Number }),
        context: Schema.Struct({ locale: Schema.String })
      })
      const agent = yield* kit.make({
        name: "Test",
        initialData: { price: 1234.5 },
        flows: [{
          title: "Price",
          steps: [{
            reply: (ctx) =>
              Locale.pick(ctx, {
                en: `It is ${Locale.number(ctx, ctx.data.price)}.`,
                de: `Es sind ${Locale.number(ctx, ctx.data.price)}.`
              })
          }]
        }]
      }).pipe(Effect.provide(Layer.mergeAll(ScriptedModel.languageModel(() => "{}").layer, SessionStore.layerMemory)))
      const say = (locale: string) => agent.respond({ sessionId: locale, message: "hi", context: { locale } })
      expect([(yield* say("en-GB")).message, (yield* say("de-AT")).message]).toEqual([
        "It is 1,234.5.",
        expect.stringMatching(/^Es sind 1.234,5\.$/)
      ])
    }))
})

import { describe, expect, it } from "@effect/vitest"
import { Consent } from "coxswain"
import { Schema } from "effect"
import { corpus } from "./corpus.js"

const of = (kind: "yes" | "no" | "neither") =>
  corpus.flatMap(({ question, ...answers }) => answers[kind].map((message) => ({ message, question })))

const toQuestion = (question: string) => (message: string) => Consent.answerOf(message, { question })
const to = toQuestion("Shall I cancel OI5L9G?")

describe("a collection of answers to yes-or-no questions", () => {
  it("has at least 100 messages per kind of answer, for six kinds of question, in all languages", () => {
    const sizes = [of("yes"), of("no"), of("neither")].map(({ length }) => length)
    expect(sizes.reduce((sum, size) => sum + size)).toBeGreaterThanOrEqual(300)
    for (const size of sizes) expect(size).toBeGreaterThanOrEqual(100)
    expect(new Set(corpus.map(({ kind }) => kind)).size).toBe(6)
    expect(new Set(corpus.map(({ language }) => language)).size).toBe(9)
  })

  it("no message labelled `no` or `neither` is accepted as a yes, even if the model says yes", () => {
    const wrong = [...of("no"), ...of("neither")].filter(({ message, question }) =>
      Consent.answerOf(message, { question }) === "yes" || Consent.objectionTo(message, { question }) === undefined
    )
    expect(wrong).toEqual([])
  })

  it("code recognises no message labelled `neither` as a yes or a no", () => {
    expect(of("neither").filter(({ message, question }) => toQuestion(question)(message) !== undefined)).toEqual([])
  })

  it.each(Array.from(new Set(corpus.map(({ language }) => language))))(
    "code recognises at least 80 % of the yes messages, 75 % in Dutch: %s",
    (code) => {
      const own = corpus.filter(({ language }) => language === code)
      const all = own.flatMap(({ question, yes }) => yes.map((message) => toQuestion(question)(message)))
      const share = all.filter((answer) => answer === "yes").length / all.length
      expect(share).toBeGreaterThanOrEqual(code === "nl" ? 0.75 : 0.8)
    }
  )

  it("code recognises at least 80 % of the yes messages and of the no messages over all languages", () => {
    for (const kind of ["yes", "no"] as const) {
      const all = of(kind)
      const known = all.filter(({ message, question }) => toQuestion(question)(message) === kind)
      expect(known.length / all.length).toBeGreaterThanOrEqual(0.8)
    }
  })
})

describe("recognition of a yes", () => {
  it("a yes that repeats words of the question is recognised; a yes that changes these words is not", () => {
    expect(to("Yes, cancel OI5L9G")).toBe("yes")
    expect(to("Yes, please proceed with the cancellation.")).toBe("yes")
    for (const other of ["Yes, cancel ABC123", "Yes, please cancel OI5L9G2", "Yes, cancel my orders", "Yes to all"]) {
      expect(to(other)).toBeUndefined()
    }
    const transfer = toQuestion("Shall I transfer 50 euros from savings to checking?")
    expect(transfer("yes, from savings to checking")).toBe("yes")
    expect(transfer("yes, from checking to savings")).toBeUndefined()
    expect(transfer("yes, 60 euros")).toBeUndefined()
    expect(toQuestion("You have W1 and W2. Shall I cancel W1?")("yes, cancel W2")).toBeUndefined()
    expect(toQuestion("You can also change it. Shall I cancel it?")("yes, change it")).toBeUndefined()
    expect(toQuestion("Shall I send 50 to Maria?")("Yes, to Mariana")).toBeUndefined()
    const both = toQuestion("Shall I cancel the flight and keep the hotel?")
    for (
      const other of ["yes, cancel the hotel", "yes, keep the flight", "yes, cancel the hotel and keep the flight"]
    ) {
      expect(both(other)).toBeUndefined()
    }
    expect(both("yes, cancel the flight and keep the hotel")).toBe("yes")
  })

  it("a yes with a doubt, a denial or a contrary emoji is not recognised", () => {
    const none = [
      "Yes and no",
      "yes or no",
      "yes no",
      "ja nein",
      "ok no",
      "yes 🤔",
      "yes 👎",
      "Sure, whatever",
      "yes?!"
    ]
    for (const message of [...none, "Sí, si me devuelven el dinero", "si puede", "oui, si possible", "", "  "]) {
      expect([message, to(message)]).toEqual([message, undefined])
    }
    expect(to("x".repeat(50_000))).toBeUndefined()
    expect(to(`yes ${"please ".repeat(9_000)}`)).toBeUndefined()
  })

  it("in further languages, code recognises simple yes messages, and may leave others to the model", () => {
    expect(to("はい、お願いします")).toBe("yes")
    expect(to("да, пожалуйста")).toBe("yes")
    expect(Consent.objectionTo("ใช่ค่ะ ยกเลิกเลย", { question: "ยกเลิกไหม" })).toBeUndefined()
    expect(Consent.objectionTo("ใช่ค่ะ?", { question: "ยกเลิกไหม" })).toBe("asks")
    expect(Consent.objectionTo("ใช่ 22", { question: "ยกเลิก 11 ไหม" })).toBe("more")
    expect(Consent.objectionTo("👍", { question: "Shall I?" })).toBeUndefined()
    expect(Consent.objectionTo("👎", { question: "Shall I?" })).toBe("denies")
    expect(Consent.objectionTo("нет, конечно", { question: "?" })).toBe("denies")
  })
})

describe("the reason why a message is not accepted as a yes", () => {
  it.each([
    ["yes?", "asks"],
    ["My wife said yes", "quotes"],
    ["Yes, but only if it is refunded today", "condition"],
    ["Yes, not that one", "denies"],
    ["ok wait", "hesitates"],
    ["Yes, please transfer me to a human agent", "more"],
    ["Lisbon is nice", "silent"]
  ])("\"%s\" gives the reason \"%s\"", (message, reason) => {
    expect(Consent.objectionTo(message, { question: "Shall I cancel OI5L9G?" })).toBe(reason)
  })

  it("the text that asks again after an unclear answer is in the language of the question", () => {
    expect(Consent.unclear("asks", { question: "Soll ich die Bestellung stornieren?" })).toMatch(/^Sie haben/)
    expect(Consent.unclear("more", { question: "Is that right?" })).toMatch(/^You mentioned/)
    expect(Consent.unclear("more", { question: "本当ですか" })).toMatch(/^You mentioned/)
    for (const { unclear } of Consent.languages) {
      expect(Object.keys(unclear)).toEqual(Object.keys(Consent.english.unclear))
    }
  })
})

describe("custom recognition of answers", () => {
  it("the application's `recognise` takes precedence; its defects and invalid results count as no answer", () => {
    const question = "Shall I cancel it?"
    const asked = (recognise: Consent.Recogniser) => ({ question, recognise })
    const engage = asked((message) => message === "engage" ? "yes" : message === "yes" ? "neither" : undefined)
    expect(Consent.answerOf("engage", engage)).toBe("yes")
    expect(Consent.objectionTo("engage", engage)).toBeUndefined()
    expect(Consent.answerOf("yes", engage)).toBeUndefined()
    expect(Consent.objectionTo("yes", engage)).toBe("silent")
    expect(Consent.answerOf("no", engage)).toBe("no")
    const broken = asked(() => {
      throw new Error("broken")
    })
    expect(Consent.answerOf("yes", broken)).toBeUndefined()
    expect(Consent.answerOf("yes", asked((() => true) as never))).toBeUndefined()
  })

  it("`languages` adds a language or replaces one of the library's", () => {
    const swedish: Consent.Language = {
      ...Consent.english,
      code: "sv",
      agrees: "ja, visst, gör det",
      beside: "tack",
      conditions: "om"
    }
    const asked = { question: "Ska jag avboka?", languages: [swedish] }
    expect(Consent.answerOf("Ja, gör det tack", asked)).toBe("yes")
    expect(Consent.objectionTo("Visst, om det är gratis", asked)).toBe("condition")
    const strict = { languages: [{ ...Consent.english, agrees: "i solemnly agree" }] }
    expect(Consent.answerOf("sounds good to me", strict)).toBeUndefined()
    expect(Consent.answerOf("I solemnly agree", strict)).toBe("yes")
  })
})

describe("a language of the author", () => {
  const isValid = Schema.is(Consent.Options)

  it("is valid without its optional lists", () => {
    const { amounts: _a, both: _b, classes: _c, compounds: _d, covers: _e, makes: _f, means: _g, ...least } =
      Consent.english
    expect(isValid({ languages: [least] })).toBe(true)
    expect(isValid({ languages: [{ ...least, code: "" }] })).toBe(false)
    for (const key of ["agrees", "refuses", "verbs", "unclear"]) {
      expect(isValid({ languages: [{ ...least, [key]: undefined }] })).toBe(false)
    }
    expect(isValid({ languages: [{ ...least, unclear: { ...least.unclear, more: "" } }] })).toBe(false)
  })

  it("keeps all that it has when it is decoded", () => {
    for (const language of Consent.languages) {
      expect(Schema.decodeUnknownSync(Consent.Options)({ languages: [language] })).toEqual({ languages: [language] })
    }
  })
})

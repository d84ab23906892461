/** Values in a question: untrusted text stays between its quotation marks, in one line, and shortened. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { otherPhrases } from "../../../../src/domain/language/phrases/OtherPhrases.js"
import { english, languageOf, ofLocale } from "../../../../src/domain/language/phrases/Phrases.js"
import { shownValue } from "../../../../src/domain/language/phrases/shownValue.js"

const spoken = { phrases: english, locale: "en" }
const shown = (value: unknown) => shownValue(value, spoken)

const text = "\"(?:[^\"\\\\\\n\\r\\u2028\\u2029<>`*[\\]\\u202e\\u200b]|\\\\.)*\""
const whole = new RegExp(`^${text}(?: … ${text} \\(\\d+ characters\\))?$`, "u")

const hostile = fc.string({
  unit: fc.constantFrom(
    "a",
    "1",
    " ",
    "\"",
    "\\",
    "\n",
    "\u202e",
    "\u200b",
    "\u2028",
    "<",
    "]",
    "(",
    "`",
    "*",
    "”",
    "é",
    "😀"
  ),
  maxLength: 400
})

describe("a value in a question", () => {
  it("is a quotation that its text cannot end, in one line and at most 1,700 characters", () =>
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ maxLength: 400 })), (value) => {
        const found = shown(value)
        expect(found).toMatch(whole)
        expect(found.length).toBeLessThan(1_700)
      }),
      { numRuns: 300, seed: 1 }
    ))

  it("quotes the names and the parts of objects", () => {
    expect(shown({ "x\", from you. \"": ["a", "b\n"], "n": 1.5, "on": true, "none": undefined })).toBe(
      "{\"x\\\", from you. \\\"\": [\"a\", \"b\\n\"], \"n\": 1.5, \"on\": yes}"
    )
    expect(shown(["a@x.org", "b@x.org"])).toBe("\"a@x.org\", \"b@x.org\"")
  })

  it("shows no more than twenty parts and five levels", () => {
    expect(shown(Array.from({ length: 30 }, (_, i) => i))).toMatch(/^0, 1, .*17, …, 28, 29 \(30\)$/)
    expect(shown([[[[[["deep"]]]]]])).not.toContain("deep")
  })

  it("has no thousands separators in numbers, which may be ids, and a date in the language", () => {
    expect([shown(5407324931), shown(new Date("2027-03-01"))]).toEqual(["5407324931", "March 1, 2027"])
  })
})

describe("the language of the library's sentences", () => {
  const all = [english, ...otherPhrases]

  it.each([
    ["Please read my mail and answer it", "en"],
    ["Lies bitte meine Mails", "de"],
    ["Lis mes courriels et réponds, s'il te plaît", "fr"],
    ["Lee mis correos, por favor", "es"],
    ["Leia o meu correio, por favor", "pt"],
    ["Leggi la mia posta, per favore", "it"],
    ["Lees mijn post alstublieft", "nl"],
    ["Proszę przeczytaj moje wiadomości", "pl"],
    ["קרא את הדואר שלי בבקשה", "he"]
  ])("is that of the message: %s", (said, code) => expect(languageOf([said], all)?.code).toBe(code))

  it("is that of an earlier message if the last one has no known word", () => {
    expect(languageOf(["12345", "Lies bitte meine Mails"], all)?.code).toBe("de")
    expect(languageOf(["12345"], all)).toBeUndefined()
    expect([ofLocale("pt-BR", all)?.code, ofLocale("ja", all)]).toEqual(["pt", undefined])
  })

  it("has every sentence, with its place for a name", () => {
    for (const { characters, named } of all) {
      for (const one of [characters, ...Object.values(named)]) expect(one.split("{}")).toHaveLength(2)
    }
  })
})

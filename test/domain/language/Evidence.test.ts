/** Whether words of a message are evidence for a value. */
import * as Evidence from "coxswain/domain/language/Evidence"
import { describe, expect, it } from "vitest"

describe("the words of a message", () => {
  const stands = [
    ["I live in São Paulo.", "sao paulo"],
    ["Am Freitag zum Hautarzttermin", "hautarzt"],
    ["two of us, from Friday", "two … from Friday"],
    ["明日の午後に", "午後"],
    ["בלילה במלון", "מלון"],
    ["👍", "👍"],
    ["it's a-b", "it's a b"],
    // The words of an answer may be cut.
    ["two rooms for my parents, please", "two rooms for my par"]
  ] as const
  for (const [message, words] of stands) {
    it(`${JSON.stringify(words)} stand in ${JSON.stringify(message)}`, () => {
      expect(Evidence.standsIn(message, words)).toBe(true)
    })
  }

  const absent = [
    ["I need a taxi", "Lisbon"],
    ["I know", "now"],
    ["two of us", "two, from Friday"],
    ["hello", ""],
    ["hello", "👍"],
    ["hello", "…"]
  ] as const
  for (const [message, words] of absent) {
    it(`${JSON.stringify(words)} do not stand in ${JSON.stringify(message)}`, () => {
      expect(Evidence.standsIn(message, words)).toBe(false)
    })
  }
})

describe("the meaning of words", () => {
  const can: ReadonlyArray<readonly [string, unknown]> = [
    ["3", 3],
    ["€ 1.200,50", 1200.5],
    ["1,200", 1200],
    ["1,5", 1.5],
    ["-5", -5],
    ["2 weeks", 14],
    ["a fortnight", 14],
    ["tomorrow", "2027-03-11"],
    ["2 April 2027", "2027-04-02"],
    ["Lisbon 2027", "Lisbon"],
    ["yes", true],
    ["+44 20 7946 0018", "+442079460018"],
    ["number 4711, please", "4711"],
    ["four seven one one", "4711"],
    ["siebenundvierzig elf", "4711"],
    ["un deux un un", "1211"],
    ["tausend", "1000"],
    ["四七一一", "4711"],
    ["order ab 12-34", "AB1234"],
    ["in March 2027", "2027-03"],
    ["the first quarter of 2027", "2027-Q1"],
    ["a kilo", "1000g"],
    ["morgen", "20270311"],
    ["heuer", "2027"],
    ["Terminal 2", "Terminal 2"],
    ["half past 3", "15:30"]
  ]
  for (const [words, value] of can) {
    it(`${words} can be ${JSON.stringify(value)}`, () => {
      expect(Evidence.canMean(words, value)).toBe(true)
    })
  }

  const cannot: ReadonlyArray<readonly [string, unknown]> = [
    ["3", 5],
    ["€ 1.200,50", 12],
    [
      "2 April 2027",
      "2026-04-02"
    ],
    ["for 2 of us", "123456"],
    ["1011", "10115"],
    ["Rome", "AB1234"],
    ["3", "20270311"],
    ["down", "+1234567890"],
    ["a room for 40 people", "MZ1234"],
    ["in March 2027", "2026-03"]
  ]
  for (const [words, value] of cannot) {
    it(`${words} cannot be ${JSON.stringify(value)}`, () => {
      expect(Evidence.canMean(words, value)).toBe(false)
    })
  }

  it("of a code that was offered before may have none of its digits", () => {
    const before = () => "Is it about W11111 or W22222?"
    for (const words of ["the last", "the 2nd one"]) {
      expect(Evidence.canMean(words, "W22222", before)).toBe(true)
      expect(Evidence.canMean(words, "W33333", before)).toBe(false)
    }
  })
})

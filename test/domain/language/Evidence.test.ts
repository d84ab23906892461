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
    ["two rooms for my parents, please", "two rooms for my par"],
    ["die STRASSE", "Straße"],
    ["Haut\u00adarzt", "Hautarzt"],
    ["e\u0301te\u0301", "été"],
    ["می\u200cخواهم", "میخواهم"],
    ["\u200fשלום\u200e", "שלום"],
    ["مُحَمَّد", "محمد"],
    ["٣ أشخاص", "3"],
    ["3人", "３"],
    ["room 1205", "1205"],
    ["1.200,50 euros", "1200,50"],
    ["4-6 people", "6"],
    ["👨\u200d👩\u200d👧 room", "👨\u200d👩\u200d👧"],
    ["***", "***"],
    ["A+", "+"],
    ["two hats", "hats"],
    ["Ann's hat", "Ann"],
    ["日本語", "日本"]
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
    ["hello", "…"],
    ["a person", "son"],
    ["a sonata", "son"],
    ["Anna", "Ann"],
    ["not yet", "no"],
    ["500 euros", "5"],
    ["500 euros", "00"],
    ["room 1205", "12"],
    ["1.200 euros", "200"],
    ["Send money!", "!"],
    ["👍👎", "\ud83d"],
    ["👍", "\udc4d"],
    ["दस", "दो"],
    ["かき", "かぎ"]
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
    ["half past 3", "15:30"],
    ["1.000,50", 1000.5],
    ["1'000.50", 1000.5],
    ["٣", 3],
    ["３", 3],
    ["١٬٢٠٠٫٥٠", 1200.5],
    ["50%", 50],
    ["50 %", 0.5],
    ["€40", 4000],
    ["zwei Dutzend", 24],
    ["half past eight", "20:30"],
    ["۴۷۱۱ لطفا", "4711"],
    ["+44 20 7946 0018", "02079460018"],
    ["ab 12-34 on 5 May", "AB1234"]
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
    ["in March 2027", "2026-03"],
    ["٣", 5],
    ["W54321", "W5432"],
    ["50%", 0.4],
    ["€40", 400]
  ]
  for (const [words, value] of cannot) {
    it(`${words} cannot be ${JSON.stringify(value)}`, () => {
      expect(Evidence.canMean(words, value)).toBe(false)
    })
  }

  it("of a code that was offered before may have none of its digits", () => {
    const before = () => "Is it about W11111 or W22222?"
    for (const words of ["the last", "the 2nd one"]) {
      expect(Evidence.canMean(words, "W22222", { before })).toBe(true)
      expect(Evidence.canMean(words, "W33333", { before })).toBe(false)
    }
  })

  it("of a code may be spelled where that is allowed", () => {
    expect(Evidence.canMean("four seven one one", "4711", { maySpell: true })).toBe(true)
    for (
      const [words, value] of [["four seven one one", "4711"], ["it does not work", "4711"], ["down", "00000"]] as const
    ) {
      expect(Evidence.canMean(words, value, { maySpell: false })).toBe(false)
    }
    expect(Evidence.canMean("tomorrow", "20270311", { maySpell: false })).toBe(true)
  })
})

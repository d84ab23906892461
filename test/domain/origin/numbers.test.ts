/** The numbers that a text states: those that the user said, and none that only stand in its characters. */
import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { find, textOf } from "../../../src/domain/origin/spans.js"

const has = (text: string, value: string | number) => find(textOf(text), value) !== undefined

describe("a number that a text states", () => {
  it.each<[text: string, value: number]>([
    ["Pay .50 for it", 0.5],
    ["Set it to -.75", -0.75],
    ["It is $.75", 0.75],
    ["5½ cups", 5.5],
    ["5 ½ cups", 5.5],
    ["½ a cup", 0.5],
    ["2⅔", 2 + 2 / 3],
    ["5 1/2 inches", 5.5],
    ["1/2 inch", 0.5],
    ["5k followers", 5000],
    ["5K", 5000],
    ["2.5k", 2500],
    ["3e5 euros", 300_000],
    ["1.5e-3", 0.0015],
    ["3×10^5", 300_000],
    ["3×10⁵", 300_000],
    ["1.5 million dollars", 1_500_000],
    ["1.1 million", 1_100_000],
    ["1,5 Millionen Euro", 1_500_000],
    ["2 Mrd.", 2_000_000_000],
    ["5 mil euros", 5000],
    ["3 mil millones", 3_000_000_000],
    ["20 Tausend", 20_000],
    ["5 lakh", 500_000],
    ["付款5万元", 50_000],
    ["2億円", 200_000_000],
    ["５００ euros", 500],
    ["٥٠٠ جنيه", 500],
    ["١٬٥٠٠٫٥", 1500.5],
    ["५०० रुपये", 500],
    ["50%", 50],
    ["50 %", 0.5],
    ["٥٠٪", 0.5],
    ["5‰", 0.005],
    ["−50 degrees", -50],
    ["-$50", -50],
    ["between 5-10", 10],
    ["between 5–10", 10],
    ["No.50", 50],
    ["Well ...50", 50],
    ["50kg", 50],
    ["5m of rope", 5],
    ["5m followers", 5_000_000],
    ["$5m", 5_000_000],
    ["5M", 5_000_000],
    ["2x4", 2],
    ["on 12/05/2027", 2027],
    ["1.500", 1500],
    ["1.500", 1.5],
    ["at 10:30", 10],
    ["50.", 50],
    ["50,-", 50],
    ["3만원", 30_000],
    ["3만 원", 30_000],
    ["2억", 200_000_000],
    ["3조", 3],
    ["5 тисяч гривень", 5000],
    ["5 tusen kronor", 5000],
    ["5 tusind", 5000],
    ["5 bin lira", 5000],
    ["5 bin bags", 5],
    ["5 grand", 5000],
    ["2 milyon lira", 2_000_000],
    ["5 ribu rupiah", 5000],
    ["2 juta", 2_000_000],
    ["5 nghìn đồng", 5000],
    ["3 triệu", 3_000_000],
    ["5 हज़ार रुपये", 5000],
    ["2 करोड़", 20_000_000],
    ["5 milliers d'euros", 5000],
    ["2 mld zł", 2_000_000_000],
    ["5 m€", 5_000_000],
    ["**50** euros", 50]
  ])("is found: %s", (text, value) => expect(has(text, value)).toBe(true))

  it.each<[text: string, value: number]>([
    [".50", 50],
    ["$.50", 50],
    [" ,75", 75],
    ["5½", 51],
    ["5½", 5],
    ["5½", 512],
    ["5 ½", 5],
    ["½", 1],
    ["½", 2],
    ["½", 12],
    ["51⁄2", 51],
    ["5 1/2", 5],
    ["5 1/2", 1],
    ["1/2", 1],
    ["10²", 102],
    ["10²", 10],
    ["10^2", 102],
    ["10^2", 10],
    ["10^2", 2],
    ["x²", 2],
    ["5①", 51],
    ["5k", 5],
    ["5 k", 5],
    ["5K", 5],
    ["3e5", 3],
    ["3e5", 5],
    ["3e5", 35],
    ["1e3", 1],
    ["3×10^5", 3],
    ["3×10^5", 10],
    ["3×10⁵", 105],
    ["-.75", 75],
    ["-.75", 0.75],
    ["-.75", -75],
    ["−50", 50],
    ["-$50", 50],
    ["-50", 50],
    ["1.5 million", 1.5],
    ["1.5 million", 1],
    ["1.5 million", 5],
    ["2 Mrd. Euro", 2],
    ["5M", 5],
    ["€5m", 5],
    ["-½", 0.5],
    ["5 mil", 5],
    ["5万", 5],
    ["3万5千", 30_000],
    ["３０", 3],
    ["٥٠٠", 5],
    ["٣5", 5],
    ["٣5", 35],
    ["0x1F", 0],
    ["A-1700", 1700],
    ["iPhone-15", 15],
    ["12ab34", 12],
    ["12_000", 12],
    ["a%20b", 20],
    ["5 000 euros", 5],
    ["1.2.3", 12],
    ["3만", 3],
    ["2억", 2],
    ["3천", 3],
    ["5 тис. грн", 5],
    ["5 tusen", 5],
    ["5 ribu", 5],
    ["5 juta", 5],
    ["5 ngàn", 5],
    ["5 हजार", 5],
    ["5 लाख", 5],
    ["5 آلاف", 5],
    ["5 milliers", 5],
    ["5 mld", 5],
    ["5 M", 5],
    ["5m€", 5],
    ["5 m €", 5],
    ["2**10", 2],
    ["2**10", 10]
  ])("is not found if nobody said it: %s as %d", (text, value) => {
    expect(has(text, value)).toBe(false)
    if (Number.isInteger(value)) expect(has(text, String(value))).toBe(false)
  })

  it("is found in the notation in which JavaScript writes it", () =>
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }), (value) => {
        const written = String(value)
        expect([written, has(`Pay ${written} now`, value)]).toEqual([written, true])
      }),
      { numRuns: 200, seed: 1 }
    ))

  it("is found among digits of every script, with the same digits in Latin script", () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 9_999_999 }),
        fc.constantFrom(0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10, 0x1d7d8),
        (value, zero) => {
          const text = Array.from(String(value), (digit) => String.fromCodePoint(zero + Number(digit))).join("")
          expect([text, has(`Pay ${text} now`, value)]).toEqual([text, true])
        }
      ),
      { numRuns: 200, seed: 1 }
    ))
})

describe("a text of digits", () => {
  it.each([
    ["order 004711", "004711", true],
    ["order 4711", "004711", false],
    ["order 004711", "4711", false],
    ["pay 1,500 euros", "1500", true],
    ["pay .50", "0.50", true],
    ["pay .50", ".50", true],
    ["pay .50", "50", false],
    ["10²", "102", false],
    ["on 31.12.2027 then", "31.12.2027", true],
    ["on 31.12.2027 then", "31.12", false],
    ["at 10.0.0.1.", "10.0.0.1", true],
    ["version 1.2.3", "1.2.3", true],
    ["room 01.02", "01.02", true],
    ["card 5001 0517 5407 3249", "5001051754073249", true],
    ["card 5001 0517 5407 3249", "0517", false],
    ["order A-1700", "1700", false],
    ["order A-1700", "A-1700", true],
    ["m²", "m2", false]
  ])("%s has %s: %s", (text, value, isFound) => expect(has(text, value)).toBe(isFound))
})

describe("a value without a letter or a digit", () => {
  it.each(["*", "/", "%", "**", "--", "🙂", "."])("is found nowhere: %s", (value) => {
    expect(has(`delete ${value} now`, value)).toBe(false)
    expect(has(value, value)).toBe(false)
  })
})

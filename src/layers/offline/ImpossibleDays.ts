/** Finds days that no calendar has: "31 February", "2027-04-31". */

import type { Mention } from "./Mentions.js"

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")

const month =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"

const ordinal = "(\\d{1,2})(?:st|nd|rd|th)?"
const inYear = "(?:,? ((?:19|20)\\d\\d))?(?![\\p{L}\\p{N}])"

const monthOf = (name: string): number => months.indexOf(name.slice(0, 3).toLowerCase())

/** Without a year, 29 February is a day. */
const leapYear = 2028

const forms: ReadonlyArray<
  readonly [RegExp, (parts: ReadonlyArray<string>) => readonly [year: number, month: number, day: number]]
> = [
  [/(?<![\p{N}-])(\d{4})-(0[1-9]|1[0-2])-(\d\d)(?!\p{N})/giu, ([year, month, day]) => [+year!, +month! - 1, +day!]],
  [
    new RegExp(`(?<![\\p{L}\\p{N}])${ordinal}(?: of)? (${month})${inYear}`, "giu"),
    ([day, name, year = leapYear]) => [+year, monthOf(name!), +day!]
  ],
  [
    new RegExp(`(?<!\\p{L})(${month}) ${ordinal}${inYear}`, "giu"),
    ([name, day, year = leapYear]) => [+year, monthOf(name!), +day!]
  ]
]

/** Returns such days as they are written. */
export const impossibleDays = (text: string): ReadonlyArray<Mention<string>> =>
  forms.flatMap(([form, read]) =>
    Array.from(text.matchAll(form)).flatMap((match) => {
      const [year, month, day] = read(match.slice(1))
      const date = new Date(Date.UTC(year, month, day))
      const [value] = match
      return date.getUTCMonth() === month && date.getUTCDate() === day
        ? []
        : [{ at: match.index, end: match.index + value.length, value }]
    })
  )

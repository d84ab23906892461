/** Finds days that no calendar has: "31 February", "2027-04-31". */

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")

const month =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"

const ordinal = "(\\d{1,2})(?:st|nd|rd|th)?"

const forms: ReadonlyArray<
  readonly [RegExp, (parts: ReadonlyArray<string>) => readonly [year: number, month: number, day: number]]
> = [
  [/(?<![\p{N}-])(\d{4})-(0[1-9]|1[0-2])-(\d\d)(?!\p{N})/iu, ([year, month, day]) => [+year!, +month! - 1, +day!]],
  // Without a year, 29 February is a day.
  [
    new RegExp(`(?<![\\p{L}\\p{N}])${ordinal}(?: of)? (${month})(?!\\p{L})`, "iu"),
    ([day, name]) => [2028, months.indexOf(name!.slice(0, 3).toLowerCase()), +day!]
  ],
  [
    new RegExp(`(?<!\\p{L})(${month}) ${ordinal}(?![\\p{L}\\p{N}])`, "iu"),
    ([name, day]) => [2028, months.indexOf(name!.slice(0, 3).toLowerCase()), +day!]
  ]
]

/** Returns the first such day as it is written. */
export const impossibleDay = (text: string): string | undefined =>
  forms.flatMap(([form, read]) => {
    const match = form.exec(text)
    if (match === null) return []
    const [year, month, day] = read(match.slice(1))
    const date = new Date(Date.UTC(year, month, day))
    return date.getUTCMonth() === month && date.getUTCDate() === day ? [] : [match[0]]
  })[0]

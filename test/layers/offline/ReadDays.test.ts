/** Days and times that rules read in the words that an understanding quotes. */
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Understanding } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Effect, Schema, TestClock } from "effect"

const day = Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/))

const fields = [
  { name: "day", description: "the day of the visit", schema: day },
  { name: "instant", description: "the date of the visit", schema: Schema.DateFromString },
  { name: "time", description: "the time of the visit, as HH:MM", schema: Schema.String },
  { name: "city", description: "the city", schema: Schema.String },
  { name: "nights", description: "how many nights", schema: Schema.Int }
].map((field) => ({ ...field, known: false, asked: false }))

/** Wednesday, 10 March 2027, 09:00 in UTC. */
const wednesday = Date.parse("2027-03-10T09:00:00Z")

const answered = (
  message: string,
  given: Understanding.Answers["fields"],
  words: Understanding.Answers["words"],
  now = "Wednesday, 2027-03-10, 09:00 in UTC"
) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(wednesday)
    const inner: Understanding.Service = {
      answer: () => Effect.succeed({ ...Understanding.none, fields: given, ...(words !== undefined && { words }) })
    }
    const answers = yield* Offline.readDays(inner).answer({
      sessionId: "ann",
      message,
      history: Prompt.empty,
      now,
      flows: [],
      fields,
      conditions: [],
      signals: []
    })
    expect(answers.words).toEqual(words)
    return answers.fields
  })

describe("days read in the quoted words", () => {
  it.effect.each(
    [
      ["On Friday, please", "day", "Friday", "2027-03-15", "2027-03-12"],
      ["the day after tomorrow", "day", "the day after tomorrow", "2027-03-11", "2027-03-12"],
      ["since last Friday", "day", "Friday", "2027-03-12", "2027-03-05"],
      ["it has been dead since Monday", "day", "Monday", "2027-03-15", "2027-03-08"],
      ["seit letztem Sonntag", "day", "letztem Sonntag", "2027-03-09", "2027-03-07"],
      ["desde el viernes pasado", "day", "el viernes pasado", "2027-03-12", "2027-03-05"],
      ["the 25th, quarter past nine", "day", "25th", "2027-03-10", "2027-03-25"],
      ["übermorgen", "day", "übermorgen", "2027-03-11", "2027-03-12"],
      ["from Friday to Sunday, I think", "day", "Sunday", "2027-03-17", "2027-03-14"],
      ["at half past seven in the evening", "time", "half past seven in the evening", "17:30", "19:30"],
      ["tomorrow at noon", "time", "noon", "10:00", "12:00"]
    ] as const
  )("%s", ([message, name, words, given, read]) =>
    Effect.gen(function*() {
      expect(yield* answered(message, { [name]: given }, { [name]: words })).toEqual({ [name]: read })
    }))

  it.effect("have the form that the schema of the field expects", () =>
    Effect.gen(function*() {
      const { instant } = yield* answered("on Friday", { instant: "2027-03-15" }, { instant: "Friday" })
      expect(Schema.decodeUnknownSync(Schema.DateFromString)(instant)).toEqual(new Date("2027-03-12T00:00:00Z"))
    }))

  it.effect("are those of the user's time zone", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(0)
      const now = "Thursday, 2027-03-11, 09:00 (+13:00) in Pacific/Auckland"
      const given = yield* answered("tomorrow", { day: "2027-03-11" }, { day: "tomorrow" }, now)
      // Wednesday, 09:00 in UTC, is Wednesday evening in Auckland.
      expect(given).toEqual({ day: "2027-03-11" })
    }))

  it.effect.each(
    [
      ["words in which the rules find no day", "when it suits you", { day: "2027-03-15" }, {
        day: "when it suits you"
      }],
      ["words that do not stand in the message", "hello", { day: "2027-03-15" }, { day: "Friday" }],
      ["a value without words", "on Friday", { day: "2027-03-15" }, undefined],
      ["a value that is no day", "Lisbon on Friday, 3 nights", { city: "Lisboa", nights: 2 }, {
        city: "Lisbon",
        nights: "3 nights"
      }],
      ["a field that was not stated", "on Friday", {}, {}]
    ] as const
  )("leave %s", ([, message, given, words]) =>
    Effect.gen(function*() {
      expect(yield* answered(message, given, words)).toEqual(given)
    }))
})

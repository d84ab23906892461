/** Moments with a zone, days at a distance, numbers with a sign or a fraction, and names as they are written. */
import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { judge } from "../../../src/layers/offline/OfflineUnderstanding.js"

/** A Monday. */
const now = new Date(Date.UTC(2027, 2, 1, 9))

const schemas = {
  at: Schema.DateTimeUtc,
  day: Schema.Date,
  time: Schema.String,
  number: Schema.Number,
  amount: Schema.Number,
  temperature: Schema.Number,
  hours: Schema.Number,
  city: Schema.String,
  name: Schema.String,
  firstName: Schema.String,
  lastName: Schema.String
}

const extract = (message: string, names: ReadonlyArray<string>, told?: string) =>
  judge({
    sessionId: "s1",
    message,
    history: Prompt.empty,
    ...told !== undefined && { now: told },
    flows: [{ id: "book", title: "Booking", when: [], active: true }],
    fields: names.map((name) => ({ name, schema: schemas[name as keyof typeof schemas], known: false, asked: true })),
    conditions: [],
    signals: []
  }, now).fields

/** Each row has the values of the field that the step asks for; undefined for a message that leaves it open. */
const table = (
  title: string,
  name: keyof typeof schemas,
  rows: ReadonlyArray<readonly [message: string, value: unknown]>
) =>
  describe(title, () => {
    it.each(rows)("%s", (message, value) => {
      expect(extract(message, [name])).toEqual(value === undefined ? {} : { [name]: value })
    })
  })

table("a moment with its offset or zone", "at", [
  ["2027-03-14T02:30:00-05:00", "2027-03-14T07:30:00.000Z"],
  ["2027-03-14T02:30:45+01:00", "2027-03-14T01:30:45.000Z"],
  ["2027-03-14T02:30:00Z", "2027-03-14T02:30:00.000Z"],
  ["2027-03-14 14:00 +0530", "2027-03-14T08:30:00.000Z"],
  ["tomorrow at 2pm CET", "2027-03-02T13:00:00.000Z"],
  ["2027-07-01 14:00 CET", "2027-07-01T12:00:00.000Z"],
  ["tomorrow 2pm UTC+2", "2027-03-02T12:00:00.000Z"],
  ["tomorrow 14:30Z", "2027-03-02T14:30:00.000Z"],
  ["2027-07-14 14:30 Europe/Lisbon", "2027-07-14T13:30:00.000Z"],
  ["2027-07-14T14:30:00[America/New_York]", "2027-07-14T18:30:00.000Z"],
  ["tomorrow at 3pm New York time", "2027-03-02T20:00:00.000Z"],
  ["8pm tomorrow, Berlin time", "2027-03-02T19:00:00.000Z"],
  ["tomorrow, 8pm (Berlin time)", "2027-03-02T19:00:00.000Z"],
  ["tomorrow at 8 in the evening Berlin time", "2027-03-02T19:00:00.000Z"],
  ["tomorrow at 14:00 PST", "2027-03-02T22:00:00.000Z"],
  ["2027-03-14T02:30:00+05:45", "2027-03-13T20:45:00.000Z"],
  ["tomorrow at 3pm my time", "2027-03-02T15:00:00.000Z"],
  ["tomorrow at 3pm for the first time", "2027-03-02T15:00:00.000Z"],
  ["tomorrow at 3pm Narnia time", undefined]
])

it("a moment without a zone is in the zone of the user, and so is today", () => {
  const lisbon = "Monday, 2027-03-01, 09:00 (+00:00) in Europe/Lisbon; the user's locale is pt-PT"
  expect(extract("2027-07-15 at 14:30", ["at"], lisbon)).toEqual({ at: "2027-07-15T13:30:00.000Z" })
  const tokyo = "Tuesday, 2027-03-02, 00:30 (+09:00) in Asia/Tokyo"
  expect(
    judge({
      sessionId: "s1",
      message: "tomorrow",
      history: Prompt.empty,
      now: tokyo,
      flows: [],
      fields: [{ name: "day", schema: schemas.day, known: false, asked: true }],
      conditions: [],
      signals: []
    }, new Date(Date.UTC(2027, 2, 1, 15, 30))).fields
  ).toEqual({ day: "2027-03-03" })
})

table("a time of day keeps its zone", "time", [
  ["2pm CET", "14:00 CET"],
  ["at 2 pm EST please", "14:00 EST"],
  ["14:30Z", "14:30 UTC"],
  ["2pm UTC+2", "14:00 UTC+2"],
  ["2027-03-14T02:30:00-05:00", "02:30-05:00"],
  ["3pm Lisbon time", "15:00 Europe/Lisbon"],
  ["7 p.m.", "19:00"]
])

table("a day at a distance", "day", [
  ["two days after Christmas", "2027-12-27"],
  ["a couple of days after Christmas", "2027-12-27"],
  ["the day after Christmas", "2027-12-26"],
  ["a week before Easter", "2027-03-21"],
  ["a month after Easter", "2027-04-28"],
  ["the Monday after Easter", "2027-03-29"],
  ["the weekend after Easter", "2027-04-03"],
  ["the day after the 3rd", "2027-03-04"],
  ["three days before the 20th", "2027-03-17"],
  ["two days after 3 March", "2027-03-05"],
  ["day after tomorrow", "2027-03-03"],
  ["a week from Friday", "2027-03-12"],
  ["a fortnight on Friday", "2027-03-19"],
  ["Thursday week", "2027-03-11"],
  ["the 3rd of next month", "2027-04-03"],
  ["for a week from Friday", "2027-03-05"],
  ["Friday after lunch", "2027-03-05"],
  ["by Friday", "2027-03-05"],
  ["in two days", "2027-03-03"],
  ["le 24 décembre", "2027-12-24"],
  ["am 15. März", "2027-03-15"],
  ["el 3 de abril", "2027-04-03"],
  ["Christmas Eve", "2027-12-24"],
  ["Christmas 2028", "2028-12-25"],
  ["Easter Monday", "2027-03-29"],
  ["on New Year's Eve", "2027-12-31"]
])

table(
  "a day that is left open",
  "day",
  [
    "after Christmas",
    "before Easter",
    "around Christmas",
    "before Friday",
    "after 3 May",
    "3 days after my birthday",
    "two days after the wedding",
    "three working days after Easter",
    "two days later",
    "the week after next",
    "the Friday after next",
    "Friday in two weeks",
    "first Monday in May",
    "the 2nd floor",
    "a Christmas party"
  ].map((message) => [message, undefined])
)

table("a number with a sign or a fraction", "number", [
  ["minus five", -5],
  ["-5", -5],
  ["−7", -7],
  ["negative 3", -3],
  ["minus 1/2", -0.5],
  ["plus 3", 3],
  ["1/2", 0.5],
  ["½", 0.5],
  ["half", 0.5],
  ["three quarters", 0.75],
  ["two and a half", 2.5],
  ["3 1/2", 3.5],
  ["3½", 3.5],
  ["zero point five", 0.5],
  ["2,5", 2.5],
  ["1.200,50", 1200.5],
  ["1'200", 1200],
  ["1.5k", 1500],
  ["two million", 2_000_000],
  ["two hundred thousand and ten", 200_010],
  ["five hundred and twenty", 520],
  ["the second half of it", undefined],
  ["1,2,3", undefined],
  ["room 2-5", undefined]
])

table("a temperature", "temperature", [
  ["-5 degrees", -5],
  ["five degrees below zero", -5],
  ["minus twenty-one", -21]
])

table("a number of hours", "hours", [
  ["one and a half hours", 1.5],
  ["an hour and a half", 1.5],
  ["two hours and a half", 2.5],
  ["half an hour", 0.5],
  ["a quarter of an hour", 0.25]
])

table("a place as it is written", "city", [
  ["Frankfurt a. M.", "Frankfurt a. M."],
  ["a room in Frankfurt a. M. please", "Frankfurt a. M."],
  ["Rothenburg o. d. T.", "Rothenburg o. d. T."],
  ["Rio de Janeiro, please", "Rio de Janeiro"],
  ["St. John's", "St. John's"],
  ["a room in St. John's", "St. John's"],
  ["in St. John's for two people", "St. John's"],
  ["Mt. Vernon", "Mt. Vernon"],
  ["Ft. Lauderdale", "Ft. Lauderdale"],
  ["L'Aquila", "L'Aquila"],
  ["in 's-Hertogenbosch", "'s-Hertogenbosch"],
  ["Coeur d'Alene", "Coeur d'Alene"],
  ["Frankfurt am Main", "Frankfurt am Main"],
  ["King's Lynn", "King's Lynn"],
  ["in Lisbon's centre", "Lisbon"],
  ["ich bin müde", undefined],
  ["no lo sé", undefined]
])

table("a name after an introduction, in several languages", "name", [
  ["my name's Ada", "Ada"],
  ["mi nombre es José", "José"],
  ["mi nombre es josé garcía", "José García"],
  ["me llamo Ana y quiero una habitación", "Ana"],
  ["soy María del Carmen", "María del Carmen"],
  ["ich heiße Jürgen Müller", "Jürgen Müller"],
  ["ich heiße Anna und brauche ein Zimmer", "Anna"],
  ["mein Name ist Anna Schmidt", "Anna Schmidt"],
  ["ich bin Anna", "Anna"],
  ["je m'appelle Zoé et je voudrais une chambre", "Zoé"],
  ["mon nom est Amélie", "Amélie"],
  ["je suis Jean-Luc Picard", "Jean-Luc Picard"],
  ["meu nome é Inês", "Inês"],
  ["me chamo João da Silva", "João da Silva"],
  ["eu sou o Pedro", "Pedro"],
  ["mi chiamo Luca D'Angelo", "Luca D'Angelo"],
  ["il mio nome è Chiara", "Chiara"],
  ["sono Giulia", "Giulia"],
  ["mijn naam is Jan de Vries", "Jan de Vries"],
  ["my name is J. K. Rowling", "J. K. Rowling"],
  ["my name is Sammy Davis Jr. and I need a room", "Sammy Davis Jr."],
  ["Conan O'Brien", "Conan O'Brien"],
  ["ich bin müde", undefined],
  ["soy vegetariano", undefined],
  ["je suis fatigué", undefined],
  ["Sono di Roma", undefined],
  ["no lo sé", undefined]
])

it("a single word is the first name if the step asks for both", () => {
  expect(extract("mi nombre es José", ["firstName", "lastName"])).toEqual({ firstName: "José" })
  expect(extract("mi nombre es José", ["lastName"])).toEqual({ lastName: "José" })
})

table("a number between alternatives, or with the name of a currency", "number", [
  ["between 3 and 5", undefined],
  ["3 or 4", undefined],
  ["drei oder vier", undefined],
  ["3, or maybe 4", undefined],
  ["3, no, 4", 4]
])

table("a day among alternatives, or with a name of its own", "day", [
  ["Monday or Tuesday", undefined],
  ["the last day of February", "2028-02-29"],
  ["last day of March", "2027-03-31"],
  ["last day of next month", "2027-04-30"],
  ["Friday the 13th", "2027-08-13"],
  ["Monday, the 15th", "2027-03-15"],
  ["Monday the 15th of March", "2027-03-15"]
])

table("a day with a time that no clock shows", "at", [
  ["tomorrow at 25:00", undefined],
  ["tomorrow 12:75", undefined],
  ["tomorrow at 23:59", "2027-03-02T23:59:00.000Z"]
])

table("one of two places, or a relative", "city", [
  ["either Rome or Milan", undefined],
  ["Rome, or no, Milan", "Milan"]
])

table("a relative, or a name with a month in it", "name", [
  ["it's for my mother", undefined],
  ["my boss", undefined],
  ["me llamo Maria Marzo", "Maria Marzo"]
])

table("an amount of money", "amount", [
  ["20 bucks", 20],
  ["I want to pay 90 euros", 90],
  ["five hundred dollars", 500]
])

describe("a bare answer while some of the asked fields are known", () => {
  const answer = (message: string, known: ReadonlyArray<string>) =>
    judge({
      sessionId: "s1",
      message,
      history: Prompt.empty,
      flows: [{ id: "book", title: "Booking", when: [], active: true }],
      fields: (["city", "name"] as const).map((name) => ({
        name,
        schema: schemas[name],
        known: known.includes(name),
        asked: true
      })),
      conditions: [],
      signals: []
    }, now).fields

  it.each([
    ["is not meant for the known place", "Daniel Moss", ["city"], { name: "Daniel Moss" }],
    ["names another place where the place is known by name", "Porto", ["city"], { city: "Porto" }]
  ])("%s", (_, message, known, values) => {
    expect(answer(message, known)).toEqual(values)
  })
})

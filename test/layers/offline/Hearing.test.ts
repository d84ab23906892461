import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Understanding } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Schema } from "effect"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { runs } from "../../support/Runs.js"

/** A Monday. */
const now = Date.UTC(2027, 2, 1, 9)

const TestLayer = Layer.provide(Offline.layer, Logger.remove(Logger.defaultLogger))

type Given = readonly [schema: Schema.Schema.Any, description?: string]

/** Fields of every kind. */
const given = {
  city: [Schema.String, "the city of the hotel"],
  where: [Schema.String],
  origin: [Schema.String],
  destination: [Schema.String],
  hotel: [Schema.String, "name of the hotel"],
  team: [Schema.String],
  name: [Schema.NonEmptyTrimmedString, "full name of the guest"],
  firstName: [Schema.String],
  lastName: [Schema.String],
  notes: [Schema.String, "anything else we should know"],
  time: [Schema.String, "time of arrival"],
  checkIn: [Schema.Date, "check-in date"],
  at: [Schema.DateTimeUtc],
  guests: [Schema.Int.pipe(Schema.between(1, 8)), "number of guests, 1 to 8"],
  nights: [Schema.Int],
  trip: [Schema.Literal("one-way", "round-trip")],
  room: [Schema.Literal("single", "double", "suite")],
  area: [Schema.Literal("Las Vegas", "New York", "downtown")],
  oneWay: [Schema.Boolean],
  breakfast: [Schema.Boolean, "whether the guest wants breakfast"],
  extras: [Schema.Array(Schema.Literal("late checkout", "parking", "spa"))],
  plate: [Schema.String, "number plate"],
  email: [Schema.String],
  code: [Schema.String.pipe(Schema.pattern(/^[A-Z]{2}-\d{3}$/))],
  street: [Schema.String],
  number: [Schema.String, "of the house"],
  zip: [Schema.String.pipe(Schema.pattern(/^\d{4} ?[A-Z]{2}$/))]
} satisfies Record<string, Given>

const flows = (active: boolean) => [
  { id: "book", title: "Booking", when: ["the guest wants to book a room"], active },
  { id: "cancel", title: "Cancellation", when: ["the guest wants to cancel or forget the booking"], active: false },
  { id: "hours", title: "Opening hours", when: ["the guest asks when we are open"], active: false }
]

/** Names of fields: those marked `?` are asked, those marked `!` known. */
const fieldsOf = (names: string) =>
  names.split(" ").map((marked) => {
    const name = marked.replace(/\W/g, "")
    const [schema, description]: Given = given[name as keyof typeof given]
    const state = { known: marked.includes("!"), asked: marked.includes("?") }
    return { name, schema, ...(description === undefined ? {} : { description }), ...state }
  })

const ask = (message: string, names: string) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { answer } = yield* Understanding.Understanding
    return yield* answer({
      message,
      sessionId: "s1",
      history: Prompt.empty,
      flows: flows(/[?!]/.test(names)),
      fields: fieldsOf(names),
      conditions: [
        { id: "yes", when: ["the guest agrees"] },
        { id: "no", when: ["the guest declines"] }
      ],
      signals: []
    })
  }).pipe(Effect.provide(TestLayer))

type Row = readonly [message: string, fields: string, expected: Record<string, unknown>]

const table = (title: string, rows: ReadonlyArray<Row>) =>
  describe(title, () => {
    for (const [message, names, expected] of rows) {
      it.effect(`extracts the values from "${message}", fields: ${names}`, () =>
        Effect.map(ask(message, names), ({ fields }) => expect(fields).toEqual(expected)))
    }
  })

const evening = { time: "19:00" }

table("times", [
  ["7 in the evening", "time?", evening],
  ["at 7 in the evening please", "time? guests", evening],
  ["at seven in the evening", "time guests", evening],
  ["7pm", "time", evening],
  ["7 p.m.", "time?", evening],
  ["19:00", "time?", evening],
  ["7 o'clock", "time?", { time: "07:00" }],
  ["7", "time?", { time: "07:00" }],
  ["at 11 at night", "time", { time: "23:00" }],
  ["12 at night", "time", { time: "00:00" }],
  ["midnight", "time?", { time: "00:00" }],
  ["around noon", "time?", { time: "12:00" }],
  ["8 in the morning", "time", { time: "08:00" }],
  ["half past seven", "time", { time: "07:30" }],
  ["half past seven in the evening", "time", { time: "19:30" }],
  ["quarter to 8 pm", "time guests", { time: "19:45" }],
  ["ten past five in the afternoon", "time guests", { time: "17:10" }],
  ["7:30 in the evening", "time guests", { time: "19:30" }],
  ["a table for 4 at 7 in the evening", "time guests", { time: "19:00", guests: 4 }],
  ["we are 3, at eight in the evening", "time guests", { time: "20:00", guests: 3 }],
  ["tomorrow at 7 in the evening", "at", { at: "2027-03-02T19:00:00.000Z" }],
  ["tomorrow, 7 in the evening", "at time", { at: "2027-03-02T19:00:00.000Z", time: "19:00" }],
  ["7 in the evening", "guests?", {}],
  ["7 in the evening", "checkIn?", {}],
  ["half past seven", "guests?", {}],
  ["25 in the evening", "time?", {}],
  ["some time in the evening", "time?", {}],
  ["the second", "checkIn?", {}],
  ["7 nights", "time? nights", { nights: 7 }],
  ["from ten to eight people", "time", {}]
])

table("names of two words", [
  ["Las Vegas", "city?", { city: "Las Vegas" }],
  ["las vegas", "city?", { city: "Las Vegas" }],
  ["LAS VEGAS", "city?", { city: "Las Vegas" }],
  ["I want to go to las vegas", "city", { city: "Las Vegas" }],
  ["a hotel in Las Vegas for 2", "city guests", { city: "Las Vegas", guests: 2 }],
  ["Las Vegas, and we are 3", "city? guests?", { city: "Las Vegas", guests: 3 }],
  ["Las Palmas on Friday", "city? checkIn?", { city: "Las Palmas", checkIn: "2027-03-05" }],
  ["Las Vegas", "where?", { where: "Las Vegas" }],
  ["from Las Vegas to New York", "origin destination", { origin: "Las Vegas", destination: "New York" }],
  ["from new york to los angeles", "destination origin", { origin: "New York", destination: "Los Angeles" }],
  ["actually make it Las Vegas", "city! name?", { city: "Las Vegas" }],
  ["change the city to Las Vegas", "city! name?", { city: "Las Vegas" }],
  ["I'd rather have Las Vegas", "city! name?", { city: "Las Vegas" }],
  ["Las Vegas Raiders", "team?", { team: "Las Vegas Raiders" }],
  ["Grand Budapest", "hotel?", { hotel: "Grand Budapest" }],
  ["Las Vegas", "notes?", { notes: "Las Vegas" }],
  ["in las vegas please", "area", { area: "Las Vegas" }],
  ["New York", "area?", { area: "New York" }],
  ["St. Louis", "city?", { city: "St. Louis" }],
  ["a room in St. Louis for 2 people", "city guests", { city: "St. Louis", guests: 2 }],
  ["change the city to St. Louis", "city!", { city: "St. Louis" }],
  ["Stratford upon Avon", "city?", { city: "Stratford upon Avon" }],
  ["Trinidad and Tobago", "destination?", { destination: "Trinidad and Tobago" }],
  ["kuala lumpur", "city?", { city: "Kuala Lumpur" }],
  ["Ho Chi Minh City", "city?", { city: "Ho Chi Minh City" }],
  ["Porto Alegre", "city?", { city: "Porto Alegre" }],
  ["Newark", "city?", { city: "Newark" }],
  ["mary ann smith", "name?", { name: "Mary Ann Smith" }],
  ["I am Mary Ann Smith", "firstName lastName", { firstName: "Mary", lastName: "Ann Smith" }],
  ["just put Ada", "name?", { name: "Ada" }],
  ["Jack London", "city? name?", { name: "Jack London" }]
])

table("how many people", [
  ["we are 3", "guests?", { guests: 3 }],
  ["we are 3", "guests", { guests: 3 }],
  ["We're three", "guests", { guests: 3 }],
  ["we'll be 5", "guests", { guests: 5 }],
  ["there are 4 of us", "guests", { guests: 4 }],
  ["there will be six people", "guests", { guests: 6 }],
  ["it's just the 2 of us", "guests", { guests: 2 }],
  ["we are 3 adults and 2 children", "guests", { guests: 5 }],
  ["myself", "guests?", { guests: 1 }],
  ["a single guest", "guests?", { guests: 1 }],
  ["one of us is vegan", "guests?", {}],
  ["one room for one night, just me", "guests nights", { guests: 1, nights: 1 }],
  ["two rooms for my wife and me", "guests", { guests: 2 }],
  ["we are 3 hours away", "guests", {}],
  ["we are open to 3 ideas", "guests", {}]
])

table("one way is a way, not one", [
  ["one way", "trip?", { trip: "one-way" }],
  ["one-way please", "trip? guests?", { trip: "one-way" }],
  ["oneway", "trip?", { trip: "one-way" }],
  ["a one way ticket to Porto", "trip destination guests", { trip: "one-way", destination: "Porto" }],
  ["a round trip for 2", "trip guests", { trip: "round-trip", guests: 2 }],
  ["roundtrip", "trip?", { trip: "round-trip" }],
  ["one way", "oneWay? guests?", { oneWay: true }],
  ["one way", "guests?", {}],
  ["one moment", "guests?", {}],
  ["no one", "guests?", {}],
  ["one", "guests?", { guests: 1 }],
  ["late check-out and the spa", "extras", { extras: ["spa"] }],
  ["late checkout and the spa", "extras", { extras: ["late checkout", "spa"] }]
])

table("parts of an address", [
  ["Zip is 10", "street! zip?", { zip: "10" }],
  ["The zip is 10", "street? zip!", { zip: "10" }],
  ["Zip is 1017 AB", "street! zip?", { zip: "1017 AB" }],
  ["1017 AB", "street! zip?", { zip: "1017 AB" }],
  ["1017AB please", "street! zip?", { zip: "1017AB" }],
  ["City Road 5", "street? city!", { street: "City Road 5" }]
])

table("an address in a line", [
  ["Herengracht 12, 1017 AB Amsterdam", "street? zip city", {
    street: "Herengracht 12",
    zip: "1017 AB",
    city: "Amsterdam"
  }],
  ["Please send it to Rue de la Paix 3, 1017AB Den Haag.", "street zip city guests", {
    street: "Rue de la Paix 3",
    zip: "1017AB",
    city: "Den Haag"
  }],
  ["My address is Hoge Gouwe 5a, 2801 LA Gouda, for 2 guests", "street number zip city guests", {
    street: "Hoge Gouwe",
    number: "5a",
    zip: "2801 LA",
    city: "Gouda",
    guests: 2
  }],
  // The zip does not fit its field, or no field asks for a street.
  ["Herengracht 12, 10178 Berlin", "street? zip!", { street: "Herengracht 12" }],
  ["Herengracht 12, 1017 AB Amsterdam", "zip? city", { zip: "1017 AB", city: "Amsterdam" }]
])

table("words stay whole", [
  ["my plate is AB-12-CD", "plate", { plate: "AB-12-CD" }],
  ["write to ada@las-vegas.example", "email city", { email: "ada@las-vegas.example" }],
  ["it is XX-123-45", "code", {}],
  ["it is XX-123", "code?", { code: "XX-123" }],
  ["doubledecker", "room?", {}],
  ["suites", "room?", { room: "suite" }],
  ["the 4runner", "guests?", {}],
  ["B2B", "guests?", {}],
  ["this evening is even better", "notes", {}]
])

describe("the offline model's understanding of yes and no", () => {
  const rows: ReadonlyArray<readonly [message: string, answer: "yes" | "no" | undefined]> = [
    ["no problem", "yes"],
    ["no problem with Friday", "yes"],
    ["not a problem at all", "yes"],
    ["no, thanks", "no"],
    ["no", "no"],
    ["definitely not", "no"],
    ["please don't", "no"],
    ["no worries", undefined],
    ["no idea", undefined],
    ["not sure", undefined],
    ["I don't know", undefined],
    ["I don't care", undefined],
    ["there is a problem", undefined]
  ]
  for (const [message, answer] of rows) {
    it.effect(`"${message}" is understood as ${answer ?? "neither"}`, () =>
      Effect.map(ask(message, "breakfast?"), ({ conditions, fields }) => {
        expect(conditions).toEqual({ yes: answer === "yes", no: answer === "no" })
        expect(fields).toEqual(answer === undefined ? {} : { breakfast: answer === "yes" })
      }))
  }
  it.effect("a value after the words \"no problem with\" is extracted as an answer", () =>
    Effect.map(
      ask("no problem with Friday", "checkIn?"),
      ({ fields }) => expect(fields).toEqual({ checkIn: "2027-03-05" })
    ))
})

describe("withdrawing a value, or having no preference", () => {
  const rows: ReadonlyArray<readonly [message: string, fields: string, expected: object, book: number]> = [
    ["forget the date", "checkIn! name?", {}, 45],
    ["never mind the city", "city! name?", {}, 45],
    ["please remove my name", "name!", {}, 45],
    ["forget the date, make it Friday", "checkIn! name?", { checkIn: "2027-03-05" }, 45],
    ["any city is fine", "city?", {}, 60],
    ["any", "city?", {}, 60],
    ["I don't care", "city?", {}, 60],
    ["doesn't matter", "notes?", {}, 60],
    ["whatever, up to you", "city?", {}, 0],
    ["any date works for Lisbon", "city? checkIn?", { city: "Lisbon" }, 60],
    ["anything but Lisbon", "city?", {}, 0],
    ["don't forget the date", "checkIn!", {}, 0]
  ]
  for (const [message, names, expected, book] of rows) {
    it.effect(`"${message}" for ${names} does not cancel the flow`, () =>
      Effect.map(ask(message, names), ({ fields, flowScores }) => {
        expect(fields).toEqual(expected)
        expect(flowScores).toMatchObject({ book, cancel: 0 })
      }))
  }
  it.effect("\"forget the …\" with a word that names no field cancels the flow", () =>
    Effect.map(ask("forget the booking", "checkIn! name?"), ({ flowScores }) => expect(flowScores.cancel).toBe(100)))
})

describe("the offline model's understanding of arbitrary text", () => {
  const all = Object.keys(given)
  const bits = FastCheck.constantFrom(
    ...("no problem with|forget the|any|one way|we are|7 in the evening|Las Vegas|St.|to|from|not|my name is|:|,|?|" +
      "half past|-|'s|the 3rd|@|http://|2027-02-31|000|__proto__|constructor|\u0000|🙂|\ud800|é|İ").split("|")
  )
  const texts = FastCheck.oneof(
    FastCheck.string({ unit: "binary", maxLength: 200 }),
    FastCheck.array(bits, { maxLength: 30 }).map((parts) => parts.join(" ")),
    FastCheck.array(bits, { maxLength: 30 }).map((parts) => parts.join(""))
  )
  it.effect.prop(
    "contains only known fields, and scores from 0 to 100",
    [texts],
    ([message]) =>
      Effect.map(
        ask(message, all.map((name, index) => name + ["", "?", "!", "?!"][index % 4]).join(" ")),
        (answers) => {
          for (const name of Object.keys(answers.fields)) expect(all).toContain(name)
          for (const score of Object.values(answers.flowScores)) {
            expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true)
          }
        }
      ),
    runs(60, 15)
  )
})

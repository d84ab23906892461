import * as Prompt from "@effect/ai/Prompt"
import { describe, expect, it } from "@effect/vitest"
import { Understanding } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Schema } from "effect"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as ProcessorTime from "../../support/ProcessorTime.js"

/** A Monday. */
const now = Date.UTC(2027, 2, 1, 9)

type Given = readonly [schema: Schema.Schema.Any, description?: string]

const hotel: Record<string, Given> = {
  city: [Schema.String, "the city of the hotel"],
  checkIn: [Schema.Date, "check-in date"],
  guests: [Schema.Int.pipe(Schema.between(1, 8)), "number of guests, 1 to 8"],
  name: [Schema.NonEmptyTrimmedString, "full name of the guest"]
}

const extract = (
  message: string,
  options: {
    readonly fields?: Record<string, Given>
    readonly asked?: string
    readonly known?: string
    readonly active?: string
  }
) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { answer } = yield* Understanding.Understanding
    const asked = options.asked?.split(" ") ?? []
    const known = options.known?.split(" ") ?? []
    const { fields } = yield* answer({
      message,
      sessionId: "s1",
      history: Prompt.empty,
      flows: [
        { id: "book", title: "Booking", when: ["the guest wants to book a room"], active: asked.length > 0 },
        {
          id: "cancel",
          title: "Cancellation",
          when: ["the guest wants to cancel or forget the booking"],
          active: false
        },
        { id: "hours", title: "Opening hours", when: ["the guest asks when we are open"], active: false }
      ],
      fields: Object.entries(options.fields ?? hotel).map(([name, [schema, description]]) => ({
        name,
        schema,
        ...(description === undefined ? {} : { description }),
        known: known.includes(name),
        asked: asked.includes(name)
      })),
      conditions: [],
      signals: []
    })
    return fields
  }).pipe(Effect.provide(Layer.provide(Offline.layer, Logger.remove(Logger.defaultLogger))))

type Row = readonly [message: string, expected: Record<string, unknown>, options?: Parameters<typeof extract>[1]]

const table = (title: string, rows: ReadonlyArray<Row>) =>
  describe(title, () => {
    for (const [message, expected, options = {}] of rows) {
      const asked = options.asked === undefined ? "" : ` (asked ${options.asked})`
      it.effect(`extracts the values from "${message}"${asked}`, () =>
        Effect.map(extract(message, options), (fields) => expect(fields).toEqual(expected)))
    }
  })

const booking = { asked: "name", known: "city checkIn guests" }

table("one message, several fields", [
  ["I need a room in Lisbon for two people on 2027-03-15", { city: "Lisbon", checkIn: "2027-03-15", guests: 2 }],
  [
    "Hi, I'm Grace Hopper, 3 of us, Porto, from 2 April",
    { city: "Porto", checkIn: "2027-04-02", guests: 3, name: "Grace Hopper" }
  ],
  ["room in rio de janeiro for 2 guests tomorrow", { city: "Rio de Janeiro", checkIn: "2027-03-02", guests: 2 }],
  ["Book it for Ada Lovelace, 4 adults, New York", { city: "New York", guests: 4, name: "Ada Lovelace" }],
  ["two adults and one child in Berlin", { city: "Berlin", guests: 3 }],
  ["We are a party of 6 arriving next Friday", { guests: 6, checkIn: "2027-03-12" }],
  ["Do you have a room in Lisbon for two on Friday?", { city: "Lisbon", guests: 2, checkIn: "2027-03-05" }],
  ["city: Lisbon, guests: 3, check-in: 2027-03-20", { city: "Lisbon", guests: 3, checkIn: "2027-03-20" }],
  ["I NEED A ROOM IN LISBON FOR TWO PEOPLE", { city: "Lisbon", guests: 2 }]
])

table("numbers are not dates, and dates are not numbers", [
  ["2 guests", { guests: 2 }, { asked: "guests" }],
  ["two", { guests: 2 }, { asked: "guests" }],
  ["a couple", { guests: 2 }, { asked: "guests" }],
  ["half a dozen", { guests: 6 }, { asked: "guests" }],
  ["for 40 people", { guests: 40 }, { asked: "guests" }],
  ["forty two people", { guests: 42 }, { asked: "guests" }],
  ["twenty-one guests", { guests: 21 }, { asked: "guests" }],
  ["1,200 guests", { guests: 1200 }, { asked: "guests" }],
  ["2.5 guests", { guests: 2.5 }, { asked: "guests" }],
  ["just the two of us", { guests: 2 }, { asked: "guests" }],
  ["just me", { guests: 1 }, { asked: "guests" }],
  ["3 nights for 2", { guests: 2 }, { asked: "guests" }],
  ["my wife and I", { guests: 2 }, { asked: "guests" }],
  ["2-3 guests", {}, { asked: "guests" }],
  ["3 nights", {}, { asked: "guests" }],
  ["for 2 weeks", {}, { asked: "guests" }],
  ["15 March 2027", { checkIn: "2027-03-15" }, { asked: "checkIn guests" }],
  ["the 15th", { checkIn: "2027-03-15" }, { asked: "checkIn guests" }],
  ["2027-02-31", {}, { asked: "checkIn guests" }],
  ["at 7pm", {}, { asked: "guests" }],
  ["my number is +351 912 345 678", {}, { asked: "guests" }],
  ["I am 30 years old", {}, { asked: "guests" }],
  ["in 2028", {}, { asked: "guests" }],
  ["the first one", {}, { asked: "guests" }],
  ["one of my friends told me about you", {}, { asked: "guests" }],
  ["March", {}, { asked: "checkIn" }],
  ["tomorrow", { checkIn: "2027-03-02" }, { asked: "checkIn" }],
  ["today", { checkIn: "2027-03-01" }, { asked: "checkIn" }],
  ["in two weeks", { checkIn: "2027-03-15" }, { asked: "checkIn guests" }],
  ["3/15/2027", { checkIn: "2027-03-15" }, { asked: "checkIn" }],
  ["Sunday please", { checkIn: "2027-03-07" }, { asked: "checkIn" }],
  ["a sun room would be nice", {}, { asked: "checkIn" }],
  ["not 2 but 3 guests", { guests: 3 }, { asked: "guests" }],
  ["2 guests, no wait, 3 guests", { guests: 3 }, { asked: "guests" }]
])

table("places and people", [
  ["Lisbon", { city: "Lisbon" }, { asked: "city" }],
  ["lisbon", { city: "Lisbon" }, { asked: "city" }],
  ["porto", { city: "Porto" }, { asked: "city" }],
  ["sintra please", { city: "Sintra" }, { asked: "city" }],
  ["Évora!", { city: "Évora" }, { asked: "city" }],
  ["Sintra for three people", { city: "Sintra", guests: 3 }, { asked: "city guests" }],
  ["Lisbon, Portugal", { city: "Lisbon" }, { asked: "city" }],
  ["I'd like to go to Xanadu", { city: "Xanadu" }, { asked: "city" }],
  ["LISBON 🙂", { city: "Lisbon" }, { asked: "city" }],
  ["I am Ada Lovelace", { name: "Ada Lovelace" }, booking],
  ["i am ada lovelace", { name: "Ada Lovelace" }, booking],
  ["my name is ada", { name: "Ada" }, booking],
  ["Ada Lovelace", { name: "Ada Lovelace" }, booking],
  ["two adults, please", { guests: 2 }, { asked: "name" }],
  ["ada lovelace", { name: "Ada Lovelace" }, booking],
  ["It's Jean-Luc O'Neill, thanks", { name: "Jean-Luc O'Neill" }, booking],
  ["José Álvarez", { name: "José Álvarez" }, booking],
  ["李小龙", { name: "李小龙" }, booking],
  ["Dr. Ada Lovelace", { name: "Dr. Ada Lovelace" }, booking],
  ["I'm Grace Hopper from Porto", { name: "Grace Hopper" }, booking],
  ["I am looking for a room", {}, booking],
  ["I am Portuguese", {}, booking],
  ["I'm Ada", { name: "Ada" }]
])

table("corrections", [
  ["actually make it Porto", { city: "Porto" }, booking],
  ["actually make it sintra", { city: "Sintra" }, booking],
  ["no, Porto instead", { city: "Porto" }, booking],
  ["Change the city to Porto", { city: "Porto" }, booking],
  ["change the city from Lisbon to Porto", { city: "Porto" }, booking],
  ["not Lisbon but Porto", { city: "Porto" }, booking],
  ["Porto instead of Lisbon", { city: "Porto" }, booking],
  ["What about Porto?", { city: "Porto" }, booking],
  ["wait, I meant Faro", { city: "Faro" }, booking],
  ["Sorry, 4 guests", { guests: 4 }, booking],
  ["make it 4", { guests: 4 }, booking],
  ["make it 3 guests and move it to 2027-04-01", { guests: 3, checkIn: "2027-04-01" }, booking],
  ["change my name to Grace Hopper", { name: "Grace Hopper" }, { asked: "city", known: "name" }]
])

table("nothing said, nothing found", [
  ["", {}, { asked: "city" }],
  ["🙂🙂", {}, { asked: "city name" }],
  ["...", {}, { asked: "city" }],
  ["hello", {}, { asked: "city" }],
  ["I don't know", {}, { asked: "city" }],
  ["no", {}, { asked: "city" }],
  ["yes please", {}, { asked: "name" }],
  ["three nights", {}, { asked: "name city" }],
  ["forget it", {}, { asked: "city" }],
  ["never mind, cancel", {}, { asked: "name" }],
  ["help", {}, { asked: "name" }],
  ["anywhere", {}, { asked: "city" }],
  ["why do you ask?", {}, { asked: "name" }],
  ["when do you open?", {}, { asked: "checkIn" }],
  ["are you open on Sunday?", {}, { asked: "checkIn" }],
  ["what are your opening hours on 2027-03-15?", {}],
  ["constructor __proto__ toString", {}, { asked: "guests" }],
  ["now I want something else", {}, { asked: "checkIn" }],
  ["(((((.*)+)+)+)+$ [a-z", {}, { asked: "city" }]
])

const Room = Schema.Literal("single", "double", "suite").annotations({
  description: "single (one bed), double (two beds), suite"
})

enum Board {
  BreakfastOnly = "bb",
  HalfBoard = "hb"
}

table("each kind of schema", [
  ["a double room", { room: "double" }, { fields: { room: [Room] } }],
  ["not a single but a suite", { room: "suite" }, { fields: { room: [Room] } }],
  ["two beds", { room: "double" }, { fields: { room: [Room] }, asked: "room" }],
  ["with half board", { board: "hb" }, { fields: { board: [Schema.Enums(Board)] } }],
  ["yes", { agreed: true }, { fields: { agreed: [Schema.Boolean] }, asked: "agreed" }],
  ["nope", { agreed: false }, { fields: { agreed: [Schema.Boolean] }, asked: "agreed" }],
  ["yes", {}, { fields: { agreed: [Schema.Boolean] } }],
  ["sure, go ahead", { ok: "true" }, { fields: { ok: [Schema.BooleanFromString] }, asked: "ok" }],
  [
    "with parking but no breakfast",
    { breakfast: false, parking: true },
    { fields: { breakfast: [Schema.Boolean], parking: [Schema.Boolean] }, asked: "breakfast parking" }
  ],
  ["two", { rooms: "2" }, { fields: { rooms: [Schema.NumberFromString] }, asked: "rooms" }],
  ["2 rooms for 4 adults and 3 nights", { rooms: 2, guests: 4, nights: 3 }, {
    fields: { guests: [Schema.Int], nights: [Schema.Int], rooms: [Schema.Int, "number of rooms"] }
  }],
  ["3 nights", { nights: 3 }, { fields: { guests: [Schema.Int], nights: [Schema.Int] }, asked: "guests nights" }],
  ["a 3-night stay", { nights: 3 }, { fields: { guests: [Schema.Int], nights: [Schema.Int] } }],
  ["between us we have $200 for 2 people", { budget: 200, guests: 2 }, {
    fields: { budget: [Schema.Number, "budget in dollars"], guests: [Schema.Int] }
  }],
  ["I am 30", { age: 30 }, { fields: { age: [Schema.Int], guests: [Schema.Int] }, asked: "age guests" }],
  ["next Friday", { day: "2027-03-12" }, { fields: { day: [Schema.String, "the day of arrival"] }, asked: "day" }],
  ["2027-03-15", { at: "2027-03-15" }, { fields: { at: [Schema.DateTimeUtc] } }],
  ["20 March 2027 at 14:30", { at: "2027-03-20T14:30:00.000Z" }, { fields: { at: [Schema.DateTimeUtc] } }],
  ["2027-03-15", { at: Date.UTC(2027, 2, 15) }, { fields: { at: [Schema.DateTimeUtcFromNumber] } }],
  ["from March 15 to March 18", { checkIn: "2027-03-15", checkOut: "2027-03-18" }, {
    fields: { checkIn: [Schema.Date], checkOut: [Schema.Date] }
  }],
  ["check in 2027-03-15, check out 2027-03-18", { checkIn: "2027-03-15", checkOut: "2027-03-18" }, {
    fields: { checkOut: [Schema.Date], checkIn: [Schema.Date] }
  }],
  ["at 7pm", { time: "19:00" }, { fields: { time: [Schema.String, "time of arrival"] } }],
  ["write to ada@example.org.", { email: "ada@example.org" }, { fields: { email: [Schema.String] } }],
  ["call me at +351 912 345 678", { phone: "+351 912 345 678" }, { fields: { phone: [Schema.String] } }],
  ["my order number is AB-1234", { orderNumber: "AB-1234" }, { fields: { orderNumber: [Schema.String] } }],
  ["#99812", { order: "99812" }, { fields: { order: [Schema.String, "order number"] } }],
  ["it is 99812", { order: "99812" }, { fields: { order: [Schema.String, "order number"] }, asked: "order" }],
  ["we arrive late and bring a cat", { notes: "we arrive late and bring a cat" }, {
    fields: { notes: [Schema.String, "anything else we should know"] },
    asked: "notes"
  }],
  ["we arrive late and bring a cat", {}, { fields: { notes: [Schema.String] } }],
  ["change the title to Our big trip", { title: "Our big trip" }, {
    fields: { title: [Schema.String] },
    known: "title"
  }],
  ["from Lisbon to Porto", { origin: "Lisbon", destination: "Porto" }, {
    fields: { destination: [Schema.String], origin: [Schema.String] }
  }],
  ["I'm Ada Lovelace", { firstName: "Ada", lastName: "Lovelace" }, {
    fields: { firstName: [Schema.String], lastName: [Schema.String] }
  }],
  ["breakfast and parking please", { extras: ["breakfast", "parking"] }, {
    fields: { extras: [Schema.Array(Schema.Literal("breakfast", "parking", "spa"))] }
  }],
  ["to Porto for 2", { trip: { city: "Porto", guests: 2 } }, {
    fields: { trip: [Schema.Struct({ city: Schema.String, guests: Schema.Int, name: Schema.optional(Schema.String) })] }
  }],
  ["Lisbon", { city: "Lisbon" }, { fields: { city: [Schema.NullOr(Schema.String)] }, asked: "city" }],
  ["whatever 12 on Friday", {}, {
    fields: {
      a: [Schema.Unknown],
      b: [Schema.Void],
      c: [Schema.ReadonlyMap({ key: Schema.String, value: Schema.Int })]
    },
    asked: "a b c"
  }],
  ["Lisbon", {}, {
    fields: {
      a: [Schema.suspend((): Schema.Schema.Any => {
        throw new Error("boom")
      })]
    },
    asked: "a"
  }]
])

describe("long hostile messages", () => {
  const inputs = {
    letters: "a".repeat(10_000),
    words: "Lisbon two 2027-03-15 ".repeat(500),
    brackets: "(".repeat(10_000),
    digits: "1 ".repeat(5_000),
    dashes: "1-".repeat(5_000),
    negations: "no not ".repeat(1_500),
    at: "a@".repeat(5_000),
    spaces: `my name is${" ".repeat(10_000)}`,
    names: "Ada ".repeat(2_500),
    quotes: "it's Ada's ".repeat(900),
    hundred: "two hundred ".repeat(900),
    emoji: "🙂".repeat(5_000),
    dots: "Dr. ".repeat(2_500)
  }
  for (const [name, input] of Object.entries(inputs)) {
    it.effect(`the offline model reads a long message of ${name} within the time limit`, () =>
      Effect.gen(function*() {
        const took = ProcessorTime.start()
        yield* extract(input, { asked: "city name guests checkIn" })
        expect(took()).toBeLessThan(1_500)
      }))
  }
})

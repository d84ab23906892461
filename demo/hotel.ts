/**
 * A small hotel's agent: what it collects, how its conversations go, and how they are shown. No terminal, no model.
 */
import { Agent } from "coxswain"
import type { TurnEvent, TurnResponse } from "coxswain"
import { Clock, Effect, Schema } from "effect"
import * as Rooms from "./rooms.js"

/** A booking that was made. */
const Booked = Schema.Struct({
  number: Schema.String,
  room: Schema.String,
  price: Schema.Number,
  city: Schema.String,
  checkIn: Schema.Date,
  guests: Schema.Number,
  name: Schema.String
})

type Booked = typeof Booked.Type

/** The room that was found, or why there is none, and the field that has to change. */
const Offer = Schema.Struct({
  room: Schema.optional(Schema.String),
  price: Schema.optional(Schema.Number),
  refusal: Schema.optional(Schema.String),
  wrong: Schema.optional(Schema.Literal("city", "checkIn", "guests")),
  instead: Schema.optional(Schema.Array(Schema.String))
})

const people = () => "we have rooms for one to eight guests"

export const Data = Schema.Struct({
  city: Schema.NonEmptyTrimmedString.annotations({ description: "the city you would like to stay in" }),
  checkIn: Schema.Date.annotations({ description: "the day on which you arrive" }),
  guests: Schema.Int.pipe(Schema.between(1, 8, { message: people })).annotations({
    description: "the number of guests, 1 to 8"
  }),
  name: Schema.NonEmptyTrimmedString.annotations({ description: "your full name" }),
  offer: Offer.annotations({ extract: "never", dependsOn: ["city", "checkIn", "guests"] }),
  booked: Schema.String.annotations({ extract: "never" }),
  bookings: Schema.Array(Booked).annotations({ extract: "never" })
})

export type Data = typeof Data.Type

export const kit = Agent.define({ data: Data })

/** `Saturday, 28 November` */
const day = (date: Date): string =>
  date.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long", timeZone: "UTC" })
    .replace(/^(\w+) /, "$1, ")

const counted = (guests: number): string => guests === 1 ? "one guest" : `${guests} guests`

const list = (items: ReadonlyArray<string>, word = "and"): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`

const houses = list(Rooms.cities)

const stay = ({ checkIn, city, guests, room }: Pick<Booked, "room" | "city" | "checkIn" | "guests">): string =>
  `${room} in ${city} for ${counted(guests)} from ${day(checkIn)} ${checkIn.getUTCFullYear()}`

/** The sentence for a guest who cannot have what was asked for, and what to change. */
const refused = (refusal: Rooms.Refusal, city: string, checkIn: Date): typeof Offer.Type => {
  switch (refusal._tag) {
    case "NoHouse":
      return {
        refusal: `I am sorry, we have no house in ${city}. Ours are in ${houses}. Which city would you like?`,
        wrong: "city"
      }
    case "Past":
      return { refusal: `${day(checkIn)} is over. On which day do you arrive?`, wrong: "checkIn" }
    case "TooMany":
      return {
        refusal: `Our largest room in ${city} is for ${counted(refusal.most)}. There are larger ones in ${
          list(refusal.elsewhere, "or")
        }. Which would you like?`,
        instead: refusal.elsewhere.map((other) => `in ${other}`)
      }
    case "Full": {
      const instead = [
        ...refusal.days.map((date) => `on ${day(date)}`),
        ...refusal.elsewhere.map((other) => `in ${other}`)
      ]
      return {
        refusal: `${city} is full on ${day(checkIn)}. There is a room ${list(instead, "or")}. Which would you like?`,
        instead
      }
    }
  }
}

const findRoom = kit.tool({
  id: "find_room",
  description: "Looks for a free room",
  isReadOnly: true,
  trusted: true,
  parameters: { city: Schema.String, checkIn: Schema.Date, guests: Schema.Number },
  handler: ({ checkIn, city, guests }) =>
    Effect.map(Clock.currentTimeMillis, (now): typeof Offer.Type => {
      const found = Rooms.find(city, checkIn, guests, new Date(now))
      return "_tag" in found ? refused(found, city, checkIn) : { room: found.name, price: found.price }
    })
})

const bookRoom = kit.tool({
  id: "book_room",
  description: "Books the room that was found",
  isDestructive: true,
  trusted: true,
  parameters: {
    city: Schema.String,
    checkIn: Schema.Date,
    guests: Schema.Number,
    room: Schema.String,
    name: Schema.String
  },
  handler: ({ checkIn, city, guests }) =>
    `${city.slice(0, 2).toUpperCase()}${checkIn.getUTCDate()}${checkIn.getUTCMonth() + 1}${guests}`
})

const cancelBooking = kit.tool({
  id: "cancel_booking",
  description: "Cancels a booking",
  isDestructive: true,
  parameters: { number: Schema.String, stay: Schema.String },
  needsApproval: { by: "user" },
  confirmation: ({ number, stay }) => `Shall I cancel booking ${number}, ${stay}?`,
  handler: () => "cancelled"
})

const changeBooking = kit.tool({
  id: "change_booking",
  description: "Changes a booking",
  isDestructive: true,
  parameters: { number: Schema.String, stay: Schema.String, name: Schema.String },
  needsApproval: { by: "user" },
  confirmation: ({ name, number, stay }) => `Shall I change booking ${number} to ${stay}, in the name of ${name}?`,
  handler: () => "changed"
})

/** The values of the booking that was made. */
const madeOf = ({ bookings }: Partial<Data>): Partial<Data> => {
  const made = last(bookings)
  return made === undefined ? {} : { city: made.city, checkIn: made.checkIn, guests: made.guests, name: made.name }
}

const last = (bookings: ReadonlyArray<Booked> | undefined): Booked | undefined => bookings?.at(-1)

const missing = (data: Partial<Data>): string | undefined =>
  data.city === undefined
    ? "which city would you like to stay in?"
    : data.checkIn === undefined
    ? "on which day do you arrive?"
    : data.guests === undefined
    ? "how many guests are you?"
    : data.offer?.instead !== undefined
    ? "which of these would you like?"
    : data.name === undefined
    ? "in which name shall I book?"
    : "shall I book the room?"

interface Asking {
  readonly data: Partial<Data>
  readonly session: {
    readonly suspended: ReadonlyArray<{ readonly flow: { readonly id: string } }>
    readonly agenda?: ReadonlyArray<{ readonly flowId: string; readonly title: string; readonly message: string }>
  }
}

/** An answer beside the booking, and then the question that waits, or with which the booking begins. */
const beside = (text: string) => ({ data, session }: Asking): string =>
  session.suspended.some(({ flow }) => flow.id === "booking")
    ? `${text} Back to your booking: ${missing(data)}`
    : (session.agenda ?? []).some(({ flowId }) => flowId === "booking")
    ? `${text} And for the room: ${missing(data)}`
    : text

const booking = kit.flow({
  title: "Booking",
  when: [
    "the guest wants to book or reserve a room",
    "the guest needs a room or a bed",
    "the guest wants to stay for a night",
    "the guest asks what is available",
    "!the guest wants to cancel",
    "!the guest asks for the booking number"
  ],
  requiredFields: ["city", "checkIn", "guests", "name"],
  optionalFields: ["offer", "booked"],
  reentrant: true,
  steps: [
    {
      id: "stay",
      description: "Your stay",
      prompt: "Ask for the city, the day of arrival and the number of guests",
      collect: ["city", "checkIn", "guests"],
      choices: { city: Rooms.cities }
    },
    kit.step({
      id: "look",
      requires: ["city", "checkIn", "guests"],
      call: findRoom.with(({ data }) => ({ city: data.city, checkIn: data.checkIn, guests: data.guests })),
      bind: "offer"
    }),
    {
      id: "no-room",
      if: ({ data }) => data.offer?.wrong !== undefined,
      reply: ({ data }) => data.offer?.refusal ?? "",
      finalize: ({ data }) => ({ clear: [data.offer?.wrong ?? "city"], goToStep: "stay" })
    },
    {
      id: "full",
      if: ({ data }) => data.offer?.instead !== undefined,
      prompt: ({ data }) => `Tell the guest: ${data.offer?.refusal ?? ""}`,
      until: ({ data }) => data.offer?.room !== undefined,
      choices: ({ data }) => data.offer?.instead ?? []
    },
    {
      id: "name",
      prompt: ({ data }) =>
        `Tell the guest that ${data.offer?.room ?? "a room"} is free, for ${
          data.offer?.price ?? 0
        } euros a night. Ask for the name`,
      collect: ["name"],
      confirm: ({ data }) =>
        `That is ${data.offer?.room ?? "a room"} in ${data.city} for ${counted(data.guests ?? 1)} from ${
          data.checkIn === undefined ? "" : day(data.checkIn)
        }, for ${data.offer?.price ?? 0} euros a night, in the name of ${data.name}. Shall I book it?`
    },
    kit.step({
      id: "book",
      requires: ["city", "checkIn", "guests", "name", "offer"],
      call: bookRoom.with(({ data: { checkIn, city, guests, name, offer } }) => ({
        city,
        checkIn,
        guests,
        name,
        room: offer?.room ?? "a room"
      })),
      bind: "booked"
    }),
    kit.step({
      id: "confirm",
      requires: ["city", "checkIn", "guests", "name", "offer", "booked"],
      reply: ({ data }) =>
        `It is booked: ${
          stay({ ...data, room: data.offer.room ?? "a room" })
        }. Your number is ${data.booked}. Thank you, ${data.name}!`,
      finalize: ({ data: { booked, bookings, checkIn, city, guests, name, offer } }) => ({
        dataUpdate: {
          bookings: [
            ...bookings ?? [],
            { number: booked, room: offer.room ?? "a room", price: offer.price ?? 0, city, checkIn, guests, name }
          ]
        }
      }),
      ends: true
    })
  ]
})

/** True if the guest has corrected a value of the booking that was made. */
const isChanged = ({ bookings, checkIn, city, guests, name }: Partial<Data>): boolean => {
  const made = last(bookings)
  return made !== undefined && city !== undefined && guests !== undefined && name !== undefined &&
    (made.city !== city || made.guests !== guests || made.name !== name ||
      made.checkIn.getTime() !== checkIn?.getTime())
}

/** A message that asks for a room of its own is no correction of the last booking. */
const asksForRoom = (message: string): boolean =>
  /\b(?:another|second|further|more|need|want|book)\b.*\broom\b/i.test(message)

/** Leads to the change after a correction of the last booking. */
const changed = {
  if: ({ data, message, session }: {
    readonly data: Partial<Data>
    readonly message: string
    readonly session: { readonly currentFlow?: unknown }
  }) => session.currentFlow === undefined && isChanged(data) && !asksForRoom(message),
  then: { goTo: "change" }
}

/** Makes the booking anew with the corrected values. */
const change = kit.flow({
  title: "Change",
  if: ({ data }) => isChanged(data),
  reentrant: true,
  onInterrupt: "drop",
  steps: [
    kit.step({
      id: "look-again",
      requires: ["city", "checkIn", "guests"],
      call: findRoom.with(({ data }) => ({ city: data.city, checkIn: data.checkIn, guests: data.guests })),
      bind: "offer"
    }),
    {
      id: "not-free",
      if: ({ data }) => data.offer?.room === undefined,
      reply: ({ data }) => `${data.offer?.refusal?.replace(/ Which .*$/, "") ?? ""} Your booking stays as it is.`,
      finalize: ({ data }) => ({ dataUpdate: madeOf(data), abort: "no room" })
    },
    kit.step({
      id: "change",
      requires: ["city", "checkIn", "guests", "name", "offer"],
      call: changeBooking.with(({ data: { bookings, checkIn, city, guests, name, offer } }) => ({
        number: last(bookings)?.number ?? "",
        stay: checkIn === undefined || city === undefined || guests === undefined
          ? ""
          : stay({ checkIn, city, guests, room: offer?.room ?? "a room" }),
        name
      })),
      then: { ok: "changed", denied: "unchanged" }
    }),
    kit.step({
      id: "changed",
      requires: ["city", "checkIn", "guests", "name", "offer"],
      reply: ({ data }) => `It is changed: ${stay({ ...data, room: data.offer.room ?? "a room" })}, for ${data.name}.`,
      finalize: ({ data: { bookings, checkIn, city, guests, name, offer } }) => ({
        dataUpdate: {
          bookings: [
            ...(bookings ?? []).slice(0, -1),
            {
              ...{ number: last(bookings)?.number ?? "", room: offer.room ?? "a room", price: offer.price ?? 0 },
              ...{ city, checkIn, guests, name }
            }
          ]
        }
      }),
      ends: true
    }),
    {
      id: "unchanged",
      reply: "Then your booking stays as it was.",
      finalize: ({ data }) => ({ dataUpdate: madeOf(data), abort: "not wanted" })
    }
  ]
})

const cancellation = kit.flow({
  title: "Cancellation",
  when: ["the guest wants to cancel or forget the booking", "the guest gives up what is under way"],
  reentrant: true,
  steps: [
    {
      id: "dropped",
      if: ({ session }) => session.suspended.some(({ flow }) => flow.id === "booking"),
      reply: "All right, I have dropped it. Nothing was booked.",
      // Ends whatever was interrupted too: nobody wants to go on with a booking just given up.
      finalize: () => ({
        abort: { reason: "given up by the guest", stack: true },
        clear: ["city", "checkIn", "guests", "name", "offer"]
      })
    },
    {
      id: "nothing",
      if: ({ data }) => last(data.bookings) === undefined,
      reply: "All right. You have no booking with us, so there is nothing to cancel.",
      ends: true
    },
    {
      id: "cancel",
      call: cancelBooking.with(({ data }) => {
        const booked = last(data.bookings)
        return { number: booked?.number ?? "", stay: booked === undefined ? "" : stay(booked) }
      }),
      then: { ok: "cancelled", denied: "kept" }
    },
    {
      id: "cancelled",
      reply: ({ data }) => `Booking ${last(data.bookings)?.number ?? ""} is cancelled. You pay nothing.`,
      finalize: ({ data }) => ({
        dataUpdate: { bookings: data.bookings?.slice(0, -1) ?? [] },
        clear: ["city", "checkIn", "guests", "name", "offer", "booked"]
      }),
      ends: true
    },
    { id: "kept", reply: "Then your booking stays as it is.", ends: "abort" }
  ]
})

const booked = kit.flow({
  title: "Your bookings",
  when: [
    "the guest asks what was booked",
    "the guest wants to see the booking",
    "the guest wants to check the booking",
    "the guest asks for the booking number",
    "the guest wants the booking repeated"
  ],
  reentrant: true,
  steps: [{
    id: "bookings",
    reply: (ctx) => {
      const all = ctx.data.bookings ?? []
      const told = all.length === 0
        ? "Nothing is booked yet."
        : `You have booked ${list(all.map((one) => `${stay(one)} (number ${one.number})`))}.`
      return beside(told)(ctx)
    }
  }]
})

/** Questions about the house, each with its answer. */
const facts: ReadonlyArray<readonly [title: string, when: ReadonlyArray<string>, reply: string]> = [
  [
    "Opening hours",
    [
      "the guest asks when we are open or closed",
      "the guest asks about opening hours",
      "the guest asks about the reception"
    ],
    "The reception is open from 7:00 to 23:00 every day."
  ],
  [
    "Breakfast",
    ["the guest asks about breakfast", "the guest asks about food or restaurant"],
    "Breakfast is included, from 7:00 to 10:30. We have no restaurant."
  ],
  [
    "Pool and spa",
    ["the guest asks about a pool", "the guest asks about swimming, sauna, spa or gym"],
    "We have no pool, sauna or gym, but the sea is near in Lisbon, Porto and Faro."
  ],
  [
    "Parking",
    ["the guest asks about parking", "the guest asks about a garage", "the guest comes by car"],
    "You can park behind the house for 12 euros a day."
  ],
  [
    "Pets",
    ["the guest asks about pets", "the guest asks about a dog or a cat"],
    "Dogs and cats are welcome, for 10 euros a stay."
  ],
  ["Internet", ["the guest asks about wifi", "the guest asks about wi-fi or internet"], "Wi-Fi is free in all rooms."],
  [
    "Prices",
    [
      "the guest asks how much a room costs",
      "the guest asks how much it is per night",
      "the guest asks about the price"
    ],
    "A double room costs from 70 euros in Faro to 120 euros in Paris, a night. Tell me the city and the day, and I look."
  ],
  [
    "Payment",
    [
      "the guest asks how to pay",
      "the guest asks about payment by card or cash",
      "the guest asks about Visa, Mastercard or American Express"
    ],
    "You pay at the house, by card or in cash."
  ],
  ["Houses", [
    "the guest asks where we are",
    "the guest asks which cities or houses we have",
    "the guest asks about the location or address"
  ], `We have houses in ${houses}.`],
  [
    "Nights",
    ["the guest says for how many nights", "the guest asks about the number of nights"],
    "I book from the day of arrival. How many nights you stay, you tell the house when you check in."
  ],
  [
    "Arrival",
    ["the guest asks when to check in or check out", "the guest asks about late arrival"],
    "You can check in from 15:00, and check out until 11:00."
  ],
  [
    "What I can do",
    [
      "the guest asks what we can do",
      "the guest asks how this works",
      "the guest asks who are you"
    ],
    `I am the hotel's booking assistant. I can book you a room in ${houses}, tell you what you have booked, cancel it, and answer questions about the house.`
  ],
  [
    "A person",
    [
      "the guest wants to talk to a human or a real person",
      "the guest wants the manager or a colleague",
      "the guest is angry or complains"
    ],
    "In a real hotel a colleague would take over here; in this demo nobody sits at the desk. What I can do: book a room, tell what is booked, cancel it, and answer questions about the house."
  ]
]

/** The titles of the flows for which an earlier message asked, too, or this one. */
const waiting = ({ agenda = [] }: Asking["session"]): ReadonlyArray<string> => agenda.map(({ title }) => title)

const answerOf = (title: string, reply: string, data: Partial<Data>): string =>
  title === "Prices" && data.offer?.price !== undefined
    ? `${
      (data.offer.room ?? "the room").replace(/^./, (first) => first.toUpperCase())
    } in ${data.city} costs ${data.offer.price} euros a night, and is the cheapest that is free then.`
    : reply

/** The answer, with those to the other questions of the message. */
const answers = (title: string, reply: string) => (ctx: Asking & { readonly message: string }): string => {
  const asked = (ctx.session.agenda ?? []).filter(({ message }) => message === ctx.message).map((wish) => wish.title)
  const others = facts.flatMap(([other, , text]) => asked.includes(other) ? [answerOf(other, text, ctx.data)] : [])
  return beside([answerOf(title, reply, ctx.data), ...others].join(" "))(ctx)
}

const goodbye = kit.flow({
  title: "Goodbye",
  when: ["the guest says goodbye", "the guest wants nothing more"],
  reentrant: true,
  steps: [{
    id: "goodbye",
    reply: ({ data }) =>
      last(data.bookings) === undefined ? "Goodbye! I hope to see you another time." : "Goodbye, and see you soon!",
    finalize: () => ({ abort: { reason: "the guest left", stack: true } })
  }]
})

/** The definition, as `make` takes it. */
export const definition = {
  name: "Harbour Hotel",
  goal: "Book rooms, cancel bookings and answer questions about the house",
  persona: "You are the friendly and brief receptionist of a small hotel with houses in many cities.",
  instructions: ["Never promise what the hotel's system has not confirmed.", "Say so when you do not know an answer."],
  idle: { prompt: "Say: I can book you a room, tell what is booked, cancel it, or answer questions about the house" },
  branches: [changed],
  pendingIntentTurns: 2,
  flows: [
    booking,
    change,
    cancellation,
    booked,
    ...facts.map(([title, when, reply]) =>
      kit.flow({
        title,
        when,
        reentrant: true,
        // The answer to the first of two questions brings that to the other one, too.
        if: ({ session }) => !waiting(session).includes(title),
        steps: [{ id: "answer", reply: answers(title, reply) }]
      })
    ),
    goodbye
  ]
}

export const hotel = kit.make(definition)

export type Event = TurnEvent.TurnEvent<Data, {}>
type Response = TurnResponse.TurnResponse<Data, {}>

const labels = { city: "city", checkIn: "check-in", guests: "guests", name: "name" } as const

/** `city Lisbon, check-in 2027-03-15` */
export const describe = (data: Partial<Data>): string =>
  (["city", "checkIn", "guests", "name"] as const).flatMap((field) => {
    const value = data[field]
    const text = value instanceof Date ? value.toISOString().slice(0, 10) : String(value)
    return value === undefined ? [] : [`${labels[field]} ${text}`]
  }).join(", ")

/** The line of `--trace` for an event. */
export const note = (event: Event): string | undefined => {
  switch (event._tag) {
    case "DataCollected":
      return Object.keys(event.data).length === 0 ? undefined : `collected: ${describe(event.data)}`
    case "FlowEntered":
      return event.resumed ? `back to: ${event.title}` : `flow: ${event.title}`
    case "StepEntered":
      return `step: ${event.flowId} / ${event.stepId}`
    case "FlowCompleted":
      return `completed: ${event.flowId}`
    case "Understood":
      return `understood: ${Object.entries(event.flowScores).map(([flow, score]) => `${flow} ${score}`).join(", ")}`
    case "ModelCallFinished": {
      const { finishReason, model, purpose, usage } = event
      return `model call: ${purpose} by ${model}, ${finishReason}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out`
    }
    default:
      return undefined
  }
}

const reasonOf = (event: Event): string | undefined => {
  switch (event._tag) {
    case "DataCollected": {
      const taken = describe(event.data)
      return taken === "" ? undefined : `took ${taken}`
    }
    case "FlowEntered":
      return event.resumed ? `back to ${event.title}` : `the message is for ${event.title}`
    case "ToolCallCompleted":
      return `${event.name}: ${event.outcome}`
    default:
      return undefined
  }
}

/** Why the turn went as it did, in one line. */
export const why = (events: ReadonlyArray<Event>, { rejected, session }: Response): string => {
  const reasons = [
    ...events.map(reasonOf).filter((reason) => reason !== undefined),
    ...rejected.map(({ field }) => `refused ${field}`),
    ...session.currentStep === undefined ? [] : [`waits at ${session.currentFlow?.title} / ${session.currentStep.id}`]
  ]
  return `why: ${reasons.length === 0 ? "no flow fits the message" : reasons.join("; ")}`
}

/** The lines of `--trace` when the turn is over: every directive emitted, and what the turn cost. */
export const summary = (response: Response): ReadonlyArray<string> => [
  ...response.directiveChain.map(({ applied, directive, phase, source }) =>
    `directive: ${source} (${phase}) ${JSON.stringify(directive)}${applied ? "" : ", not applied"}`
  ),
  ...response.rejected.map(({ field, message }) => `rejected: ${field}, ${message}`),
  `turn: ${response.stoppedReason}, ${response.usage.modelCalls} model calls`
]

/** The text of `/state`. */
export const state = (session: Response["session"]): ReadonlyArray<string> => [
  `collected: ${describe(session.data) || "nothing"}`,
  `flow: ${session.currentFlow?.title ?? "none"}`,
  `step: ${session.currentStep?.id ?? "none"}`,
  `suspended: ${session.suspended.map(({ flow }) => flow.title).join(", ") || "none"}`,
  `messages: ${session.messageCount}, version: ${session.version}`
]

export const greeting = (answering: string): ReadonlyArray<string> => [
  "Harbour Hotel. Book a room, ask about the house, cancel. /state /reset /quit",
  answering,
  "Try: \"A room in Lisbon for two on Friday\", \"Is breakfast included?\", \"What did I book?\""
]

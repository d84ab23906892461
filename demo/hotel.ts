/**
 * A small hotel's agent: what it collects, how its conversations go, and how they are shown. No terminal, no model.
 */
import { Agent } from "coxswain"
import type { TurnEvent, TurnResponse } from "coxswain"
import { Schema } from "effect"

export const Data = Schema.Struct({
  city: Schema.NonEmptyTrimmedString.annotations({ description: "the city to stay in" }),
  checkIn: Schema.Date.annotations({ description: "the check-in date" }),
  guests: Schema.Int.pipe(Schema.between(1, 8)).annotations({ description: "the number of guests, 1 to 8" }),
  name: Schema.NonEmptyTrimmedString.annotations({ description: "the guest's full name" })
})

export type Data = typeof Data.Type

export const kit = Agent.define({ data: Data })

const booking = kit.flow({
  title: "Booking",
  when: "the guest wants to book a room",
  requiredFields: ["city", "checkIn", "guests", "name"],
  reentrant: true,
  steps: [
    {
      id: "stay",
      prompt: "Ask for the city, the check-in date and the guests",
      collect: ["city", "checkIn", "guests"]
    },
    { id: "name", prompt: "Ask for the guest's name", collect: ["name"] },
    { id: "confirm", prompt: "Confirm the booking with all its details and thank the guest" }
  ]
})

const cancellation = kit.flow({
  title: "Cancellation",
  when: "the guest wants to cancel or forget the booking",
  reentrant: true,
  steps: [{
    id: "cancelled",
    reply: ({ data }) =>
      Object.keys(data).length === 0
        ? "There is nothing to cancel."
        : `Cancelled: ${describe(data)}. Nothing of it is kept.`,
    // Ends whatever was interrupted too: nobody wants to go on with a booking just cancelled.
    finalize: () => ({ abort: { reason: "cancelled by the guest", clearSession: true } })
  }]
})

const openingHours = kit.flow({
  title: "Opening hours",
  when: ["the guest asks when we are open or closed", "the guest asks about opening hours"],
  reentrant: true,
  steps: [{ id: "hours", prompt: "Tell the guest that the reception is open from 7:00 to 23:00 every day" }]
})

/** The definition, as `make` takes it. */
export const definition = {
  name: "Harbour Hotel",
  goal: "Book rooms, cancel bookings and say when the reception is open",
  persona: "You are the friendly and brief receptionist of a small hotel with houses in many cities.",
  flows: [booking, cancellation, openingHours]
} as const

export const hotel = kit.make(definition)

export type Event = TurnEvent.TurnEvent<Data, {}>
type Response = TurnResponse.TurnResponse<Data, {}>

const labels: Record<keyof Data, string> = { city: "city", checkIn: "check-in", guests: "guests", name: "name" }

/** `city Lisbon, check-in 2027-03-15` */
export const describe = (data: Partial<Data>): string =>
  (["city", "checkIn", "guests", "name"] as const).flatMap((field) => {
    const value = data[field]
    const text = value instanceof Date ? value.toISOString().slice(0, 10) : String(value)
    return value === undefined ? [] : [`${labels[field]} ${text}`]
  }).join(", ")

/** The line shown for an event while the reply streams, besides its text. */
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
    default:
      return undefined
  }
}

/** The further lines of `--trace`: how the message was understood, and each call of a model. */
export const trace = (event: Event): string | undefined => {
  switch (event._tag) {
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

export const greeting = (provider: string): ReadonlyArray<string> => [
  "Harbour Hotel. Book a room, cancel, or ask when we are open. /state /reset /quit",
  provider === "offline"
    ? "Answering offline: rules and templates, not a language model. --provider openai uses a real one."
    : `Answering with ${provider}.`
]

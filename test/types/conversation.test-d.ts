/** A conversation knows the names of its agent. Checked by `tsc`. */
import { Agent } from "coxswain"
import { Conversation, ScriptedModel } from "coxswain/testing"
import { Effect, Schema } from "effect"
import { booking, definition, kit } from "../testing/Trips.js"

const { sayTask, understand } = ScriptedModel

export const typed = Effect.gen(function*() {
  const talk = yield* Conversation.make(yield* kit.make(definition), { definition })
  yield* talk.user("Hi", understand({ flow: "booking", fields: { city: "Lisbon" } }), sayTask)
  yield* talk.user("Hi", understand({ flow: { "opening-hours": 80, booking: 20 } }), understand({}))
  yield* talk.expectStep("booking", "city")
  yield* talk.expectStep("Opening hours", "tell-the-hours")
  yield* talk.expectFlow("opening-hours")
  yield* talk.expectFlow("Booking")
  yield* talk.expectData({ city: "Lisbon", guests: undefined, day: new Date(0) })

  // @ts-expect-error there is no such flow
  yield* talk.expectFlow("bookings")
  // @ts-expect-error there is no such step
  yield* talk.expectStep("booking", "cities")
  // @ts-expect-error that step is in another flow
  yield* talk.expectStep("opening-hours", "city")
  // @ts-expect-error there is no such field
  yield* talk.expectData({ citty: "Lisbon" })
  // @ts-expect-error the field has another type
  yield* talk.expectData({ guests: "two" })
  // @ts-expect-error there is no such field
  yield* talk.expectRejected("citty")
  // @ts-expect-error there is no such reason
  yield* talk.expectStopped("done")
  // @ts-expect-error the script wants a flow that does not exist
  yield* talk.user("Hi", understand({ flow: "bookings" }))
  // @ts-expect-error the script gives a field that does not exist
  yield* talk.user("Hi", understand({ fields: { city: "Lisbon", citty: "Lisbon" } }))
})

export const some = Effect.gen(function*() {
  const talk = yield* Conversation.make(yield* kit.make(definition), { definition: { flows: [booking] } })
  yield* talk.expectStep("booking", "offer")
  // @ts-expect-error only what was given is known
  yield* talk.expectFlow("opening-hours")
})

// Without the definition, names of flows and steps are checked when the test runs; fields still by the compiler.
export const untyped = Effect.gen(function*() {
  const talk = yield* Conversation.make(yield* kit.make(definition))
  yield* talk.expectStep("any", "step")
  // @ts-expect-error there is no such field
  yield* talk.expectData({ citty: "Lisbon" })
})

export const events = Effect.gen(function*() {
  const shop = Agent.define({
    data: Schema.Struct({ paid: Schema.Number }),
    events: { "payment.settled": Schema.Struct({ at: Schema.Date }), ping: Schema.Null }
  })
  const talk = yield* Conversation.make(yield* shop.make({ name: "Shop" }))
  yield* talk.event("ping", null)
  // As it comes over the wire: the Schema decodes it.
  yield* talk.event("payment.settled", { at: "2026-01-01T00:00:00Z" }, sayTask)
  // @ts-expect-error there is no such event
  yield* talk.event("pong", null)
  // @ts-expect-error the payload of another event
  yield* talk.event("payment.settled", null)
  // @ts-expect-error the script gives a field that does not exist
  yield* talk.event("ping", null, understand({ fields: { payed: 1 } }))
  const none = yield* Conversation.make(yield* kit.make(definition))
  // @ts-expect-error an agent that hears no events
  yield* none.event("ping", null)
})

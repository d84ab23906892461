/**
 * A booking that somebody leaves in the middle: a reminder after an hour, an apology after a day. The days pass on a clock
 * of the program's own, so that this takes a moment.
 *
 * The model is the offline one, so that this runs anywhere; `COXSWAIN_PROVIDER` puts a real one in its place.
 */
import { Agent, Scheduler, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Clock, Console, DateTime, Effect, Fiber, Layer, Schema, Stream, TestClock, TestContext } from "effect"
import { model } from "./model.js"

const kit = Agent.define({ data: Schema.Struct({ city: Schema.Literal("Lisbon", "Porto"), guests: Schema.Int }) })

class Hotel extends kit.Service<Hotel>()("Hotel", {
  name: "Hotel",
  flows: [{
    title: "Book a room",
    steps: [
      {
        id: "guests",
        prompt: "Ask for how many guests",
        collect: ["city", "guests"],
        after: {
          "1 hour": ({ data }) => ({ reply: `Your room in ${data.city} is still waiting for you.` }),
          "1 day": "sorry"
        }
      },
      { id: "sorry", reply: ({ data }) => `Sorry, we had to give the room in ${data.city} away.` }
    ]
  }]
}) {}

const time = Effect.map(Clock.currentTimeMillis, (now) => DateTime.formatIso(DateTime.unsafeMake(now)).slice(0, 16))

const program = Effect.gen(function*() {
  const hotel = yield* Hotel
  const guest = hotel.session("u1")
  const page = yield* guest.feed.pipe(
    Stream.runForEach((event) =>
      event._tag === "TextDelta" ? Effect.flatMap(time, (now) => Console.log(`${now} ${event.text}`)) : Effect.void
    ),
    Effect.fork
  )
  yield* Effect.repeatN(Effect.yieldNow(), 10)
  yield* hotel.respond({ sessionId: "u1", message: "A room in Lisbon, please" })
  yield* TestClock.adjust("2 days")

  const { currentFlow, timers = [] } = yield* guest.snapshot
  yield* Console.log(`active: ${currentFlow?.title ?? "nothing"}, timers: ${timers.length}`)
  yield* Fiber.interrupt(page)
})

program.pipe(
  Effect.provide(
    Scheduler.layer([Hotel], { maxInterval: "6 hours" }).pipe(
      Layer.provideMerge(Hotel.layer),
      Layer.provideMerge(Layer.merge(model(Offline.layer), SessionStore.layerMemory)),
      Layer.provideMerge(TestContext.TestContext)
    )
  ),
  Effect.runPromise
)

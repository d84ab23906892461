/**
 * An agent inside a larger application: mails come in by a queue, a worker lets the agent answer them, and answers leave
 * by the application's own service. Mails of one sender are answered in their order, those of several at once; a mail that
 * comes twice is answered once; one that cannot be answered is put aside and holds up nobody.
 */
import { Agent, SessionStore } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Console, Context, Effect, Layer, Logger, LogLevel, Queue, Schedule, Schema } from "effect"
import { model } from "./model.js"

interface Mail {
  readonly id: string
  readonly from: string
  readonly text: string
}

class Inbox extends Context.Tag("Inbox")<Inbox, Queue.Queue<Mail>>() {
  static readonly layer = Layer.scoped(Inbox, Effect.acquireRelease(Queue.bounded<Mail>(100), Queue.shutdown))
}

/** Outgoing mails by the mail that each answers, so that no answer is sent twice. */
class Outbox extends Context.Tag("Outbox")<Outbox, {
  readonly send: (mail: Mail, text: string) => Effect.Effect<void>
  readonly putAside: (mail: Mail, why: string) => Effect.Effect<void>
  /** How many mails have come through. */
  readonly handled: Effect.Effect<number>
}>() {
  static readonly layer = Layer.sync(Outbox, () => {
    const answered = new Set<string>()
    let handled = 0
    const once = (mail: Mail, line: string) =>
      Effect.suspend(() => {
        handled++
        return answered.has(mail.id)
          ? Effect.void
          : Effect.zipRight(Effect.sync(() => answered.add(mail.id)), Console.log(line))
      })
    return {
      send: (mail, text) => once(mail, `to ${mail.from}: ${text}`),
      putAside: (mail, why) => once(mail, `put aside ${mail.id}: ${why}`),
      handled: Effect.sync(() => handled)
    }
  })
}

class Closed extends Schema.TaggedError<Closed>()("Closed", { city: Schema.String }) {}

class Rooms extends Context.Tag("Rooms")<Rooms, {
  readonly reserve: (city: string) => Effect.Effect<string, Closed>
}>() {
  static readonly layer = Layer.succeed(Rooms, {
    reserve: (city) => city === "Lisbon" ? Effect.succeed("LIS-1") : Effect.fail(new Closed({ city }))
  })
}

const kit = Agent.define({
  data: Schema.Struct({
    city: Schema.String.annotations({ description: "the city to stay in" }),
    reference: Schema.String.annotations({ description: "the booking's reference", extract: "asked" })
  })
})

class Hotel extends kit.Service<Hotel>()("Hotel", {
  name: "Hotel",
  flows: [{
    title: "Book a room",
    optionalFields: ["reference"],
    steps: [
      { id: "city", prompt: "Ask for the city", collect: ["city"] },
      kit.step({
        id: "reserve",
        requires: ["city"],
        auto: true,
        prepare: ({ data }) =>
          Effect.gen(function*() {
            const rooms = yield* Rooms
            return { dataUpdate: { reference: yield* rooms.reserve(data.city) } }
          })
      }),
      { id: "done", reply: ({ data }) => `Reserved in ${data.city} under ${data.reference}.` }
    ]
  }]
}) {}

/** Takes mails for as long as the application runs. The session's lock keeps the mails of one sender in order. */
const Worker = Layer.scopedDiscard(Effect.gen(function*() {
  const [hotel, inbox, outbox] = yield* Effect.all([Hotel, Inbox, Outbox])
  const answer = (mail: Mail) =>
    hotel.respond({ sessionId: mail.from, message: mail.text, messageId: mail.id }).pipe(
      Effect.flatMap(({ message }) => outbox.send(mail, message)),
      // `Closed` is in the agent's type; all else that may fail is put aside as well.
      Effect.catchTag("Closed", ({ city }) => outbox.send(mail, `We are closed in ${city}.`)),
      Effect.catchAll(({ _tag }) => outbox.putAside(mail, _tag))
    )
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(inbox), (mail) => Effect.fork(answer(mail)))))
}))

const application = Worker.pipe(
  Layer.provideMerge(Hotel.layer),
  Layer.provideMerge(Layer.mergeAll(Inbox.layer, Outbox.layer)),
  Layer.provide([model(Offline.layer), SessionStore.layerMemory, Rooms.layer]),
  Layer.provide(Logger.minimumLogLevel(LogLevel.Warning))
)

const program = Effect.gen(function*() {
  const [inbox, outbox, hotel] = yield* Effect.all([Inbox, Outbox, Hotel])
  yield* Queue.offerAll(inbox, [
    { id: "m-1", from: "ann", text: "I need a room, please" },
    { id: "m-2", from: "ann", text: "In Lisbon" },
    // The mail server delivers it once more.
    { id: "m-2", from: "ann", text: "In Lisbon" },
    { id: "m-3", from: "bob", text: "A room in Atlantis" },
    { id: "m-4", from: "cleo", text: " " }
  ])
  yield* Effect.repeat(outbox.handled, { until: (handled) => handled === 5, schedule: Schedule.spaced("10 millis") })
  const { data, version } = yield* hotel.session("ann").snapshot
  yield* Console.log(`ann: ${data.reference}, ${version} turns stored`)
})

Effect.runPromise(Effect.provide(program, application))

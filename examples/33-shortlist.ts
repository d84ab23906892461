/** An agent of many flows asks a model only about those that a message is close to. */
import { Agent, SessionStore, Understanding } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import * as Shortlist from "coxswain/layers/shortlist"
import { Console, Effect, Layer, Logger, LogLevel, Schema } from "effect"
import { model } from "./model.js"

const kit = Agent.define({ data: Schema.Struct({}) })

const topics = [
  ["Parcel", "asks where a parcel is"],
  ["Return", "wants to send something back"],
  ["Invoice", "needs an invoice for the taxes"],
  ["Voucher", "wants to redeem a voucher"],
  ["Password", "has forgotten the password"],
  ["Newsletter", "wants no more newsletters"],
  ["Warranty", "reports a broken device"],
  ["Address", "has moved to another address"],
  ["Opening hours", "asks when the shop is open"],
  ["Gift wrapping", "wants something wrapped as a gift"],
  ["Complaint", "is angry about the service"],
  ["Jobs", "asks for a job in the shop"]
] as const

const desk = kit.make({
  name: "Desk",
  shortlist: Shortlist.byWords({ flows: 3 }),
  flows: topics.map(([title, wish]) => ({
    title,
    when: `the customer ${wish}`,
    reentrant: true,
    steps: [{ reply: `You are right here for: ${title}.` }]
  }))
})

/** Says how many flows an understanding is asked about. */
const counted = Layer.effect(
  Understanding.Understanding,
  Effect.map(Understanding.Understanding, ({ answer }) => ({
    answer: (questions) =>
      Effect.zipRight(Console.log(`  [asked about ${questions.flows.length} flows]`), answer(questions))
  }))
).pipe(Layer.provideMerge(Offline.layer))

const program = Effect.gen(function*() {
  const agent = yield* desk
  for (
    const message of ["Where is my parcel?", "I have forgotten my password", "Hello there", "I want to return a shirt"]
  ) {
    yield* Console.log(`> ${message}`)
    yield* Console.log((yield* agent.respond({ sessionId: "u1", message })).message)
  }
})

program.pipe(
  Effect.provide([model(counted), SessionStore.layerMemory]),
  Logger.withMinimumLogLevel(LogLevel.Warning),
  Effect.runPromise
)

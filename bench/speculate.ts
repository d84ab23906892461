/**
 * The savings and the waste of `speculate`: how often the early answer was the right one, the tokens of those that were
 * not, and what a user waits with a model that takes its time.
 */
import { type Agent, SessionStore, type TurnResponse } from "coxswain"
import * as Offline from "coxswain/layers/offline"
import { Duration, Effect, Layer, Logger, LogLevel } from "effect"
import * as Hotel from "../demo/hotel.js"
import * as Desk from "../test/pipeline/replay/Desk.js"
import * as Script from "../test/support/Script.js"
import * as ScriptedUnderstanding from "../test/support/ScriptedUnderstanding.js"

/** Messages of guests to the demo: to the point, in bits, with digressions, corrections, and values that are refused. */
const dialogues = [
  ["I need a room in Lisbon for two people on 2027-03-15", "I am Ada Lovelace"],
  ["I want to book a room", "in Porto", "on 2027-04-01", "for 3 people", "My name is Grace Hopper"],
  ["book a room in Faro", "for 2 people", "2027-05-02", "Alan Turing"],
  ["I need a room in Lisbon", "for 40 people", "when do you open?", "2 people on 2027-03-15", "actually make it Porto"],
  ["book a room in Faro", "forget it"],
  ["a room in Braga for 4 people on 2027-06-01", "when do you open?", "I am Barbara Liskov"],
  ["I need a room in Evora on 2027-07-07", "for 99 people", "for 2 people", "I am Edsger Dijkstra"]
]

type Response = Pick<TurnResponse.TurnResponse, "trace" | "usage">

interface Tally {
  turns: number
  hits: number
  misses: number
  readonly why: Map<string, number>
  /** Tokens of all calls that spoke. */
  spoken: number
  wasted: number
}

const blank = (): Tally => ({ turns: 0, hits: 0, misses: 0, why: new Map(), spoken: 0, wasted: 0 })

/** The double answers at once, so that what was not wanted was paid for as a whole: real models are stopped before. */
const add = (tally: Tally, { trace, usage }: Response): void => {
  tally.turns++
  const speaking = usage.calls.filter(({ purpose }) => purpose === "speak")
  const tokens = speaking.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens)
  tally.spoken += tokens.reduce((sum, one) => sum + one, 0)
  for (const { kind, message } of trace) {
    if (kind === "speculation_hit") tally.hits++
    if (kind !== "speculation_miss") continue
    tally.misses++
    tally.wasted += tokens[0] ?? 0
    tally.why.set(message, (tally.why.get(message) ?? 0) + 1)
  }
}

const told = (name: string, { hits, misses, spoken, turns, wasted, why }: Tally) =>
  Effect.sync(() => {
    const early = hits + misses
    const share = (part: number, whole: number) => whole === 0 ? "0 %" : `${Math.round(100 * part / whole)} %`
    console.log(
      `${name.padEnd(22)} ${turns} turns, ${early} asked early, ${hits} right (${share(hits, early)}), at most ` +
        `${share(wasted, spoken)} of the tokens that speak wasted`
    )
    for (const [reason, times] of why) console.log(`${"".padEnd(22)}   not wanted, ${times}: ${reason}`)
  })

const demo = Effect.gen(function*() {
  const tally = blank()
  for (const [i, messages] of dialogues.entries()) {
    const hotel = yield* Hotel.kit.make({ ...Hotel.definition, speculate: true })
    for (const message of messages) add(tally, yield* hotel.respond({ sessionId: `d${i}`, message }))
  }
  yield* told("the demo's dialogues", tally)
}).pipe(Effect.provide(Layer.merge(Offline.layer, SessionStore.layerMemory)))

const desk = Effect.gen(function*() {
  const tally = blank()
  const agent = yield* Desk.make({ speculate: true })
  const counted = {
    ...agent,
    respond: (request: Parameters<typeof agent.respond>[0]) =>
      Effect.tap(agent.respond(request), (response) => Effect.sync(() => add(tally, response)))
  }
  yield* Desk.busy(counted, 570, 24)
  yield* told("a busy desk", tally)
}).pipe(Effect.provide(Desk.outside))

const judged: Readonly<Record<string, ScriptedUnderstanding.Reply>> = {
  "a room in Faro for 2 on 2099-05-02": {
    flowScores: { booking: 90 },
    fields: { city: "Faro", guests: 2, checkIn: "2099-05-02" }
  },
  "I am Ada": { fields: { name: "Ada" } }
}

/** How long the second message waits, in milliseconds, where understanding takes 400 and speaking 600. */
const waits = (speculate: boolean, answer: string) => {
  const understanding = ScriptedUnderstanding.make(({ message }) =>
    Effect.delay(Effect.succeed(judged[message] ?? {}), 400)
  )
  const model = Script.make(() => Effect.delay(Effect.succeed("Certainly."), 600))
  return Effect.gen(function*() {
    const hotel: Agent.Agent<Hotel.Data, {}, never> = yield* Hotel.kit.make({ ...Hotel.definition, speculate })
    yield* hotel.respond({ sessionId: "s", message: "a room in Faro for 2 on 2099-05-02" })
    const [took] = yield* Effect.timed(hotel.respond({ sessionId: "s", message: answer }))
    return Math.round(Duration.toMillis(took))
  }).pipe(Effect.provide(Layer.mergeAll(understanding.layer, model.layer, SessionStore.layerMemory)))
}

const main = Effect.gen(function*() {
  yield* demo
  yield* desk
  const lines = [
    `wanted: ${yield* waits(true, "I am Ada")} ms instead of ${yield* waits(false, "I am Ada")} ms`,
    `not wanted: ${yield* waits(true, "hm")} ms instead of ${yield* waits(false, "hm")} ms`
  ]
  yield* Effect.sync(() => lines.forEach((line) => console.log(`400 ms to understand, 600 ms to speak; ${line}`)))
}).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

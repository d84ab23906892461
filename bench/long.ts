/**
 * The cost of a turn in a conversation that goes on and on, with compaction: characters of the prompt, characters that the
 * store reads and writes, calls that sum up, and the processor's time, at the end of 200, 2,000 and 20,000 turns.
 */
import { SessionStore } from "coxswain"
import { Effect, Layer, Logger, LogLevel } from "effect"
import * as LongConversation from "../test/support/LongConversation.js"

/** How many turns at the end of each stretch are looked at. */
const looked = 100

const columns = ["turns", "characters sent", "read", "written", "summaries of 100", "µs a turn"]

const row = (cells: ReadonlyArray<number | string>) =>
  Effect.sync(() => console.log(cells.map((cell, i) => String(cell).padStart(columns[i]!.length + 2)).join("")))

const main = Effect.gen(function*() {
  const talk = yield* LongConversation.make
  let before = 0
  yield* row(columns)
  for (const turns of [200, 2_000, 20_000]) {
    yield* talk.turns(turns - before - looked)
    const from = process.cpuUsage()
    const { loaded, prompt, summaries, written } = yield* talk.turns(looked)
    const { system, user } = process.cpuUsage(from)
    before = turns
    const each = (sum: number) => Math.round(sum / looked)
    yield* row([turns, each(prompt), each(loaded), each(written), summaries, each(user + system)])
  }
}).pipe(
  Effect.provide(Layer.merge(SessionStore.layerMemory, Logger.minimumLogLevel(LogLevel.None)))
)

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

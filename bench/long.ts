/**
 * What a turn costs in a conversation that goes on and on, with compaction: characters of the prompt, characters that the
 * store reads and writes, calls that sum up, and the processor's time, at the end of 200, 2,000 and 20,000 turns.
 */
import { SessionStore } from "coxswain"
import { Effect, Layer, Logger, LogLevel } from "effect"
import * as Long from "../test/support/Long.js"

/** How many turns at the end of each stretch are looked at. */
const looked = 100

const main = Effect.gen(function*() {
  const talk = yield* Long.make
  let before = 0
  for (const turns of [200, 2_000, 20_000]) {
    yield* talk.turns(turns - before - looked)
    const from = process.cpuUsage()
    const { loaded, prompt, summaries, written } = yield* talk.turns(looked)
    const { system, user } = process.cpuUsage(from)
    before = turns
    const each = (sum: number) => Math.round(sum / looked)
    yield* Effect.sync(() =>
      console.log(
        `${String(turns).padStart(6)} turns: ${each(prompt)} characters in a prompt, ${each(loaded)} read and ` +
          `${each(written)} written by the store a turn, ${summaries} summaries in the last ${looked} turns, ` +
          `${each(user + system)} µs of the processor a turn`
      )
    )
  }
}).pipe(
  Effect.provide(Layer.merge(SessionStore.layerMemory, Logger.minimumLogLevel(LogLevel.None)))
)

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

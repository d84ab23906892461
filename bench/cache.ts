/**
 * The part of each prompt that it shares with the one of the turn before, over 200 turns of four conversations: one that
 * only talks, one with a summary, and two whose flows begin and end, with a tool of a step and with a tool of the agent.
 */
import { Effect, Logger, LogLevel } from "effect"
import * as SharedPrompt from "../test/support/SharedPrompt.js"

const turns = 200
const print = (line: string) => Effect.sync(() => console.log(line))

const main = Effect.forEach(SharedPrompt.names, (name) =>
  Effect.gen(function*() {
    const { shares, summaries } = yield* SharedPrompt.measure(name, turns)
    yield* print(`${name}: ${turns} turns, ${summaries} summaries`)
    for (const purpose of ["speak", "understand"] as const) {
      const of = shares.filter((one) => one.purpose === purpose)
      if (of.length === 0) continue
      yield* print(
        `  ${purpose}: ${SharedPrompt.percent(of)} % shared, prompts of ${of.at(-1)!.characters} characters at the end`
      )
      const each = of.map(({ shared }) => String(Math.round(100 * shared)).padStart(3))
      for (let from = 0; from < each.length; from += 25) yield* print(`    ${each.slice(from, from + 25).join(" ")}`)
    }
  }), { discard: true }).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

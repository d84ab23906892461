/**
 * One contender in a process of its own, which measures what it is asked for and answers in microseconds of CPU a turn:
 * `contest.mjs <file of the contender>`, then a message for each round.
 */
import { type Contender, words } from "./scenario.js"

/** A round: turns of this scenario, until they took so many milliseconds of CPU. */
export interface Round {
  readonly scenario: keyof typeof scenarios
  readonly milliseconds: number
}

/** By what was measured: microseconds of CPU. */
export type Measured = Readonly<Record<string, number>>

const since = (from: NodeJS.CpuUsage): number => {
  const { system, user } = process.cpuUsage(from)
  return user + system
}

/** Keeps what is made once for all rounds, as an application makes its agent once. */
const once = <A>(make: (contender: Contender) => Promise<A>) => {
  let made: Promise<A> | undefined
  return (contender: Contender): Promise<A> => made ??= make(contender)
}

/** An operation, made anew after so many turns: a conversation that is measured at ten messages must stay about so long. */
const turns = (
  make: (contender: Contender) => Promise<() => Promise<unknown>>,
  many = Infinity,
  made = many === Infinity ? once(make) : make
) =>
async (
  name: string,
  contender: Contender,
  least: number
): Promise<Measured> => {
  let [took, count] = [0, 0]
  while (took < least) {
    const operation = await made(contender)
    const from = process.cpuUsage()
    let done = 0
    while (done < many && (done % 5 > 0 || took + since(from) < least)) {
      await operation()
      done++
    }
    took += since(from)
    count += done
  }
  return { [name]: took / count }
}

const streamOf = once((contender) => contender.stream())

/** Until the first delta is there, and of each delta after it. */
const streams = async (_: string, contender: Contender, least: number): Promise<Measured> => {
  const stream = await streamOf(contender)
  let [first, rest, count] = [0, 0, 0]
  while (first + rest < least) {
    const from = process.cpuUsage()
    let until: number | undefined
    for await (const _ of stream()) until ??= since(from)
    first += until ?? 0
    rest += since(from) - (until ?? 0)
    count++
  }
  return { "first delta": first / count, "per delta": rest / count / words.length }
}

const scenarios = {
  S1: turns((contender) => contender.s1()),
  S4: turns((contender) => contender.s4()),
  S6: turns((contender) => contender.s6()),
  "30 tools": turns((contender) => contender.tools(30)),
  "100 tools": turns((contender) => contender.tools(100)),
  "S7, 10": turns((contender) => contender.s7(10), 5),
  "S7, 1,000": turns((contender) => contender.s7(1_000), 20),
  streaming: streams
}

const { contender } = await import(process.argv[2] ?? "") as { readonly contender: Contender }
process.on("message", ({ milliseconds, scenario }: Round) => {
  scenarios[scenario](scenario, contender, milliseconds * 1000).then(
    (measured) => process.send?.(measured),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    }
  )
})
process.send?.({ names: Object.keys(scenarios) })

/**
 * The processor time from a file of flows to the agent, in milliseconds, warm and in a new process: `--flows=1000`. Each flow has a
 * condition in words and three steps, one of them with a condition in CEL.
 */
import { SessionStore } from "coxswain"
import * as Document from "coxswain/layers/document"
import * as Offline from "coxswain/layers/offline"
import { Effect, Layer, Logger, LogLevel } from "effect"
import * as Yaml from "yaml"
import * as Given from "./support/Given.js"

const flows = Given.number("flows", 1000)
const rounds = Given.number("rounds", 10)

const flow = (_: unknown, n: number) => `
  - id: topic-${n}
    title: Topic ${n}
    when: the user asks about topic ${n}
    steps:
      - id: city
        collect: [city]
      - id: people
        if: data.city != 'nowhere'
        collect: [people]
      - id: done
        reply: Have a good time in {{data.city}}, all {{data.people}} of you!`

const text = `coxswain: 1
name: Trips
data:
  city: { type: string, description: the city to go to }
  people: { type: integer, description: how many people travel }
flows:${Array.from({ length: flows }, flow).join("")}
`

const services = Layer.mergeAll(Offline.layer, SessionStore.layerMemory, Logger.minimumLogLevel(LogLevel.None))

const timed = async <A>(run: () => A | Promise<A>): Promise<readonly [number, A]> => {
  const before = process.cpuUsage()
  const value = await run()
  const { system, user } = process.cpuUsage(before)
  return [(user + system) / 1000, value]
}

const round = async (): Promise<ReadonlyArray<number>> => {
  const [parser] = await timed(() =>
    Yaml.parseDocument(text, { lineCounter: new Yaml.LineCounter(), prettyErrors: false, stringKeys: true })
  )
  const [read, source] = await timed(() => Effect.runPromise(Document.parse(text)))
  const [made] = await timed(() => Effect.runPromise(Effect.provide(Document.agent(source), services)))
  return [parser, read, made]
}

const first = await round()
const all: Array<ReadonlyArray<number>> = []
for (let n = 0; n < rounds; n++) all.push(await round())
const median = (column: number): number => all.map((one) => one[column]!).sort((a, b) => a - b)[Math.floor(rounds / 2)]!

const row = (name: string, column: number): string =>
  `${name.padEnd(34)}${first[column]!.toFixed(0).padStart(8)}${median(column).toFixed(0).padStart(8)}`
console.log(`${flows} flows, ${(text.length / 1000).toFixed(0)} kB${"first".padStart(23)}${"warm".padStart(8)}`)
console.log(row("the YAML parser alone", 0))
console.log(row("the document with its places", 1))
console.log(row("the agent of the document", 2))

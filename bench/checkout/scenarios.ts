/**
 * The conversations S1 to S8 in one checkout of the library, in a process that stays: it is told a scenario and for how long
 * to run it, and answers with the processor time of a turn. `coxswain` and `#wire` are the checkout's own.
 */
import { LanguageModel } from "@effect/ai"
import { type Errors, SessionStore } from "coxswain"
import { Effect, Layer, Logger, LogLevel } from "effect"
import * as Wire from "../../src/services/model/call/Wire.js"
import { booking, branching, kit, signals, topics } from "../../test/support/ScenarioParts.js"

/** Run this scenario until it took so many milliseconds of the processor. */
export interface Round {
  readonly scenario: string
  readonly milliseconds: number
}

export interface Measured {
  /** Microseconds of the processor. */
  readonly perTurn: number
  /** Model calls of a turn. */
  readonly calls: number
}

const finish = { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } as const

/** The judgement by the model of the message that was sent last. */
let understood: object = {}
let calls = 0

const model = Wire.make({
  whole: ({ json, prompt, tools }) =>
    Effect.sync(() => {
      calls++
      if (json !== undefined) {
        const judged = { flowScores: {}, fields: {}, conditions: {}, signals: {}, ...understood }
        return [{ type: "text", text: JSON.stringify(judged) }, finish]
      }
      return tools.length > 0 && prompt.content.at(-1)?.role !== "tool"
        ? [...["a", "b"].map((name) => ({ type: "tool-call", id: name, name, params: {} }) as const), finish]
        : [{ type: "text", text: "Certainly." }, finish]
    }),
  stream: () => Effect.dieMessage("nothing is streamed here")
})
const context = Layer.merge(Layer.effect(LanguageModel.LanguageModel, model), SessionStore.layerMemory)

const one = kit.flow({ title: "One", reentrant: true, steps: [{ id: "a", prompt: "Greet", until: () => false }] })
const tools = ["a", "b", "c"].map((id) => kit.tool({ id, isConcurrencySafe: true, handler: () => "done" }))

type Turn = readonly [message: string, understood: object]

const billing = { flowScores: { billing: 95 } }
const [city, checkIn, guests] = [{ city: "Lisbon" }, { checkIn: "2027-03-15" }, { guests: 2 }]
const known: Turn = ["A room in Lisbon for two on 2027-03-15", { fields: { ...city, ...checkIn, ...guests } }]
const asked: Turn = ["A question on billing", billing]

let sessions = 0
const fresh = () => `s${sessions++}`

interface Answering {
  readonly respond: (
    request: { readonly sessionId: string; readonly message: string }
  ) => Effect.Effect<unknown, Errors.TurnError>
}
type Making = Effect.Effect<
  Answering,
  Errors.FlowConfigurationError,
  LanguageModel.LanguageModel | SessionStore.SessionStore
>

const made = (making: Making) => Effect.runPromise(Effect.provide(making, context))

/** The turns of a conversation, one after the other. */
const talking = (agent: Answering, turns: ReadonlyArray<Turn>, sessionId = fresh()) =>
  Effect.forEach(turns, ([message, judged]) =>
    Effect.suspend(() => {
      understood = judged
      return agent.respond({ sessionId, message })
    }), { discard: true })

interface Scenario {
  readonly turns: number
  readonly run: Effect.Effect<unknown, unknown>
}

/** A new conversation in each run. */
const begun = (making: Making, ...turns: ReadonlyArray<Turn>) => async (): Promise<Scenario> => {
  const agent = await made(making)
  return { turns: turns.length, run: Effect.suspend(() => talking(agent, turns)) }
}

const routed = kit.make({ name: "S4", flows: topics })

/** S4 in a conversation of so many messages. */
const long = (messages: number) => async (): Promise<Scenario> => {
  const agent = await made(routed)
  const id = fresh()
  await Effect.runPromise(talking(agent, Array.from({ length: messages / 2 }, () => asked), id))
  return { turns: 1, run: talking(agent, [asked], id) }
}

/** S4 in so many sessions at once, each with its own conversation, which goes on from run to run. */
const together = (count: number) => async (): Promise<Scenario> => {
  const agent = await made(routed)
  const all = Array.from({ length: count }, fresh)
  const run = Effect.forEach(all, (id) => talking(agent, [asked], id), { concurrency: "unbounded", discard: true })
  return { turns: count, run }
}

const scenarios: Readonly<Record<string, () => Promise<Scenario>>> = {
  S1: begun(kit.make({ name: "S1", flows: [one] }), ["hello", {}]),
  S2: begun(kit.make({ name: "S2", flows: [booking] }), known),
  S3: begun(
    kit.make({ name: "S3", flows: [booking] }),
    ["hello", {}],
    ["Lisbon", { fields: city }],
    ["2027-03-15", { fields: checkIn }],
    ["two", { fields: guests }],
    ["thanks", {}]
  ),
  S4: begun(routed, asked),
  S5: begun(
    kit.make({ name: "S5", flows: [branching, ...topics.slice(1)], signals }),
    asked,
    ["an invoice please", { ...billing, conditions: { "billing/a/branch-1": true } }]
  ),
  S6: begun(kit.make({ name: "S6", flows: [one], tools }), ["go", {}]),
  "S7, 10": long(10),
  "S7, 1,000": long(1_000),
  "S8, 1": together(1),
  "S8, 100": together(100),
  "S8, 1,000": together(1_000)
}

const kept = new Map<string, Promise<Scenario>>()

const measure = async ({ milliseconds, scenario }: Round): Promise<Measured> => {
  const begun = kept.get(scenario) ?? scenarios[scenario]!()
  kept.set(scenario, begun)
  const { run, turns } = await begun
  const batch = Math.ceil(20 / turns)
  const from = process.cpuUsage()
  const took = () => {
    const { system, user } = process.cpuUsage(from)
    return system + user
  }
  calls = 0
  const runs = await Effect.runPromise(
    Effect.gen(function*() {
      let runs = 0
      do {
        // Asking for the processor time takes as long as a turn on some machines.
        for (let i = 0; i < batch; i++) yield* run
        runs += batch
      } while (took() < milliseconds * 1000)
      return runs
    }).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))
  )
  return { perTurn: took() / runs / turns, calls: calls / runs / turns }
}

process.on("message", (round: Round) => {
  measure(round).then(
    (measured) => process.send?.(measured),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    }
  )
})
process.send?.({ names: Object.keys(scenarios) })

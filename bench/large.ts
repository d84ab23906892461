/**
 * The processor time of a turn with a large definition, beside the same where it is small: 1,000 flows that a message
 * may be about, a flow of 500 fields, 100 signals in words and in code. The model is a double that answers at once.
 *
 *   tsx bench/large.ts [--rounds=7] [--turns=100] [--only=flows,fields]
 */
import { LanguageModel } from "@effect/ai"
import { Agent, type Errors, SessionStore } from "coxswain"
import { Effect, Layer, Logger, LogLevel, Schema, Stream } from "effect"
import * as Wire from "../src/services/model/call/Wire.js"
import * as Given from "./support/Given.js"

const turns = Given.number("turns", 100)
const rounds = Given.number("rounds", 7)

/** Understands what it is told to, and says one thing. */
const model = (judged: object) => {
  const answer = JSON.stringify({ flowScores: {}, fields: {}, conditions: {}, signals: {}, ...judged })
  return Layer.effect(
    LanguageModel.LanguageModel,
    Wire.make({
      whole: (asked) =>
        Effect.succeed([
          { type: "text", text: asked.json === undefined ? "Certainly." : answer },
          { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
        ]),
      stream: () => Effect.dieMessage("nothing is streamed here")
    })
  )
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

const flows = (count: number) =>
  Agent.define({ data: Schema.Struct({}) }).make({
    name: "Desk",
    flows: numbers(count).map((i) => ({
      title: `Topic ${i}`,
      when: `the customer asks about topic ${i}`,
      steps: [{ id: "talk", prompt: `Explain topic ${i}`, until: () => false }]
    }))
  })

/** The message fills one of them. */
const fields = (count: number) => {
  const names = numbers(count).map((i) => `field${i}`)
  const data = Schema.Struct(Object.fromEntries(names.map((name) => [name, Schema.String])))
  return Agent.define({ data }).make({
    name: "Form",
    flows: [{
      title: "Form",
      requiredFields: names,
      steps: names.map((name) => ({ id: name, collect: [name], prompt: `Ask for ${name}` }))
    }]
  })
}

/** None of them fires. */
const signals = (count: number, condition: (i: number) => { readonly when: string } | { readonly if: () => boolean }) =>
  Agent.define({ data: Schema.Struct({}) }).make({
    name: "Talker",
    flows: [{ title: "Talk", steps: [{ id: "talk", prompt: "Talk", until: () => false }] }],
    signals: numbers(count).map((i) => ({
      id: `signal${i}`,
      phase: "pre",
      handler: () => undefined,
      ...condition(i)
    }))
  })

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

const inWords = (i: number) => ({ when: `the customer is in mood ${i}` })
const inCode = () => ({ if: () => false })

interface Scenario {
  readonly name: string
  readonly judged: object
  readonly contenders: ReadonlyArray<Making>
}

const scenario = (name: string, judged: object, ...contenders: ReadonlyArray<Making>): Scenario => ({
  name,
  judged,
  contenders
})

let sessions = 0

/** Milliseconds of a turn: the first of a conversation and one after it, in equal parts. */
const round = (agent: Answering) =>
  Effect.gen(function*() {
    const from = process.cpuUsage()
    for (let i = 0; i < turns / 2; i++) {
      const sessionId = `s${sessions++}`
      yield* agent.respond({ sessionId, message: "hello" })
      yield* agent.respond({ sessionId, message: "go on" })
    }
    const { system, user } = process.cpuUsage(from)
    return (system + user) / 1000 / turns
  })

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The calls of the turn with a hundred signals in words, by `@effect/ai` alone: ten at once, and one that answers. */
const bare: Making = Effect.gen(function*() {
  const judgement = Schema.Struct({ matched: Schema.Boolean, reason: Schema.String })
  const batches = numbers(10).map((batch) => {
    const ids = numbers(10).map((i) => `signal${10 * batch + i}`)
    const schema = Schema.Struct(Object.fromEntries(ids.map((id) => [id, judgement])))
    const answer = JSON.stringify(Object.fromEntries(ids.map((id) => [id, { matched: false, reason: "" }])))
    const prompt = ids.map((id, i) => `${id}: ${inWords(10 * batch + i).when}`).join("\n")
    return { schema, answer, prompt }
  })
  const models = yield* Effect.forEach(
    ["Certainly.", ...batches.map(({ answer }) => answer)],
    (text) =>
      LanguageModel.make({
        generateText: () =>
          Effect.succeed([
            { type: "text", text },
            { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }
          ]),
        streamText: () => Stream.dieMessage("nothing is streamed here")
      })
  )
  const [speaking, ...judging] = models
  return {
    respond: ({ message }) =>
      Effect.zipRight(
        Effect.forEach(
          batches,
          ({ prompt, schema }, i) => judging[i]!.generateObject({ prompt: `${prompt}\n${message}`, schema }),
          { concurrency: "unbounded" }
        ),
        speaking!.generateText({ prompt: message })
      ).pipe(Effect.orDie)
  }
})

const scenarios = [
  scenario("1,000 flows", { flowScores: { "topic-0": 95 } }, flows(1000), flows(2)),
  scenario("500 fields", { fields: { field0: "a value" } }, fields(500), fields(3)),
  scenario("100 signals in words", {}, signals(100, inWords), signals(1, inWords), bare),
  scenario("100 signals in code", {}, signals(100, inCode), signals(0, inCode))
]

const measure = Effect.fnUntraced(function*(contenders: ReadonlyArray<Making>) {
  const agents = yield* Effect.all(contenders)
  const took = agents.map((): Array<number> => [])
  // The first rounds warm up.
  for (let i = -2; i < rounds; i++) {
    for (const [at, agent] of agents.entries()) {
      const millis = yield* round(agent)
      if (i >= 0) took[at]!.push(millis)
    }
  }
  return took.map(median)
})

const columns = (name: string, values: ReadonlyArray<string>) =>
  [name.padEnd(24), ...values.map((value) => value.padStart(7))].join(" ").trimEnd()

const main = Effect.gen(function*() {
  console.log(columns("ms of CPU a turn", ["large", "small", "bare"]))
  const wanted = Given.names()
  for (const { contenders, judged, name } of scenarios) {
    if (wanted.length > 0 && !wanted.some((one) => name.includes(one))) continue
    const context = Layer.merge(model(judged), SessionStore.layerMemory)
    const found = yield* Effect.provide(measure(contenders), context)
    console.log(columns(name, found.map((millis) => millis.toFixed(2))))
  }
}).pipe(Effect.provide(Logger.minimumLogLevel(LogLevel.None)))

await Effect.runPromise(main)

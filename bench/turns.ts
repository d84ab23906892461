/**
 * Turns against a model of zero latency: how many calls, how deep they wait for one another, how much is sent, and what
 * the library itself costs beside a bare call of the model, in time and in memory. Ratios, measured in one run.
 */
import { LanguageModel, Tool, type Toolkit } from "@effect/ai"
import { type Errors, SessionStore } from "coxswain"
import { Deferred, Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Wire from "../src/services/model/call/Wire.js"
import * as Scenarios from "../test/support/Scenarios.js"
import * as Script from "../test/support/Script.js"

const { kit, topics } = Scenarios

interface Answering {
  readonly respond: (
    request: { readonly sessionId: string; readonly message: string }
  ) => Effect.Effect<{ readonly message: string }, Errors.TurnError>
}

interface Measured {
  readonly turns: number
  readonly calls: number
  readonly depth: number
  readonly chars: number
  readonly last: string
}

const scenario = (
  name: string,
  make: Effect.Effect<
    Answering,
    Errors.FlowConfigurationError,
    LanguageModel.LanguageModel | SessionStore.SessionStore
  >,
  messages: ReadonlyArray<string>,
  answer: (asked: Script.Asked) => Script.Answer
) =>
  Effect.gen(function*() {
    const script = Script.make(answer)
    const agent = yield* Effect.provide(make, [script.layer, SessionStore.layerMemory])
    let depth = 0
    let last = ""
    for (const message of messages) {
      const before = script.asked.length
      const response = yield* agent.respond({ sessionId: name, message })
      depth = Math.max(depth, script.asked.length - before)
      last = response.message
    }
    const measured: Measured = {
      turns: messages.length,
      calls: script.asked.length,
      depth,
      chars: script.asked.reduce((sum, asked) => sum + Script.chars(asked), 0),
      last
    }
    yield* Effect.sync(() => console.log(name.padEnd(4), JSON.stringify(measured)))
  })

const spent = (since?: NodeJS.CpuUsage) => {
  const { system, user } = process.cpuUsage(since)
  return user + system
}

/** Microseconds of the processor for each run, in as many runs as fill that many milliseconds of it. */
const burst = (effect: Effect.Effect<unknown, unknown>, millis: number) =>
  Effect.gen(function*() {
    const before = process.cpuUsage()
    let runs = 0
    do {
      yield* effect
      runs++
    } while (spent(before) < millis * 1000)
    return spent(before) / runs
  })

const median = (values: Array<number>) => values.sort((a, b) => a - b)[values.length >> 1]!

const Scores = Schema.Struct({ flowScores: Schema.Struct({ billing: Schema.Number }) })

const talk = { title: "One", reentrant: true, steps: [{ id: "a", prompt: "Greet", until: () => false }] }

/** Agents that were made with a model, and the bare calls of it that their turns are made of. */
const contestant = (model: Layer.Layer<LanguageModel.LanguageModel>) =>
  Effect.gen(function*() {
    const context = [model, SessionStore.layerMemory] as const
    const { generateObject, generateText } = yield* Effect.provide(LanguageModel.LanguageModel, model)
    const single = yield* Effect.provide(kit.make({ name: "S1", flows: [talk] }), context)
    const routed = yield* Effect.provide(kit.make({ name: "S4", flows: topics }), context)
    const speaking = generateText({ prompt: "hi" })
    let sessions = 0
    const fresh = () => `new-${sessions++}`
    const s4 = (sessionId: string) => routed.respond({ sessionId, message: "billing please" })
    return {
      bareS1: speaking,
      bareS4: Effect.zipRight(generateObject({ prompt: "hi", schema: Scores }), speaking),
      s1: Effect.suspend(() => single.respond({ sessionId: fresh(), message: "hello" })),
      s4: Effect.suspend(() => s4(fresh())),
      s4In: s4
    }
  })

/** S1 and its bare call, with a hundred tools offered. */
const offering = (model: Layer.Layer<LanguageModel.LanguageModel>) =>
  Effect.gen(function*() {
    const parameters = { room: Schema.String, guests: Schema.optional(Schema.Int) }
    const names = Array.from({ length: 100 }, (_, i) => `tool_${i}`)
    const tools = names.map((id) => kit.tool({ id, parameters, isConcurrencySafe: true, handler: () => "done" }))
    const agent = yield* Effect.provide(
      kit.make({ name: "Tools", flows: [talk], tools }),
      [model, SessionStore.layerMemory]
    )
    const { generateText } = yield* Effect.provide(LanguageModel.LanguageModel, model)
    const toolkit: Toolkit.WithHandler<Record<string, Tool.Any>> = {
      tools: Object.fromEntries(names.map((name) => [name, Tool.make(name, { parameters, success: Schema.String })])),
      handle: () => Effect.dieMessage("no tool is called here")
    }
    let sessions = 0
    return {
      bare: generateText({ prompt: "hi", toolkit, disableToolCallResolution: true }),
      turn: Effect.suspend(() => agent.respond({ sessionId: `tools-${sessions++}`, message: "hello" }))
    }
  })

const finish = { type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } } as const
const said = (text: string) => [{ type: "text", text } as const, finish]
const judged = said(JSON.stringify({ flowScores: { billing: 95 }, fields: {}, conditions: {}, signals: {} }))
const certainly = said("Certainly.")

/** A provider whose wire the library reads itself, as it does with all that come with it. */
const ourWire = Layer.effect(
  LanguageModel.LanguageModel,
  Wire.make({
    whole: (asked) => Effect.sync(() => asked.json === undefined ? certainly : judged),
    stream: () => Effect.dieMessage("nothing is streamed here")
  })
)

/** A `LanguageModel` of somebody else. */
const another = Layer.effect(
  LanguageModel.LanguageModel,
  LanguageModel.make({
    generateText: ({ responseFormat }) => Effect.sync(() => responseFormat.type === "json" ? judged : certainly),
    streamText: () => Stream.die("nothing is streamed here")
  })
)

/**
 * Rounds of the bare calls and of the turns alternate, so that whatever else the machine does slows both down alike. The
 * engine has compiled all that a turn goes through after some thousand turns, which is what `warm` milliseconds are for.
 */
const compare = (
  name: string,
  bare: Effect.Effect<unknown, unknown>,
  turns: Effect.Effect<unknown, unknown>,
  { at: sessions = 1, warm = 1500 } = {}
) =>
  Effect.gen(function*() {
    yield* burst(bare, warm)
    yield* burst(turns, warm)
    const rounds: Array<readonly [number, number]> = []
    for (let i = 0; i < 9; i++) rounds.push([yield* burst(bare, 300), (yield* burst(turns, 300)) / sessions])
    const ratio = median(rounds.map(([bare, turn]) => turn / bare))
    const [calls, turn] = [median(rounds.map(([bare]) => bare)), median(rounds.map(([, turn]) => turn))]
    const times = `${turn.toFixed(0)} µs, ${calls.toFixed(0)} µs`
    console.log(`${name.padEnd(34)} ${ratio.toFixed(2)} x the bare calls of the turn (${times})`)
  })

const costs = Effect.gen(function*() {
  const { bareS1, bareS4, s1, s4, s4In } = yield* contestant(ourWire)
  yield* compare("S1", bareS1, s1, { warm: 6000 })
  yield* compare("S4", bareS4, s4, { warm: 4000 })
  for (const messages of [10, 100, 1000]) {
    const id = `s7-${messages}`
    yield* Effect.repeatN(s4In(id), Math.ceil(messages / 2))
    yield* compare(`S7, ${messages} messages`, bareS4, s4In(id))
  }
  for (const sessions of [1, 100, 1000]) {
    const all = Effect.forEach(Array.from({ length: sessions }, (_, i) => `c${sessions}-${i}`), s4In, {
      concurrency: "unbounded",
      discard: true
    })
    yield* compare(`S8, ${sessions} sessions at once`, bareS4, all, { at: sessions })
  }
  const foreign = yield* contestant(another)
  yield* compare("S1, any LanguageModel", foreign.bareS1, foreign.s1, { warm: 4000 })
  yield* compare("S4, any LanguageModel", foreign.bareS4, foreign.s4, { warm: 4000 })
  const offered = yield* offering(another)
  yield* compare("S1, 100 tools, any LanguageModel", offered.bare, offered.turn)
})

/** A turn whose model says so many words, as Effect's `Stream` gives its events. */
const streamed = (words: number) =>
  Effect.gen(function*() {
    const pieces = [
      ...Array.from({ length: words }, () => ({ type: "text-delta", id: "t", delta: "word " }) as const),
      finish
    ]
    const model = Wire.make({
      whole: () => Effect.dieMessage("nothing is asked as a whole here"),
      stream: () =>
        Effect.sync(() => {
          let next = 0
          return Effect.suspend(() => {
            const piece = pieces[next++]
            return piece === undefined ? Effect.fail(Option.none()) : Effect.succeed([piece])
          })
        })
    })
    const agent = yield* Effect.provide(
      kit.make({ name: "Stream", flows: [talk] }),
      [Layer.effect(LanguageModel.LanguageModel, model), SessionStore.layerMemory]
    )
    let sessions = 0
    return Effect.suspend(() =>
      Stream.runDrain(agent.stream({ sessionId: `${words}-${sessions++}`, message: "hello" }))
    )
  })

const streams = Effect.gen(function*() {
  const words = 500
  const [one, all] = [yield* streamed(1), yield* streamed(words)]
  yield* burst(one, 4000)
  yield* burst(all, 1500)
  const rounds: Array<readonly [number, number]> = []
  for (let i = 0; i < 9; i++) rounds.push([yield* burst(one, 300), yield* burst(all, 300)])
  const first = median(rounds.map(([one]) => one))
  const each = median(rounds.map(([one, all]) => (all - one) / (words - 1)))
  console.log(`a turn of one word by Effect's Stream ${first.toFixed(0)} µs, each further word ${each.toFixed(1)} µs`)
})

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

const heap = Effect.sync(() => {
  for (let i = 0; i < 4; i++) collect()
  return process.memoryUsage().heapUsed
})

const flights = 2000

/** The memory that a turn keeps while it waits for the model, beside what the bare call keeps. */
const memory = Effect.gen(function*() {
  let gate = yield* Deferred.make<void>()
  const model = yield* Wire.make({
    whole: () => Effect.as(Deferred.await(gate), certainly),
    stream: () => Effect.dieMessage("nothing is streamed here")
  })
  const agent = yield* Effect.provide(
    kit.make({ name: "S1", flows: [{ title: "One", steps: [{ id: "a", prompt: "Greet", until: () => false }] }] }),
    Layer.merge(Layer.succeed(LanguageModel.LanguageModel, model), SessionStore.layerMemory)
  )
  const held = (turn: (i: number) => Effect.Effect<unknown, unknown>) =>
    Effect.gen(function*() {
      gate = yield* Deferred.make<void>()
      const before = yield* heap
      const fibers = yield* Effect.forEach(Array.from({ length: flights }, (_, i) => turn(i)), Effect.fork)
      yield* Effect.sleep("500 millis")
      const bytes = ((yield* heap) - before) / flights
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.joinAll(fibers)
      return bytes
    })
  const calls = () => model.generateText({ prompt: "hello" })
  const turns = (round: string) => (i: number) => agent.respond({ sessionId: `${round}-${i}`, message: "hello" })
  yield* held(turns("first"))
  yield* held(calls)
  const [ours, bare] = [yield* held(turns("second")), yield* held(calls)]
  const kB = (bytes: number) => (bytes / 1024).toFixed(1)
  console.log(`${flights} turns in flight: ${kB(ours)} kB each, the bare call of one ${kB(bare)} kB`)
})

const main = Effect.gen(function*() {
  for (const [name, { answer, make, messages }] of Object.entries(Scenarios.all)) {
    yield* scenario(name, make, messages, answer())
  }
  yield* costs
  yield* streams
  yield* memory
})

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

/**
 * How well a model understands: labelled messages of five domains in three languages.
 *
 *     npm run bench -- understanding
 *     npm run bench -- understanding --provider openai --model gpt-4o-mini --svg understanding.svg
 *     npm run bench -- understanding --provider openai-compatible --base-url http://localhost:11434/v1 --model qwen3 --json
 *     npm run bench -- understanding --record answers.json --provider openai-compatible --base-url http://localhost:8080/v1 --model m
 *     npm run bench -- understanding --replay answers.json
 *
 * `--record` writes the answers of the model to a file, and asks only what the file does not answer yet, so a run that was
 * broken off goes on. `--replay` takes all answers from the file: that measures a change of what is made of them without a model.
 */
import type { LanguageModel } from "@effect/ai/LanguageModel"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { SessionStore } from "coxswain"
import * as ByQuestion from "coxswain/cli/evaluation/ByQuestion"
import * as Labelled from "coxswain/cli/evaluation/Labelled"
import { measure, type Measured } from "coxswain/cli/evaluation/Measure"
import * as MeasureReport from "coxswain/cli/evaluation/MeasureReport"
import * as Setting from "coxswain/cli/Setting"
import { readDays } from "coxswain/layers/offline"
import { runtimeOf } from "coxswain/pipeline/state/agentInternals"
import type { Runtime } from "coxswain/pipeline/state/TurnState"
import * as Understanding from "coxswain/services/understanding/Understanding"
import { RecordedModel } from "coxswain/testing"
import { Array as Arr, Duration, Effect, Layer, Logger, LogLevel, Option, Schema } from "effect"
import * as fs from "node:fs"
import { parseArgs } from "node:util"
import bank from "./understanding/agents/bank.js"
import booking from "./understanding/agents/booking.js"
import clinic from "./understanding/agents/clinic.js"
import shop from "./understanding/agents/shop.js"
import support from "./understanding/agents/support.js"

const agents = { bank, booking, clinic, shop, support }

const { values } = parseArgs({
  options: {
    provider: { type: "string", default: "offline" },
    model: { type: "string" },
    "base-url": { type: "string" },
    temperature: { type: "string" },
    "max-tokens": { type: "string" },
    /** Calls at a time; one for the offline model. */
    "at-once": { type: "string", default: "4" },
    /** Limit of a call of the model, for models that take long to read a prompt. */
    timeout: { type: "string" },
    /** Each domain's first messages only. */
    most: { type: "string" },
    /** Every sixth message, say, of all. */
    every: { type: "string", default: "1" },
    /** The file into which answers are written. */
    record: { type: "string" },
    /** The file from which all answers are taken. */
    replay: { type: "string" },
    /** Reads days and times by rules in the words that the model quotes. */
    "read-days": { type: "boolean", default: false },
    /** Lists what was answered wrongly. */
    errors: { type: "boolean", default: false },
    svg: { type: "string" },
    json: { type: "boolean", default: false }
  }
})

const provider = Schema.decodeUnknownSync(Setting.Provider)(values.provider)
const asked = Layer.orDie(Setting.answering({
  provider,
  model: Option.fromNullable(values.model),
  baseUrl: Option.fromNullable(values["base-url"]),
  temperature: Option.map(Option.fromNullable(values.temperature), Number),
  maxTokens: Option.map(Option.fromNullable(values["max-tokens"]), Number)
}))

const recorded = (): Layer.Layer<LanguageModel> | undefined => {
  const file = values.replay ?? values.record
  if (file === undefined) return undefined
  return Layer.orDie(
    Layer.provide(RecordedModel.layer(file, values.replay === undefined ? { model: asked } : {}), NodeFileSystem.layer)
  )
}
const model = recorded() ?? asked

const messages = (domain: string): Labelled.Labelled =>
  Schema.decodeSync(Schema.parseJson(Labelled.Labelled))(
    fs.readFileSync(new URL(`understanding/messages/${domain}.json`, import.meta.url), "utf8")
  )

/** Takes the kind off all labelled messages but every n-th, so that the others are not measured. */
const every = (n: number) => {
  let number = 0
  return (given: Labelled.Labelled): Labelled.Labelled => ({
    ...given,
    conversations: Arr.map(given.conversations, (one) => ({
      ...one,
      turns: Arr.map(
        one.turns,
        ({ kind, ...turn }) => kind === undefined || number++ % n > 0 ? turn : { ...turn, kind }
      )
    }))
  })
}

const sampled = every(Number(values.every))
const domains = Object.entries(agents).map(([domain, making]) => {
  const { conversations: [first, ...others], ...given } = messages(domain)
  const most = values.most === undefined ? others.length : Number(values.most) - 1
  return { domain, making, given: sampled({ ...given, conversations: [first, ...others.slice(0, most)] }) }
})

const silence: Understanding.Service = { answer: () => Effect.succeed(Understanding.none) }

const isFast = provider === "offline" || values.replay !== undefined

/** Gives a slow model more time to understand a message. */
const patient = (runtime: Runtime): Runtime => {
  const limit = Option.flatMap(Option.fromNullable(values.timeout), Duration.decodeUnknown)
  if (Option.isNone(limit)) return runtime
  const timeouts = { ...runtime.definition.timeouts, firstToken: limit.value, model: limit.value, turn: limit.value }
  return {
    ...runtime,
    definition: { ...runtime.definition, timeouts },
    understanding: Understanding.fromModel(runtime.model, { limits: timeouts })
  }
}

const withDays = (runtime: Runtime): Runtime =>
  values["read-days"] ? { ...runtime, understanding: readDays(runtime.understanding) } : runtime

/** Measures all messages. By default the model of the agents understands them. */
const measured = (understanding?: Understanding.Service) =>
  Effect.forEach(domains, ({ domain, given, making }) =>
    Effect.gen(function*() {
      const runtime = withDays(patient(runtimeOf(yield* making)!))
      const atOnce = isFast || understanding !== undefined ? 1 : Number(values["at-once"])
      return yield* measure(understanding === undefined ? runtime : { ...runtime, understanding }, domain, given, {
        atOnce
      })
    })).pipe(Effect.map((all) => all.flat()))

const main = Effect.gen(function*() {
  const all = yield* measured()
  const none = yield* measured(silence)
  const title = Option.getOrElse(Option.fromNullable(values.model), () => provider)
  if (values.svg !== undefined) fs.writeFileSync(values.svg, MeasureReport.svg(title, all))
  const isRight = ({ differs }: Measured) => differs.length === 0
  console.log(
    values.json
      ? JSON.stringify({ title, summaries: MeasureReport.summaries(all), measured: all }, undefined, 2)
      : [
        MeasureReport.tableOf(all),
        `A model that answers nothing: ${none.filter(isRight).length}/${none.length}`,
        "",
        ByQuestion.tableOf(all.flatMap(({ answered }) => answered)),
        ...(values.errors ? ["", MeasureReport.mistakes(all)] : [])
      ].join("\n")
  )
}).pipe(
  Effect.provide([model, SessionStore.layerMemory, Logger.minimumLogLevel(LogLevel.None)])
)

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

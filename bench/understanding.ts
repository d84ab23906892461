/**
 * How well a model understands: labelled messages of five domains in three languages.
 *
 *     npm run bench -- understanding
 *     npm run bench -- understanding --provider openai --model gpt-4o-mini --svg understanding.svg
 *     npm run bench -- understanding --provider openai-compatible --base-url http://localhost:11434/v1 --model qwen3 --json
 */
import { SessionStore } from "coxswain"
import * as Labelled from "coxswain/cli/evaluation/Labelled"
import { measure } from "coxswain/cli/evaluation/Measure"
import * as MeasureReport from "coxswain/cli/evaluation/MeasureReport"
import * as Setting from "coxswain/cli/Setting"
import { runtimeOf } from "coxswain/pipeline/state/agentInternals"
import { Effect, Layer, Logger, LogLevel, Option, Schema } from "effect"
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
    /** Each domain's first messages only. */
    most: { type: "string" },
    svg: { type: "string" },
    json: { type: "boolean", default: false }
  }
})

const provider = Schema.decodeUnknownSync(Setting.Provider)(values.provider)
const model = Layer.orDie(Setting.answering({
  provider,
  model: Option.fromNullable(values.model),
  baseUrl: Option.fromNullable(values["base-url"]),
  temperature: Option.map(Option.fromNullable(values.temperature), Number),
  maxTokens: Option.map(Option.fromNullable(values["max-tokens"]), Number)
}))

const messages = (domain: string): Labelled.Labelled =>
  Schema.decodeSync(Schema.parseJson(Labelled.Labelled))(
    fs.readFileSync(new URL(`understanding/messages/${domain}.json`, import.meta.url), "utf8")
  )

const main = Effect.gen(function*() {
  const measured = yield* Effect.forEach(Object.entries(agents), ([domain, making]) =>
    Effect.gen(function*() {
      const agent = yield* making
      const given = messages(domain)
      const [first, ...others] = given.conversations
      const most = values.most === undefined ? others.length : Number(values.most) - 1
      return yield* measure(
        runtimeOf(agent)!,
        domain,
        { ...given, conversations: [first, ...others.slice(0, most)] },
        { atOnce: provider === "offline" ? 1 : 4 }
      )
    })).pipe(Effect.map((all) => all.flat()))
  const title = Option.getOrElse(Option.fromNullable(values.model), () => provider)
  if (values.svg !== undefined) fs.writeFileSync(values.svg, MeasureReport.svg(title, measured))
  console.log(
    values.json
      ? JSON.stringify({ title, summaries: MeasureReport.summaries(measured), measured }, undefined, 2)
      : MeasureReport.tableOf(measured)
  )
}).pipe(
  Effect.provide([model, SessionStore.layerMemory, Logger.minimumLogLevel(LogLevel.None)])
)

Effect.runPromise(main).catch((error) => {
  console.error(error)
  process.exit(1)
})

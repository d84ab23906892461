/** The options that several commands share: the agent, the model, the path of the session store. */
import type { LanguageModel } from "@effect/ai/LanguageModel"
import * as Args from "@effect/cli/Args"
import type * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Options from "@effect/cli/Options"
import * as ValidationError from "@effect/cli/ValidationError"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as path from "node:path"
import { reasonOf } from "../domain/base/error/ErrorMessage.js"
import * as SessionStore from "../services/session/SessionStore.js"
import * as ScriptedModel from "../testing/ScriptedModel.js"
import { Unusable } from "./CommandFailure.js"
import * as Package from "./Package.js"

export const Provider = Schema.Literal("offline", "openai", "openai-compatible", "anthropic", "google", "openrouter")

export type Provider = typeof Provider.Type

const agentFile =
  "the file whose default export is the agent, or a document in YAML; agent.ts, src/agent.ts or agent.yaml when not given"

export const agentArgument = Args.text({ name: "agent" }).pipe(Args.withDescription(agentFile), Args.optional)

/** The agent's file as the option `--agent`, for commands whose argument is something else. */
export const agentOption = Options.text("agent").pipe(
  Options.withAlias("a"),
  Options.withDescription(agentFile),
  Options.optional
)

export const json = Options.boolean("json").pipe(Options.withDescription("write JSON, for a program to read"))

interface NumberOption {
  readonly otherwise: number
  readonly says: string
  readonly from?: number
  readonly to?: number
}

/** Makes an error that names the option, because the parser's own error has only the value. */
const refused = (name: string, value: string, why: string) =>
  ValidationError.invalidValue(HelpDoc.p(`--${name}: ${JSON.stringify(value)} is not ${why}`))

const number = (
  name: string,
  shape: RegExp,
  what: string,
  { from = -Infinity, otherwise, says, to = Infinity }: NumberOption
) => {
  const why = Number.isFinite(from) ? `${what} from ${from} to ${to}` : what
  return Options.text(name).pipe(
    Options.mapEffect((text) =>
      shape.test(text) && Number(text) >= from && Number(text) <= to
        ? Effect.succeed(Number(text))
        : Effect.fail(refused(name, text, why))
    ),
    Options.withPseudoName("number"),
    Options.withDefault(otherwise),
    Options.withDescription(`${says}; ${otherwise}`)
  )
}

/** An option for a whole number, with its default. */
export const whole = (
  name: string,
  otherwise: number,
  says: string,
  range: Pick<NumberOption, "from" | "to"> = {}
): Options.Options<number> => number(name, /^[+-]?\d{1,15}$/, "a whole number", { ...range, otherwise, says })

/** An option for a number from 0 to 1. */
export const share = (name: string, otherwise: number, says: string): Options.Options<number> =>
  number(name, /^(\d+\.?|\d*\.\d+)$/, "a number", { otherwise, says, from: 0, to: 1 })

/** An option for one of several words. */
export const oneOf = <const A extends string>(
  name: string,
  among: ReadonlyArray<A>,
  otherwise: NoInfer<A>,
  says: string
): Options.Options<A> =>
  Options.text(name).pipe(
    Options.withPseudoName(among.join(" | ")),
    Options.mapEffect((text) => {
      const found = among.find((one) => one === text)
      return found === undefined
        ? Effect.fail(refused(name, text, `one of ${among.join(", ")}`))
        : Effect.succeed(found)
    }),
    Options.withDefault<A>(otherwise),
    Options.withDescription(says)
  )

/** The address in the environment, unless it is OpenAI's own, which has models that only speak, draw or transcribe. */
const openAiBaseUrl = Option.filter(
  Option.fromNullable(process.env.OPENAI_BASE_URL),
  (url) => url !== "" && !url.includes("//api.openai.com")
)

export const model = {
  provider: oneOf(
    "provider",
    Provider.literals,
    Option.isSome(openAiBaseUrl) ? "openai-compatible" : "offline",
    "who understands and speaks, when the agent's file does not say; all but offline and openai-compatible need --model " +
      "and, in the environment, the provider's key. With OPENAI_BASE_URL, openai-compatible when not given"
  ),
  model: Options.text("model").pipe(
    Options.optional,
    Options.withDescription(
      "the provider's name of the model; of openai-compatible, the first that it lists when not given"
    )
  ),
  baseUrl: Options.text("base-url").pipe(
    Options.optional,
    Options.withDescription(
      "where openai-compatible answers; OPENAI_BASE_URL, else http://localhost:11434/v1 when not given"
    )
  ),
  temperature: Options.float("temperature").pipe(
    Options.optional,
    Options.withDescription(
      "of all answers of openai-compatible; 0 to understand, and the server's to speak, when not given"
    )
  ),
  maxTokens: Options.integer("max-tokens").pipe(
    Options.optional,
    Options.withDescription("the longest answer of openai-compatible, in tokens; the server's limit when not given")
  )
}

/** Default path of the session store. */
export const usual = ".coxswain/sessions"

export const sessions = Options.text("sessions").pipe(
  Options.withDefault(usual),
  Options.withDescription(
    "where conversations are kept, when the agent's file does not say: a folder, a SQLite file that ends in .db, or memory"
  )
)

export type ModelChoice = Command.Command.ParseConfig<typeof model>

type ModelLayer = Layer.Layer<LanguageModel, ConfigError>

/** A scripted model for commands that never call a model; it requires no vendor package. */
export const silent: Layer.Layer<LanguageModel> = ScriptedModel.layer()

/** The vendor packages, loaded on demand, so that offline use works without them. */
const modules = {
  anthropic: (model: string): Promise<ModelLayer> =>
    import("../layers/models/Anthropic.js").then((module) => module.layer({ model })),
  google: (model: string): Promise<ModelLayer> =>
    import("../layers/models/Google.js").then((module) => module.layer({ model })),
  openai: async (model: string): Promise<ModelLayer> => {
    // The layer imports this package later. It is imported here so that a missing package is reported early.
    await import("@effect/ai-openai/OpenAiClient")
    return import("../layers/models/OpenAi.js").then((module) => module.layer({ model }))
  },
  openrouter: (model: string): Promise<ModelLayer> =>
    import("../layers/models/OpenRouter.js").then((module) => module.layer({ model })),
  "openai-compatible": (
    model: string,
    server: { readonly baseUrl: string; readonly apiKey?: Redacted.Redacted; readonly body: Record<string, unknown> }
  ): Promise<ModelLayer> =>
    import("../layers/models/OpenAiCompatible.js").then((module) => module.layer({ model, ...server }))
}

/** The key for the address in `OPENAI_BASE_URL`. */
const openAiKey = (baseUrl: string) =>
  Option.contains(openAiBaseUrl, baseUrl) && process.env.OPENAI_API_KEY && !process.env.OPENAI_COMPATIBLE_API_KEY
    ? { apiKey: Redacted.make(process.env.OPENAI_API_KEY) }
    : {}

/** The first model that a server lists. */
const firstModel = (baseUrl: string): Effect.Effect<string, Unusable> => {
  const unusable = (why: string) =>
    new Unusable({
      what: `openai-compatible at ${baseUrl} without --model`,
      why,
      fix: "Start the server, or name its address (--base-url …) and the model (--model …)"
    })
  return Effect.tryPromise({
    try: async (signal) => {
      const { apiKey } = openAiKey(baseUrl)
      const headers = apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` }
      const response = await fetch(`${baseUrl.replace(/\/+$/, "")}/models`, { headers, signal })
      return Listed(await response.json()).data[0]?.id
    },
    catch: (cause) => unusable(`it lists no models (${firstLine(cause)})`)
  }).pipe(
    Effect.timeoutFail({ duration: "5 seconds", onTimeout: () => unusable("it does not answer within five seconds") }),
    Effect.filterOrFail(Predicate.isNotUndefined, () => unusable("it lists no models"))
  )
}

const Listed = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Array(Schema.Struct({ id: Schema.String })) }))

/** Loads a module that may not be installed. */
export const load = <A>(what: string, packages: string, module: () => Promise<A>): Effect.Effect<A, Unusable> =>
  Effect.tryPromise({
    try: module,
    catch: (cause) =>
      new Unusable({ what, why: firstLine(cause), fix: `Install what it needs: ${Package.install(packages)}` })
  })

const firstLine = (cause: unknown): string => reasonOf(cause).split("\n")[0]!.replace(/\.$/, "")

/** Provides the model that understands and speaks. */
export const answering = (
  { baseUrl, maxTokens, model, provider, temperature }: ModelChoice
): Layer.Layer<LanguageModel, Unusable> =>
  Layer.unwrapEffect(
    Effect.gen(function*() {
      if (provider === "offline") {
        const offline = yield* load(
          "the offline model does not load",
          "compromise chrono-node",
          () => import("../layers/offline/Offline.js")
        )
        return offline.layerWith(process.stdout.isTTY === true ? { wordDelay: "25 millis" } : {})
      }
      const address = Option.getOrElse(Option.orElse(baseUrl, () => openAiBaseUrl), () => "http://localhost:11434/v1")
      if (Option.isNone(model) && provider !== "openai-compatible") {
        return yield* new Unusable({
          what: `--provider ${provider} without --model`,
          why: "it has many models, and none is chosen for you",
          fix: "Name the model that is to answer: --model …"
        })
      }
      const name = Option.isSome(model) ? model.value : yield* firstModel(address)
      const body = {
        ...(Option.isSome(temperature) && { temperature: temperature.value }),
        ...(Option.isSome(maxTokens) && { max_tokens: maxTokens.value })
      }
      const layer = yield* load(
        `${provider} does not load`,
        provider === "openai" ? "@effect/platform @effect/ai @effect/ai-openai" : "@effect/platform @effect/ai",
        () =>
          provider === "openai-compatible"
            ? modules[provider](name, { baseUrl: address, body, ...openAiKey(address) })
            : modules[provider](name)
      )
      return Layer.mapError(layer, (error) =>
        new Unusable({
          what: `${provider} cannot be asked`,
          why: firstLine(String(error)),
          fix: "Set the provider's key in the environment, or choose another with --provider"
        }))
    })
  )

/** Provides the session store: in memory, a SQLite file or a folder; creates a missing folder. */
export const keeping = (sessions: string): Layer.Layer<SessionStore.SessionStore, Unusable> => {
  if (isMemory(sessions)) return SessionStore.layerMemory
  return Layer.unwrapEffect(
    Effect.gen(function*() {
      const place = path.resolve(sessions)
      const isFile = isSqlite(place)
      yield* folder(isFile ? path.dirname(place) : place, closed(sessions))
      if (isFile) {
        const { layer } = yield* load(
          `sessions in ${sessions} need SQLite, which does not load`,
          "@effect/sql @effect/sql-sqlite-node",
          () => import("../layers/stores/Sqlite.js")
        )
        return Layer.mapError(layer({ filename: place }), closed(sessions))
      }
      const [{ layer }, Files] = yield* load(
        `sessions in ${sessions} need files of Node, which do not load`,
        "@effect/platform-node",
        () =>
          Promise.all([
            import("../layers/stores/KeyValue.js"),
            import("@effect/platform-node/NodeKeyValueStore")
          ])
      )
      return Layer.mapError(Layer.provide(layer(), Files.layerFileSystem(place)), closed(sessions))
    })
  )
}

/**
 * Provides a session store that exists; fails if its path is missing, which is probably a typo. If the default path is
 * missing, there are no sessions yet, and an empty store is provided.
 */
export const kept = (sessions: string): Layer.Layer<SessionStore.SessionStore, Unusable> => {
  if (isMemory(sessions) || fs.existsSync(sessions)) return keeping(sessions)
  return sessions === usual ? SessionStore.layerMemory : Layer.fail(
    new Unusable({
      what: `there are no sessions in ${sessions}`,
      why: `nothing is at ${path.resolve(sessions)}`,
      fix: "Name with --sessions the folder or the file in which chat or serve keeps them"
    })
  )
}

const isMemory = (sessions: string): boolean => sessions === "memory" || sessions === ":memory:"

const closed = (sessions: string) => (error: unknown): Unusable =>
  new Unusable({
    what: `the sessions in ${sessions} cannot be opened`,
    why: firstLine(error),
    fix: "Name another place with --sessions, or memory to keep none"
  })

/** True if a name is the name of a SQLite file. */
export const isSqlite = (name: string): boolean => /\.(db|sqlite3?)$/.test(name)

/** Creates a folder. `failed` makes the error from that of the system. */
export const folder = (name: string, failed: (cause: unknown) => Unusable): Effect.Effect<void, Unusable> =>
  Effect.try({ try: () => void fs.mkdirSync(name, { recursive: true }), catch: failed })

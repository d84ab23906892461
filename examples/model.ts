/**
 * Which model an example runs on: the one it brings itself, which needs no key and no network, or a provider's.
 *
 * ```sh
 * COXSWAIN_PROVIDER=openai COXSWAIN_MODEL=gpt-4o-mini OPENAI_API_KEY=… npx tsx examples/01-booking.ts
 * ```
 */
import type { LanguageModel } from "@effect/ai/LanguageModel"
import { Config, ConfigError, Effect, Layer, Option } from "effect"

type Provided = Layer.Layer<LanguageModel, ConfigError.ConfigError>

const name = Config.nonEmptyString("COXSWAIN_MODEL")

/** Imported when it is asked for: an example that runs offline loads none of them. */
const providers: Readonly<Record<string, () => Promise<Provided>>> = {
  anthropic: async () =>
    (await import("coxswain/layers/anthropic")).layerConfig({ model: Config.withDefault(name, "claude-sonnet-4-5") }),
  google: async () =>
    (await import("coxswain/layers/google")).layerConfig({ model: Config.withDefault(name, "gemini-2.5-flash") }),
  openai: async () =>
    (await import("coxswain/layers/openai")).layerConfig({ model: Config.withDefault(name, "gpt-4o-mini") }),
  // These have no model that everybody has: `COXSWAIN_MODEL` must name one.
  "openai-compatible": async () =>
    (await import("coxswain/layers/openai-compatible")).layerConfig({
      baseUrl: Config.nonEmptyString("OPENAI_COMPATIBLE_BASE_URL"),
      model: name
    }),
  openrouter: async () => (await import("coxswain/layers/openrouter")).layerConfig({ model: name })
}

const named = (provider: string): Provided =>
  Object.hasOwn(providers, provider)
    ? Layer.unwrapEffect(Effect.promise(providers[provider]!))
    : Layer.fail(ConfigError.InvalidData(
      ["COXSWAIN_PROVIDER"],
      `it is none of ${Object.keys(providers).join(", ")}`
    ))

/** In words what the environment lacks. */
const told = (error: ConfigError.ConfigError): string =>
  error._op === "MissingData" ? `${error.path.join(".")} is not set` : String(error)

const stop = (provider: string) => (error: ConfigError.ConfigError): Provided =>
  Layer.fail(error).pipe(
    Layer.tapError(() =>
      Effect.sync((): void => {
        console.error(`COXSWAIN_PROVIDER is "${provider}", but ${told(error)}.`)
        process.exit(1)
      })
    )
  )

/** The model of `COXSWAIN_PROVIDER`, or else the given one. What the environment lacks is said, and ends the program. */
export const model = <E, R>(offline: Layer.Layer<LanguageModel, E, R>) =>
  Layer.unwrapEffect(
    Effect.map(
      Config.option(Config.nonEmptyString("COXSWAIN_PROVIDER")),
      (provider): Layer.Layer<LanguageModel, E | ConfigError.ConfigError, R> =>
        Option.isSome(provider) ? Layer.catchAll(named(provider.value), stop(provider.value)) : offline
    )
  )

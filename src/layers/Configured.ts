/** Layers whose options are read from the configuration. */
import * as Config from "effect/Config"
import type { ConfigError } from "effect/ConfigError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Makes the `layerConfig` of a `layer`: it takes each option as a `Config`, or one `Config` of all options. */
export const configured = <Options, A, E, R>(
  layer: (options: Options) => Layer.Layer<A, E, R>
) =>
(options: Config.Config.Wrap<Options>): Layer.Layer<A, E | ConfigError, R> =>
  Layer.unwrapEffect(Effect.map(Config.unwrap(options), layer))

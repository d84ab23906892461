/**
 * Traces, metrics and logs of agents, sent to an OpenTelemetry collector by the semantic conventions for generative AI.
 * Needs `@effect/opentelemetry` and the packages of OpenTelemetry that it requires.
 *
 * ```ts
 * import * as OpenTelemetry from "coxswain/layers/opentelemetry"
 *
 * export const TelemetryLive = OpenTelemetry.layer({ serviceName: "desk", url: "http://localhost:4318" })
 * ```
 */
import * as Otlp from "@effect/opentelemetry/Otlp"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { ATTR_SERVICE_NAME } from "@opentelemetry/semantic-conventions"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Tracer from "effect/Tracer"
import * as Telemetry from "../services/model/Telemetry.js"

export interface Options {
  /** Name of the service in traces and metrics. */
  readonly serviceName: string
  /** The version of the application, as the collector shows it. Default: none. */
  readonly serviceVersion?: string
  /** URL of the collector, which takes OTLP over HTTP. Default `http://localhost:4318`. */
  readonly url?: string
  /** Headers of every request, for example `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Further attributes of the resource, for example `deployment.environment.name`. */
  readonly attributes?: Readonly<Record<string, string>>
  /**
   * True if spans shall contain the texts of users and agents, and the arguments and results of tools. Default false.
   */
  readonly content?: boolean
  /** Interval at which metrics are sent. Default 10 seconds. */
  readonly metricsInterval?: Duration.DurationInput
  /** Interval at which spans and log lines are sent. Default 1 second. */
  readonly exportInterval?: Duration.DurationInput
}

/** The tracer in the environment, with content added to its spans. */
const telling: Layer.Layer<never> = Layer.unwrapEffect(
  Effect.tracerWith((tracer: Tracer.Tracer) => Effect.succeed(Layer.setTracer(Telemetry.withContent(tracer))))
)

/**
 * Sends the telemetry of all agents for which the Layer is provided. When the Layer closes, it sends the remaining
 * telemetry.
 */
export const layer = (options: Options): Layer.Layer<never> => {
  const { attributes, content = false, exportInterval = "1 second", headers, metricsInterval, serviceVersion } = options
  const otlp = Otlp.layerJson({
    baseUrl: options.url ?? "http://localhost:4318",
    resource: {
      serviceName: options.serviceName,
      ...(serviceVersion !== undefined && { serviceVersion }),
      attributes: { [ATTR_SERVICE_NAME]: options.serviceName, ...attributes }
    },
    ...(headers !== undefined && { headers: { ...headers } }),
    loggerExportInterval: exportInterval,
    tracerExportInterval: exportInterval,
    metricsExportInterval: metricsInterval ?? "10 seconds"
  }).pipe(Layer.provide(FetchHttpClient.layer))
  return content ? Layer.provideMerge(telling, otlp) : otlp
}

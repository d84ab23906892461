/** Records all logs and spans of an effect as searchable text. */
import { Cause, Effect, Inspectable, Logger, LogLevel, Tracer } from "effect"

export const make = () => {
  const seen: Array<string> = []
  /** Adds a value as it would be printed, and as JSON. */
  const write = (value: unknown): void => {
    seen.push(typeof value === "string" ? value : Inspectable.toStringUnknown(value))
    if (value instanceof Error) {
      seen.push(
        value.message,
        String(value.stack),
        JSON.stringify(value),
        Cause.pretty(Cause.fail(value), { renderErrorCause: true })
      )
    }
  }
  const tracer = Tracer.make({
    context: (f) => f(),
    span: (name, parent, context, links, startTime, kind, options) => {
      const attributes = new Map(Object.entries(options?.attributes ?? {}))
      return {
        _tag: "Span",
        name,
        spanId: "1",
        traceId: "1",
        parent,
        context,
        links: [...links],
        sampled: true,
        kind,
        attributes,
        status: { _tag: "Started", startTime },
        addLinks: () => {},
        attribute: (key, value) => void write([key, value]),
        event: (name, _time, attributes) => void write([name, attributes]),
        end: (_time, exit) =>
          void write([
            name,
            Object.fromEntries(attributes),
            exit._tag === "Failure" ? Cause.pretty(exit.cause, { renderErrorCause: true }) : ""
          ])
      }
    }
  })
  const logger = Logger.make(({ annotations, cause, message }) =>
    void write([message, [...annotations], Cause.pretty(cause, { renderErrorCause: true })])
  )
  const recorded = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.withTracer(tracer),
      Logger.withMinimumLogLevel(LogLevel.All)
    )
  return { seen, write, recorded }
}

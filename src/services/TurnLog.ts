/**
 * Keeps what each turn was given from outside, so that the same turns can be run again: against the definition of
 * then, or of today. `Replay` runs them.
 *
 * Nothing is recorded unless this service is provided when the agent is made. What a log holds is what people said and
 * what tools answered: keep it like the sessions themselves. Keys and headers of models never come here, what an error was
 * caused by is left out, and so are context values that are `Redacted`.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TurnEntry from "../domain/TurnEntry.js"

export {
  /**
   * The Schema of what is kept of one turn.
   *
   * @since 0.1.0
   * @category schemas
   */
  TurnEntry
} from "../domain/TurnEntry.js"

/**
 * The log cannot be written or read.
 *
 * @since 0.1.0
 * @category errors
 */
export class TurnLogError extends Schema.TaggedError<TurnLogError>()("TurnLogError", {
  operation: Schema.Literal("open", "append", "read"),
  why: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `[${this._tag}] ${this.operation} of the turn log: ${this.why}. ${this.fix}.`
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface Service {
  /** Keeps what a turn was. The turn waits for it, and is not failed by it: a failure is logged. */
  readonly append: (entry: TurnEntry.TurnEntry) => Effect.Effect<void, TurnLogError>
  /** The turns in the order in which they ended, of one session or of all. */
  readonly read: (query?: { readonly sessionId?: string }) => Stream.Stream<TurnEntry.TurnEntry, TurnLogError>
}

/**
 * @since 0.1.0
 * @category tags
 */
export class TurnLog extends Context.Tag("coxswain/TurnLog")<TurnLog, Service>() {}

/**
 * A turn as one line of text, without its end.
 *
 * @since 0.1.0
 * @category encoding
 */
export const line = (entry: TurnEntry.TurnEntry): string => JSON.stringify(entry)

/**
 * The turns of a log's lines. A line that cannot be read, such as the last one of a process that died while it wrote, is
 * left out, and told in the log of the program.
 *
 * @since 0.1.0
 * @category decoding
 */
export const entries = <E, R>(
  lines: Stream.Stream<string, E, R>,
  { sessionId }: { readonly sessionId?: string } = {}
): Stream.Stream<TurnEntry.TurnEntry, E, R> =>
  lines.pipe(
    Stream.filter((text) => text.trim() !== ""),
    Stream.mapEffect((text) =>
      Either.match(TurnEntry.parse(text), {
        onLeft: (why) => Effect.as(Effect.logWarning(`A line of the turn log was left out: ${why}`), undefined),
        onRight: (entry) => Effect.succeed(entry)
      })
    ),
    Stream.filter((entry): entry is TurnEntry.TurnEntry =>
      entry !== undefined && (sessionId === undefined || entry.sessionId === sessionId)
    )
  )

/**
 * A log in this process's memory, for tests.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory: Effect.Effect<Service> = Effect.sync(() => {
  const lines: Array<string> = []
  return TurnLog.of({
    append: (entry) => Effect.sync(() => void lines.push(line(entry))),
    read: (query) => Stream.suspend(() => entries(Stream.fromIterable([...lines]), query))
  })
})

/**
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<TurnLog> = Layer.effect(TurnLog, makeMemory)

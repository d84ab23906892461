/**
 * Records the external inputs of each turn, so that the same turns can be run again: on the same definition, or on a
 * newer one. `Replay` runs them.
 *
 * Turns are recorded only if this service is provided when the agent is made. A log holds the messages of users and the
 * results of tools: protect it like the sessions themselves. It never holds keys or headers of models, causes of
 * errors, or context values that are `Redacted`.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { optional } from "../../domain/fields/Fields.js"
import * as Decode from "../../domain/fields/schema/Decode.js"
import * as TurnEntry from "../../domain/turn/TurnEntry.js"

export {
  /** The Schema of a turn in the log. */
  TurnEntry
} from "../../domain/turn/TurnEntry.js"

/** The error when the log cannot be written or read. */
export class TurnLogError extends Schema.TaggedError<TurnLogError>()("TurnLogError", {
  operation: Schema.Literal("open", "append", "read", "remove"),
  why: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `[${this._tag}] ${this.operation} of the turn log: ${this.why}. ${this.fix}.`
  }
}

export interface Service {
  /**
   * Name of the storage, for the report about erased data: `memory`, `file turns.jsonl`. It must not contain a secret.
   */
  readonly place: string
  /** Appends a turn. The turn waits until it is written; a failure to write is logged and does not fail the turn. */
  readonly append: (entry: TurnEntry.TurnEntry) => Effect.Effect<void, TurnLogError>
  /** Streams the turns of one session, or of all sessions, in the order in which they ended. */
  readonly read: (query?: { readonly sessionId?: string }) => Stream.Stream<TurnEntry.TurnEntry, TurnLogError>
  /**
   * Removes turns for good, and returns their number. Unreadable lines are removed too, because they cannot be assigned
   * to a user.
   */
  readonly remove: (which: Which) => Effect.Effect<number, TurnLogError>
}

/**
 * Turns to remove: the turns of a user, together with the turns of the listed sessions that name no other user; or the
 * turns that began before an instant, in milliseconds since 1970.
 */
export type Which =
  | { readonly userId: string; readonly sessionIds: ReadonlyArray<string> }
  | { readonly before: number }

const Line = Decode.either(Schema.parseJson(Schema.Struct({
  sessionId: Schema.String,
  clock: optional(Schema.Array(Schema.Number)),
  input: optional(Schema.Struct({
    principal: optional(Schema.Struct({ userId: Schema.String })),
    metadata: optional(Schema.Struct({ userId: optional(Schema.Unknown) }))
  })),
  written: optional(Schema.Array(Schema.Struct({ session: Schema.Struct({ userId: optional(Schema.String) }) })))
})))

/** Returns a test for the lines of a log that belong to these turns. */
export const isOf = (which: Which): (line: string) => boolean => {
  const sessions = new Set("before" in which ? [] : which.sessionIds)
  return (line) => {
    if (line.trim() === "") return false
    const read = Line(line)
    if (Either.isLeft(read)) return true
    const { clock: [begunAt] = [], sessionId } = read.right
    if ("before" in which) return begunAt === undefined || begunAt < which.before
    const userId = TurnEntry.userOf(read.right)
    return userId === which.userId || (userId === undefined && sessions.has(sessionId))
  }
}

/**
 * Removes turns older than `retention`: immediately, and then every hour while the scope is open. Has no effect if
 * `retention` is undefined.
 */
export const keepFor = (
  log: Service,
  retention: Duration.DurationInput | undefined
): Effect.Effect<void, never, Scope.Scope> =>
  retention === undefined ? Effect.void : Clock.currentTimeMillis.pipe(
    Effect.flatMap((now) => log.remove({ before: now - Duration.toMillis(retention) })),
    Effect.catchAll((error) => Effect.logWarning(error.message)),
    Effect.repeat(Schedule.spaced("1 hour")),
    Effect.forkScoped,
    Effect.asVoid
  )

export class TurnLog extends Context.Tag("coxswain/TurnLog")<TurnLog, Service>() {}

/** Encodes a turn as one line of text, without a line break. */
export const line = (entry: TurnEntry.TurnEntry): string => JSON.stringify(entry)

/**
 * Decodes the turns in the lines of a log; with a `sessionId`, only lines that contain this id. An unreadable line,
 * such as the last line of a process that died while it wrote, is left out with a logged warning.
 */
export const entries = <E, R>(
  lines: Stream.Stream<string, E, R>,
  { sessionId }: { readonly sessionId?: string } = {}
): Stream.Stream<TurnEntry.TurnEntry, E, R> => {
  const part = sessionId === undefined ? "" : JSON.stringify(sessionId)
  return lines.pipe(
    // Only matching lines are decoded, because decoding a line takes far longer than searching it.
    Stream.filter((text) => text.trim() !== "" && text.includes(part)),
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
}

/** Makes a log in this process's memory, for tests. */
export const makeMemory: Effect.Effect<Service> = Effect.sync(() => {
  const lines: Array<string> = []
  return TurnLog.of({
    place: "memory",
    append: (entry) => Effect.sync(() => void lines.push(line(entry))),
    remove: (which) =>
      Effect.sync(() => {
        const left = lines.filter(Predicate.not(isOf(which)))
        const removed = lines.length - left.length
        lines.length = 0
        for (const one of left) lines.push(one)
        return removed
      }),
    read: (query) => Stream.suspend(() => entries(Stream.fromIterable([...lines]), query))
  })
})

export const layerMemory: Layer.Layer<TurnLog> = Layer.effect(TurnLog, makeMemory)

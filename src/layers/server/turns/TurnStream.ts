/**
 * Writes and reads the stream of a recorded turn. From a turn's events it reads how the turn ended, and to which
 * `epoch` of the session the turn belongs: a session that is removed and re-created has a new one.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { SessionFeedError } from "../../../domain/base/error/Errors.js"
import { isJsonObject, type JsonObject } from "../../../domain/base/Json.js"
import * as PullStream from "../../../domain/base/PullStream.js"
import type * as TurnFeed from "../../../services/turn/TurnFeed.js"
import * as Problem from "../requests/Problem.js"

/** True if the event is the last one of its turn. */
export const isLast = ({ event: { _tag } }: TurnFeed.NumberedEvent): boolean =>
  _tag === "TurnCompleted" || _tag === "TurnFailed"

const failedIn = ({ event }: TurnFeed.NumberedEvent): Problem.Problem | undefined => {
  return event._tag === "TurnFailed" ? Problem.ofTag(Problem.tagOf(event.error)) : undefined
}

/** Returns the session's `epoch` or, without one, its creation time, if the event contains it. */
export const lifeIn = ({ epoch, response, _tag }: JsonObject): string | undefined => {
  if (_tag === "TurnStarted") return typeof epoch === "string" ? epoch : undefined
  const session = isJsonObject(response) && isJsonObject(response.session) ? response.session : {}
  const life = session.epoch ?? session.createdAt
  return typeof life === "string" ? life : undefined
}

/**
 * Reads the events of a turn to their end and records them, even if no client reads them. If the record cannot be
 * written, the turn continues.
 */
export const record = (events: Stream.Stream<TurnFeed.NumberedEvent, unknown>, recording: TurnFeed.Recording) => {
  let lost = false
  const write = (events: ReadonlyArray<JsonObject>) => {
    const life =
      events.flatMap(({ _tag, epoch }) => _tag === "TurnStarted" && typeof epoch === "string" ? [epoch] : [])[0]
    return Effect.zipRight(life === undefined ? Effect.void : recording.started(life), recording.append(events))
  }
  return PullStream.runForEachBatch(events, (batch) =>
    lost ? Effect.void : Effect.catchAll(
      write(batch.map(({ event }) => event)),
      (error: SessionFeedError) => {
        lost = true
        return Effect.logWarning("The events of a turn are not kept any more: nobody can join it again", error)
      }
    )).pipe(Effect.exit)
}

/**
 * Ends the stream of a turn's events before the first event with another `epoch`, because that event belongs to a
 * re-created session.
 */
export const ofLife =
  (known: string | undefined) => (events: Stream.Stream<TurnFeed.NumberedEvent, SessionFeedError>): typeof events =>
    known === undefined ? events : Stream.takeWhile(events, ({ event }) => (lifeIn(event) ?? known) === known)

/** Makes the stream of a recorded turn fail if the turn has failed, or if the record ends before the turn. */
export const faithful = (events: Stream.Stream<TurnFeed.NumberedEvent, unknown>) =>
  Stream.suspend(() => {
    let last: TurnFeed.NumberedEvent | undefined
    const end = () => {
      if (last === undefined) return Stream.empty
      const failure = isLast(last) ? failedIn(last) : Problem.ofTag("SessionFeedError")
      return failure === undefined ? Stream.empty : Stream.fail(failure)
    }
    return Stream.concat(
      Stream.tap(events, (event) => Effect.sync(() => last = event)),
      Stream.suspend(end)
    )
  })

/** Retracts the words of a lost turn. The turn that answers its message says them anew. */
const retracted: JsonObject = { _tag: "MessageReplaced", message: "" }

/**
 * The events of a recorded turn. If the process that runs the turn is gone, they go on with the events of the turn that
 * `again` begins for the same message. They are numbered without gaps.
 */
export const inherited = (
  recorded: Stream.Stream<TurnFeed.NumberedEvent, unknown>,
  again: Effect.Effect<Stream.Stream<TurnFeed.NumberedEvent, unknown>, unknown>
): typeof recorded =>
  Stream.suspend(() => {
    let hasWords = false
    const rest = Effect.zipRight(
      Effect.logWarning("The process that ran a turn is gone. Its message is answered here."),
      Effect.map(again, (events) => Stream.map(events, ({ event }) => event))
    )
    return Stream.map(recorded, ({ event }) => event).pipe(
      Stream.tap(({ _tag }) => Effect.sync(() => hasWords ||= _tag === "TextDelta")),
      Stream.catchAll((error) =>
        error instanceof SessionFeedError
          ? Stream.concat(hasWords ? Stream.make(retracted) : Stream.empty, Stream.unwrap(rest))
          : Stream.fail(error)
      ),
      Stream.zipWithIndex,
      Stream.map(([event, i]) => ({ seq: i + 1, event }))
    )
  })

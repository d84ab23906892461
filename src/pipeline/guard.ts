/**
 * What surrounds the phases of a turn: the session's lock, the limit in time, the caller who may stop it, the process
 * that was faster, and the message that was answered before.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { TurnTimeout } from "../domain/Errors.js"
import type { TurnEvent } from "../domain/TurnEvent.js"
import type { TurnRequest } from "../domain/TurnRequest.js"
import type { TurnResponse } from "../domain/TurnResponse.js"
import { abandon } from "./phases/commit.js"
import { answered } from "./phases/open.js"
import type { Failure, Runtime, Sink } from "./TurnState.js"

/** The sink, with someone told of each event first. */
const watching = (sink: Sink, see: (event: TurnEvent) => void): Sink => ({
  ...sink,
  emit: (event) => {
    see(event)
    return sink.emit(event)
  }
})

/** A turn that the caller stops before it has begun ends at once, also when it waits for the session's lock. */
export const unlessStopped = (
  runtime: Runtime,
  request: TurnRequest,
  sink: Sink,
  body: (sink: Sink) => Effect.Effect<TurnResponse, Failure>
): Effect.Effect<TurnResponse, Failure> => {
  const { abort } = sink
  if (abort === undefined) return body(sink)
  if (abort.requested()) return abandon(runtime, request, sink)
  return Effect.suspend(() => {
    let begun = false
    const watched = watching(sink, () => {
      begun = true
    })
    const stopped = Effect.suspend(() => begun ? Effect.never : Effect.succeed(abandon(runtime, request, sink)))
    return Effect.flatten(
      Effect.raceFirst(Effect.zipRight(abort.signal, stopped), Effect.map(body(watched), Effect.succeed))
    )
  })
}

/** One turn at a time per session, within the turn's own limit. */
export const holding =
  (runtime: Runtime, sessionId: string, sink: Sink) =>
  <A>(turn: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> => {
    const limit = runtime.definition.timeouts.turn
    const late = Effect.suspend(() => Effect.fail(new TurnTimeout({ sessionId, limit: "turn", after: limit })))
    return runtime.lock.withLock(sessionId)(
      sink.streaming
        ? Effect.raceFirst(turn, Effect.zipRight(expiry(sink, limit), late))
        : Effect.flatten(
          Effect.timeoutTo(turn, { duration: limit, onSuccess: (a) => Effect.succeed(a), onTimeout: () => late })
        )
    )
  }

/**
 * Completes when the turn has used up its limit. What it waits for its readers does not count, so that a slow one gets
 * the whole answer; but one that takes nothing for as long as the limit has gone, and must not keep the session locked.
 */
const expiry = (sink: Sink, limit: Duration.Duration): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (begin) => {
    const wait: Effect.Effect<void> = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const left = Duration.toMillis(limit) - (now - begin - sink.waited(now))
      return left <= 0 ? Effect.void : Effect.sleep(Duration.millis(left)).pipe(
        Effect.zipRight(Effect.timeoutOption(sink.ready, limit)),
        Effect.flatMap(Option.match({ onNone: () => Effect.void, onSome: () => wait }))
      )
    })
    return wait
  })

/**
 * Another process was faster. If it answered this very message, that answer is the answer; else the turn is repeated
 * once, unless a tool of it has run, the caller stopped it, or the agent is to fail at once.
 */
export const retryOnConflict = (
  runtime: Runtime,
  request: TurnRequest,
  sink: Sink,
  attempt: (sink: Sink) => Effect.Effect<TurnResponse, Failure>
): Effect.Effect<TurnResponse, Failure> => {
  const seen = new Set<string>()
  const watched = watching(sink, ({ _tag }) => void seen.add(_tag))
  const unsay = Effect.suspend(() =>
    seen.has("TextDelta") ? sink.emit({ _tag: "MessageReplaced", message: "" }) : Effect.void
  )
  const mayRepeat = () => runtime.definition.onConflict === "retry" && !seen.has("ToolCallStarted")
  return Effect.catchTag(
    attempt(watched),
    "SessionConflict",
    (conflict) =>
      seen.has("Interrupted") ? Effect.fail(conflict) : Effect.flatMap(
        answered(runtime, request),
        Option.match({
          onSome: (response) => Effect.zipRight(unsay, replay(response, request, sink)),
          onNone: () => mayRepeat() ? Effect.zipRight(unsay, attempt(sink)) : Effect.fail(conflict)
        })
      )
  )
}

/** A message that was answered before gets the same answer. */
export const replay = (response: TurnResponse, request: TurnRequest, sink: Sink): Effect.Effect<TurnResponse> =>
  Effect.gen(function*() {
    yield* sink.emit({
      _tag: "TurnStarted",
      sessionId: request.sessionId,
      ...(request.messageId !== undefined && { messageId: request.messageId })
    })
    if (response.message !== "") yield* sink.emit({ _tag: "TextDelta", text: response.message })
    yield* sink.emit({ _tag: "TurnCompleted", response })
    return response
  })

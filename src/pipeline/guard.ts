/**
 * What surrounds the phases of a turn: the session's lock, the limit in time, the caller who may stop it, the process
 * that was faster, and the input that was answered before. Each is a pipe around an attempt.
 *
 * @since 0.1.0
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { runWithin } from "../domain/base/Deadline.js"
import { reasonOf } from "../domain/base/error/ErrorMessage.js"
import { TurnTimeout } from "../domain/base/error/Errors.js"
import { HookFailure } from "../domain/definition/Definition.js"
import * as Session from "../domain/session/Session.js"
import type { TurnEvent } from "../domain/turn/TurnEvent.js"
import type { TurnResponse } from "../domain/turn/TurnResponse.js"
import { abandon } from "./phases/commit.js"
import type { Input } from "./state/Input.js"
import type { Failure, Runtime, Sink } from "./state/TurnState.js"
import { answered } from "./stored/answers.js"

/** One try at answering an input, told to a sink. */
export type Attempt = (sink: Sink) => Effect.Effect<TurnResponse, Failure>

type Guard = (runtime: Runtime, input: Input) => (attempt: Attempt) => Attempt

/** The sink, which hands each event to a listener first. */
const watching = (sink: Sink, see: (event: TurnEvent) => void): Sink => ({
  ...sink,
  emit: (event) => {
    see(event)
    sink.emit(event)
  }
})

/** Readers are told that a turn failed, before their stream fails with it. */
export const reported = (sink: Sink) => <A>(turn: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
  Effect.catchAllCause(turn, (cause) => {
    if (!Cause.isInterruptedOnly(cause)) sink.emit({ _tag: "TurnFailed", error: nameOf(Cause.squash(cause)) })
    return Effect.failCause(cause)
  })

const nameOf = (failure: unknown): { readonly _tag: string; readonly message: string } => {
  const error = failure instanceof HookFailure ? failure.error : failure
  return {
    _tag: Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "Error",
    message: reasonOf(error)
  }
}

/** A turn that the caller stops before it has begun ends at once, also when it waits for the session's lock. */
export const abortable: Guard = (runtime, input) => (attempt) => (sink) => {
  const { abort } = sink
  if (abort === undefined) return attempt(sink)
  if (abort.requested()) return abandon(runtime, input, sink)
  return Effect.suspend(() => {
    let begun = false
    const watched = watching(sink, () => {
      begun = true
    })
    const stopped = Effect.suspend(() => begun ? Effect.never : Effect.succeed(abandon(runtime, input, sink)))
    return Effect.flatten(
      Effect.raceFirst(Effect.zipRight(abort.signal, stopped), Effect.map(attempt(watched), Effect.succeed))
    )
  })
}

/** One turn at a time per session. Waiting for the lock has a limit of its own; a message may be one that does not wait. */
export const locked: Guard = ({ definition, lock }, { _tag, sessionId }) => (attempt) => (sink) => {
  const wait = _tag === "Message" && definition.whileBusy === "reject" ? Duration.zero : definition.timeouts.lock
  return lock.withLock(sessionId, { wait })(attempt(sink))
}

/**
 * The turn's own limit. When it passes, the turn is told to stop and the session is let go at once, also while code that
 * cannot be stopped still runs: what may come of it later finds the session at another version. Whoever interrupts the
 * turn from outside waits for such code.
 */
export const limited: Guard = (runtime, { sessionId }) => (attempt) => (sink) => {
  const limit = runtime.definition.timeouts.turn
  const passed = Effect.suspend(() =>
    Effect.flatMap(
      usedUp(sink, limit),
      () => Effect.fail(new TurnTimeout({ sessionId, limit: "turn", after: limit }))
    )
  )
  return runWithin(attempt(sink), limit, passed, Fiber.interruptFork)
}

/**
 * Begins when the limit has passed, and completes when the turn has used it up. What it waits for its readers does not
 * count, so that a slow one gets the whole answer; but one that takes nothing for as long as the limit has gone, and must
 * not keep the session locked.
 */
const usedUp = (sink: Sink, limit: Duration.Duration): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (passed) => {
    const wait: Effect.Effect<void> = Effect.flatMap(
      Effect.timeoutOption(sink.ready, limit),
      Option.match({
        onNone: () => Effect.void,
        onSome: () =>
          Effect.flatMap(Clock.currentTimeMillis, (now) => {
            const left = sink.backpressureMillis(now) - (now - passed)
            // The clock counts whole milliseconds: sleeping for less than one would leave `left` as it is, for ever.
            return left < 1 ? Effect.void : Effect.zipRight(Effect.sleep(Duration.millis(left)), wait)
          })
      })
    )
    return wait
  })

/**
 * Another process was faster. If it answered this very input, that answer is the answer; else the turn is repeated
 * once, unless a tool of it has run, the caller stopped it, or the agent is to fail at once.
 */
export const repeated: Guard = (runtime, input) => (attempt) => (sink) => {
  const seen = { words: false, call: false, stop: false }
  const watched = watching(sink, ({ _tag }) => {
    if (_tag === "TextDelta") seen.words = true
    if (_tag === "ToolCallStarted") seen.call = true
    if (_tag === "Interrupted") seen.stop = true
  })
  // Not begun before it runs: what only begins a turn is not kept for as long as it lasts.
  return Effect.catchTag(Effect.suspend(() => attempt(watched)), "SessionConflict", (conflict) => {
    if (seen.stop) return Effect.fail(conflict)
    const unsay = Effect.sync(() => {
      if (seen.words) sink.emit({ _tag: "MessageReplaced", message: "" })
    })
    const mayRepeat = runtime.definition.onConflict === "retry" && !seen.call
    return Effect.flatMap(
      answered(runtime, input),
      Option.match({
        onSome: (response) => Effect.zipRight(unsay, replay(response, input, sink)),
        onNone: () => mayRepeat ? Effect.zipRight(unsay, attempt(sink)) : Effect.fail(conflict)
      })
    )
  })
}

/**
 * Those who follow the session are told what happens in it, also when the turn leaves no trace. What was answered before
 * does not happen again.
 */
export const fed =
  (runtime: Runtime, { sessionId }: Input, epoch: string | undefined) => (attempt: Attempt): Attempt => (sink) => {
    const tell = (event: TurnEvent) =>
      runtime.feed.publish(sessionId, () => Schema.encodeSync(runtime.event)(event), epoch)
    // Not begun before it runs: what only begins a turn is not kept for as long as it lasts.
    return Effect.onError(Effect.suspend(() => attempt(watching(sink, tell))), (cause) =>
      Effect.sync(() =>
        tell({
          _tag: "TurnFailed",
          error: Cause.isInterruptedOnly(cause)
            ? { _tag: "Interrupted", message: "the turn was stopped, and nothing of it was stored" }
            : nameOf(Cause.squash(cause))
        })
      ))
  }

/** An input that was answered before gets the same answer. */
export const replay = (
  response: TurnResponse,
  { messageId, sessionId }: Input,
  sink: Sink
): Effect.Effect<TurnResponse> =>
  Effect.sync(() => {
    const epoch = Session.epochOf(response.session)
    sink.emit({ _tag: "TurnStarted", sessionId, epoch, ...(messageId !== undefined && { messageId }) })
    if (response.message !== "") sink.emit({ _tag: "TextDelta", text: response.message })
    sink.emit({ _tag: "TurnCompleted", response })
    return response
  })

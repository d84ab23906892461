/**
 * Wrappers around the phases of a turn: session lock, time limit, abort by the caller, conflict with another process,
 * and stored responses.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { runUntil, runWithin } from "../domain/base/Deadline.js"
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

/** One attempt to answer an input. It sends its events to the sink. */
export type Attempt = (sink: Sink) => Effect.Effect<TurnResponse, Failure>

type Guard = (runtime: Runtime, input: Input) => (attempt: Attempt) => Attempt

/** A sink that passes each event to a listener first. */
const watching = (sink: Sink, see: (event: TurnEvent) => void): Sink => ({
  ...sink,
  emit: (event) => {
    see(event)
    sink.emit(event)
  }
})

/** Emits `TurnFailed` to the readers before their stream fails. */
export const reported = (sink: Sink) => <A>(turn: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> =>
  Effect.catchAllCause(turn, (cause) => {
    const told = Cause.isInterruptedOnly(cause)
      ? Effect.void
      : Effect.map(failed(nameOf(Cause.squash(cause))), (event) => sink.emit(event))
    return Effect.zipRight(told, Effect.failCause(cause))
  })

/** The event of a failure, with the id of the request, under which the log has the failure. */
const failed = (error: { readonly _tag: string; readonly message: string }): Effect.Effect<TurnEvent> =>
  Effect.map(FiberRef.get(FiberRef.currentLogAnnotations), (annotations): TurnEvent => {
    const requestId = Option.getOrUndefined(HashMap.get(annotations, "requestId"))
    return { _tag: "TurnFailed", error, ...(typeof requestId === "string" && { requestId }) }
  })

const nameOf = (failure: unknown): { readonly _tag: string; readonly message: string } => {
  const error = failure instanceof HookFailure ? failure.error : failure
  return {
    _tag: Predicate.hasProperty(error, "_tag") && typeof error._tag === "string" ? error._tag : "Error",
    message: reasonOf(error)
  }
}

/** Ends a turn immediately if the caller stops it before its first event, also while it waits for the session's lock. */
export const abortable: Guard = (runtime, input) => (attempt) => (sink) => {
  const { abort } = sink
  if (abort === undefined) return attempt(sink)
  return Effect.suspend(() => {
    if (abort.requested()) return abandon(runtime, input, sink)
    let begun = false
    const watched = watching(sink, () => {
      begun = true
    })
    return Effect.flatten(runUntil(
      Effect.map(attempt(watched), Effect.succeed),
      abort,
      (): Effect.Effect<TurnResponse, Failure> | undefined => begun ? undefined : abandon(runtime, input, sink)
    ))
  })
}

/**
 * Runs one turn at a time per session. Waiting for the lock has its own timeout; with `whileBusy: "reject"`, messages
 * do not wait.
 */
export const locked: Guard = ({ definition, lock }, { _tag, sessionId }) => (attempt) => (sink) => {
  const wait = _tag === "Message" && definition.whileBusy === "reject" ? Duration.zero : definition.timeouts.lock
  return lock.withLock(sessionId, { wait })(attempt(sink))
}

/**
 * Limits the time of a turn. When the limit passes, the turn is interrupted and the session's lock released immediately,
 * even while uninterruptible code still runs: a later write of such code fails with a version conflict. An interruption
 * from outside waits for such code.
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
 * Starts after the limit has passed, and completes when the turn has used up its time. The time for which the turn has
 * waited for readers is added to the limit, so that a slow reader gets the whole answer. A reader that reads no event
 * for the length of the limit counts as gone, so that the session does not stay locked.
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
            // The clock counts whole milliseconds: a shorter sleep might never reduce `left`.
            return left < 1 ? Effect.void : Effect.zipRight(Effect.sleep(Duration.millis(left)), wait)
          })
      })
    )
    return wait
  })

/**
 * Handles a conflict with another process. If that process answered the same input, returns its response. Otherwise
 * repeats the turn once, unless the turn has started a tool call, the caller stopped it, or `onConflict` is not
 * "retry".
 */
export const retryAfterConflict: Guard = (runtime, input) => (attempt) => (sink) =>
  Effect.suspend(() => {
    const seen = { words: false, call: false, stop: false }
    const watched = watching(sink, ({ _tag }) => {
      if (_tag === "TextDelta") seen.words = true
      if (_tag === "ToolCallStarted") seen.call = true
      if (_tag === "Interrupted") seen.stop = true
    })
    // Suspended, so that the memory of values used only at the start can be freed while the turn runs.
    return Effect.catchAllCause(Effect.suspend(() => attempt(watched)), (cause) => {
      const conflict = Option.filter(Cause.failureOption(cause), ({ _tag }) => _tag === "SessionConflict")
      return Option.isNone(conflict) || seen.stop
        ? Effect.failCause(cause)
        : again(runtime, input, attempt, sink, { ...seen, conflict: conflict.value })
    })
  })

/** Returns the response of another process that answered the same input, or repeats the turn, or fails. */
const again = (
  runtime: Runtime,
  input: Input,
  attempt: Attempt,
  sink: Sink,
  { call, conflict, words }: { readonly call: boolean; readonly conflict: Failure; readonly words: boolean }
): Effect.Effect<TurnResponse, Failure> => {
  const unsay = Effect.sync(() => {
    if (words) sink.emit({ _tag: "MessageReplaced", message: "" })
  })
  const mayRepeat = runtime.definition.onConflict === "retry" && !call
  return Effect.flatMap(
    answered(runtime, input),
    Option.match({
      onSome: (response) => Effect.zipRight(unsay, replay(response, input, sink)),
      onNone: () => mayRepeat ? Effect.zipRight(unsay, attempt(sink)) : Effect.fail(conflict)
    })
  )
}

/**
 * Makes a sink that publishes the turn's events on the session's feed, even if the turn fails and is not stored. A
 * stored response is not published again.
 */
export const publishingSink = (runtime: Runtime, { sessionId }: Input, epoch: string | undefined, sink: Sink) => {
  const tell = (event: TurnEvent) =>
    runtime.feed.publish(sessionId, () => Schema.encodeSync(runtime.event)(event), epoch)
  return {
    sink: watching(sink, tell),
    failed: (cause: Cause.Cause<Failure>): Effect.Effect<void> =>
      Effect.map(
        failed(
          Cause.isInterruptedOnly(cause)
            ? { _tag: "Interrupted", message: "the turn was stopped, and nothing of it was stored" }
            : nameOf(Cause.squash(cause))
        ),
        tell
      )
  }
}

/** Returns the stored response for an input that was answered before, with its events. */
export const replay = (
  response: TurnResponse,
  { messageId, sessionId }: Input,
  sink: Sink
): Effect.Effect<TurnResponse> =>
  Effect.sync(() => {
    const { session } = response
    const version = session.version - 1
    sink.emit({
      _tag: "TurnStarted",
      sessionId,
      epoch: Session.epochOf(session),
      version,
      ...(messageId !== undefined && { messageId })
    })
    if (response.message !== "") sink.emit({ _tag: "TextDelta", text: response.message })
    sink.emit({ _tag: "TurnCompleted", response })
    return response
  })

/**
 * A turn: one input in, one answer out, one commit.
 *
 * Read it top to bottom. Each phase has its own file; a phase that stops the turn early says so in the draft, and the
 * later ones find nothing left to do.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { TurnTimeout } from "../domain/Errors.js"
import type { TurnRequest } from "../domain/TurnRequest.js"
import type { TurnResponse } from "../domain/TurnResponse.js"
import { advance } from "./advance.js"
import { abandon, commit, commitInterrupted } from "./commit.js"
import { finalize } from "./finalize.js"
import { answered, begin, checkRequest, loadSession, open } from "./open.js"
import { resume } from "./resume.js"
import { route } from "./route.js"
import { postSignals, preSignals } from "./signals.js"
import { speak } from "./speak.js"
import type { Failure, Opened, Runtime, Sink } from "./TurnState.js"
import { countMove, get, isAnswered } from "./TurnState.js"
import { understand } from "./understand.js"
import { accounted } from "./usage.js"

/**
 * @since 0.1.0
 * @category pipeline
 */
export const turn = (runtime: Runtime, request: TurnRequest, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.zipRight(
    checkRequest(request),
    unlessStopped(
      runtime,
      request,
      sink,
      (sink) =>
        retryOnConflict(runtime, request, sink, (watched) => attempt(runtime, request, watched)).pipe(
          holding(runtime, request.sessionId, sink)
        )
    )
  ).pipe(
    Effect.withSpan("Turn", {
      attributes: { agent: runtime.definition.name, sessionId: request.sessionId },
      captureStackTrace: false
    })
  )

/**
 * Answers the message, unless it has been answered. The session is loaded before the answer is looked for: whoever
 * answers the message after that look makes this turn's commit a conflict, so that no message is answered twice.
 */
const attempt = (runtime: Runtime, request: TurnRequest, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.flatMap(loadSession(runtime, request.sessionId, runtime.definition.historyLimit), (loaded) =>
    Effect.flatMap(
      answered(runtime, request),
      Option.match({
        onSome: (response) => replay(response, request, sink),
        onNone: () => Effect.flatMap(begin(runtime, request, sink, loaded), run)
      })
    ))

/** The phases between beginning and committing a turn. */
const phases = (opened: Opened) =>
  open(opened).pipe(
    Effect.flatMap(resume),
    Effect.flatMap(understand),
    Effect.flatMap(preSignals),
    Effect.flatMap(route),
    Effect.flatMap(converse),
    Effect.flatMap(postSignals)
  )

/** Walks to the step that speaks, lets it speak, finishes it; and walks on while nothing has been said. */
export const converse = <T extends Opened>(turn: T): Effect.Effect<T, Failure> =>
  Effect.gen(function*() {
    const next = yield* advance(turn)
    if (next._tag !== "Answered") yield* speak(turn, next)
    yield* finalize(turn, next)
    if (isAnswered(yield* get(turn))) return turn
    yield* countMove(turn)
    return yield* converse(turn)
  })

/** Runs the phases and commits, unless the caller stops the turn before. A commit that has begun is not stopped. */
const run = (opened: Opened): Effect.Effect<TurnResponse, Failure> => {
  const { abort } = opened.sink
  const row = accounted(opened)(phases(opened))
  if (abort === undefined) return Effect.zipRight(row, commit(opened))
  if (abort.requested()) return commitInterrupted(opened)
  return Effect.flatMap(
    Effect.raceFirst(Effect.as(abort.signal, commitInterrupted), Effect.as(row, commit)),
    (finish) => finish(opened)
  )
}

/** A turn that the caller stops before it has begun ends at once, also when it waits for the session's lock. */
const unlessStopped = (
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
    const watched: Sink = {
      ...sink,
      emit: (event) => {
        begun = true
        return sink.emit(event)
      }
    }
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
    return runtime.lock.withLock(sessionId)(Effect.raceFirst(turn, Effect.zipRight(expiry(sink, limit), late)))
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
const retryOnConflict = (
  runtime: Runtime,
  request: TurnRequest,
  sink: Sink,
  attempt: (sink: Sink) => Effect.Effect<TurnResponse, Failure>
): Effect.Effect<TurnResponse, Failure> => {
  const seen = new Set<string>()
  const watched: Sink = {
    ...sink,
    emit: (event) => {
      seen.add(event._tag)
      return sink.emit(event)
    }
  }
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
const replay = (response: TurnResponse, request: TurnRequest, sink: Sink): Effect.Effect<TurnResponse> =>
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

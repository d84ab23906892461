/**
 * A turn: one input in, one answer out, one commit.
 *
 * Read it top to bottom. Each phase has its own file; a phase that stops the turn early says so in the draft, and the
 * later ones find nothing left to do.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { TurnTimeout } from "../domain/Errors.js"
import type { TurnRequest } from "../domain/TurnRequest.js"
import type { TurnResponse } from "../domain/TurnResponse.js"
import { advance } from "./advance.js"
import { commit, commitInterrupted } from "./commit.js"
import { finalize } from "./finalize.js"
import { answered, checkRequest, open } from "./open.js"
import { resume } from "./resume.js"
import { route } from "./route.js"
import { postSignals, preSignals } from "./signals.js"
import { speak } from "./speak.js"
import type { Failure, Opened, Resumed, Runtime, Sink } from "./TurnState.js"
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
    Effect.flatMap(
      answered(runtime, request),
      Option.match({
        onSome: (response) => replay(response, request, sink),
        onNone: () =>
          retryOnConflict(
            runtime,
            sink,
            (watched) => Effect.flatMap(open(runtime, request, watched), (opened) => run(opened))
          )
      })
    ).pipe(holding(runtime, request.sessionId))
  ).pipe(
    Effect.withSpan("Turn", {
      attributes: { agent: runtime.definition.name, sessionId: request.sessionId },
      captureStackTrace: false
    })
  )

/** The phases between opening and committing a turn. */
const phases = (opened: Resumed) =>
  resume(opened).pipe(
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

/** Runs the phases and commits, unless the caller stops the turn before. */
export const run = (opened: Resumed, body = phases(opened)): Effect.Effect<TurnResponse, Failure> => {
  const { abort } = opened.sink
  const row = accounted(opened)(body)
  return abort === undefined
    ? Effect.zipRight(row, commit(opened))
    : Effect.flatMap(
      Effect.raceFirst(Effect.as(row, commit), Effect.as(abort, commitInterrupted)),
      (finish) => finish(opened)
    )
}

/** One turn at a time per session, within the turn's own limit. */
export const holding =
  (runtime: Runtime, sessionId: string) => <A>(turn: Effect.Effect<A, Failure>): Effect.Effect<A, Failure> => {
    const limit = runtime.definition.timeouts.turn
    return runtime.lock.withLock(sessionId)(
      Effect.timeoutFail(turn, {
        duration: limit,
        onTimeout: () => new TurnTimeout({ sessionId, limit: "turn", after: limit })
      })
    )
  }

/** Another process was faster: the turn is repeated once, unless a tool of it has run. */
export const retryOnConflict = (
  runtime: Runtime,
  sink: Sink,
  attempt: (sink: Sink) => Effect.Effect<TurnResponse, Failure>
): Effect.Effect<TurnResponse, Failure> => {
  if (runtime.definition.onConflict === "fail") return attempt(sink)
  const seen = new Set<string>()
  const watched: Sink = {
    ...sink,
    emit: (event) => {
      seen.add(event._tag)
      return sink.emit(event)
    }
  }
  return Effect.catchTag(attempt(watched), "SessionConflict", (conflict) => {
    if (seen.has("ToolCallStarted")) return Effect.fail(conflict)
    const unsay = seen.has("TextDelta") ? sink.emit({ _tag: "MessageReplaced", message: "" }) : Effect.void
    return Effect.zipRight(unsay, attempt(sink))
  })
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

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
import type { TurnRequest } from "../domain/TurnRequest.js"
import type { TurnResponse } from "../domain/TurnResponse.js"
import { holding, replay, retryOnConflict, unlessStopped } from "./guard.js"
import { advance } from "./phases/advance.js"
import { commit, commitInterrupted } from "./phases/commit.js"
import { finalize } from "./phases/finalize.js"
import { answered, begin, checkRequest, loadSession, open } from "./phases/open.js"
import { resume } from "./phases/resume.js"
import { route } from "./phases/route.js"
import { postSignals, preSignals } from "./phases/signals.js"
import { speak } from "./phases/speak.js"
import { understand } from "./phases/understand.js"
import type { Failure, Opened, Runtime, Sink } from "./TurnState.js"
import { countMove, get, isAnswered } from "./TurnState.js"
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

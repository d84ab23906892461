/**
 * A turn: one input in, one answer out, one commit.
 *
 * Read it top to bottom. Each phase has its own file in `phases/`; a phase that ends the turn early moves its ending
 * forward, and the later ones find nothing left to do.
 *
 * @since 0.1.0
 */
import * as Effect from "effect/Effect"
import { identity, pipe } from "effect/Function"
import * as Option from "effect/Option"
import type { TurnResponse } from "../domain/TurnResponse.js"
import * as Telemetry from "../services/Telemetry.js"
import { answered } from "./answers.js"
import { preferred } from "./busy.js"
import type { Attempt } from "./guard.js"
import { abortable, fed, limited, locked, repeated, replay, reported } from "./guard.js"
import type { Given, Input } from "./Input.js"
import { attend } from "./phases/attend.js"
import { check } from "./phases/check.js"
import { bill, commit, commitInterrupted } from "./phases/commit.js"
import { confirm, remind } from "./phases/confirm.js"
import { converse } from "./phases/converse.js"
import { depart } from "./phases/depart.js"
import { expect } from "./phases/expect.js"
import { notice } from "./phases/notice.js"
import { load, open } from "./phases/open.js"
import { recall } from "./phases/recall.js"
import { release } from "./phases/restore.js"
import { resume } from "./phases/resume.js"
import { route } from "./phases/route.js"
import { postSignals, preSignals } from "./phases/signals.js"
import { understand } from "./phases/understand.js"
import { over, reconsider } from "./speculation.js"
import { recorded } from "./tape/Recorder.js"
import type { Failure, Opened, Runtime, Sink } from "./TurnState.js"
import { isAnswered, isSilent } from "./TurnState.js"
import { accounted } from "./usage.js"

/**
 * Answers an input that passes its check: one turn at a time per session, within the turn's limit, and once more when
 * another process was faster.
 *
 * @since 0.1.0
 * @category pipeline
 */
export const turn = (runtime: Runtime, given: Given, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  check(runtime, given).pipe(
    Effect.flatMap((input) => preferred(runtime, given, guarded(runtime))(input, sink)),
    reported(sink),
    Telemetry.turn(
      runtime.definition.name,
      given.sessionId,
      given._tag === "Message" && typeof given.message === "string" ? given.message : undefined
    ),
    Effect.annotateLogs(identified(given))
  )

const guarded = (runtime: Runtime) => (input: Input, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  pipe(
    recorded(runtime, input, (runtime) => attempt(runtime, input)),
    repeated(runtime, input),
    limited(runtime, input),
    locked(runtime, input),
    abortable(runtime, input)
  )(sink)

/** What every line of the log says of the turn it is of. */
const identified = ({ messageId, sessionId }: Given): Record<string, unknown> => ({
  sessionId,
  ...(messageId !== undefined && { turn: messageId })
})

/** A phase that still finds something to do is seen as a span, where somebody traces. */
const seen = <A extends Opened, B>(name: string, phase: (turn: A) => Effect.Effect<B, Failure>) => (turn: A) =>
  isAnswered(turn) ? phase(turn) : Telemetry.phase(name, phase(turn))

/**
 * Answers the input, unless it has been answered. The session is loaded before the answer is looked for: whoever
 * answers the input after that look makes this turn's commit a conflict, so that nothing is answered twice.
 *
 * @since 0.1.0
 * @category pipeline
 */
export const attempt = (runtime: Runtime, input: Input): Attempt => (sink) =>
  Effect.flatMap(load(runtime, input.sessionId, runtime.definition.historyLimit), (loaded) =>
    Effect.flatMap(
      answered(runtime, input),
      Option.match({
        onSome: (response) => replay(response, input, sink),
        onNone: () => fed(runtime, input)((sink) => Effect.flatMap(open(runtime, input, sink, loaded), row))(sink)
      })
    ))

/** The phases between opening and committing a turn. */
const phases = (opened: Opened): Effect.Effect<void, Failure> => isSilent(opened) ? attend(opened) : spoken(opened)

const spoken = (opened: Opened): Effect.Effect<void, Failure> => {
  const { speculate } = opened.runtime.definition
  return recall(opened).pipe(
    Effect.flatMap(seen("resume", resume)),
    Effect.flatMap(notice),
    Effect.flatMap(seen("understand", understand)),
    speculate ? Effect.tap(reconsider) : identity,
    Effect.flatMap((turn) => seen("preSignals", preSignals<typeof turn>)(turn)),
    Effect.flatMap(depart),
    Effect.flatMap(seen("route", route)),
    speculate ? Effect.tap(reconsider) : identity,
    Effect.flatMap(confirm),
    Effect.flatMap(seen("converse", converse)),
    Effect.tap(remind),
    Effect.flatMap(seen("postSignals", postSignals)),
    Effect.zipRight(Effect.suspend(() => expect(opened))),
    speculate ? Effect.ensuring(Effect.suspend(() => over(opened))) : identity
  )
}

/** Runs the phases and commits, unless the caller stops the turn before. A commit that has begun is not stopped. */
const row = (opened: Opened): Effect.Effect<TurnResponse, Failure> => {
  const { abort } = opened.sink
  if (abort?.requested() === true) return commitInterrupted(opened)
  const rowed = accounted(opened)(phases(opened))
  const finished = abort === undefined
    ? Effect.zipRight(rowed, Telemetry.phase("commit", commit(opened)))
    : Effect.flatMap(
      Effect.raceFirst(Effect.as(abort.signal, commitInterrupted), Effect.as(rowed, commit)),
      (finish) => Telemetry.phase("commit", finish(opened))
    )
  return Effect.onError(finished, () => Effect.zipRight(release(opened), bill(opened)))
}

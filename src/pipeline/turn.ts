/**
 * A turn: one input, one answer, one commit.
 *
 * Read it from top to bottom. Each phase has its own file in `phases/`. A phase that ends the turn early sets the
 * turn's ending; the later phases then have no work.
 */
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import { pipe } from "effect/Function"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { runUntil } from "../domain/base/Deadline.js"
import { locallyFast, onErrorFast } from "../domain/base/FiberRefs.js"
import type { TurnResponse } from "../domain/turn/TurnResponse.js"
import * as Telemetry from "../services/model/Telemetry.js"
import { dropFinished } from "./flow/suspended.js"
import type { Attempt } from "./guard.js"
import { abortable, limited, locked, publishingSink, replay, reported, retryAfterConflict } from "./guard.js"
import { cancelPrevious } from "./phases/cancelPrevious.js"
import { check } from "./phases/check.js"
import { commit, commitInterrupted, keepEffects } from "./phases/commit.js"
import { converse } from "./phases/converse.js"
import { describeExpectedInput } from "./phases/describeExpectedInput.js"
import { handleEvent } from "./phases/handleEvent.js"
import { open } from "./phases/open.js"
import { relayToHuman } from "./phases/relayToHuman.js"
import { resume } from "./phases/resume.js"
import { route, takeBranches } from "./phases/route.js"
import { understand } from "./phases/understand.js"
import { recorded } from "./recording/Recorder.js"
import type { Input, UncheckedInput } from "./state/Input.js"
import type { Failure, Opened, Runtime, Sink } from "./state/TurnState.js"
import { isAnswered, isSilent } from "./state/TurnState.js"
import { answered } from "./stored/answers.js"
import { epochOf, load, runtimeFor } from "./stored/loading.js"
import { accounted } from "./stored/usage.js"

/**
 * Answers an input that passes its check: one turn at a time per session, within the turn's time limit, repeated once
 * after a conflict with another process.
 */
export const turn = (runtime: Runtime, given: UncheckedInput, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.flatMap(check(runtime, given), (input) => {
    const answer = guarded(runtime)
    const stops = given._tag === "Message" && runtime.definition.whileBusy === "cancel"
    return (stops ? cancelPrevious(runtime, given, answer) : answer)(input, sink)
  }).pipe(
    reported(sink),
    Telemetry.turn(
      runtime.definition.name,
      given.sessionId,
      given._tag === "Message" && typeof given.message === "string" ? given.message : undefined
    ),
    locallyFast(FiberRef.currentLogAnnotations, identified(given))
  )

const guarded = (runtime: Runtime) => (input: Input, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  pipe(
    runtime.log === undefined
      ? attempt(runtime, input)
      : recorded(runtime, runtime.log, input, (runtime) => attempt(runtime, input)),
    retryAfterConflict(runtime, input),
    limited(runtime, input),
    locked(runtime, input),
    abortable(runtime, input)
  )(sink)

/** Adds the session and the message id to all log lines of the turn. */
const identified = ({ messageId, sessionId }: UncheckedInput) => (before: HashMap.HashMap<string, unknown>) => {
  const named = HashMap.set(before, "sessionId", sessionId)
  return messageId === undefined ? named : HashMap.set(named, "turn", messageId)
}

/** Runs a phase. If a tracer is installed and the turn has no reply yet, the phase is a span. */
const inSpan = <A extends Opened, B>(name: string, phase: (turn: A) => Effect.Effect<B, Failure>) => (turn: A) =>
  turn.isTraced && !isAnswered(turn) ? Telemetry.phase(name, Effect.suspend(() => phase(turn))) : phase(turn)

/**
 * Answers the input, unless it was answered before. The session is loaded before the stored response is looked up: if
 * another process answers the same input in between, the commit of this turn conflicts, so that an input is answered
 * only once.
 */
export const attempt = (runtime: Runtime, input: Input): Attempt => (sink) =>
  Effect.flatMap(load(runtime, input.sessionId, runtime.definition.historyLimit), (loaded) => {
    const pinned = Option.isSome(loaded) ? runtimeFor(runtime, loaded.value.session) : runtime
    return Effect.flatMap(
      input.messageId === undefined ? Effect.succeedNone : answered(pinned, input),
      Option.match({
        onSome: (response) => replay(response, input, sink),
        onNone: () =>
          Effect.flatMap(
            epochOf(pinned, input.principal?.userId, loaded),
            (epoch) => {
              const feed = publishingSink(pinned, input, epoch, sink)
              let opened: Opened | undefined
              // Suspended, so that the memory of values used only at the start can be freed while the turn runs.
              const run = Effect.suspend(() =>
                Effect.flatMap(open(pinned, input, feed.sink, loaded, epoch), (turn) => runAndCommit(opened = turn))
              )
              return onErrorFast(run, (cause) =>
                Effect.zipRight(opened === undefined ? Effect.void : keepEffects(opened), feed.failed(cause)))
            }
          )
      })
    )
  })

/** The phases between opening and committing a turn. */
const phases = (opened: Opened): Effect.Effect<void, Failure> =>
  isSilent(opened) ? relayToHuman(opened) : spoken(opened)

const spoken = Effect.fnUntraced(function*(opened: Opened) {
  const { features } = opened
  const begun = yield* features.begun?.(opened) ?? Effect.succeed(opened)
  const resumed = yield* inSpan("resume", resume)(begun)
  const { occurrence } = resumed
  const noticed = occurrence === undefined ? resumed : yield* handleEvent(resumed, occurrence)
  const understood = yield* inSpan("understand", understand)(noticed)
  yield* features.understood?.(understood) ?? Effect.void
  const departed = yield* takeBranches(understood)
  const routed = yield* inSpan("route", route)(departed)
  const arrived = yield* features.routed?.(routed) ?? Effect.succeed(routed)
  yield* inSpan("converse", converse)(arrived)
  if (features.spoken !== undefined) yield* features.spoken(arrived)
  if (arrived.state.session.suspended.length > 0) yield* dropFinished(arrived)
  yield* describeExpectedInput(opened)
})

/** Runs the phases and commits, unless the caller stops the turn before. A commit that has begun is not stopped. */
const runAndCommit = (opened: Opened): Effect.Effect<TurnResponse, Failure> => {
  const { features, isTraced, sink: { abort } } = opened
  if (abort?.requested() === true) return commitInterrupted(opened)
  const walked = Effect.suspend(() => phases(opened))
  const rowed = accounted(opened)(
    features.ended === undefined ? walked : Effect.ensuring(walked, features.ended(opened))
  )
  const store = (finish: typeof commit) =>
    isTraced ? Telemetry.phase("commit", Effect.suspend(() => finish(opened))) : finish(opened)
  return abort === undefined
    ? Effect.flatMap(rowed, () => store(commit))
    : Effect.flatMap(runUntil(Effect.as(rowed, commit), abort, () => commitInterrupted), store)
}

/**
 * With `whileBusy: "cancel"`, a message stops the running turn of its session and is answered together with that turn's
 * message.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { InvalidRequest } from "../../domain/base/error/Errors.js"
import type { TurnResponse } from "../../domain/turn/TurnResponse.js"
import { prepend } from "../state/coalesce.js"
import type { Input, UncheckedMessage } from "../state/Input.js"
import type { Failure, Runtime, Sink, Stoppable } from "../state/TurnState.js"
import { check } from "./check.js"

const make = (given: UncheckedMessage, sink: Sink): Effect.Effect<Stoppable> =>
  Effect.map(Effect.all([Effect.makeLatch(), Deferred.make<boolean>()]), ([latch, ended]) => {
    let requested = false
    const isStoppedByCaller = () => sink.abort?.requested() === true
    const signal = sink.abort === undefined ? latch.await : Effect.raceFirst(latch.await, sink.abort.signal)
    const stoppable: Stoppable = {
      said: given,
      sink: {
        ...sink,
        // A cancelled turn must not wait for a slow reader.
        ready: Effect.raceFirst(sink.ready, latch.await),
        abort: { requested: () => requested || isStoppedByCaller(), signal }
      },
      stop: Effect.suspend(() => {
        requested = true
        return Effect.zipRight(latch.open, Deferred.await(ended))
      }).pipe(Effect.map((isUnanswered) => isUnanswered ? stoppable.said : undefined)),
      end: (exit) =>
        // If the caller has aborted a turn, the next message is not answered together with that turn's message.
        Deferred.succeed(
          ended,
          requested && !isStoppedByCaller() && Exit.isSuccess(exit) && exit.value.stoppedReason === "aborted"
        )
    }
    return stoppable
  })

const userOf = ({ metadata, principal }: UncheckedMessage): string =>
  JSON.stringify([principal?.userId, metadata?.userId])

/**
 * True if the next message may stop the running turn: both messages are from the same user, and the next one is not a
 * repetition.
 */
const mayStop = (running: UncheckedMessage, next: UncheckedMessage): boolean =>
  userOf(running) === userOf(next) &&
  (running.messageId === undefined || running.messageId !== next.messageId)

/**
 * Stops the earlier turn and merges its unanswered message into the input. The merged message may be refused as too
 * long.
 */
const withUnanswered = (
  runtime: Runtime,
  before: Stoppable | undefined,
  mine: Stoppable,
  input: Input
): Effect.Effect<Input, InvalidRequest> =>
  before === undefined ? Effect.succeed(input) : Effect.flatMap(
    Effect.timeoutOption(before.stop, runtime.definition.timeouts.lock),
    (left) => {
      if (Option.isNone(left) || left.value === undefined) return Effect.succeed(input)
      mine.said = prepend(left.value, mine.said)
      return check(runtime, mine.said)
    }
  )

/**
 * Answers an input. A message that stops the earlier turn waits until that turn has ended, and is answered together
 * with its unanswered message. Turns of other processes are not stopped, and only messages stop a turn.
 */
export const cancelPrevious = (
  runtime: Runtime,
  given: UncheckedMessage,
  answer: (input: Input, sink: Sink) => Effect.Effect<TurnResponse, Failure>
) =>
(input: Input, sink: Sink): Effect.Effect<TurnResponse, Failure> =>
  Effect.suspend(() => {
    const { runningTurns } = runtime
    const before = runningTurns.get(input.sessionId)
    if (before !== undefined && !mayStop(before.said, given)) return answer(input, sink)
    return Effect.acquireUseRelease(
      Effect.tap(make(given, sink), (mine) => Effect.sync(() => runningTurns.set(input.sessionId, mine))),
      (mine) => Effect.flatMap(withUnanswered(runtime, before, mine, input), (input) => answer(input, mine.sink)),
      (mine, exit) => {
        if (runningTurns.get(input.sessionId) === mine) runningTurns.delete(input.sessionId)
        return mine.end(exit)
      }
    )
  })
